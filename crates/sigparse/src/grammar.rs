//! The grammar of types and methods (II.23.2.12, II.23.2.1 to 3), once.

use crate::{
    ArrayShape, ElementType, Error, ErrorKind, Modifier, Reader, SigHeader, SigKind, Visitor, limits,
};

/// The visitor that wants to hear nothing: a walk with it finds the end and checks the way there.
pub(crate) struct Skip;

impl Visitor<'_> for Skip {}

/// That a walk has failed, and no more: it fits a register where an [`Error`] does not.
pub(crate) struct Failed;

impl From<Error> for Failed {
    #[inline]
    fn from(_: Error) -> Self {
        Self
    }
}

/// Walks one type, with the modifiers before it.
#[inline]
pub(crate) fn walk_type<'a, V: Visitor<'a>>(
    reader: &mut Reader<'a>,
    depth: u32,
    visitor: &mut V,
) -> Result<(), Error> {
    let start = *reader;
    type_grammar::<V, Failed>(reader, depth, visitor).map_err(|Failed| why(start, depth, type_grammar))
}

/// Walks a whole method signature.
#[inline]
pub(crate) fn walk_method<'a, V: Visitor<'a>>(
    reader: &mut Reader<'a>,
    depth: u32,
    visitor: &mut V,
) -> Result<(), Error> {
    let start = *reader;
    method_grammar::<V, Failed>(reader, depth, visitor).map_err(|Failed| why(start, depth, method_grammar))
}

/// A part of the grammar, walked for the sake of its error.
type Grammar<'a> = fn(&mut Reader<'a>, u32, &mut Skip) -> Result<(), Error>;

/// Walks once more what has failed, and finds out why.
#[cold]
#[inline(never)]
fn why<'a>(mut reader: Reader<'a>, depth: u32, grammar: Grammar<'a>) -> Error {
    let end = Error::new(reader.position(), ErrorKind::UnexpectedEnd);
    // The same bytes fail again.
    grammar(&mut reader, depth, &mut Skip).err().unwrap_or(end)
}

/// One type, with the modifiers before it. Most are one byte long, and need no call.
#[inline(always)]
fn type_grammar<'a, V: Visitor<'a>, E: From<Error>>(
    reader: &mut Reader<'a>,
    depth: u32,
    visitor: &mut V,
) -> Result<(), E> {
    match reader.peek_u8().map(ElementType) {
        Some(element) if element.is_leaf() => {
            reader.advance();
            visitor.leaf(element);
            Ok(())
        }
        _ => long_type_grammar(reader, depth, visitor),
    }
}

/// One type, with the modifiers before it.
#[inline(never)]
fn long_type_grammar<'a, V: Visitor<'a>, E: From<Error>>(
    reader: &mut Reader<'a>,
    mut depth: u32,
    visitor: &mut V,
) -> Result<(), E> {
    loop {
        let at = reader.position();
        let element = ElementType(reader.read_u8()?);
        if element.is_leaf() {
            visitor.leaf(element);
            return Ok(());
        }
        match element {
            ElementType::CLASS => {
                visitor.class(reader.read_type_def_or_ref()?);
                return Ok(());
            }
            ElementType::VALUETYPE => {
                visitor.value_type(reader.read_type_def_or_ref()?);
                return Ok(());
            }
            ElementType::VAR => {
                visitor.var(reader.read_compressed_u32()?);
                return Ok(());
            }
            ElementType::MVAR => {
                visitor.mvar(reader.read_compressed_u32()?);
                return Ok(());
            }
            ElementType::INTERNAL => {
                visitor.internal(reader.read_pointer()?);
                return Ok(());
            }
            _ => {}
        }
        depth = match depth.checked_sub(1) {
            Some(depth) => depth,
            None => return Err(Error::new(at, ErrorKind::TooDeep).into()),
        };
        match element {
            element if element.is_modifier() => {
                visitor.modifier(Modifier::read_after(element, reader)?);
            }
            ElementType::PTR => visitor.ptr(),
            ElementType::BYREF => visitor.by_ref(),
            ElementType::SZARRAY => visitor.sz_array(),
            ElementType::PINNED => visitor.pinned(),
            ElementType::GENERICINST => return generic_inst_grammar(reader, depth, visitor),
            ElementType::ARRAY => {
                visitor.begin_array();
                type_grammar(reader, depth, visitor)?;
                visitor.end_array(ArrayShape::read(reader)?);
                return Ok(());
            }
            ElementType::FNPTR => {
                visitor.fn_ptr();
                return method_grammar(reader, depth, visitor);
            }
            ElementType::SENTINEL => return Err(Error::new(at, ErrorKind::UnexpectedSentinel).into()),
            _ => return Err(Error::new(at, ErrorKind::UnexpectedElementType(element)).into()),
        }
    }
}

/// What follows a GENERICINST (II.23.2.12).
fn generic_inst_grammar<'a, V: Visitor<'a>, E: From<Error>>(
    reader: &mut Reader<'a>,
    depth: u32,
    visitor: &mut V,
) -> Result<(), E> {
    visitor.begin_generic_inst();
    let at = reader.position();
    match ElementType(reader.read_u8()?) {
        ElementType::CLASS => visitor.class(reader.read_type_def_or_ref()?),
        ElementType::VALUETYPE => visitor.value_type(reader.read_type_def_or_ref()?),
        ElementType::INTERNAL => visitor.internal(reader.read_pointer()?),
        element => return Err(Error::new(at, ErrorKind::UnexpectedElementType(element)).into()),
    }
    let count = read_generic_arg_count(reader)?;
    visitor.generic_args(count);
    for _ in 0..count {
        type_grammar(reader, depth, visitor)?;
    }
    visitor.end_generic_inst();
    Ok(())
}

/// Reads a GenArgCount (II.23.2.12, II.23.2.15).
#[inline(always)]
pub(crate) fn read_generic_arg_count(reader: &mut Reader<'_>) -> Result<u32, Error> {
    let at = reader.position();
    match reader.read_count()? {
        count @ 1..=limits::MAX_GENERIC_PARAMS => Ok(count),
        count => Err(Error::new(at, ErrorKind::InvalidGenericCount(count))),
    }
}

/// The head of a method signature: all that comes before the return type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MethodHead {
    pub(crate) header: SigHeader,
    pub(crate) generic_params: u32,
    pub(crate) params: u32,
}

impl MethodHead {
    /// Reads header, generic parameter count and parameter count (II.23.2.1 to 3).
    #[inline(always)]
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let at = reader.position();
        let header = SigHeader(reader.read_u8()?);
        if !header.calling_convention().is_method() {
            return Err(wrong_kind(at, SigKind::Method, header));
        }
        let mut generic_params = 0;
        if header.is_generic() {
            let at = reader.position();
            generic_params = reader.read_compressed_u32()?;
            if generic_params == 0 || generic_params > limits::MAX_GENERIC_PARAMS {
                return Err(Error::new(at, ErrorKind::InvalidGenericCount(generic_params)));
            }
        }
        Ok(Self { header, generic_params, params: reader.read_count()? })
    }
}

/// Reads a header and checks its kind.
#[inline]
pub(crate) fn read_header(reader: &mut Reader<'_>, expected: SigKind) -> Result<SigHeader, Error> {
    let at = reader.position();
    let header = SigHeader(reader.read_u8()?);
    if SigKind::of(header) != Some(expected) {
        return Err(wrong_kind(at, expected, header));
    }
    Ok(header)
}

/// The error of a blob of another kind.
#[cold]
fn wrong_kind(offset: usize, expected: SigKind, found: SigHeader) -> Error {
    Error::new(offset, ErrorKind::WrongKind { expected, found })
}

/// A whole method signature (II.23.2.1 to 3).
fn method_grammar<'a, V: Visitor<'a>, E: From<Error>>(
    reader: &mut Reader<'a>,
    depth: u32,
    visitor: &mut V,
) -> Result<(), E> {
    let head = MethodHead::read(reader)?;
    visitor.begin_method(head.header, head.generic_params, head.params);
    type_grammar(reader, depth, visitor)?;
    let mut sentinel = !head.header.calling_convention().allows_sentinel();
    for index in 0..head.params {
        if !sentinel && reader.peek_u8() == Some(ElementType::SENTINEL.0) {
            reader.advance();
            sentinel = true;
            visitor.sentinel();
        }
        visitor.param(index);
        type_grammar(reader, depth, visitor)?;
    }
    visitor.end_method();
    Ok(())
}
