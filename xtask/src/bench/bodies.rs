//! `cargo xtask bench bodies`: method bodies, decoded and encoded by `cilbody` and its peers.

use anyhow::Result;
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::paths;

use super::{cargo, start, target_dir};

/// Measures over the bodies of CoreLib 9.0, and prints a table.
pub(super) fn run(rounds: u32) -> Result<()> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    println!("CoreLib {}", runtime.version);
    let folder = paths::workspace().join("benches").join("bodies");
    let peer = paths::apps_dir().join("bodiesbench").join("bodiesbench.dll");
    let peer = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [folder.join("Reflection.cs")], peer))?;
    let assembly = runtime.assemblies.join("System.Private.CoreLib.dll");
    let mut command = cargo("run", &folder, &target_dir("bodies"));
    command.env("ROUNDS", rounds.to_string());
    // The program of the peer that runs on .NET: a line for each word of the command.
    let peer = runtime.command(&peer)?;
    let words = std::iter::once(peer.get_program()).chain(peer.get_args()).chain([assembly.as_os_str()]);
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    command.env("REFLECTION", words.join("\n"));
    for (name, value) in peer.get_envs() {
        value.map(|value| command.env(name, value));
    }
    start(command.env("ASSEMBLY", assembly))
}
