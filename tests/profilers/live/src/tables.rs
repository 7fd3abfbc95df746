//! Tables, heaps and manifests of assemblies, as the program's module has them, as a file, and as bytes.

use std::path::Path;

use corprof::sigparse::Implementation;
use corprof::token::{Table, Token};
use corprof::{Error, Metadata, MetadataTables, Result};

use crate::State;
use crate::facts::{Facts, hex};

/// The arguments: how the metadata is opened, the assembly's file, and whether every row is wanted.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let [how, path, detail] = arguments else { return Err(Error::other("how, path and detail are wanted")) };
    let path = Path::new(path);
    let mut facts = Facts::of(how);
    let metadata = match *how {
        "module" => {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            state.info.module_metadata(state.module(name)?)?
        }
        "file" => state.info.metadata_dispenser()?.open(path)?,
        "memory" => {
            let bytes = std::fs::read(path).map_err(|error| Error::other(error.to_string()))?;
            // The bytes are gone before the metadata is read.
            state.info.metadata_dispenser()?.open_memory(&bytes)?
        }
        other => return Err(Error::other(format!("how is {other:?}?"))),
    };
    sizes(&mut facts, &metadata, *how != "module")?;
    manifest(&mut facts, &metadata)?;
    if *detail == "rows" {
        rows(&mut facts, &metadata.tables()?)?;
    }
    Ok(facts.finish())
}

/// How many rows the tables have, how large the heaps are, and where it all lies.
fn sizes(facts: &mut Facts, metadata: &Metadata, opened: bool) -> Result<()> {
    let tables = metadata.tables()?;
    for number in 0..45 {
        let table = tables.table(Table(number))?;
        facts.say(format_args!("rows.{number}"), table.rows);
        if opened {
            facts.say(format_args!("rowsize.{number}"), table.row_size);
        }
        // The columns lie one after the other, and fill the row.
        let mut end = 0;
        for column in 0..table.columns {
            let column = tables.column(Table(number), column)?;
            if column.offset < end {
                return Err(Error::other(format!("{} overlaps in {}", column.name, table.name)));
            }
            end = column.offset + column.size;
        }
        if end != table.row_size {
            return Err(Error::other(format!("{} has {end} of {} bytes", table.name, table.row_size)));
        }
    }
    if opened {
        let sizes = tables.heap_sizes()?;
        facts.say("heap.strings", sizes.strings.next_multiple_of(4));
        facts.say("heap.blobs", sizes.blobs.next_multiple_of(4));
        facts.say("heap.guids", sizes.guids);
        // A heap that is not there counts as one with the empty literal.
        let literals = if sizes.user_strings <= 1 { 0 } else { sizes.user_strings.next_multiple_of(4) };
        facts.say("heap.userstrings", literals);
        facts.say("storage", tables.storage()?.len());
        let mut streams = Vec::new();
        while let Some(stream) = tables.stream(u32::try_from(streams.len()).unwrap_or(u32::MAX))? {
            streams.push(format!("{} {}", stream.name, stream.bytes.len()));
        }
        facts.say("streams", streams.join(", "));
    } else if let Ok(bytes) = tables.storage() {
        return Err(Error::other(format!("a module has a storage of {} bytes", bytes.len())));
    }
    let mapped = metadata.file_mapping()?.map_or_else(|| "none".to_owned(), |bytes| bytes.len().to_string());
    facts.say("mapping", mapped);
    facts.say("mvid", tables.guid(1)?.map_or_else(String::new, |guid| guid.to_string()));
    if tables.guid(1)? != Some(metadata.mvid()?) {
        return Err(Error::other("two ways to the module's version id differ"));
    }
    let type_def_or_ref = tables.coded_token(0)?;
    facts.say("coded", format_args!("{} {:?}", type_def_or_ref.name, tables_of(&type_def_or_ref.tables)));
    facts.say("tableof", format_args!("{:?}", tables.table_of(Token(0x0A00_0001))?.map(|table| table.0)));
    facts.say(
        "tableof.string",
        format_args!("{:?}", tables.table_of(Token(0x7000_0001))?.map(|table| table.0)),
    );
    Ok(())
}

fn tables_of(tables: &[Table]) -> Vec<u8> {
    tables.iter().map(|table| table.0).collect()
}

/// What the manifest says.
fn manifest(facts: &mut Facts, metadata: &Metadata) -> Result<()> {
    for token in metadata.assembly_refs()? {
        let assembly = metadata.assembly_ref(token)?;
        let [a, b, c, d] = assembly.version;
        facts.say(
            format_args!("assemblyref.{}", token.rid()),
            format_args!("{} {a}.{b}.{c}.{d}", assembly.name),
        );
    }
    for token in metadata.exported_types()? {
        let exported = metadata.exported_type(token)?;
        let implementation = exported.implementation.map_or(0, Implementation::token);
        facts.say(
            format_args!("exported.{}", token.rid()),
            format_args!("{} {implementation:08X}", exported.name),
        );
    }
    for token in metadata.manifest_resources()? {
        let resource = metadata.manifest_resource(token)?;
        facts.say(
            format_args!("resource.{}", token.rid()),
            format_args!("{} {} {}", resource.name, resource.offset, resource.is_public),
        );
        if metadata.find_manifest_resource(&resource.name)? != Some(token) {
            return Err(Error::other(format!("{} is not found by its name", resource.name)));
        }
    }
    facts.say("files", metadata.files()?.len());
    Ok(())
}

/// Types, methods and string literals, row by row.
fn rows(facts: &mut Facts, tables: &MetadataTables<'_>) -> Result<()> {
    for rid in 1..=tables.table(Table::TYPE_DEF)?.rows {
        let column = |number| tables.value(Table::TYPE_DEF, number, rid);
        let (name, namespace) = (tables.string(column(1)?)?, tables.string(column(2)?)?);
        facts.say(
            format_args!("type.{rid}"),
            format_args!("{namespace}|{name}|{:X}|{:08X}", column(0)?, column(3)?),
        );
    }
    for rid in 1..=tables.table(Table::METHOD_DEF)?.rows {
        let column = |number| tables.value(Table::METHOD_DEF, number, rid);
        let row = tables.row(Table::METHOD_DEF, rid)?;
        // The code's place is the first column, in four bytes.
        let place = row.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        if place != Some(column(0)?) {
            return Err(Error::other(format!("two ways to the place of method {rid} differ")));
        }
        let (name, signature) = (tables.string(column(3)?)?, tables.blob(column(4)?)?);
        facts.say(
            format_args!("method.{rid}"),
            format_args!("{name}|{:X}|{:X}|{:X}|{}", column(0)?, column(1)?, column(2)?, hex(signature)),
        );
    }
    let (mut literals, mut index) = (0, tables.next_user_string(0)?);
    while let Some(at) = index {
        let literal = tables.user_string(at)?;
        // The empty literal has the one byte that says whether there is more than ASCII.
        if literal.len() > 1 {
            literals += 1;
            let units = literal.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{FFFD}')).collect();
            facts.say(format_args!("literal.{at}"), text);
        }
        index = tables.next_user_string(at)?;
    }
    facts.say("literals", literals);
    // The other heaps can be walked to their ends.
    let (mut strings, mut index) = (0, Some(0));
    while let Some(at) = index {
        strings += u32::from(!tables.string(at)?.is_empty());
        index = tables.next_string(at)?;
    }
    facts.say("strings", strings);
    let (mut blobs, mut index) = (0, Some(0));
    while let Some(at) = index {
        blobs += u32::from(!tables.blob(at)?.is_empty());
        index = tables.next_blob(at)?;
    }
    facts.say("blobs", blobs);
    facts.say("guids", if tables.next_guid(1)?.is_none() { 1 } else { 2 });
    Ok(())
}
