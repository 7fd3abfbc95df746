//! Classes whose objects are shown by their meaning and not as their fields.
//!
//! A class with the right name but unexpected fields is not recognised and is shown as its fields.

use std::ops::Range;
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
    /// The text that it stands for.
    Text(TextFields),
    Lazy(LazyFields),
    Concurrent(ConcurrentFields),
    /// The text in the chunks of a `StringBuilder`.
    Chunks(ChunkFields),
    /// Some of the fields, by their indexes.
    Fields(Box<[usize]>),
    /// The value of the base class, and the fields that follow its own.
    Inherited {
        base: Arc<TypeShape>,
        own: Range<usize>,
    },
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
    /// `System.Data.Common.DbCommand`: its text and parameters, without connection and state.
    DbCommand,
}

impl ClassView {
    /// The view of a class by its own name.
    pub(super) fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        CollectionFields::recognise(full_name, fields)
            .map(Self::Collection)
            .or_else(|| HandleField::recognise(full_name, fields).map(Self::Named))
            .or_else(|| TextFields::recognise(full_name, fields).map(Self::Text))
            .or_else(|| LazyFields::recognise(full_name, fields).map(Self::Lazy))
            .or_else(|| ConcurrentFields::recognise(full_name, fields).map(Self::Concurrent))
            .or_else(|| ChunkFields::recognise(full_name, fields).map(Self::Chunks))
            .or_else(|| Self::some_fields(full_name, fields))
    }

    /// The view of a class whose other fields are of use to itself only.
    fn some_fields(full_name: &str, fields: &[Field]) -> Option<Self> {
        let shown: &[&str] = match full_name {
            "System.Net.Http.HttpRequestMessage" => &["_method", "_requestUri"],
            // One of both: as it was read, or since it was looked into.
            "System.Text.Json.Nodes.JsonObject" => &["_jsonElement", "_dictionary"],
            "System.Text.Json.Nodes.JsonArray" => &["_jsonElement", "_list"],
            name if name.starts_with("System.Text.Json.Nodes.JsonValue") => {
                return Some(Self::Fields(Box::new([find(fields, &["Value", "_value"])?])));
            }
            _ => return None,
        };
        let shown: Option<Box<[usize]>> = shown.iter().map(|name| find(fields, &[name])).collect();
        shown.map(Self::Fields)
    }

    /// The view of a command for a database, whose fields each provider names.
    fn command(fields: &[Field]) -> Option<Self> {
        let named =
            |end: &str| fields.iter().position(|field| field.name().to_ascii_lowercase().ends_with(end));
        let text = named("commandtext")?;
        let parameters = named("parameters").or_else(|| named("parametercollection"));
        Some(Self::Fields([Some(text), parameters].into_iter().flatten().collect()))
    }

    /// The view of a class whose base class has one. The base class declares the first fields.
    pub(super) fn inherited(base: Arc<TypeShape>, fields: &[Field]) -> Option<Self> {
        let ShapeKind::Class(class) = base.kind() else { return None };
        let own = class.fields().len()..fields.len();
        match class.view()? {
            Self::Lazy(lazy) => Some(Self::Lazy(LazyFields { own, ..lazy.clone() })),
            Self::Fields(shown) => Some(Self::Fields(shown.iter().copied().chain(own).collect())),
            _ => Some(Self::Inherited { base, own }),
        }
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
            KnownBase::DbCommand => Self::command(fields),
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
        let offset = |names: &[&str]| word(fields, names);
        Some(Self {
            target: offset(&["_target"])?,
            code: offset(&["_methodPtr"])?,
            static_code: offset(&["_methodPtrAux"])?,
            // The second name is that of .NET 11.
            count: offset(&["_invocationCount", "_extraData"])?,
            list: offset(&["_invocationList", "_helperObject"])?,
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
    /// In entries with keys, one after the other, none of them free.
    Ordered {
        /// The name of an entry.
        pair: Arc<str>,
    },
}

impl CollectionFields {
    /// Names the entries of a dictionary after its type arguments.
    pub(super) fn name_items(&mut self, args: &[Arc<TypeShape>]) {
        if let CollectionKind::Hashed { pair: Some(pair), .. } | CollectionKind::Ordered { pair } =
            &mut self.kind
        {
            *pair = name_of_pair(args);
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
            // In the order of `UnorderedItems`.
            "PriorityQueue`2" => plain(CollectionKind::List, store(&["_nodes"]), "_size"),
            "Queue`1" => plain(CollectionKind::Queue { head: number("_head")? }, store(&["_array"]), "_size"),
            "Dictionary`2" | "HashSet`1" => {
                // Of a set, up to .NET 4.8 and .NET Core 3.1 the slots in use are counted apart.
                let (used, free) = match number("_lastIndex") {
                    Some(used) => (used, None),
                    None => (number("_count")?, Some(number("_freeCount")?)),
                };
                let pair = (name == "Dictionary`2").then(|| PAIR.into());
                let kind = CollectionKind::Hashed { count: number("_count")?, free, pair };
                Some(Self { kind, store: store(&["_entries", "_slots"])?, used })
            }
            "OrderedDictionary`2" => {
                plain(CollectionKind::Ordered { pair: PAIR.into() }, store(&["_entries"]), "_count")
            }
            _ => None,
        }
    }
}

/// The name of an entry with a key whose type arguments are not known.
const PAIR: &str = "System.Collections.Generic.KeyValuePair<,>";

/// The name of an entry with a key, by the type arguments of the collection.
fn name_of_pair(args: &[Arc<TypeShape>]) -> Arc<str> {
    let names: Vec<&str> = args.iter().map(|arg| arg.name()).collect();
    TypeName::from_metadata("System.Collections.Generic.KeyValuePair`2", &names).into_text()
}

/// Where the parts of a concurrent collection begin.
#[derive(Clone, Debug)]
pub(crate) struct ConcurrentFields {
    pub(crate) kind: ConcurrentKind,
    /// The offset of the reference to the first part.
    pub(crate) first: usize,
}

/// The parts of a concurrent collection.
#[derive(Clone, Debug)]
pub(crate) enum ConcurrentKind {
    /// Nodes.
    Stack,
    /// Segments.
    Queue,
    /// An array for each thread.
    Bag,
    /// Buckets of nodes.
    Dictionary {
        /// The name of an entry.
        pair: Arc<str>,
    },
}

impl ConcurrentFields {
    /// Names the entries of a dictionary after its type arguments.
    pub(super) fn name_items(&mut self, args: &[Arc<TypeShape>]) {
        if let ConcurrentKind::Dictionary { pair } = &mut self.kind {
            *pair = name_of_pair(args);
        }
    }

    fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        let name = full_name.strip_prefix("System.Collections.Concurrent.")?;
        let (kind, first) = match name {
            "ConcurrentStack`1" => (ConcurrentKind::Stack, "_head"),
            "ConcurrentQueue`1" => (ConcurrentKind::Queue, "_head"),
            "ConcurrentBag`1" => (ConcurrentKind::Bag, "_workStealingQueues"),
            "ConcurrentDictionary`2" => (ConcurrentKind::Dictionary { pair: PAIR.into() }, "_tables"),
            _ => return None,
        };
        Some(Self { kind, first: word(fields, &[first])? })
    }
}

/// The layout of a chunk of a `StringBuilder`, which is the builder itself: the last chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkFields {
    /// The array of characters.
    pub(crate) chars: usize,
    /// The chunk before.
    pub(crate) previous: usize,
    /// The number of characters in use.
    pub(crate) length: usize,
    /// The number of characters in the chunks before.
    pub(crate) offset: usize,
}

impl ChunkFields {
    fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        let is_builder = full_name == "System.Text.StringBuilder";
        is_builder.then(|| {
            Some(Self {
                chars: word(fields, &["m_ChunkChars"])?,
                previous: word(fields, &["m_ChunkPrevious"])?,
                length: primitive(fields, "m_ChunkLength", Primitive::I32)?,
                offset: primitive(fields, "m_ChunkOffset", Primitive::I32)?,
            })
        })?
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
    pub(crate) own: Range<usize>,
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

/// The offsets of the references to the text of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextFields {
    /// The first one that is not null.
    pub(crate) texts: [Option<usize>; 2],
}

impl TextFields {
    fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        let text = |names: &[&str]| word(fields, names);
        let texts = match full_name {
            // As it was given, if that is not what it was made of.
            "System.Uri" => [
                text(&["_originalUnicodeString", "m_originalUnicodeString"]),
                Some(text(&["_string", "m_String"])?),
            ],
            "System.Net.Http.HttpMethod" => [Some(text(&["_method"])?), None],
            _ => return None,
        };
        Some(Self { texts })
    }
}

/// The layout of a `System.Lazy<T>`.
#[derive(Clone, Debug)]
pub(crate) struct LazyFields {
    /// The offset of the reference to what makes the value; null if it has been made.
    pub(crate) state: usize,
    /// The index of the field with the value.
    pub(crate) value: usize,
    /// The indexes of the fields that a derived class adds.
    pub(crate) own: Range<usize>,
}

impl LazyFields {
    fn recognise(full_name: &str, fields: &[Field]) -> Option<Self> {
        let is_lazy = full_name == "System.Lazy`1";
        is_lazy.then(|| {
            let (state, value) = (word(fields, &["_state"])?, find(fields, &["_value"])?);
            Some(Self { state, value, own: 0..0 })
        })?
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
