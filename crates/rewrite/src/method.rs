//! A method body that is being edited.
#![forbid(unsafe_code)]

use cilbody::edit::{Body, EncodedBody};
use cilbody::{MethodBody, ReturnType};
use corprof::clrnames::metadata::returns_task;
use corprof::token::MethodDef;
use sigparse::{MethodSig, TypeSig};

use crate::module::LiveModule;
use crate::{Result, RewriteError};

/// `MethodImplAttributes.Async`: the runtime suspends and resumes the method itself (since .NET 11).
const ASYNC: u32 = 0x2000;

/// A method with its body, imported from the runtime.
pub struct Method<'m> {
    module: &'m LiveModule,
    token: MethodDef,
    sig: MethodSig<'m>,
    returns: ReturnType<'m>,
    is_runtime_async: bool,
    body: Body,
}

impl<'m> Method<'m> {
    /// Imports a body.
    pub(crate) fn import(module: &'m LiveModule, token: MethodDef, bytes: &[u8]) -> Result<Self> {
        let metadata = module.metadata();
        let blob = metadata.method(token)?.signature;
        let sig = MethodSig::parse(blob).map_err(RewriteError::Signature)?;
        // A few methods of the core library have the flag and return no task.
        let is_runtime_async = metadata.rva(token)?.1 & ASYNC != 0 && returns_task(metadata, blob)?;
        let returns = if is_runtime_async { ReturnType::of_async(&sig) } else { ReturnType::of(&sig) };
        let body = Body::import(&MethodBody::parse(bytes)?)?;
        Ok(Self { module, token, sig, returns, is_runtime_async, body })
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

    /// The type of the value that the method's `ret` takes.
    ///
    /// It is the signature's, except in a method that the runtime itself suspends and resumes (`MethodImplAttributes.Async`): its
    /// body returns the result of the task that the signature has.
    #[must_use]
    pub const fn returns(&self) -> ReturnType<'m> {
        self.returns
    }

    /// Returns whether the runtime itself suspends and resumes the method (`MethodImplAttributes.Async`), on any thread.
    #[must_use]
    pub const fn is_runtime_async(&self) -> bool {
        self.is_runtime_async
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
        cilbody::verify(&body, self.sig, self.returns, self.module).map_err(RewriteError::Verification)?;
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
