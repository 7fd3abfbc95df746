//! The public functions that take numbers, ids, tokens and bytes, and how each is validated: a part of `docs/unsafe.md`.
//!
//! What a type guarantees wherever it is passed is stated once, in `inputs.txt`; so is what a function does with a parameter
//! whose type guarantees nothing. A public function with such a parameter and no line is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use quote::ToTokens as _;
use syn::visit::{self, Visit};

use crate::ledger::{is_test_file, remove_tests};
use crate::sources::rust_below;

/// How types and parameters are validated: `type <name> <how>` and `<function> <parameter> <how>`.
const RULES: &str = include_str!("inputs.txt");

const HEAD: &str = "
## What callers hand in

The public functions of `corprof` that take ids, tokens, addresses, numbers, handles or bytes, with what keeps each safe
for every argument. `unsafe fn`s state in their documentation what must hold. A function that is not listed in
`xtask/src/inputs.txt`, and has a parameter whose type guarantees nothing, fails `cargo xtask unsafe`.

";

/// A parameter of a public function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Input {
    /// `Type::function`, or `function`.
    function: String,
    is_unsafe: bool,
    parameter: String,
    /// Without lifetimes, references and spaces.
    ty: String,
}

/// The types that a caller can make of anything: they guarantee nothing.
const RAW: [&str; 14] = [
    "usize", "u64", "u32", "u16", "u8", "i64", "i32", "[u8]", "[u16]", "[u32]", "[usize]", "[u64]", "str",
    "Guid",
];

#[derive(Debug, Default)]
struct Rules {
    types: BTreeMap<String, String>,
    parameters: BTreeMap<(String, String), String>,
}

impl Rules {
    fn parse(text: &str) -> Result<Self> {
        let mut rules = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            let (Some(first), Some(second), Some(how)) = (words.next(), words.next(), words.next()) else {
                bail!("a line of inputs.txt has three parts: {line}");
            };
            match first {
                "type" => rules.types.insert(second.to_owned(), how.to_owned()),
                _ => rules.parameters.insert((first.to_owned(), second.to_owned()), how.to_owned()),
            };
        }
        Ok(rules)
    }

    /// Returns how a parameter is validated, and the rule; an error if nothing says so.
    fn of(&self, input: &Input) -> Result<String, String> {
        if input.is_unsafe {
            return Ok("the caller (`unsafe fn`)".to_owned());
        }
        let key = (input.function.clone(), input.parameter.clone());
        if let Some(how) = self.parameters.get(&key).or_else(|| self.types.get(&input.ty)) {
            return Ok(how.clone());
        }
        Err(format!(
            "{} takes `{}: {}`, and inputs.txt does not say how it is validated",
            key.0, key.1, input.ty
        ))
    }

    /// The rules for parameters that no function has.
    fn stale(&self, inputs: &BTreeSet<Input>) -> impl Iterator<Item = String> {
        let has = |(function, parameter): &&(String, String)| {
            !inputs.iter().any(|input| input.function == *function && input.parameter == *parameter)
        };
        self.parameters.keys().filter(has).map(|(function, parameter)| {
            format!(
                "inputs.txt has a line for `{parameter}` of {function}, which is no public function with it"
            )
        })
    }
}

/// The section, and what is missing.
///
/// # Errors
/// A file cannot be read or parsed, or the rules are malformed.
pub(crate) fn section(sources: &Path) -> Result<(String, Vec<String>)> {
    let rules = Rules::parse(RULES)?;
    let mut collected = Collected { rules: &rules, owner: None, inputs: BTreeSet::new() };
    for (path, text) in rust_below(sources)? {
        if is_test_file(&path) {
            continue;
        }
        let mut file = syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        remove_tests(&mut file);
        collected.visit_file(&file);
    }
    Ok(render(&rules, &collected.inputs))
}

fn render(rules: &Rules, inputs: &BTreeSet<Input>) -> (String, Vec<String>) {
    let mut text = format!("{HEAD}| function | parameter | validated by |\n|---|---|---|\n");
    let mut missing: Vec<String> = rules.stale(inputs).collect();
    for input in inputs {
        match rules.of(input) {
            Ok(how) => {
                let Input { function, parameter, ty, .. } = input;
                let _ = writeln!(text, "| `{function}` | `{parameter}: {ty}` | {how} |");
            }
            Err(error) => missing.push(error),
        }
    }
    (text, missing)
}

struct Collected<'r> {
    rules: &'r Rules,
    owner: Option<String>,
    inputs: BTreeSet<Input>,
}

impl Collected<'_> {
    fn signature(&mut self, signature: &syn::Signature) {
        for argument in &signature.inputs {
            let syn::FnArg::Typed(typed) = argument else { continue };
            let ty = plain(&typed.ty);
            if !RAW.contains(&ty.as_str()) && !self.rules.types.contains_key(&ty) {
                continue;
            }
            let name = signature.ident.to_string();
            self.inputs.insert(Input {
                function: self
                    .owner
                    .as_ref()
                    .map_or_else(|| name.clone(), |owner| format!("{owner}::{name}")),
                is_unsafe: signature.unsafety.is_some(),
                parameter: typed.pat.to_token_stream().to_string(),
                ty,
            });
        }
    }
}

impl<'ast> Visit<'ast> for Collected<'_> {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        // Methods of a trait are called by whoever uses the trait.
        if item.trait_.is_none() {
            self.owner = Some(plain(&item.self_ty));
            visit::visit_item_impl(self, item);
            self.owner = None;
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if matches!(item.vis, syn::Visibility::Public(_)) {
            self.signature(&item.sig);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if matches!(item.vis, syn::Visibility::Public(_)) {
            self.signature(&item.sig);
        }
    }
}

/// A type without lifetimes and references; of an option, its content.
fn plain(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Reference(reference) => plain(&reference.elem),
        syn::Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return String::new() };
            if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
                && last.ident == "Option"
                && let Some(syn::GenericArgument::Type(content)) = arguments.args.first()
            {
                return plain(content);
            }
            last.ident.to_string()
        }
        syn::Type::Slice(slice) => format!("[{}]", plain(&slice.elem)),
        syn::Type::ImplTrait(implemented) => {
            implemented.bounds.to_token_stream().to_string().replace(' ', "")
        }
        other => other.to_token_stream().to_string().replace(' ', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
impl<'m> Rows<'m> {
    pub fn row(&self, table: Table, rid: u32) -> &[u8] { todo!() }
    pub unsafe fn at(&self, address: usize) {}
    pub(crate) fn own(&self, address: usize) {}
    pub fn name(&self, of: Option<ClassId>) {}
}
impl Display for Rows<'_> { fn fmt(&self, width: usize) {} }
pub fn read(bytes: &[u8], flag: bool) {}
";

    fn collected(rules: &Rules) -> BTreeSet<Input> {
        let mut collected = Collected { rules, owner: None, inputs: BTreeSet::new() };
        collected.visit_file(&syn::parse_file(FILE).unwrap());
        collected.inputs
    }

    #[test]
    fn parameters_without_a_rule_and_rules_without_a_parameter_are_named() {
        let rules =
            Rules::parse("type ClassId a check\nread bytes parsed\nRows::gone rid compared\n").unwrap();
        let (text, missing) = render(&rules, &collected(&rules));
        assert_eq!(
            missing,
            [
                "inputs.txt has a line for `rid` of Rows::gone, which is no public function with it",
                "Rows::row takes `rid: u32`, and inputs.txt does not say how it is validated",
            ]
        );
        for line in [
            "| `Rows::at` | `address: usize` | the caller (`unsafe fn`) |",
            "| `Rows::name` | `of: ClassId` | a check |",
            "| `read` | `bytes: [u8]` | parsed |",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains("own") && !text.contains("flag") && !text.contains("width"), "{text}");
    }
}
