//! Checks of signatures that are passed to the runtime: well formed, and without addresses of the running process.
//!
//! The runtime reads them without a look at their length, and follows the addresses.
#![forbid(unsafe_code)]

use core::fmt::Display;

use sigparse::{Modifier, TypeDefOrRef, Visitor};

use crate::error::{Error, Result};

/// The types that a signature names.
#[derive(Default)]
pub(super) struct Named {
    pub(super) types: Vec<TypeDefOrRef>,
    /// `true` if the signature has the address of a type (`ELEMENT_TYPE_INTERNAL`), which the runtime would follow.
    has_address: bool,
}

impl Visitor<'_> for Named {
    fn class(&mut self, ty: TypeDefOrRef) {
        self.types.push(ty);
    }

    fn value_type(&mut self, ty: TypeDefOrRef) {
        self.types.push(ty);
    }

    fn modifier(&mut self, modifier: Modifier) {
        self.has_address |= modifier.ty().is_none();
        self.types.extend(modifier.ty());
    }

    fn internal(&mut self, _: usize) {
        self.has_address = true;
    }
}

/// A function of `sigparse::walk`.
type Walk<'a> = fn(&'a [u8], &mut Named) -> core::result::Result<usize, sigparse::Error>;

/// Returns the types that a signature names; fails unless it can be read to its end.
pub(super) fn well_formed<'a>(of: impl Display, signature: &'a [u8], walk: Walk<'a>) -> Result<Named> {
    let mut named = Named::default();
    match walk(signature, &mut named) {
        Err(error) => Err(Error::Signature { of: of.to_string(), error }),
        Ok(length) if length != signature.len() => {
            let more = signature.len() - length;
            Err(Error::other(format!("the signature of {of} is followed by {more} bytes")))
        }
        Ok(_) if named.has_address => {
            Err(Error::other(format!("the signature of {of} has an address of the running process in it")))
        }
        Ok(_) => Ok(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sigparse::walk;

    #[test]
    fn malformed_signatures_are_refused() {
        // void M(string), then cut off, then with a byte too many.
        assert!(well_formed("M", &[0x00, 0x01, 0x01, 0x0E], walk::method).is_ok());
        assert!(matches!(well_formed("M", &[0x00, 0x01, 0x01], walk::method), Err(Error::Signature { .. })));
        assert!(matches!(well_formed("M", &[0x00, 0x00, 0x01, 0x01], walk::method), Err(Error::Other(_))));
        assert!(well_formed("M", &[], walk::method).is_err());
    }

    #[test]
    fn signatures_with_addresses_are_refused() {
        let mut signature = vec![0x06, 0x21];
        signature.extend_from_slice(&[0xAB; size_of::<usize>()]);
        assert!(matches!(well_formed("F", &signature, walk::field), Err(Error::Other(_))));
    }
}
