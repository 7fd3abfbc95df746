//! The values of a row, and the numbers in them that refer to definitions.

use super::FieldType;
use crate::bytes::{Cursor, Malformed, put_count, put_text};
use crate::definition::FunctionNumber;

/// The number of a text in a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(pub(crate) u32);

impl Text {
    /// No text.
    pub const NONE: Self = Self(0);
}

/// The number of a frame in a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameNumber(pub(crate) u32);

impl FrameNumber {
    /// No frame: it is unknown.
    pub const NONE: Self = Self(0);
}

/// The number of a stack in a recording: a node of the tree of all stacks, whose parent is the stack of the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub(crate) u32);

impl Node {
    /// The empty stack, the root of the tree.
    pub const NONE: Self = Self(0);
}

/// The number of a loaded module in a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleNumber(pub(crate) u32);

impl ModuleNumber {
    /// No module: it is unknown.
    pub const NONE: Self = Self(0);
}

/// A loaded module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The path of its file.
    pub path: String,
    /// The version id of a .NET module, or zeros.
    pub mvid: [u8; 16],
    /// The address where it begins.
    pub base: u64,
    /// The number of bytes from there on.
    pub size: u64,
    /// The build id of a native module; may be empty.
    pub build_id: Vec<u8>,
}

impl Module {
    /// Writes all but its number.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut facts = Vec::new();
        put_text(&mut facts, &self.path);
        facts.extend_from_slice(&self.mvid);
        put_count(&mut facts, self.base);
        put_count(&mut facts, self.size);
        put_count(&mut facts, self.build_id.len() as u64);
        facts.extend_from_slice(&self.build_id);
        put_count(out, facts.len() as u64);
        out.append(&mut facts);
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let path = cursor.text()?.to_owned();
        let mut mvid = [0; 16];
        mvid.copy_from_slice(cursor.take(16)?);
        let (base, size) = (cursor.count()?, cursor.count()?);
        Ok(Self { path, mvid, base, size, build_id: cursor.counted()?.to_vec() })
    }
}

/// A frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Frame {
    /// A place in a .NET method.
    Method {
        /// The method, which [`Recorder::function`](crate::Recorder::function) or [`Recorder::define`](crate::Recorder::define) has
        /// defined.
        function: FunctionNumber,
        /// The offset in its IL, if it is known.
        il_offset: Option<u32>,
    },
    /// A place in native code.
    Native {
        /// The module, which [`Recorder::module`](crate::Recorder::module) has defined.
        module: ModuleNumber,
        /// The offset from the beginning of the module.
        offset: u64,
        /// The name of the function, or [`Text::NONE`].
        symbol: Text,
    },
    /// A class, below the frame that allocates an object of it, or in a column of its own.
    Class(Text),
    /// Any other text: the name of a thread, a state, `[other]`.
    Label(Text),
    /// A frame of a kind that a newer version has added.
    Unknown(u8),
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A time in ticks of the recording's clock.
    Time(u64),
    /// The operating system's id of a thread.
    Thread(u64),
    /// A stack.
    Node(Node),
    /// A text.
    Text(Text),
    /// A class: the number of a [`Frame::Class`].
    Class(FrameNumber),
    /// A number of bytes.
    Bytes(u64),
    /// A duration in nanoseconds.
    Nanoseconds(u64),
    /// Yes or no.
    Bool(bool),
    /// A number that may be negative.
    Signed(i64),
    /// A value of a type that a newer version has added.
    Unknown(u64),
}

impl Value {
    /// Returns the type, which is that of the column.
    pub(crate) const fn field_type(self) -> Option<FieldType> {
        Some(match self {
            Self::Count(_) => FieldType::COUNT,
            Self::Time(_) => FieldType::TIME,
            Self::Thread(_) => FieldType::THREAD,
            Self::Node(_) => FieldType::NODE,
            Self::Text(_) => FieldType::TEXT,
            Self::Class(_) => FieldType::CLASS,
            Self::Bytes(_) => FieldType::BYTES,
            Self::Nanoseconds(_) => FieldType::NANOSECONDS,
            Self::Bool(_) => FieldType::BOOL,
            Self::Signed(_) => FieldType::SIGNED,
            Self::Unknown(_) => return None,
        })
    }

    /// Returns the value as the word that is recorded.
    pub(crate) const fn word(self) -> u64 {
        match self {
            Self::Count(word)
            | Self::Time(word)
            | Self::Thread(word)
            | Self::Bytes(word)
            | Self::Nanoseconds(word)
            | Self::Unknown(word) => word,
            Self::Node(Node(number)) | Self::Text(Text(number)) | Self::Class(FrameNumber(number)) => {
                number as u64
            }
            Self::Bool(bool) => bool as u64,
            Self::Signed(number) => number.cast_unsigned(),
        }
    }

    /// Returns the value of a column. `None` if the word is not one of its type.
    pub(crate) fn of(field_type: FieldType, word: u64) -> Option<Self> {
        let number = u32::try_from(word).ok();
        Some(match field_type {
            FieldType::COUNT => Self::Count(word),
            FieldType::TIME => Self::Time(word),
            FieldType::THREAD => Self::Thread(word),
            FieldType::NODE => Self::Node(Node(number?)),
            FieldType::TEXT => Self::Text(Text(number?)),
            FieldType::CLASS => Self::Class(FrameNumber(number?)),
            FieldType::BYTES => Self::Bytes(word),
            FieldType::NANOSECONDS => Self::Nanoseconds(word),
            FieldType::BOOL if word <= 1 => Self::Bool(word == 1),
            FieldType::BOOL => return None,
            FieldType::SIGNED => Self::Signed(word.cast_signed()),
            _ => Self::Unknown(word),
        })
    }

    /// Returns the number to add, if the value is one.
    #[must_use]
    pub fn number(self) -> Option<i128> {
        Some(match self {
            Self::Count(number) | Self::Bytes(number) | Self::Nanoseconds(number) | Self::Unknown(number) => {
                number.into()
            }
            Self::Signed(number) => number.into(),
            Self::Bool(bool) => bool.into(),
            Self::Time(_) | Self::Thread(_) | Self::Node(_) | Self::Text(_) | Self::Class(_) => return None,
        })
    }
}
