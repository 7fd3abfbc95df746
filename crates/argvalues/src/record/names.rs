//! The names that records refer to by number.

use std::collections::HashMap;
use std::sync::Arc;

use crate::shape::TypeShape;
use crate::visitor::elided;

/// The maximum number of names that are found without the map; a power of two.
const RECENT: usize = 2048;

/// The maximum number of shapes whose names are found without a comparison; a power of two.
const SHAPES: usize = 1024;

/// The number of places of both tables at first; a power of two. Most threads use few names.
const FIRST: usize = 64;

/// The names of types, fields and members that occur in records, each once.
///
/// Use one for each thread, and keep it with the records that were written with it. It only grows: earlier records stay
/// readable.
#[derive(Clone, Debug, Default)]
pub struct RecordNames {
    names: Vec<Name>,
    /// The number of each name; none before the first.
    numbers: Option<HashMap<Arc<str>, u32>>,
    /// The last known index of a text by its address. Only a hint: the address may have another text by now.
    recent: Vec<u32>,
    /// The names of shapes, each in the place of its number. Empty until the first shape.
    ///
    /// Both tables grow with the number of names, see [`size`].
    shapes: Vec<KnownShape>,
    /// The objects that are being written, the innermost last.
    open: Vec<Open>,
    /// The additions, in order.
    pub(super) added: Vec<Added>,
    /// The number of [`OFTEN`](elided::OFTEN), the reason that is written more than any other.
    often: Option<u32>,
}

/// Something that was added.
#[derive(Clone, Copy, Debug)]
pub(super) enum Added {
    /// The next name.
    Name,
    /// The next field of a type: the numbers of the type's name and of the field's.
    Field(u32, u32),
}

/// The names of a [`TypeShape`].
#[derive(Clone, Copy, Debug)]
struct KnownShape {
    shape: u64,
    /// That of the type's name.
    number: u32,
    /// Whether the names of all fields are the type's default names.
    has_default_fields: bool,
}

/// An object that is being written.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The number of its type's name.
    of: u32,
    /// Whether the fields need not be compared.
    is_known: bool,
    /// The shape whose fields are compared, while all of them have their default names.
    compared: Option<u64>,
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
            numbers: None,
            recent: Vec::new(),
            shapes: Vec::new(),
            open: Vec::new(),
            added: Vec::new(),
            often: None,
        }
    }

    /// The number of a reason for which a value is left out.
    #[inline]
    pub(super) fn reason(&mut self, reason: &str) -> u32 {
        match self.often {
            // A comparison with a short constant is no call.
            Some(number) if reason == elided::OFTEN => number,
            _ => self.other_reason(reason),
        }
    }

    #[cold]
    fn other_reason(&mut self, reason: &str) -> u32 {
        let number = self.number(reason);
        if reason == elided::OFTEN {
            self.often = Some(number);
        }
        number
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
        match self.recent.get(place_of_text(text, self.recent.len())) {
            Some(&number) if self.text(number) == Some(text) => number,
            _ => self.look_up(text),
        }
    }

    #[cold]
    fn look_up(&mut self, text: &str) -> u32 {
        let known = self.numbers.as_ref().and_then(|numbers| numbers.get(text)).copied();
        let number = known.unwrap_or_else(|| self.add(text));
        resize(&mut self.recent, size(self.names.len(), RECENT), u32::MAX);
        let place = place_of_text(text, self.recent.len());
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = number;
        }
        number
    }

    /// The number of a shape's name, and whether all its fields have their default names.
    #[inline]
    fn shape(&mut self, shape: &TypeShape) -> (u32, bool) {
        match self.shapes.get(place(shape.number(), self.shapes.len())) {
            Some(known) if known.shape == shape.number() => (known.number, known.has_default_fields),
            _ => (self.look_up_shape(shape), false),
        }
    }

    #[cold]
    fn look_up_shape(&mut self, shape: &TypeShape) -> u32 {
        let number = self.number(shape.name());
        let none = KnownShape { shape: u64::MAX, number: 0, has_default_fields: false };
        resize(&mut self.shapes, size(self.names.len(), SHAPES), none);
        let place = place(shape.number(), self.shapes.len());
        if let Some(known) = self.shapes.get_mut(place) {
            *known = KnownShape { shape: shape.number(), number, has_default_fields: false };
        }
        number
    }

    /// The number of a shape's name.
    #[inline]
    pub(super) fn number_of_shape(&mut self, shape: &TypeShape) -> u32 {
        self.shape(shape).0
    }

    /// Forgets the objects that were being written.
    #[inline]
    pub(super) fn start(&mut self) {
        self.open.clear();
    }

    /// An object of a type begins. Returns the number of the type's name.
    #[inline]
    pub(super) fn begin(&mut self, type_name: &str) -> u32 {
        let of = self.number(type_name);
        self.open.push(Open { of, is_known: false, compared: None });
        of
    }

    /// An object of a shape begins, all of whose fields follow. Returns the number of the type's name.
    #[inline]
    pub(super) fn begin_shape(&mut self, shape: &TypeShape) -> u32 {
        let (of, is_known) = self.shape(shape);
        self.open.push(Open { of, is_known, compared: (!is_known).then_some(shape.number()) });
        of
    }

    /// The next field of the innermost object. Returns whether the name is the type's default.
    #[inline]
    pub(super) fn begin_field(&mut self, index: usize, name: &str) -> bool {
        let Some(&Open { of, is_known, .. }) = self.open.last() else { return self.is_field(0, index, name) };
        is_known || self.compare_field(of, index, name)
    }

    fn compare_field(&mut self, of: u32, index: usize, name: &str) -> bool {
        let is_default = self.is_field(of, index, name);
        if let Some(open) = self.open.last_mut().filter(|_| !is_default) {
            open.compared = None;
        }
        is_default
    }

    /// The innermost object ends.
    #[inline]
    pub(super) fn end(&mut self) {
        if let Some(Open { compared: Some(shape), .. }) = self.open.pop() {
            self.note_default_fields(shape);
        }
    }

    #[cold]
    fn note_default_fields(&mut self, shape: u64) {
        let place = place(shape, self.shapes.len());
        // Another may have taken its place meanwhile, or the table may have grown.
        if let Some(known) = self.shapes.get_mut(place).filter(|known| known.shape == shape) {
            known.has_default_fields = true;
        }
    }

    pub(super) fn add(&mut self, text: &str) -> u32 {
        // A process has no four thousand million names.
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.names.push(Name { text: Arc::clone(&text), fields: Vec::new() });
        self.numbers.get_or_insert_default().insert(text, number);
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

/// The number of places that a table has for a number of names: a power of two.
fn size(names: usize, most: usize) -> usize {
    names.saturating_mul(2).clamp(FIRST, most).next_power_of_two()
}

/// Empties a table that gets another size.
fn resize<T: Copy>(table: &mut Vec<T>, size: usize, none: T) {
    if table.len() != size {
        table.clear();
        table.resize(size, none);
    }
}

/// The place of a text in a table of a power of two; none if it is empty.
#[inline]
fn place_of_text(text: &str, places: usize) -> usize {
    let address = text.as_ptr().addr();
    (address >> 4 ^ address >> 15) & places.wrapping_sub(1)
}

/// The place of a shape in a table of a power of two; none if it is empty. The numbers are consecutive.
#[inline]
fn place(shape: u64, places: usize) -> usize {
    usize::try_from(shape & (places as u64).wrapping_sub(1)).unwrap_or(usize::MAX)
}

/// A number as an index. A number that is none is that of no name.
const fn index(number: u32) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Field, Primitive};

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
    fn a_shape_is_compared_once() {
        let word = TypeShape::primitive(Primitive::I32);
        let shape = |field: &str| {
            TypeShape::value_type("Shop.Item", "Shop.Item", 4, vec![Field::new(field, 0, word.clone())])
        };
        let (price, size) = (shape("Price"), shape("Size"));
        let mut names = RecordNames::new();
        let mut write = |shape: &TypeShape, field: &str| {
            let number = names.begin_shape(shape);
            let is_default = names.begin_field(0, field);
            names.end();
            (number, is_default, names.shape(shape).1)
        };
        let (number, is_default, is_known) = write(&price, "Price");
        assert!(is_default && is_known);
        // Another shape with the same name has its own fields, and is compared each time.
        assert_eq!(write(&size, "Size"), (number, false, false));
        assert_eq!(write(&size, "Size"), (number, false, false));
        assert_eq!(write(&price, "Price"), (number, true, true));
    }

    #[test]
    fn a_shape_in_the_place_of_another_is_not_taken_for_it() {
        let mut names = RecordNames::new();
        let shapes: Vec<TypeShape> =
            (0..=SHAPES).map(|index| TypeShape::reference(format!("Shop.T{index}"))).collect();
        for _ in 0..2 {
            for shape in &shapes {
                let number = names.number_of_shape(shape);
                assert_eq!(names.text(number), Some(shape.name()));
            }
        }
    }

    #[test]
    fn tables_grow_with_the_names() {
        let mut names = RecordNames::new();
        let mut sizes = Vec::new();
        let shapes: Vec<TypeShape> =
            (0..2 * SHAPES).map(|index| TypeShape::reference(format!("Shop.T{index}"))).collect();
        for shape in &shapes {
            names.number_of_shape(shape);
            sizes.push((names.recent.len(), names.shapes.len()));
        }
        assert!(sizes.is_sorted());
        assert_eq!([sizes[0], sizes[31], sizes[32]], [(64, 64), (64, 64), (128, 128)]);
        assert_eq!(sizes.last(), Some(&(RECENT, SHAPES)));
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
