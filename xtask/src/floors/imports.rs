//! Which file imports from which, by resolving the paths in a crate.
//!
//! A path leads to the file that declares its item, through any `pub use` on the way. A name that is found in the `pub use`
//! of the root file is imported through `lib.rs`, which is recorded. A re-export is an import between modules of the root, and
//! not between files: a `mod.rs` that only re-exports from its children does not depend on them.

use super::tree::{ModulePath, Tree};

/// How many `use` declarations one path may lead through.
const MAX_HOPS: usize = 16;

/// A file that imports from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    /// Indices into [`Tree::files`].
    pub(super) from: usize,
    pub(super) to: usize,
    /// The line in `from`.
    pub(super) line: usize,
    /// The text of the path.
    pub(super) path: String,
    pub(super) is_reexport: bool,
    /// Whether the name is one that `lib.rs` re-exports.
    pub(super) through_root: bool,
}

/// The target of a path.
enum Target {
    Module(ModulePath),
    /// An item that this file declares.
    Item(usize),
}

struct Resolver<'t> {
    tree: &'t Tree,
    through_root: bool,
}

/// All imports of a crate between its files.
pub(super) fn of(tree: &Tree) -> Vec<Import> {
    let mut found = Vec::new();
    let mut add = |module: &ModulePath, path: &[String], line, is_reexport| {
        let Some(from) = tree.modules.get(module).map(|module| module.file) else { return };
        let mut resolver = Resolver { tree, through_root: false };
        // A use of a module alone imports the items that are named through it.
        let Some(Target::Item(to)) = resolver.path(module, path, MAX_HOPS) else { return };
        let through_root = resolver.through_root && !module.is_empty();
        if from != to || through_root {
            found.push(Import { from, to, line, path: path.join("::"), is_reexport, through_root });
        }
    };
    for (module, content) in &tree.modules {
        for used in content.uses.iter().filter(|used| used.name.is_some()) {
            add(module, &used.path, used.line, used.is_reexport);
        }
    }
    for mention in &tree.mentions {
        // A name from a `use` was counted there.
        let mut resolver = Resolver { tree, through_root: false };
        if matches!(
            resolver.path(&mention.module, mention.path.get(..1).unwrap_or_default(), MAX_HOPS),
            Some(Target::Item(_))
        ) {
            continue;
        }
        add(&mention.module, &mention.path, mention.line, false);
    }
    found.sort();
    found.dedup();
    found
}

impl Resolver<'_> {
    /// Resolves a path in a module; `None` for a path outside of this crate.
    fn path(&mut self, module: &ModulePath, path: &[String], hops: usize) -> Option<Target> {
        let hops = hops.checked_sub(1)?;
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(ModulePath::new()),
            "self" => Target::Module(module.clone()),
            "super" => Target::Module(parent(module)?),
            name => self.name(module, name, hops)?,
        };
        while let Some((name, after)) = rest.split_first() {
            target = match (target, name.as_str()) {
                (Target::Module(module), "super") => Target::Module(parent(&module)?),
                (Target::Module(module), name) => self.name(&module, name, hops)?,
                // The rest of the path is inside the item: a variant, an associated function.
                (item @ Target::Item(_), _) => return Some(item),
            };
            rest = after;
        }
        Some(target)
    }

    /// Resolves a name in a module.
    fn name(&mut self, module: &ModulePath, name: &str, hops: usize) -> Option<Target> {
        let mut child = module.clone();
        child.push(name.to_owned());
        if self.tree.modules.contains_key(&child) {
            return Some(Target::Module(child));
        }
        let content = self.tree.modules.get(module)?;
        if content.items.contains(name) {
            return Some(Target::Item(content.file));
        }
        let named = content.uses.iter().filter(|used| used.name.as_deref() == Some(name));
        // A `use name;` of another crate would resolve to itself here.
        let named =
            named.filter(|used| used.path.len() > 1 || used.path.first().is_some_and(|only| only != name));
        for used in named {
            if let Some(target) = self.path(module, &used.path, hops) {
                self.through_root |= module.is_empty() && matches!(target, Target::Item(_));
                return Some(target);
            }
        }
        for used in content.uses.iter().filter(|used| used.name.is_none()) {
            let Some(Target::Module(gathered)) = self.path(module, &used.path, hops) else { continue };
            if gathered == *module || module.starts_with(&gathered) {
                continue;
            }
            if let Some(target) = self.name(&gathered, name, hops.checked_sub(1)?) {
                self.through_root |= module.is_empty() && matches!(target, Target::Item(_));
                return Some(target);
            }
        }
        None
    }
}

fn parent(module: &ModulePath) -> Option<ModulePath> {
    let (_, parent) = module.split_last()?;
    Some(parent.to_vec())
}
