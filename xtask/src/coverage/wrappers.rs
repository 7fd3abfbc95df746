//! What the documentation of a wrapper has to say: the method that it calls, with the version of the interface that
//! declares it, and the errors that come of it.
//!
//! Read line by line, as rustfmt lays functions out: from the documentation to the brace below the `fn`.

/// The interfaces of the runtime, by how their names begin.
const INTERFACES: [&str; 3] = ["ICorProfiler", "IMetaData", "IMethodMalloc"];

/// What was found in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// How many public functions call the runtime.
    pub(super) wrappers: usize,
    /// What is missing, one line for each.
    pub(super) missing: Vec<String>,
}

/// Looks at every public function of a text that calls the runtime.
pub(super) fn look_at(text: &str) -> Found {
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
        let calls = calls(&body.join("\n"));
        if calls.is_empty() {
            continue;
        }
        found.wrappers += 1;
        let unsaid = calls.iter().filter(|call| !says(&documentation, call));
        found.missing.extend(unsaid.map(|call| format!("`{name}` calls {call} and does not say so")));
        if !documentation.contains("# Errors") {
            found.missing.push(format!("`{name}` does not say which errors it gives"));
        }
    }
    found
}

/// The name of the public function that a line begins.
fn public_function(code: &str) -> Option<&str> {
    let code = code.strip_prefix("pub ")?;
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let name = code.strip_prefix("fn ")?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
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
            // The header has the names that a macro of Windows' makes of two methods.
            let method = if method.ends_with("VariableA") { &method[..method.len() - 1] } else { method };
            (of_runtime && is_call).then(|| format!("{interface}::{method}"))
        })
        .collect();
    calls.sort();
    calls.dedup();
    calls
}

/// Whether the documentation names a method, and not only a longer one.
fn says(documentation: &str, call: &str) -> bool {
    documentation.match_indices(call).any(|(at, _)| {
        let next = documentation[at + call.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapper(documentation: &str) -> Found {
        look_at(&format!(
            "impl ProfilerInfo {{\n{documentation}    pub fn class(&self) -> Result<()> {{\n        \
             unsafe {{ call!(self, asked ICorProfilerInfo2::GetClassLayout(0)) }}\n    }}\n\n    \
             pub(crate) fn hidden(&self) {{\n        call!(self, ICorProfilerInfo::ForceGC())\n    }}\n}}\n"
        ))
    }

    #[test]
    fn a_wrapper_that_says_all_passes() {
        let found = wrapper(
            "    /// Where fields lie (`ICorProfilerInfo2::GetClassLayout`).\n    ///\n    /// # Errors\n    /// Some.\n    #[must_use]\n",
        );
        assert_eq!(found, Found { wrappers: 1, missing: Vec::new() });
    }

    #[test]
    fn a_wrapper_that_says_nothing_fails() {
        let missing =
            wrapper("    /// Where fields lie (`ICorProfilerInfo2::GetClassLayout2`).\n").missing.join("; ");
        assert!(
            missing.contains("`class` calls ICorProfilerInfo2::GetClassLayout and does not say so"),
            "{missing}"
        );
        assert!(missing.contains("`class` does not say which errors"), "{missing}");
    }

    #[test]
    fn a_method_that_is_only_named_is_not_called() {
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
