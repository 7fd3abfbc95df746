//! The worst body for the layout of branches: 1 MiB of them, each of which becomes long because others do.

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use cilbody::edit::{Body, Instr, Label};
use cilbody::{Module, Opcode};
use sigparse::Token;

/// The size of the long form, in bytes.
const LONG: usize = 5;

/// The branches that each one passes: 52 bytes in the short form, and 130 in the long one.
const PASSED: usize = 26;

/// The module of a body without tokens.
struct Nothing;

impl Module for Nothing {
    fn method_sig(&self, _: Token) -> Option<&[u8]> {
        None
    }

    fn field_sig(&self, _: Token) -> Option<&[u8]> {
        None
    }

    fn stand_alone_sig(&self, _: Token) -> Option<&[u8]> {
        None
    }
}

/// The times of the rounds, sorted, and the size of the encoded body.
pub(crate) struct Measured {
    pub(crate) size: usize,
    pub(crate) times: Vec<Duration>,
}

/// Encodes the body once a round.
pub(crate) fn measure(rounds: usize) -> io::Result<Measured> {
    let count = (1 << 20) / LONG;
    let body = branches(count);
    let mut measured = Measured { size: 0, times: Vec::new() };
    for _ in 0..rounds.max(1) {
        let begin = Instant::now();
        let encoded = black_box(&body).encode(&Nothing).map_err(io::Error::other)?;
        measured.times.push(begin.elapsed());
        measured.size = encoded.bytes.len();
    }
    measured.times.sort_unstable();
    match measured.size < count * LONG {
        true => Err(io::Error::other(format!("{} bytes: branches have stayed short", measured.size))),
        false => Ok(measured),
    }
}

/// The last branches are out of reach, and push those before them out of reach, one after the other.
fn branches(count: usize) -> Body {
    let mut body = Body::new();
    let mut code = body.insert_before(Body::END);
    let labels: Vec<Label> = (0..count).map(|_| code.new_label()).collect();
    let end = code.new_label();
    for (index, label) in labels.iter().enumerate() {
        code.mark(*label);
        let to = labels.get(index + 1 + PASSED).copied().unwrap_or(end);
        code.push(Instr::branch(Opcode::BR, to));
    }
    for _ in 0..128 {
        code.push(Instr::new(Opcode::NOP));
    }
    code.mark(end);
    code.push(Instr::new(Opcode::RET));
    drop(code);
    body
}
