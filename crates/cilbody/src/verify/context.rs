//! The kinds of a method's arguments, local variables and return value.

use alloc::vec::Vec;

use sigparse::{LocalVarSig, MethodSig};

use crate::body::MethodBody;
use crate::error::{Error, ErrorKind, Location};
use crate::kind::Kind;
use crate::module::Module;

/// The method of a body, and its module.
pub(super) struct Context<'m, M: ?Sized> {
    pub(super) module: &'m M,
    /// The kinds of the arguments, `this` first.
    pub(super) arguments: Vec<Kind>,
    pub(super) locals: Vec<Kind>,
    /// The kind of the return value; `None` for `void`.
    pub(super) returns: Option<Kind>,
    pub(super) max_stack: u16,
}

impl<'m, M: Module + ?Sized> Context<'m, M> {
    pub(super) fn new(body: &MethodBody<'_>, method: MethodSig<'_>, module: &'m M) -> Result<Self, Error> {
        let fail = |kind| Error { location: Location::Body(0), kind };
        let malformed = || fail(ErrorKind::MalformedSignature);
        let mut arguments = Vec::new();
        if method.has_this() && !method.explicit_this() {
            // A reference to the value in a structure's methods, and to the object in a class's.
            arguments.push(Kind::Unknown);
        }
        for param in method.params() {
            arguments.push(Kind::of(param.map_err(|_| malformed())?.sig(), module));
        }
        let mut locals = Vec::new();
        if let Some(token) = body.local_var_sig() {
            let unknown = || fail(ErrorKind::UnknownSignature(token.token()));
            let blob = module.stand_alone_sig(token.into()).ok_or_else(unknown)?;
            let sig = LocalVarSig::parse(blob).map_err(|_| unknown())?;
            for local in sig.locals() {
                locals.push(Kind::of(local.map_err(|_| unknown())?.sig(), module));
            }
        }
        let returns = method.return_type();
        let returns = (!returns.is_void()).then(|| Kind::of(returns, module));
        Ok(Self { module, arguments, locals, returns, max_stack: body.max_stack() })
    }

    /// The error for a stack that is deeper than the body declares.
    #[cold]
    pub(super) fn too_deep(&self, offset: u32) -> Error {
        Error::il(offset, ErrorKind::MaxStack(self.max_stack))
    }
}
