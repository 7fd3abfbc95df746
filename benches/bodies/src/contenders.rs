//! The candidates, each over all bodies.
//!
//! Every function returns a number that depends on everything that was read or written, so that the compiler can omit nothing,
//! and the number of bodies that it could not read, or did not write identically.

use std::hint::black_box;

use cilbody::edit::Body;
use cilbody::{Clause, ClauseKind, MethodBody, Opcode, Operand, ReturnType};
use sigparse::MethodSig;

use crate::corpus::Corpus;

/// A decoder or encoder of method bodies.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    pub(crate) run: fn(&Corpus<'_>) -> (u64, usize),
}

/// The first candidate is the reference.
pub(crate) const CONTENDERS: &[Contender] = &[
    Contender { name: "cilbody", does: "decodes and encodes", run: reencode },
    Contender { name: "dotnetdll 0.4.0", does: "decodes and encodes", run: dotnetdll_reencode },
    Contender { name: "cilbody", does: "decodes", run: decode },
    Contender { name: "dotnetdll 0.4.0", does: "decodes", run: dotnetdll_decode },
    Contender { name: "dotscope 0.9.1", does: "decodes", run: dotscope_decode },
    Contender {
        name: "cilbody",
        does: "decodes to be edited, lays out, computes the maximum stack",
        run: layout,
    },
    Contender { name: "cilbody", does: "verifies", run: verify },
];

/// Adds up the results of all bodies; `None` counts as failed.
fn each(corpus: &Corpus<'_>, mut of: impl FnMut(&[u8]) -> Option<u64>) -> (u64, usize) {
    let (mut sum, mut failed) = (0u64, 0);
    for body in &corpus.bodies {
        match of(body.bytes) {
            Some(number) => sum = sum.wrapping_add(number),
            None => failed += 1,
        }
    }
    (sum, failed)
}

fn reencode(corpus: &Corpus<'_>) -> (u64, usize) {
    each(corpus, |bytes| {
        let encoded = black_box(MethodBody::parse(bytes).ok()?.reencode().ok()?);
        (encoded == bytes).then_some(encoded.len() as u64)
    })
}

/// Adds up the targets of a `switch`.
fn targets(operand: Operand<'_>) -> Option<u64> {
    let Operand::Switch(mut targets) = operand else { return None };
    targets.try_fold(0, |sum, target| target.ok().map(|target| sum + u64::from(target)))
}

/// Adds up the offset, the opcode and the operand of each instruction, and the fields of each clause: the same numbers as
/// `Reflection.cs`.
fn decode(corpus: &Corpus<'_>) -> (u64, usize) {
    each(corpus, |bytes| {
        let body = MethodBody::parse(bytes).ok()?;
        let mut sum = 0u64;
        for instruction in body.instructions() {
            let instruction = instruction.ok()?;
            let operand = match instruction.opcode() {
                Opcode::SWITCH => targets(instruction.operand())?,
                _ => instruction.operand_bits(),
            };
            sum = sum.wrapping_add(u64::from(instruction.offset) + u64::from(instruction.opcode().0));
            sum = sum.wrapping_add(operand);
        }
        for clause in body.clauses() {
            let Clause { protected, handler, kind } = clause.ok()?;
            for range in [protected, handler] {
                sum = sum.wrapping_add(u64::from(range.start) + u64::from(range.len()));
            }
            sum = sum.wrapping_add(match kind {
                ClauseKind::Catch(token) => token.0.into(),
                ClauseKind::Filter(offset) => offset.into(),
                ClauseKind::Finally | ClauseKind::Fault => 0,
            });
        }
        Some(sum)
    })
}

fn layout(corpus: &Corpus<'_>) -> (u64, usize) {
    each(corpus, |bytes| {
        let body = Body::import(&MethodBody::parse(bytes).ok()?).ok()?;
        Some(black_box(body.encode(&corpus.module).ok()?).bytes.len() as u64)
    })
}

fn verify(corpus: &Corpus<'_>) -> (u64, usize) {
    let mut failed = 0;
    for body in &corpus.bodies {
        let verified = MethodBody::parse(body.bytes).is_ok_and(|parsed| {
            let sig = MethodSig::parse(body.sig);
            sig.is_ok_and(|sig| {
                let returns = ReturnType::of(&sig);
                cilbody::verify(&parsed, sig, returns, &corpus.module).is_ok()
            })
        });
        failed += usize::from(!verified);
    }
    (0, failed)
}

fn dotnetdll_decode(corpus: &Corpus<'_>) -> (u64, usize) {
    use dotnetdll::binary::method::Method;
    use scroll::Pread as _;
    each(corpus, |bytes| Some(black_box(bytes.pread::<Method>(0).ok()?).body.len() as u64))
}

fn dotnetdll_reencode(corpus: &Corpus<'_>) -> (u64, usize) {
    use dotnetdll::binary::method::Method;
    use scroll::{Pread as _, Pwrite as _};
    each(corpus, |bytes| {
        let method: Method = bytes.pread(0).ok()?;
        let mut buffer = scroll_buffer::DynamicBuffer::new();
        buffer.pwrite(method, 0).ok()?;
        let encoded = black_box(buffer.into_vec());
        encoded.starts_with(bytes).then_some(encoded.len() as u64)
    })
}

fn dotscope_decode(corpus: &Corpus<'_>) -> (u64, usize) {
    use dotscope::Parser;
    use dotscope::metadata::method::MethodBody;
    each(corpus, |bytes| {
        let body = black_box(MethodBody::from(bytes).ok()?);
        let code = bytes.get(body.size_header..body.size_header + body.size_code)?;
        Some(black_box(dotscope::assembly::decode_stream(&mut Parser::new(code), 0).ok()?).len() as u64)
    })
}
