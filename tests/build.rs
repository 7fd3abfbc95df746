//! Sets `dotnet_11` and `dotnet_sdk` when tests on .NET 11.0 and with the SDK can run: where a folder has it (`tests/testkit/src/dotnet/given.rs`).

use std::env;
use std::path::Path;

fn main() {
    const FOLDER: &str = "CORPROF_DOTNET_ARCHIVES";
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={FOLDER}");
    println!("cargo:rustc-check-cfg=cfg(dotnet_11)");
    println!("cargo:rustc-check-cfg=cfg(dotnet_sdk)");
    let folder = env::var_os(FOLDER).unwrap_or_default();
    for (cfg, name) in [("dotnet_11", "net11-linux-x64"), ("dotnet_sdk", "sdk10")] {
        let item = Path::new(&folder).join(name);
        if !folder.is_empty() && (item.exists() || item.with_extension("tar.xz").exists()) {
            println!("cargo:rustc-cfg={cfg}");
        }
    }
}
