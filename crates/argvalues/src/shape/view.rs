//! Classes whose objects are shown by their meaning and not as their fields.
//!
//! A class with the right name but unexpected fields is not recognised and is shown as its fields.

use std::sync::Arc;

use clrnames::TypeName;

use super::{Field, Primitive, ShapeKind, TypeShape};
use crate::memory::POINTER_SIZE;

/// The form of a class's objects, if not their fields.
#[derive(Clone, Debug)]
pub(crate) enum ClassView {
    Delegate(DelegateFields),
    Collection(CollectionFields),
    Task(TaskFields),
    /// The name behind a handle.
    Named(HandleField),
    /// Some of the fields, by their indexes.
    Fields(Box<[usize]>),
}

/// A base class whose objects are shown in a form of their own, whatever class is derived from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KnownBase {
    /// `System.MulticastDelegate`.
    Delegate,
    /// `System.Exception`: message, inner exception and HRESULT, without the runtime's internal fields.
    Exception,
    /// `System.Threading.Tasks.Task` and `Task<TResult>`: status and result, without the scheduling state.
    Task,
}

impl ClassView {
    /// The view of a class by its own name.
    pub(super) fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        CollectionFields::recognise(full_name, fields)
            .map(Self::Collection)
            .or_else(|| HandleField::recognise(full_name, fields).map(Self::Named))
    }

    /// The view of a class that is derived from a known base, which declares the first `inherited` fields.
    pub(super) fn derived(base: KnownBase, inherited: usize, fields: &[Field]) -> Option<Self> {
        match base {
            KnownBase::Delegate => DelegateFields::find(fields).map(Self::Delegate),
            KnownBase::Exception => {
                const SHOWN: [&str; 3] = ["_message", "_innerException", "_HResult"];
                let is_shown = |index: usize| index >= inherited || SHOWN.contains(&fields[index].name());
                Some(Self::Fields((0..fields.len()).filter(|&index| is_shown(index)).collect()))
            }
            KnownBase::Task => TaskFields::find(inherited, fields).map(Self::Task),
        }
    }
}

/// The offsets of a delegate's fields, from the reference's address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelegateFields {
    /// The object that the method is called on; the delegate itself if the method is static.
    pub(crate) target: usize,
    /// The code that is called; for static methods a stub that drops the first argument.
    pub(crate) code: usize,
    /// The code of a static method.
    pub(crate) static_code: usize,
    /// The number of delegates in a combined one.
    pub(crate) count: usize,
    /// The delegates that a combined one calls.
    pub(crate) list: usize,
}

impl DelegateFields {
    fn find(fields: &[Field]) -> Option<Self> {
        let offset = |name| word(fields, &[name]);
        Some(Self {
            target: offset("_target")?,
            code: offset("_methodPtr")?,
            static_code: offset("_methodPtrAux")?,
            count: offset("_invocationCount")?,
            list: offset("_invocationList")?,
        })
    }
}

/// The layout of a collection's items: offsets from the reference's address.
#[derive(Clone, Debug)]
pub(crate) struct CollectionFields {
    pub(crate) kind: CollectionKind,
    /// The array.
    pub(crate) store: usize,
    /// The number of used items of the array, as 32 bits.
    pub(crate) used: usize,
}

/// The order and spacing of items in the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CollectionKind {
    /// One after the other.
    List,
    /// The last one is the first.
    Stack,
    /// Around the end of the array.
    Queue {
        /// The offset of the index of the first item.
        head: usize,
    },
    /// In entries; free entries are skipped.
    Hashed {
        /// The offset of the number of entries; the number at `free` is subtracted from it.
        count: usize,
        free: Option<usize>,
        /// The name of an entry with a key.
        pair: Option<Arc<str>>,
    },
}

impl CollectionFields {
    /// Names the entries of a dictionary after its type arguments.
    pub(super) fn name_items(&mut self, args: &[Arc<TypeShape>]) {
        if let CollectionKind::Hashed { pair: Some(pair), .. } = &mut self.kind {
            let names: Vec<&str> = args.iter().map(|arg| arg.name()).collect();
            *pair = TypeName::from_metadata("System.Collections.Generic.KeyValuePair`2", &names).into_text();
        }
    }

    fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        let name = full_name.strip_prefix("System.Collections.Generic.")?;
        let store = |names| word(fields, names);
        let number = |name| primitive(fields, name, Primitive::I32);
        let plain =
            |kind, store: Option<usize>, used| Some(Self { kind, store: store?, used: number(used)? });
        match name {
            "List`1" => plain(CollectionKind::List, store(&["_items"]), "_size"),
            "Stack`1" => plain(CollectionKind::Stack, store(&["_array"]), "_size"),
            "Queue`1" => plain(CollectionKind::Queue { head: number("_head")? }, store(&["_array"]), "_size"),
            "Dictionary`2" | "HashSet`1" => {
                // Of a set, up to .NET 4.8 and .NET Core 3.1 the slots in use are counted apart.
                let (used, free) = match number("_lastIndex") {
                    Some(used) => (used, None),
                    None => (number("_count")?, Some(number("_freeCount")?)),
                };
                let pair =
                    (name == "Dictionary`2").then(|| "System.Collections.Generic.KeyValuePair<,>".into());
                let kind = CollectionKind::Hashed { count: number("_count")?, free, pair };
                Some(Self { kind, store: store(&["_entries", "_slots"])?, used })
            }
            _ => None,
        }
    }
}

/// The layout of a task's state.
#[derive(Clone, Debug)]
pub(crate) struct TaskFields {
    /// The flags, as 32 bits.
    pub(crate) flags: usize,
    /// The index of the field with the result.
    pub(crate) result: Option<usize>,
    /// The indexes of the fields that a derived class adds.
    pub(crate) own: core::ops::Range<usize>,
}

impl TaskFields {
    fn find(inherited: usize, fields: &[Field]) -> Option<Self> {
        let inherited = inherited.min(fields.len());
        Some(Self {
            flags: primitive(fields, "m_stateFlags", Primitive::I32)?,
            result: find(&fields[..inherited], &["m_result"]),
            own: inherited..fields.len(),
        })
    }
}

/// The layout of an object's runtime handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandleField {
    pub(crate) kind: HandleKind,
    /// The number: an address, or a token of 32 bits.
    pub(crate) offset: usize,
    /// The `System.RuntimeType` that declares it.
    pub(crate) declaring: Option<usize>,
}

/// The kind of a runtime handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandleKind {
    Type,
    Method,
    Field,
    Property,
    Event,
    Module,
}

impl HandleKind {
    /// Returns whether it is a token, and not an address.
    pub(crate) const fn is_token(self) -> bool {
        matches!(self, Self::Property | Self::Event)
    }
}

impl HandleField {
    fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        let (kind, names): (_, &[&str]) = match full_name.strip_prefix("System.")? {
            "RuntimeType" => (HandleKind::Type, &["m_handle"]),
            "Reflection.RuntimeMethodInfo" | "Reflection.RuntimeConstructorInfo" => {
                (HandleKind::Method, &["m_handle"])
            }
            "RuntimeMethodInfoStub" => (HandleKind::Method, &["m_value"]),
            "Reflection.RtFieldInfo" | "RuntimeFieldInfoStub" => (HandleKind::Field, &["m_fieldHandle"]),
            "Reflection.RuntimePropertyInfo" => (HandleKind::Property, &["m_token"]),
            "Reflection.RuntimeEventInfo" => (HandleKind::Event, &["m_token"]),
            "Reflection.RuntimeModule" => (HandleKind::Module, &["m_pData"]),
            _ => return None,
        };
        let field = &fields[find(fields, names)?];
        let size = if kind.is_token() { size_of::<u32>() } else { POINTER_SIZE };
        (field.shape().size() == Some(size)).then_some(Self {
            kind,
            offset: field.offset(),
            declaring: word(fields, &["m_declaringType"]),
        })
    }
}

/// The index of the field with one of these names.
pub(super) fn find(fields: &[Field], names: &[&str]) -> Option<usize> {
    fields.iter().position(|field| names.contains(&field.name()))
}

/// Returns the offset of a pointer-sized field.
pub(super) fn word(fields: &[Field], names: &[&str]) -> Option<usize> {
    let field = &fields[find(fields, names)?];
    (field.shape().size() == Some(POINTER_SIZE)).then_some(field.offset())
}

/// Returns the offset of a field of a primitive type.
pub(super) fn primitive(fields: &[Field], name: &str, of: Primitive) -> Option<usize> {
    let field = &fields[find(fields, &[name])?];
    matches!(field.shape().kind(), ShapeKind::Primitive(found) if *found == of).then_some(field.offset())
}
