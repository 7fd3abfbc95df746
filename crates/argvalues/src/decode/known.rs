//! Tasks, memory, and objects with a runtime handle, shown by their meaning.

use std::sync::{Arc, LazyLock};

use super::{Decoder, Slot};
use crate::{
    limits::MAX_BODY,
    memory::{Memory, POINTER_SIZE},
    runtime::{Handle, ObjectRef, Runtime},
    shape::{
        ClassShape, ClassView, EnumShape, HandleField, HandleKind, Integer, Primitive, ShapeKind,
        StructShape, TaskFields, TypeShape,
    },
    visitor::{ArrayHead, EnumValue, Visitor},
};

const TASK_STATUS: &str = "System.Threading.Tasks.TaskStatus";
/// The values of `System.Threading.Tasks.TaskStatus` that are looked up by name.
const RAN_TO_COMPLETION: i64 = 5;
const FAULTED: i64 = 7;

/// The status for each flag of a task. The first set flag decides; without one the status is 0, `Created`.
const TASK_FLAGS: [(u32, i64); 7] = [
    (0x20_0000, FAULTED),
    (0x40_0000, 6),
    (0x100_0000, RAN_TO_COMPLETION),
    (0x80_0000, 4),
    (0x2_0000, 3),
    (0x1_0000, 2),
    (0x200_0000, 1),
];

/// The members of `System.Threading.Tasks.TaskStatus`.
static TASK_STATUSES: LazyLock<EnumShape> = LazyLock::new(|| {
    let names = [
        "Created",
        "WaitingForActivation",
        "WaitingToRun",
        "Running",
        "WaitingForChildrenToComplete",
        "RanToCompletion",
        "Canceled",
        "Faulted",
    ];
    EnumShape::new(Primitive::I32, false, (0..).zip(names.map(Box::from)))
});

/// The path of fields from a faulted task to its first exception.
const TASK_EXCEPTION: [&str; 4] =
    ["m_contingentProperties", "m_exceptionsHolder", "m_faultExceptions", "_items"];

fn status<V: Visitor + ?Sized>(status: i64, visitor: &mut V) {
    visitor.field(0, "Status");
    let value = Integer::Signed(status);
    visitor.enumeration(&EnumValue { type_name: TASK_STATUS, names: TASK_STATUSES.names(value), value });
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Visits a task: its status, its result or exception, and the fields of derived classes.
    pub(super) fn task<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        task: &TaskFields,
        object: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        if class.extent() > MAX_BODY {
            return false;
        }
        let Ok(slot) = self.copy(object.address, class.extent(), object.trusted) else { return false };
        let Some(flags) = self.array(slot, task.flags).map(u32::from_ne_bytes) else { return false };
        let state = TASK_FLAGS.iter().find(|(flag, _)| flags & flag != 0).map_or(0, |(_, status)| *status);
        visitor.begin_object(shape.name());
        status(state, visitor);
        let mut shown = 1;
        if let Some(result) = task.result.and_then(|index| class.fields().get(index))
            && state == RAN_TO_COMPLETION
        {
            visitor.field(shown, "Result");
            self.field(shape, result, slot, visitor);
            shown += 1;
        }
        if state == FAULTED
            && let Some(exception) = self.task_exception(object)
        {
            visitor.field(shown, "Exception");
            self.reference(exception, object.trusted, "object", visitor);
            shown += 1;
        }
        for field in class.fields().get(task.own.clone()).unwrap_or_default() {
            visitor.field(shown, field.name());
            self.field(shape, field, slot, visitor);
            shown += 1;
        }
        visitor.end_object(shown);
        self.scratch.release(slot.at);
        true
    }

    /// The first exception of a task that has failed.
    fn task_exception(&mut self, task: ObjectRef) -> Option<usize> {
        let items = TASK_EXCEPTION
            .iter()
            .try_fold(task.address, |address, name| self.follow_field(address, name, task.trusted))?;
        let store = self.store(items, task.trusted).filter(|store| store.length > 0)?;
        let first = usize::from_ne_bytes(self.small::<POINTER_SIZE>(store.data(), task.trusted).ok()?);
        self.follow_field(first, "_exception", task.trusted)
    }

    /// Returns the target of a reference field, unless it is null.
    fn follow_field(&mut self, address: usize, name: &str, trusted: bool) -> Option<usize> {
        let shape = self.shape_of(address, trusted)?;
        let ShapeKind::Class(class) = shape.kind() else { return None };
        let field = class.fields().iter().find(|field| field.name() == name)?;
        let at = address.wrapping_add(field.offset());
        Some(usize::from_ne_bytes(self.small::<POINTER_SIZE>(at, trusted).ok()?)).filter(|&found| found != 0)
    }

    pub(super) fn shape_of(&mut self, address: usize, trusted: bool) -> Option<Arc<TypeShape>> {
        if address == 0 {
            return None;
        }
        let header = usize::from_ne_bytes(self.small::<POINTER_SIZE>(address, trusted).ok()?);
        self.class_of(ObjectRef { address, header, trusted }).ok()
    }

    /// Visits the name that belongs to an object's handle. Returns `false` without an event if it has none.
    pub(super) fn named<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        field: &HandleField,
        object: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        self.handle_named(shape, field, object.address, object.trusted, visitor).is_some()
    }

    /// Visits the name of the handle in a field of the object at an address, if it has one.
    fn handle_named<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        field: &HandleField,
        address: usize,
        trusted: bool,
        visitor: &mut V,
    ) -> Option<()> {
        let handle = self.handle_in(field, address, trusted)?;
        if let Some(name) = self.classes().name(handle) {
            visitor.formatted(shape.name(), name);
            return Some(());
        }
        let name = self.runtime.handle_name(handle, trusted)?;
        visitor.formatted(shape.name(), &name);
        self.classes().put_name(handle, name);
        Some(())
    }

    fn handle_in(&mut self, field: &HandleField, address: usize, trusted: bool) -> Option<Handle> {
        let at = address.wrapping_add(field.offset);
        let declaring = field.declaring.and_then(|offset| self.type_handle(address, offset, trusted));
        Some(if field.kind.is_token() {
            let token = u32::from_ne_bytes(self.small(at, trusted).ok()?);
            match field.kind {
                HandleKind::Event => Handle::Event(token, declaring?),
                _ => Handle::Property(token, declaring?),
            }
        } else {
            let handle = usize::from_ne_bytes(self.small(at, trusted).ok()?);
            match field.kind {
                HandleKind::Method => Handle::Method(handle, declaring),
                HandleKind::Field => Handle::Field(handle, declaring),
                HandleKind::Module => Handle::Module(handle),
                _ => Handle::Type(handle),
            }
        })
    }

    /// The handle in the `System.RuntimeType` that a field refers to.
    fn type_handle(&mut self, address: usize, offset: usize, trusted: bool) -> Option<usize> {
        let object = usize::from_ne_bytes(self.small(address.wrapping_add(offset), trusted).ok()?);
        let shape = self.shape_of(object, trusted)?;
        let field = handle_field(&shape).filter(|field| field.kind == HandleKind::Type)?;
        Some(usize::from_ne_bytes(self.small(object.wrapping_add(field.offset), trusted).ok()?))
    }

    /// Visits a struct whose only field is such an object.
    pub(super) fn handle<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        object: usize,
        visitor: &mut V,
    ) -> bool {
        let Some(address) = self.word(slot, object) else { return false };
        let Some(inner) = self.shape_of(address, slot.trusted) else { return false };
        let Some(field) = handle_field(&inner) else { return false };
        self.handle_named(shape, field, address, slot.trusted, visitor).is_some()
    }

    /// A part of an array or of a string; `false`, and nothing shown, for memory of any other kind.
    pub(super) fn memory_of<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        (object, index, length): (usize, usize, usize),
        visitor: &mut V,
    ) -> bool {
        /// Set for an array that is pinned for good.
        const PINNED: u32 = 1 << 31;
        let Some(object) = self.word(slot, object) else { return false };
        let number = |offset| self.array(slot, offset).map(u32::from_ne_bytes);
        let (Some(index), Some(length)) = (number(index), number(length)) else { return false };
        let first = (index & !PINNED) as usize;
        let head = |length| ArrayHead { type_name: shape.name(), length, bounds: None };
        if object == 0 {
            visitor.begin_array(&head(0));
            visitor.end_array(0, false);
            return true;
        }
        let head = head(length as usize);
        let fits = |whole: usize| first.checked_add(head.length).is_some_and(|end| end <= whole);
        if let Some(store) = self.store(object, slot.trusted) {
            if !fits(store.length) {
                return false;
            }
            if self.open(shape, slot.address, visitor) {
                let element = store.seen_as(shape.args().first());
                self.stored(&head, &store, element, first, slot.address, visitor);
                self.depth -= 1;
            }
            return true;
        }
        let is_string =
            self.shape_of(object, slot.trusted).is_some_and(|of| matches!(of.kind(), ShapeKind::String));
        let strings = self.runtime.string_layout();
        let whole = self
            .small(object.wrapping_add(strings.length_offset as usize), slot.trusted)
            .map(u32::from_ne_bytes);
        if !is_string || !whole.is_ok_and(|whole| fits(whole as usize)) {
            return false;
        }
        if self.open(shape, slot.address, visitor) {
            let units =
                object.wrapping_add(strings.buffer_offset as usize).wrapping_add(first * size_of::<u16>());
            let char = TypeShape::primitive(Primitive::Char);
            self.items(&head, &char, units, slot.trusted, slot.address, visitor);
            self.depth -= 1;
        }
        true
    }

    /// An array that does not change: as an array, and null where there is none.
    pub(super) fn immutable_array<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        array: usize,
        visitor: &mut V,
    ) -> bool {
        let Some(array) = self.word(slot, array) else { return false };
        if array == 0 {
            visitor.null();
            return true;
        }
        let Some(store) = self.store(array, slot.trusted) else { return false };
        if self.open(shape, slot.address, visitor) {
            let head = ArrayHead { type_name: shape.name(), length: store.length, bounds: None };
            let element = store.seen_as(shape.args().first());
            self.stored(&head, &store, element, 0, slot.address, visitor);
            self.depth -= 1;
        }
        true
    }

    /// The result of a task that needed none; `false`, and nothing shown, if there is a task.
    pub(super) fn value_task<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        structure: &StructShape,
        slot: Slot,
        (task, result): (usize, Option<usize>),
        visitor: &mut V,
    ) -> bool {
        if self.word(slot, task) != Some(0) {
            return false;
        }
        if self.open(shape, slot.address, visitor) {
            visitor.begin_object(shape.name());
            status(RAN_TO_COMPLETION, visitor);
            let result = result.and_then(|index| structure.fields().get(index));
            if let Some(result) = result {
                visitor.field(1, "Result");
                self.field(shape, result, slot, visitor);
            }
            visitor.end_object(1 + usize::from(result.is_some()));
            self.depth -= 1;
        }
        true
    }

    /// Visits the target of a typed reference, like an object of that type.
    pub(super) fn typed_reference<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        (address, of): (usize, usize),
        visitor: &mut V,
    ) -> bool {
        let (Some(target), Some(handle)) = (self.word(slot, address), self.word(slot, of)) else {
            return false;
        };
        if handle == 0 || target == 0 {
            visitor.null();
            return true;
        }
        // The runtime does not check the handle that is passed to it.
        if !slot.trusted {
            return false;
        }
        let Ok(inner) = self.runtime.handle_shape(handle) else { return false };
        let Some(size) = inner.size().filter(|&size| size <= MAX_BODY) else { return false };
        if !self.open(shape, slot.address, visitor) {
            return true;
        }
        visitor.begin_boxed(shape.name());
        match self.copy(target, size, self.trusts(target)) {
            Ok(value) => {
                self.in_a_box(&inner, value, visitor);
                self.scratch.release(value.at);
            }
            Err(fail) => self.failed(&fail, "target", inner.name(), target, visitor),
        }
        visitor.end_boxed();
        self.depth -= 1;
        true
    }
}

fn handle_field(shape: &TypeShape) -> Option<&HandleField> {
    match shape.kind() {
        ShapeKind::Class(class) => match class.view() {
            Some(ClassView::Named(field)) => Some(field),
            _ => None,
        },
        _ => None,
    }
}
