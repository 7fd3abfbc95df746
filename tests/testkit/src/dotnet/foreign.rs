//! Runtimes of other targets, which an emulator runs, or this machine in a root folder.

use anyhow::{Context as _, Result, bail};

use super::pins::{ARM64_10_0, WINDOWS_3_1, WINDOWS_10_0};
use super::provision::{Form, Source};
use super::{Runtime, RuntimeVersion, given, nuget};
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

/// The versions of runtimes without a muxer that a target may have, and the platform of those, as .NET names it: a folder of archives
/// has them, or NuGet, and packages of other registries do not.
fn packs(target: Foreign) -> (&'static [RuntimeVersion], &'static str) {
    match target {
        Foreign::LinuxMusl => (&[RuntimeVersion::V10_0, RuntimeVersion::V11_0], "linux-musl-x64"),
        Foreign::LinuxArm64 => (&[RuntimeVersion::V11_0], "linux-arm64"),
        Foreign::WindowsX64 => (&[], "win-x64"),
    }
}

/// Whether a runtime without a muxer is at hand.
fn is_at_hand(version: RuntimeVersion, platform: &str) -> bool {
    given::has_for(version, platform) || nuget::present(version, platform, Machine::This).is_some()
}

/// Fetches the runtimes of a target that NuGet alone has, where it can be reached.
pub fn try_nuget(target: Foreign) {
    let (packs, platform) = packs(target);
    for version in packs.iter().filter(|version| !is_at_hand(**version, platform)) {
        if let Some(Err(error)) = nuget::runtime(*version, platform, Machine::This) {
            eprintln!("{error:#}");
        }
    }
}

fn sources(target: Foreign) -> &'static [(RuntimeVersion, Source)] {
    match target {
        Foreign::WindowsX64 => &WINDOWS,
        Foreign::LinuxArm64 => &ARM64,
        Foreign::LinuxMusl => &[],
    }
}

/// The versions that there are for a target; none for musl, unless a folder of archives or NuGet has one.
pub fn versions(target: Foreign) -> impl Iterator<Item = RuntimeVersion> {
    let (packs, platform) = packs(target);
    let at_hand = packs.iter().copied().filter(move |version| is_at_hand(*version, platform));
    sources(target).iter().map(|(version, _)| *version).chain(at_hand)
}

/// The runtime of a target in this version, with what runs it, both provisioned now if need be.
///
/// # Errors
///
/// When there is none for the target, or something cannot be downloaded, verified or unpacked.
pub fn runtime(target: Foreign, version: RuntimeVersion) -> Result<Runtime> {
    let (packs, platform) = packs(target);
    if packs.contains(&version) {
        let machine = Machine::of(target)?;
        return match nuget::present(version, platform, machine.clone()) {
            Some(runtime) => Ok(runtime),
            None => given::runtime_for(version, platform, machine),
        };
    }
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
