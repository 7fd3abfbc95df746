//! `async` methods: the method that the program calls returns a task, and `MoveNext` of a state machine completes it.
//!
//! The span of such a call ends with the task. The two methods have the task's id in common: the first reads it from the task
//! that it returns, the second from the builder in the state machine, before it sets the result. `MoveNext` reports the
//! completion only if it was resumed before. At its first call it runs inside the first method, which then sees a completed
//! task; reading the task from the builder would allocate one there that is not needed.
#![forbid(unsafe_code)]

use cilbody::Opcode;
use cilbody::edit::{Body, Inserter, Instr, InstrId};
use corprof::Metadata;
use corprof::token::{FieldDef, MemberRef, MethodDef, TypeDef, TypeRef, TypeSpec};
use corprof_rewrite::{LiveModule, Method, Result};
use sigparse::{
    MemberRefParent, MethodSig, MethodSigBuilder, Reader, Token, Type, TypeDefOrRef, TypeSpecSig,
};

use crate::callbacks::Callback;
use crate::edit::{NativeCall, local_int32};

const ATTRIBUTE: &str = "System.Runtime.CompilerServices.AsyncStateMachineAttribute";
const BUILDER: &str = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder";
const GENERIC_BUILDER: &str = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1";
const TASK: &str = "System.Threading.Tasks.Task";
const GENERIC_TASK: &str = "System.Threading.Tasks.Task`1";
// Fields of the state machine, as Roslyn names them.
const STATE_FIELD: &str = "<>1__state";
const BUILDER_FIELD: &str = "<>t__builder";

/// `instance int32 ()` and `instance bool ()`.
const GETS_INT32: [u8; 3] = [0x20, 0, 0x08];
const GETS_BOOL: [u8; 3] = [0x20, 0, 0x02];

/// The `MoveNext` of an `async` method that returns `Task` or `Task<T>`. `None` for other methods: their spans end when they
/// return.
pub(crate) fn move_next(
    metadata: &Metadata,
    ty: TypeDef,
    method: MethodDef,
) -> corprof::Result<Option<MethodDef>> {
    let Some(attribute) = metadata.custom_attribute(method, ATTRIBUTE)? else { return Ok(None) };
    let signature = metadata.method(method)?.signature;
    let returns = MethodSig::parse(signature).ok().map(|sig| sig.return_type().ty());
    let task = match returns {
        Some(Type::Class(ty)) => Some(ty),
        Some(Type::GenericInst(inst)) => match inst.definition() {
            Type::Class(ty) => Some(ty),
            _ => None,
        },
        _ => None,
    };
    if !matches!(task.map(|ty| type_name(metadata, ty)).transpose()?.as_deref(), Some(TASK | GENERIC_TASK)) {
        return Ok(None);
    }
    // The name of the state machine's type, which is nested: `Shop.Cart+<AddAsync>d__3`.
    let mut reader = Reader::new(attribute);
    let Ok(Some(name)) = reader.read_array::<2>().and_then(|_| reader.read_ser_string()) else {
        return Ok(None);
    };
    let name = name.rsplit('+').next().unwrap_or(name);
    let Some(machine) = metadata.find_type_def(name, Some(ty))? else { return Ok(None) };
    Ok(metadata.methods_named(machine, "MoveNext")?.first().copied())
}

fn type_name(metadata: &Metadata, ty: TypeDefOrRef) -> corprof::Result<String> {
    Ok(match ty {
        TypeDefOrRef::TypeDef(ty) => metadata.type_def(ty)?.name.to_string(),
        TypeDefOrRef::TypeRef(ty) => metadata.type_ref(ty)?.name.to_string(),
        TypeDefOrRef::TypeSpec(_) => String::new(),
    })
}

/// Members of `Task`.
#[derive(Clone, Copy)]
pub(crate) struct Members {
    id: Token,
    is_completed: Token,
    is_faulted: Token,
    is_canceled: Token,
}

impl Members {
    pub(crate) fn of_task(module: &LiveModule) -> Result<Self> {
        let task = module.core_type(TASK)?;
        Ok(Self {
            id: module.member(task, "get_Id", &GETS_INT32)?,
            is_completed: module.member(task, "get_IsCompleted", &GETS_BOOL)?,
            is_faulted: module.member(task, "get_IsFaulted", &GETS_BOOL)?,
            is_canceled: module.member(task, "get_IsCanceled", &GETS_BOOL)?,
        })
    }

    /// Pushes the id of a task in a variable, whether it has completed, and whether it has failed.
    pub(crate) fn push_state(self, code: &mut Inserter<'_>, task: u16) {
        let mut get = |member: Token| {
            code.push(Instr::ldloc(task)).push(Instr::token(Opcode::CALLVIRT, member));
        };
        get(self.id);
        get(self.is_completed);
        get(self.is_faulted);
        get(self.is_canceled);
        code.push(Instr::new(Opcode::OR));
    }
}

/// A call in `MoveNext` that completes the task.
struct Completion {
    call: InstrId,
    has_failed: bool,
    /// The builder's type.
    builder: MemberRefParent,
    is_generic: bool,
}

/// Inserts reports of the completion into `MoveNext`.
pub(crate) fn completions(method: &mut Method<'_>) -> Result<bool> {
    let module = method.module();
    let metadata = module.metadata();
    let body = method.body();
    let (Some(state), Some(builder)) = (
        field(body, metadata, Opcode::LDFLD, STATE_FIELD),
        field(body, metadata, Opcode::LDFLDA, BUILDER_FIELD),
    ) else {
        return Ok(false);
    };
    let completions: Vec<Completion> =
        body.calls().filter_map(|(id, to)| completion(metadata, id, to)).collect();
    if completions.is_empty() {
        return Ok(false);
    }
    let id = Members::of_task(module)?.id;
    let completed = NativeCall::new(Callback::completed(), module)?;
    let resumed = local_int32(method)?;
    for Completion { call, has_failed, builder: parent, is_generic } in completions {
        let get_task = module.member_ref(parent, "get_Task", &get_task(module, is_generic)?)?;
        let mut code = method.body_mut().insert_before(call);
        let following = code.following();
        // The first call has the state -1.
        code.push(Instr::ldloc(resumed)).push(Instr::ldc_i4(0)).push(Instr::branch(Opcode::BLT, following));
        code.push(Instr::ldarg(0)).push(Instr::token(Opcode::LDFLDA, builder)).push(Instr::call(get_task));
        code.push(Instr::token(Opcode::CALLVIRT, id)).push(Instr::ldc_i4(i32::from(has_failed)));
        completed.push(&mut code);
    }
    let mut code = method.body_mut().insert_at_entry();
    code.push(Instr::ldarg(0)).push(Instr::token(Opcode::LDFLD, state)).push(Instr::stloc(resumed));
    Ok(true)
}

/// The token by which a body accesses a field of the state machine.
fn field(body: &Body, metadata: &Metadata, opcode: Opcode, name: &str) -> Option<Token> {
    body.ids().find_map(|id| {
        let token = body.instr(id).filter(|it| it.opcode == opcode)?.operand_token()?;
        let is_named = match FieldDef::from_token(token.0) {
            Some(field) => metadata.field(field).ok()?.name == name,
            None => metadata.member_ref(MemberRef::from_token(token.0)?).ok()?.name == name,
        };
        is_named.then_some(token)
    })
}

fn completion(metadata: &Metadata, call: InstrId, to: Token) -> Option<Completion> {
    let to = metadata.member_ref(MemberRef::from_token(to.0)?).ok()?;
    let has_failed = match &*to.name {
        "SetResult" => false,
        "SetException" => true,
        _ => return None,
    };
    let (builder, name) = if let Some(ty) = TypeRef::from_token(to.parent.0) {
        (MemberRefParent::TypeRef(ty), type_name(metadata, TypeDefOrRef::TypeRef(ty)).ok()?)
    } else {
        let spec = TypeSpec::from_token(to.parent.0)?;
        let Type::GenericInst(inst) = TypeSpecSig::parse(metadata.type_spec(spec).ok()?).ok()?.ty() else {
            return None;
        };
        let Type::ValueType(ty) = inst.definition() else { return None };
        (MemberRefParent::TypeSpec(spec), type_name(metadata, ty).ok()?)
    };
    let is_generic = name == GENERIC_BUILDER;
    (is_generic || name == BUILDER).then_some(Completion { call, has_failed, builder, is_generic })
}

/// The signature of the builder's property: `instance Task ()` or `instance Task<!0> ()`.
fn get_task(module: &LiveModule, is_generic: bool) -> Result<Vec<u8>> {
    let task = module.core_type(if is_generic { GENERIC_TASK } else { TASK })?;
    let builder = MethodSigBuilder::new(|ty| match is_generic {
        true => ty.generic_class(task, |args| args.arg(|arg| arg.var(0))),
        false => ty.class(task),
    });
    let signature = builder.has_this().finish().map_err(corprof_rewrite::RewriteError::Signature)?;
    Ok(signature.as_bytes().to_vec())
}
