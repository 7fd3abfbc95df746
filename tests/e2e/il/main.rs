//! `cilbody` reads, writes and lays out the method bodies of real assemblies.
//!
//! Every body is decoded and encoded again, byte by byte the same. Then it is imported to be edited and laid out anew: the
//! instructions and clauses stay the same, the body is not longer, and the computed maximum stack is not above the compiler's.
//! By default a few large assemblies are read; `cargo xtask test --long` reads them all.

// The helpers of tests are tests too: they may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corpus;
mod failures;
mod oracle;
mod symbols;
mod wrapped;

#[path = "../../../crates/cilbody/tests/it/assembly.rs"]
mod assembly;
#[path = "../../../crates/cilbody/tests/it/roundtrip.rs"]
mod roundtrip;

use anyhow::{Result, ensure};
use assembly::Assembly;
use cilbody::{MethodBody, Module as _};
use oracle::Oracle;
use sigparse::MethodSig;

#[test]
fn bodies_are_encoded_as_they_were() -> Result<()> {
    corpus::check(|assembly, _, bytes| roundtrip::difference(bytes, assembly))
}

/// Bodies of compilers are accepted, and so is what each becomes when its whole body is protected by a `finally` handler.
#[test]
fn bodies_verify_before_and_after_they_are_wrapped() -> Result<()> {
    corpus::check(|assembly, method, bytes| {
        let shown = |error: cilbody::Error| error.to_string();
        let body = MethodBody::parse(bytes).map_err(shown)?;
        let sig = assembly.method_sig(method.into()).and_then(|blob| MethodSig::parse(blob).ok());
        let sig = sig.ok_or("no signature")?;
        let returns = assembly.returns(method, &sig);
        cilbody::verify(&body, sig, returns, assembly).map_err(shown)?;
        wrapped::verify(&body, sig, returns, assembly).map_err(|error| format!("wrapped: {error}"))
    })
}

/// Headers, instructions and clauses are those that System.Reflection.Metadata and System.Reflection.Emit find.
#[test]
fn bodies_read_as_the_libraries_of_net_read_them() -> Result<()> {
    let files = corpus::assemblies()?;
    let oracle = Oracle::ask(&files)?;
    corpus::check_files(&files, |assembly, method, bytes| oracle.difference(&assembly.path, method, bytes))?;
    for path in &files {
        let file = std::fs::read(path)?;
        let own = Assembly::open(path, &file).map_or(0, |assembly| assembly.bodies().count());
        ensure!(own == oracle.count(path), "{} has {} bodies, not {own}", path.display(), oracle.count(path));
    }
    Ok(())
}
