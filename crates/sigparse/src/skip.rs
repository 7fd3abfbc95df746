//! The grammar of types once more, for those who only want to get past them.
//!
//! It knows what nearly all types are made of, keeps no stack, and gives up on all else: the views are made of it, and
//! fall back on the whole grammar. The tests hold the two against each other.

use crate::{
    ElementType,
    bytes::{self, Bytes, Failed},
    limits::MAX_DEPTH,
    macros::leaves,
};

/// Goes over so many types with the modifiers before them, and gives the bytes after them.
///
/// `None` means that something in them is rare, or wrong.
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
