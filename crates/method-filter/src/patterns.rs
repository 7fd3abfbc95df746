//! Lists of patterns, and which of them have matched.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::nearest::{self, Nearest};

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
pub(crate) fn compile_globs<'p>(
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

/// Compiles patterns for methods: `module!method`, or `method` in any module.
pub(crate) fn compile_methods<'p>(
    setting: &str,
    patterns: impl IntoIterator<Item = &'p str>,
) -> Result<GlobSet, PatternError> {
    let whole = |pattern: &str| match pattern.contains('!') {
        true => pattern.to_owned(),
        false => format!("*!{pattern}"),
    };
    let whole: Vec<String> = patterns.into_iter().map(whole).collect();
    compile_globs(setting, false, whole.iter().map(String::as_str))
}

/// Compiles the parts of patterns for methods that stand for names of modules, without regard to case. `None` if one is for every
/// module.
fn compile_modules<'p>(patterns: impl Iterator<Item = &'p str>) -> Option<GlobSet> {
    let mut modules = Vec::new();
    for pattern in patterns {
        let (module, _) = pattern.split_once('!')?;
        // The mark may stand in an alternative or a class, or be escaped.
        if module.contains(['{', '[', '\\']) {
            return None;
        }
        modules.push(module);
    }
    compile_globs("", true, modules).ok()
}

/// Splits the list of a setting at its semicolons.
pub fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split(';').map(str::trim).filter(|pattern| !pattern.is_empty())
}

/// Patterns for methods: `module!method`, or `method` in any module. They keep which of them have matched a method, and for
/// the others the nearest name.
#[derive(Debug, Default)]
pub struct Patterns {
    set: GlobSet,
    /// The names of modules, if no pattern is for every module.
    modules: Option<GlobSet>,
    each: Vec<String>,
    seen: Mutex<Vec<Seen>>,
}

/// What a pattern has been compared with.
#[derive(Debug)]
enum Seen {
    Matched,
    Unmatched(Option<Nearest>),
}

/// A pattern that has matched no method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// The pattern.
    pub pattern: String,
    /// The name of the method that resembles the pattern most, if one does.
    pub nearest: Option<String>,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no method that was seen matches `{}`", self.pattern)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; the nearest is `{nearest}`"),
            None => f.write_str("; a pattern is `Namespace.Type.Method` or `file.dll!Namespace.Type.Method`, with `*` for any text"),
        }
    }
}

impl Patterns {
    /// Compiles patterns. `setting` names them for the user.
    ///
    /// # Errors
    /// A pattern is not a glob. The message names the setting.
    pub fn new<'p>(setting: &str, patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, PatternError> {
        let each: Vec<String> = patterns.into_iter().map(str::to_owned).collect();
        let set = compile_methods(setting, each.iter().map(String::as_str))?;
        let modules = compile_modules(each.iter().map(String::as_str));
        let seen = Mutex::new(each.iter().map(|_| Seen::Unmatched(None)).collect());
        Ok(Self { set, modules, each, seen })
    }

    /// Returns whether there is no pattern.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Returns whether methods of a module have to be compared with the patterns. `module` is the name of a file.
    ///
    /// `false` if each pattern is for modules with other names. `true` also for a module whose name resembles that in a pattern which
    /// has matched nothing so far, so that [`unmatched`](Self::unmatched) finds the method that was meant.
    pub fn may_match(&self, module: &str) -> bool {
        // What stands before the first mark need not be the whole name of a module that has one in its name.
        let Some(modules) = self.modules.as_ref().filter(|_| !module.contains('!')) else { return true };
        if modules.is_match(module) {
            return true;
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unmatched =
            self.each.iter().zip(seen.iter()).filter(|(_, seen)| !matches!(seen, Seen::Matched));
        unmatched.any(|(pattern, _)| nearest::resembles_module(pattern, module))
    }

    /// Returns whether one of the patterns matches a method. `module` is the name of a file.
    pub fn is_match(&self, module: &str, method: &str) -> bool {
        let name = format!("{module}!{method}");
        let matched = self.set.matches(&name);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for index in &matched {
            if let Some(seen) = seen.get_mut(*index) {
                *seen = Seen::Matched;
            }
        }
        for (seen, pattern) in seen.iter_mut().zip(&self.each) {
            if let Seen::Unmatched(nearest) = seen {
                nearest::update(nearest, pattern, module, method);
            }
        }
        !matched.is_empty()
    }

    /// Returns each pattern that a method has matched.
    #[must_use]
    pub fn matched(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let both = self.each.iter().zip(seen.iter());
        both.filter(|(_, seen)| matches!(seen, Seen::Matched)).map(|(pattern, _)| pattern.clone()).collect()
    }

    /// Returns each pattern that has matched no method so far.
    #[must_use]
    pub fn unmatched(&self) -> Vec<Unmatched> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let unmatched = |(pattern, seen): (&String, &Seen)| match seen {
            Seen::Matched => None,
            Seen::Unmatched(nearest) => Some(Unmatched {
                pattern: pattern.clone(),
                nearest: nearest.as_ref().map(|nearest| nearest.name.clone()),
            }),
        };
        self.each.iter().zip(seen.iter()).filter_map(unmatched).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(setting: &str, list: &str) -> Result<Patterns, PatternError> {
        Patterns::new(setting, split(list))
    }

    #[test]
    fn patterns_match_module_and_method() {
        let patterns = parse("X", "shop.dll!Shop.*; Tools.*.Run ;*!A.B<C>.D").unwrap();
        assert!(patterns.is_match("shop.dll", "Shop.Cart.Add"));
        assert!(patterns.is_match("any.dll", "Tools.Inner.Run"));
        assert!(patterns.is_match("any.dll", "A.B<C>.D"));
        assert!(!patterns.is_match("other.dll", "Shop.Cart.Add"));
        assert_eq!((patterns.matched().len(), patterns.unmatched().len()), (3, 0));
    }

    #[test]
    fn a_bad_pattern_is_named_with_its_setting() {
        let message = parse("CALLTRACE_INCLUDE", "good;[bad").unwrap_err().to_string();
        assert!(message.contains("CALLTRACE_INCLUDE") && message.contains("[bad"), "{message}");
    }

    #[test]
    fn modules_that_no_pattern_is_for_need_not_be_read() {
        let patterns = parse("X", "shop.dll!Shop.*; Till*.dll!*").unwrap();
        for module in ["shop.dll", "Tills.dll", "till.dll", "a!shop.dll"] {
            assert!(patterns.may_match(module), "{module}");
        }
        for module in ["System.Runtime.dll", "", "shopping.dll"] {
            assert!(!patterns.may_match(module), "{module}");
        }
        for list in ["Shop.*", "shop.dll!A; B", "{a!b,c}", "[!x]!A", "a\\!b!c"] {
            assert!(parse("X", list).unwrap().may_match("System.Runtime.dll"), "{list}");
        }
    }

    #[test]
    fn a_module_that_may_be_meant_is_read_until_the_pattern_has_matched() {
        let patterns = parse("X", "shop!Shop.Cart.Add; Tils.dll!Till.Open").unwrap();
        assert!(patterns.may_match("Shop.dll") && patterns.may_match("Tills.dll"));
        assert!(!patterns.is_match("Tills.dll", "Till.Open") && patterns.is_match("Tils.dll", "Till.Open"));
        assert!(patterns.may_match("Shop.dll") && !patterns.may_match("Tills.dll"));
    }

    #[test]
    fn an_empty_list_is_empty() {
        assert!(parse("X", " ; ").unwrap().is_empty());
    }

    /// The nearest name of a pattern among the methods of a shop.
    fn nearest(pattern: &str) -> Option<String> {
        let patterns = parse("X", pattern).unwrap();
        for method in ["Shop.Program.Main", "Shop.Cart.Add", "Shop.Cart.Remove", "Shop.Orders.Flush"] {
            assert!(!patterns.is_match("App.dll", method), "{pattern} {method}");
        }
        assert!(!patterns.is_match("System.Private.CoreLib.dll", "System.String.Concat"));
        let [unmatched] = patterns.unmatched().try_into().unwrap();
        assert_eq!(unmatched.pattern, pattern);
        unmatched.nearest
    }

    #[test]
    fn patterns_that_match_nothing_have_the_nearest_name() {
        let named = [
            // The extension is missing.
            ("App!Shop.Cart.Add", "App.dll!Shop.Cart.Add"),
            ("App!*", "App.dll!Shop.Program.Main"),
            // Letters are missing, exchanged or in the other case.
            ("Shop.Cart.Ad", "Shop.Cart.Add"),
            ("shop.cart.remove", "Shop.Cart.Remove"),
            ("Shop.Crat.*", "Shop.Cart.Add"),
            ("app.dll!Shop.Orders.Flush", "App.dll!Shop.Orders.Flush"),
            // A part of the name.
            ("Flush", "Shop.Orders.Flush"),
            ("Shop.Orders", "Shop.Orders.Flush"),
            ("String.Concat", "System.String.Concat"),
        ];
        for (pattern, name) in named {
            assert_eq!(nearest(pattern).as_deref(), Some(name), "{pattern}");
        }
        for pattern in ["Billing.Invoice.Print", "Other.dll!Billing.*", "*Xyzzy*"] {
            assert_eq!(nearest(pattern), None, "{pattern}");
        }
    }
}
