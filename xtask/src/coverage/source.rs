//! The COM methods that the sources of `corprof` document for each item.
//!
//! The files are read line by line, as rustfmt formats them: an item's documentation and its `#[doc(alias)]`es are before
//! the item, and the type that it belongs to is that of the last `impl` or `trait`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::wrappers::{self, Raw};
use crate::sources::rust_below;

/// An item whose documentation names a COM method.
#[derive(Debug)]
pub(super) struct Item {
    /// `ProfilerInfo::class_info`.
    pub(super) path: String,
    /// The file, relative to the workspace.
    pub(super) file: PathBuf,
    name: String,
    documentation: String,
    aliases: Vec<String>,
}

impl Item {
    /// Whether the item documents the method. Several interfaces may have one of that name: the documentation
    /// names the interface.
    pub(super) fn is_about(&self, interface: &str, method: &str) -> bool {
        let named = self.aliases.iter().any(|alias| alias == method) || is_snake_case_of(&self.name, method);
        named && self.mentions(interface, method)
    }

    /// Whether an alias alone is enough, where no other interface has a method of that name.
    pub(super) fn has_alias(&self, method: &str) -> bool {
        self.aliases.iter().any(|alias| alias == method)
    }

    pub(super) fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Whether the documentation names `Interface::Method`.
    fn mentions(&self, interface: &str, method: &str) -> bool {
        let full = format!("{interface}::{method}");
        self.documentation.match_indices(&full).any(|(at, _)| {
            let after = self.documentation.get(at + full.len()..).and_then(|rest| rest.chars().next());
            after.is_none_or(|next| !next.is_alphanumeric())
        })
    }
}

/// The result of reading the sources.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) items: Vec<Item>,
    /// Every word of the code, comments and attributes left out.
    words: BTreeSet<String>,
    /// How many public functions call the runtime.
    pub(super) wrappers: usize,
    /// What is missing in their documentation.
    pub(super) unsaid: Vec<String>,
}

impl Sources {
    /// Reads all sources below a folder.
    pub(super) fn read(workspace: &Path, top: &Path) -> Result<Self> {
        let mut sources = Self::default();
        let (mut texts, mut raw) = (Vec::new(), Raw::new());
        for (file, text) in rust_below(top)? {
            if file.starts_with("raw") {
                wrappers::add_raw(&mut raw, &text);
            }
            let file = top.join(file);
            texts.push((file.strip_prefix(workspace).unwrap_or(&file).to_owned(), text));
        }
        for (file, text) in &texts {
            sources.add(file, text, &raw);
        }
        Ok(sources)
    }

    /// Reads one text.
    #[cfg(test)]
    pub(super) fn of(text: &str) -> Self {
        let mut sources = Self::default();
        sources.add(Path::new("file.rs"), text, &Raw::new());
        sources
    }

    /// Whether the code, and not a comment, has this word.
    pub(super) fn uses(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Adds one file.
    fn add(&mut self, file: &Path, text: &str, raw: &Raw) {
        let found = wrappers::analyse(text, raw);
        self.wrappers += found.wrappers;
        self.unsaid.extend(found.missing.iter().map(|missing| format!("{}: {missing}", file.display())));
        let (mut owner, mut documentation, mut aliases) = (None, String::new(), Vec::new());
        for line in text.lines().map(str::trim) {
            if let Some(words) = line.strip_prefix("///") {
                documentation.push_str(words.trim());
                documentation.push(' ');
                continue;
            }
            if let Some(alias) = line.strip_prefix("#[doc(alias = \"").and_then(|rest| rest.split('"').next())
            {
                aliases.push(alias.to_owned());
                continue;
            }
            if line.starts_with("//") || line.starts_with("#[") || line.is_empty() {
                continue;
            }
            self.words.extend(words(line).map(str::to_owned));
            if let Some(name) = owner_of(line) {
                owner = Some(name.to_owned());
            }
            let (documentation, aliases) = (std::mem::take(&mut documentation), std::mem::take(&mut aliases));
            let Some((kind, name)) = declared(line) else { continue };
            let path = match &owner {
                Some(owner) if kind == "fn" => format!("{owner}::{name}"),
                _ => name.to_owned(),
            };
            let (file, name) = (file.to_owned(), name.to_owned());
            self.items.push(Item { path, file, name, documentation, aliases });
        }
    }
}

/// The identifiers of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// The type of an `impl` or `trait` line, without its arguments.
fn owner_of(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    if let Some(rest) = line.strip_prefix("trait ") {
        return words(rest).next();
    }
    let rest = line.strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { after_brackets(rest) } else { rest.strip_prefix(' ')? };
    let rest = rest.split(" for ").nth(1).unwrap_or(rest);
    words(rest).find(|word| !matches!(*word, "crate" | "super"))
}

/// The text after the bracket that closes the first one.
fn after_brackets(text: &str) -> &str {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    text
}

/// The kind and the name of the item that a line declares; `fn` only if it is public or in a trait.
fn declared(line: &str) -> Option<(&str, &str)> {
    let line = match line.strip_prefix("pub") {
        // What only the files of a folder share is a part of their wrappers.
        Some(rest) if rest.starts_with("(super) ") => rest.trim_start_matches("(super) "),
        Some(rest) if rest.starts_with('(') => return None,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let line = line.strip_prefix("const ").unwrap_or(line);
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let (kind, rest) = line.split_once(' ')?;
    matches!(kind, "fn" | "struct" | "trait" | "enum").then_some((kind, words(rest).next()?))
}

/// Whether a name is a COM name in snake case: the same letters, whatever their case.
fn is_snake_case_of(name: &str, method: &str) -> bool {
    name.chars().filter(|letter| *letter != '_').eq(method.chars().map(|letter| letter.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
impl<'a, T: Into<Token>> Metadata<'a> {
    /// A class (`ICorProfilerInfo2::GetClassIDInfo2`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetClassIDInfo")]
    #[doc(alias = "GetClassIDInfo2")]
    pub fn class_info(&self) -> Result<()> {
        call!(self, ICorProfilerInfo2::GetClassIDInfo2())
    }

    // Skip(
    pub(crate) fn hidden(&self) {}
}

pub trait Profiler {
    /// `ICorProfilerCallback::JITInlining`.
    fn jit_inlining(&self);
}
"#;

    #[test]
    fn an_item_is_found_with_its_owner() {
        let sources = Sources::of(TEXT);
        let paths: Vec<_> = sources.items.iter().map(|item| item.path.as_str()).collect();
        assert_eq!(paths, ["Metadata::class_info", "Profiler", "Profiler::jit_inlining"]);
    }

    #[test]
    fn an_alias_needs_the_interface_where_it_is_ambiguous() {
        let sources = Sources::of(TEXT);
        let [class_info, _, inlining] = sources.items.as_slice() else { panic!("{sources:?}") };
        assert!(class_info.is_about("ICorProfilerInfo2", "GetClassIDInfo2"));
        assert!(!class_info.is_about("ICorProfilerInfo", "GetClassIDInfo"));
        assert!(class_info.has_alias("GetClassIDInfo"));
        assert!(inlining.is_about("ICorProfilerCallback", "JITInlining"));
        assert!(!inlining.is_about("ICorProfilerCallback2", "JITInlining"));
    }

    #[test]
    fn comments_do_not_count_as_code() {
        let sources = Sources::of(TEXT);
        assert!(sources.uses("GetClassIDInfo2"));
        assert!(!sources.uses("GetClassIDInfo") && !sources.uses("Skip"));
    }
}
