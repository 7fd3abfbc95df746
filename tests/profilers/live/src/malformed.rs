//! Metadata of bytes that are changed at random: whatever opens is read to its end.

use corprof::sigparse::ResolutionScope;
use corprof::token::{
    CustomAttribute, DeclSecurity, EventDef, FieldDef, GenericParam, GenericParamConstraint, InterfaceImpl,
    MemberRef, MethodDef, MethodSpec, ModuleRef, ParamDef, PropertyDef, StandAloneSig, Table, Token, TypeDef,
    TypeRef, TypeSpec,
};
use corprof::{Error, MetadataDispenser, OpenedMetadata, Result};

use crate::State;
use crate::facts::Facts;

/// How many rows of each table are read; the others are read alike.
const ROWS: u32 = 24;
/// How many entries of each heap are read.
const ENTRIES: usize = 400;

/// The bytes of the metadata's root, and of the row counts.
const HEADERS: usize = 0x180;

/// Signatures that are looked for: right ones, and some that end early.
const SIGNATURES: [&[u8]; 8] =
    [&[0, 0, 1], &[6, 14], &[], &[0x05], &[0x25, 0x02], &[0x10], &[0x05, 0x02, 0x01, 0x41], &[0xC0]];

/// The arguments: the assembly's file, the seed, and how often the bytes are changed.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let [path, seed, count] = arguments else { return Err(Error::other("file, seed and count are wanted")) };
    let number = |text: &str| text.parse::<u64>().map_err(|error| Error::other(error.to_string()));
    let (mut random, count) = (Random(number(seed)?), number(count)?);
    let whole = std::fs::read(path).map_err(|error| Error::other(error.to_string()))?;
    let root = whole.windows(4).position(|bytes| bytes == b"BSJB").unwrap_or(0);
    let dispenser = state.info.metadata_dispenser()?;
    let mut facts = Facts::of("malformed");
    let intact = dispenser.open_memory(&whole)?;
    facts.say("types", intact.tables()?.table(Table::TYPE_DEF)?.rows);
    read(&intact);
    facts.say("streams.inside", streams_are_inside(&dispenser, whole.get(root..).unwrap_or_default()));
    let mut opened = 0;
    for _ in 0..count {
        let bytes = changed(&whole, root, &mut random);
        if let Ok(metadata) = dispenser.open_memory(&bytes) {
            opened += 1;
            read(&metadata);
        }
    }
    facts.say("tried", count);
    facts.say("opened.some", opened > 0 && opened < count);
    // In the output of the test.
    eprintln!("{opened} of {count} changed files were opened");
    Ok(facts.finish())
}

/// Whether each stream of what opens lies in the metadata. Its offset or size is changed, so that its end is behind that of the
/// metadata or near 2^32; with its own name, and with another one.
fn streams_are_inside(dispenser: &MetadataDispenser, metadata: &[u8]) -> bool {
    let length = u32::try_from(metadata.len()).unwrap_or(u32::MAX);
    sizes_of_streams(metadata).into_iter().flatten().all(|(at, offset, size)| {
        let ends = [0, 4, 256, length, length.wrapping_add(4), u32::MAX];
        let changed =
            ends.iter().flat_map(|end| [(at, end.wrapping_sub(offset)), (at - 4, end.wrapping_sub(size))]);
        let named = changed.flat_map(|change| [(change, false), (change, true)]);
        named.into_iter().all(|((changed, word), is_unknown)| {
            let mut bytes = metadata.to_vec();
            // The runtime does not look for it under another name.
            if let Some(first) = bytes.get_mut(at + 5).filter(|_| is_unknown) {
                *first = b'x';
            }
            if let Some(changed) = bytes.get_mut(changed..changed + 4) {
                changed.copy_from_slice(&word.to_le_bytes());
            }
            let Ok(opened) = dispenser.open_memory(&bytes) else { return true };
            let Ok(whole) = opened.storage().map(<[u8]>::as_ptr_range) else { return false };
            let mut streams = (0..64).map_while(|number| opened.stream(number).ok().flatten());
            streams.all(|stream| {
                let range = stream.bytes.as_ptr_range();
                whole.start <= range.start && range.end <= whole.end
            })
        })
    })
}

/// Where the size of each stream is, with offset and size (ECMA-335 II.24.2.1 and II.24.2.2).
fn sizes_of_streams(metadata: &[u8]) -> Option<Vec<(usize, u32, u32)>> {
    let word = |at: usize| Some(u32::from_le_bytes(metadata.get(at..at + 4)?.try_into().ok()?));
    let version = usize::try_from(word(12)?).ok()?;
    let (count, mut at) = (word(16 + version)? >> 16, 20 + version);
    let mut sizes = Vec::new();
    for _ in 0..count {
        sizes.push((at + 4, word(at)?, word(at + 4)?));
        let name = metadata.get(at + 8..)?.iter().position(|byte| *byte == 0)?;
        at += 8 + (name + 4) / 4 * 4;
    }
    Some(sizes)
}

/// The bytes with one to four changes, half of them in the headers.
fn changed(whole: &[u8], root: usize, random: &mut Random) -> Vec<u8> {
    // With the headers of the file, or without.
    let (mut bytes, root) =
        if random.below(2) == 0 { (whole.to_vec(), root) } else { (whole[root..].to_vec(), 0) };
    for _ in 0..=random.below(4) {
        let from = if random.below(8) == 0 { 0 } else { root };
        let reach = if random.below(2) == 0 { HEADERS } else { usize::MAX };
        let at = from + random.below(reach.min(bytes.len().saturating_sub(from)));
        let (kind, byte) = (random.below(4), u8::try_from(random.below(256)).unwrap_or(0));
        if kind == 0 && byte < 16 {
            bytes.truncate(at);
        } else if kind == 0 {
            if let Some(changed) = bytes.get_mut(at) {
                *changed ^= 1 << (byte & 7)
            }
        } else if kind == 1 {
            if let Some(changed) = bytes.get_mut(at) {
                *changed = byte
            }
        } else {
            let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            let words = [0, 1, 4, 0xFFFF, 0x10_0000, 0xFF_FFFF, 0x7FFF_FFFF, u32::MAX, size];
            let word =
                words[random.below(words.len())].wrapping_sub(u32::try_from(random.below(3)).unwrap_or(0));
            let aligned = at & !3;
            if let Some(changed) = bytes.get_mut(aligned..aligned + 4) {
                changed.copy_from_slice(&word.to_le_bytes())
            }
        }
    }
    bytes
}

/// Numbers by a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let limit = u64::try_from(limit.max(1)).unwrap_or(u64::MAX);
        usize::try_from((mixed ^ (mixed >> 31)) % limit).unwrap_or(0)
    }
}

/// The first rows of a table, and one behind its end.
fn rows<T>(of: impl Fn(u32) -> Option<T>) -> impl Iterator<Item = T> {
    (1..=ROWS).chain([0x1234, 0x00FF_FFFF]).filter_map(of)
}

/// Sums all bytes, so that each is read. An error is fine.
fn touch(bytes: Result<impl AsRef<[u8]>>) {
    if let Ok(bytes) = bytes {
        std::hint::black_box(bytes.as_ref().iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
    }
}

/// Reads everything by every function. An error is fine, a crash is not.
fn read(metadata: &OpenedMetadata) {
    read_bytes(metadata);
    read_types(metadata);
    read_members(metadata);
    read_others(metadata);
}

fn read_bytes(metadata: &OpenedMetadata) {
    touch(metadata.storage());
    for number in 0..64 {
        if let Ok(Some(stream)) = metadata.stream(number) {
            touch(Ok(stream.name));
            touch(Ok(stream.bytes));
        }
    }
    let Ok(tables) = metadata.tables() else { return };
    for number in 0..64 {
        let Ok(table) = tables.table(Table(number)) else { continue };
        touch(Ok(table.name));
        for rid in [1, 2, table.rows, table.rows.saturating_add(1)] {
            touch(tables.row(Table(number), rid));
            for column in 0..table.columns {
                let _ = tables.column(Table(number), column);
                let Ok(value) = tables.value(Table(number), column, rid) else { continue };
                touch(tables.string(value));
                touch(tables.blob(value));
                touch(tables.user_string(value));
                let _ = tables.guid(value);
            }
        }
    }
    type Next<'t> = &'t dyn Fn(u32) -> Result<Option<u32>>;
    type Read<'t> = &'t dyn Fn(u32);
    let heaps: [(Next<'_>, Read<'_>); 4] = [
        (&|at| tables.next_string(at), &|at| touch(tables.string(at))),
        (&|at| tables.next_blob(at), &|at| touch(tables.blob(at))),
        (&|at| tables.next_user_string(at), &|at| touch(tables.user_string(at))),
        (&|at| tables.next_guid(at), &|at| drop(tables.guid(at))),
    ];
    for (next, read) in heaps {
        let sizes = tables.heap_sizes();
        for start in
            [0, 1, sizes.strings / 2, sizes.blobs.wrapping_sub(1), sizes.user_strings.wrapping_sub(1)]
        {
            let mut at = Some(start);
            for _ in 0..ENTRIES {
                let Some(index) = at else { break };
                read(index);
                at = next(index).ok().flatten();
            }
        }
    }
}

fn read_types(metadata: &OpenedMetadata) {
    let _ = (metadata.type_defs(), metadata.type_refs(), metadata.type_specs());
    for token in rows(TypeDef::from_rid) {
        if let Ok(its) = metadata.type_def(token) {
            let _ = metadata.find_type_def(&its.name, None);
            let _ = metadata.find_type_def(&its.name, TypeDef::from_rid(1));
        }
        let _ = (metadata.is_class(token), metadata.enclosing_type(token), metadata.type_layout(token));
        let _ =
            (metadata.interface_impls(token), metadata.method_impls(token), metadata.generic_params(token));
        let _ = (metadata.members(token), metadata.methods(token), metadata.fields(token));
        let _ = (metadata.properties(token), metadata.events(token), metadata.members_named(token, "Run"));
        let _ = (metadata.methods_named(token, "Run"), metadata.fields_named(token, "Literal"));
        for signature in SIGNATURES {
            let _ = metadata.find_member(token, "Run", signature);
            let _ = metadata.find_method(token, "Run", signature);
            let _ = metadata.find_field(token, "Literal", signature);
            let _ = metadata.find_member_ref(token, "Run", signature);
        }
        any(metadata, token.into());
    }
    for token in rows(TypeRef::from_rid) {
        if let Ok(its) = metadata.type_ref(token) {
            let _ = metadata.find_type_ref(its.scope, &its.name);
        }
        let _ = metadata.find_type_ref(Some(ResolutionScope::TypeRef(token)), "Nested");
        let _ = metadata.member_refs(token);
        any(metadata, token.into());
    }
    for token in rows(TypeSpec::from_rid) {
        touch(metadata.type_spec(token));
        any(metadata, token.into());
    }
    for token in rows(InterfaceImpl::from_rid) {
        let _ = metadata.interface_impl(token);
        any(metadata, token.into());
    }
    for token in rows(GenericParam::from_rid) {
        let _ = (metadata.generic_param(token), metadata.generic_param_constraints(token));
        any(metadata, token.into());
    }
    for token in rows(GenericParamConstraint::from_rid) {
        let _ = metadata.generic_param_constraint(token);
        any(metadata, token.into());
    }
}

fn read_members(metadata: &OpenedMetadata) {
    let _ = (metadata.unresolved_methods(), metadata.method_specs(None));
    for token in rows(MethodDef::from_rid) {
        touch(metadata.method(token).map(|its| its.signature));
        let _ = (metadata.params(token), metadata.param_at(token, 1), metadata.generic_params(token));
        let _ = (metadata.accessed(token), metadata.method_specs(Some(token.into())));
        any(metadata, token.into());
    }
    for token in rows(FieldDef::from_rid) {
        if let Ok(its) = metadata.field(token) {
            touch(Ok(its.signature));
            touch(Ok(its.constant.map_or(&[][..], |constant| constant.bytes)));
        }
        any(metadata, token.into());
    }
    for token in rows(ParamDef::from_rid) {
        if let Ok(its) = metadata.param(token) {
            touch(Ok(its.constant.map_or(&[][..], |constant| constant.bytes)));
        }
        any(metadata, token.into());
    }
    for token in rows(PropertyDef::from_rid) {
        touch(metadata.property(token).map(|its| its.signature));
        any(metadata, token.into());
    }
    for token in rows(EventDef::from_rid) {
        let _ = metadata.event(token);
        any(metadata, token.into());
    }
    for token in rows(MemberRef::from_rid) {
        touch(metadata.member_ref(token).map(|its| its.signature));
        any(metadata, token.into());
    }
    for token in rows(MethodSpec::from_rid) {
        touch(metadata.method_spec(token).map(|its| its.signature));
        any(metadata, token.into());
    }
    for token in rows(StandAloneSig::from_rid) {
        touch(metadata.signature(token));
        any(metadata, token.into());
    }
}

fn read_others(metadata: &OpenedMetadata) {
    let _ = (metadata.module(), metadata.mvid(), metadata.pe_kind(), metadata.version_string());
    let _ = (metadata.assembly(), metadata.files(), metadata.signatures(), metadata.module_refs());
    for token in metadata.user_strings().unwrap_or_default().into_iter().take(ENTRIES) {
        let _ = metadata.user_string(token);
    }
    for token in metadata.assembly_refs().unwrap_or_default().into_iter().take(ROWS as usize) {
        let _ = metadata.assembly_ref(token);
    }
    for token in metadata.exported_types().unwrap_or_default().into_iter().take(ROWS as usize) {
        let _ = metadata.exported_type(token);
    }
    for token in metadata.manifest_resources().unwrap_or_default().into_iter().take(ROWS as usize) {
        let _ = metadata.manifest_resource(token);
    }
    for token in metadata.files().unwrap_or_default().into_iter().take(ROWS as usize) {
        let _ = metadata.file(token);
    }
    let _ = (
        metadata.find_exported_type("System.Text.StringBuilder", None),
        metadata.find_manifest_resource("x"),
    );
    for token in rows(ModuleRef::from_rid) {
        let _ = metadata.module_ref(token);
    }
    for token in rows(CustomAttribute::from_rid) {
        touch(metadata.custom_attribute_props(token).map(|its| its.value));
    }
    for token in rows(DeclSecurity::from_rid) {
        touch(metadata.permission_set(token).map(|its| its.permissions));
    }
}

/// What every token has.
fn any(metadata: &OpenedMetadata, token: Token) {
    touch(metadata.name_of(token));
    let _ =
        (metadata.is_valid_token(token), metadata.rva(token), metadata.custom_attributes(Some(token), None));
    let attribute = "System.Runtime.CompilerServices.CompilerGeneratedAttribute";
    touch(metadata.custom_attribute(token, attribute).map(Option::unwrap_or_default));
    touch(metadata.field_marshal(token).map(Option::unwrap_or_default));
    let _ = (metadata.pinvoke_map(token), metadata.permission_sets(token, 1));
}
