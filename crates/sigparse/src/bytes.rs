//! Reads from the front of the remaining bytes.
//!
//! The bytes are passed and returned by value, so that a walk runs in registers. There is no position here: an error has the
//! number of remaining bytes, and [`Reader`](crate::Reader) converts it to an offset.

use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::header::{SigHeader, SigKind};
use crate::limits;
use crate::modifier::Modifier;
use crate::token::TypeDefOrRef;

/// The bytes that are left.
///
/// In contrast to a slice, only one end of it moves.
pub(crate) type Bytes<'a> = core::slice::Iter<'a, u8>;

/// The error of a read.
pub(crate) trait Cause: Sized {
    /// Something is wrong, with so many bytes left.
    fn at(left: usize, kind: ErrorKind) -> Self;

    /// More bytes are needed.
    #[inline(always)]
    fn end() -> Self {
        Self::at(0, ErrorKind::UnexpectedEnd)
    }
}

/// The failure of a walk without its cause: it has no size, where an error does not fit a register.
pub(crate) struct Failed;

impl Cause for Failed {
    #[inline(always)]
    fn at(_left: usize, _kind: ErrorKind) -> Self {
        Self
    }
}

/// An error, and how many bytes were left there.
pub(crate) struct FromEnd {
    pub(crate) left: usize,
    pub(crate) kind: ErrorKind,
}

impl Cause for FromEnd {
    #[cold]
    #[inline(never)]
    fn at(left: usize, kind: ErrorKind) -> Self {
        Self { left, kind }
    }
}

/// One byte.
#[inline(always)]
pub(crate) fn first<E: Cause>(bytes: &mut Bytes<'_>) -> Result<u8, E> {
    bytes.next().copied().ok_or_else(E::end)
}

/// A compressed unsigned integer (II.23.2).
///
/// There is no call in it when the cause is [`Failed`], so that a walk has nothing to save across one.
#[inline(always)]
pub(crate) fn unsigned<E: Cause>(bytes: &mut Bytes<'_>) -> Result<u32, E> {
    let at = bytes.len();
    let byte = first(bytes)?;
    if byte < 0x80 {
        return Ok(u32::from(byte));
    }
    if byte < 0xC0 {
        return Ok(u32::from(byte & 0x3F) << 8 | u32::from(first(bytes)?));
    }
    if byte >= 0xE0 {
        return Err(E::at(at, ErrorKind::InvalidCompressedInteger(byte)));
    }
    Ok(u32::from_be_bytes([byte & 0x1F, first(bytes)?, first(bytes)?, first(bytes)?]))
}

/// A compressed signed integer (II.23.2).
pub(crate) fn signed<E: Cause>(bytes: &mut Bytes<'_>) -> Result<i32, E> {
    let before = bytes.len();
    let value = unsigned(bytes)?;
    let bits = match before - bytes.len() {
        1 => 6,
        2 => 13,
        _ => 28,
    };
    let magnitude = (value >> 1).cast_signed();
    Ok(if value & 1 == 0 { magnitude } else { magnitude - (1 << bits) })
}

/// A TypeDefOrRefOrSpecEncoded (II.23.2.8).
#[inline(always)]
pub(crate) fn type_def_or_ref<E: Cause>(bytes: &mut Bytes<'_>) -> Result<TypeDefOrRef, E> {
    let at = bytes.len();
    let value = unsigned(bytes)?;
    TypeDefOrRef::from_coded(value).ok_or_else(|| E::at(at, ErrorKind::InvalidTypeDefOrRef(value)))
}

/// The number of a TypeDefOrRefOrSpecEncoded, if it is one.
#[inline(always)]
pub(crate) fn coded_type(bytes: &mut Bytes<'_>) -> Option<u32> {
    let value = unsigned::<Failed>(bytes).ok()?;
    let row = value >> TypeDefOrRef::TAG_BITS;
    (value & 3 != 3 && row != 0 && row <= limits::MAX_RID).then_some(value)
}

/// A count of items that take at least one byte each.
#[inline(always)]
pub(crate) fn count<E: Cause>(bytes: &mut Bytes<'_>) -> Result<u32, E> {
    let at = bytes.len();
    let count = unsigned(bytes)?;
    let remaining = bytes.len();
    if count as usize > remaining {
        return Err(E::at(at, ErrorKind::CountExceedsData { count, remaining }));
    }
    Ok(count)
}

/// A pointer of the running process, in its own byte order.
pub(crate) fn pointer<E: Cause>(bytes: &mut Bytes<'_>) -> Result<usize, E> {
    let (pointer, rest) = bytes.as_slice().split_first_chunk().ok_or_else(E::end)?;
    *bytes = rest.iter();
    Ok(usize::from_ne_bytes(*pointer))
}

/// A GenArgCount (II.23.2.12, II.23.2.15).
#[inline(always)]
pub(crate) fn generic_arg_count<E: Cause>(bytes: &mut Bytes<'_>) -> Result<u32, E> {
    let at = bytes.len();
    match count(bytes)? {
        count @ 1..=limits::MAX_GENERIC_PARAMS => Ok(count),
        count => Err(E::at(at, ErrorKind::InvalidGenericCount(count))),
    }
}

/// Reads a custom modifier after its element type (II.23.2.7).
#[inline(always)]
pub(crate) fn modifier<E: Cause>(element: ElementType, bytes: &mut Bytes<'_>) -> Result<Modifier, E> {
    Ok(match element {
        ElementType::CMOD_REQD => Modifier::Required(type_def_or_ref(bytes)?),
        ElementType::CMOD_OPT => Modifier::Optional(type_def_or_ref(bytes)?),
        _ => Modifier::Internal { required: first(bytes)? != 0, handle: pointer(bytes)? },
    })
}

/// A header of this kind.
#[inline(always)]
pub(crate) fn header<E: Cause>(bytes: &mut Bytes<'_>, expected: SigKind) -> Result<SigHeader, E> {
    let at = bytes.len();
    let found = SigHeader(first(bytes)?);
    if SigKind::of(found) != Some(expected) {
        return Err(E::at(at, ErrorKind::WrongKind { expected, found }));
    }
    Ok(found)
}

/// The head of a method signature: everything before the return type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MethodHead {
    pub(crate) header: SigHeader,
    pub(crate) generic_params: u32,
    pub(crate) params: u32,
}

/// Header, generic parameter count and parameter count (II.23.2.1 to 3).
#[inline(always)]
pub(crate) fn method_head<E: Cause>(bytes: &mut Bytes<'_>) -> Result<MethodHead, E> {
    let at = bytes.len();
    let header = SigHeader(first(bytes)?);
    if !header.calling_convention().is_method() {
        return Err(E::at(at, ErrorKind::WrongKind { expected: SigKind::Method, found: header }));
    }
    let mut generic_params = 0;
    if header.is_generic() {
        let at = bytes.len();
        generic_params = unsigned(bytes)?;
        if generic_params == 0 || generic_params > limits::MAX_GENERIC_PARAMS {
            return Err(E::at(at, ErrorKind::InvalidGenericCount(generic_params)));
        }
    }
    Ok(MethodHead { header, generic_params, params: count(bytes)? })
}
