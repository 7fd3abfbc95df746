//! The names that records refer to by number.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of names that are found without the map; a power of two.
const RECENT: usize = 512;

/// The names of types, fields and members that occur in records, each once.
///
/// Use one for each thread, and keep it with the records that were written with it. It only grows: earlier records stay
/// readable.
#[derive(Clone, Debug, Default)]
pub struct RecordNames {
    names: Vec<Name>,
    numbers: BTreeMap<Arc<str>, u32>,
    /// The last known index of a text by its address. Only a hint: the address may have another text by now.
    recent: Vec<u32>,
    /// The types of the objects that are being written, the innermost last.
    pub(super) open: Vec<u32>,
    /// The additions, in order.
    pub(super) added: Vec<Added>,
}

/// Something that was added.
#[derive(Clone, Copy, Debug)]
pub(super) enum Added {
    /// The next name.
    Name,
    /// The next field of a type: the numbers of the type's name and of the field's.
    Field(u32, u32),
}

#[derive(Clone, Debug)]
struct Name {
    text: Arc<str>,
    /// If it is the name of a type: those of its fields.
    fields: Vec<Arc<str>>,
}

impl RecordNames {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            names: Vec::new(),
            numbers: BTreeMap::new(),
            recent: Vec::new(),
            open: Vec::new(),
            added: Vec::new(),
        }
    }

    /// Returns the number of names.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name with a number.
    pub(super) fn text(&self, number: u32) -> Option<&str> {
        Some(&self.names.get(index(number))?.text)
    }

    /// The number of a name.
    #[inline]
    pub(super) fn number(&mut self, text: &str) -> u32 {
        let recent = (text.as_ptr().addr() >> 4) % RECENT;
        match self.recent.get(recent) {
            Some(&number) if self.text(number) == Some(text) => number,
            _ => self.look_up(text, recent),
        }
    }

    #[cold]
    fn look_up(&mut self, text: &str, recent: usize) -> u32 {
        let number = self.numbers.get(text).copied().unwrap_or_else(|| self.add(text));
        self.recent.resize(RECENT, u32::MAX);
        if let Some(recent) = self.recent.get_mut(recent) {
            *recent = number;
        }
        number
    }

    pub(super) fn add(&mut self, text: &str) -> u32 {
        // A process has no four thousand million names.
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.names.push(Name { text: Arc::clone(&text), fields: Vec::new() });
        self.numbers.insert(text, number);
        self.added.push(Added::Name);
        number
    }

    /// Returns the default name of a field.
    pub(super) fn field(&self, of: u32, index_of_field: usize) -> Option<&str> {
        Some(self.names.get(index(of))?.fields.get(index_of_field)?)
    }

    /// Returns whether this is the default name of a field. A new field gets it as its default.
    #[inline]
    pub(super) fn is_field(&mut self, of: u32, index_of_field: usize, text: &str) -> bool {
        match self.field(of, index_of_field) {
            Some(known) => known == text,
            None => self.note_field(of, index_of_field, text),
        }
    }

    #[cold]
    fn note_field(&mut self, of: u32, index_of_field: usize, text: &str) -> bool {
        let number = self.number(text);
        let is_next = self.names.get(index(of)).is_some_and(|name| name.fields.len() == index_of_field);
        is_next && self.add_field(of, number)
    }

    /// Adds the next field of a type. Whether there is such a type and such a name.
    pub(super) fn add_field(&mut self, of: u32, field: u32) -> bool {
        let Some(shared) = self.names.get(index(field)).map(|name| Arc::clone(&name.text)) else {
            return false;
        };
        let Some(name) = self.names.get_mut(index(of)) else { return false };
        name.fields.push(shared);
        self.added.push(Added::Field(of, field));
        true
    }
}

/// A number as an index. A number that is none is that of no name.
const fn index(number: u32) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number_wherever_its_text_lies() {
        let mut names = RecordNames::new();
        let (one, other) = (String::from("Shop.Item"), String::from("Shop.Item"));
        let number = names.number(&one);
        assert_eq!(names.number(&other), number);
        assert_eq!(names.text(number), Some("Shop.Item"));
        assert_ne!(names.number("Shop.Cart"), number);
        assert_eq!(names.len(), 2);
    }

    #[test]
    fn another_text_in_the_same_place_is_another_name() {
        let mut names = RecordNames::new();
        let mut place = String::from("Shop.Item");
        let first = names.number(&place);
        place.replace_range(.., "Shop.Cart");
        let second = names.number(&place);
        assert_ne!(first, second);
        assert_eq!((names.text(first), names.text(second)), (Some("Shop.Item"), Some("Shop.Cart")));
    }

    #[test]
    fn the_first_fields_of_a_type_are_the_ones() {
        let mut names = RecordNames::new();
        let item = names.number("Shop.Item");
        assert!(names.is_field(item, 0, "Name"));
        assert!(names.is_field(item, 0, "Name"));
        assert!(!names.is_field(item, 0, "Price"));
        // Out of order there is nothing to note.
        assert!(!names.is_field(item, 2, "Size"));
        assert_eq!(names.field(item, 0), Some("Name"));
    }
}
