//! Methods that return tasks.

use sigparse::{MethodSig, Type, TypeDefOrRef};

use super::Metadata;

/// The types that an `async` method with an awaitable result returns.
const TASKS: [&str; 4] = [
    "System.Threading.Tasks.Task",
    "System.Threading.Tasks.Task`1",
    "System.Threading.Tasks.ValueTask",
    "System.Threading.Tasks.ValueTask`1",
];

/// Returns whether a method with this signature returns a `Task`, `Task<T>`, `ValueTask` or `ValueTask<T>`.
///
/// `true` if the signature is malformed, so that the type is unknown.
///
/// # Errors
/// The metadata has no row for the type.
pub fn returns_task<M: Metadata>(metadata: &M, signature: &[u8]) -> Result<bool, M::Error> {
    let Ok(signature) = MethodSig::parse(signature) else { return Ok(true) };
    let ty = signature.return_type().ty();
    let definition = if let Type::GenericInst(instance) = &ty { instance.definition() } else { ty };
    let (Type::Class(token) | Type::ValueType(token)) = definition else { return Ok(false) };
    let name = match token {
        TypeDefOrRef::TypeDef(token) => metadata.type_def(token)?.name,
        TypeDefOrRef::TypeRef(token) => metadata.type_ref(token)?.name,
        TypeDefOrRef::TypeSpec(_) => return Ok(true),
    };
    Ok(TASKS.contains(&&*name))
}
