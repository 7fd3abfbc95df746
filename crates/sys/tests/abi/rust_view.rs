//! The bindings, as declared and as measured, against the facts.

use std::collections::{BTreeMap, BTreeSet};

use corprof_sys::GUID;

use crate::facts::{Facts, Place};
use crate::layout::Layout;
use crate::layout_table::{ALIASES, GUIDS, LAYOUTS, NEWTYPES, VALUES};
use crate::model::Model;

/// The facts give sizes and offsets of 64-bit targets. Names, types, order and slots are checked on all.
const SIZES_ARE_KNOWN: bool = cfg!(target_pointer_width = "64");

const POINTER: usize = size_of::<usize>();

/// Collects differences, so that one run shows all of them.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, bound: T, fact: T) {
        if bound != fact {
            self.0.push(format!("{what}: bound as {bound:?}, should be {fact:?}"));
        }
    }

    /// Compares sets of names in both directions.
    fn same_names<A: AsRef<str>, B: AsRef<str>>(
        &mut self,
        what: &str,
        bound: impl IntoIterator<Item = A>,
        facts: impl IntoIterator<Item = B>,
    ) {
        let bound: BTreeSet<String> = bound.into_iter().map(|name| name.as_ref().to_owned()).collect();
        let facts: BTreeSet<String> = facts.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self.0.extend(facts.difference(&bound).map(|name| format!("{what} {name}: not bound")));
        self.0.extend(bound.difference(&facts).map(|name| format!("{what} {name}: bound without a fact")));
    }
}

impl Drop for Differences {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{} differences:\n{}", self.0.len(), self.0.join("\n"));
        }
    }
}

fn layout(name: &str) -> &'static Layout {
    LAYOUTS.iter().find(|layout| layout.name == name).unwrap_or_else(|| panic!("{name} is not bound"))
}

/// A parameter or field name that is a Rust keyword has an underscore after it.
fn plain(name: &str) -> &str {
    match name.strip_suffix('_') {
        Some(keyword) if syn::parse_str::<syn::Ident>(keyword).is_err() => keyword,
        _ => name,
    }
}

#[test]
fn the_measured_table_has_everything_that_is_declared() {
    let model = Model::read();
    let mut differences = Differences::default();
    differences.same_names("type", LAYOUTS.iter().map(|layout| layout.name), model.records.keys());
    differences.same_names("newtype", NEWTYPES.iter().map(|(name, _)| name), model.newtypes.keys());
    differences.same_names("alias", ALIASES.iter().map(|(name, _)| name), model.aliases.keys());
    let values = VALUES.iter().map(|(_, name, _)| name).chain(GUIDS.iter().map(|(name, _)| name));
    differences.same_names("constant", values, model.consts.keys());
    for (kind, name, _) in VALUES {
        let kind = if kind.is_empty() { "u32" } else { kind };
        differences.equal(name, model.consts[*name].as_str(), kind);
    }
    for (name, record) in &model.records {
        // Fields that begin with an underscore are bindgen's: bit-field storage, contents of opaque types.
        let declared =
            record.fields.iter().map(|(field, _)| field.as_str()).filter(|field| !field.starts_with('_'));
        let measured = layout(name).fields.iter().map(|(field, _)| *field);
        differences.equal(name, measured.collect::<Vec<_>>(), declared.collect());
    }
}

#[test]
fn interfaces_and_vtables() {
    let (facts, model) = (Facts::read(), Model::read());
    let mut differences = Differences::default();
    differences.same_names(
        "vtable",
        model.records.keys().filter_map(|name| name.strip_suffix("Vtbl")),
        facts.interfaces.iter().map(|interface| &interface.name),
    );
    for interface in &facts.interfaces {
        let name = &interface.name;
        differences.equal(name, layout(name).fields, &[("lpVtbl", 0)]);
        differences.equal(name, layout(name).size, POINTER);
        differences.equal(name, &model.records[name].fields[0].1, &format!("*const {name}Vtbl"));

        let vtable = format!("{name}Vtbl");
        let (measured, record) = (layout(&vtable), &model.records[&vtable]);
        differences.equal(&vtable, record.repr.as_str(), "C");
        let (mut fields, mut declared) = (measured.fields, record.fields.as_slice());
        if let Some(base) = &interface.base {
            let base = format!("{base}Vtbl");
            differences.equal(&vtable, fields[0], ("base", 0));
            differences.equal(&vtable, &declared[0].1, &base);
            differences.equal(&vtable, layout(&base).size, interface.methods[0].slot * POINTER);
            (fields, declared) = (&fields[1..], &declared[1..]);
        }
        differences.equal(
            &vtable,
            (fields.len(), declared.len()),
            (interface.methods.len(), interface.methods.len()),
        );
        let slots = interface.methods.last().map_or(0, |method| method.slot + 1);
        differences.equal(&vtable, measured.size, slots * POINTER);

        for (method, (bound, offset)) in interface.methods.iter().zip(fields) {
            let what = format!("{name}::{}", method.name);
            differences.equal(&what, plain(bound), method.name.as_str());
            differences.equal(&what, *offset, method.slot * POINTER);
            let Some(function) = record.functions.get(*bound) else {
                differences.0.push(format!("{what}: not a plain function pointer"));
                continue;
            };
            let bound: Vec<_> = function.params.iter().map(|(name, ty)| (plain(name), ty.as_str())).collect();
            let types: Vec<_> = method.params.iter().map(|(_, ty)| facts.rust_type(ty)).collect();
            let this = format!("*mut {name}");
            let mut expected = vec![("This", this.as_str())];
            expected.extend(
                method.params.iter().map(|(name, _)| name.as_str()).zip(types.iter().map(String::as_str)),
            );
            differences.equal(&what, bound, expected);
            differences.equal(&what, &function.returns, &facts.rust_return(&method.returns));
        }
    }
}

#[test]
fn structures() {
    let (facts, model) = (Facts::read(), Model::read());
    let mut differences = Differences::default();
    let interfaces = facts
        .interfaces
        .iter()
        .flat_map(|interface| [interface.name.clone(), format!("{}Vtbl", interface.name)]);
    let structs = facts.structs.iter().map(|record| record.name.clone());
    differences.same_names(
        "type",
        model.records.keys(),
        interfaces.chain(structs).chain(facts.opaque.iter().cloned()),
    );
    for record in &facts.structs {
        let (name, bound, declared) = (&record.name, layout(&record.name), &model.records[&record.name]);
        differences.equal(name, declared.union, record.union);
        if SIZES_ARE_KNOWN {
            differences.equal(name, (bound.size, bound.align), (record.size, record.align));
        }
        let bits: Vec<_> = bound.bits.iter().map(|(name, place)| (*name, place())).collect();
        differences.same_names(
            name,
            bound.fields.iter().map(|(field, _)| plain(field)).chain(bits.iter().map(|(field, _)| *field)),
            record.fields.iter().map(|(field, _, _)| field),
        );
        for (field, ty, place) in &record.fields {
            let what = format!("{name}.{field}");
            match place {
                Place::Bits(place) => {
                    let found = bits.iter().find(|(name, _)| name == field).map(|(_, place)| place);
                    differences.equal(&what, found, Some(place));
                }
                Place::Byte(offset) => {
                    let found = bound.fields.iter().find(|(name, _)| plain(name) == field);
                    if SIZES_ARE_KNOWN {
                        differences.equal(&what, found.map(|(_, offset)| offset), Some(offset));
                    }
                    let found = declared.fields.iter().find(|(name, _)| plain(name) == field);
                    differences.equal(&what, found.map(|(_, ty)| ty), Some(&facts.rust_type(ty)));
                }
            }
        }
    }
}

#[test]
fn enumerations() {
    let (facts, model) = (Facts::read(), Model::read());
    let mut differences = Differences::default();
    // A typedef names the type of the enumeration, or gives it a second name.
    let bound_name = |name: &str| model.aliases.get(name).map_or(name, String::as_str).to_owned();
    let known = facts.enums.iter().map(|(name, _)| bound_name(name)).filter(|name| !name.is_empty());
    differences.same_names("enumeration", model.newtypes.keys(), known);
    for (name, inner) in &model.newtypes {
        differences.equal(name, inner.as_str(), "u32");
    }
    for (name, size) in NEWTYPES {
        differences.equal(name, *size, 4);
    }
    for (name, values) in &facts.enums {
        let name = bound_name(name);
        let bound: BTreeMap<_, _> = VALUES
            .iter()
            .filter(|(kind, _, _)| *kind == name)
            .map(|(_, name, value)| (*name, *value))
            .collect();
        differences.same_names(&format!("{name} value"), bound.keys(), values.keys());
        for (value, number) in values {
            differences.equal(value, bound.get(value.as_str()), Some(number));
        }
    }
}

#[test]
fn type_names() {
    let (facts, model) = (Facts::read(), Model::read());
    let mut differences = Differences::default();
    let is_type = |name: &str| model.records.contains_key(name) || model.newtypes.contains_key(name);
    for (name, c) in &facts.typedefs {
        // Some C types exist only under a typedef's name; these are the type itself in Rust.
        if is_type(name) {
            let own = c.starts_with('_') || c == name || c.strip_prefix("union ").is_some_and(|c| c == name);
            let fields = c.starts_with("union {") && model.records[name].union;
            differences.equal(name, own || fields, true);
            continue;
        }
        let expected = facts.rust_function(c).unwrap_or_else(|| facts.rust_type(c));
        differences.equal(name, model.aliases.get(name), Some(&expected));
    }
    differences.same_names(
        "type name",
        model.aliases.keys(),
        facts.typedefs.iter().map(|(name, _)| name).filter(|name| !is_type(name)),
    );
    if SIZES_ARE_KNOWN {
        for (name, size) in ALIASES {
            differences.equal(name, Some(*size), facts.size_of(name));
        }
    }
}

#[test]
fn guids() {
    let facts = Facts::read();
    let interfaces: BTreeSet<_> = facts.interfaces.iter().map(|interface| interface.name.as_str()).collect();
    let mut differences = Differences::default();
    let expected: BTreeMap<String, &String> = facts
        .guids
        .iter()
        .map(|(name, guid)| {
            let prefix = if interfaces.contains(name.as_str()) { "IID_" } else { "" };
            (format!("{prefix}{name}"), guid)
        })
        .collect();
    let bound: BTreeMap<String, String> =
        GUIDS.iter().map(|(name, guid)| ((*name).to_owned(), show(guid))).collect();
    differences.same_names("GUID", bound.keys(), expected.keys());
    for (name, guid) in &bound {
        differences.equal(name, Some(&guid), expected.get(name));
    }
    for interface in &facts.interfaces {
        let iid = bound.get(&format!("IID_{}", interface.name));
        differences.equal(&interface.name, iid.is_some(), true);
        if interface.iid.is_some() {
            differences.equal(&interface.name, iid, interface.iid.as_ref());
        }
    }
}

fn show(guid: &GUID) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let (high, low) = guid.data4.split_at(2);
    format!("{:08X}-{:04X}-{:04X}-{}-{}", guid.data1, guid.data2, guid.data3, hex(high), hex(low))
}

#[test]
fn hresults() {
    let facts = Facts::read();
    let mut differences = Differences::default();
    let bound: BTreeMap<_, _> = VALUES
        .iter()
        .filter(|(kind, _, _)| *kind == "HRESULT")
        .map(|(_, name, value)| (*name, *value))
        .collect();
    differences.same_names("HRESULT", bound.keys(), facts.hresults.keys());
    for (name, value) in bound {
        let fact = facts.hresults.get(name).map(|value| u32::try_from(*value).unwrap().cast_signed());
        differences.equal(name, i32::try_from(value).ok(), fact);
    }
}
