//! The class and the dimensions of an object, read from its memory, for fast hooks: there the runtime refuses calls about
//! objects, and another thread may not make them.
//!
//! On 64-bit runtimes an object begins with the address of its *method table*, in which a collection marks the lowest
//! bits. That address is the id of its class. Before .NET 5 arrays are an exception: their class's id is another, and
//! nothing leads from the object to it. There, the method table's address stands for the class too, and what the
//! runtime does not know of such an id is read here.
//!
//! | | offset | |
//! |---|---|---|
//! | array | 8 | number of elements, 32 bits |
//! | | 16 | unless it is a vector: the lengths of its dimensions and then their lower bounds, 32 bits each |
//! | method table | 0 | flags: the kind of type, and whether there are elements |
//! | | 4 | size of an object without elements, 32 bits; the word in front of it counts |
//! | | 48 | 3.1: the class of an array's elements |
//!
//! Contract of the unsafe code here: what is given is an object that is alive, or the method table of one.
//! The layouts are those of .NET Core 3.1 and .NET 9.0 on x86-64, compared with the runtime's own results by the
//! end-to-end test `hooks`.
#![allow(unsafe_code)]

use corprof_types::{ArrayInfo, ClassId, MAX_RANK, ObjectId};
use sigparse::ElementType;

use super::inflight::Work;
use super::info::Info;
use crate::error::Result;

/// The newest `ICorProfilerInfo` of a runtime whose arrays have a class id apart from their method table: that of
/// .NET Core 3.1.
pub(crate) const NEWEST_APART: u8 = 11;

/// The meaning of the flags.
mod flags {
    pub(super) const HAS_ELEMENTS: u32 = 0x8000_0000;
    pub(super) const KIND: u32 = 0x000F_0000;
    pub(super) const ARRAY_KINDS: u32 = 0x000C_0000;
    pub(super) const ARRAY: u32 = 0x0008_0000;
    pub(super) const VALUE_TYPE: u32 = 0x0004_0000;
    pub(super) const PRIMITIVE: u32 = 0x0007_0000;
}

/// The size of an array with one dimension that begins at 0 and no elements.
const VECTOR: usize = 24;
/// The size that a dimension adds: a length and a lower bound.
const DIMENSION: usize = 8;
/// Marks the id of a class that has no method table.
const NO_METHOD_TABLE: usize = 0b10;

/// A method table.
#[derive(Clone, Copy)]
struct MethodTable(usize);

impl MethodTable {
    /// That of an object.
    fn of(object: ObjectId<'_>) -> Self {
        // SAFETY: an object that is alive begins with this word.
        Self(unsafe { word::<usize>(object.as_raw(), 0) } & !0b111)
    }

    fn flags(self) -> u32 {
        // SAFETY: of a method table, as the contract says.
        unsafe { word(self.0, 0) }
    }

    /// The rank of an array and whether its dimensions are kept in the object; `None` for what is no array.
    fn rank(self) -> Option<(usize, bool)> {
        let flags = self.flags();
        if flags & flags::HAS_ELEMENTS == 0 || flags & flags::ARRAY_KINDS != flags::ARRAY {
            return None;
        }
        // SAFETY: as above.
        let size = unsafe { word::<u32>(self.0, 4) } as usize;
        match size.checked_sub(VECTOR)? / DIMENSION {
            0 => Some((1, false)),
            rank => Some((rank, true)),
        }
    }
}

/// The class of an object.
pub(crate) fn class_of(object: ObjectId<'_>) -> Option<ClassId> {
    // SAFETY: the id of a class is the address of its method table.
    unsafe { ClassId::from_raw(MethodTable::of(object).0) }
}

/// The dimensions of an array and the address of its elements; `None` for an object that is no array of this rank.
pub(crate) fn array(object: ObjectId<'_>, rank: usize) -> Option<ArrayInfo> {
    let (is, has_bounds) = MethodTable::of(object).rank()?;
    if is != rank || rank > MAX_RANK {
        return None;
    }
    let start = object.as_raw();
    if !has_bounds {
        // SAFETY: an array has this word.
        return Some(ArrayInfo::vector(start + 16, unsafe { word(start, 8) }));
    }
    let (mut dims, mut lower) = ([0; MAX_RANK], [0; MAX_RANK]);
    // SAFETY: the bounds of all dimensions are in front of the elements.
    unsafe {
        for (index, (length, lower_bound)) in dims.iter_mut().zip(&mut lower).take(rank).enumerate() {
            *length = word(start, 16 + 4 * index);
            *lower_bound = word(start, 16 + 4 * (rank + index));
        }
    }
    ArrayInfo::new(start + 16 + DIMENSION * rank, dims.get(..rank)?, lower.get(..rank)?)
}

impl Info {
    /// Of the class of an array whose id is the address of its method table: the class of the elements, what they are, and
    /// the rank. `None` for other classes.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded).
    pub(crate) fn array_layout(&self, class: ClassId) -> Result<Option<(ClassId, Element, u32)>> {
        let _alive = self.alive().begin_about(Work::Call, class.into())?;
        let raw = class.as_raw();
        if raw & NO_METHOD_TABLE != 0 {
            return Ok(None);
        }
        let Some((rank, _)) = MethodTable(raw).rank() else { return Ok(None) };
        // SAFETY: the method table of an array, whose class is alive.
        let element_class = unsafe { ClassId::from_raw(word(raw, 48)) };
        let Some(element_class) = element_class else { return Ok(None) };
        Ok(Some((element_class, Element::of(element_class), u32::try_from(rank).unwrap_or(0))))
    }
}

/// The elements of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Element {
    /// Of this type.
    Type(ElementType),
    /// Of a primitive type, which the name of the class says.
    Primitive,
}

impl Element {
    fn of(class: ClassId) -> Self {
        let raw = class.as_raw();
        if raw & NO_METHOD_TABLE != 0 {
            // SAFETY: what a class without a method table has instead begins with its element type.
            return Self::Type(ElementType(unsafe { word(raw & !0b11, 0) }));
        }
        match MethodTable(raw).flags() & flags::KIND {
            flags::PRIMITIVE => Self::Primitive,
            kind if kind & flags::ARRAY_KINDS == flags::VALUE_TYPE => Self::Type(ElementType::VALUETYPE),
            _ => Self::Type(ElementType::CLASS),
        }
    }
}

/// The value at an address and an offset.
///
/// # Safety
/// It is there, aligned, and nobody writes it.
unsafe fn word<T: Copy>(address: usize, offset: usize) -> T {
    // SAFETY: the contract of this function.
    unsafe { core::ptr::with_exposed_provenance::<T>(address + offset).read() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A method table and an array with it.
    fn array_of(flags: u32, size: u32, words: &[u32]) -> (Box<[u32; 2]>, Vec<u64>) {
        let table = Box::new([flags, size]);
        let mut object = vec![core::ptr::from_ref(&*table).expose_provenance() as u64 | 1];
        for pair in words.chunks(2) {
            let high = u64::from(pair.get(1).copied().unwrap_or_default());
            object.push(high << 32 | u64::from(pair[0]));
        }
        (table, object)
    }

    fn read(object: &[u64], rank: usize) -> Option<(Vec<(u32, i32)>, usize)> {
        // SAFETY: the memory outlives the id.
        let id = unsafe { ObjectId::from_raw(object.as_ptr().expose_provenance()) }.unwrap();
        let info = array(id, rank)?;
        let dimensions = info.dims().iter().copied().zip(info.lower().iter().copied()).collect();
        Some((dimensions, info.data() - object.as_ptr().addr()))
    }

    #[test]
    fn a_vector_has_a_length() {
        let (_table, object) = array_of(0x800A_0004, 24, &[3, 0, 7, 8, 9]);
        assert_eq!(read(&object, 1), Some((vec![(3, 0)], 16)));
        assert_eq!(read(&object, 2), None);
    }

    #[test]
    fn other_arrays_have_bounds() {
        let bound = (-1i32).cast_unsigned();
        let (_table, object) = array_of(0x8008_0004, 40, &[6, 0, 2, 3, 5, bound]);
        assert_eq!(read(&object, 2), Some((vec![(2, 5), (3, -1)], 32)));
        let (_table, object) = array_of(0x8008_0004, 32, &[2, 0, 2, 4]);
        assert_eq!(read(&object, 1), Some((vec![(2, 4)], 24)));
    }

    #[test]
    fn a_string_is_no_array() {
        let (_table, object) = array_of(0x8000_0002, 22, &[3, 0]);
        assert_eq!(read(&object, 1), None);
    }
}
