//! Checks the documentation of wrappers: the method that the wrapper calls, with the version of the interface that
//! declares it, and the errors.
//!
//! A wrapper calls the method itself, or a function of the raw layer: `raw.type_def(…)`. The method behind such a function
//! is in its line in a table of the raw layer, or in its documentation.
//!
//! The files are read line by line, as rustfmt formats functions: from the documentation to the brace below the `fn`.

use std::collections::BTreeMap;

/// The prefixes of the interfaces of the runtime.
const INTERFACES: [&str; 3] = ["ICorProfiler", "IMetaData", "IMethodMalloc"];

/// The findings in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// How many public functions call the runtime.
    pub(super) wrappers: usize,
    /// Missing documentation, one line for each.
    pub(super) missing: Vec<String>,
}

/// The functions of the raw layer by name, with the methods that functions of this name call.
pub(super) type Raw = BTreeMap<String, Vec<String>>;

/// Adds the functions of a file of the raw layer.
pub(super) fn add_raw(raw: &mut Raw, text: &str) {
    let mut documentation = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("///") {
            documentation.push_str(words);
            continue;
        }
        let documentation = std::mem::take(&mut documentation);
        // A line of a table has no body; a function that is written out is visible outside of its file.
        let (declaration, methods) = match line.split_once(" = ") {
            Some((declaration, call)) if declaration.starts_with("fn ") => (declaration, calls(call)),
            // A table line with a call mode and the name of the method only.
            Some((declaration, method)) if declaration.contains(" fn ") && method.ends_with(';') => {
                let at = declaration.find("fn ").unwrap_or_default();
                (&declaration[at..], vec![method.trim_end_matches(';').to_owned()])
            }
            _ => (line.strip_prefix("pub(crate) ").unwrap_or_default(), named(&documentation)),
        };
        if let Some(name) = function(declaration)
            && !methods.is_empty()
        {
            raw.entry(name.to_owned()).or_default().extend(methods);
        }
    }
}

/// The methods of the runtime that a documentation names in code font.
fn named(documentation: &str) -> Vec<String> {
    let quoted = documentation.split('`').skip(1).step_by(2);
    let methods =
        quoted.filter(|name| INTERFACES.iter().any(|begin| name.starts_with(begin)) && name.contains("::"));
    methods.map(str::to_owned).collect()
}

/// Checks every public function of a text that calls the runtime.
pub(super) fn analyse(text: &str, raw: &Raw) -> Found {
    let mut found = Found::default();
    let (mut documentation, mut lines) = (String::new(), text.lines());
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if let Some(words) = code.strip_prefix("///") {
            documentation.push_str(words);
            documentation.push('\n');
            continue;
        }
        if code.starts_with("#[") || code.is_empty() {
            continue;
        }
        let documentation = std::mem::take(&mut documentation);
        let Some(name) = public_function(code) else { continue };
        let indentation = &line[..line.len() - code.len()];
        let end = format!("{indentation}}}");
        let body: Vec<&str> = lines.by_ref().take_while(|line| **line != *end).collect();
        let body = body.join("\n");
        let (calls, raw_calls) = (calls(&body), raw_calls(&body, raw));
        if calls.is_empty() && raw_calls.is_empty() {
            continue;
        }
        found.wrappers += 1;
        let unsaid = calls.iter().filter(|call| !documents(&documentation, call));
        found.missing.extend(unsaid.map(|call| format!("`{name}` calls {call} and does not document it")));
        let unsaid =
            raw_calls.iter().filter(|methods| !methods.iter().any(|call| documents(&documentation, call)));
        found.missing.extend(
            unsaid.map(|methods| format!("`{name}` calls {} and does not document it", methods.join(" or "))),
        );
        let header = body.split_once('{').map_or("", |(header, _)| header);
        let is_fallible = code.contains("Result") || (!code.contains('{') && header.contains("Result"));
        if is_fallible && !documentation.contains("# Errors") {
            found.missing.push(format!("`{name}` does not document its errors"));
        }
    }
    found
}

/// The name of the public function that a line begins.
fn public_function(code: &str) -> Option<&str> {
    function(code.strip_prefix("pub ")?)
}

/// The name of the function that a line declares, without its visibility.
fn function(code: &str) -> Option<&str> {
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let name = code.strip_prefix("fn ")?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// The functions of the raw layer that a text calls, each with the methods that it may stand for.
fn raw_calls<'r>(body: &str, raw: &'r Raw) -> Vec<&'r [String]> {
    let after_raw = body.match_indices("raw").filter_map(|(at, word)| {
        let rest = &body[at + word.len()..];
        let rest = rest.strip_prefix("()").unwrap_or(rest).trim_start().strip_prefix('.')?;
        let (name, _) = rest.split_once('(')?;
        raw.get(name).map(Vec::as_slice)
    });
    after_raw.collect()
}

/// The methods of the runtime that a text calls: `ICorProfilerInfo2::GetFunctionInfo2`.
fn calls(body: &str) -> Vec<String> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut calls: Vec<String> = body
        .match_indices("::")
        .filter_map(|(at, _)| {
            let (before, after) = (&body[..at], &body[at + 2..]);
            let interface = before.rsplit(|letter| !is_name(letter)).next()?;
            let method = after.split(|letter| !is_name(letter)).next()?;
            let is_call = after[method.len()..].trim_start().starts_with('(');
            let of_runtime = INTERFACES.iter().any(|begin| interface.starts_with(begin));
            // The header has the names that macros of Windows give these two methods.
            let method = if method.ends_with("VariableA") { &method[..method.len() - 1] } else { method };
            (of_runtime && is_call).then(|| format!("{interface}::{method}"))
        })
        .collect();
    calls.sort();
    calls.dedup();
    calls
}

/// Whether the documentation names the method itself, and not only a longer name.
fn documents(documentation: &str, call: &str) -> bool {
    documentation.match_indices(call).any(|(at, _)| {
        let next = documentation[at + call.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapper(documentation: &str) -> Found {
        let text = format!(
            "impl ProfilerInfo {{\n{documentation}    pub fn class(&self) -> Result<()> {{\n        \
             self.raw().outer()\n    }}\n\n    \
             pub(crate) fn hidden(&self) {{\n        call!(self, ICorProfilerInfo::ForceGC())\n    }}\n}}\n"
        );
        let mut raw = Raw::new();
        add_raw(
            &mut raw,
            "/// `ICorProfilerInfo2::GetClassLayout`.\npub(crate) fn outer(&self) -> Result<()> {\nlet x = y;\n",
        );
        analyse(&text, &raw)
    }

    #[test]
    fn wrappers_of_the_raw_layer_name_the_called_method() {
        let mut raw = Raw::new();
        add_raw(
            &mut raw,
            "methods! { Import:\n    fn type_def(token: TypeDef) = IMetaDataImport::GetTypeDefProps(token, text);\n}\n\
             /// `IMetaDataImport::GetScopeProps`.\npub(crate) fn mvid(&self) -> Result<Guid> {\nlet x = y;\n\
             Call proxied fn box_layout(class: ClassId) -> Value(offset: u32) = ICorProfilerInfo2::GetBoxClassLayout;\n",
        );
        assert_eq!(raw.len(), 3);
        assert_eq!(raw["box_layout"], ["ICorProfilerInfo2::GetBoxClassLayout"]);
        let look = |documentation: &str, body: &str| {
            analyse(&format!("{documentation}pub fn f(&self) -> Result<()> {{\n    {body}\n}}\n"), &raw)
        };
        let said = "/// `IMetaDataImport::GetTypeDefProps`.\n///\n/// # Errors\n/// Some.\n";
        assert_eq!(look(said, "self.raw.type_def(x)"), Found { wrappers: 1, missing: Vec::new() });
        let missing = look("/// A type.\n", "self.raw.mvid(x)").missing.join("; ");
        assert!(
            missing.contains("calls IMetaDataImport::GetScopeProps and does not document it"),
            "{missing}"
        );
        assert!(missing.contains("does not document its errors"), "{missing}");
        assert_eq!(look("/// Nothing.\n", "self.draw(x)").wrappers, 0);
    }

    #[test]
    fn a_documented_wrapper_passes() {
        let found = wrapper(
            "    /// Where fields lie (`ICorProfilerInfo2::GetClassLayout`).\n    ///\n    /// # Errors\n    /// Some.\n    #[must_use]\n",
        );
        assert_eq!(found, Found { wrappers: 1, missing: Vec::new() });
    }

    #[test]
    fn an_undocumented_wrapper_fails() {
        let missing =
            wrapper("    /// Where fields lie (`ICorProfilerInfo2::GetClassLayout2`).\n").missing.join("; ");
        assert!(
            missing.contains("`class` calls ICorProfilerInfo2::GetClassLayout and does not document it"),
            "{missing}"
        );
        assert!(missing.contains("`class` does not document its errors"), "{missing}");
    }

    #[test]
    fn naming_a_method_is_no_call() {
        assert_eq!(
            calls("checked(\"ICorProfilerInfo::GetThreadInfo\", code) + ICorProfilerInfo3::X"),
            [""; 0]
        );
        assert_eq!(
            calls("IMetaDataImport::EnumFields (x), IMetaDataImport::EnumFields(y)"),
            ["IMetaDataImport::EnumFields"]
        );
    }
}
