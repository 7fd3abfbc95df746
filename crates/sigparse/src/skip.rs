//! A fast path over types that are common and well formed.
//!
//! A part of the grammar stands here a second time because a skip needs no stack and reports no cause, which saves the views
//! a third of their instructions. Everything else (`ARRAY`, `FNPTR`, `INTERNAL`, deep or malformed types) gives `None`, and
//! the caller walks `grammar`. Its documentation has the figures, and the tests that hold the two against each other.

use crate::bytes::{self, Bytes, Failed};
use crate::element::ElementType;
use crate::limits::MAX_DEPTH;
use crate::macros::leaves;

/// Skips types with the modifiers before them, and returns the bytes after them.
///
/// Returns `None` if one of them is not common or not well formed.
#[inline(always)]
pub(crate) fn skip_types(bytes: Bytes<'_>, count: u32) -> Option<Bytes<'_>> {
    let mut rest = bytes.clone();
    match rest.next() {
        Some(&element) if count == 1 && ElementType(element).is_leaf() => Some(rest),
        _ => skip_long_types(bytes, count),
    }
}

#[inline(never)]
fn skip_long_types(mut bytes: Bytes<'_>, mut count: u32) -> Option<Bytes<'_>> {
    // Every level has a byte of its own, so that so few cannot nest too deep.
    if bytes.len() > MAX_DEPTH as usize {
        return None;
    }
    while count > 0 {
        let element = ElementType(*bytes.next()?);
        match element {
            leaves!() => count -= 1,
            ElementType::CLASS | ElementType::VALUETYPE => {
                bytes::coded_type(&mut bytes)?;
                count -= 1;
            }
            ElementType::VAR | ElementType::MVAR => {
                bytes::unsigned::<Failed>(&mut bytes).ok()?;
                count -= 1;
            }
            ElementType::PTR | ElementType::BYREF | ElementType::SZARRAY | ElementType::PINNED => {}
            ElementType::CMOD_REQD | ElementType::CMOD_OPT => {
                bytes::coded_type(&mut bytes)?;
            }
            ElementType::GENERICINST => {
                let (ElementType::CLASS | ElementType::VALUETYPE) = ElementType(*bytes.next()?) else {
                    return None;
                };
                bytes::coded_type(&mut bytes)?;
                let args = bytes::unsigned::<Failed>(&mut bytes).ok()?;
                if args == 0 || args as usize > bytes.len() {
                    return None;
                }
                // Neither is above the number of bytes.
                count += args - 1;
            }
            _ => return None,
        }
    }
    Some(bytes)
}
