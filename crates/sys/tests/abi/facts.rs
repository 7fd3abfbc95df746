//! The facts, as the JSON files state them, and C types as bindgen should translate them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// All the facts.
pub(crate) struct Facts {
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) structs: Vec<Struct>,
    /// Enumerations: name and values. The one without a name is called "".
    pub(crate) enums: Vec<(String, BTreeMap<String, i64>)>,
    /// Names of types and what they stand for.
    pub(crate) typedefs: Vec<(String, String)>,
    pub(crate) guids: BTreeMap<String, String>,
    pub(crate) hresults: BTreeMap<String, i64>,
    /// Structures that are pointed to and never declared.
    pub(crate) opaque: BTreeSet<String>,
}

pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) base: Option<String>,
    pub(crate) iid: Option<String>,
    pub(crate) methods: Vec<Method>,
}

pub(crate) struct Method {
    pub(crate) slot: usize,
    pub(crate) name: String,
    pub(crate) returns: String,
    /// Name and C type of each parameter, without `This`.
    pub(crate) params: Vec<(String, String)>,
}

pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) union: bool,
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// Name, C type and place of each field.
    pub(crate) fields: Vec<(String, String, Place)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Byte(usize),
    /// As `bit8:24`.
    Bits(String),
}

impl Facts {
    /// Reads the files, and checks that they are all there.
    pub(crate) fn read() -> Self {
        let base = json(include_str!("../../facts/base.json"));
        let both = |text: &str, key: &str| -> Vec<Value> {
            let mut all = json(text).as_array().unwrap().clone();
            all.extend(base[key].as_array().unwrap().iter().cloned());
            all
        };
        let interfaces: Vec<_> = both(include_str!("../../facts/interfaces.json"), "interfaces")
            .iter()
            .map(Interface::new)
            .collect();
        let mut structs: Vec<_> =
            both(include_str!("../../facts/structs.json"), "structs").iter().map(Struct::new).collect();
        for (name, added) in base["fields"].as_object().unwrap() {
            let record = structs.iter_mut().find(|record| &record.name == name).unwrap();
            record.fields.push(field(added));
        }
        let typedefs = both(include_str!("../../facts/typedefs.json"), "typedefs");
        let mut hresults = values(&json(include_str!("../../facts/hresults.json")));
        assert_eq!((interfaces.len(), hresults.len()), (50 + 2, 357));
        hresults.extend(values(&base["hresults"]));
        Self {
            interfaces,
            structs,
            enums: json(include_str!("../../facts/enums.json"))
                .as_array()
                .unwrap()
                .iter()
                .map(|e| (text(&e["name"]).replace("(anon)", ""), values(&e["values"])))
                .collect(),
            typedefs: typedefs.iter().map(|t| (text(&t["name"]), text(&t["type"]))).collect(),
            guids: json(include_str!("../../facts/guids.json"))
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, guid)| (name.clone(), text(guid)))
                .collect(),
            hresults,
            opaque: names(&base["opaque"]),
        }
    }

    /// The Rust type that a C type should have become, by name.
    pub(crate) fn rust_type(&self, c: &str) -> String {
        let c = c.trim();
        if let Some(reference) = c.strip_suffix('&') {
            let guid = reference.trim().strip_prefix("const ").unwrap();
            return format!("REF{guid}");
        }
        if let Some((element, length)) = c.strip_suffix(']').and_then(|c| c.split_once('[')) {
            let element = self.rust_type(element);
            return if length.is_empty() {
                format!("*mut {element}")
            } else {
                format!("[{element}; {length}]")
            };
        }
        if let Some(target) = c.strip_suffix('*') {
            let target = target.trim();
            if self.is_function(target) {
                return target.to_owned();
            }
            return match target.strip_prefix("const ").filter(|target| !target.ends_with('*')) {
                Some(target) => format!("*const {}", self.rust_type(target)),
                None => format!("*mut {}", self.rust_type(target)),
            };
        }
        match c {
            "void" => "c_void",
            "char" => "c_char",
            "int" => "c_int",
            "unsigned int" => "c_uint",
            "int32_t" => "i32",
            "uint8_t" => "u8",
            "uint16_t" => "u16",
            "uint32_t" => "u32",
            "uint64_t" => "u64",
            "uintptr_t" => "usize",
            _ => c,
        }
        .to_owned()
    }

    /// The return type as Rust writes it.
    pub(crate) fn rust_return(&self, c: &str) -> String {
        if c == "void" { "()".to_owned() } else { self.rust_type(c) }
    }

    /// The Rust type of `BOOL (ObjectID, void *)` or a pointer to that; `None` for what is no function.
    pub(crate) fn rust_function(&self, c: &str) -> Option<String> {
        let (returns, params) = c.strip_suffix(')')?.rsplit_once('(')?;
        let returns = returns.trim().trim_end_matches("(*)").trim();
        let params: Vec<_> = params.split(", ").map(|param| self.rust_type(param)).collect();
        Some(format!("Option<fn({}) -> {}>", params.join(", "), self.rust_return(returns)))
    }

    fn is_function(&self, name: &str) -> bool {
        self.typedefs.iter().any(|(typedef, c)| typedef == name && c.ends_with(')'))
    }

    /// The size of a C type on this machine; `None` for names that the facts do not define.
    pub(crate) fn size_of(&self, c: &str) -> Option<usize> {
        if c.ends_with(['*', ')', '&']) {
            return Some(size_of::<usize>());
        }
        match c {
            "uint8_t" => return Some(1),
            "uint16_t" => return Some(2),
            "uint32_t" | "int32_t" => return Some(4),
            "uint64_t" => return Some(8),
            "uintptr_t" => return Some(size_of::<usize>()),
            _ => {}
        }
        if self.enums.iter().any(|(name, _)| name == c) {
            return Some(4);
        }
        if let Some(record) = self.structs.iter().find(|record| record.name == c) {
            return Some(record.size);
        }
        let (_, target) = self.typedefs.iter().find(|(name, target)| name == c && target != c)?;
        self.size_of(target)
    }
}

impl Interface {
    fn new(value: &Value) -> Self {
        Self {
            name: text(&value["name"]),
            base: value["base"].as_str().map(str::to_owned),
            iid: value["iid"].as_str().map(str::to_owned),
            methods: value["methods"]
                .as_array()
                .unwrap()
                .iter()
                .map(|method| Method {
                    slot: number(&method["slot"]),
                    name: text(&method["name"]),
                    returns: text(&method["returns"]),
                    params: method["params"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|param| (text(&param["name"]), text(&param["type"])))
                        .collect(),
                })
                .collect(),
        }
    }
}

impl Struct {
    fn new(value: &Value) -> Self {
        Self {
            name: text(&value["name"]),
            union: value["union"].as_bool().unwrap(),
            size: number(&value["size"]),
            align: number(&value["align"]),
            fields: value["fields"].as_array().unwrap().iter().map(field).collect(),
        }
    }
}

fn field(value: &Value) -> (String, String, Place) {
    let place = match &value["offset"] {
        Value::String(bits) => Place::Bits(bits.clone()),
        offset => Place::Byte(number(offset)),
    };
    (text(&value["name"]), text(&value["type"]), place)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn names(value: &Value) -> BTreeSet<String> {
    value.as_array().unwrap().iter().map(text).collect()
}

/// Names with numbers, which are written as numbers or as `0x80004005`.
fn values(value: &Value) -> BTreeMap<String, i64> {
    let number = |value: &Value| match value {
        Value::String(hex) => i64::from_str_radix(hex.strip_prefix("0x").unwrap(), 16).unwrap(),
        _ => value.as_i64().unwrap(),
    };
    value.as_object().unwrap().iter().map(|(name, value)| (name.clone(), number(value))).collect()
}
