//! Types of signatures, with their context.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof_types::ModuleId;
use sigparse::TypeSig;

use super::TypeShape;

/// The meaning of a signature's type tokens and generic parameters: its module, and the type arguments.
///
/// The arguments are shapes of slots, as the runtime reports them for this call or class. A parameter whose argument is
/// missing is decoded as an error.
#[derive(Clone, Debug, Default)]
pub struct SigTypeContext {
    /// The module whose metadata holds the signature; `None` for a signature without tokens.
    pub module: Option<ModuleId>,
    /// The arguments of the type.
    pub type_args: Arc<[Arc<TypeShape>]>,
    /// The arguments of the method.
    pub method_args: Arc<[Arc<TypeShape>]>,
}

impl SigTypeContext {
    /// The context of a signature in this module that has no generic parameters.
    #[must_use]
    pub fn new(module: ModuleId) -> Self {
        Self { module: Some(module), ..Self::default() }
    }
}

/// A type in a signature that is resolved later: its bytes and their context.
#[derive(Clone, Debug)]
pub struct DeferredType {
    /// Tells this type from all others of the process; clones have the same.
    pub(crate) number: u64,
    pub(crate) signature: Box<[u8]>,
    pub(crate) context: SigTypeContext,
}

impl DeferredType {
    /// Copies a type for a later [`resolve`](Self::resolve).
    #[must_use]
    pub fn new(ty: TypeSig<'_>, context: &SigTypeContext) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { number, signature: ty.bytes().into(), context: context.clone() }
    }
}
