//! A table: rows are collected column by column, and written to files of a bounded size.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use parquet::basic::{Compression, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type};

/// How many rows, and about how many bytes of them, are in memory before they are written.
const ROWS: usize = 1 << 17;
const BYTES: usize = 16 << 20;

/// The columns of JSON. No query asks for a part of their order, and comparing them takes long.
const WITHOUT_BOUNDS: [&str; 3] = ["arguments", "result", "value"];

/// A table in a folder of its own: `calls/00000.parquet` and so on.
pub(super) struct Table {
    folder: PathBuf,
    schema: Arc<Type>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
    /// All rows, those in files too.
    total: u64,
    part_size: usize,
    parts: usize,
    file: Option<SerializedFileWriter<File>>,
}

/// The collected values of a column.
struct Column {
    values: Cells,
    /// For a column whose values may be missing: 1 for a row that has one, 0 for one that has none.
    present: Option<Vec<i16>>,
}

enum Cells {
    Small(Vec<i32>),
    Large(Vec<i64>),
    Float(Vec<f64>),
    Text(Texts),
}

/// Texts one behind the other, each with its length.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

/// A value of a row.
pub(super) enum Cell<'c> {
    Small(i32),
    Large(i64),
    Float(f64),
    Text(&'c str),
    None,
}

impl Table {
    /// A table with the columns of a Parquet schema.
    pub(super) fn new(folder: &Path, name: &str, columns: &str, part_size: usize) -> Result<Self> {
        let schema = parse_message_type(&format!("message {name} {{ {columns} }}"))?;
        let columns = schema.get_fields().iter().map(|field| Column {
            values: match field.get_physical_type() {
                Physical::INT32 => Cells::Small(Vec::new()),
                Physical::INT64 => Cells::Large(Vec::new()),
                Physical::DOUBLE => Cells::Float(Vec::new()),
                _ => Cells::Text(Texts::default()),
            },
            present: field.is_optional().then(Vec::new),
        });
        let folder = folder.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self {
            folder,
            columns: columns.collect(),
            schema: Arc::new(schema),
            rows: 0,
            bytes: 0,
            total: 0,
            part_size,
            parts: 0,
            file: None,
        })
    }

    /// Adds a row: a value for each column.
    pub(super) fn put<const N: usize>(&mut self, row: [Cell<'_>; N]) -> Result<()> {
        debug_assert_eq!(self.columns.len(), N);
        for (column, cell) in self.columns.iter_mut().zip(row) {
            if let Some(present) = &mut column.present {
                present.push(i16::from(!matches!(cell, Cell::None)));
            }
            self.bytes += 8;
            match (&mut column.values, cell) {
                (Cells::Small(values), Cell::Small(value)) => values.push(value),
                (Cells::Large(values), Cell::Large(value)) => values.push(value),
                (Cells::Float(values), Cell::Float(value)) => values.push(value),
                (Cells::Text(values), Cell::Text(value)) => {
                    self.bytes += value.len();
                    values.bytes.extend_from_slice(value.as_bytes());
                    values.lengths.push(value.len());
                }
                (_, cell) => debug_assert!(matches!(cell, Cell::None), "a value of another type"),
            }
        }
        self.rows += 1;
        self.total += 1;
        if self.rows >= ROWS || self.bytes >= BYTES { self.write() } else { Ok(()) }
    }

    fn properties(&self) -> WriterProperties {
        let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        for name in WITHOUT_BOUNDS {
            let column = ColumnPath::from(name);
            properties = properties.set_column_statistics_enabled(column, EnabledStatistics::None);
        }
        properties.build()
    }

    /// Writes what is in memory.
    fn write(&mut self) -> Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let path = self.folder.join(format!("{:05}.parquet", self.parts));
                self.parts += 1;
                let output =
                    File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
                SerializedFileWriter::new(output, Arc::clone(&self.schema), Arc::new(self.properties()))?
            }
        };
        let mut group = file.next_row_group()?;
        for column in &mut self.columns {
            let Some(writer) = group.next_column()? else { break };
            let present = column.present.as_deref();
            match &mut column.values {
                Cells::Small(values) => flush::<Int32Type>(writer, values, present)?,
                Cells::Large(values) => flush::<Int64Type>(writer, values, present)?,
                Cells::Float(values) => flush::<DoubleType>(writer, values, present)?,
                Cells::Text(values) => flush::<ByteArrayType>(writer, &mut values.take(), present)?,
            }
            if let Some(present) = &mut column.present {
                present.clear();
            }
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        if file.bytes_written() >= self.part_size {
            file.close()?;
        } else {
            self.file = Some(file);
        }
        Ok(())
    }

    /// Ends the table, which has a file even if it has no rows. Returns the number of rows.
    pub(super) fn finish(mut self) -> Result<u64> {
        if self.rows > 0 || self.parts == 0 {
            self.write()?;
        }
        if let Some(file) = self.file.take() {
            file.close()?;
        }
        Ok(self.total)
    }
}

impl Texts {
    /// Takes the texts. They share one memory.
    fn take(&mut self) -> Vec<ByteArray> {
        let bytes = core::mem::take(&mut self.bytes);
        // The next texts take about as much.
        self.bytes.reserve(bytes.len());
        let (all, mut begin) = (ByteArray::from(bytes), 0);
        let text = |length| {
            let text = all.slice(begin, length);
            begin += length;
            text
        };
        self.lengths.drain(..).map(text).collect()
    }
}

/// Writes the values of a column, and empties it.
fn flush<T: DataType>(
    mut writer: SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    present: Option<&[i16]>,
) -> Result<()> {
    writer.typed::<T>().write_batch(values, present, None)?;
    values.clear();
    Ok(writer.close()?)
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::RowAccessor as _;

    use super::*;

    #[test]
    fn rows_beyond_the_size_of_a_part_are_in_another_file() {
        let count = i64::try_from(3 * ROWS / 2).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let columns = "required int64 number; optional binary text (STRING); optional double half;";
        let mut table = Table::new(folder.path(), "numbers", columns, 1).unwrap();
        for number in 0..count {
            let text = number.to_string();
            let text = if number % 3 == 0 { Cell::None } else { Cell::Text(&text) };
            let half = if number % 2 == 0 { Cell::Float(number as f64 / 2.0) } else { Cell::None };
            table.put([Cell::Large(number), text, half]).unwrap();
        }
        assert_eq!(table.finish().unwrap(), u64::try_from(count).unwrap());
        let mut files: Vec<_> =
            fs::read_dir(folder.path().join("numbers")).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        assert_eq!(files.len(), 2);
        let mut next = 0;
        for file in files {
            let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
            for row in reader.get_row_iter(None).unwrap() {
                let row = row.unwrap();
                assert_eq!(row.get_long(0).unwrap(), next);
                assert_eq!(row.get_string(1).ok().cloned(), (next % 3 != 0).then(|| next.to_string()));
                assert_eq!(row.get_double(2).ok(), (next % 2 == 0).then_some(next as f64 / 2.0));
                next += 1;
            }
        }
        assert_eq!(next, count);
    }
}
