//! Sets `dotnet_11` when tests on .NET 11.0 can run: where a folder has it (`tests/testkit/src/dotnet/given.rs`).

use std::env;
use std::path::Path;

fn main() {
    const FOLDER: &str = "CORPROF_DOTNET_ARCHIVES";
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={FOLDER}");
    println!("cargo:rustc-check-cfg=cfg(dotnet_11)");
    let has = |folder: &Path| {
        ["net11-linux-x64", "net11-linux-x64.tar.xz"].iter().any(|name| folder.join(name).exists())
    };
    if env::var_os(FOLDER).is_some_and(|folder| has(Path::new(&folder))) {
        println!("cargo:rustc-cfg=dotnet_11");
    }
}
