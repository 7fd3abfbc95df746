//! Bodies are decoded, encoded, and compared.

use cilbody::edit::Body;
use cilbody::{Clause, Instruction, MethodBody, Module, Opcode, Operand, Range};

/// An instruction without what depends on the layout: its targets are numbers of instructions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plain<'a> {
    opcode: Opcode,
    operand: Option<Operand<'a>>,
    targets: Vec<usize>,
}

/// The instructions of a body, and its clauses by numbers of instructions.
pub(crate) fn plain<'a>(body: &MethodBody<'a>) -> Result<(Vec<Plain<'a>>, Vec<Clause>), cilbody::Error> {
    let instructions: Vec<Instruction<'a>> = body.instructions().collect::<Result<_, _>>()?;
    let number = |offset: u32| match instructions.binary_search_by_key(&offset, |it| it.offset) {
        Ok(number) => number,
        Err(number) => {
            assert_eq!(offset, body.code_size(), "an offset within an instruction");
            number
        }
    };
    let plain = |instruction: &Instruction<'a>| {
        let targets = match instruction.operand() {
            Operand::Target(target) => vec![number(target)],
            Operand::Switch(targets) => {
                targets.map(|target| Ok(number(target?))).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let operand = match instruction.operand() {
            Operand::Target(_) | Operand::Switch(_) => None,
            operand => Some(operand),
        };
        Ok(Plain { opcode: instruction.opcode().to_long_branch(), operand, targets })
    };
    let range = |range: Range| {
        let number = |offset| u32::try_from(number(offset)).unwrap();
        Range { start: number(range.start), end: number(range.end) }
    };
    let clause = |clause: Result<Clause, _>| {
        let mut clause = clause?;
        if let cilbody::ClauseKind::Filter(filter) = &mut clause.kind {
            *filter = u32::try_from(number(*filter)).unwrap();
        }
        Ok(Clause { protected: range(clause.protected), handler: range(clause.handler), ..clause })
    };
    Ok((
        instructions.iter().map(plain).collect::<Result<_, cilbody::Error>>()?,
        body.clauses().map(clause).collect::<Result<_, cilbody::Error>>()?,
    ))
}

/// What is wrong with a body of a compiler: its bytes, then its instructions when it is laid out anew.
pub(crate) fn difference(bytes: &[u8], module: &impl Module) -> Result<(), String> {
    let shown = |error: cilbody::Error| error.to_string();
    let body = MethodBody::parse(bytes).map_err(shown)?;
    let again = body.reencode().map_err(shown)?;
    if again != body.bytes() {
        return Err(format!("encoded again:\n  {:02X?}\n  {again:02X?}", body.bytes()));
    }
    let edited = Body::import(&body).map_err(shown)?;
    let encoded = edited.encode(module).map_err(|error| format!("laid out anew: {error}"))?;
    let anew = MethodBody::parse(&encoded.bytes).map_err(shown)?;
    if plain(&body).map_err(shown)? != plain(&anew).map_err(shown)? {
        return Err(format!("laid out anew:\n  {:02X?}\n  {:02X?}", body.bytes(), encoded.bytes));
    }
    if anew.max_stack() > body.max_stack() {
        return Err(format!("a maximum stack of {}, not {}", anew.max_stack(), body.max_stack()));
    }
    let sizes = (encoded.bytes.len(), body.bytes().len());
    (sizes.0 <= sizes.1).then_some(()).ok_or(format!("{} bytes, not {}", sizes.0, sizes.1))
}
