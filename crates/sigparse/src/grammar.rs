//! The grammar of types and methods (II.23.2.12, II.23.2.1 to 3), stated once.
//!
//! Everything that checks a type, finds its end or reports an error walks it here. Two other places know a part of it, for
//! speed:
//!
//! - `skip` passes over types that are common and well formed, and leaves all others to this grammar. With it the views take
//!   328 instructions for a method signature of CoreLib, without it 490; `validate` takes 249 and 335 (callgrind).
//! - `ty::open` opens one level of bytes that a walk or a skip has accepted, and cannot fail.
//!
//! The tests `random_bytes` and `mutated_vectors`, the fuzz target `decode` and the e2e test `signatures` hold both against
//! this grammar: the views, which use them, and a walk find the same structure or the same error in the same bytes.
//!
//! A malformed signature is walked twice: the first walk only detects the failure, the second finds cause and offset.

use crate::array_shape::ArrayShape;
use crate::bytes::{self, Bytes, Cause, Failed, FromEnd, MethodHead};
use crate::element::ElementType;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::macros::leaves;
use crate::reader::Reader;
use crate::skip::skip_types;
use crate::visitor::Visitor;

/// A visitor without effect: a walk with it checks a type and finds its end.
struct Skip;

impl Visitor<'_> for Skip {}

/// The bytes after what has been walked.
type Rest<'a, E> = Result<Bytes<'a>, E>;

/// Walks one type, with the modifiers before it.
#[inline(always)]
pub(crate) fn walk_type<'a, V: Visitor<'a>>(reader: &mut Reader<'a>, visitor: &mut V) -> Result<(), Error> {
    match type_grammar(reader.bytes(), MAX_DEPTH, visitor) {
        Ok(rest) => {
            reader.split_before(rest.as_slice());
            Ok(())
        }
        Err(Failed) => Err(why(*reader, |bytes| type_grammar(bytes, MAX_DEPTH, &mut Skip))),
    }
}

/// Walks a whole method signature.
#[inline(always)]
pub(crate) fn walk_method<'a, V: Visitor<'a>>(reader: &mut Reader<'a>, visitor: &mut V) -> Result<(), Error> {
    match method_grammar(reader.bytes(), MAX_DEPTH, visitor) {
        Ok(rest) => {
            reader.split_before(rest.as_slice());
            Ok(())
        }
        Err(Failed) => Err(why(*reader, |bytes| method_grammar(bytes, MAX_DEPTH, &mut Skip))),
    }
}

/// Skips one type with the modifiers before it, and returns a reader of its bytes.
#[inline(always)]
pub(crate) fn skip_type<'a>(reader: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
    match skip_types(reader.bytes(), 1) {
        Some(rest) => Ok(reader.split_before(rest.as_slice())),
        None => skip_rare_types(reader, 1, false),
    }
}

/// Skips the parameters of a method, with a SENTINEL among them if the method allows one.
#[inline(always)]
pub(crate) fn skip_params<'a>(
    reader: &mut Reader<'a>,
    count: u32,
    sentinel: bool,
) -> Result<Reader<'a>, Error> {
    match skip_types(reader.bytes(), count) {
        // A SENTINEL begins no type.
        Some(rest) => Ok(reader.split_before(rest.as_slice())),
        None => skip_rare_types(reader, count, sentinel),
    }
}

/// Skips a whole method signature.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn skip_method(reader: &mut Reader<'_>) -> Result<(), Error> {
    let begin = *reader;
    let head = read_method_head(reader)?;
    // The count is not above the number of bytes. The return type is one more.
    match skip_types(reader.bytes(), head.params + 1) {
        Some(rest) => {
            reader.split_before(rest.as_slice());
            Ok(())
        }
        None => {
            *reader = begin;
            walk_method(reader, &mut Skip)
        }
    }
}

#[cold]
#[inline(never)]
fn skip_rare_types<'a>(reader: &mut Reader<'a>, count: u32, sentinel: bool) -> Result<Reader<'a>, Error> {
    match params_grammar(reader.bytes(), MAX_DEPTH, count, sentinel, &mut Skip) {
        Ok(rest) => Ok(reader.split_before(rest.as_slice())),
        Err(Failed) => {
            Err(why(*reader, |bytes| params_grammar(bytes, MAX_DEPTH, count, sentinel, &mut Skip)))
        }
    }
}

/// Reads the head of a method signature.
#[inline(always)]
pub(crate) fn read_method_head(reader: &mut Reader<'_>) -> Result<MethodHead, Error> {
    let mut bytes = reader.bytes();
    match bytes::method_head(&mut bytes) {
        Ok(head) => {
            reader.split_before(bytes.as_slice());
            Ok(head)
        }
        Err(Failed) => Err(why(*reader, |mut bytes| bytes::method_head(&mut bytes))),
    }
}

/// Walks a malformed signature again, and returns the cause of the failure.
#[cold]
#[inline(never)]
fn why<'a, T>(reader: Reader<'a>, grammar: impl FnOnce(Bytes<'a>) -> Result<T, FromEnd>) -> Error {
    // The same bytes fail again.
    reader.error(grammar(reader.bytes()).err().unwrap_or_else(FromEnd::end))
}

/// One type, with the modifiers before it.
#[inline(always)]
fn type_grammar<'a, V: Visitor<'a>, E: Cause>(
    mut bytes: Bytes<'a>,
    mut depth: u32,
    visitor: &mut V,
) -> Rest<'a, E> {
    loop {
        let at = bytes.len();
        let element = ElementType(bytes::first(&mut bytes)?);
        match element {
            leaves!() => {
                visitor.leaf(element);
                return Ok(bytes);
            }
            ElementType::CLASS => {
                visitor.class(bytes::type_def_or_ref(&mut bytes)?);
                return Ok(bytes);
            }
            ElementType::VALUETYPE => {
                visitor.value_type(bytes::type_def_or_ref(&mut bytes)?);
                return Ok(bytes);
            }
            ElementType::VAR => {
                visitor.var(bytes::unsigned(&mut bytes)?);
                return Ok(bytes);
            }
            ElementType::MVAR => {
                visitor.mvar(bytes::unsigned(&mut bytes)?);
                return Ok(bytes);
            }
            ElementType::INTERNAL => {
                visitor.internal(bytes::pointer(&mut bytes)?);
                return Ok(bytes);
            }
            ElementType::GENERICINST => return generic_inst_grammar(bytes, deeper(at, depth)?, visitor),
            ElementType::ARRAY => return array_grammar(bytes, deeper(at, depth)?, visitor),
            ElementType::FNPTR => {
                let depth = deeper(at, depth)?;
                visitor.fn_ptr();
                return method_grammar(bytes, depth, visitor);
            }
            ElementType::PTR => visitor.ptr(),
            ElementType::BYREF => visitor.by_ref(),
            ElementType::SZARRAY => visitor.sz_array(),
            ElementType::PINNED => visitor.pinned(),
            ElementType::CMOD_REQD | ElementType::CMOD_OPT | ElementType::CMOD_INTERNAL => {
                visitor.modifier(bytes::modifier(element, &mut bytes)?);
            }
            ElementType::SENTINEL => return Err(E::at(at, ErrorKind::UnexpectedSentinel)),
            _ => return Err(E::at(at, ErrorKind::UnexpectedElementType(element))),
        }
        depth = deeper(at, depth)?;
    }
}

/// Returns the remaining depth one level down.
#[inline(always)]
fn deeper<E: Cause>(at: usize, depth: u32) -> Result<u32, E> {
    depth.checked_sub(1).ok_or_else(|| E::at(at, ErrorKind::TooDeep))
}

/// The rest of an ARRAY (II.23.2.13).
#[cold]
#[inline(never)]
fn array_grammar<'a, V: Visitor<'a>, E: Cause>(bytes: Bytes<'a>, depth: u32, visitor: &mut V) -> Rest<'a, E> {
    visitor.begin_array();
    let mut bytes = type_grammar(bytes, depth, visitor)?;
    visitor.end_array(ArrayShape::read(&mut bytes)?);
    Ok(bytes)
}

/// The rest of a GENERICINST (II.23.2.12).
#[inline(never)]
fn generic_inst_grammar<'a, V: Visitor<'a>, E: Cause>(
    mut bytes: Bytes<'a>,
    depth: u32,
    visitor: &mut V,
) -> Rest<'a, E> {
    visitor.begin_generic_inst();
    let at = bytes.len();
    match ElementType(bytes::first(&mut bytes)?) {
        ElementType::CLASS => visitor.class(bytes::type_def_or_ref(&mut bytes)?),
        ElementType::VALUETYPE => visitor.value_type(bytes::type_def_or_ref(&mut bytes)?),
        ElementType::INTERNAL => visitor.internal(bytes::pointer(&mut bytes)?),
        element => return Err(E::at(at, ErrorKind::UnexpectedElementType(element))),
    }
    let count = bytes::generic_arg_count(&mut bytes)?;
    visitor.generic_args(count);
    for _ in 0..count {
        bytes = type_grammar(bytes, depth, visitor)?;
    }
    visitor.end_generic_inst();
    Ok(bytes)
}

/// A whole method signature (II.23.2.1 to 3).
fn method_grammar<'a, V: Visitor<'a>, E: Cause>(
    mut bytes: Bytes<'a>,
    depth: u32,
    visitor: &mut V,
) -> Rest<'a, E> {
    let head = bytes::method_head(&mut bytes)?;
    visitor.begin_method(head.header, head.generic_params, head.params);
    let bytes = type_grammar(bytes, depth, visitor)?;
    let sentinel = head.header.calling_convention().allows_sentinel();
    let bytes = params_grammar(bytes, depth, head.params, sentinel, visitor)?;
    visitor.end_method();
    Ok(bytes)
}

/// The parameters of a method, with a SENTINEL among them if the method allows one.
#[inline(always)]
fn params_grammar<'a, V: Visitor<'a>, E: Cause>(
    mut bytes: Bytes<'a>,
    depth: u32,
    count: u32,
    sentinel: bool,
    visitor: &mut V,
) -> Rest<'a, E> {
    if sentinel {
        return vararg_params_grammar(bytes, depth, count, visitor);
    }
    for index in 0..count {
        visitor.param(index);
        bytes = type_grammar(bytes, depth, visitor)?;
    }
    Ok(bytes)
}

#[cold]
#[inline(never)]
fn vararg_params_grammar<'a, V: Visitor<'a>, E: Cause>(
    mut bytes: Bytes<'a>,
    depth: u32,
    count: u32,
    visitor: &mut V,
) -> Rest<'a, E> {
    let mut seen = false;
    for index in 0..count {
        if !seen && bytes.as_slice().first() == Some(&ElementType::SENTINEL.0) {
            bytes.next();
            seen = true;
            visitor.sentinel();
        }
        visitor.param(index);
        bytes = type_grammar(bytes, depth, visitor)?;
    }
    Ok(bytes)
}
