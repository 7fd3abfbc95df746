//! Local variables of an editable body.

use alloc::vec::Vec;

use sigparse::token::StandAloneSig;
use sigparse::{Compressed, LocalVarSig, LocalVarSigBuf, TypeSig};

use super::Body;
use crate::error::{Error, ErrorKind, Location};
use crate::limits;
use crate::module::Module;

/// The local variables of a body to which some were added.
#[derive(Clone, Debug)]
pub(super) struct LocalVars {
    count: u32,
    /// The types, one after the other.
    types: Vec<u8>,
}

impl Body {
    /// Adds a local variable and returns its number.
    ///
    /// The signature of all variables is then [`local_signature`](Self::local_signature). Before encoding, a token has to be
    /// defined for it in the module and passed to [`set_local_var_sig`](Self::set_local_var_sig).
    ///
    /// # Errors
    /// [`ErrorKind::UnknownSignature`] if the module has no signature for the body's variables, and
    /// [`ErrorKind::TooManyVariables`].
    pub fn add_local<M: Module + ?Sized>(&mut self, ty: TypeSig<'_>, module: &M) -> Result<u16, Error> {
        let fail = |kind| Error { location: Location::Body(0), kind };
        let mut locals = match self.locals.take() {
            Some(locals) => locals,
            None => LocalVars::read(self.local_var_sig, module).map_err(fail)?,
        };
        let number =
            u16::try_from(locals.count).ok().filter(|number| u32::from(*number) < limits::MAX_VARIABLES);
        if number.is_some() {
            locals.types.extend_from_slice(ty.bytes());
            locals.count += 1;
        }
        self.locals = Some(locals);
        number.ok_or(fail(ErrorKind::TooManyVariables))
    }

    /// The signature of the local variables, if any were added.
    #[must_use]
    pub fn local_signature(&self) -> Option<LocalVarSigBuf> {
        let locals = self.locals.as_ref()?;
        let mut blob = Vec::with_capacity(5 + locals.types.len());
        blob.push(0x07);
        blob.extend_from_slice(&Compressed::unsigned(locals.count)?);
        blob.extend_from_slice(&locals.types);
        LocalVarSigBuf::from_bytes(blob).ok()
    }

    /// The token of the local variables' signature.
    #[must_use]
    pub const fn local_var_sig(&self) -> Option<StandAloneSig> {
        self.local_var_sig
    }

    /// Sets the token of the local variables' signature, which is that of [`local_signature`](Self::local_signature).
    ///
    /// Variables begin as zero if the body had none before.
    pub fn set_local_var_sig(&mut self, token: StandAloneSig) {
        self.init_locals |= self.local_var_sig.is_none();
        self.local_var_sig = Some(token);
        self.locals = None;
    }
}

impl LocalVars {
    fn read<M: Module + ?Sized>(token: Option<StandAloneSig>, module: &M) -> Result<Self, ErrorKind> {
        let Some(token) = token else { return Ok(Self { count: 0, types: Vec::new() }) };
        let unknown = ErrorKind::UnknownSignature(token.token());
        let blob = module.stand_alone_sig(token.into()).ok_or(unknown)?;
        let sig = LocalVarSig::parse(blob).map_err(|_| unknown)?;
        let mut types = Vec::with_capacity(blob.len() + 8);
        for local in sig.locals() {
            types.extend_from_slice(local.map_err(|_| unknown)?.sig().bytes());
        }
        Ok(Self { count: sig.local_count(), types })
    }
}
