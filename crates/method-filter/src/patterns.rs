//! Lists of patterns.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A setting has a pattern that is not a glob.
#[derive(Debug, thiserror::Error)]
#[error("{setting} has a pattern that cannot be used, {pattern:?}: {source}")]
pub struct PatternError {
    setting: String,
    pattern: String,
    source: globset::Error,
}

/// Compiles the patterns of a setting.
pub(crate) fn parse(setting: &str, list: &str) -> Result<GlobSet, PatternError> {
    let mut set = GlobSetBuilder::new();
    let failed = |pattern: &str, source| PatternError {
        setting: setting.to_owned(),
        pattern: pattern.to_owned(),
        source,
    };
    for pattern in list.split(';').map(str::trim).filter(|pattern| !pattern.is_empty()) {
        let whole = if pattern.contains('!') { pattern.to_owned() } else { format!("*!{pattern}") };
        // Names contain no separators; a backslash quotes on every platform.
        let glob = GlobBuilder::new(&whole).literal_separator(false).backslash_escape(true).build();
        set.add(glob.map_err(|source| failed(pattern, source))?);
    }
    set.build().map_err(|source| failed(list, source))
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
