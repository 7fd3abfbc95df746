//! Structs and classes: fields at offsets.

use std::sync::Arc;

use super::{ClassView, KnownBase, TypeShape, WellKnown};

/// An instance field.
#[derive(Clone, Debug)]
pub struct Field {
    name: Arc<str>,
    offset: usize,
    shape: Arc<TypeShape>,
    is_redacted: bool,
}

impl Field {
    /// A field by its name in metadata. The field behind an auto-property gets the property's name.
    ///
    /// `offset` counts from where the reference points for the fields of a class, and from the start of the
    /// slot for those of a value type.
    ///
    /// ```
    /// # use argvalues::{Field, TypeShape};
    /// let field = Field::new("<Price>k__BackingField", 8, TypeShape::string());
    /// assert_eq!(field.name(), "Price");
    /// ```
    #[must_use]
    pub fn new(metadata_name: &str, offset: usize, shape: Arc<TypeShape>) -> Self {
        let name = metadata_name
            .strip_prefix('<')
            .and_then(|name| name.strip_suffix(">k__BackingField"))
            .unwrap_or(metadata_name);
        Self { name: name.into(), offset, shape, is_redacted: false }
    }

    /// Marks the field as secret: its value is elided as [`REDACTED`](crate::elided::REDACTED).
    #[must_use]
    pub fn redacted(self) -> Self {
        Self { is_redacted: true, ..self }
    }

    /// Returns whether its value is not read.
    #[must_use]
    #[inline]
    pub const fn is_redacted(&self) -> bool {
        self.is_redacted
    }

    /// The name that is shown.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the offset of the field.
    #[must_use]
    #[inline]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The type of the field's slot.
    #[must_use]
    #[inline]
    pub const fn shape(&self) -> &Arc<TypeShape> {
        &self.shape
    }

    /// The first byte after the field, if its size is known and the sum is an address at all.
    fn end(&self) -> Option<usize> {
        self.offset.checked_add(self.shape.size()?)
    }
}

/// A value type with fields.
#[derive(Clone, Debug)]
pub struct StructShape {
    size: usize,
    fields: Box<[Field]>,
    well_known: Option<WellKnown>,
}

impl StructShape {
    pub(super) fn new(full_name: &str, size: usize, fields: Vec<Field>) -> Self {
        let well_known = WellKnown::recognise(full_name, size, &fields);
        Self { size, fields: fields.into(), well_known }
    }

    /// Creates items in place; the first is in `fields`.
    pub(super) fn row(size: usize, fields: Vec<Field>) -> Self {
        Self { size, fields: fields.into(), well_known: Some(WellKnown::Row) }
    }

    /// Creates a union: its one field has the case.
    pub(super) fn union(size: usize, fields: Vec<Field>) -> Self {
        Self { size, fields: fields.into(), well_known: Some(WellKnown::Union) }
    }

    /// The size of a slot.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The instance fields, in the order in which they are shown.
    #[must_use]
    #[inline]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub(crate) const fn well_known(&self) -> Option<&WellKnown> {
        self.well_known.as_ref()
    }
}

/// A class with fields.
#[derive(Clone, Debug)]
pub struct ClassShape {
    fields: Box<[Field]>,
    /// The end of the last field, from the reference's address.
    extent: usize,
    view: Option<ClassView>,
}

impl ClassShape {
    /// A class by its own name.
    pub(super) fn new(full_name: &str, fields: Vec<Field>) -> Self {
        let view = ClassView::recognise(full_name, &fields);
        Self::with_view(fields, view)
    }

    /// A class with a known base, which declares the first `inherited` fields.
    pub(super) fn derived(base: KnownBase, inherited: usize, fields: Vec<Field>) -> Self {
        let view = ClassView::derived(base, inherited, &fields);
        Self::with_view(fields, view)
    }

    /// A class whose base class has a view.
    pub(super) fn subclass(base: Arc<TypeShape>, fields: Vec<Field>) -> Self {
        let view = ClassView::inherited(base, &fields);
        Self::with_view(fields, view)
    }

    fn with_view(fields: Vec<Field>, view: Option<ClassView>) -> Self {
        let extent = fields.iter().filter_map(Field::end).max().unwrap_or(0);
        Self { fields: fields.into(), extent, view }
    }

    /// The instance fields, those of the base class first.
    #[must_use]
    #[inline]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the number of bytes from the reference's address to the end of the last field.
    #[must_use]
    #[inline]
    pub const fn extent(&self) -> usize {
        self.extent
    }

    /// The type arguments are known now.
    pub(super) fn name_items(&mut self, args: &[Arc<TypeShape>]) {
        match &mut self.view {
            Some(ClassView::Collection(collection)) => collection.name_items(args),
            Some(ClassView::Concurrent(collection)) => collection.name_items(args),
            _ => {}
        }
    }

    pub(crate) const fn view(&self) -> Option<&ClassView> {
        self.view.as_ref()
    }
}
