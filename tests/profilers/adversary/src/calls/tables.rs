//! Metadata that is opened or made, and its tables and heaps.

use std::path::Path;
use std::sync::Arc;

use corprof::token::Table;
use corprof::{MetadataDispenser, MetadataOption, MetadataTables, OpenedMetadata, Result};

use super::Calls;
use crate::at::{At, Done, bytes, shown, value};

fn dispenser(it: &At<'_>) -> Option<MetadataDispenser> {
    it.info().metadata_dispenser().ok()
}

fn option(it: &At<'_>) -> Option<MetadataOption> {
    it.random.one_of(&[
        MetadataOption::CHECK_DUPLICATES_FOR,
        MetadataOption::REF_TO_DEF_CHECK,
        MetadataOption::ERROR_IF_EMIT_OUT_OF_ORDER,
        MetadataOption::PRESERVE_LOCAL_REFS,
    ])
}

fn opened(it: &At<'_>, opened: Result<OpenedMetadata>) -> Done {
    shown(opened.map(|opened| it.keep(&it.shared.known.opened, Arc::new(opened))))
}

/// Reads tables of what was opened, or is being made.
fn tables(it: &At<'_>, read: impl FnOnce(&MetadataTables<'_>) -> Done) -> Done {
    if it.is() {
        let opened = it.shared.known.opened.pick(&it.random)?;
        return match opened.tables() {
            Ok(tables) => read(&tables),
            Err(error) => shown(Err::<(), _>(error)),
        };
    }
    let mut scope = it.shared.known.scopes.take(&it.random)?;
    let done = match scope.tables() {
        Ok(tables) => read(&tables),
        Err(error) => shown(Err::<(), _>(error)),
    };
    it.keep(&it.shared.known.scopes, scope);
    done
}

/// A table: usually one that there is.
fn table(it: &At<'_>) -> Table {
    let number = it.u32();
    Table((if it.random.once_in(8) { number } else { number % 0x30 }).to_le_bytes()[0])
}

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::metadata_dispenser", |it| shown(it.info().metadata_dispenser())),
    ("MetadataDispenser::open", |it| {
        let path =
            if it.is() { it.info().module_info(it.module()?).ok()?.path } else { it.text().to_owned() };
        // Large files take time, and are not what is tested.
        let is_large = std::fs::metadata(&path).is_ok_and(|file| file.len() > 1 << 20);
        if is_large { None } else { opened(it, dispenser(it)?.open(Path::new(&path))) }
    }),
    ("MetadataDispenser::open_memory", |it| {
        let mut bytes = match it.shared.known.saved.pick(&it.random) {
            Some(saved) => saved.bytes.clone(),
            None => it.bytes(),
        };
        // Changed here and there, or cut off.
        for _ in 0..it.random.below(4) {
            let (at, to) = (it.random.below(bytes.len()), it.random.next().to_le_bytes()[0]);
            bytes.get_mut(at).into_iter().for_each(|byte| *byte = to);
        }
        if it.random.once_in(4) {
            bytes.truncate(it.random.below(bytes.len()));
        }
        opened(it, dispenser(it)?.open_memory(&bytes))
    }),
    ("MetadataDispenser::open_for_writing", |it| {
        let scope = dispenser(it)?.open_for_writing(&it.shared.file(it.random.below(4)));
        shown(scope.map(|scope| it.keep(&it.shared.known.scopes, scope)))
    }),
    ("MetadataDispenser::define", |it| {
        let scope = dispenser(it)?.define();
        shown(scope.map(|scope| it.keep(&it.shared.known.scopes, scope)))
    }),
    ("MetadataDispenser::set_option", |it| shown(dispenser(it)?.set_option(option(it)?, it.u32()))),
    ("MetadataDispenser::option", |it| shown(dispenser(it)?.option(option(it)?))),
    ("OpenedMetadata::tables", |it| {
        let opened = it.shared.known.opened.pick(&it.random)?;
        let tables = opened.tables();
        shown(tables)
    }),
    ("OpenedMetadata::storage", |it| shown(it.shared.known.opened.pick(&it.random)?.storage().map(bytes))),
    ("OpenedMetadata::stream", |it| {
        shown(it.shared.known.opened.pick(&it.random)?.stream(it.u32()).map(|stream| bytes(stream?.bytes)))
    }),
    ("MetadataScope::tables", |it| {
        let mut scope = it.shared.known.scopes.take(&it.random)?;
        let done = shown(scope.tables());
        it.keep(&it.shared.known.scopes, scope);
        done
    }),
    ("MetadataTables::table_count", |it| tables(it, |tables| shown(tables.table_count()))),
    ("MetadataTables::table_of", |it| tables(it, |tables| shown(tables.table_of(it.token())))),
    ("MetadataTables::table", |it| tables(it, |tables| shown(tables.table(table(it))))),
    ("MetadataTables::column", |it| tables(it, |tables| shown(tables.column(table(it), it.u32())))),
    ("MetadataTables::coded_token", |it| tables(it, |tables| shown(tables.coded_token(it.u32())))),
    ("MetadataTables::row", |it| tables(it, |tables| shown(tables.row(table(it), it.u32())))),
    ("MetadataTables::value", |it| tables(it, |tables| shown(tables.value(table(it), it.u32(), it.u32())))),
    ("MetadataTables::heap_sizes", |it| tables(it, |tables| value(tables.heap_sizes()))),
    ("MetadataTables::string", |it| tables(it, |tables| shown(tables.string(it.u32())))),
    ("MetadataTables::blob", |it| tables(it, |tables| shown(tables.blob(it.u32())))),
    ("MetadataTables::guid", |it| tables(it, |tables| shown(tables.guid(it.u32())))),
    ("MetadataTables::user_string", |it| tables(it, |tables| shown(tables.user_string(it.u32())))),
    ("MetadataTables::next_string", |it| tables(it, |tables| shown(tables.next_string(it.u32())))),
    ("MetadataTables::next_blob", |it| tables(it, |tables| shown(tables.next_blob(it.u32())))),
    ("MetadataTables::next_guid", |it| tables(it, |tables| shown(tables.next_guid(it.u32())))),
    ("MetadataTables::next_user_string", |it| tables(it, |tables| shown(tables.next_user_string(it.u32())))),
];
