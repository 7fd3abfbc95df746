//! The modules of a crate, and what each imports: from its root file along `mod` declarations.
//!
//! Code for tests (`#[cfg(test)]`) is left out. A path in the tokens of a macro call counts like one in code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The path of a module from the crate's root, whose own path is empty.
pub(super) type ModulePath = Vec<String>;

/// A module: a file, or a block in one.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Its index in [`Tree::files`].
    pub(super) file: usize,
    /// The names that it declares itself.
    pub(super) items: BTreeSet<String>,
    pub(super) uses: Vec<Use>,
}

/// One name of a `use` declaration.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) path: Vec<String>,
    /// The name in this module; `None` for `*`.
    pub(super) name: Option<String>,
    /// Whether other modules can import it from here.
    pub(super) is_reexport: bool,
    pub(super) line: usize,
}

/// A path with two or more segments in code.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) module: ModulePath,
    pub(super) path: Vec<String>,
    pub(super) line: usize,
}

/// A crate.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Relative to the folder of the root file.
    pub(super) files: Vec<PathBuf>,
    pub(super) modules: BTreeMap<ModulePath, Module>,
    pub(super) mentions: Vec<Mention>,
    /// Paths from the crate's root that end in a macro's parameter, so that only its calls complete them: the place of the
    /// file in `files`, the line, and the path before the parameter.
    pub(super) incomplete: Vec<(usize, usize, String)>,
}

/// Reads a file by its path relative to the folder of the root file; `None` if there is none.
pub(super) type Read<'r> = &'r dyn Fn(&Path) -> Option<String>;

impl Tree {
    /// The crate whose root is `lib.rs`.
    pub(super) fn of(read: Read<'_>) -> Result<Self> {
        let mut tree = Self::default();
        // A module's file, its path, and the folder of its children.
        let mut left = vec![(PathBuf::from("lib.rs"), ModulePath::new(), PathBuf::new())];
        while let Some((file, path, folder)) = left.pop() {
            let text = read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let parsed =
                syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
            tree.files.push(file);
            let mut visitor = Visitor {
                file: tree.files.len() - 1,
                tree: &mut tree,
                own: path.len(),
                path,
                declared: Vec::new(),
            };
            visitor.module();
            visitor.visit_file(&parsed);
            for declared in visitor.declared {
                let Some(name) = declared.path.last() else { continue };
                let parent = declared.blocks.iter().fold(folder.clone(), |folder, block| folder.join(block));
                let found = match &declared.file {
                    Some(file) => vec![(parent.join(file), parent.clone())],
                    None => vec![
                        (parent.join(format!("{name}.rs")), parent.join(name)),
                        (parent.join(name).join("mod.rs"), parent.join(name)),
                    ],
                };
                match found.into_iter().find(|(file, _)| read(file).is_some()) {
                    Some((file, folder)) => left.push((file, declared.path, folder)),
                    None => bail!("there is no file for the module {}", declared.path.join("::")),
                }
            }
        }
        Ok(tree)
    }
}

/// A `mod name;`.
struct Declared {
    path: ModulePath,
    /// The inline modules around it.
    blocks: ModulePath,
    /// The path in its `#[path]` attribute.
    file: Option<String>,
}

struct Visitor<'t> {
    tree: &'t mut Tree,
    file: usize,
    /// The number of segments of the path of the file's module.
    own: usize,
    path: ModulePath,
    declared: Vec<Declared>,
}

impl Visitor<'_> {
    fn module(&mut self) -> &mut Module {
        let file = self.file;
        let made = || Module { file, ..Module::default() };
        self.tree.modules.entry(self.path.clone()).or_insert_with(made)
    }

    fn mention(&mut self, path: Vec<String>, line: usize) {
        if path.len() > 1 {
            let module = self.path.clone();
            self.tree.mentions.push(Mention { module, path, line });
        }
    }

    fn leaves(&mut self, before: &[String], tree: &syn::UseTree, is_reexport: bool) {
        let mut path = before.to_vec();
        let (ident, name) = match tree {
            syn::UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                return self.leaves(&path, &inner.tree, is_reexport);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.leaves(&path, tree, is_reexport));
            }
            syn::UseTree::Name(leaf) => (Some(&leaf.ident), Some(leaf.ident.to_string())),
            syn::UseTree::Rename(leaf) => (Some(&leaf.ident), Some(leaf.rename.to_string())),
            syn::UseTree::Glob(_) => (None, None),
        };
        let mut name = name;
        match ident {
            // `use a::{self}` is `use a`.
            Some(ident) if *ident == "self" && name.as_deref() == Some("self") => name = path.last().cloned(),
            Some(ident) if *ident == "self" => {}
            Some(ident) => path.push(ident.to_string()),
            None => {}
        }
        let line = syn::spanned::Spanned::span(tree).start().line;
        self.module().uses.push(Use { path, name, is_reexport, line });
    }

    /// The paths in the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut line, mut colons) = (Vec::new(), 0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.mention(std::mem::take(&mut path), line);
                        line = ident.span().start().line;
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Punct(punct) if punct.as_char() == '$' && colons == 2 => {
                    let before = std::mem::take(&mut path);
                    if before.first().is_some_and(|first| first == "crate") {
                        self.tree.incomplete.push((self.file, line, before.join("::")));
                    }
                    colons = 0;
                }
                other => {
                    self.mention(std::mem::take(&mut path), line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.mention(path, line);
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, name) = parts(item);
        if attributes.iter().any(is_for_tests) {
            return;
        }
        if let Some(name) = name {
            self.module().items.insert(name);
        }
        // An exported macro is expanded in other crates, which know the names of the root alone.
        if matches!(item, syn::Item::Macro(_))
            && attributes.iter().any(|attribute| attribute.path().is_ident("macro_export"))
        {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let blocks = self.path.get(self.own..).unwrap_or_default().to_vec();
        self.path.push(item.ident.to_string());
        if item.content.is_some() {
            self.module();
            visit::visit_item_mod(self, item);
        } else {
            let file = item.attrs.iter().find_map(path_attribute);
            self.declared.push(Declared { path: self.path.clone(), blocks, file });
        }
        self.path.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.leaves(&[], &item.tree, is_reexport);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let line = syn::spanned::Spanned::span(path).start().line;
        self.mention(path.segments.iter().map(|segment| segment.ident.to_string()).collect(), line);
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(in path)` imports nothing.
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }
}

/// An item's attributes, and its name if it is no module.
fn parts(item: &syn::Item) -> (&[syn::Attribute], Option<String>) {
    use syn::Item;
    let (attributes, name): (&[_], _) = match item {
        Item::Const(item) => (&item.attrs, Some(&item.ident)),
        Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
        Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
        Item::Static(item) => (&item.attrs, Some(&item.ident)),
        Item::Struct(item) => (&item.attrs, Some(&item.ident)),
        Item::Trait(item) => (&item.attrs, Some(&item.ident)),
        Item::Type(item) => (&item.attrs, Some(&item.ident)),
        Item::Union(item) => (&item.attrs, Some(&item.ident)),
        Item::Mod(item) => (&item.attrs, None),
        Item::Impl(item) => (&item.attrs, None),
        Item::Use(item) => (&item.attrs, None),
        Item::ForeignMod(item) => (&item.attrs, None),
        _ => (&[], None),
    };
    (attributes, name.map(ToString::to_string))
}

/// An item's attributes.
pub(crate) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    parts(item).0
}

/// Whether an attribute is a `cfg` that holds in tests only.
pub(crate) fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string();
    let words = || condition.split(|character: char| !character.is_alphanumeric() && character != '_');
    list.path.is_ident("cfg")
        && words().any(|word| word == "test" || word == "doctest")
        && words().all(|word| word != "not")
}

/// What a `#[path = "…"]` says.
fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
    pair.path.is_ident("path").then(|| text.value())
}
