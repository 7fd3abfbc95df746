//! Rows of any tool in a recording: samples, allocations, pauses, whatever a tool declares.
//!
//! A tool begins a [`Session`] and declares a [`Stream`] by a static [`Schema`]. It interns what rows refer to (texts, frames,
//! stacks) and emits rows. [`StreamReader`] reads the rows of every tool without knowing it: the schema has the names, types and
//! units of the columns and the way in which they are summed. [`Sums`] and [`StackSums`] do so.
//!
//! ```
//! use recording::streams::{
//!     Emitted, Field, FieldType, Frame, Item, Node, Schema, SessionStart, StreamReader, Sums, Value,
//! };
//! use recording::{Options, Recorder};
//!
//! static SAMPLES: Schema = Schema::new(
//!     "samples",
//!     &[
//!         Field::plain("time", FieldType::TIME),
//!         Field::key("thread", FieldType::THREAD),
//!         Field::key("stack", FieldType::NODE),
//!         Field::sum("cpu", FieldType::NANOSECONDS, "ns"),
//!     ],
//! );
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = tempfile::tempfile()?;
//! let recorder = Recorder::start(file.try_clone()?, Options::default(), |error| eprintln!("{error}"))?;
//! let start = SessionStart { tool: "cpu", settings: &[("rate", "100")], ..SessionStart::default() };
//! let session = recorder.session(&start).ok_or("there are too many sessions")?;
//! let samples = session.stream(&SAMPLES).ok_or("there are too many streams")?;
//!
//! let frame = |name| Some(recorder.frame(Frame::Label(recorder.text(name)?))?);
//! let frames = [frame("Main"), frame("Work")].into_iter().collect::<Option<Vec<_>>>();
//! let stack = frames.and_then(|frames| recorder.stack(Node::NONE, &frames)).unwrap_or(Node::NONE);
//! for _ in 0..3 {
//!     let row = [
//!         Value::Time(recorder.ticks()),
//!         Value::Thread(4711),
//!         Value::Node(stack),
//!         Value::Nanoseconds(10_000_000),
//!     ];
//!     assert_eq!(samples.emit(&row), Emitted::Kept);
//! }
//! session.end("stopped");
//! recorder.finish()?;
//!
//! # let mut file = file;
//! # std::io::Seek::rewind(&mut file)?;
//! let mut reader = StreamReader::new(file)?;
//! let mut sums = None;
//! while let Some(item) = reader.next()? {
//!     if let Item::Row(row) = item {
//!         if sums.is_none() {
//!             sums = Sums::new(row.stream(), &["stack"], "cpu");
//!         }
//!         sums.as_mut().ok_or("there is no such column")?.add(&row);
//!     }
//! }
//! let sums = sums.ok_or("there are no rows")?.into_sorted();
//! let (key, sum) = &sums[0];
//! let Value::Node(stack) = key[0] else { return Err("not a stack".into()) };
//! let names: Vec<_> = reader.tables().stack(stack).map(|frame| reader.tables().frame_name(frame)).collect();
//! assert_eq!((names, sum.rows, sum.total), (vec!["Work".to_owned(), "Main".to_owned()], 3, 30_000_000));
//! # Ok(())
//! # }
//! ```
//!
//! | file | subject |
//! |---|---|
//! | `session` | sessions and streams: emitting |
//! | `definitions` | defining what rows refer to |
//! | `tables` | what rows refer to, as it is read |
//! | `reader` | reading items |
//! | `row` | reading a row |
//! | `json` | a row as JSON |
//! | `sums` | sums by key columns and by stack |

mod definitions;
mod json;
mod reader;
mod row;
mod session;
mod sums;
mod tables;

pub use self::reader::{Item, Mark, Region, Row, StreamReader};
pub use self::session::{Emitted, Session, SessionStart, Stream};
pub use self::sums::{StackSum, StackSums, Sum, Sums};
pub use self::tables::{SessionEnd, SessionInfo, Tables};
pub use crate::sessions::{
    Aggregate, Column, Field, FieldType, Frame, FrameNumber, Module, ModuleNumber, Node, Schema, StreamInfo,
    Text, Value,
};
