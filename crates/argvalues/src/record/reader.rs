//! Reading records.

use corprof_types::MAX_RANK;

use super::{RecordNames, tag};
use crate::limits::MAX_NESTING;
use crate::{
    half::Half,
    shape::{EnumNames, Integer, Primitive},
    visitor::{ArrayHead, Bounds, EnumValue, StringUnits, Visitor},
};

/// Reads the values that a [`RecordWriter`](crate::RecordWriter) has written.
#[derive(Clone, Debug)]
pub struct RecordReader<'r> {
    bytes: &'r [u8],
    at: usize,
    names: &'r RecordNames,
    units: Vec<u16>,
}

/// Bytes that are no record, or not one with these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("the record is malformed at byte {offset}: {what}")]
pub struct RecordError {
    /// The offset of the error.
    pub offset: usize,
    /// The cause.
    pub what: &'static str,
}

type Result<T> = core::result::Result<T, RecordError>;

impl<'r> RecordReader<'r> {
    /// A reader of these bytes, which were written with these names.
    #[must_use]
    pub const fn new(bytes: &'r [u8], names: &'r RecordNames) -> Self {
        Self { bytes, at: 0, names, units: Vec::new() }
    }

    /// Returns whether all values have been read.
    #[must_use]
    pub const fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// Reads the next value into a visitor, with the events that were written.
    ///
    /// # Errors
    /// If the bytes are malformed. The visitor may have visited the beginning of a value by then.
    pub fn value<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<()> {
        self.nested(visitor, 0)
    }

    fn nested<V: Visitor + ?Sized>(&mut self, visitor: &mut V, depth: usize) -> Result<()> {
        if depth > MAX_NESTING {
            return Err(self.error("it is nested too deep"));
        }
        match self.byte()? {
            tag::NULL => visitor.null(),
            tag::FALSE => visitor.bool(false),
            tag::TRUE => visitor.bool(true),
            tag::CHAR => visitor.char(u16::from_le_bytes(self.array()?)),
            tag::HALF => visitor.half(Half(u16::from_le_bytes(self.array()?))),
            tag::SINGLE => visitor.single(f32::from_bits(u32::from_le_bytes(self.array()?))),
            tag::DOUBLE => visitor.double(f64::from_bits(u64::from_le_bytes(self.array()?))),
            tag::STRING => self.string(visitor)?,
            tag @ (tag::SIGNED..0x19 | tag::UNSIGNED..0x29) => visitor.integer(self.integer(tag)?),
            tag::ENUM => self.enumeration(visitor)?,
            tag::FORMATTED => {
                let type_name = self.name()?;
                visitor.formatted(type_name, self.text()?);
            }
            tag::BOXED => {
                visitor.begin_boxed(self.name()?);
                self.nested(visitor, depth + 1)?;
                visitor.end_boxed();
            }
            tag::OBJECT => self.object(visitor, depth)?,
            tag::ARRAY => self.items(visitor, depth)?,
            tag::DELEGATE => {
                visitor.begin_delegate(self.name()?);
                self.nested(visitor, depth + 1)?;
                let method = match self.count()?.checked_sub(1) {
                    Some(number) => Some(self.name_of(number)?),
                    None => None,
                };
                visitor.end_delegate(method);
            }
            tag::POINTER => visitor.pointer(self.address()?),
            tag::POINTER_TO => {
                visitor.begin_pointer(self.address()?);
                self.nested(visitor, depth + 1)?;
                visitor.end_pointer();
            }
            tag::ELIDED => {
                let (type_name, address) = (self.name()?, self.address()?);
                visitor.elided(type_name, address, self.name()?);
            }
            tag::CYCLE => {
                let type_name = self.name()?;
                visitor.cycle(type_name, self.address()?);
            }
            tag::ERROR => visitor.error(&self.text()?),
            _ => return Err(self.error("no value begins with this byte")),
        }
        Ok(())
    }

    fn string<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<()> {
        let (shown, more) = (self.count()?, self.count()?);
        let length = shown.checked_add(more).ok_or_else(|| self.error("the length is no length"))?;
        let size = shown.checked_mul(2).ok_or_else(|| self.error("the length is no length"))?;
        let (units, _) = self.take(size)?.as_chunks();
        self.units.clear();
        self.units.extend(units.iter().map(|unit| u16::from_le_bytes(*unit)));
        visitor.string(&StringUnits { units: &self.units, length });
        Ok(())
    }

    fn integer(&mut self, tag: u8) -> Result<Integer> {
        let signed = tag < tag::UNSIGNED;
        let count = usize::from(tag & 0xF);
        let bytes = self.take(count)?;
        let is_negative = signed && bytes.last().is_some_and(|&last| last >= 0x80);
        let mut all = [if is_negative { 0xFF } else { 0 }; 8];
        for (to, from) in all.iter_mut().zip(bytes) {
            *to = *from;
        }
        let bits = u64::from_le_bytes(all);
        Ok(if signed { Integer::Signed(bits.cast_signed()) } else { Integer::Unsigned(bits) })
    }

    fn enumeration<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<()> {
        let type_name = self.name()?;
        let mut names: Vec<Box<str>> = Vec::new();
        for _ in 0..self.count()? {
            names.push(self.name()?.into());
        }
        let value = match self.byte()? {
            tag @ (tag::SIGNED..0x19 | tag::UNSIGNED..0x29) => self.integer(tag)?,
            _ => return Err(self.error("the value of an enum is an integer")),
        };
        visitor.enumeration(&EnumValue { type_name, names: EnumNames::from(&*names), value });
        Ok(())
    }

    fn object<V: Visitor + ?Sized>(&mut self, visitor: &mut V, depth: usize) -> Result<()> {
        let of = self.count()?;
        visitor.begin_object(self.name_of(of)?);
        let mut fields = 0;
        loop {
            let name = match self.peek()? {
                tag::END => {
                    self.at += 1;
                    visitor.end_object(fields);
                    return Ok(());
                }
                tag::NAME => {
                    self.at += 1;
                    self.name()?
                }
                _ => {
                    let name = u32::try_from(of).ok().and_then(|of| self.names.field(of, fields));
                    name.ok_or_else(|| self.error("the field has no name"))?
                }
            };
            visitor.field(fields, name);
            self.nested(visitor, depth + 1)?;
            fields += 1;
        }
    }

    fn items<V: Visitor + ?Sized>(&mut self, visitor: &mut V, depth: usize) -> Result<()> {
        let (type_name, length, rank) = (self.name()?, self.count()?, self.count()?);
        let (mut dims, mut lower) = ([0; MAX_RANK], [0; MAX_RANK]);
        if rank > MAX_RANK {
            return Err(self.error("there are too many dimensions"));
        }
        for (dim, lower) in dims.iter_mut().zip(&mut lower).take(rank) {
            *dim = u32::from_le_bytes(self.array()?);
            *lower = i32::from_le_bytes(self.array()?);
        }
        let bounds = Bounds {
            dims: dims.get(..rank).unwrap_or_default(),
            lower: lower.get(..rank).unwrap_or_default(),
        };
        visitor.begin_array(&ArrayHead { type_name, length, bounds: (rank > 0).then_some(bounds) });
        let mut items = 0;
        loop {
            match self.peek()? {
                end @ (tag::END | tag::END_CUT) => {
                    self.at += 1;
                    visitor.end_array(items, end == tag::END_CUT);
                    return Ok(());
                }
                tag::PRIMITIVES => {
                    self.at += 1;
                    let primitive = Primitive::ALL.get(usize::from(self.byte()?)).copied();
                    let primitive = primitive.ok_or_else(|| self.error("there is no such type"))?;
                    let count = self.count()?;
                    let size = count.checked_mul(primitive.size());
                    let size = size.ok_or_else(|| self.error("there are too many items"))?;
                    visitor.primitives(items, primitive, self.take(size)?);
                    items += count;
                }
                _ => {
                    visitor.item(items);
                    self.nested(visitor, depth + 1)?;
                    items += 1;
                }
            }
        }
    }

    fn error(&self, what: &'static str) -> RecordError {
        RecordError { offset: self.at, what }
    }

    fn peek(&self) -> Result<u8> {
        self.bytes.get(self.at).copied().ok_or_else(|| self.error("it ends early"))
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, count: usize) -> Result<&'r [u8]> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let bytes = rest.get(..count).ok_or_else(|| self.error("it ends early"))?;
        self.at += count;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| self.error("it ends early"))
    }

    fn count(&mut self) -> Result<usize> {
        let mut count: u64 = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = u64::from(self.byte()?);
            count |= (byte & 0x7F) << shift;
            if byte < 0x80 {
                return usize::try_from(count).map_err(|_| self.error("the count is too large"));
            }
        }
        Err(self.error("the count is too large"))
    }

    fn name(&mut self) -> Result<&'r str> {
        let number = self.count()?;
        self.name_of(number)
    }

    fn name_of(&self, number: usize) -> Result<&'r str> {
        let number = u32::try_from(number).ok();
        number.and_then(|number| self.names.text(number)).ok_or_else(|| self.error("there is no such name"))
    }

    fn text(&mut self) -> Result<&'r str> {
        let length = self.count()?;
        str::from_utf8(self.take(length)?).map_err(|_| self.error("the text is not UTF-8"))
    }

    fn address(&mut self) -> Result<usize> {
        let address = u64::from_le_bytes(self.array()?);
        usize::try_from(address).map_err(|_| self.error("the address is too large"))
    }
}
