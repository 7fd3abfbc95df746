//! From the inserted code to the tracer.

use std::sync::Arc;

use corprof::{
    ClassId, InsertedCalls, InsertedEnter, InsertedHooks, InsertedReturn, InsertedThrow, LastError, ObjectId,
    Result,
};

use crate::calls::Calls;
use crate::ended::End;
use crate::function::Function;
use crate::inserted::InsertedFunction;
use crate::limits::MAX_BASES;
use crate::shape::Inserted;
use crate::source::{InsertedEnd, Words};
use crate::tracer::CallTracer;

/// The exception that the runtime throws for an object which is none.
const WRAPPED: &str = "System.Runtime.CompilerServices.RuntimeWrappedException";

impl<T: CallTracer> InsertedHooks for Calls<T> {
    type Method = InsertedFunction<T>;

    fn installed(&self, hooks: InsertedCalls<Self>) {
        self.installed_inserted(hooks);
    }

    #[inline(always)]
    fn entered(&self, method: &InsertedFunction<T>, call: &InsertedEnter<'_>) {
        let Some((function, shape)) = method.ready() else { return };
        let words = call.words;
        self.begin(
            function,
            call.frame,
            Words(words),
            #[inline(always)]
            move || Inserted { words, shape },
        );
    }

    #[inline(always)]
    fn returned(&self, method: &InsertedFunction<T>, call: &InsertedReturn<'_>) {
        let Some((function, shape)) = method.ready() else { return };
        let end = InsertedEnd { frame: call.frame, word: call.word, shape };
        self.end(
            function,
            Some(call.frame),
            end,
            #[inline(always)]
            move || end,
        );
    }

    fn threw(&self, method: &InsertedFunction<T>, call: &InsertedThrow<'_>) {
        if let Some((function, _)) = method.ready() {
            self.threw_inserted(function, call.frame, call.exception);
        }
    }
}

impl<T: CallTracer> Calls<T> {
    /// An exception has left a call.
    #[cold]
    #[inline(never)]
    fn threw_inserted(&self, function: &Function<T>, frame: usize, exception: Option<ObjectId<'_>>) {
        if function.is_limited() && self.is_omitted(frame) {
            return;
        }
        let _kept = LastError::keep();
        self.with_thread(|thread| {
            let Some(open) = self.pop(thread, function, Some(frame)) else { return };
            let class = exception.and_then(|exception| self.names().info().class_of_object(exception).ok());
            let name = class.and_then(|class| self.exception_name(class).ok());
            let name = name.unwrap_or_else(|| "System.Exception".into());
            self.ended(thread, open, End::Threw(&name));
        });
    }

    /// The name of a class that was thrown. If it is none of exceptions, the name of the exception that the runtime throws in its place: a
    /// filter of an assembly without `RuntimeCompatibilityAttribute.WrapNonExceptionThrows` gets what is in it.
    fn exception_name(&self, class: ClassId) -> Result<Arc<str>> {
        let Some(methods) = &self.inserted else { return self.names().class(class) };
        methods.exceptions.get_or_find(class, || {
            let mut base = Some(class);
            for _ in 0..MAX_BASES {
                let Some(next) = base else { return Ok(WRAPPED.into()) };
                if &*self.names().class(next)? == "System.Exception" {
                    return self.names().class(class);
                }
                base = self.names().info().class_info(next)?.parent;
            }
            self.names().class(class)
        })
    }
}
