//! The public functions of a crate, from its sources: for the tests that have to know all of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::paths;
use syn::visit::{self, Visit};

/// Returns the safe public functions of the inherent implementations of a crate of the workspace: `ProfilerInfo::modules`.
///
/// A `pub` function that users cannot reach is an error of the lint `unreachable_pub`, so all that is `pub` is the API.
/// Functions of traits are left out.
///
/// # Errors
///
/// When a source cannot be read or parsed.
pub fn of(name: &str) -> Result<BTreeSet<String>> {
    let mut functions = Functions::default();
    let sources = paths::workspace().join("crates").join(name).join("src");
    functions.add_folder(&sources)?;
    ensure!(!functions.names.is_empty(), "{} has no public functions", sources.display());
    Ok(functions.names)
}

#[derive(Default)]
struct Functions {
    names: BTreeSet<String>,
    owner: String,
}

impl Functions {
    fn add_folder(&mut self, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                self.add_folder(&path)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") && !has_tests_only(&path) {
                let text = fs::read_to_string(&path)?;
                self.add(&text).with_context(|| format!("in {}", path.display()))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, text: &str) -> Result<()> {
        self.visit_file(&syn::parse_file(text)?);
        Ok(())
    }
}

/// Whether a file has tests only, by its name: its `mod` declaration is in another file.
fn has_tests_only(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem == "tests" || stem.ends_with("_tests")
}

impl Visit<'_> for Functions {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
        };
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        let syn::Type::Path(path) = &*item.self_ty else { return };
        if item.trait_.is_none()
            && let Some(segment) = path.path.segments.last()
        {
            self.owner = segment.ident.to_string();
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        if matches!(item.vis, syn::Visibility::Public(_)) && item.sig.unsafety.is_none() {
            self.names.insert(format!("{}::{}", self.owner, item.sig.ident));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_functions_are_found_and_unsafe_private_and_trait_ones_are_not() {
        let mut functions = Functions::default();
        functions
            .add(
                "mod a { impl<'a> Walk<'a> { pub fn walk<R>(self) -> R { x } pub(crate) fn hidden() {} fn own() {} } }\n\
                 impl Info { pub unsafe fn danger(&self) {} pub const fn version(&self) -> u8 { 1 } }\n\
                 impl Drop for Info { fn drop(&mut self) {} }\n\
                 #[cfg(test)] mod tests { impl Info { pub fn tested() {} } }",
            )
            .unwrap();
        let names: Vec<String> = functions.names.into_iter().collect();
        assert_eq!(names, ["Info::version", "Walk::walk"]);
    }
}
