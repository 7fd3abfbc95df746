//! Lists of patterns.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The error of a setting with a malformed pattern.
#[derive(Debug, thiserror::Error)]
#[error("{setting} has a malformed pattern, {pattern:?}: {source}")]
pub struct PatternError {
    setting: String,
    pattern: String,
    source: globset::Error,
}

/// Compiles the globs of a setting, for names: `*` matches separators of paths too, and a backslash escapes on every
/// platform.
///
/// # Errors
/// A pattern is not a glob. The message names the setting.
pub fn compile_globs<'p>(
    setting: &str,
    ignore_case: bool,
    patterns: impl IntoIterator<Item = &'p str>,
) -> Result<GlobSet, PatternError> {
    let mut set = GlobSetBuilder::new();
    let failed = |pattern: &str, source| PatternError {
        setting: setting.to_owned(),
        pattern: pattern.to_owned(),
        source,
    };
    for pattern in patterns {
        let mut glob = GlobBuilder::new(pattern);
        glob.literal_separator(false)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(ignore_case);
        set.add(glob.build().map_err(|source| failed(pattern, source))?);
    }
    set.build().map_err(|source| failed("", source))
}

/// Splits the list of a setting at its semicolons.
pub fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split(';').map(str::trim).filter(|pattern| !pattern.is_empty())
}

/// Compiles the patterns of a setting for methods: `module!method`, or `method` in any module.
pub(crate) fn parse(setting: &str, list: &str) -> Result<GlobSet, PatternError> {
    let whole = |pattern: &str| match pattern.contains('!') {
        true => pattern.to_owned(),
        false => format!("*!{pattern}"),
    };
    let whole: Vec<String> = split(list).map(whole).collect();
    compile_globs(setting, false, whole.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_module_and_method() {
        let globs = parse("X", "shop.dll!Shop.*; Tools.*.Run ;*!A.B<C>.D").unwrap();
        assert!(globs.is_match("shop.dll!Shop.Cart.Add"));
        assert!(globs.is_match("any.dll!Tools.Inner.Run"));
        assert!(globs.is_match("any.dll!A.B<C>.D"));
        assert!(!globs.is_match("other.dll!Shop.Cart.Add"));
    }

    #[test]
    fn a_bad_pattern_is_named_with_its_setting() {
        let message = parse("CALLTRACE_INCLUDE", "good;[bad").unwrap_err().to_string();
        assert!(message.contains("CALLTRACE_INCLUDE") && message.contains("[bad"), "{message}");
    }

    #[test]
    fn an_empty_list_is_empty() {
        assert!(parse("X", " ; ").unwrap().is_empty());
    }
}
