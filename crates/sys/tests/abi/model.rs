//! The bindings as their text declares them: names, order and types, through `syn`.

use std::collections::BTreeMap;

use syn::{Fields, Item, ReturnType, Type};

/// What the generated modules declare.
#[derive(Default)]
pub(crate) struct Model {
    /// Structures with named fields and unions, without bindgen's own.
    pub(crate) records: BTreeMap<String, Record>,
    /// Newtypes: name and inner type.
    pub(crate) newtypes: BTreeMap<String, String>,
    /// Type aliases: name and type.
    pub(crate) aliases: BTreeMap<String, String>,
    /// Constants: name and type.
    pub(crate) consts: BTreeMap<String, String>,
}

/// A structure or union.
pub(crate) struct Record {
    pub(crate) union: bool,
    /// Its `repr`, such as `C, packed`.
    pub(crate) repr: String,
    /// Name and type of each field.
    pub(crate) fields: Vec<(String, String)>,
    /// Parameters and return type of each field that is a plain function pointer.
    pub(crate) functions: BTreeMap<String, Function>,
}

/// The type of a function pointer.
pub(crate) struct Function {
    /// Name and type of each parameter.
    pub(crate) params: Vec<(String, String)>,
    pub(crate) returns: String,
}

impl Model {
    /// Parses the generated modules.
    pub(crate) fn read() -> Self {
        let mut model = Self::default();
        for text in [include_str!("../../src/bindings.rs"), include_str!("../../src/guids.rs")] {
            for item in syn::parse_file(text).unwrap().items {
                model.add(item);
            }
        }
        model
    }

    fn add(&mut self, item: Item) {
        match item {
            Item::Struct(item) => {
                let name = item.ident.to_string();
                if name.starts_with("__Bindgen") {
                    return;
                }
                match &item.fields {
                    Fields::Named(fields) => {
                        let record = Record::new(false, repr(&item.attrs), fields);
                        assert!(self.records.insert(name, record).is_none());
                    }
                    Fields::Unnamed(fields) => {
                        assert_eq!(repr(&item.attrs), "transparent", "{name}");
                        let inner: Vec<_> = fields.unnamed.iter().map(|field| show(&field.ty)).collect();
                        assert!(self.newtypes.insert(name, inner.join(", ")).is_none());
                    }
                    Fields::Unit => panic!("{name} has no fields"),
                }
            }
            Item::Union(item) => {
                let record = Record::new(true, repr(&item.attrs), &item.fields);
                assert!(self.records.insert(item.ident.to_string(), record).is_none());
            }
            Item::Type(item) => {
                assert!(self.aliases.insert(item.ident.to_string(), show(&item.ty)).is_none());
            }
            Item::Const(item) => {
                assert!(self.consts.insert(item.ident.to_string(), show(&item.ty)).is_none());
            }
            // `pub use self::CorTypeAttr as CorRegTypeAttr` is how bindgen gives a newtype a second name.
            Item::Use(item) => {
                if let Some((target, name)) = second_name(&item.tree) {
                    assert!(self.aliases.insert(name, target).is_none());
                }
            }
            Item::Impl(_) => {}
            Item::Enum(item) => {
                panic!("{} is a Rust enum, which the runtime could give any value", item.ident)
            }
            _ => panic!("an item of a kind that the bindings should not have"),
        }
    }
}

impl Record {
    fn new(union: bool, repr: String, fields: &syn::FieldsNamed) -> Self {
        let name = |field: &syn::Field| field.ident.as_ref().unwrap().to_string();
        Self {
            union,
            repr,
            fields: fields.named.iter().map(|field| (name(field), show(&field.ty))).collect(),
            functions: fields
                .named
                .iter()
                .filter_map(|field| match &field.ty {
                    Type::BareFn(function) => Some((name(field), Function::new(function))),
                    _ => None,
                })
                .collect(),
        }
    }
}

impl Function {
    /// Every function of the ABI is unsafe and uses the platform's convention.
    fn new(function: &syn::TypeBareFn) -> Self {
        assert!(function.unsafety.is_some() && function.variadic.is_none());
        let abi = function.abi.as_ref().and_then(|abi| abi.name.as_ref()).map(syn::LitStr::value);
        assert_eq!(abi.as_deref(), Some("system"));
        Self {
            params: function
                .inputs
                .iter()
                .map(|input| {
                    let name = input.name.as_ref().map(|(name, _)| name.to_string());
                    (name.unwrap_or_default(), show(&input.ty))
                })
                .collect(),
            returns: match &function.output {
                ReturnType::Default => "()".to_owned(),
                ReturnType::Type(_, ty) => show(ty),
            },
        }
    }

    /// The types alone, as `fn(A, B) -> C`.
    fn show(&self) -> String {
        let params: Vec<_> = self.params.iter().map(|(_, ty)| ty.as_str()).collect();
        format!("fn({}) -> {}", params.join(", "), self.returns)
    }
}

/// `(A, B)` for `self::A as B`.
fn second_name(tree: &syn::UseTree) -> Option<(String, String)> {
    match tree {
        syn::UseTree::Path(path) if path.ident == "self" => match &*path.tree {
            syn::UseTree::Rename(names) => Some((names.ident.to_string(), names.rename.to_string())),
            _ => None,
        },
        _ => None,
    }
}

/// What stands in `#[repr(...)]`.
fn repr(attributes: &[syn::Attribute]) -> String {
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute
            .parse_nested_meta(|meta| {
                words.push(meta.path.get_ident().unwrap().to_string());
                Ok(())
            })
            .unwrap();
    }
    words.join(", ")
}

/// A type by the last segment of its path, with its pointers.
fn show(ty: &Type) -> String {
    match ty {
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => {
                    let arguments: Vec<_> = arguments
                        .args
                        .iter()
                        .map(|argument| match argument {
                            syn::GenericArgument::Type(ty) => show(ty),
                            _ => panic!("a generic argument that is not a type"),
                        })
                        .collect();
                    format!("{}<{}>", last.ident, arguments.join(", "))
                }
                _ => last.ident.to_string(),
            }
        }
        Type::Ptr(pointer) => {
            format!("*{} {}", if pointer.mutability.is_some() { "mut" } else { "const" }, show(&pointer.elem))
        }
        Type::Array(array) => match &array.len {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => {
                format!("[{}; {}]", show(&array.elem), length.base10_digits())
            }
            _ => panic!("an array whose length is not a number"),
        },
        Type::BareFn(function) => Function::new(function).show(),
        _ => panic!("a type of a kind that the bindings should not have"),
    }
}
