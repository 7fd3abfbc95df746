//! The exports and the dependencies of a built library.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use object::read::NameOrOrdinal;
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _};
use object::{BinaryFormat, Endianness, Object as _, ObjectSymbol as _};

/// The exports of a profiler.
const EXPORTS: [&str; 2] = ["DllGetClassObject", "DllCanUnloadNow"];

/// Fails unless a library has the exports that the runtime looks up.
pub(super) fn exports(bytes: &[u8]) -> Result<()> {
    let file = object::File::parse(bytes).context("not a library")?;
    let mut names = Vec::new();
    for export in file.exports()? {
        if let NameOrOrdinal::Name(name) = export?.name() {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    // Symbols of Mach-O have an underscore in front of their C names.
    let before = if file.format() == BinaryFormat::MachO { "_" } else { "" };
    for wanted in EXPORTS {
        let found = names.iter().any(|name| name.strip_prefix(before) == Some(wanted));
        ensure!(found, "{wanted} is not exported; these are: {}", names.join(", "));
    }
    Ok(())
}

/// The dependencies of an ELF library.
pub(super) struct Needs {
    /// The libraries, by their names.
    pub(super) libraries: Vec<String>,
    /// The symbol versions, such as `GLIBC_2.17`.
    pub(super) versions: Vec<String>,
    /// Undefined symbols without a version.
    pub(super) unversioned: Vec<String>,
}

impl Needs {
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let file = ElfFile64::<Endianness>::parse(bytes).context("not an ELF library")?;
        let (header, endian) = (file.elf_header(), file.endian());
        let sections = header.sections(endian, bytes)?;
        let Some((dynamic, link)) = sections.dynamic(endian, bytes)? else {
            bail!("there is no dynamic section")
        };
        let strings = sections.strings(endian, bytes, link)?;
        let mut libraries = Vec::new();
        for entry in dynamic {
            if entry.tag(endian) == object::elf::DT_NEEDED {
                libraries.push(text(entry.string(endian, strings)?));
            }
        }
        let mut versions = Vec::new();
        if let Some((mut needed, link)) = sections.gnu_verneed(endian, bytes)? {
            let strings = sections.strings(endian, bytes, link)?;
            while let Some((_, mut entries)) = needed.next()? {
                while let Some(entry) = entries.next()? {
                    versions.push(text(entry.name(endian, strings)?));
                }
            }
        }
        let table = sections.versions(endian, bytes)?;
        let mut unversioned = Vec::new();
        for symbol in file.dynamic_symbols() {
            let has_version = match &table {
                Some(table) => {
                    table.version_index(endian, symbol.index()).index() > object::elf::VER_NDX_GLOBAL
                }
                None => false,
            };
            if symbol.is_undefined() && !symbol.is_weak() && !has_version && !symbol.name()?.is_empty() {
                unversioned.push(symbol.name()?.to_owned());
            }
        }
        Ok(Self { libraries, versions, unversioned })
    }

    /// Fails if the library needs a newer glibc than this, or an unknown symbol version.
    pub(super) fn at_most_glibc(&self, most: (u32, u32)) -> Result<()> {
        let mut highest = (0, 0);
        for version in self.versions.iter().filter_map(|version| version.strip_prefix("GLIBC_")) {
            let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
            let number = parts.next().zip(parts.next());
            let number = number.with_context(|| format!("GLIBC_{version} is no number"))?;
            highest = highest.max(number);
        }
        ensure!(highest != (0, 0), "it needs nothing of glibc, so that this shows nothing");
        ensure!(highest <= most, "it needs GLIBC_{}.{}; {:?} is allowed", highest.0, highest.1, most);
        ensure!(
            self.unversioned.is_empty(),
            "needed without a version, so that an older glibc may not have it: {}",
            self.unversioned.join(", ")
        );
        println!("    needs glibc {}.{} at most, {}", highest.0, highest.1, self.libraries.join(" "));
        Ok(())
    }

    /// Fails if the library needs anything that musl does not have.
    pub(super) fn nothing_of_glibc(&self) -> Result<()> {
        ensure!(self.versions.is_empty(), "needs versions of symbols: {}", self.versions.join(", "));
        ensure!(self.libraries == ["libc.so"], "needs other libraries than libc.so: {:?}", self.libraries);
        println!("    needs {} alone, and no version of a symbol", self.libraries.join(" "));
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The bytes of a library.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
#[path = "library_tests.rs"]
mod made;

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    fn needs(versions: &[&str], unversioned: &[&str]) -> Needs {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Needs { libraries: owned(&["libc.so"]), versions: owned(versions), unversioned: owned(unversioned) }
    }

    #[test]
    fn this_program_needs_glibc_and_exports_no_profiler() {
        let bytes = read(&std::env::current_exe().unwrap()).unwrap();
        let needs = Needs::read(&bytes).unwrap();
        assert!(needs.libraries.iter().any(|name| name == "libc.so.6"), "{:?}", needs.libraries);
        assert!(needs.at_most_glibc((2, 2)).is_err());
        assert!(needs.at_most_glibc((3, 0)).is_ok());
        assert!(needs.nothing_of_glibc().is_err());
        assert!(exports(&bytes).unwrap_err().to_string().contains("DllGetClassObject"));
    }

    #[test]
    fn a_version_is_compared_as_numbers() {
        assert!(needs(&["GLIBC_2.2.5", "GLIBC_2.17"], &[]).at_most_glibc((2, 17)).is_ok());
        assert!(needs(&["GLIBC_2.9", "GLIBC_2.18"], &[]).at_most_glibc((2, 17)).is_err());
        assert!(needs(&["GLIBC_PRIVATE"], &[]).at_most_glibc((2, 17)).is_err());
    }

    #[test]
    fn a_symbol_without_a_version_is_refused() {
        let error = needs(&["GLIBC_2.17"], &["gettid"]).at_most_glibc((2, 17)).unwrap_err();
        assert!(error.to_string().contains("gettid"));
    }

    #[test]
    fn a_library_for_musl_has_no_versions() {
        assert!(needs(&[], &["gettid"]).nothing_of_glibc().is_ok());
        assert!(needs(&["GLIBC_2.17"], &[]).nothing_of_glibc().is_err());
    }
}
