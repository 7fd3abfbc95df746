//! A method whose exceptions are seen, and leave it as before.
//!
//! A `catch` handler that rethrows would change what the program sees: stack traces and the text of a crash end at the handler,
//! and the filters of callers run after the handlers of callees. A filter that declines changes neither.

use sigparse::TypeSig;

use super::{Body, Exit, Inserter, Instr, InstrId, Region, RegionKind, Span};
use crate::error::{Error, ErrorKind};
use crate::module::Module;
use crate::opcode::Opcode;
use crate::returns::ReturnType;

/// A method whose exceptions are seen, without being caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Watched {
    /// The instructions that return from the method. They lie in no protected region, and run when the method returns only.
    pub exit: Exit,
    /// The local variable with the exception that is leaving the method.
    pub exception: u16,
    /// The last instruction of the handler.
    pub handler_end: InstrId,
}

impl Body {
    /// Has the method's exceptions seen: `handler` runs after each that leaves the method, and catches none.
    ///
    /// ```text
    /// .try { .try { the body; its ret: stloc value; leave EXIT }
    ///        filter { stloc exception; ldc.i4.0; endfilter } { pop; rethrow } }
    /// fault { handler; endfinally }
    /// EXIT: ldloc value; ret
    /// ```
    ///
    /// The filter stores the exception when it is thrown and declines it. So the search goes on in the callers before anything is unwound, and
    /// stack traces are the same. The fault handler runs when the frame is unwound, after the method's own handlers. An exception
    /// that nobody catches ends the process without it.
    ///
    /// `object` is the type of the variable with the exception, `object`. `handler` inserts the code of the fault handler and
    /// gets the number of that variable. Code for the entry is inserted [afterwards](Self::insert_at_entry) and lies outside of
    /// the regions, as code before [`exit`](Watched::exit) does.
    ///
    /// # Errors
    /// [`ErrorKind::Jmp`] and [`ErrorKind::TailCall`] if the method leaves by `jmp` or may leave by a call with the `tail.` prefix, and
    /// those of [`add_local`](Self::add_local). The body has not changed then, except for its variables.
    pub fn watch_exceptions<M: Module + ?Sized>(
        &mut self,
        object: TypeSig<'_>,
        returns: ReturnType<'_>,
        module: &M,
        handler: impl FnOnce(&mut Inserter<'_>, u16),
    ) -> Result<Watched, Error> {
        let Some(first) = self.first() else { return Err(Error::il(0, ErrorKind::CodeSize(0))) };
        let returning = self.returning()?;
        let is_tail = |id: &InstrId| self.instr(*id).is_some_and(|instr| instr.opcode == Opcode::TAIL);
        if let Some(tail) = self.ids().find(is_tail) {
            return Err(Error::il(self.original_offset(tail).unwrap_or(0), ErrorKind::TailCall));
        }
        let exception = self.add_local(object, module)?;
        let value = self.add_return_value(returns, module)?;
        // Regions that end with the code end before the filter.
        let mut code = self.insert_before(Self::END);
        let [filter, declined, fault] = [(); 3].map(|()| code.new_label());
        code.mark(filter);
        code.push(Instr::stloc(exception)).push(Instr::ldc_i4(0)).push(Instr::new(Opcode::ENDFILTER));
        // A filter has a handler, which is never run.
        code.mark(declined);
        code.push(Instr::new(Opcode::POP)).push(Instr::new(Opcode::RETHROW));
        code.mark(fault);
        handler(&mut code, exception);
        let handler_end = code.insert(Instr::new(Opcode::ENDFINALLY));
        drop(code);
        let end = self.label(Self::END);
        // The label goes to the exit with all others that are at the end.
        let exit = self.append_exit(value);
        let start = self.label(first);
        self.add_region(Region {
            protected: Span { start, end: filter },
            handler: Span { start: declined, end: fault },
            kind: RegionKind::Filter(filter),
        });
        self.add_region(Region {
            protected: Span { start, end: fault },
            handler: Span { start: fault, end },
            kind: RegionKind::Fault,
        });
        self.lead_to(Opcode::LEAVE, &returning, &exit);
        Ok(Watched { exit, exception, handler_end })
    }
}
