//! A recording, read and written as something else.

use core::fmt::Write as _;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::time::Duration;

use corprof_in_process::printable::Printable;
use corprof_profile::{Format, Profile};
use recording::streams::{Item, Row, SessionInfo, StreamInfo, StreamReader};
use recording::{Process, ReadError};
use serde_json::{Map, Value, json};

use crate::error::ReportError;
use crate::limits::TOP;
use crate::metric::Metric;
use crate::missed::Missed;
use crate::output::Kind;
use crate::program::name_of;
use crate::stacks::StreamProfile;
use crate::table::Table;
use crate::tools;
use crate::view::{Moment, Shown, View};

/// What is wanted of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How many things a list has; otherwise the tool's setting, or 20.
    pub top: Option<usize>,
    /// Whether the tables of the streams are wanted, for [`Kind::Json`], [`Kind::Csv`] and metrics.
    pub tables: bool,
}

/// What a recording has, as far as it has been read.
///
/// It is fed item by item, so that it can be written while the recording is made. Its memory is bounded, whatever the recording says.
pub struct Report {
    options: Options,
    process: Process,
    program: String,
    until: u64,
    sessions: BTreeMap<u32, Session>,
    damage: Option<String>,
}

/// A session of a tool.
struct Session {
    info: SessionInfo,
    /// When it began, in nanoseconds since the recording did. Not known before a row has come, or the end.
    begin: Option<u64>,
    end: Option<u64>,
    view: Option<Box<dyn View>>,
    /// What was not recorded.
    missed: Missed,
    /// The streams, by their numbers.
    streams: BTreeMap<u32, Stream>,
}

/// A stream of a session.
struct Stream {
    table: Option<Table>,
    /// For a tool without a view of its own.
    profile: Option<StreamProfile>,
}

impl core::fmt::Debug for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let tools: Vec<&str> = self.sessions.values().map(|session| &*session.info.tool).collect();
        f.debug_struct("Report")
            .field("program", &self.program)
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}

impl Report {
    /// Begins a report on a recording of a process.
    #[must_use]
    pub fn new(process: &Process, options: Options) -> Self {
        let program = name_of(&process.command);
        Self { options, process: process.clone(), program, until: 0, sessions: BTreeMap::new(), damage: None }
    }

    /// Reads a whole recording, as far as it goes.
    ///
    /// # Errors
    /// [`ReportError::Read`]: it is none, it cannot be read, or it is damaged before its first session. One that is damaged later is read up to
    /// there, see [`damage`](Self::damage); one that is cut is no error.
    pub fn read(input: impl Read, options: Options) -> Result<Self, ReportError> {
        let mut reader = StreamReader::new(input)?;
        let mut report = Self::new(reader.tables().process(), options);
        loop {
            match reader.next() {
                Ok(Some(item)) => report.take(&item),
                Ok(None) => break,
                Err(error) => {
                    report.damaged(error)?;
                    break;
                }
            }
        }
        report.update(&reader);
        Ok(report)
    }

    /// Ends with what was read before an error, if there is a session and the recording is damaged.
    ///
    /// # Errors
    /// The error itself otherwise.
    pub fn damaged(&mut self, error: ReadError) -> Result<(), ReadError> {
        match error {
            ReadError::Damaged { .. } if !self.sessions.is_empty() => self.damage = Some(error.to_string()),
            error => return Err(error),
        }
        Ok(())
    }

    /// Returns where the recording is damaged, and how: the report has what is before.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Adds an item of the recording.
    pub fn take(&mut self, item: &Item<'_>) {
        match item {
            Item::Begin(info) => self.begin(info),
            Item::End(info) => {
                if let Some(session) = self.sessions.get_mut(&info.number) {
                    session.info.end.clone_from(&info.end);
                }
            }
            Item::Row(row) => self.row(row),
            _ => {}
        }
    }

    fn begin(&mut self, info: &SessionInfo) {
        let session = Session {
            info: info.clone(),
            begin: None,
            end: None,
            view: None,
            missed: Missed::default(),
            streams: BTreeMap::new(),
        };
        self.sessions.insert(info.number, session);
    }

    fn row(&mut self, row: &Row<'_>) {
        let Some(session) = self.sessions.get_mut(&row.session()) else { return };
        self.until = self.until.max(row.tables().until());
        session.know(row.tables(), &self.program, self.options);
        session.row(row, &self.program, self.options);
    }

    /// Takes what the reader knows beside its items: how far the recording goes, what it has lost, which streams have no rows. To be
    /// called at the end, and when a session has begun that is to be written before its first row.
    pub fn update<R: Read>(&mut self, reader: &StreamReader<R>) {
        let tables = reader.tables();
        self.until = self.until.max(tables.until());
        for session in self.sessions.values_mut() {
            session.know(tables, &self.program, self.options);
            let end = session.info.end.as_ref().map(|end| tables.timeline().nanoseconds(end.ticks));
            session.end = session.end.or(end);
            for stream in tables.streams() {
                let number = session.info.number;
                session.missed.lost(stream.number, tables.lost(number, stream.number));
                session.stream(stream, &self.program, self.options);
                if let Some(table) =
                    session.streams.get_mut(&stream.number).and_then(|stream| stream.table.as_mut())
                {
                    table.lost = tables.lost(number, stream.number);
                }
            }
        }
    }

    /// Returns the name of the program, escaped.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the process that was recorded.
    #[must_use]
    pub const fn process(&self) -> &Process {
        &self.process
    }

    /// Returns the names of the tools, in the order of their sessions.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.sessions.values().map(|session| &*session.info.tool)
    }

    /// Returns the reason for the end of a session that the recording has the end of.
    pub fn ends(&self) -> impl Iterator<Item = &str> {
        self.sessions.values().filter_map(|session| Some(&*session.info.end.as_ref()?.reason))
    }

    /// Writes what there is now.
    ///
    /// # Errors
    /// [`ReportError::Empty`]: no session has begun. [`ReportError::NoProfile`]: a profile is wanted, and there is none.
    pub fn write(&self, kind: Kind) -> Result<Vec<u8>, ReportError> {
        if self.sessions.is_empty() {
            return Err(ReportError::Empty);
        }
        match kind {
            Kind::Text => Ok(self.text().into_bytes()),
            Kind::Json => Ok(format!("{:#}\n", self.json()).into_bytes()),
            Kind::Csv => Ok(self.csv().into_bytes()),
            Kind::Profile(format) => self.format(format),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (index, session) in self.sessions.values().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            // A `String` takes everything.
            let _ = session.text(&self.program, self.options, self.until, &mut out);
        }
        out
    }

    fn json(&self) -> Value {
        let sessions = self.sessions.values().map(|session| {
            let settings = session.info.settings.iter();
            let settings: Map<String, Value> =
                settings.map(|(name, value)| (name.clone(), value.clone().into())).collect();
            let tables: Vec<Value> =
                session.streams.values().filter_map(|stream| Some(stream.table.as_ref()?.json())).collect();
            let end = session.info.end.as_ref().map(|end| &*end.reason);
            json!({
                "session": session.info.number, "tool": session.info.tool, "settings": settings,
                "nanoseconds": session.elapsed(self.until).as_nanos().to_string().parse::<u64>().unwrap_or(0),
                "end": end, "streams": tables,
            })
        });
        let sessions: Vec<Value> = sessions.collect();
        let Process { id, command, runtime, begin, .. } = &self.process;
        json!({
            "program": self.program, "process": id, "command": command, "runtime": runtime,
            "begin": begin, "damage": self.damage, "sessions": sessions,
        })
    }

    fn csv(&self) -> String {
        let mut out = String::new();
        let tables = self.sessions.values().flat_map(|session| session.streams.values());
        for table in tables.filter_map(|stream| stream.table.as_ref()) {
            if !out.is_empty() {
                out.push_str("\r\n");
            }
            table.write_csv(&mut out);
        }
        out
    }

    fn format(&self, format: Format) -> Result<Vec<u8>, ReportError> {
        let write = |error: &dyn core::fmt::Display| ReportError::Write(error.to_string());
        for session in self.sessions.values() {
            let mut bytes = Vec::new();
            if let Some(view) = &session.view
                && view.write(format, &mut bytes).map_err(|error| write(&error))?
            {
                return Ok(bytes);
            }
            if let Some((profile, value)) = session.profile() {
                profile.write(format, value, &mut bytes).map_err(|error| write(&error))?;
                return Ok(bytes);
            }
        }
        Err(ReportError::NoProfile { tool: self.tools().collect::<Vec<_>>().join(", ") })
    }

    /// Returns the profile of the first tool that has one: what has come since [`next_interval`](Self::next_interval).
    #[must_use]
    pub fn profile(&self) -> Option<Cow<'_, Profile>> {
        self.sessions.values().find_map(|session| session.profile().map(|(profile, _)| profile))
    }

    /// Begins a new profile: the next one has what comes from now on. Tables and text are of the whole time.
    pub fn next_interval(&mut self) {
        for session in self.sessions.values_mut() {
            session.view.iter_mut().for_each(|view| view.next_interval());
            let profiles = session.streams.values_mut().filter_map(|stream| stream.profile.as_mut());
            profiles.for_each(StreamProfile::next_interval);
        }
    }

    /// Returns the value of a metric. Needs [`Options::tables`].
    ///
    /// # Errors
    /// [`ReportError::Missing`]: there is no such stream or column, or it has no value.
    pub fn metric(&self, metric: &Metric) -> Result<f64, ReportError> {
        let of_tool = |session: &&Session| metric.tool.as_ref().is_none_or(|tool| *tool == session.info.tool);
        let sessions = || self.sessions.values().filter(of_tool);
        let tables = || {
            sessions().flat_map(|session| session.streams.values().filter_map(|stream| stream.table.as_ref()))
        };
        let found = tables().find(|table| table.name() == metric.stream);
        let missing =
            |known: Vec<&str>| ReportError::Missing { what: metric.to_string(), known: known.join(", ") };
        let table = found.ok_or_else(|| missing(tables().map(Table::name).collect()))?;
        table.aggregate(&metric.column, metric.aggregate).ok_or_else(|| missing(table.columns().collect()))
    }
}

impl Session {
    /// Makes the view, once the time of the beginning is known.
    fn know(&mut self, tables: &recording::streams::Tables, program: &str, options: Options) {
        if self.begin.is_some() {
            return;
        }
        let begin = tables.timeline().nanoseconds(self.info.begin);
        self.begin = Some(begin);
        let begin = Duration::from_nanos(begin);
        self.view = tools::view(&Shown { program, session: &self.info, begin, top: options.top });
    }

    fn stream(&mut self, stream: &StreamInfo, program: &str, options: Options) -> &mut Stream {
        let has_view = self.view.is_some();
        self.streams.entry(stream.number).or_insert_with(|| Stream {
            table: (options.tables || !has_view).then(|| Table::new(stream)),
            profile: if has_view { None } else { StreamProfile::new(program, stream) },
        })
    }

    fn row(&mut self, row: &Row<'_>, program: &str, options: Options) {
        self.missed.row(row);
        if let Some(view) = &mut self.view {
            view.row(row);
            if !options.tables {
                return;
            }
        }
        let Stream { table, profile } = self.stream(row.stream(), program, options);
        table.iter_mut().for_each(|table| table.add(row));
        profile.iter_mut().for_each(|profile| profile.add(row));
    }

    fn elapsed(&self, until: u64) -> Duration {
        Duration::from_nanos(self.end.unwrap_or(until).saturating_sub(self.begin.unwrap_or(0)))
    }

    fn profile(&self) -> Option<(Cow<'_, Profile>, usize)> {
        if let Some(view) = &self.view {
            return view.profile();
        }
        let profiles = self.streams.values().find_map(|stream| Some(stream.profile.as_ref()?.profile()));
        profiles.map(|(profile, value)| (Cow::Borrowed(profile), value))
    }

    fn text(&self, program: &str, options: Options, until: u64, out: &mut String) -> core::fmt::Result {
        let moment = Moment { elapsed: self.elapsed(until), missed: &self.missed };
        if let Some(view) = &self.view {
            return view.text(moment, out);
        }
        let tool = Printable(&self.info.tool);
        writeln!(out, "{program}: {tool}, {:.1} s", moment.elapsed.as_secs_f64())?;
        self.missed.write(out)?;
        let top = options.top.unwrap_or(TOP);
        let tables = self.streams.values().filter_map(|stream| stream.table.as_ref());
        tables.into_iter().try_for_each(|table| table.write_text(top, out))
    }
}
