//! Marshalling descriptors, as the runtime reads them for `MarshalAsAttribute`.
//!
//! The runtime that is asked has no COM: of what only COM has, it reads the first byte. The rest of those is covered by
//! sigparse's own tests alone.

use anyhow::{Result, ensure};
use sigparse::ErrorKind;
use sigparse::marshal::{MarshalSpec, NativeType};

use crate::corpus::{Corpus, ask};
use crate::marshal_vectors::VECTORS;
use crate::oracle::{from_hex, to_hex};
use crate::rng::Rng;

/// Whether the oracle has found the same. What is absent is 0 there.
fn agrees(spec: MarshalSpec<'_>, found: &str) -> bool {
    let (mut element, mut param, mut size) = (None, None, None);
    let mut names = ["null".to_owned(), "null".to_owned()];
    match spec {
        MarshalSpec::FixedString { length } => size = Some(length),
        MarshalSpec::FixedArray { count, element: native } => (size, element) = (Some(count), native),
        MarshalSpec::Array { element: native, size_param, count, .. } => {
            (element, param, size) = (native, size_param, count);
        }
        MarshalSpec::Custom { marshaler, cookie, .. } => {
            names = [marshaler, cookie].map(|text| format!("x{}", to_hex(text.as_bytes())));
        }
        _ => {}
    }
    // The attribute's property is a `short`.
    let [low, high, ..] = param.unwrap_or(0).to_le_bytes();
    let numbers = format!(
        "{:02X} element={:02X} param={} const={}",
        spec.native_type().0,
        element.map_or(0, |native| native.0),
        i16::from_le_bytes([low, high]),
        size.unwrap_or(0),
    );
    let fields =
        found.split_once(" type=").and_then(|(begin, end)| Some((begin, end.split_once(" cookie=")?)));
    // Reflection of 9.0.1 has no lengths of the names: it goes on to the next zero.
    fields.is_some_and(|(begin, (marshaler, cookie))| {
        begin == numbers && marshaler.starts_with(&names[0]) && cookie.starts_with(&names[1])
    })
}

/// Whether sigparse may refuse what the runtime accepts.
fn may_refuse(blob: &[u8], kind: ErrorKind) -> bool {
    match blob.first().map(|&native| NativeType(native)) {
        // Without COM the runtime does not look beyond the first byte of these.
        Some(NativeType::IUNKNOWN | NativeType::IDISPATCH | NativeType::INTF | NativeType::SAFEARRAY) => true,
        // It does without the type of the elements if that is cut off.
        Some(NativeType::FIXEDARRAY)
            if matches!(kind, ErrorKind::UnexpectedEnd | ErrorKind::InvalidCompressedInteger(_)) =>
        {
            true
        }
        // It leaves bytes that nothing needs, and takes any bytes for a name and any number for a type.
        _ => matches!(
            kind,
            ErrorKind::TrailingBytes(_) | ErrorKind::InvalidUtf8 | ErrorKind::InvalidNativeType(_)
        ),
    }
}

/// A line of the oracle: the blob, and what the runtime made of it.
fn fields(line: &str) -> Result<(Vec<u8>, &str)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [_, blob, expected] = fields[..] else { anyhow::bail!("the oracle's line {line:?} is short") };
    Ok((from_hex(blob)?, expected))
}

#[test]
fn descriptors_read_as_the_runtime_reads_them() -> Result<()> {
    let corpus = Corpus::extracted()?;
    let mut distinct = 0;
    for line in corpus.marshalling() {
        let (blob, expected) = fields(line)?;
        distinct += 1;
        let spec = MarshalSpec::parse(&blob);
        ensure!(spec.is_ok_and(|spec| agrees(spec, expected)), "{line}\n  {spec:?}");
        let again = spec?.to_buf()?;
        ensure!(again.as_bytes() == blob, "{line}\n  encoded again: {}", to_hex(again.as_bytes()));
    }
    println!("{}: {} marshalling descriptors, {distinct} of them distinct", corpus.name, corpus.marshalling);
    ensure!(corpus.marshalling >= corpus.floor.marshalling, "fewer than {}", corpus.floor.marshalling);
    Ok(())
}

#[test]
fn vectors_and_their_variations_read_as_the_runtime_reads_them() -> Result<()> {
    let mut rng = Rng::new(11);
    let mut lines = Vec::new();
    for (blob, _) in VECTORS {
        lines.push(format!("D {}", to_hex(blob)));
        for _ in 0..50 {
            let mut blob = blob.to_vec();
            let at = rng.below(blob.len());
            match rng.below(3) {
                0 => blob[at] = rng.byte(),
                1 => blob.insert(at + 1, rng.byte()),
                _ if blob.len() > 1 => drop(blob.remove(at)),
                _ => blob.push(rng.byte()),
            }
            lines.push(format!("D {}", to_hex(&blob)));
        }
    }
    let answers = ask("marshalling", "decode", &lines)?;
    ensure!(answers.lines().count() == lines.len(), "the oracle answers {} times", answers.lines().count());
    let (mut alike, mut refused, mut stricter) = (0, 0, 0);
    for line in answers.lines() {
        let (blob, expected) = fields(line)?;
        match MarshalSpec::parse(&blob) {
            Ok(spec) if agrees(spec, expected) => alike += 1,
            // Reflection has stumbled over the name of a marshaller, after the runtime had read it.
            Ok(MarshalSpec::Custom { .. }) if expected == "?" => alike += 1,
            Err(_) if expected == "!malformed" => refused += 1,
            Err(error) if may_refuse(&blob, error.kind) => stricter += 1,
            other => anyhow::bail!("{line}\n  {other:?}"),
        }
    }
    println!(
        "{} descriptors: {alike} read alike, {refused} refused by both, {stricter} by sigparse",
        lines.len()
    );
    ensure!(alike > lines.len() / 4 && refused > lines.len() / 20, "too few of a sort");
    Ok(())
}
