//! Rows that are added to the program's module while it runs: the program resolves their tokens by reflection.

use std::path::Path;

use corprof::clrnames::metadata::Metadata as _;
use corprof::token::{AssemblyRef, TypeDef, TypeRef};
use corprof::{Error, HResult, ImportFrom, Metadata, MetadataEmit, Result};

use crate::State;
use crate::facts::{Facts, hex};

/// A reference to an assembly, by its name.
fn assembly_ref(metadata: &Metadata, name: &str) -> Result<AssemblyRef> {
    for token in metadata.assembly_refs()? {
        if metadata.assembly_ref(token)?.name == name {
            return Ok(token);
        }
    }
    Err(Error::NotFound(format!("no reference to {name}")))
}

/// Adds rows to the module, and prints what their tokens mean.
pub(crate) fn answer(state: &State) -> Result<String> {
    let info = &state.info;
    let module = state.module("live.dll")?;
    let before = info.metadata_rows(module)?;
    let emit = info.module_metadata_emit(module)?;
    let mut facts = Facts::of("emit");
    let mut token = |what: &str, token: u32, meaning: &str| {
        facts.say(format_args!("token.{what}"), token);
        facts.say(what, meaning);
    };

    // The test programs are compiled against the core library itself.
    let core_ref = assembly_ref(emit.metadata(), "System.Private.CoreLib")?;
    let text = emit.define_user_string("added while the program runs: \u{1F600}")?;
    token("string", text.token(), "added while the program runs: \u{1F600}");
    let units = emit.define_user_string_utf16(&[0x41, 0, 0x42])?;
    token("string.zero", units.token(), "A\u{0}B");

    let version: TypeRef = emit.define_type_ref(core_ref, "System.Version")?;
    token("typeref", version.token(), "System.Version");
    // The module's image does not have the row.
    let rows = info.metadata_rows(module)?;
    if (before.is_image(), rows.is_image()) != (true, false) {
        return Err(Error::other("the rows are read in the image of a module that is edited"));
    }
    token("rows", version.token(), &rows.type_ref(version)?.name);
    token("rows.before", version.token(), &before.type_ref(version)?.name);
    let again = emit.define_type_ref(core_ref, "System.Version")?;
    if again != version {
        return Err(Error::other("a type reference was defined twice"));
    }
    // instance string ToString(int)
    let method = emit.define_member_ref(version, "ToString", &[0x20, 0x01, 0x0E, 0x08])?;
    token("memberref", method.token(), "System.String ToString(Int32)");
    if emit.metadata().find_member_ref(version, "ToString", &[0x20, 0x01, 0x0E, 0x08])? != Some(method) {
        return Err(Error::other("the reference is not found by what reads"));
    }
    // class List<int>
    let list = emit.define_type_ref(core_ref, "System.Collections.Generic.List`1")?;
    let mut spec = vec![0x15, 0x12];
    spec.extend(compressed(list.rid() << 2 | 1));
    spec.extend([0x01, 0x08]);
    let spec = emit.define_type_spec(&spec)?;
    token("typespec", spec.token(), "System.Collections.Generic.List`1[System.Int32]");
    // T[] Empty<T>() of Array, with string.
    let array = emit.define_type_ref(core_ref, "System.Array")?;
    let empty = emit.define_member_ref(array, "Empty", &[0x10, 0x01, 0x00, 0x1D, 0x1E, 0x00])?;
    let empty = emit.define_method_spec(empty, &[0x0A, 0x01, 0x0E])?;
    token("methodspec", empty.token(), "System.String[] Empty[String]()");
    // Locals: int, string.
    let locals = emit.define_signature(&[0x07, 0x02, 0x08, 0x0E])?;
    token("signature", locals.token(), &hex(&[0x07, 0x02, 0x08, 0x0E]));

    let core = info.module_info(state.module("System.Private.CoreLib.dll")?)?.path;
    let core = info.metadata_dispenser()?.open(Path::new(&core))?;
    let from = ImportFrom::assembly(&core);
    let builder = core
        .find_type_def("System.Text.StringBuilder", None)?
        .ok_or_else(|| Error::NotFound("no StringBuilder".to_owned()))?;
    let imported = emit.import_type(from, builder)?;
    token("imported.type", imported.token(), "System.Text.StringBuilder");
    // instance StringBuilder Append(string)
    let mut signature = vec![0x20, 0x01, 0x12];
    signature.extend(compressed(builder.rid() << 2));
    signature.push(0x0E);
    let append = core
        .find_method(builder, "Append", &signature)?
        .ok_or_else(|| Error::NotFound("no StringBuilder.Append".to_owned()))?;
    let append = emit.import_method(from, append, imported)?;
    token("imported.method", append.token(), "System.Text.StringBuilder Append(System.String)");
    let mut translated = vec![0x20, 0x01, 0x12];
    translated.extend(compressed(imported.rid() << 2 | 1));
    translated.push(0x0E);
    if emit.translated_signature(from, &signature)? != translated {
        return Err(Error::other("the translated signature is not the one with the imported type"));
    }
    refused(&emit, from, version, &signature)?;

    // [Obsolete("added")] on the program's type Marked.
    let marked = emit
        .metadata()
        .find_type_def("Marked", None)?
        .ok_or_else(|| Error::NotFound("no Marked".to_owned()))?;
    let obsolete = emit.define_type_ref(core_ref, "System.ObsoleteAttribute")?;
    let constructor = emit.define_member_ref(obsolete, ".ctor", &[0x20, 0x01, 0x01, 0x0E])?;
    let attribute = emit.define_custom_attribute(marked, constructor, b"\x01\x00\x05first\x00\x00")?;
    emit.set_custom_attribute_value(attribute, b"\x01\x00\x05added\x00\x00")?;
    facts.say("attribute", "[System.ObsoleteAttribute(\"added\")]");
    Ok(facts.finish())
}

/// Input that the metadata would accept, or read beyond its end, is refused: rows that do not exist, malformed signatures.
fn refused(emit: &MetadataEmit, from: ImportFrom<'_>, version: TypeRef, signature: &[u8]) -> Result<()> {
    let nobody = |rid| TypeRef::from_rid(rid).ok_or_else(|| Error::other("no such row number"));
    let missing = nobody(0x00FF_FFF0)?;
    let rows = [
        emit.define_member_ref(missing, "ToString", &[0x20, 0x00, 0x0E]).map(drop),
        emit.define_type_ref(missing, "Nested").map(drop),
        emit.import_type(from, TypeDef::from_rid(0x00FF_FFF0).ok_or_else(|| Error::other("no row"))?)
            .map(drop),
    ];
    if rows.iter().any(|row| row.as_ref().err().map(Error::hresult) != Some(HResult::CLDB_E_RECORD_NOTFOUND))
    {
        return Err(Error::other(format!("rows that do not exist were taken: {rows:?}")));
    }
    let core = from.module;
    let owner = TypeDef::from_rid(2).ok_or_else(|| Error::other("no row"))?;
    for length in 0..signature.len() {
        let cut = &signature[..length];
        let taken = [
            emit.translated_signature(from, cut).map(drop),
            emit.define_member_ref(version, "Cut", cut).map(drop),
            emit.define_signature(cut).map(drop),
            core.find_member(owner, "Cut", cut).map(drop),
            core.find_method(owner, "Cut", cut).map(drop),
            core.find_field(owner, "Cut", cut).map(drop),
            core.find_member_ref(version, "Cut", cut).map(drop),
        ];
        if taken.iter().any(Result::is_ok) {
            return Err(Error::other(format!("a signature of {length} bytes was taken: {taken:?}")));
        }
    }
    Ok(())
}

/// A compressed unsigned number (ECMA-335 II.23.2).
fn compressed(value: u32) -> Vec<u8> {
    let [a, b, c, d] = value.to_be_bytes();
    match value {
        0..0x80 => vec![d],
        0x80..0x4000 => vec![0x80 | c, d],
        _ => vec![0xC0 | a, b, c, d],
    }
}
