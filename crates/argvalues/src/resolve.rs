//! The shapes of types in signatures.

use std::sync::Arc;

use clrnames::TypeName;
use clrnames::csharp::{self, SignatureScope, TypeDefinition};
use sigparse::{ElementType, GenericInst, Type, TypeDefOrRef, TypeSig};

use crate::{
    error::ResolveError,
    memory::POINTER_SIZE,
    runtime::{Runtime, ValueTypeQuery},
    shape::{DeferredType, Field, Primitive, SigTypeContext, Target, TypeShape},
};

/// Returns the shape of slots of a type in a signature: of a parameter, or of a field.
///
/// The shape of a reference is made from its name, and nothing is loaded for it. Value types in place and their type
/// arguments are queried from the runtime.
///
/// # Errors
/// [`ResolveError::Runtime`]: a value type has no shape, or a name is not found. [`ResolveError::TypeArgument`]: a type
/// parameter has no argument. [`ResolveError::ElementType`]: the type has no values.
pub fn resolve<R: Runtime + ?Sized>(
    runtime: &R,
    sig: TypeSig<'_>,
    context: &SigTypeContext,
) -> Result<Arc<TypeShape>, ResolveError> {
    let ty = sig.ty();
    if let Some(primitive) = Primitive::from_element_type(ty.element_type()) {
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
            Arc::new(TypeShape::reference(name(runtime, sig, context)?.into_text()))
        }
        Type::Ptr(to) => {
            let target = target(runtime, to, context)?;
            Arc::new(TypeShape::pointer(name(runtime, to, context)?.as_str(), target))
        }
        Type::ByRef(to) => {
            let target = target(runtime, to, context)?;
            Arc::new(TypeShape::by_ref(name(runtime, to, context)?.as_str(), target))
        }
        Type::FnPtr(_) => Arc::new(TypeShape::function_pointer(name(runtime, sig, context)?.into_text())),
        Type::Pinned(inner) => resolve(runtime, inner, context)?,
        Type::TypedByRef => typed_reference(),
        other => return Err(ResolveError::ElementType(other.element_type())),
    })
}

/// Returns the shape of `System.TypedReference`: an address and a type handle.
fn typed_reference() -> Arc<TypeShape> {
    const NAME: &str = "System.TypedReference";
    let word = TypeShape::primitive(Primitive::ISize);
    let fields = vec![Field::new("_value", 0, Arc::clone(&word)), Field::new("_type", POINTER_SIZE, word)];
    Arc::new(TypeShape::value_type(NAME, NAME, 2 * POINTER_SIZE, fields))
}

/// Returns the target of a pointer. A struct may contain a pointer to itself, so its shape is deferred.
fn target<R: Runtime + ?Sized>(
    runtime: &R,
    to: TypeSig<'_>,
    context: &SigTypeContext,
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
    context: &SigTypeContext,
) -> Result<Arc<TypeShape>, ResolveError> {
    if args.is_empty()
        && let Some(known) = runtime.known_value_type(context.module, token)
    {
        return Ok(known);
    }
    let full_name = full_name(runtime, token, context)?;
    let arg_names: Vec<&str> = args.iter().map(|arg| arg.name()).collect();
    let name = TypeName::from_metadata(&full_name, &arg_names);
    let query = ValueTypeQuery {
        module: context.module,
        token,
        full_name: &full_name,
        name: name.as_str(),
        args: &args,
    };
    runtime.value_type(&query).map_err(|source| ResolveError::Runtime { name: name.as_str().into(), source })
}

/// Returns the name of a type as C# writes it. No layout is queried for it.
fn name<R: Runtime + ?Sized>(
    runtime: &R,
    sig: TypeSig<'_>,
    context: &SigTypeContext,
) -> Result<TypeName, ResolveError> {
    csharp::type_name(&Names { runtime, context }, sig)
}

/// The names in a signature: those of tokens from the runtime, those of type parameters from their arguments.
struct Names<'n, R: ?Sized> {
    runtime: &'n R,
    context: &'n SigTypeContext,
}

impl<R: Runtime + ?Sized> SignatureScope for Names<'_, R> {
    type Error = ResolveError;

    fn definition(&self, token: TypeDefOrRef) -> Result<Arc<TypeDefinition>, ResolveError> {
        let full_name = full_name(self.runtime, token, self.context)?;
        Ok(Arc::new(TypeDefinition::parse(&full_name)))
    }

    fn type_argument(&self, index: u32) -> Result<TypeName, ResolveError> {
        argument(Type::Var(index), self.context).map(|shape| TypeName::new(shape.name()))
    }

    fn method_argument(&self, index: u32) -> Result<TypeName, ResolveError> {
        argument(Type::MVar(index), self.context).map(|shape| TypeName::new(shape.name()))
    }

    fn internal(&self, _: usize) -> Result<TypeName, ResolveError> {
        Err(ResolveError::ElementType(ElementType::INTERNAL))
    }
}

impl DeferredType {
    /// Resolves the deferred shape.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn resolve<R: Runtime + ?Sized>(&self, runtime: &R) -> Result<Arc<TypeShape>, ResolveError> {
        resolve(runtime, TypeSig::parse(&self.signature)?, &self.context)
    }
}

fn full_name<'r, R: Runtime + ?Sized>(
    runtime: &'r R,
    token: TypeDefOrRef,
    context: &SigTypeContext,
) -> Result<std::borrow::Cow<'r, str>, ResolveError> {
    runtime
        .full_name(context.module, token)
        .map_err(|source| ResolveError::Runtime { name: token.to_string().into(), source })
}

fn definition(instance: GenericInst<'_>) -> Result<TypeDefOrRef, ResolveError> {
    instance.type_def_or_ref().ok_or_else(|| ResolveError::ElementType(instance.definition().element_type()))
}

fn argument<'c>(ty: Type<'_>, context: &'c SigTypeContext) -> Result<&'c Arc<TypeShape>, ResolveError> {
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
