//! From a type in a signature to a shape.

use std::sync::Arc;

use sigparse::{GenericInst, MethodSig, Type, TypeDefOrRef, TypeSig};

use crate::{
    error::ResolveError,
    memory::POINTER_SIZE,
    names,
    runtime::{DeferredType, GenericContext, Runtime, ValueTypeQuery},
    shape::{Field, Primitive, Target, TypeShape},
};

/// The shape of slots of a type.
///
/// For the types of parameters, and for a [`Runtime`] for those of fields. References are made from their names
/// alone, and nothing is loaded for them; only value types in place, and the arguments of generic ones, are
/// asked of the runtime.
///
/// # Errors
/// When a value type has no shape, a name is not found, or a type parameter has no argument.
pub fn resolve<R: Runtime + ?Sized>(
    runtime: &R,
    sig: TypeSig<'_>,
    context: &GenericContext,
) -> Result<Arc<TypeShape>, ResolveError> {
    let ty = sig.ty();
    if let Some(primitive) = primitive(ty) {
        return Ok(TypeShape::primitive(primitive));
    }
    Ok(match ty {
        Type::Void => TypeShape::void(),
        Type::String => TypeShape::string(),
        Type::Object => TypeShape::object(),
        Type::Var(_) | Type::MVar(_) => Arc::clone(argument(ty, context)?),
        Type::ValueType(token) => value_type(runtime, token, Vec::new(), context)?,
        Type::GenericInst(instance) if instance.is_value_type() => {
            let args: Result<Vec<_>, _> = instance.args().map(|arg| resolve(runtime, arg, context)).collect();
            value_type(runtime, definition(instance)?, args?, context)?
        }
        Type::Class(_) | Type::GenericInst(_) | Type::SzArray(_) | Type::Array(_) => {
            Arc::new(TypeShape::reference(name(runtime, sig, context)?))
        }
        Type::Ptr(to) => {
            let target = target(runtime, to, context)?;
            Arc::new(TypeShape::pointer(&name(runtime, to, context)?, target))
        }
        Type::ByRef(to) => {
            let target = target(runtime, to, context)?;
            Arc::new(TypeShape::by_ref(&name(runtime, to, context)?, target))
        }
        Type::FnPtr(_) => Arc::new(TypeShape::function_pointer(name(runtime, sig, context)?)),
        Type::Pinned(inner) => resolve(runtime, inner, context)?,
        Type::TypedByRef => typed_reference(),
        other => return Err(ResolveError::ElementType(other.element_type())),
    })
}

/// `System.TypedReference`, which the runtime's own code also takes for an address and a type handle.
fn typed_reference() -> Arc<TypeShape> {
    const NAME: &str = "System.TypedReference";
    let word = TypeShape::primitive(Primitive::ISize);
    let fields = vec![Field::new("_value", 0, Arc::clone(&word)), Field::new("_type", POINTER_SIZE, word)];
    Arc::new(TypeShape::value_type(NAME, NAME, 2 * POINTER_SIZE, fields))
}

/// What a pointer points to. A struct may contain a pointer to itself, so its shape is asked for later.
fn target<R: Runtime + ?Sized>(
    runtime: &R,
    to: TypeSig<'_>,
    context: &GenericContext,
) -> Result<Target, ResolveError> {
    Ok(match to.ty() {
        Type::Void => Target::Unknown,
        Type::ValueType(_) => Target::Deferred(Box::new(DeferredType::new(to, context))),
        Type::GenericInst(instance) if instance.is_value_type() => {
            Target::Deferred(Box::new(DeferredType::new(to, context)))
        }
        _ => Target::Shape(resolve(runtime, to, context)?),
    })
}

fn value_type<R: Runtime + ?Sized>(
    runtime: &R,
    token: TypeDefOrRef,
    args: Vec<Arc<TypeShape>>,
    context: &GenericContext,
) -> Result<Arc<TypeShape>, ResolveError> {
    let full_name = full_name(runtime, token, context)?;
    let arg_names: Vec<&str> = args.iter().map(|arg| arg.name()).collect();
    let name = names::type_name(&full_name, &arg_names);
    let query =
        ValueTypeQuery { module: context.module, token, full_name: &full_name, name: &name, args: &args };
    runtime.value_type(&query).map_err(|source| ResolveError::Runtime { name: name.as_str().into(), source })
}

/// The name of a type, as C# writes it, without asking for any layout.
fn name<R: Runtime + ?Sized>(
    runtime: &R,
    sig: TypeSig<'_>,
    context: &GenericContext,
) -> Result<String, ResolveError> {
    let ty = sig.ty();
    if let Some(primitive) = primitive(ty) {
        return Ok(primitive.name().to_owned());
    }
    Ok(match ty {
        Type::Void => "void".to_owned(),
        Type::String => "string".to_owned(),
        Type::Object => "object".to_owned(),
        Type::TypedByRef => "System.TypedReference".to_owned(),
        Type::Var(_) | Type::MVar(_) => argument(ty, context)?.name().to_owned(),
        Type::Class(token) | Type::ValueType(token) => {
            names::type_name(&full_name(runtime, token, context)?, &[])
        }
        Type::GenericInst(instance) => {
            let args: Result<Vec<_>, _> = instance.args().map(|arg| name(runtime, arg, context)).collect();
            let args = args?;
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            names::type_name(&full_name(runtime, definition(instance)?, context)?, &args)
        }
        Type::SzArray(element) => names::array(&name(runtime, element, context)?, 1, true),
        Type::Array(array) => {
            let rank = usize::try_from(array.rank()).unwrap_or(usize::MAX).min(crate::limits::MAX_RANK);
            names::array(&name(runtime, array.element(), context)?, rank, false)
        }
        Type::Ptr(to) => name(runtime, to, context)? + "*",
        Type::ByRef(to) => format!("ref {}", name(runtime, to, context)?),
        Type::Pinned(inner) => name(runtime, inner, context)?,
        Type::FnPtr(method) => function_pointer(runtime, &method, context)?,
        other => return Err(ResolveError::ElementType(other.element_type())),
    })
}

fn function_pointer<R: Runtime + ?Sized>(
    runtime: &R,
    method: &MethodSig<'_>,
    context: &GenericContext,
) -> Result<String, ResolveError> {
    let mut types = Vec::new();
    for param in method.params() {
        types.push(name(runtime, param?.sig(), context)?);
    }
    types.push(name(runtime, method.return_type(), context)?);
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    let managed = method.calling_convention() == sigparse::CallingConvention::DEFAULT;
    Ok(names::function_pointer(!managed, &types))
}

fn full_name<'r, R: Runtime + ?Sized>(
    runtime: &'r R,
    token: TypeDefOrRef,
    context: &GenericContext,
) -> Result<std::borrow::Cow<'r, str>, ResolveError> {
    runtime
        .full_name(context.module, token)
        .map_err(|source| ResolveError::Runtime { name: token.to_string().into(), source })
}

fn definition(instance: GenericInst<'_>) -> Result<TypeDefOrRef, ResolveError> {
    instance.type_def_or_ref().ok_or_else(|| ResolveError::ElementType(instance.definition().element_type()))
}

fn argument<'c>(ty: Type<'_>, context: &'c GenericContext) -> Result<&'c Arc<TypeShape>, ResolveError> {
    let (args, index, method) = match ty {
        Type::MVar(index) => (&context.method_args, index, true),
        Type::Var(index) => (&context.type_args, index, false),
        other => return Err(ResolveError::ElementType(other.element_type())),
    };
    usize::try_from(index)
        .ok()
        .and_then(|at| args.get(at))
        .ok_or(ResolveError::TypeArgument { index, method })
}

const fn primitive(ty: Type<'_>) -> Option<Primitive> {
    Some(match ty {
        Type::Boolean => Primitive::Bool,
        Type::Char => Primitive::Char,
        Type::I1 => Primitive::I8,
        Type::U1 => Primitive::U8,
        Type::I2 => Primitive::I16,
        Type::U2 => Primitive::U16,
        Type::I4 => Primitive::I32,
        Type::U4 => Primitive::U32,
        Type::I8 => Primitive::I64,
        Type::U8 => Primitive::U64,
        Type::R4 => Primitive::F32,
        Type::R8 => Primitive::F64,
        Type::I => Primitive::ISize,
        Type::U => Primitive::USize,
        _ => return None,
    })
}
