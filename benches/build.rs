//! Compiles the decoder in C, with the optimisation level of cargo's profile.

fn main() {
    println!("cargo:rerun-if-changed=c/walk.c");
    let mut build = cc::Build::new();
    build.file("c/walk.c").warnings(true).extra_warnings(true);
    let compiler = build.get_compiler();
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo:rustc-env=C_COMPILER={} -O{level}", compiler.path().display());
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo:rustc-env=RUSTC_VERSION={}", version.unwrap_or_default());
    println!("cargo:rustc-env=RUST_OPT_LEVEL={level}");
    build.compile("walk");
}
