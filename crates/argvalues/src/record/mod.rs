//! Values as compact bytes, written quickly and read later.
//!
//! A hook has no time for text. [`RecordWriter`] is a visitor that writes bytes; [`RecordReader`] replays the events to
//! another visitor, on another thread or after the program has ended.
//!
//! # The format
//!
//! Values follow each other. Each begins with a tag byte, which determines the rest. Numbers are little-endian; a
//! *count* is an unsigned LEB128 number; a *name* is the number, as a count, of a text in [`RecordNames`], which is
//! stored beside the records.
//!
//! | byte | value | what follows |
//! |---|---|---|
//! | `00` | null | |
//! | `01`, `02` | `false`, `true` | |
//! | `03` | `char` | 2 bytes |
//! | `04`, `05`, `06` | `Half`, `float`, `double` | 2, 4, 8 bytes |
//! | `07` | string | count of units that are shown, count of those that are not, the units |
//! | `10` + n | signed integer | its n lowest bytes, n from 1 to 8; the rest is sign |
//! | `20` + n | unsigned integer | its n lowest bytes, n from 0 to 8 |
//! | `30` | enum | name of the type, count of members, their names, the integer |
//! | `31` | a type with a text of its own | name of the type, count of bytes, the text |
//! | `32` | number in a box | name of the type, the value |
//! | `33` | struct or object | name of the type, the values of the fields, `3E` |
//! | `34` | array | name of the type, count of all items, count of dimensions if it is no vector and 0 if it is, for each dimension 4 bytes of size and 4 of lower bound, the items, `3E`, or `3F` if not all are there |
//! | `35` | in an array: items | the primitive type, count, the bytes of the items as they were in memory |
//! | `36` | delegate | name of the type, the target, name of the method + 1, or 0 |
//! | `37` | pointer | 8 bytes |
//! | `38` | pointer with target | 8 bytes, the target |
//! | `39` | left out | name of the type, 8 bytes of address, name of the reason |
//! | `3A` | cycle | name of the type, 8 bytes of address |
//! | `3B` | error | count of bytes, the message |
//! | `3C` | in an object: a name | name of the field that follows |
//!
//! A number that the decoder has read as one of up to four bytes is written with all of them, since counting its
//! significant bytes would take longer.
//!
//! The name of a field is the one that the field with this index had when a value of the type was first written. If it
//! differs (two types with one name), tag `3C` precedes the field.
//!
//! # Names as bytes
//!
//! A reader needs the names that records refer to. [`RecordNames::additions`] writes the additions since a
//! [mark](NamesMark), and [`RecordNames::add_from`] adds them. Additions follow each other:
//!
//! | byte | what follows | meaning |
//! |---|---|---|
//! | `00` | count of bytes, the text | the name with the next number |
//! | `01` | two names | the first is that of a type, the second of its next field |

mod additions;
mod names;
mod numbers;
mod reader;
mod writer;

pub use additions::{Additions, NamesMark};
pub use names::RecordNames;
pub(crate) use numbers::{Number, Tag, append, plain_tag};
pub use reader::{RecordError, RecordReader};
pub use writer::RecordWriter;

mod tag {
    pub(super) const NULL: u8 = 0x00;
    pub(super) const FALSE: u8 = 0x01;
    pub(super) const TRUE: u8 = 0x02;
    pub(super) const CHAR: u8 = 0x03;
    pub(super) const HALF: u8 = 0x04;
    pub(super) const SINGLE: u8 = 0x05;
    pub(super) const DOUBLE: u8 = 0x06;
    pub(super) const STRING: u8 = 0x07;
    pub(super) const SIGNED: u8 = 0x10;
    pub(super) const UNSIGNED: u8 = 0x20;
    pub(super) const ENUM: u8 = 0x30;
    pub(super) const FORMATTED: u8 = 0x31;
    pub(super) const BOXED: u8 = 0x32;
    pub(super) const OBJECT: u8 = 0x33;
    pub(super) const ARRAY: u8 = 0x34;
    pub(super) const PRIMITIVES: u8 = 0x35;
    pub(super) const DELEGATE: u8 = 0x36;
    pub(super) const POINTER: u8 = 0x37;
    pub(super) const POINTER_TO: u8 = 0x38;
    pub(super) const ELIDED: u8 = 0x39;
    pub(super) const CYCLE: u8 = 0x3A;
    pub(super) const ERROR: u8 = 0x3B;
    pub(super) const NAME: u8 = 0x3C;
    pub(super) const END: u8 = 0x3E;
    pub(super) const END_CUT: u8 = 0x3F;
}
