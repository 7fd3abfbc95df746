//! Names on their way to where the records are read.

use super::names::Added;
use super::{RecordError, RecordNames};

/// A moment in the growth of [`RecordNames`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamesMark {
    additions: usize,
    names: usize,
}

/// The additions to [`RecordNames`] since a [`NamesMark`], written in pieces.
#[derive(Debug)]
pub struct Additions<'n> {
    names: &'n RecordNames,
    mark: NamesMark,
}

const NAME: u8 = 0;
const FIELD: u8 = 1;

impl RecordNames {
    /// Returns the additions since a mark; all of them for the default mark.
    #[must_use]
    pub const fn additions(&self, since: NamesMark) -> Additions<'_> {
        Additions { names: self, mark: since }
    }

    /// Adds the names that [`Additions::write`] has written. Pieces must be added in order and completely.
    ///
    /// # Errors
    /// If the bytes are malformed. Additions before the offset of the error have been made.
    pub fn add_from(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        let mut cursor = Cursor { bytes, at: 0 };
        while let Some(kind) = cursor.byte() {
            let begin = cursor.at - 1;
            let error = |what| RecordError { offset: begin, what };
            let added = match kind {
                NAME => cursor.text().map(|text| self.add(text)).is_some(),
                FIELD => {
                    let numbers = cursor.number().and_then(|of| Some((of, cursor.number()?)));
                    let (of, field) = numbers.ok_or_else(|| error("the field is cut"))?;
                    self.add_field(of, field)
                }
                _ => return Err(error("no addition to the names begins with this byte")),
            };
            if !added {
                return Err(error("the name is cut, or not known"));
            }
        }
        Ok(())
    }
}

impl Additions<'_> {
    /// Returns whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.mark.additions == self.names.added.len()
    }

    /// Returns the position of the next piece. After the last piece it is the mark for the next time.
    #[must_use]
    pub const fn mark(&self) -> NamesMark {
        self.mark
    }

    /// Appends the next ones to `out`, as many as bring it over `enough` bytes, or all that are left.
    pub fn write(&mut self, out: &mut Vec<u8>, enough: usize) {
        let left = self.names.added.get(self.mark.additions..).unwrap_or_default();
        for added in left {
            if out.len() >= enough {
                return;
            }
            self.mark.additions += 1;
            match *added {
                Added::Name => {
                    let text = u32::try_from(self.mark.names).ok().and_then(|number| self.names.text(number));
                    let text = text.unwrap_or_default();
                    self.mark.names += 1;
                    out.push(NAME);
                    put(out, text.len());
                    out.extend_from_slice(text.as_bytes());
                }
                Added::Field(of, field) => {
                    out.push(FIELD);
                    put(out, of as usize);
                    put(out, field as usize);
                }
            }
        }
    }
}

/// An unsigned LEB128 number.
fn put(out: &mut Vec<u8>, mut count: usize) {
    loop {
        let low = count.to_le_bytes()[0] & 0x7F;
        count >>= 7;
        if count == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7F);
            if bits.leading_zeros() < shift {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'b str> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length)?;
        let text = core::str::from_utf8(self.bytes.get(self.at..end)?).ok()?;
        self.at = end;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Integer, RecordReader, RecordWriter, TextWriter, Visitor};

    fn item(bytes: &mut Vec<u8>, names: &mut RecordNames, type_name: &str, fields: &[&str]) {
        let mut writer = RecordWriter::new(bytes, names);
        writer.begin_object(type_name);
        for (index, field) in fields.iter().enumerate() {
            writer.field(index, field);
            writer.integer(Integer::Unsigned(7));
        }
        writer.end_object(fields.len());
    }

    fn told(bytes: &[u8], names: &RecordNames) -> String {
        let mut text = String::new();
        RecordReader::new(bytes, names).value(&mut TextWriter::new(&mut text)).unwrap();
        text
    }

    #[test]
    fn records_are_read_with_names_that_came_in_pieces() {
        let (mut here, mut there) = (RecordNames::new(), RecordNames::new());
        let mut mark = NamesMark::default();
        let types =
            [("Shop.Item", vec!["Name", "Price"]), ("Shop.Cart", vec!["Name"]), ("Shop.Item", vec!["Other"])];
        for (type_name, fields) in types {
            let mut bytes = Vec::new();
            item(&mut bytes, &mut here, type_name, &fields);
            let mut additions = here.additions(mark);
            while !additions.is_empty() {
                let mut piece = Vec::new();
                additions.write(&mut piece, 1);
                there.add_from(&piece).unwrap();
            }
            mark = additions.mark();
            assert_eq!(told(&bytes, &there), told(&bytes, &here));
        }
        assert!(there.additions(mark).is_empty());
    }

    #[test]
    fn what_is_cut_is_refused_and_the_rest_kept() {
        let mut here = RecordNames::new();
        item(&mut Vec::new(), &mut here, "Shop.Item", &["Name"]);
        let mut bytes = Vec::new();
        here.additions(NamesMark::default()).write(&mut bytes, usize::MAX);
        for cut in 1..bytes.len() {
            let mut there = RecordNames::new();
            match there.add_from(&bytes[..cut]) {
                Ok(()) => assert!(there.len() < 3),
                Err(error) => assert!(error.offset < cut),
            }
        }
        assert_eq!(RecordNames::new().add_from(&[9]).unwrap_err().offset, 0);
        assert!(RecordNames::new().add_from(&[FIELD, 0, 0]).is_err());
    }
}
