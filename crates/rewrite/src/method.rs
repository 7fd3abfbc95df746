//! A method body that is being edited.
#![forbid(unsafe_code)]

use cilbody::MethodBody;
use cilbody::edit::{Body, EncodedBody, ReturnType};
use corprof::token::MethodDef;
use sigparse::{MethodSig, TypeSig};

use crate::module::LiveModule;
use crate::{Result, RewriteError};

/// A method with its body, imported from the runtime.
pub struct Method<'m> {
    module: &'m LiveModule,
    token: MethodDef,
    sig: MethodSig<'m>,
    body: Body,
}

impl<'m> Method<'m> {
    /// Imports a body.
    pub(crate) fn import(module: &'m LiveModule, token: MethodDef, bytes: &[u8]) -> Result<Self> {
        let sig = module.metadata().method(token)?.signature;
        let sig = MethodSig::parse(sig).map_err(RewriteError::Signature)?;
        let body = Body::import(&MethodBody::parse(bytes)?)?;
        Ok(Self { module, token, sig, body })
    }

    /// The module that the method belongs to: tokens in the body are its.
    #[must_use]
    pub const fn module(&self) -> &'m LiveModule {
        self.module
    }

    /// The method's token.
    #[must_use]
    pub const fn token(&self) -> MethodDef {
        self.token
    }

    /// The method's signature.
    #[must_use]
    pub const fn signature(&self) -> MethodSig<'m> {
        self.sig
    }

    /// Returns the kind of the method's return type.
    #[must_use]
    pub fn returns(&self) -> ReturnType<'m> {
        ReturnType::of(&self.sig)
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &Body {
        &self.body
    }

    /// The body, to be edited.
    pub const fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// Adds a local variable and returns its number.
    ///
    /// # Errors
    /// The module has no signature for the body's variables, or there are too many.
    pub fn add_local(&mut self, ty: TypeSig<'_>) -> Result<u16> {
        Ok(self.body.add_local(ty, self.module)?)
    }

    /// Encodes the body and verifies it. A signature of added variables is defined in the module.
    pub(crate) fn encode(&mut self) -> Result<EncodedBody> {
        if let Some(locals) = self.body.local_signature() {
            let token = self.module.local_var_sig(locals.as_bytes())?;
            self.body.set_local_var_sig(token);
        }
        let encoded = self.body.encode(self.module)?;
        let body = MethodBody::parse(&encoded.bytes)?;
        cilbody::verify(&body, self.sig, self.module).map_err(RewriteError::Verification)?;
        for instruction in body.instructions() {
            if let cilbody::Operand::Token(token) = instruction?.operand()
                && !self.module.has_row(token)
            {
                return Err(RewriteError::NoSuchRow(token.0));
            }
        }
        Ok(encoded)
    }
}

impl core::fmt::Debug for Method<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Method").field("token", &self.token).field("body", &self.body).finish_non_exhaustive()
    }
}
