//! sigparse reads every signature as System.Reflection.Metadata does.
//!
//! `apps/sigoracle` reads the assemblies of both runtimes and of `azmcp` with the decoder of the .NET libraries, and
//! writes down each distinct blob with the structure it found. Here the same blobs go through sigparse, and nothing may
//! differ; nor may the bytes, when sigparse writes what it has read. Marshalling descriptors are read by the runtime. By default a few large assemblies are read; `cargo xtask test --long` reads them all.

// The helpers of tests are tests too: they may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attributes;
mod corpus;
mod marshalling;
mod mutants;
mod oracle;

// The structure as text, the hand-made vectors and the numbers of sigparse's own tests.
#[path = "../../../crates/sigparse/tests/it/attribute_builders.rs"]
mod attribute_builders;
#[path = "../../../crates/sigparse/tests/it/attribute_types.rs"]
mod attribute_types;
#[path = "../../../crates/sigparse/tests/it/dump.rs"]
mod dump;
#[path = "../../../crates/sigparse/tests/it/marshalling.rs"]
mod marshal_vectors;
#[path = "../../../crates/sigparse/tests/it/rng.rs"]
mod rng;
#[path = "../../../crates/sigparse/tests/it/vectors.rs"]
mod vectors;

use anyhow::{Result, ensure};
use sigparse::{
    Encoder, FieldSigBuf, LocalVarSigBuf, MethodSigBuf, MethodSpecSigBuf, PropertySigBuf, TypeSigBuf, walk,
};

use crate::corpus::Corpus;
use crate::dump::{Kind, by_views, by_walk};
use crate::oracle::Entry;

/// What differs between sigparse and the oracle in one blob.
fn difference(entry: &Entry<'_>) -> Option<String> {
    let Entry { kind, ref blob, unread, answer } = *entry;
    let Ok(expected) = answer else {
        return by_views(kind, blob).is_ok().then(|| "the oracle refuses it".to_owned());
    };
    if unread > 0 {
        return Some(format!("the oracle leaves {unread} bytes"));
    }
    for (way, found) in [("views", by_views(kind, blob)), ("walk", by_walk(kind, blob))] {
        if found.as_deref() != Ok(expected) {
            return Some(format!("the {way}: {found:?}"));
        }
    }
    let encoded = encoded(kind, blob);
    if encoded.as_deref() != Ok(blob.as_slice()) {
        return Some(format!("encoded again: {encoded:02X?}"));
    }
    let owned = owned(kind, blob);
    (owned.as_deref() != Ok(blob.as_slice())).then(|| format!("owned: {owned:02X?}"))
}

/// Decodes with a walk and encodes what it tells.
fn encoded(kind: Kind, blob: &[u8]) -> Result<Vec<u8>, sigparse::Error> {
    let mut encoder = Encoder::new();
    match kind {
        Kind::Method => walk::method(blob, &mut encoder)?,
        Kind::Field => walk::field(blob, &mut encoder)?,
        Kind::Property => walk::property(blob, &mut encoder)?,
        Kind::Locals => walk::locals(blob, &mut encoder)?,
        Kind::TypeSpec => walk::ty(blob, &mut encoder)?,
        Kind::MethodSpec => walk::method_spec(blob, &mut encoder)?,
    };
    encoder.finish()
}

/// The bytes of the owned signature.
fn owned(kind: Kind, blob: &[u8]) -> Result<Vec<u8>, sigparse::Error> {
    Ok(match kind {
        Kind::Method => MethodSigBuf::from_bytes(blob)?.as_sig().to_buf()?.into_bytes(),
        Kind::Field => FieldSigBuf::from_bytes(blob)?.into_bytes(),
        Kind::Property => PropertySigBuf::from_bytes(blob)?.into_bytes(),
        Kind::Locals => LocalVarSigBuf::from_bytes(blob)?.into_bytes(),
        Kind::TypeSpec => TypeSigBuf::from_bytes(blob)?.as_sig().to_buf().into_bytes(),
        Kind::MethodSpec => MethodSpecSigBuf::from_bytes(blob)?.into_bytes(),
    })
}

#[test]
fn signatures_read_as_system_reflection_metadata_reads_them() -> Result<()> {
    let corpus = Corpus::extracted()?;
    let mut compared = [0; dump::KINDS.len()];
    let mut differences = Vec::new();
    for line in corpus.signatures() {
        let entry = Entry::parse(line)?;
        compared[entry.kind as usize] += 1;
        if let Some(difference) = difference(&entry) {
            differences.push(format!("{line}\n  {difference}"));
        }
    }
    let distinct: usize = compared.iter().sum();
    println!("{}: {} assemblies, {} signature blobs", corpus.name, corpus.assemblies, corpus.blobs);
    println!("{distinct} of them distinct: {:?}", dump::KINDS.iter().zip(compared).collect::<Vec<_>>());
    println!("by table: {:?}", corpus.tables);
    ensure!(
        differences.is_empty(),
        "{} of {distinct} blobs differ; the first:\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n")
    );
    let floor = &corpus.floor;
    ensure!(corpus.assemblies >= floor.assemblies, "fewer than {} assemblies", floor.assemblies);
    ensure!(corpus.blobs >= floor.blobs, "fewer than {} blobs", floor.blobs);
    ensure!(distinct >= floor.distinct, "fewer than {} distinct blobs", floor.distinct);
    ensure!(compared.iter().all(|&count| count >= floor.of_each_kind), "a kind is missing: {compared:?}");
    Ok(())
}
