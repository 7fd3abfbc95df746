//! Type references between modules that are made up: which module a reference leads to, and that it ends.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clrnames::Error;
use clrnames::metadata::{self as rows, AssemblyName, Exported, Manifest, Metadata};
use clrnames::resolution::{ModuleSet, find_type, resolve};
use sigparse::token::{
    AssemblyRef, EventDef, FieldDef, GenericParam, MemberRef, MethodDef, ModuleRef, ParamDef, PropertyDef,
    TypeDef, TypeRef, TypeSpec,
};
use sigparse::{MethodDefOrRef, ResolutionScope, Token, TypeDefOrRef};

/// A module's types and references. Token 1 is the first of a list.
#[derive(Default)]
struct Module {
    /// Name and enclosing type.
    types: Vec<(&'static str, Option<u32>)>,
    references: Vec<(&'static str, Option<ResolutionScope>)>,
    assemblies: Vec<&'static str>,
    exported: HashMap<&'static str, Exported>,
    is_malformed: bool,
    /// How often a type was looked for.
    searches: AtomicUsize,
}

macro_rules! missing {
    ($(fn $name:ident($($ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $(_: $ty),*) -> Result<$out, Error> {
            Err(Error::NotFound(stringify!($name).to_owned()))
        })*
    };
}

impl Metadata for Module {
    type Error = Error;

    fn type_ref(&self, token: TypeRef) -> Result<rows::TypeRefProps, Error> {
        let (name, scope) = self.references[token.rid() as usize - 1];
        Ok(rows::TypeRefProps { name: name.to_owned(), scope })
    }

    missing! {
        fn type_def(TypeDef) -> rows::TypeDefProps;
        fn enclosing_type(TypeDef) -> Option<TypeDef>;
        fn type_spec(TypeSpec) -> &[u8];
        fn generic_params(Token) -> Vec<GenericParam>;
        fn generic_param(GenericParam) -> rows::GenericParamProps;
        fn method(MethodDef) -> rows::MethodProps<'_>;
        fn methods(TypeDef) -> Vec<MethodDef>;
        fn methods_named(TypeDef, &str) -> Vec<MethodDef>;
        fn params(MethodDef) -> Vec<ParamDef>;
        fn param(ParamDef) -> rows::ParamProps<'_>;
        fn fields(TypeDef) -> Vec<FieldDef>;
        fn field(FieldDef) -> rows::FieldProps<'_>;
        fn custom_attribute(Token, &str) -> Option<&[u8]>;
        fn accessed(MethodDef) -> Option<rows::Accessed>;
        fn property(PropertyDef) -> rows::PropertyProps<'_>;
        fn event(EventDef) -> rows::EventProps;
        fn method_impls(TypeDef) -> Vec<(MethodDefOrRef, MethodDefOrRef)>;
        fn member_ref(MemberRef) -> rows::MemberRefProps<'_>;
    }
}

impl Manifest for Module {
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>, Error> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        if self.is_malformed {
            return Err(Error::NotFound("malformed".to_owned()));
        }
        let wanted = (name, enclosing.map(TypeDef::rid));
        let row = self.types.iter().position(|found| *found == wanted);
        Ok(row.and_then(|row| TypeDef::from_rid(u32::try_from(row).unwrap() + 1)))
    }

    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>, Error> {
        Ok(self.exported.get(name).cloned())
    }

    fn assembly_name(&self) -> Result<Option<AssemblyName>, Error> {
        Ok(None)
    }

    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName, Error> {
        Ok(AssemblyName::simple(self.assemblies[token.rid() as usize - 1]))
    }

    fn referenced_module(&self, _: ModuleRef) -> Result<String, Error> {
        Ok("other.netmodule".to_owned())
    }
}

/// Modules by the names of their assemblies; one name may have several.
struct Modules(Vec<(&'static str, Arc<Module>)>);

impl ModuleSet for Modules {
    type Module = usize;
    type Metadata = Module;
    type Error = Error;

    fn metadata(&self, module: usize) -> Result<Arc<Module>, Error> {
        Ok(Arc::clone(&self.0[module].1))
    }

    fn candidates(&self, _: Option<usize>, assembly: &AssemblyName) -> Result<Vec<usize>, Error> {
        let named = self.0.iter().enumerate().filter(|(_, (name, _))| *name == assembly.name);
        Ok(named.map(|(module, _)| module).collect())
    }

    fn module_of_assembly(&self, _: usize, file: &str) -> Result<Option<usize>, Error> {
        Ok(self.0.iter().position(|(name, _)| *name == file))
    }
}

fn modules<const N: usize>(modules: [(&'static str, Module); N]) -> Modules {
    Modules(modules.into_iter().map(|(name, module)| (name, Arc::new(module))).collect())
}

/// A module with these references to the assembly `Lib`.
fn referring(references: &[&'static str]) -> Module {
    let lib = ResolutionScope::AssemblyRef(AssemblyRef::from_rid(1).unwrap());
    Module {
        references: references.iter().map(|name| (*name, Some(lib))).collect(),
        assemblies: vec!["Lib"],
        ..Module::default()
    }
}

/// A module that forwards a type to another assembly.
fn forwarding(name: &'static str, to: &'static str) -> Module {
    let target = Exported::Forwarded(AssemblyRef::from_rid(1).unwrap());
    Module { exported: HashMap::from([(name, target)]), assemblies: vec![to], ..Module::default() }
}

fn defining(types: &[(&'static str, Option<u32>)]) -> Module {
    Module { types: types.to_vec(), ..Module::default() }
}

fn reference(row: u32) -> TypeDefOrRef {
    TypeDefOrRef::TypeRef(TypeRef::from_rid(row).unwrap())
}

fn found(result: Option<(usize, TypeDef)>) -> Option<(usize, u32)> {
    result.map(|(module, type_def)| (module, type_def.rid()))
}

#[test]
fn a_reference_leads_to_the_module_of_its_assembly() {
    let modules = modules([("App", referring(&["N.A", "N.B"])), ("Lib", defining(&[("N.A", None)]))]);
    assert_eq!(found(resolve(&modules, 0, reference(1)).unwrap()), Some((1, 1)));
    assert_eq!(found(resolve(&modules, 0, reference(2)).unwrap()), None);
    assert_eq!(found(find_type(&modules, &AssemblyName::simple("Lib"), "N.A").unwrap()), Some((1, 1)));
    let own = TypeDefOrRef::TypeDef(TypeDef::from_rid(7).unwrap());
    assert_eq!(found(resolve(&modules, 0, own).unwrap()), Some((0, 7)));
}

#[test]
fn nested_types_are_found_in_their_enclosing_type() {
    let mut app = referring(&["N.A"]);
    app.references.push(("Inner", Some(ResolutionScope::TypeRef(TypeRef::from_rid(1).unwrap()))));
    let lib = defining(&[("Inner", None), ("N.A", None), ("Inner", Some(2))]);
    let modules = modules([("App", app), ("Lib", lib)]);
    assert_eq!(found(resolve(&modules, 0, reference(2)).unwrap()), Some((1, 3)));
}

#[test]
fn forwarders_are_followed_to_the_definition() {
    let modules = modules([
        ("App", referring(&["N.A"])),
        ("Lib", forwarding("N.A", "Core")),
        ("Core", forwarding("N.A", "Private")),
        ("Private", defining(&[("N.A", None)])),
    ]);
    assert_eq!(found(resolve(&modules, 0, reference(1)).unwrap()), Some((3, 1)));
}

#[test]
fn circles_of_forwarders_and_of_enclosing_types_end() {
    let forwarders = modules([
        ("App", referring(&["N.A"])),
        ("Lib", forwarding("N.A", "Core")),
        ("Core", forwarding("N.A", "Lib")),
    ]);
    assert_eq!(found(resolve(&forwarders, 0, reference(1)).unwrap()), None);
    let scope = |row| Some(ResolutionScope::TypeRef(TypeRef::from_rid(row).unwrap()));
    let nested = Module { references: vec![("A", scope(2)), ("B", scope(1))], ..Module::default() };
    assert_eq!(found(resolve(&modules([("App", nested)]), 0, reference(1)).unwrap()), None);
}

/// Assemblies of one name forward a type to assemblies of another one and back: the ways through them double with each step.
#[test]
fn each_module_is_searched_once_whatever_forwards_to_what() {
    for count in [1, 2, 4, 8] {
        let mut all = vec![("App", Arc::new(referring(&["N.A"])))];
        for _ in 0..count {
            all.push(("Lib", Arc::new(forwarding("N.A", "Other"))));
            all.push(("Other", Arc::new(forwarding("N.A", "Lib"))));
        }
        let modules = Modules(all);
        assert_eq!(found(resolve(&modules, 0, reference(1)).unwrap()), None);
        let searches = modules.0.iter().map(|(_, module)| module.searches.load(Ordering::Relaxed));
        assert_eq!(searches.sum::<usize>(), 2 * count);
    }
}

#[test]
fn other_modules_of_an_assembly_are_searched() {
    let netmodule = || ("other.netmodule", defining(&[("N.A", None)]));
    let by_reference = ResolutionScope::ModuleRef(ModuleRef::from_rid(1).unwrap());
    let app = Module { references: vec![("N.A", Some(by_reference))], ..Module::default() };
    assert_eq!(found(resolve(&modules([("App", app), netmodule()]), 0, reference(1)).unwrap()), Some((1, 1)));
    let file = Exported::File("other.netmodule".to_owned());
    let app = Module {
        references: vec![("N.A", None)],
        exported: HashMap::from([("N.A", file)]),
        ..Module::default()
    };
    assert_eq!(found(resolve(&modules([("App", app), netmodule()]), 0, reference(1)).unwrap()), Some((1, 1)));
}

#[test]
fn a_malformed_candidate_does_not_hide_a_good_one() {
    let malformed = || Module { is_malformed: true, ..Module::default() };
    let good =
        modules([("App", referring(&["N.A"])), ("Lib", malformed()), ("Lib", defining(&[("N.A", None)]))]);
    assert_eq!(found(resolve(&good, 0, reference(1)).unwrap()), Some((2, 1)));
    let bad = modules([("App", referring(&["N.A"])), ("Lib", malformed()), ("Lib", defining(&[]))]);
    assert!(matches!(resolve(&bad, 0, reference(1)), Err(Error::NotFound(_))));
}
