//! Whether two assemblies are built from the same sources, by what their PDBs say of them.

use std::fmt;
use std::path::Path;

use clrnames::pdb::Pdb;
use serde_json::Value;
use sigparse::Token;

/// The kind of custom debug information with the addresses of sources ("Source Link").
const SOURCE_LINK: [u8; 16] =
    [0x56, 0x05, 0x11, 0xcc, 0x91, 0xa0, 0x38, 0x4d, 0x9f, 0xec, 0x25, 0xab, 0x9a, 0x35, 0x1a, 0x6a];

/// The module, which Source Link belongs to.
const MODULE: Token = Token(1);

/// Folders of generated sources, which are below those of their project or anywhere.
const GENERATED: [&str; 2] = ["obj", ".nuget"];

/// Folders that the sources of many people are in, or that build machines use for all that they build.
const OF_ALL: [&str; 10] = ["_", "a", "agent", "builds", "mnt", "opt", "root", "tmp", "usr", "var"];

/// Folders with a folder for each user.
const OF_USERS: [&str; 2] = ["home", "Users"];

/// Where the sources of an assembly are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sources {
    /// In a revision of a repository, by its address.
    Repository(String),
    /// In a folder, and below.
    Folder(Vec<String>),
}

impl Sources {
    /// Returns where the sources of an assembly file are; `None` if no PDB says so.
    pub(super) fn of_assembly(file: &Path) -> Option<Self> {
        let pdb = Pdb::of_assembly(file).ok()??;
        let names = pdb.documents().filter_map(|id| Some(pdb.document(id).ok()?.name));
        let names: Vec<String> = names.collect();
        let links = pdb.custom_debug_information(MODULE).unwrap_or_default();
        let link = links.into_iter().find(|(kind, _)| *kind == SOURCE_LINK);
        let repository = link.and_then(|(_, json)| repository(json, &names));
        repository.map(Self::Repository).or_else(|| common_folder(&names).map(Self::Folder))
    }

    /// Returns whether they are parts of the same project.
    pub(super) fn are_beside(&self, others: &Self) -> bool {
        match (self, others) {
            (Self::Repository(one), Self::Repository(other)) => one == other,
            (Self::Folder(one), Self::Folder(other)) => {
                let common: Vec<&str> = common(one, other).map(String::as_str).collect();
                match *common {
                    [] => false,
                    [root, ref below @ ..] if OF_USERS.contains(&root) => below.len() > 1,
                    [root, ref below @ ..] => !below.is_empty() || !OF_ALL.contains(&root),
                }
            }
            _ => false,
        }
    }
}

impl fmt::Display for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository(address) => f.write_str(address),
            Self::Folder(parts) => write!(f, "/{}", parts.join("/")),
        }
    }
}

/// The address of the first source that Source Link has one for.
fn repository(json: &[u8], names: &[String]) -> Option<String> {
    let json: Value = serde_json::from_slice(json).ok()?;
    let documents = json["documents"].as_object()?;
    documents.iter().find_map(|(pattern, address)| {
        let (folder, address) = (pattern.strip_suffix('*')?, address.as_str()?.strip_suffix('*')?);
        names.iter().any(|name| name.starts_with(folder)).then(|| address.to_owned())
    })
}

fn common<'a>(one: &'a [String], other: &'a [String]) -> impl Iterator<Item = &'a String> {
    one.iter().zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one)
}

/// The innermost folder that all sources are in which were not generated.
fn common_folder(names: &[String]) -> Option<Vec<String>> {
    let folders = names.iter().filter_map(|name| {
        let mut parts: Vec<String> = name
            .split(['/', '\\'])
            .filter(|part| !part.is_empty() && !part.ends_with(':'))
            .map(str::to_owned)
            .collect();
        parts.pop()?;
        let is_generated = parts.iter().any(|part| GENERATED.contains(&part.as_str()));
        (!is_generated).then_some(parts)
    });
    folders.reduce(|one, other| common(&one, &other).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> Sources {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Sources::Folder(common_folder(&names).unwrap())
    }

    #[test]
    fn projects_below_one_folder_are_of_each_other() {
        let main = folder(&[
            "/src/App/Program.cs",
            "/src/App/Pages/Index.cs",
            "/src/App/obj/Debug/App.AssemblyInfo.cs",
        ]);
        assert_eq!(main.to_string(), "/src/App");
        assert!(main.are_beside(&folder(&["/src/Basket/Cart.cs"])));
        assert!(!main.are_beside(&folder(&["/_/src/Serilog/Log.cs"])));
        assert!(!main.are_beside(&folder(&["/home/runner/work/x/x/X.cs"])));
        let main = folder(&["C:\\Users\\me\\shop\\App\\Program.cs"]);
        assert!(main.are_beside(&folder(&["C:\\Users\\me\\shop\\Basket\\Cart.cs"])));
        assert!(!main.are_beside(&folder(&["C:\\Users\\me\\other\\Cart.cs"])));
        assert!(!main.are_beside(&folder(&["C:\\Users\\you\\shop\\Cart.cs"])));
        // Every deterministic build has its sources there.
        assert!(!folder(&["/_/src/App/a.cs"]).are_beside(&folder(&["/_/src2/Lib/b.cs"])));
    }

    #[test]
    fn repositories_are_told_from_each_other_by_source_link() {
        let names = ["/_/src/App/Program.cs".to_owned()];
        let address = |name: &str| {
            let json =
                format!(r#"{{"documents":{{"/x/*":"y*","/_/*":"https://example.org/{name}/1234/*"}}}}"#);
            Sources::Repository(repository(json.as_bytes(), &names).unwrap())
        };
        assert!(
            address("shop").are_beside(&address("shop")) && !address("shop").are_beside(&address("logs"))
        );
        assert!(!address("shop").are_beside(&folder(&["/_/src/App/Program.cs"])));
        assert!(repository(b"{}", &names).is_none() && repository(b"[", &names).is_none());
    }
}
