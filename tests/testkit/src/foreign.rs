//! Targets other than this machine.

use std::fmt;
use std::str::FromStr;

/// A target whose programs are run here by an emulator, or in a root folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// `x86_64-pc-windows-gnu`.
    WindowsX64,
    /// `aarch64-unknown-linux-gnu`.
    LinuxArm64,
    /// `x86_64-unknown-linux-musl`.
    LinuxMusl,
}

impl Foreign {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::WindowsX64, Self::LinuxArm64, Self::LinuxMusl];

    /// Returns the target's name for rustc.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::WindowsX64 => "x86_64-pc-windows-gnu",
            Self::LinuxArm64 => "aarch64-unknown-linux-gnu",
            Self::LinuxMusl => "x86_64-unknown-linux-musl",
        }
    }

    /// Whether its programs are emulated, and so take several times as long as here.
    #[must_use]
    pub fn is_emulated(self) -> bool {
        self != Self::LinuxMusl
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.triple())
    }
}

impl FromStr for Foreign {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|target| target.triple() == text).ok_or_else(|| {
            let [first, second, third] = Self::ALL.map(Self::triple);
            format!("programs of {text:?} cannot be run here; those of {first}, {second} and {third} can")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_found_by_its_name() {
        for target in Foreign::ALL {
            assert_eq!(target.triple().parse(), Ok(target));
        }
        assert!("x86_64-apple-darwin".parse::<Foreign>().unwrap_err().contains("cannot be run here"));
    }
}
