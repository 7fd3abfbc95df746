//! Code at a method's exits, with or without exceptions.

use alloc::vec::Vec;

use sigparse::Token;

use super::{Body, Inserter, Instr, InstrId, Region, RegionKind, Span};
use crate::error::{Error, ErrorKind};
use crate::module::Module;
use crate::opcode::Opcode;
use crate::returns::ReturnType;

/// The one place at which a method returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// The first instruction that every way out runs. Code for the exit is inserted before it.
    pub begin: InstrId,
    /// The `ret`.
    pub ret: InstrId,
    /// The local variable with the return value; `None` for a method that returns nothing.
    pub value: Option<u16>,
}

/// A method whose whole body is protected by a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Protected {
    /// The instructions that return from the method, after the handler.
    pub exit: Exit,
    /// The last instruction of the handler.
    pub handler_end: InstrId,
}

impl Body {
    /// Makes the method return at one place, at the end of its code.
    ///
    /// Every `ret` stores the value in a local variable and branches there; `tail.` prefixes of calls before a `ret` are
    /// removed. Exceptions do not pass the exit: see [`wrap_in_finally`](Self::wrap_in_finally) and
    /// [`watch_exceptions`](Self::watch_exceptions).
    ///
    /// # Errors
    /// [`ErrorKind::Jmp`] if the method leaves by `jmp`, and those of [`add_local`](Self::add_local).
    pub fn single_exit<M: Module + ?Sized>(
        &mut self,
        returns: ReturnType<'_>,
        module: &M,
    ) -> Result<Exit, Error> {
        let returning = self.returning()?;
        let value = self.add_return_value(returns, module)?;
        let exit = self.append_exit(value);
        self.lead_to(Opcode::BR, &returning, &exit);
        Ok(exit)
    }

    /// Protects the whole body with a `finally` handler, which runs when the method returns and when an exception leaves it.
    ///
    /// The handler is the code that `handler` inserts, followed by `endfinally`. `handler` gets the number of the
    /// variable with the return value, which the exit after it returns.
    ///
    /// # Errors
    /// As for [`single_exit`](Self::single_exit).
    pub fn wrap_in_finally<M: Module + ?Sized>(
        &mut self,
        returns: ReturnType<'_>,
        module: &M,
        handler: impl FnOnce(&mut Inserter<'_>, Option<u16>),
    ) -> Result<Protected, Error> {
        self.wrap(RegionKind::Finally, returns, module, |code, value| {
            handler(code, value);
            code.insert(Instr::new(Opcode::ENDFINALLY))
        })
    }

    /// Protects the whole body with a `catch` handler for exceptions of a type.
    ///
    /// The handler begins with the exception on the stack. It is the code that `handler` inserts, which must pop the
    /// exception, followed by `rethrow`. `handler` gets the number of the variable for the return value.
    ///
    /// # Errors
    /// As for [`single_exit`](Self::single_exit).
    pub fn wrap_in_catch<M: Module + ?Sized>(
        &mut self,
        exception: Token,
        returns: ReturnType<'_>,
        module: &M,
        handler: impl FnOnce(&mut Inserter<'_>, Option<u16>),
    ) -> Result<Protected, Error> {
        self.wrap(RegionKind::Catch(exception), returns, module, |code, value| {
            handler(code, value);
            code.insert(Instr::new(Opcode::RETHROW))
        })
    }

    fn wrap<M: Module + ?Sized>(
        &mut self,
        kind: RegionKind,
        returns: ReturnType<'_>,
        module: &M,
        handler: impl FnOnce(&mut Inserter<'_>, Option<u16>) -> InstrId,
    ) -> Result<Protected, Error> {
        let Some(first) = self.first() else { return Err(Error::il(0, ErrorKind::CodeSize(0))) };
        let returning = self.returning()?;
        let value = self.add_return_value(returns, module)?;
        // Regions that end with the code end before the handler.
        let mut code = self.insert_before(Self::END);
        let handler_start = code.new_label();
        code.mark(handler_start);
        let handler_end = handler(&mut code, value);
        drop(code);
        let handler_end_label = self.label(Self::END);
        let exit = self.append_exit(value);
        // The label went to the exit with all others that were at the end.
        let start = self.label(first);
        self.add_region(Region {
            protected: Span { start, end: handler_start },
            handler: Span { start: handler_start, end: handler_end_label },
            kind,
        });
        self.lead_to(Opcode::LEAVE, &returning, &exit);
        Ok(Protected { exit, handler_end })
    }

    /// The `ret` instructions.
    pub(super) fn returning(&self) -> Result<Vec<InstrId>, Error> {
        let mut returning = Vec::new();
        for id in self.ids() {
            match self.instr(id).map(|instr| instr.opcode) {
                Some(Opcode::RET) => returning.push(id),
                Some(Opcode::JMP) => {
                    return Err(Error::il(self.original_offset(id).unwrap_or(0), ErrorKind::Jmp));
                }
                _ => {}
            }
        }
        Ok(returning)
    }

    /// Adds a local variable for the return value.
    pub(super) fn add_return_value<M: Module + ?Sized>(
        &mut self,
        returns: ReturnType<'_>,
        module: &M,
    ) -> Result<Option<u16>, Error> {
        returns.ty().map(|ty| self.add_local(ty, module)).transpose()
    }

    /// Appends code that returns.
    pub(super) fn append_exit(&mut self, value: Option<u16>) -> Exit {
        let mut code = self.insert_before(Self::END);
        let load = value.map(|value| code.insert(Instr::ldloc(value)));
        let ret = code.insert(Instr::new(Opcode::RET));
        Exit { begin: load.unwrap_or(ret), ret, value }
    }

    /// Replaces every `ret` by a branch to the exit.
    pub(super) fn lead_to(&mut self, branch: Opcode, returning: &[InstrId], exit: &Exit) {
        let label = self.label(exit.begin);
        for &id in returning {
            if let Some(value) = exit.value {
                self.insert_before(id).push(Instr::stloc(value));
            } else if let Some(previous) = self.previous(id) {
                self.remove_tail_prefix(previous);
            }
            self.replace(id, Instr::branch(branch, label));
        }
    }

    /// Returns the calls of the body: `call`, `callvirt`, `calli` and `newobj`, with the token of the called method.
    pub fn calls(&self) -> impl Iterator<Item = (InstrId, Token)> {
        self.ids().filter_map(|id| {
            let instr = self.instr(id).filter(|instr| instr.is_call())?;
            Some((id, instr.operand_token()?))
        })
    }

    /// The type of a call's `constrained.` prefix. The first argument of such a call is a reference to a value of this type.
    #[must_use]
    pub fn constraint(&self, call: InstrId) -> Option<Token> {
        let mut prefixes = self.prefixes(call).filter_map(|id| self.instr(id));
        prefixes.find(|instr| instr.opcode == Opcode::CONSTRAINED)?.operand_token()
    }

    /// Replaces a call by a call of a static method, and removes the prefixes.
    ///
    /// The method takes the same arguments, `this` among them. With a [`constraint`](Self::constraint), `this` is a reference
    /// to a value of that type. Returns the old instruction, or `None` if `call` is not a call.
    pub fn replace_call(&mut self, call: InstrId, method: impl Into<Token>) -> Option<Instr> {
        self.instr(call).filter(|instr| instr.is_call())?;
        let prefixes: Vec<InstrId> = self.prefixes(call).collect();
        for prefix in prefixes {
            self.remove(prefix);
        }
        self.replace(call, Instr::call(method))
    }
}
