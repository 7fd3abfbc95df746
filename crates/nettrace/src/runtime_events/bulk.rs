//! Events with many values: the types and objects of a heap.

use crate::runtime_events::layout::{Layout, flags, layout, values};
use crate::runtime_events::payload::{DecodeError, Reader, Utf16, Values};

flags! {
    /// Properties of a type.
    TypeFlags(u32) {
        /// A delegate.
        DELEGATE = 1,
        /// It has a finalizer.
        FINALIZABLE = 2,
        /// A COM object.
        COM_OBJECT = 4,
        /// An array.
        ARRAY = 8,
    }
}

impl TypeFlags {
    /// Returns the rank of an array.
    #[must_use]
    pub const fn rank(self) -> u32 {
        (self.0 >> 8) & 0x3F
    }
}

values! {
    /// The kind of a root.
    RootKind(u8) {
        /// A local variable or a register.
        STACK = 0,
        /// The queue of finalizers.
        FINALIZER = 1,
        /// A handle.
        HANDLE = 2,
        /// Another one.
        OTHER = 3,
    }
}

flags! {
    /// Properties of a root.
    RootFlags(u32) {
        /// The object may not be moved.
        PINNING = 1,
        /// It does not keep the object alive.
        WEAK = 2,
        /// It points into the object.
        INTERIOR = 4,
        /// It keeps the object alive while its reference count is not 0.
        REF_COUNTED = 8,
    }
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type<'p> {
    /// The type, an address in the runtime.
    pub id: u64,
    /// The module, an address in the runtime.
    pub module: u64,
    /// The metadata token.
    pub token: u32,
    /// Properties.
    pub flags: TypeFlags,
    /// The element type, of ECMA-335.
    pub element_type: u8,
    /// The name, without type arguments. It is empty in sessions that do not enable names.
    pub name: Utf16<'p>,
    /// The type arguments, or the element type of an array.
    pub parameters: Values<'p, u64>,
}

impl<'p> Layout<'p> for Type<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        let (id, module, token) = (from.u64()?, from.u64()?, from.u32()?);
        let (flags, element_type, name) = (TypeFlags(from.u32()?), from.u8()?, from.text()?);
        let count = from.u32()?;
        let parameters = from.sized(count, 8)?;
        Ok(Self { id, module, token, flags, element_type, name, parameters })
    }
}

layout! {
    /// A reference from a root to an object.
    Root {
        /// The address of the object.
        object: u64 = pointer;
        /// The kind of the root.
        kind: RootKind = u8;
        /// Properties.
        flags: RootFlags = u32;
        /// The address of the root.
        id: u64 = pointer;
    }
}

layout! {
    /// An entry of a `ConditionalWeakTable`: the key keeps the value alive.
    ConditionalWeakTableEdge {
        /// The address of the key.
        key: u64 = pointer;
        /// The address of the value.
        value: u64 = pointer;
        /// The address of the handle.
        root: u64 = pointer;
    }
}

layout! {
    /// An object.
    Node {
        /// The address.
        address: u64 = pointer;
        /// The size in bytes.
        size: u64 = u64;
        /// The type, an address in the runtime.
        type_id: u64 = u64;
        /// The number of the object's references: as many of the next [`Edge`]s.
        edges: u64 = u64;
    }
}

layout! {
    /// A reference from an object to another.
    Edge {
        /// The address of the object.
        target: u64 = pointer;
        /// The field, which the runtime leaves 0.
        field: u32 = u32;
    }
}

layout! {
    /// A static variable that refers to an object.
    StaticRoot<'p> {
        /// The address of the variable.
        root: u64 = u64;
        /// The address of the object.
        object: u64 = u64;
        /// The type that declares the variable.
        type_id: u64 = u64;
        /// Bits: 1 of a thread.
        flags: u32 = u32;
        /// The name of the field.
        field: Utf16<'p> = text;
    }
}

layout! {
    /// A range of objects that a collection has kept where they were.
    SurvivingRange {
        /// The address.
        base: u64 = pointer;
        /// The size in bytes.
        length: u64 = u64;
    }
}

layout! {
    /// A range of objects that a collection has moved.
    MovedRange {
        /// The address before.
        old_base: u64 = pointer;
        /// The address after.
        new_base: u64 = pointer;
        /// The size in bytes.
        length: u64 = u64;
    }
}

/// `BulkType`: types that other events refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BulkTypes<'p> {
    /// The types. Reading one may fail.
    pub types: Values<'p, Type<'p>>,
}

impl<'p> Layout<'p> for BulkTypes<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        let count = from.u32()?;
        from.u16()?;
        Ok(Self { types: from.values(count) })
    }
}

/// `GCBulkRootStaticVar`: static variables that refer to objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BulkStaticRoots<'p> {
    /// The application domain.
    pub app_domain: u64,
    /// The variables. Reading one may fail.
    pub roots: Values<'p, StaticRoot<'p>>,
}

impl<'p> Layout<'p> for BulkStaticRoots<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        let (count, app_domain) = (from.u32()?, from.u64()?);
        from.u16()?;
        Ok(Self { app_domain, roots: from.values(count) })
    }
}

/// Defines an event with a number and values of one size.
macro_rules! bulk {
    ($(#[$doc:meta])* $name:ident { $(#[$field:meta])* $values:ident: $of:ty, $pointers:literal, $rest:literal }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name<'p> {
            /// The number of the event within the collection, from 0.
            pub index: u32,
            $(#[$field])*
            pub $values: Values<'p, $of>,
        }

        impl<'p> Layout<'p> for $name<'p> {
            fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
                let (index, count) = (from.u32()?, from.u32()?);
                from.u16()?;
                let size = $pointers * from.pointer_size() + $rest;
                Ok(Self { index, $values: from.sized(count, size)? })
            }
        }
    };
}

bulk! {
    /// `GCBulkRootEdge`: roots.
    BulkRootEdges {
        /// The roots.
        roots: Root, 2, 5
    }
}

bulk! {
    /// `GCBulkRootConditionalWeakTableElementEdge`: entries of tables.
    BulkConditionalWeakTableEdges {
        /// The entries.
        edges: ConditionalWeakTableEdge, 3, 0
    }
}

bulk! {
    /// `GCBulkNode`: objects.
    BulkNodes {
        /// The objects.
        nodes: Node, 1, 24
    }
}

bulk! {
    /// `GCBulkEdge`: references, those of one object after those of another.
    BulkEdges {
        /// The references.
        edges: Edge, 1, 4
    }
}

bulk! {
    /// `GCBulkSurvivingObjectRanges`.
    SurvivingRanges {
        /// The ranges.
        ranges: SurvivingRange, 1, 8
    }
}

bulk! {
    /// `GCBulkMovedObjectRanges`.
    MovedRanges {
        /// The ranges.
        ranges: MovedRange, 2, 8
    }
}
