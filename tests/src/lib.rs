//! The code that the end-to-end tests share: running C# programs under `calltrace`, reading the traces, and
//! comparing them with the documented format, with themselves and with the program's own report.
//!
//! `tests/README.md` describes the parts and how to add a case.

pub mod app;
pub mod balance;
pub mod command;
pub mod compare;
pub mod csharp;
pub mod differential;
pub mod engines;
pub mod errors;
pub mod interactive;
pub mod json;
pub mod libraries;
pub mod live;
pub mod packaged;
pub mod public_functions;
pub mod record;
pub mod runtimes;
pub mod schema;
pub mod stated;
pub mod traced;
pub mod values;

/// Whether everything is tested (`cargo xtask test --long`), not only the quick tests.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("CORPROF_TEST_LONG").is_some_and(|value| value == "1")
}

/// The examples of the documents compile.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/writing-a-profiler.md")]
    struct WritingAProfiler;
    #[doc = include_str!("../../crates/corprof/README.md")]
    struct Corprof;
}
