//! The tested versions of .NET.

use std::fmt;
use std::str::FromStr;

/// The runtime versions that are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(non_camel_case_types, reason = "3.1 and 9.0 as they are spoken of")]
pub enum RuntimeVersion {
    /// .NET Core 3.1, the oldest.
    V3_1,
    /// .NET 8.0.
    V8_0,
    /// .NET 9.0.
    V9_0,
    /// .NET 10.0.
    V10_0,
    /// .NET 11.0, the newest: no package has it, so that it comes from a folder that is named.
    V11_0,
}

impl RuntimeVersion {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [Self::V3_1, Self::V8_0, Self::V9_0, Self::V10_0, Self::V11_0];
    /// Those that are provisioned from pinned packages.
    pub const PINNED: [Self; 4] = [Self::V3_1, Self::V8_0, Self::V9_0, Self::V10_0];

    /// Major and minor version, as in `9.0`.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Self::V3_1 => "3.1",
            Self::V8_0 => "8.0",
            Self::V9_0 => "9.0",
            Self::V10_0 => "10.0",
            Self::V11_0 => "11.0",
        }
    }

    /// The name of the target framework, as in `net9.0`.
    #[must_use]
    pub fn moniker(self) -> &'static str {
        match self {
            Self::V3_1 => "netcoreapp3.1",
            Self::V8_0 => "net8.0",
            Self::V9_0 => "net9.0",
            Self::V10_0 => "net10.0",
            Self::V11_0 => "net11.0",
        }
    }

    /// The pinned versions in a sentence: `3.1, 8.0, 9.0 and 10.0`.
    #[must_use]
    pub fn list() -> String {
        let [first @ .., last] = Self::PINNED.map(Self::short);
        format!("{} and {last}", first.join(", "))
    }

    /// The preprocessor symbols for test programs: `NET8`, `NET9`, … up to this version.
    #[must_use]
    pub fn symbols(self) -> Vec<String> {
        let newer =
            [(Self::V8_0, "NET8"), (Self::V9_0, "NET9"), (Self::V10_0, "NET10"), (Self::V11_0, "NET11")];
        newer.into_iter().filter(|&(since, _)| self >= since).map(|(_, symbol)| symbol.to_owned()).collect()
    }
}

impl fmt::Display for RuntimeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

impl FromStr for RuntimeVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|version| version.short() == text).ok_or_else(|| {
            let all = Self::ALL.map(Self::short).join(", ");
            format!("{text:?} is no runtime version that is tested; those are {all}")
        })
    }
}
