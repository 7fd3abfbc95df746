//! Where the source files are: an assembly names them as its compiler has read them, on another machine perhaps.

use std::str::FromStr;

use crate::data::Module;

/// Replaces the begin of the paths of source files: `/_/=/home/me/shop/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    from: String,
    to: String,
}

impl FromStr for Mapping {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((from, to)) if !from.is_empty() => Ok(Self { from: from.to_owned(), to: to.to_owned() }),
            _ => Err("two paths are expected: FROM=TO"),
        }
    }
}

impl Mapping {
    /// Returns the new path of a file; `None` if the old one does not begin so.
    fn of(&self, file: &str) -> Option<String> {
        let rest = file.strip_prefix(&self.from)?;
        // The rest of a path of Windows.
        let rest = if self.from.contains('\\') { rest.replace('\\', "/") } else { rest.to_owned() };
        Some(format!("{}{rest}", self.to))
    }
}

/// Applies to each source file the first mapping that fits.
pub fn map(modules: &mut [(Module, Vec<u64>)], mappings: &[Mapping]) {
    for file in modules.iter_mut().flat_map(|(module, _)| &mut module.files) {
        if let Some(mapped) = mappings.iter().find_map(|mapping| mapping.of(file)) {
            *file = mapped;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mapping_that_fits_is_applied() {
        let mappings = [r"/_/src/=/b/", "/_/=/a/", r"D:\work\=/c/"].map(|text| text.parse().unwrap());
        let files = ["/_/src/x.cs", "/_/y.cs", r"D:\work\z\w.cs", r"E:\v.cs"].map(str::to_owned).to_vec();
        let mut modules = [(Module { files, ..Module::default() }, Vec::new())];
        map(&mut modules, &mappings);
        assert_eq!(modules[0].0.files, ["/b/x.cs", "/a/y.cs", "/c/z/w.cs", r"E:\v.cs"]);
        assert!("/_/".parse::<Mapping>().is_err() && "=/a".parse::<Mapping>().is_err());
    }
}
