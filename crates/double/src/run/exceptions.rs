//! Exceptions: a search up the stack, then the unwinding (ECMA-335 I.12.4.2.5).

use corprof::EventMask;

use super::{Profilers, Session};
use crate::model::function_id;
use crate::site::{self, Site};
use crate::{Object, Value};

/// An exception that is being thrown. The calls that it leaves propagate it with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an exception goes on until it is caught: pass it on with `?`"]
pub struct Thrown {
    /// The exception object.
    pub exception: Object,
}

impl<P: Profilers> Session<'_, P> {
    /// Throws an object.
    ///
    /// The profiler gets the callbacks of the throw and of the search for a call that catches
    /// ([`Session::call_catching`]), from the innermost call of this thread outwards, and those of the unwinding when the
    /// exception leaves a call.
    ///
    /// ```
    /// # use corprof_double::{Runtime, Session, Thrown, Value};
    /// # fn fails<P: corprof::Profiler>(session: &Session<'_, P>) -> Result<Value, Thrown> {
    /// let message = session.string("no such item");
    /// let fields = [("_message", Value::Reference(Some(message)))];
    /// let exception = session.object(&session.runtime().exception(), &fields);
    /// Err(session.throw(exception))
    /// # }
    /// ```
    pub fn throw(&self, exception: Object) -> Thrown {
        if !self.wants(EventMask::EXCEPTIONS) {
            return Thrown { exception };
        }
        {
            let _site = site::enter(Site::Objects);
            self.callback.exception_thrown(self.runtime.address(exception));
        }
        for (function, catches) in self.functions_on_stack() {
            self.callback.search_function_enter(function);
            if catches {
                self.callback.search_catcher_found(function);
            }
            self.callback.search_function_leave();
            if catches {
                break;
            }
        }
        Thrown { exception }
    }

    /// The functions of the calls on this thread, the innermost first, and whether each catches.
    fn functions_on_stack(&self) -> Vec<(usize, bool)> {
        let model = self.model();
        let Some(thread) = model.current_thread() else { return Vec::new() };
        let found = model.stack(thread).filter_map(|index| {
            let frame = model.frames.get(index)?;
            Some((function_id(model.instances.get(frame.instance)?.function), frame.catches))
        });
        found.collect()
    }

    /// Unwinds a call, and runs its `finally` block.
    pub(super) fn unwound(&self, function: usize, finally: Option<impl FnOnce()>) {
        let tell = self.wants(EventMask::EXCEPTIONS);
        if tell {
            self.callback.unwind_function_enter(function);
        }
        if let Some(finally) = finally {
            if tell {
                self.callback.unwind_finally_enter(function);
            }
            finally();
            if tell {
                self.callback.unwind_finally_leave();
            }
        }
        if tell {
            self.callback.unwind_function_leave();
        }
    }

    /// Runs a `catch` block. The unwinding of the catching call begins and does not end.
    pub(super) fn caught(
        &self,
        function: usize,
        thrown: Thrown,
        handler: impl FnOnce(Object) -> Result<Value, Thrown>,
    ) -> Result<Value, Thrown> {
        let tell = self.wants(EventMask::EXCEPTIONS);
        if tell {
            self.callback.unwind_function_enter(function);
            let _site = site::enter(Site::Objects);
            self.callback.catcher_enter(function, self.runtime.address(thrown.exception));
        }
        let value = handler(thrown.exception)?;
        if tell {
            self.callback.catcher_leave();
        }
        Ok(value)
    }
}
