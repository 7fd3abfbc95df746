//! Events of exceptions.

use crate::runtime_events::layout::{flags, layout};
use crate::runtime_events::payload::Utf16;

flags! {
    /// Properties of a thrown exception.
    ExceptionFlags(u16) {
        /// It has an inner exception.
        HAS_INNER_EXCEPTION = 1,
        /// It is thrown while another one is handled.
        IS_NESTED = 2,
        /// It is thrown again.
        IS_RETHROWN = 4,
        /// The state of the process may be corrupted.
        IS_CORRUPTED_STATE = 8,
        /// It derives from `System.Exception`.
        IS_CLS_COMPLIANT = 16,
    }
}

layout! {
    /// `ExceptionThrown`.
    ExceptionThrown<'p> {
        /// The name of the class.
        type_name: Utf16<'p> = text;
        /// The message.
        message: Utf16<'p> = text;
        /// The address of the instruction that has thrown.
        address: u64 = pointer;
        /// The code.
        hresult: u32 = u32;
        /// Properties.
        flags: ExceptionFlags = u16;
    }
}

layout! {
    /// `ExceptionCatchStart`, `ExceptionFinallyStart` or `ExceptionFilterStart`: a handler begins.
    ExceptionHandling<'p> {
        /// The address of the handler.
        entry: u64 = u64;
        /// The method, an address in the runtime.
        method: u64 = u64;
        /// The name of the method.
        name: Utf16<'p> = text;
    }
}
