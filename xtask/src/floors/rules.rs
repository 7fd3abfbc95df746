//! Parses `rules.txt`: the order of crates and of modules, and the exceptions.

use anyhow::{Context as _, Result, bail, ensure};

/// Floors from top to bottom, with the names on each.
pub(super) type Floors = Vec<Vec<String>>;

#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) crates: Floors,
    /// The modules of each crate that has an order for them.
    pub(super) modules: Vec<(String, Floors)>,
    /// Findings that are accepted.
    pub(super) exceptions: Vec<String>,
}

impl Rules {
    /// Sections begin with `crates:`, `modules of NAME:` and `exceptions:`; each line of the first two is a floor. Names that are
    /// joined by `+` are one subject in several files, which may import one another.
    pub(super) fn parse(text: &str) -> Result<Self> {
        enum Section {
            Crates,
            Rooms,
            Exceptions,
        }
        let mut rules = Self::default();
        let mut section = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let floor = || line.split_whitespace().map(str::to_owned).collect();
            if line == "crates:" {
                section = Some(Section::Crates);
            } else if line == "exceptions:" {
                section = Some(Section::Exceptions);
            } else if let Some(name) =
                line.strip_prefix("modules of ").and_then(|rest| rest.strip_suffix(':'))
            {
                rules.modules.push((name.to_owned(), Floors::new()));
                section = Some(Section::Rooms);
            } else {
                match section {
                    Some(Section::Crates) => rules.crates.push(floor()),
                    Some(Section::Rooms) => {
                        rules.modules.last_mut().context("modules of no crate")?.1.push(floor());
                    }
                    Some(Section::Exceptions) => rules.exceptions.push(line.to_owned()),
                    None => bail!("{line:?} stands before the first section"),
                }
            }
        }
        for floors in rules.modules.iter().map(|(_, floors)| floors).chain([&rules.crates]) {
            let mut names: Vec<_> = floors.iter().flatten().flat_map(|names| names.split('+')).collect();
            names.sort();
            ensure!(
                names.windows(2).all(|pair| pair[0] != pair[1]),
                "a name stands on two floors: {names:?}"
            );
        }
        Ok(rules)
    }

    pub(super) fn modules_of(&self, name: &str) -> Option<&Floors> {
        self.modules.iter().find(|(owner, _)| owner == name).map(|(_, floors)| floors)
    }
}

/// The floor of a name: 0 is the top.
pub(super) fn floor_of(floors: &Floors, name: &str) -> Option<usize> {
    floors.iter().position(|floor| floor.iter().any(|names| has(names, name)))
}

/// Returns whether two names are joined by `+`.
pub(super) fn are_joined(floors: &Floors, name: &str, other: &str) -> bool {
    floors.iter().flatten().any(|names| has(names, name) && has(names, other))
}

fn has(names: &str, name: &str) -> bool {
    names.split('+').any(|other| other == name)
}
