//! The grammar of types and methods (II.23.2.12, II.23.2.1 to 3).
//!
//! It is walked twice when it fails: the first walk only finds out that it does.

use crate::{
    ArrayShape, ElementType, Error, ErrorKind, Reader, Visitor,
    bytes::{self, Bytes, Cause, Failed, FromEnd, MethodHead},
    limits::MAX_DEPTH,
    macros::leaves,
    skip::skip_types,
};

/// The visitor that wants to hear nothing: a walk with it finds the end and checks the way there.
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

/// Goes over one type, with the modifiers before it, and gives a reader of its bytes.
#[inline(always)]
pub(crate) fn skip_type<'a>(reader: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
    match skip_types(reader.bytes(), 1) {
        Some(rest) => Ok(reader.split_before(rest.as_slice())),
        None => skip_rare_types(reader, 1, false),
    }
}

/// Goes over the parameters of a method, with a SENTINEL among them if there can be one.
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

/// Goes over a whole method signature.
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

/// Walks once more what has failed, and finds out why.
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

/// The depth that is left one level down.
#[inline(always)]
fn deeper<E: Cause>(at: usize, depth: u32) -> Result<u32, E> {
    depth.checked_sub(1).ok_or_else(|| E::at(at, ErrorKind::TooDeep))
}

/// What follows an ARRAY (II.23.2.13).
#[cold]
#[inline(never)]
fn array_grammar<'a, V: Visitor<'a>, E: Cause>(bytes: Bytes<'a>, depth: u32, visitor: &mut V) -> Rest<'a, E> {
    visitor.begin_array();
    let mut bytes = type_grammar(bytes, depth, visitor)?;
    visitor.end_array(ArrayShape::read(&mut bytes)?);
    Ok(bytes)
}

/// What follows a GENERICINST (II.23.2.12).
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

/// The parameters of a method, with a SENTINEL among them if there can be one.
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
