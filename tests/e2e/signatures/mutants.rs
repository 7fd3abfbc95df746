//! Hand-made and damaged blobs, as System.Reflection.Metadata reads them.
//!
//! No compiler writes a SENTINEL after a `modopt`, array bounds, or a generic function pointer into a framework, so
//! sigparse's hand-made vectors and random variations of them go to the oracle too. The two decoders may disagree
//! whether a blob is well formed for the reasons listed here, and never on the structure of one that both accept.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use e2e::is_long;
use sigparse::{ElementType, ErrorKind, limits};

use crate::corpus::ask;
use crate::dump::{Kind, by_views};
use crate::oracle::{Entry, letter, to_hex};
use crate::rng::Rng;
use crate::vectors;

/// How many variations there are of each vector: the oracle takes a millisecond to refuse one.
fn variations() -> usize {
    if is_long() { 1_500 } else { 100 }
}

/// Why sigparse may accept what the oracle refuses.
fn may_accept(kind: Kind, blob: &[u8], found: &str) -> Option<&'static str> {
    let reasons = [
        (
            found.contains("INTERNAL") || blob.contains(&ElementType::CMOD_INTERNAL.0),
            "types of the running process",
        ),
        (found.contains("NATIVEVARARG"), "NATIVEVARARG is no method's for the oracle"),
        (kind == Kind::Locals && found == "()", "no variables at all"),
        (found.contains("S:0x1B") || found.contains("E:0x1B"), "a CLASS or VALUETYPE that is a TypeSpec"),
        (found.starts_with("PROPERTY|GENERIC"), "a property that says it is generic"),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// Why sigparse may refuse what the oracle accepts.
fn may_refuse(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::InvalidRank(_) => "a rank of 0, or above the CLR's limit",
        ErrorKind::InvalidShape { .. } => "more bounds than dimensions",
        ErrorKind::UnexpectedSentinel => "a SENTINEL without variable arguments",
        ErrorKind::InvalidGenericCount(_) => "a generic method without generic parameters",
        ErrorKind::WrongKind { .. } => "a property where a method has to be",
        ErrorKind::UnexpectedElementType(_) => "an element type of two bytes, or any type as a generic one",
        ErrorKind::InvalidTypeDefOrRef(value) if value >> 2 > limits::MAX_RID => "a row beyond three bytes",
        ErrorKind::CountExceedsData { .. } => "the count is too large, and something else comes first",
        _ => return None,
    })
}

fn variation(rng: &mut Rng, blob: &[u8]) -> Vec<u8> {
    let mut blob = blob.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(blob.len() + 1);
        match rng.below(3) {
            0 => blob.insert(at, rng.byte()),
            1 if at < blob.len() && blob.len() > 1 => drop(blob.remove(at)),
            _ if at < blob.len() => blob[at] = rng.byte(),
            _ => blob.push(rng.byte()),
        }
    }
    blob
}

#[test]
fn vectors_and_their_variations_read_as_system_reflection_metadata_reads_them() -> Result<()> {
    let mut rng = Rng::new(7);
    let mut lines = Vec::new();
    for vector in vectors::VECTORS {
        lines.push(format!("{} {}", letter(vector.kind), to_hex(vector.blob)));
        for _ in 0..variations() {
            let blob = variation(&mut rng, vector.blob);
            lines.push(format!("{} {}", letter(vector.kind), to_hex(&blob)));
        }
    }
    let answers = ask("mutants", "decode", &lines)?;
    ensure!(answers.lines().count() == lines.len(), "the oracle answers {} times", answers.lines().count());

    let (mut both, mut neither, mut trailing) = (0, 0, 0);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for line in answers.lines() {
        let entry = Entry::parse(line)?;
        let mut found = by_views(entry.kind, &entry.blob);
        if let Err(ErrorKind::TrailingBytes(count)) = found.as_ref().map_err(|error| error.kind) {
            // The oracle leaves them without a word, and reads what comes before.
            ensure!(entry.answer.is_err() || entry.unread == count, "{line}: {count} bytes are left");
            found = by_views(entry.kind, &entry.blob[..entry.blob.len() - count]);
            trailing += 1;
        }
        let reason = match (&found, entry.answer) {
            (Ok(found), Ok(expected)) if found == expected => {
                both += 1;
                continue;
            }
            (Err(_), Err(_)) => {
                neither += 1;
                continue;
            }
            (Ok(found), Err(_)) => may_accept(entry.kind, &entry.blob, found),
            (Err(error), Ok(_)) => may_refuse(error.kind),
            (Ok(_), Ok(_)) => None,
        };
        match reason {
            Some(reason) => *reasons.entry(reason).or_default() += 1,
            None => differences.push(format!("{line}\n  {found:?}")),
        }
    }
    println!(
        "{} blobs: {both} read alike, {neither} refused by both, {trailing} with bytes after",
        lines.len()
    );
    println!("one refuses, for reasons that are known: {reasons:#?}");
    ensure!(
        differences.is_empty(),
        "{} of {} blobs differ; the first:\n{}",
        differences.len(),
        lines.len(),
        differences[..differences.len().min(20)].join("\n")
    );
    ensure!(both > lines.len() / 10 && neither > lines.len() / 10, "too few of a sort");
    Ok(())
}
