//! The table of a stream, by its schema: rows are grouped by the key columns, and the others are added up.

mod distribution;
mod write;

use std::collections::HashMap;

use recording::streams::{self, FieldType, Row, StreamInfo, Value};

use self::distribution::Distribution;
use crate::limits::{DISTRIBUTIONS, GROUPS};

/// What a column's values are made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aggregate {
    /// The number of rows.
    Count,
    /// The sum.
    Sum,
    /// The lowest value.
    Least,
    /// The highest value.
    Most,
    /// The mean.
    Mean,
    /// The value that so many percent of the values do not exceed, at most one part in 64 too high.
    Quantile(u8),
    /// The last value.
    Last,
}

/// The aggregates with their names in a metric.
const NAMES: &[(&str, Aggregate)] = &[
    ("count", Aggregate::Count),
    ("sum", Aggregate::Sum),
    ("min", Aggregate::Least),
    ("max", Aggregate::Most),
    ("mean", Aggregate::Mean),
    ("p50", Aggregate::Quantile(50)),
    ("p90", Aggregate::Quantile(90)),
    ("p99", Aggregate::Quantile(99)),
    ("last", Aggregate::Last),
];

impl Aggregate {
    /// Returns the aggregate with a name: `count`, `sum`, `min`, `max`, `mean`, `p50`, `p90`, `p99`, `last`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, aggregate)| *aggregate)
    }

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Returns the names of all.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns the value of a distribution; `None` if it has none.
    #[allow(clippy::cast_precision_loss, reason = "a sum of more than 2⁵³ is rounded")]
    fn of(self, values: &Distribution) -> Option<f64> {
        let some = |value: i128| (values.count() > 0).then_some(value as f64);
        match self {
            Self::Count => Some(values.count() as f64),
            Self::Sum => Some(values.sum() as f64),
            Self::Least => some(values.least()),
            Self::Most => some(values.most()),
            Self::Mean => some(values.sum()).map(|sum| sum / values.count() as f64),
            Self::Quantile(percent) => values.quantile(percent.into()).map(|value| value as f64),
            Self::Last => some(values.last()),
        }
    }
}

/// A key of a group, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Number(i128),
    Bool(bool),
    Text(Box<str>),
    /// Names, the outermost first.
    Stack(Box<[String]>),
}

/// The rows of a stream with the same keys.
#[derive(Clone, Debug)]
struct Group {
    keys: Box<[Cell]>,
    rows: u64,
    has_quantiles: bool,
    /// One for each column that has an aggregate.
    values: Box<[Distribution]>,
}

/// A column whose values are added up.
#[derive(Clone, Debug)]
pub(crate) struct Summed {
    index: usize,
    pub(crate) name: Box<str>,
    pub(crate) unit: Box<str>,
    /// Whether its values are added, and not only the last one counts.
    pub(crate) aggregate: streams::Aggregate,
}

/// The table of a stream of a session.
#[derive(Clone, Debug)]
pub struct Table {
    name: Box<str>,
    keys: Vec<(usize, Box<str>)>,
    columns: Vec<Summed>,
    groups: HashMap<Box<[Value]>, Group>,
    /// The rows whose groups are not kept: there were too many others.
    rest: Option<Group>,
    key: Vec<Value>,
    rows: u64,
    pub(crate) lost: u64,
}

impl Table {
    pub(crate) fn new(stream: &StreamInfo) -> Self {
        let is_key = |aggregate| aggregate == streams::Aggregate::KEY;
        let columns = stream.columns.iter().enumerate();
        let keys = columns.clone().filter(|(_, column)| is_key(column.aggregate));
        let is_number = |kind| {
            let kinds = [FieldType::COUNT, FieldType::BYTES, FieldType::NANOSECONDS, FieldType::SIGNED];
            kinds.contains(&kind) || kind == FieldType::BOOL
        };
        let is_summed = |aggregate| [streams::Aggregate::SUM, streams::Aggregate::LAST].contains(&aggregate);
        let summed =
            columns.filter(|(_, column)| is_summed(column.aggregate) && is_number(column.field_type));
        let unit = |column: &streams::Column| match column.field_type {
            FieldType::NANOSECONDS => "ns".into(),
            FieldType::BYTES => "bytes".into(),
            _ => column.unit.clone(),
        };
        Self {
            name: stream.name.clone(),
            keys: keys.map(|(index, column)| (index, column.name.clone())).collect(),
            columns: summed
                .map(|(index, column)| Summed {
                    index,
                    name: column.name.clone(),
                    unit: unit(column),
                    aggregate: column.aggregate,
                })
                .collect(),
            groups: HashMap::new(),
            rest: None,
            key: Vec::new(),
            rows: 0,
            lost: 0,
        }
    }

    /// Returns the name of the stream.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row of the stream.
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        let values = row.values();
        self.rows += 1;
        self.key.clear();
        self.key.extend(self.keys.iter().filter_map(|(index, _)| values.get(*index)));
        let has_quantiles = self.groups.len() < DISTRIBUTIONS;
        let empty = |keys| {
            let values = vec![Distribution::default(); self.columns.len()].into();
            Group { keys, rows: 0, has_quantiles, values }
        };
        let has_room = self.groups.len() < GROUPS;
        let group = match self.groups.get_mut(&*self.key) {
            Some(group) => group,
            None if has_room => {
                let keys = self.key.iter().map(|value| cell(row, *value)).collect();
                self.groups.entry(self.key.as_slice().into()).or_insert_with(|| empty(keys))
            }
            None => self.rest.get_or_insert_with(|| empty(Box::default())),
        };
        group.rows += 1;
        for (column, sums) in self.columns.iter().zip(&mut group.values) {
            if let Some(number) = values.get(column.index).and_then(|value| value.number()) {
                sums.add(number, group.has_quantiles);
            }
        }
    }

    /// Returns the aggregate of a column over all rows. `None` if there is no such column, or it has no value. For
    /// [`Aggregate::Count`] the column may be `rows`.
    #[must_use]
    pub fn aggregate(&self, column: &str, aggregate: Aggregate) -> Option<f64> {
        let mut all = Distribution::default();
        if column == ROWS {
            #[allow(clippy::cast_precision_loss, reason = "more than 2⁵³ rows are rounded")]
            return (aggregate == Aggregate::Count).then_some(self.rows as f64);
        }
        let index = self.columns.iter().position(|known| &*known.name == column)?;
        for group in self.groups.values().chain(&self.rest) {
            if let Some(values) = group.values.get(index) {
                all.merge(values);
            }
        }
        aggregate.of(&all)
    }

    /// Returns the names of the columns that have aggregates.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name).chain([ROWS])
    }

    /// Returns the groups, the largest first by the first column that is added up, or by rows.
    fn sorted(&self) -> Vec<&Group> {
        let first = self.columns.iter().position(|column| column.aggregate == streams::Aggregate::SUM);
        let mut groups: Vec<(&Box<[Value]>, &Group)> = self.groups.iter().collect();
        let size = |group: &Group| match first.and_then(|first| group.values.get(first)) {
            Some(values) => values.sum(),
            None => group.rows.into(),
        };
        // Keys are apart, and their text is in some order.
        groups
            .sort_by_cached_key(|(_, group)| (core::cmp::Reverse(size(group)), format!("{:?}", group.keys)));
        groups.into_iter().map(|(_, group)| group).chain(&self.rest).collect()
    }
}

/// The name of the number of rows among the columns.
pub(crate) const ROWS: &str = "rows";

/// The names of a stack that a table has.
const FRAMES: usize = 64;

fn cell(row: &Row<'_>, value: Value) -> Cell {
    let tables = row.tables();
    match value {
        Value::Text(text) => Cell::Text(tables.text(text).unwrap_or_default().into()),
        Value::Class(frame) => Cell::Text(tables.frame_name(frame).into()),
        Value::Bool(bool) => Cell::Bool(bool),
        Value::Time(ticks) => Cell::Number(tables.timeline().nanoseconds(ticks).into()),
        Value::Thread(id) => Cell::Number(id.into()),
        Value::Node(node) => {
            let mut names: Vec<String> =
                tables.stack(node).take(FRAMES).map(|frame| tables.frame_name(frame)).collect();
            names.reverse();
            Cell::Stack(names.into())
        }
        value => Cell::Number(value.number().unwrap_or(0)),
    }
}
