//! What the two sides say, and how it is encoded: fields of a number, a length and bytes, of which unknown ones are skipped.

use recording::blocks::{Cursor, MAX_BLOCK, Malformed, put_count};

use crate::limits::{MAX_CONTROL, MAX_TEXT};

/// Changes when an older side cannot talk to a newer one.
pub const MAJOR: u64 = 1;
/// Changes when there are new messages or fields, which an older side skips.
pub const MINOR: u64 = 1;

/// Kinds of blocks. Those below are of a recording; from `DATA` on, the content may be as long as there.
const CONTROL: u32 = 0x100;
const DATA: u32 = 0x200;
const HELLO: u32 = CONTROL;
const ACCEPTED: u32 = CONTROL + 1;
const REFUSED: u32 = CONTROL + 2;
const PROGRESS: u32 = CONTROL + 3;
const STOP: u32 = CONTROL + 4;
const END: u32 = CONTROL + 5;
const ERROR: u32 = CONTROL + 6;
const PROCESS: u32 = CONTROL + 7;
const START: u32 = CONTROL + 8;
const UNWANTED: u32 = CONTROL + 9;
const DOCUMENT: u32 = DATA;
const LINES: u32 = DATA + 1;
const RECORDING: u32 = DATA + 2;

/// Stands between the words of a command line, none of which has it.
const WORD_END: &str = "\0";

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message {
    /// The first one of each side.
    Hello {
        /// [`MAJOR`] of the sender.
        major: u64,
        /// [`MINOR`] of the sender.
        minor: u64,
        /// From the tool: that of the invitation.
        nonce: String,
        /// From the tool: its name.
        tool: String,
    },
    /// From the tool of a program that is starting, after its hello: what the client chooses by.
    Process {
        /// The process's id, as the process itself sees it.
        id: u64,
        /// Its command line, without what is too long.
        command: Vec<String>,
    },
    /// From the client, its answer to [`Process`](Self::Process): the tool is to measure.
    Start {
        /// The settings: lines of `NAME=value`.
        settings: String,
    },
    /// From the client, its answer to [`Process`](Self::Process), and the last message: this process is not meant.
    Unwanted,
    /// From the tool: it measures.
    Accepted,
    /// From the tool: it does not measure, and nothing was changed.
    Refused {
        /// The setting that is wrong; empty if none is.
        setting: String,
        /// The reason, and what would do.
        text: String,
    },
    /// From the tool: a part of a report, which replaces the one before of the same name.
    Document(Part),
    /// From the tool: lines, with their ends.
    Lines {
        /// The lines.
        text: String,
    },
    /// From the tool: the next bytes of its recording.
    Recording {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// From the tool: what it does meanwhile, for a person.
    Progress {
        /// A sentence.
        text: String,
    },
    /// From the client: the tool sends what it has, and leaves.
    Stop,
    /// From the tool, the last one.
    End {
        /// Why it ends.
        why: String,
        /// Why the tool stays in the process, if it does.
        stays: Option<String>,
        /// How many lines or documents were not sent, because the client did not take them.
        lost: u64,
    },
    /// From either side, the last one: what the other has sent makes no sense.
    Error {
        /// The reason.
        text: String,
    },
}

/// A part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The name of the document.
    pub name: String,
    /// Whether a document begins here; what there is of one that has not ended is discarded.
    pub is_first: bool,
    /// Whether the document is whole now.
    pub is_last: bool,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Returns the maximum content of a block.
pub(crate) const fn limit(kind: u32) -> u32 {
    if kind >= CONTROL && kind < DATA { MAX_CONTROL } else { MAX_BLOCK }
}

/// Fields that are being written.
#[derive(Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn bytes(mut self, number: u64, bytes: &[u8]) -> Self {
        put_count(&mut self.0, number);
        put_count(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn count(self, number: u64, count: u64) -> Self {
        let mut bytes = Vec::new();
        put_count(&mut bytes, count);
        self.bytes(number, &bytes)
    }

    /// A text, which is cut if it is too long.
    fn text(self, number: u64, text: &str) -> Self {
        self.bytes(number, &text.as_bytes()[..text.floor_char_boundary(MAX_TEXT)])
    }
}

/// The highest number of a field that is read.
const FIELDS: usize = 4;

impl Message {
    /// Returns the kind of the block and its content.
    pub(crate) fn content(&self) -> (u32, Vec<u8>) {
        let fields = Fields::default();
        let (kind, Fields(content)) = match self {
            Self::Hello { major, minor, nonce, tool } => {
                (HELLO, fields.count(1, *major).count(2, *minor).text(3, nonce).text(4, tool))
            }
            Self::Accepted => (ACCEPTED, fields),
            Self::Refused { setting, text } => (REFUSED, fields.text(1, setting).text(2, text)),
            Self::Document(part) => {
                let flags = u64::from(part.is_first) | u64::from(part.is_last) << 1;
                (DOCUMENT, fields.text(1, &part.name).count(2, flags).bytes(3, &part.bytes))
            }
            Self::Lines { text } => {
                let end = text.floor_char_boundary(MAX_BLOCK as usize / 2);
                (LINES, fields.bytes(1, &text.as_bytes()[..end]))
            }
            Self::Recording { bytes } => (RECORDING, fields.bytes(1, bytes)),
            Self::Progress { text } => (PROGRESS, fields.text(1, text)),
            Self::Stop => (STOP, fields),
            Self::End { why, stays, lost } => {
                let fields = fields.text(1, why).count(3, *lost);
                (END, stays.iter().fold(fields, |fields, stays| fields.text(2, stays)))
            }
            Self::Error { text } => (ERROR, fields.text(1, text)),
            Self::Process { id, command } => (PROCESS, fields.count(1, *id).text(2, &command.join(WORD_END))),
            Self::Start { settings } => (START, fields.bytes(1, settings.as_bytes())),
            Self::Unwanted => (UNWANTED, fields),
        };
        (kind, content)
    }

    /// Reads the content of a block; `None` for a kind that a newer side has.
    pub(crate) fn of_content(kind: u32, content: &[u8]) -> Result<Option<Self>, Malformed> {
        if !matches!(kind, HELLO..=UNWANTED | DOCUMENT..=RECORDING) {
            return Ok(None);
        }
        let mut found = [None; FIELDS + 1];
        let mut cursor = Cursor::new(content);
        while !cursor.is_at_end() {
            let number = cursor.count()?;
            let bytes = cursor.counted()?;
            if let Some(field) = usize::try_from(number).ok().and_then(|number| found.get_mut(number)) {
                *field = Some(bytes);
            }
        }
        let bytes = |number: usize| found.get(number).copied().flatten().unwrap_or_default();
        // What a tool has sent goes to a terminal, escaped; that it is text is all that counts here.
        let text = |number| String::from_utf8_lossy(bytes(number)).into_owned();
        let count =
            |number| if bytes(number).is_empty() { Ok(0) } else { Cursor::new(bytes(number)).count() };
        Ok(Some(match kind {
            HELLO => Self::Hello { major: count(1)?, minor: count(2)?, nonce: text(3), tool: text(4) },
            ACCEPTED => Self::Accepted,
            REFUSED => Self::Refused { setting: text(1), text: text(2) },
            PROGRESS => Self::Progress { text: text(1) },
            STOP => Self::Stop,
            END => {
                let stays = found.get(2).copied().flatten().map(|_| text(2));
                Self::End { why: text(1), stays, lost: count(3)? }
            }
            ERROR => Self::Error { text: text(1) },
            PROCESS => {
                let command = text(2);
                let words = command.split(WORD_END).filter(|_| !command.is_empty());
                Self::Process { id: count(1)?, command: words.map(str::to_owned).collect() }
            }
            START => Self::Start { settings: text(1) },
            UNWANTED => Self::Unwanted,
            DOCUMENT => {
                let flags = count(2)?;
                let (is_first, is_last) = (flags & 1 != 0, flags & 2 != 0);
                Self::Document(Part { name: text(1), is_first, is_last, bytes: bytes(3).to_vec() })
            }
            RECORDING => Self::Recording { bytes: bytes(1).to_vec() },
            _ => Self::Lines { text: text(1) },
        }))
    }
}
