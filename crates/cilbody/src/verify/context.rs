//! A method's arguments, local variables and return value as items of the stack.

use alloc::vec::Vec;

use sigparse::{LocalVarSig, MethodSig};

use super::item::Item;
use crate::body::MethodBody;
use crate::error::{Error, ErrorKind, Location};
use crate::kind::Kind;
use crate::module::Module;
use crate::returns::ReturnType;

/// The method of a body, and its module.
pub(super) struct Context<'m, M: ?Sized> {
    pub(super) module: &'m M,
    /// The arguments, `this` first.
    pub(super) arguments: Vec<Item<'m>>,
    pub(super) locals: Vec<Item<'m>>,
    /// What `ret` takes; `None` for nothing.
    pub(super) returns: Option<Item<'m>>,
    pub(super) max_stack: u16,
}

impl<'m, M: Module + ?Sized> Context<'m, M> {
    pub(super) fn new(
        body: &MethodBody<'_>,
        method: MethodSig<'m>,
        returns: ReturnType<'m>,
        module: &'m M,
    ) -> Result<Self, Error> {
        let fail = |kind| Error { location: Location::Body(0), kind };
        let malformed = || fail(ErrorKind::MalformedSignature);
        let mut arguments = Vec::new();
        if method.has_this() && !method.explicit_this() {
            // A reference to the value in a structure's methods, and to the object in a class's.
            arguments.push(Kind::Unknown.into());
        }
        for param in method.params() {
            arguments.push(Item::of(param.map_err(|_| malformed())?.sig(), module));
        }
        let mut locals = Vec::new();
        if let Some(token) = body.local_var_sig() {
            let unknown = || fail(ErrorKind::UnknownSignature(token.token()));
            let blob = module.stand_alone_sig(token.into()).ok_or_else(unknown)?;
            let sig = LocalVarSig::parse(blob).map_err(|_| unknown())?;
            for local in sig.locals() {
                locals.push(Item::of(local.map_err(|_| unknown())?.sig(), module));
            }
        }
        let returns = returns.ty().map(|ty| Item::of(ty, module));
        Ok(Self { module, arguments, locals, returns, max_stack: body.max_stack() })
    }

    /// The error for a stack that is deeper than the body declares.
    #[cold]
    pub(super) fn too_deep(&self, offset: u32) -> Error {
        Error::il(offset, ErrorKind::MaxStack(self.max_stack))
    }
}
