//! Tables, heaps and manifests of assemblies, of the loaded module, as a file, and as bytes.

use std::path::Path;

use corprof::sigparse::{Implementation, TypeDefOrRef};
use corprof::token::{MethodDef, Table, Token, TypeDef};
use corprof::{Error, HResult, Metadata, MetadataTables, OpenedMetadata, Result};

use crate::State;
use crate::facts::{Facts, hex};

/// The arguments: the way of opening the metadata, the assembly's file, and whether every row is printed.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let [how, path, detail] = arguments else { return Err(Error::other("how, path and detail are wanted")) };
    let path = Path::new(path);
    let mut facts = Facts::of(how);
    let opened = match *how {
        "module" => {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let metadata = state.info.module_metadata(state.module(name)?)?;
            facts.say("mvid", metadata.mvid()?);
            manifest(&mut facts, &metadata)?;
            if *detail == "rows" {
                rows_of_module(&mut facts, &metadata)?;
            }
            return Ok(facts.finish());
        }
        "file" => state.info.metadata_dispenser()?.open(path)?,
        "memory" => {
            let bytes = std::fs::read(path).map_err(|error| Error::other(error.to_string()))?;
            // The bytes are freed before the metadata are read.
            state.info.metadata_dispenser()?.open_memory(&bytes)?
        }
        other => return Err(Error::other(format!("how is {other:?}?"))),
    };
    let tables = opened.tables()?;
    sizes(&mut facts, &opened, &tables)?;
    out_of_range(&tables)?;
    manifest(&mut facts, &opened)?;
    if *detail == "rows" {
        rows(&mut facts, &tables)?;
    }
    Ok(facts.finish())
}

/// Types, methods and string literals, by the calls that take a lock.
fn rows_of_module(facts: &mut Facts, metadata: &Metadata) -> Result<()> {
    let types =
        (1..).map_while(TypeDef::from_rid).take_while(|token| metadata.is_valid_token((*token).into()));
    for token in types {
        let its = metadata.type_def(token)?;
        let (namespace, name) = its.name.rsplit_once('.').unwrap_or(("", &its.name));
        let extends = its.extends.map_or(0x0200_0000, TypeDefOrRef::token);
        facts.say(
            format_args!("type.{}", token.rid()),
            format_args!("{namespace}|{name}|{:X}|{extends:08X}", its.attributes.bits()),
        );
    }
    let methods =
        (1..).map_while(MethodDef::from_rid).take_while(|token| metadata.is_valid_token((*token).into()));
    for token in methods {
        let (its, (rva, flags)) = (metadata.method(token)?, metadata.rva(token)?);
        facts.say(
            format_args!("method.{}", token.rid()),
            format_args!("{}|{rva:X}|{flags:X}|{:X}|{}", its.name, its.attributes.bits(), hex(its.signature)),
        );
    }
    let mut literals = 0;
    for token in metadata.user_strings()? {
        let text = metadata.user_string(token)?.to_string_lossy();
        if !text.is_empty() {
            literals += 1;
            facts.say(format_args!("literal.{}", token.rid()), text);
        }
    }
    facts.say("literals", literals);
    Ok(())
}

/// Indexes that are in no table and no heap are refused.
fn out_of_range(tables: &MetadataTables<'_>) -> Result<()> {
    let (heaps, types) = (tables.heap_sizes(), tables.table(Table::TYPE_DEF)?);
    let refused = |code: HResult, outcome: Result<()>| match outcome {
        Err(error) if error.hresult() == code => Ok(()),
        other => Err(Error::other(format!("an index out of range gave {other:?}, and not {code}"))),
    };
    for wild in [1, 0x7FFF_FFFF] {
        let (row, column) = (types.rows.saturating_add(wild), types.columns.saturating_add(wild));
        refused(HResult::E_INVALIDARG, tables.row(Table::TYPE_DEF, row).map(drop))?;
        refused(HResult::E_INVALIDARG, tables.value(Table::TYPE_DEF, 0, row).map(drop))?;
        refused(HResult::E_INVALIDARG, tables.value(Table::TYPE_DEF, column, 1).map(drop))?;
        refused(HResult::E_INVALIDARG, tables.column(Table::TYPE_DEF, column).map(drop))?;
        refused(HResult::E_INVALIDARG, tables.coded_token(12 + wild).map(drop))?;
        let missing = HResult::CLDB_E_INDEX_NOTFOUND;
        refused(missing, tables.string(heaps.strings.saturating_add(wild)).map(drop))?;
        refused(missing, tables.blob(heaps.blobs.saturating_add(wild)).map(drop))?;
        refused(missing, tables.user_string(heaps.user_strings.saturating_add(wild)).map(drop))?;
        refused(missing, tables.guid((heaps.guids / 16).saturating_add(wild)).map(drop))?;
        if tables.next_string(heaps.strings.saturating_add(wild))?.is_some() {
            return Err(Error::other("there is a text behind the heap"));
        }
    }
    refused(HResult::E_INVALIDARG, tables.row(Table::TYPE_DEF, 0).map(drop))?;
    refused(HResult::E_INVALIDARG, tables.table(Table(200)).map(drop))
}

/// The numbers of rows, the sizes of the heaps, and their addresses.
fn sizes(facts: &mut Facts, metadata: &OpenedMetadata, tables: &MetadataTables<'_>) -> Result<()> {
    for number in 0..45 {
        let table = tables.table(Table(number))?;
        facts.say(format_args!("rows.{number}"), table.rows);
        facts.say(format_args!("rowsize.{number}"), table.row_size);
        // The columns are adjacent, and fill the row.
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
    let sizes = tables.heap_sizes();
    facts.say("heap.strings", sizes.strings.next_multiple_of(4));
    facts.say("heap.blobs", sizes.blobs.next_multiple_of(4));
    facts.say("heap.guids", sizes.guids);
    // A missing heap counts as one with the empty literal.
    let literals = if sizes.user_strings <= 1 { 0 } else { sizes.user_strings.next_multiple_of(4) };
    facts.say("heap.userstrings", literals);
    facts.say("storage", metadata.storage()?.len());
    let mut streams = Vec::new();
    while let Some(stream) = metadata.stream(u32::try_from(streams.len()).unwrap_or(u32::MAX))? {
        streams.push(format!("{} {}", stream.name, stream.bytes.len()));
    }
    facts.say("streams", streams.join(", "));
    if metadata.stream(u32::MAX)?.is_some() {
        return Err(Error::other("there is a stream behind the last"));
    }
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

/// The manifest.
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
        // The RVA is the first column, in four bytes.
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
        // The empty literal has the one byte that flags text beyond ASCII.
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
