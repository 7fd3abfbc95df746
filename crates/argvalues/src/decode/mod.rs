//! The decoder: from bytes to the events of a visitor.
//!
//! A [`Decoder`] follows a shape through memory. The bytes of an object or struct are copied into a [`Scratch`] at
//! once, before they are interpreted. The scratch is used like a stack: nothing is allocated once it has grown to the
//! limits, and nothing is read twice.

mod ahead;
mod array;
mod classes;
mod collection;
mod common;
mod concurrent;
mod copy;
mod delegate;
mod json_element;
mod known;
mod object;
mod scalar;
mod well_known;

use core::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use self::classes::Classes;
use self::copy::{Fail, Slot};
pub use self::scratch::Scratch;
use crate::{
    error::{DecodeError, ResolveError},
    limits::{Limits, MAX_BODY, MAX_DEPTH},
    memory::{Memory, POINTER_SIZE},
    runtime::Runtime,
    shape::{ShapeKind, Target, TypeShape},
    visitor::{Visitor, elided},
};

mod scratch;

/// Decodes values from a memory, within limits.
///
/// Create one for the arguments of a call and one for its results; creation costs nothing. The [`Scratch`] is kept, one per
/// thread.
///
/// ```
/// use argvalues::{Decoder, JsonWriter, Limits, Primitive, Scratch, SliceMemory, TypeShape};
/// # use argvalues::{ArrayInfo, ModuleId, ObjectRef, Runtime, RuntimeError, StringLayout, ValueTypeQuery};
/// # struct Nothing;
/// # impl Runtime for Nothing {
/// #     fn string_layout(&self) -> StringLayout { StringLayout { length_offset: 8, buffer_offset: 12 } }
/// #     fn object_type(&self, _: ObjectRef) -> Result<std::sync::Arc<TypeShape>, RuntimeError> { Err(RuntimeError::new("none")) }
/// #     fn array(&self, _: ObjectRef, _: usize) -> Result<ArrayInfo, RuntimeError> { Err(RuntimeError::new("none")) }
/// #     fn full_name(&self, _: Option<ModuleId>, _: sigparse::TypeDefOrRef) -> Result<std::borrow::Cow<'_, str>, RuntimeError> { Err(RuntimeError::new("none")) }
/// #     fn value_type(&self, _: &ValueTypeQuery<'_>) -> Result<std::sync::Arc<TypeShape>, RuntimeError> { Err(RuntimeError::new("none")) }
/// # }
/// # let runtime = Nothing;
/// let mut memory = SliceMemory::new();
/// memory.insert(0x7000_0000, (-7_i32).to_ne_bytes().to_vec());
///
/// let mut scratch = Scratch::new();
/// let mut decoder = Decoder::new(&memory, &runtime, Limits::default(), &mut scratch);
/// let mut out = String::new();
/// decoder.value(&TypeShape::primitive(Primitive::I32), 0x7000_0000, &mut JsonWriter::new(&mut out));
/// assert_eq!(out, "-7");
/// ```
#[derive(Debug)]
pub struct Decoder<'a, M: ?Sized, R: ?Sized> {
    memory: &'a M,
    runtime: &'a R,
    limits: Limits,
    scratch: &'a mut Scratch,
    /// The number of bytes that may still be read.
    budget: usize,
    /// The number of open levels.
    depth: usize,
    trusted: Range<usize>,
    raw: bool,
    brief: bool,
    /// The number of reads so far.
    reads: u32,
    /// When the time is up, from the first look at the clock on.
    deadline: Option<Instant>,
    /// Whether it was the time that was used up.
    late: bool,
    /// Whether the shapes in the scratch are known to be those of this runtime, now.
    classes_are_current: bool,
}

impl<'a, M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'a, M, R> {
    /// A decoder with all of its limits left.
    #[inline]
    pub fn new(memory: &'a M, runtime: &'a R, limits: Limits, scratch: &'a mut Scratch) -> Self {
        scratch.clear();
        if memory.reads_ahead() {
            scratch.ahead.clear();
        }
        Self {
            memory,
            runtime,
            limits: Limits { depth: limits.depth.min(MAX_DEPTH), ..limits },
            scratch,
            budget: limits.bytes,
            depth: 0,
            trusted: 0..0,
            raw: false,
            brief: false,
            reads: 0,
            deadline: None,
            late: false,
            classes_are_current: false,
        }
    }

    /// Trusts managed references into a range of addresses.
    ///
    /// For the stack of the thread in the hook, from the arguments upwards: most `ref` and `out` parameters point
    /// there, and nothing there moves or is unmapped.
    #[must_use]
    pub fn trust(mut self, stack: Range<usize>) -> Self {
        self.trusted = stack;
        self
    }

    /// Shows collections, tasks, exceptions, memory and reflection objects as their fields.
    #[must_use]
    pub const fn raw(mut self, raw: bool) -> Self {
        self.raw = raw;
        self
    }

    /// Shows no parts of values, as with a [depth](Limits::depth) of 0; the reason is
    /// [`OFTEN`](elided::OFTEN).
    #[must_use]
    pub const fn brief(mut self, brief: bool) -> Self {
        self.brief = brief;
        if brief {
            self.limits.depth = 0;
        }
        self
    }

    /// Decodes the value in a slot that the runtime guarantees, such as an argument range.
    ///
    /// The slot has the size of the shape. A shape without a size is shown as not decoded.
    pub fn value<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, address: usize, visitor: &mut V) {
        self.slot_at(shape, address, true, visitor);
    }

    /// Decodes the target of a managed reference, which may be null.
    pub fn target<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, target: usize, visitor: &mut V) {
        if target == 0 {
            visitor.null();
        } else {
            self.slot_at(shape, target, self.trusts(target), visitor);
        }
    }

    /// Decodes the object that a reference points to, null included.
    pub fn object<V: Visitor + ?Sized>(&mut self, reference: usize, visitor: &mut V) {
        self.reference(reference, true, "object", visitor);
    }

    #[inline]
    pub(crate) const fn memory(&self) -> &'a M {
        self.memory
    }

    /// Returns whether an address is in the trusted part of the stack.
    #[must_use]
    pub fn trusts(&self, address: usize) -> bool {
        self.trusted.contains(&address)
    }

    /// Decodes the target of the reference in an argument's slot.
    pub(crate) fn referred<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, slot: usize, visitor: &mut V) {
        match self.free(slot, true) {
            Ok(word) => self.target(shape, usize::from_ne_bytes(word), visitor),
            Err(fail) => self.failed(&fail, "reference", shape.name(), slot, visitor),
        }
    }

    /// Copies a slot and decodes it. Slots of up to two words cost nothing of the budget, or a call with many
    /// arguments would lose the last ones.
    fn slot_at<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        address: usize,
        trusted: bool,
        visitor: &mut V,
    ) {
        let Some(size) = shape.size() else {
            self.opaque(shape, address, visitor);
            return;
        };
        if size > MAX_BODY {
            return visitor.elided_shape(shape, address, elided::SIZE);
        }
        if let ShapeKind::Primitive(primitive) = shape.kind() {
            return self.primitive_at(*primitive, shape, address, trusted, visitor);
        }
        if size <= 2 * POINTER_SIZE {
            self.budget = self.budget.saturating_add(size);
        }
        match self.copy(address, size, trusted) {
            Ok(slot) => {
                self.slot(shape, slot, visitor);
                self.scratch.release(slot.at);
            }
            Err(fail) => self.failed(&fail, "value", shape.name(), address, visitor),
        }
    }

    /// Decodes a slot that was copied.
    fn slot<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, slot: Slot, visitor: &mut V) {
        match shape.kind() {
            ShapeKind::Primitive(primitive) => self.primitive(*primitive, shape, slot, visitor),
            ShapeKind::Enum(enumeration) => self.enumeration(enumeration, shape, slot, visitor),
            ShapeKind::Struct(structure) => self.structure(structure, shape, slot, visitor),
            ShapeKind::Opaque { .. } | ShapeKind::Void => self.opaque(shape, slot.address, visitor),
            ShapeKind::String
            | ShapeKind::Reference
            | ShapeKind::Class(_)
            | ShapeKind::Array(_)
            | ShapeKind::Pointer(_)
            | ShapeKind::ByRef(_)
            | ShapeKind::FunctionPointer => self.address(shape, slot, visitor),
        }
    }

    /// Decodes a slot that holds an address.
    fn address<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, slot: Slot, visitor: &mut V) {
        let Some(address) = self.word(slot, 0) else {
            layout(shape, slot.address, "the slot is too small", visitor);
            return;
        };
        if address == 0 {
            visitor.null();
            return;
        }
        match shape.kind() {
            ShapeKind::String => self.string(address, slot.trusted, visitor),
            ShapeKind::Pointer(target) => self.pointer(shape, target, address, visitor),
            ShapeKind::ByRef(target) => self.by_ref(shape, target, address, visitor),
            ShapeKind::FunctionPointer => visitor.pointer(address),
            _ => self.reference(address, slot.trusted, shape.name(), visitor),
        }
    }

    fn pointer<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        target: &Target,
        address: usize,
        visitor: &mut V,
    ) {
        if matches!(target, Target::Unknown) {
            visitor.pointer(address);
            return;
        }
        if self.open(shape, address, visitor) {
            visitor.begin_pointer(address);
            self.follow(target, address, visitor);
            visitor.end_pointer();
            self.depth -= 1;
        }
    }

    /// Decodes the target of a managed reference in a slot.
    fn by_ref<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        target: &Target,
        address: usize,
        visitor: &mut V,
    ) {
        if self.open(shape, address, visitor) {
            self.follow(target, address, visitor);
            self.depth -= 1;
        }
    }

    fn follow<V: Visitor + ?Sized>(&mut self, target: &Target, address: usize, visitor: &mut V) {
        let shape = match self.target_shape(target) {
            Ok(shape) => shape,
            // Most likely the type is not loaded, since the program has not used it either.
            Err(error) => return self.opaque(&error.opaque_shape(), address, visitor),
        };
        let Some(size) = shape.size() else {
            return self.opaque(&shape, address, visitor);
        };
        if size > MAX_BODY {
            return visitor.elided_shape(&shape, address, elided::SIZE);
        }
        match self.copy(address, size, self.trusts(address)) {
            Ok(slot) => {
                self.slot(&shape, slot, visitor);
                self.scratch.release(slot.at);
            }
            Err(fail) => self.failed(&fail, "target", shape.name(), address, visitor),
        }
    }

    fn target_shape(&mut self, target: &Target) -> Result<Arc<TypeShape>, ResolveError> {
        match target {
            Target::Shape(shape) => Ok(Arc::clone(shape)),
            Target::Deferred(deferred) => {
                if let Some(known) = self.classes().target(deferred.number) {
                    return Ok(known);
                }
                let shape = deferred.resolve(self.runtime)?;
                if !shape.is_provisional() {
                    self.classes().put_target(deferred.number, Arc::clone(&shape));
                }
                Ok(shape)
            }
            Target::Unknown => Ok(Arc::new(TypeShape::opaque("?", None, elided::NOT_DECODED))),
        }
    }

    /// The shapes that the thread has met before.
    #[inline]
    fn classes(&mut self) -> &mut Classes {
        if !self.classes_are_current {
            self.classes_are_current = true;
            let runtime = core::ptr::from_ref(self.runtime).addr();
            self.scratch.classes.keep_of(runtime, self.runtime.epoch());
        }
        &mut self.scratch.classes
    }

    fn opaque<V: Visitor + ?Sized>(&self, shape: &TypeShape, address: usize, visitor: &mut V) {
        let reason = match shape.kind() {
            ShapeKind::Opaque { reason, .. } => reason,
            _ => elided::NOT_DECODED,
        };
        visitor.elided_shape(shape, address, reason);
    }

    /// Opens one more level, or visits an elision if the limit is reached.
    fn open<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, address: usize, visitor: &mut V) -> bool {
        let is_open = self.may_open();
        if !is_open {
            visitor.elided_shape(shape, address, self.depth_reason());
        }
        is_open
    }

    fn open_named<V: Visitor + ?Sized>(&mut self, name: &str, address: usize, visitor: &mut V) -> bool {
        let is_open = self.may_open();
        if !is_open {
            visitor.elided(name, address, self.depth_reason());
        }
        is_open
    }

    /// Counts one more level, unless the limit is reached.
    const fn may_open(&mut self) -> bool {
        let may = self.depth < self.limits.depth;
        self.depth += may as usize;
        may
    }

    /// Why a level is not opened.
    const fn depth_reason(&self) -> &'static str {
        if self.brief { elided::OFTEN } else { elided::DEPTH }
    }

    fn failed<V: Visitor + ?Sized>(
        &self,
        fail: &Fail,
        what: &'static str,
        type_name: &str,
        address: usize,
        visitor: &mut V,
    ) {
        match fail {
            Fail::Budget => {
                visitor.elided(type_name, address, if self.late { elided::TIME } else { elided::BYTES });
            }
            Fail::Memory(source) => visitor.error(&DecodeError::Memory { what, source: *source }),
        }
    }
}

/// The description of a type contradicts itself.
fn layout<V: Visitor + ?Sized>(shape: &TypeShape, address: usize, what: &'static str, visitor: &mut V) {
    visitor.error(&DecodeError::Layout { type_name: shape.name().into(), address, what });
}
