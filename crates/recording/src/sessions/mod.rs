//! What sessions of tools write. [`streams`](crate::streams) describes them, and has all else.
//!
//! | file | subject |
//! |---|---|
//! | `schema` | what a tool declares, and the same as it is read |
//! | `value` | the values of a row, and what they refer to |
//! | `interned` | what rows refer to: each is in the file once |
//! | `written` | what a session shares with the writing thread |

mod interned;
mod schema;
mod value;
mod written;

pub(crate) use self::interned::Interned;
pub use self::schema::{Aggregate, Column, Field, FieldType, Schema, StreamInfo};
pub use self::value::{Frame, FrameNumber, Module, ModuleNumber, Node, Text, Value};
pub(crate) use self::written::{LANES, State, WrittenSession, lock};
