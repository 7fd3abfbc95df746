#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bundle;
mod nearest;
mod own;
mod patterns;
mod report;
mod screened;
mod secrets;

use globset::GlobSet;

pub use own::{Decision, OwnCode, Why};
pub use patterns::{PatternError, Patterns, Unmatched, split};
pub use report::{REPORT_VARIABLE, Report};
pub use secrets::Secrets;

/// A filter of methods: those that match a pattern, those of the program's own code, or all; in each case without
/// the excluded ones.
///
/// The default matches every method.
#[derive(Debug, Default)]
pub struct MethodFilter {
    chosen: Chosen,
    exclude: GlobSet,
}

#[derive(Debug, Default)]
enum Chosen {
    #[default]
    All,
    Own(OwnCode),
    Matching(Patterns),
}

impl MethodFilter {
    /// Creates a filter from settings, each with the name that it has for the user.
    ///
    /// Without patterns to include, the filter matches the methods of the running program's [own code](OwnCode), which the patterns
    /// `own` correct, or with `all` every method.
    ///
    /// # Errors
    /// A pattern is not a glob. The message names the setting.
    pub fn new(
        all: bool,
        own: (&str, &str),
        include: (&str, &str),
        exclude: (&str, &str),
    ) -> Result<Self, PatternError> {
        let exclude = patterns::compile_methods(exclude.0, split(exclude.1))?;
        let include = Patterns::new(include.0, split(include.1))?;
        // Checked whether it is needed or not; the program is looked for where it is.
        let own = own::patterns(own)?;
        let chosen = match (all, include.is_empty()) {
            (true, _) => Chosen::All,
            (false, false) => Chosen::Matching(include),
            (false, true) => Chosen::Own(OwnCode::of_process(own)),
        };
        Ok(Self { chosen, exclude })
    }

    /// Returns whether methods of a module may match, by the path that the runtime reports for the module. A tool need not
    /// read the others.
    #[must_use]
    pub fn may_match(&self, module_path: &str) -> bool {
        match &self.chosen {
            Chosen::Own(own) => own.has(module_path),
            Chosen::Matching(include) => include.may_match(file_name(module_path)),
            Chosen::All => true,
        }
    }

    /// Returns whether a method matches. `method` is called if its name decides: `Shop.Cart.Add`.
    pub fn matches(&self, module_path: &str, method: impl FnOnce() -> String) -> bool {
        // Patterns are compared with the whole name.
        let is_own = !matches!(&self.chosen, Chosen::Own(own) if !own.has(module_path));
        is_own && self.matches_name(module_path, method)
    }

    /// Returns whether a method that was emitted at run time matches. It belongs to no assembly of the program.
    pub fn matches_emitted(&self, module_name: &str, method: impl FnOnce() -> String) -> bool {
        !matches!(self.chosen, Chosen::Own(_)) && self.matches_name(module_name, method)
    }

    fn matches_name(&self, module_path: &str, method: impl FnOnce() -> String) -> bool {
        let include = match &self.chosen {
            Chosen::Matching(include) => Some(include),
            Chosen::All | Chosen::Own(_) => None,
        };
        if include.is_none() && self.exclude.is_empty() {
            return true;
        }
        let file = file_name(module_path);
        let method = method();
        include.is_none_or(|include| include.is_match(file, &method))
            && !self.exclude.is_match(format!("{file}!{method}"))
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> String {
        "Shop.Cart.Add".to_owned()
    }

    #[test]
    fn excluded_methods_do_not_match() {
        let filter = MethodFilter::new(true, ("O", ""), ("I", ""), ("E", "Shop.Cart.*")).unwrap();
        assert!(!filter.matches("/app/shop.dll", name) && !filter.matches_emitted("shop", name));
        assert!(filter.matches("/app/shop.dll", || "Shop.Item.Add".to_owned()));
    }

    #[test]
    fn patterns_match_the_file_name_of_a_module() {
        let filter = MethodFilter::new(false, ("O", ""), ("I", "shop.dll!*"), ("E", "")).unwrap();
        assert!(filter.matches("/app/shop.dll", name) && filter.matches("C:\\app\\shop.dll", name));
        assert!(filter.matches("shop.dll", name) && !filter.matches("/app/myshop.dll", name));
        assert!(filter.may_match("/app/shop.dll") && !filter.may_match("/app/System.Runtime.dll"));
    }

    #[test]
    fn methods_of_the_framework_and_emitted_ones_are_not_the_programs() {
        let filter = MethodFilter::new(false, ("O", ""), ("I", ""), ("E", "")).unwrap();
        let own = std::env::current_exe().unwrap().with_file_name("shop.dll");
        assert!(filter.matches(own.to_str().unwrap(), || unreachable!("the path decides")));
        assert!(!filter.matches("/usr/share/dotnet/System.Runtime.dll", name));
        assert!(!filter.matches_emitted("Emitted", name) && !filter.matches("", name));
    }

    #[test]
    fn the_default_matches_every_method() {
        assert!(MethodFilter::default().matches("", || unreachable!("nothing decides")));
    }
}
