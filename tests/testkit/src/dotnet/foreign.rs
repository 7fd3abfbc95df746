//! Runtimes of other targets, which an emulator runs.

use anyhow::{Context as _, Result, bail};

use super::pins::{ARM64_10_0, WINDOWS_3_1, WINDOWS_10_0};
use super::provision::{Form, Source};
use super::{Runtime, RuntimeVersion};
use crate::machine::{Foreign, Machine};

const WINDOWS: [(RuntimeVersion, Source); 2] = [
    (
        RuntimeVersion::V3_1,
        Source {
            pin: &WINDOWS_3_1,
            version: "3.1.23",
            form: Form::Root("dotnetcore2/bin/"),
            target: Some(Foreign::WindowsX64),
        },
    ),
    (
        RuntimeVersion::V10_0,
        Source {
            pin: &WINDOWS_10_0,
            version: "10.0.13",
            form: Form::SingleFile("officeagent_mcp/bin/officeagent-mcp.exe"),
            target: Some(Foreign::WindowsX64),
        },
    ),
];

const ARM64: [(RuntimeVersion, Source); 1] = [(
    RuntimeVersion::V10_0,
    Source {
        pin: &ARM64_10_0,
        version: "10.0.13",
        form: Form::SingleFile("officeagent_mcp/bin/officeagent-mcp"),
        target: Some(Foreign::LinuxArm64),
    },
)];

fn sources(target: Foreign) -> &'static [(RuntimeVersion, Source)] {
    match target {
        Foreign::WindowsX64 => &WINDOWS,
        Foreign::LinuxArm64 => &ARM64,
    }
}

/// The versions that there are for a target.
pub fn versions(target: Foreign) -> impl Iterator<Item = RuntimeVersion> {
    sources(target).iter().map(|(version, _)| *version)
}

/// The runtime of a target in this version, with the emulator that runs it, both provisioned now if need be.
///
/// # Errors
///
/// When there is none for the target, or something cannot be downloaded, verified or unpacked.
pub fn runtime(target: Foreign, version: RuntimeVersion) -> Result<Runtime> {
    let Some((_, source)) = sources(target).iter().find(|(found, _)| *found == version) else {
        let there: Vec<_> = versions(target).map(RuntimeVersion::short).collect();
        bail!("there is no {version} for {target}, only {}", there.join(" and "));
    };
    if source.present().is_none() {
        source.build()?;
    }
    let mut runtime = source.present().with_context(|| format!("{version} was unpacked and is not there"))?;
    runtime.machine = Machine::of(target)?;
    Ok(runtime)
}
