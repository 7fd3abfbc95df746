//! From an editable body to an encoded one.

use alloc::vec::Vec;

use super::layout::Layout;
use super::{Body, InstrId, InstrOperand, RegionKind, Span};
use crate::clause::{Clause, ClauseKind, Range};
use crate::encode::{BodyParts, CodeWriter};
use crate::error::{Error, ErrorKind, Location};
use crate::instruction::Operand;
use crate::module::Module;
use crate::stack::max_stack;

/// An encoded body, and where its instructions were before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodedBody {
    /// Header, code and sections.
    pub bytes: Vec<u8>,
    /// The new offsets of the imported instructions.
    pub offsets: OffsetMap,
}

/// Old and new IL offsets, in ascending order of both where the order of instructions was kept.
///
/// `ICorProfilerInfo::SetILInstrumentedCodeMap` and `ICorProfilerFunctionControl::SetILInstrumentedCodeMap` take these pairs
/// as `COR_IL_MAP`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap(Vec<(u32, u32)>);

impl OffsetMap {
    /// Pairs of an old and a new offset, by old offset.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Returns the new offset of the instruction at an old offset; `None` if none began there, or it was removed.
    #[must_use]
    pub fn new_offset(&self, old: u32) -> Option<u32> {
        let index = self.0.binary_search_by_key(&old, |(old, _)| *old).ok()?;
        self.0.get(index).map(|(_, new)| *new)
    }

    /// The old offset of the last imported instruction at or before a new offset.
    ///
    /// Inserted code belongs to the imported instruction before it. `None` for code at the entry.
    #[must_use]
    pub fn old_offset(&self, new: u32) -> Option<u32> {
        let at_or_before = self.0.iter().filter(|(_, candidate)| *candidate <= new);
        at_or_before.max_by_key(|(_, candidate)| *candidate).map(|(old, _)| *old)
    }
}

impl Body {
    /// Encodes the body.
    ///
    /// Branches, header and clauses get the shortest form that they can have, and the maximum stack is computed over the
    /// control flow. The offsets in errors are those of the new code.
    ///
    /// # Errors
    /// If the code is empty or too long, a label is not bound, an operand is not its opcode's, a region is empty, local
    /// variables were added without a token, or the maximum stack cannot be computed (see [`max_stack`]).
    pub fn encode<M: Module + ?Sized>(&self, module: &M) -> Result<EncodedBody, Error> {
        if self.locals.is_some() {
            return Err(Error { location: Location::Body(0), kind: ErrorKind::LocalsWithoutToken });
        }
        let layout = Layout::of(self)?;
        let code = self.code(&layout)?;
        let clauses = self.clauses(&layout)?;
        let parts = BodyParts {
            code: &code,
            max_stack: max_stack(&code, &clauses, module)?,
            init_locals: self.init_locals,
            local_var_sig: self.local_var_sig,
            clauses: &clauses,
        };
        let imported = (1..=self.imported).map(InstrId).filter(|id| self.node(*id).is_some());
        let pairs = imported.filter_map(|id| Some((self.original_offset(id)?, layout.offset(id)))).collect();
        Ok(EncodedBody { bytes: parts.to_bytes()?, offsets: OffsetMap(pairs) })
    }

    fn code(&self, layout: &Layout) -> Result<Vec<u8>, Error> {
        let mut writer = CodeWriter::with_capacity(layout.code_size() as usize);
        for id in self.ids() {
            let Some(instr) = self.instr(id) else { continue };
            let operand = match &instr.operand {
                InstrOperand::None => Operand::None,
                InstrOperand::I4(value) => Operand::I4(*value),
                InstrOperand::I8(value) => Operand::I8(*value),
                InstrOperand::R4(bits) => Operand::R4(*bits),
                InstrOperand::R8(bits) => Operand::R8(*bits),
                InstrOperand::Variable(number) => Operand::Variable(*number),
                InstrOperand::Token(token) => Operand::Token(*token),
                InstrOperand::Label(label) => {
                    let opcode = match layout.is_long(id) {
                        true => instr.opcode.to_long_branch(),
                        false => instr.opcode.to_short_branch(),
                    };
                    writer.branch(opcode, layout.label(self, *label, id)?)?;
                    continue;
                }
                InstrOperand::Switch(labels) => {
                    if instr.opcode != crate::Opcode::SWITCH {
                        return Err(Error::il(layout.offset(id), ErrorKind::WrongOperand(instr.opcode)));
                    }
                    if let Some(unbound) =
                        labels.iter().find_map(|label| layout.label(self, *label, id).err())
                    {
                        return Err(unbound);
                    }
                    let target = |label| layout.label(self, label, id).unwrap_or_default();
                    writer.switch(labels.iter().map(|label| target(*label)))?;
                    continue;
                }
            };
            writer.plain(instr.opcode, operand)?;
        }
        Ok(writer.into_code())
    }

    fn clauses(&self, layout: &Layout) -> Result<Vec<Clause>, Error> {
        let range = |span: Span| {
            let start = layout.label(self, span.start, Self::END)?;
            Ok::<_, Error>(Range { start, end: layout.label(self, span.end, Self::END)? })
        };
        let clause = |(index, region): (usize, &super::Region)| {
            let (protected, handler) = (range(region.protected)?, range(region.handler)?);
            let location = Location::Clause(u32::try_from(index).unwrap_or(u32::MAX));
            let kind = match region.kind {
                RegionKind::Catch(token) => ClauseKind::Catch(token),
                RegionKind::Filter(filter) => {
                    let filter = layout.label(self, filter, Self::END)?;
                    if filter >= handler.start {
                        return Err(Error { location, kind: ErrorKind::FilterRange(filter) });
                    }
                    ClauseKind::Filter(filter)
                }
                RegionKind::Finally => ClauseKind::Finally,
                RegionKind::Fault => ClauseKind::Fault,
            };
            Ok(Clause { protected, handler, kind })
        };
        self.regions.iter().enumerate().map(clause).collect()
    }
}
