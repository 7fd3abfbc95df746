//! The custom modifiers in front of a type (II.23.2.7).

use core::iter::FusedIterator;

use crate::bytes;
use crate::element::ElementType;
use crate::modifier::Modifier;
use crate::reader::Reader;

/// The custom modifiers in front of a type, in the order of the blob.
#[derive(Clone, Copy, Debug)]
pub struct Modifiers<'a>(pub(crate) Reader<'a>);

impl Iterator for Modifiers<'_> {
    type Item = Modifier;

    #[inline]
    fn next(&mut self) -> Option<Modifier> {
        let element = ElementType(self.0.peek_u8()?);
        if !element.is_modifier() {
            return None;
        }
        self.0.advance();
        // The bytes were walked when the type was read, so this does not fail.
        self.0.take(|bytes| bytes::modifier(element, bytes)).ok()
    }
}

impl FusedIterator for Modifiers<'_> {}
