//! The items that an instruction pops and pushes (ECMA-335 III.3 and III.4).

use alloc::vec::Vec;

use sigparse::{FieldSig, MethodSig, Token};

use super::context::Context;
use super::item::Item;
use super::operands::{Variable, variable};
use crate::error::{Error, ErrorKind};
use crate::instruction::{Instruction, Operand};
use crate::kind::Kind;
use crate::module::{Module, called};
use crate::opcode::Opcode;

/// One instruction about to change the stack.
pub(super) struct Step<'s, 'c, M: ?Sized> {
    pub(super) instruction: &'s Instruction<'s>,
    pub(super) context: &'c Context<'c, M>,
    pub(super) stack: &'s mut Vec<Item<'c>>,
}

impl<'c, M: Module + ?Sized> Step<'_, 'c, M> {
    /// Pops and pushes the items of the instruction.
    pub(super) fn run(mut self) -> Result<(), Error> {
        if let Some((variable, number)) = variable(self.instruction) {
            return self.variable(variable, number);
        }
        match self.instruction.opcode() {
            Opcode::DUP => {
                let item = self.pop()?;
                self.push(item)?;
                self.push(item)
            }
            Opcode::POP => self.pop().map(drop),
            Opcode::RET => self.ret(),
            Opcode::JMP => self.expect_empty(),
            Opcode::CALL | Opcode::CALLVIRT | Opcode::CALLI | Opcode::NEWOBJ => self.call(),
            opcode => self
                .numbers(opcode)
                .or_else(|| self.memory(opcode))
                .or_else(|| self.objects(opcode))
                .unwrap_or(Ok(())),
        }
    }

    // The stack.

    fn fail<T>(&self, kind: ErrorKind) -> Result<T, Error> {
        Err(Error::il(self.instruction.offset, kind))
    }

    fn pop(&mut self) -> Result<Item<'c>, Error> {
        match self.stack.pop() {
            Some(item) => Ok(item),
            None => {
                let pops = u32::try_from(self.instruction.info().pops.len()).unwrap_or(u32::MAX);
                self.fail(ErrorKind::StackUnderflow { pops, depth: 0 })
            }
        }
    }

    fn push(&mut self, item: impl Into<Item<'c>>) -> Result<(), Error> {
        if self.stack.len() >= self.context.max_stack.into() {
            return Err(self.context.too_deep(self.instruction.offset));
        }
        self.stack.push(item.into());
        Ok(())
    }

    /// Pops an item that a condition has to hold for; `expected` is for the error.
    fn pop_if(&mut self, expected: Kind, condition: impl Fn(Kind) -> bool) -> Result<Kind, Error> {
        let found = self.pop()?.kind;
        match condition(found) {
            true => Ok(found),
            false => self.fail(ErrorKind::StackKind { expected, found }),
        }
    }

    fn pop_fitting(&mut self, expected: impl Into<Item<'c>>) -> Result<(), Error> {
        let (found, expected) = (self.pop()?, expected.into());
        match found.fits(expected, self.context.module) {
            true => Ok(()),
            false => self.fail(found.misfit(expected)),
        }
    }

    fn pop_address(&mut self) -> Result<(), Error> {
        self.pop_if(Kind::ByRef, Kind::is_address).map(drop)
    }

    fn pop_ref(&mut self) -> Result<(), Error> {
        self.pop_if(Kind::Ref, Kind::is_ref).map(drop)
    }

    fn pop_index(&mut self) -> Result<(), Error> {
        self.pop_if(Kind::I4, Kind::is_index).map(drop)
    }

    fn expect_empty(&self) -> Result<(), Error> {
        if self.stack.is_empty() { Ok(()) } else { self.fail(ErrorKind::StackNotEmpty) }
    }

    // Operands.

    fn token(&self) -> Token {
        match self.instruction.operand() {
            Operand::Token(token) => token,
            _ => Token(0),
        }
    }

    /// The item for the type that the operand names.
    fn operand_type(&self) -> Item<'c> {
        Item::of_token(self.token(), self.context.module)
    }

    fn field(&self) -> Result<Item<'c>, Error> {
        let sig = self.context.module.field_sig(self.token()).and_then(|blob| FieldSig::parse(blob).ok());
        match sig {
            Some(sig) => Ok(Item::of(sig.sig(), self.context.module)),
            None => self.fail(ErrorKind::UnknownSignature(self.token().0)),
        }
    }

    // Variables, calls and returns.

    fn variable(&mut self, variable: Variable, number: u16) -> Result<(), Error> {
        let variables = match variable {
            Variable::Argument => &self.context.arguments,
            Variable::Local => &self.context.locals,
        };
        // Whether there is such a variable was checked before.
        let item = variables.get(usize::from(number)).copied().unwrap_or(Kind::Unknown.into());
        match self.instruction.opcode() {
            Opcode::LDARGA_S | Opcode::LDARGA | Opcode::LDLOCA_S | Opcode::LDLOCA => self.push(Kind::ByRef),
            _ if self.instruction.info().pushes.is_empty() => self.pop_fitting(item),
            _ => self.push(item),
        }
    }

    fn ret(&mut self) -> Result<(), Error> {
        if let Some(returns) = self.context.returns {
            self.pop_fitting(returns)?;
        }
        self.expect_empty()
    }

    fn call(&mut self) -> Result<(), Error> {
        let (opcode, token) = (self.instruction.opcode(), self.token());
        let unknown = ErrorKind::UnknownSignature(token.0);
        let Some(sig) = called(self.context.module, token) else { return self.fail(unknown) };
        if opcode == Opcode::CALLI {
            self.pop_if(Kind::I, Kind::is_address)?;
        }
        self.pop_arguments(sig)?;
        if opcode == Opcode::NEWOBJ {
            // Of a class an object, of a structure the value.
            return self.push(Kind::Unknown);
        }
        if sig.has_this() && !sig.explicit_this() {
            // Objects, references to structures, and pointers to them.
            self.pop_if(Kind::Ref, |kind| kind.is_ref() || kind.is_address())?;
        }
        let result = sig.return_type();
        if result.is_void() { Ok(()) } else { self.push(Item::of(result, self.context.module)) }
    }

    /// Pops the arguments of a call, the last one first.
    fn pop_arguments(&mut self, sig: MethodSig<'c>) -> Result<(), Error> {
        let count = sig.param_count() as usize;
        let depth = u32::try_from(self.stack.len()).unwrap_or(u32::MAX);
        let Some(first) = self.stack.len().checked_sub(count) else {
            return self.fail(ErrorKind::StackUnderflow { pops: sig.param_count(), depth });
        };
        for (param, found) in sig.params().zip(first..) {
            let Ok(param) = param else { return self.fail(ErrorKind::UnknownSignature(self.token().0)) };
            let expected = Item::of(param.sig(), self.context.module);
            let found = self.stack.get(found).copied().unwrap_or(Kind::Unknown.into());
            if !found.fits(expected, self.context.module) {
                return self.fail(found.misfit(expected));
            }
        }
        self.stack.truncate(first);
        Ok(())
    }

    // Groups of instructions. `None` is for those of other groups.

    /// Constants, arithmetic, comparisons and branches.
    fn numbers(&mut self, opcode: Opcode) -> Option<Result<(), Error>> {
        Some(match opcode {
            Opcode::LDC_I8 => self.push(Kind::I8),
            Opcode::LDC_R4 | Opcode::LDC_R8 => self.push(Kind::F),
            Opcode(value) if (Opcode::LDC_I4_M1.0..=Opcode::LDC_I4.0).contains(&value) => self.push(Kind::I4),
            Opcode::ADD
            | Opcode::SUB
            | Opcode::MUL
            | Opcode::DIV
            | Opcode::DIV_UN
            | Opcode::REM
            | Opcode::REM_UN
            | Opcode::AND
            | Opcode::OR
            | Opcode::XOR
            | Opcode::ADD_OVF
            | Opcode::ADD_OVF_UN
            | Opcode::MUL_OVF
            | Opcode::MUL_OVF_UN
            | Opcode::SUB_OVF
            | Opcode::SUB_OVF_UN => self.arithmetic(),
            Opcode::SHL | Opcode::SHR | Opcode::SHR_UN => {
                self.pop_index().and_then(|()| self.pop_number()).and_then(|number| self.push(number))
            }
            Opcode::NEG | Opcode::NOT => self.pop_number().and_then(|number| self.push(number)),
            Opcode::CKFINITE => self.pop_fitting(Kind::F).and_then(|()| self.push(Kind::F)),
            Opcode::CEQ | Opcode::CGT | Opcode::CGT_UN | Opcode::CLT | Opcode::CLT_UN => {
                self.compare().and_then(|()| self.push(Kind::I4))
            }
            Opcode::BRTRUE | Opcode::BRTRUE_S | Opcode::BRFALSE | Opcode::BRFALSE_S => {
                self.pop_if(Kind::I4, |kind| kind != Kind::Value).map(drop)
            }
            Opcode::SWITCH => self.pop_index(),
            branch if branch.is_branch() && branch.info().is_some_and(|info| info.pops.len() == 2) => {
                self.compare()
            }
            other => return self.conversion(other),
        })
    }

    fn conversion(&mut self, opcode: Opcode) -> Option<Result<(), Error>> {
        let name = opcode.info()?.name.strip_prefix("conv.")?;
        let to = name.trim_start_matches("ovf.").trim_end_matches(".un");
        let to = match to {
            "i8" | "u8" => Kind::I8,
            "i" | "u" => Kind::I,
            "r4" | "r8" | "r" => Kind::F,
            _ => Kind::I4,
        };
        Some(self.pop_if(Kind::I, |kind| kind != Kind::Value).and_then(|_| self.push(to)))
    }

    fn pop_number(&mut self) -> Result<Kind, Error> {
        self.pop_if(Kind::I4, |kind| !matches!(kind, Kind::Ref | Kind::Value))
    }

    /// Binary operations (III.1.5, tables 2, 5 and 7).
    fn arithmetic(&mut self) -> Result<(), Error> {
        use Kind::{ByRef, F, I, I4, I8, Unknown};
        let right = self.pop_number()?;
        let left = self.pop_number()?;
        let result = match (left, right) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (I4, I4) => I4,
            (I8, I8) => I8,
            (F, F) => F,
            (I, I | I4) | (I4, I) => I,
            // The difference of two managed pointers.
            (ByRef, ByRef) => I,
            (ByRef, I | I4) | (I | I4, ByRef) => ByRef,
            _ => return self.fail(ErrorKind::StackKind { expected: left, found: right }),
        };
        self.push(result)
    }

    /// Comparisons (III.1.5, table 4).
    fn compare(&mut self) -> Result<(), Error> {
        let found = self.pop_if(Kind::I4, |kind| kind != Kind::Value)?;
        let expected = self.pop_if(Kind::I4, |kind| kind != Kind::Value)?;
        if found.fits(expected) { Ok(()) } else { self.fail(ErrorKind::StackKind { expected, found }) }
    }

    /// Loads and stores through addresses, and of blocks.
    fn memory(&mut self, opcode: Opcode) -> Option<Result<(), Error>> {
        let load = |step: &mut Self, item: Item<'c>| step.pop_address().and_then(|()| step.push(item));
        let store =
            |step: &mut Self, item: Item<'c>| step.pop_fitting(item).and_then(|()| step.pop_address());
        Some(match opcode {
            Opcode::LDIND_I1
            | Opcode::LDIND_U1
            | Opcode::LDIND_I2
            | Opcode::LDIND_U2
            | Opcode::LDIND_I4
            | Opcode::LDIND_U4 => load(self, Kind::I4.into()),
            Opcode::LDIND_I8 => load(self, Kind::I8.into()),
            Opcode::LDIND_I => load(self, Kind::I.into()),
            Opcode::LDIND_R4 | Opcode::LDIND_R8 => load(self, Kind::F.into()),
            Opcode::LDIND_REF => load(self, Kind::Ref.into()),
            Opcode::LDOBJ => load(self, self.operand_type()),
            Opcode::STIND_REF => store(self, Kind::Ref.into()),
            Opcode::STIND_I1 | Opcode::STIND_I2 | Opcode::STIND_I4 => store(self, Kind::I4.into()),
            Opcode::STIND_I8 => store(self, Kind::I8.into()),
            Opcode::STIND_I => store(self, Kind::I.into()),
            Opcode::STIND_R4 | Opcode::STIND_R8 => store(self, Kind::F.into()),
            Opcode::STOBJ => store(self, self.operand_type()),
            Opcode::INITOBJ => self.pop_address(),
            Opcode::CPOBJ => self.pop_address().and_then(|()| self.pop_address()),
            Opcode::CPBLK => {
                self.pop_index().and_then(|()| self.pop_address()).and_then(|()| self.pop_address())
            }
            Opcode::INITBLK => {
                self.pop_index().and_then(|()| self.pop_index()).and_then(|()| self.pop_address())
            }
            Opcode::LOCALLOC => self.pop_index().and_then(|()| self.push(Kind::I)),
            Opcode::MKREFANY => load(self, Kind::Value.into()),
            _ => return None,
        })
    }

    /// Objects, fields, arrays and types.
    fn objects(&mut self, opcode: Opcode) -> Option<Result<(), Error>> {
        let from_ref = |step: &mut Self, item: Item<'c>| step.pop_ref().and_then(|()| step.push(item));
        Some(match opcode {
            Opcode::LDNULL | Opcode::LDSTR => self.push(Kind::Ref),
            Opcode::CASTCLASS | Opcode::ISINST => from_ref(self, Kind::Ref.into()),
            Opcode::UNBOX => from_ref(self, Kind::ByRef.into()),
            Opcode::UNBOX_ANY => from_ref(self, self.operand_type()),
            Opcode::BOX => self.pop_fitting(self.operand_type()).and_then(|()| self.push(Kind::Ref)),
            Opcode::THROW => self.pop_ref(),
            Opcode::LDFLD
            | Opcode::LDFLDA
            | Opcode::STFLD
            | Opcode::LDSFLD
            | Opcode::LDSFLDA
            | Opcode::STSFLD => self.field_access(opcode),
            Opcode::NEWARR => self.pop_index().and_then(|()| self.push(Kind::Ref)),
            Opcode::LDLEN => from_ref(self, Kind::I.into()),
            Opcode::LDTOKEN | Opcode::ARGLIST => self.push(Kind::Value),
            Opcode::LDFTN => self.push(Kind::I),
            Opcode::LDVIRTFTN => from_ref(self, Kind::I.into()),
            Opcode::SIZEOF => self.push(Kind::I4),
            Opcode::REFANYVAL => self.pop_fitting(Kind::Value).and_then(|()| self.push(Kind::ByRef)),
            Opcode::REFANYTYPE => self.pop_fitting(Kind::Value).and_then(|()| self.push(Kind::Value)),
            Opcode::ENDFILTER => self.pop_fitting(Kind::I4),
            other => return self.elements(other),
        })
    }

    fn field_access(&mut self, opcode: Opcode) -> Result<(), Error> {
        let field = self.field()?;
        match opcode {
            Opcode::LDSFLD => return self.push(field),
            Opcode::LDSFLDA => return self.push(Kind::ByRef),
            Opcode::STSFLD => return self.pop_fitting(field),
            Opcode::STFLD => self.pop_fitting(field)?,
            _ => {}
        }
        let allows_value = opcode == Opcode::LDFLD;
        let is_owner = |kind: Kind| kind.is_ref() || kind.is_address() || allows_value && kind == Kind::Value;
        self.pop_if(Kind::Ref, is_owner)?;
        match opcode {
            Opcode::LDFLD => self.push(field),
            Opcode::LDFLDA => self.push(Kind::ByRef),
            _ => Ok(()),
        }
    }

    /// Elements of arrays.
    fn elements(&mut self, opcode: Opcode) -> Option<Result<(), Error>> {
        let element = match opcode {
            Opcode::LDELEM_I1
            | Opcode::LDELEM_U1
            | Opcode::LDELEM_I2
            | Opcode::LDELEM_U2
            | Opcode::LDELEM_I4
            | Opcode::LDELEM_U4
            | Opcode::STELEM_I1
            | Opcode::STELEM_I2
            | Opcode::STELEM_I4 => Kind::I4.into(),
            Opcode::LDELEM_I8 | Opcode::STELEM_I8 => Kind::I8.into(),
            Opcode::LDELEM_I | Opcode::STELEM_I => Kind::I.into(),
            Opcode::LDELEM_R4 | Opcode::LDELEM_R8 | Opcode::STELEM_R4 | Opcode::STELEM_R8 => Kind::F.into(),
            Opcode::LDELEM_REF | Opcode::STELEM_REF => Kind::Ref.into(),
            Opcode::LDELEM | Opcode::STELEM => self.operand_type(),
            Opcode::LDELEMA => Kind::ByRef.into(),
            _ => return None,
        };
        let is_store = self.instruction.info().pushes.is_empty();
        Some(self.element(element, is_store))
    }

    fn element(&mut self, element: Item<'c>, is_store: bool) -> Result<(), Error> {
        if is_store {
            self.pop_fitting(element)?;
        }
        self.pop_index()?;
        self.pop_ref()?;
        if is_store { Ok(()) } else { self.push(element) }
    }
}
