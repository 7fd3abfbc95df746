//! The inserted code.
//!
//! ```text
//! .try {
//!     .try { the method's own code; its ret: stloc result; leave EXIT }
//!     filter { stloc exception; ldc.i4.0; endfilter } { pop; rethrow }
//! } fault { threw(key, &frame, exception); endfinally }
//! EXIT: returned(key, &frame, result or &result); ldloc result; ret
//! ```
//!
//! with `entered(key, &frame, words…)` before it. The calls are indirect ones of C functions without a transition. The call at the exit is
//! outside of the region, since the compiler makes a stub for such calls in handlers. The same code on every system and processor.
#![forbid(unsafe_code)]

use cilbody::edit::{Inserter, Instr};
use cilbody::{Opcode, TypeKind};
use corprof::InsertedMethod;
use corprof::clrnames::MethodDefinition;
use corprof_rewrite::{LiveModule, Method, Result, RewriteError};
use sigparse::token::StandAloneSig;
use sigparse::{CallingConvention, Token, Type, TypeDefOrRef, TypeSig, TypeSigBuf};

use super::InsertedFunction;
use crate::shape::Shape;
use crate::tracer::CallTracer;

const OBJECT: [u8; 1] = [0x1C];
const NATIVE_INT: [u8; 1] = [0x18];

/// How a value becomes a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The value itself, by this conversion.
    Value(Opcode),
    /// The address of a copy. The address of an argument itself would keep it out of registers in the whole method.
    Copy,
}

impl Way {
    fn of(ty: Type<'_>) -> Self {
        match ty {
            Type::I1 | Type::I2 | Type::I4 | Type::I8 | Type::I => Self::Value(Opcode::CONV_I),
            Type::Boolean
            | Type::Char
            | Type::U1
            | Type::U2
            | Type::U4
            | Type::U8
            | Type::U
            | Type::String
            | Type::Object
            | Type::Class(_)
            | Type::SzArray(_)
            | Type::Array(_)
            | Type::Ptr(_)
            | Type::FnPtr(_)
            | Type::ByRef(_) => Self::Value(Opcode::CONV_U),
            Type::GenericInst(of) if matches!(of.definition(), Type::Class(_)) => Self::Value(Opcode::CONV_U),
            _ => Self::Copy,
        }
    }
}

/// An argument, how it becomes a word, and the variable of its copy.
struct Argument {
    number: u16,
    way: Way,
    copy: Option<u16>,
}

/// Why a method keeps its code; `None` if code can be inserted.
fn refusal(method: &Method<'_>) -> Option<&'static str> {
    if method.is_runtime_async() {
        return Some("the runtime suspends its calls (runtime async), whose frames go away meanwhile");
    }
    if method.signature().calling_convention() == CallingConvention::VARARG {
        return Some("it takes a variable number of arguments");
    }
    None
}

/// Inserts the code. Returns how it passes the values. `with_types`: whether it also passes the types of structs.
///
/// # Errors
/// The method is one that cannot have such code; see [`RewriteError::Refused`].
pub(crate) fn insert<T: CallTracer>(
    method: &mut Method<'_>,
    definition: &MethodDefinition,
    hooked: &InsertedMethod<InsertedFunction<T>>,
    with_types: bool,
) -> Result<Shape> {
    if let Some(reason) = refusal(method) {
        return Err(RewriteError::Refused(reason));
    }
    let module = method.module();
    let arguments = arguments(method)?;
    let generic = generic_context(module, definition)?;
    let (has_class, type_args) = (definition.class_arity > 0, definition.method_arity);
    let mut types = generic;
    if with_types {
        types.extend(struct_types(method)?);
    }
    let most = InsertedMethod::<InsertedFunction<T>>::MAX_WORDS;
    // What only an attached profiler needs is left out first.
    types.truncate(most.saturating_sub(arguments.len()).max(usize::from(has_class) + type_args));
    let words = arguments.len() + types.len();
    let too_many = RewriteError::Refused("it has more arguments and type arguments than can be passed");
    let Some(entered) = hooked.entered(words) else { return Err(too_many) };
    let site = |parameters: usize| module.direct_call_site(u8::try_from(parameters).unwrap_or(u8::MAX));
    let (enter_site, end_site) = (site(2 + words)?, site(3)?);
    let class_of_handle = if types.is_empty() { None } else { Some(module.class_of_handle()?) };

    let frame = local(method, &NATIVE_INT)?;
    let returns = method.returns();
    let result_way = returns.ty().map(|ty| Way::of(ty.ty()));
    let key = hooked.key;
    let object = TypeSig::parse(&OBJECT).map_err(RewriteError::Signature)?;
    let body = method.body_mut();
    let watched = body.watch_exceptions(object, returns, module, |code, exception| {
        head(code, key, frame);
        code.push(Instr::ldloc(exception)).push(Instr::new(Opcode::CONV_U));
        call(code, hooked.threw, end_site);
    })?;

    let mut exit = body.insert_before(watched.exit.begin);
    head(&mut exit, key, frame);
    match (result_way, watched.exit.value) {
        (Some(Way::Value(conversion)), Some(value)) => {
            exit.push(Instr::ldloc(value)).push(Instr::new(conversion));
        }
        (Some(Way::Copy), Some(value)) => {
            exit.push(Instr::ldloca(value)).push(Instr::new(Opcode::CONV_U));
        }
        _ => {
            exit.push(Instr::ldc_i4(0)).push(Instr::new(Opcode::CONV_I));
        }
    }
    call(&mut exit, hooked.returned, end_site);
    drop(exit);

    let mut entry = body.insert_at_entry();
    for argument in &arguments {
        if let Some(copy) = argument.copy {
            entry.push(Instr::ldarg(argument.number)).push(Instr::stloc(copy));
        }
    }
    head(&mut entry, key, frame);
    for argument in &arguments {
        match (argument.way, argument.copy) {
            (Way::Value(conversion), _) => {
                entry.push(Instr::ldarg(argument.number)).push(Instr::new(conversion));
            }
            (Way::Copy, copy) => {
                entry.push(Instr::ldloca(copy.unwrap_or_default())).push(Instr::new(Opcode::CONV_U));
            }
        }
    }
    for ty in types {
        entry.push(Instr::token(Opcode::LDTOKEN, ty));
        if let Some(class_of_handle) = class_of_handle {
            entry.push(Instr::call(class_of_handle));
        }
    }
    call(&mut entry, entered, enter_site);
    drop(entry);
    Ok(Shape {
        are_values: arguments.iter().map(|argument| argument.way != Way::Copy).collect(),
        is_result_value: result_way.is_none_or(|way| way != Way::Copy),
        has_class,
        type_args,
    })
}

/// Adds a variable.
fn local(method: &mut Method<'_>, ty: &[u8]) -> Result<u16> {
    method.add_local(TypeSig::parse(ty).map_err(RewriteError::Signature)?)
}

/// The arguments, `this` first, with a variable for each that is copied.
fn arguments(method: &mut Method<'_>) -> Result<Vec<Argument>> {
    let sig = method.signature();
    let mut arguments = Vec::new();
    let has_this = sig.has_this() && !sig.explicit_this();
    if has_this {
        // A reference to the object, or a pointer to the struct.
        arguments.push(Argument { number: 0, way: Way::Value(Opcode::CONV_U), copy: None });
    }
    for (number, param) in (u16::from(has_this)..).zip(sig.params()) {
        let ty = param.map_err(RewriteError::Signature)?.sig();
        let way = Way::of(ty.ty());
        let copy = if way == Way::Copy { Some(method.add_local(ty)?) } else { None };
        arguments.push(Argument { number, way, copy });
    }
    Ok(arguments)
}

/// The first two arguments of each function.
fn head(code: &mut Inserter<'_>, key: usize, frame: u16) {
    address(code, key);
    code.push(Instr::ldloca(frame)).push(Instr::new(Opcode::CONV_U));
}

fn address(code: &mut Inserter<'_>, address: usize) {
    code.push(Instr::ldc_i8(address.cast_signed() as i64)).push(Instr::new(Opcode::CONV_I));
}

/// Calls a function with the arguments on the stack.
fn call(code: &mut Inserter<'_>, function: usize, site: StandAloneSig) {
    address(code, function);
    code.push(Instr::token(Opcode::CALLI, site));
}

/// The declaring class, if it is generic, and the method's type arguments, as tokens.
fn generic_context(module: &LiveModule, definition: &MethodDefinition) -> Result<Vec<Token>> {
    let mut context = Vec::new();
    if let (Some(class), 1..) = (definition.declaring_type, definition.class_arity) {
        let (class_def, count) = (TypeDefOrRef::TypeDef(class), definition.class_arity);
        let kind = cilbody::Module::type_kind(module, class.into());
        let is_value = !matches!(kind, TypeKind::Reference | TypeKind::Unknown);
        let own = TypeSigBuf::build(|ty| {
            let args = |args: &mut sigparse::TypeList| {
                for number in (0..).take(count) {
                    args.arg(|ty| ty.var(number));
                }
            };
            if is_value { ty.generic_value_type(class_def, args) } else { ty.generic_class(class_def, args) }
        });
        context.push(module.type_spec(own.map_err(RewriteError::Signature)?.as_bytes())?.into());
    }
    for number in (0..).take(definition.method_arity) {
        let argument = TypeSigBuf::build(|ty| ty.mvar(number)).map_err(RewriteError::Signature)?;
        context.push(module.type_spec(argument.as_bytes())?.into());
    }
    Ok(context)
}

/// The types of parameters and result that are structs, as tokens.
fn struct_types(method: &Method<'_>) -> Result<Vec<Token>> {
    let sig = method.signature();
    let is_struct = |ty: Type<'_>| match ty {
        Type::ValueType(_) => true,
        Type::GenericInst(of) => matches!(of.definition(), Type::ValueType(_)),
        _ => false,
    };
    let mut types: Vec<&[u8]> = Vec::new();
    for ty in sig.params().flatten().map(|param| param.sig()).chain(method.returns().ty()) {
        match ty.ty() {
            Type::ByRef(to) if is_struct(to.ty()) => types.push(to.bytes()),
            of if is_struct(of) => types.push(ty.bytes()),
            _ => {}
        }
    }
    types.sort_unstable();
    types.dedup();
    types.into_iter().map(|ty| Ok(method.module().type_spec(ty)?.into())).collect()
}
