//! Targets other than this machine.

use std::fmt;
use std::str::FromStr;

/// A target whose programs are emulated here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// `x86_64-pc-windows-gnu`.
    WindowsX64,
    /// `aarch64-unknown-linux-gnu`.
    LinuxArm64,
}

impl Foreign {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::WindowsX64, Self::LinuxArm64];

    /// Returns the target's name for rustc.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::WindowsX64 => "x86_64-pc-windows-gnu",
            Self::LinuxArm64 => "aarch64-unknown-linux-gnu",
        }
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
            let [first, second] = Self::ALL.map(Self::triple);
            format!("programs of {text:?} cannot be run here; those of {first} and {second} can")
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
