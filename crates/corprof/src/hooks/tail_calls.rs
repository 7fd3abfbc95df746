//! A guard against a defect of the runtime: a tailcall hook costs the program the upper parts of its vectors.
//!
//! Where optimised code ends a method with a tail call, it may have a vector of 16, 32 or 64 bytes in `xmm0` or
//! `xmm1` while it calls the tailcall hook. The stub that calls a hook with info keeps 8 bytes of each (.NET 9.0,
//! Linux x86-64) or 16 (.NET Core 3.1). `System.Text.Ascii.ExtractAsciiVector` is such a method: with everything
//! hooked, every fourth 8 bytes of the text that a program wrote were zeros.
//!
//! There is no way around the stub: the runtime does not take a hook without info for tail calls beside hooks with
//! info for the rest, and when the hook is called the upper parts are lost already. Nor can the compiler be told
//! to make no tail calls: .NET 9.0 has read that setting before it loads a profiler. Code that is not optimised
//! keeps nothing in these registers across the hook, and makes tail calls only of those that have to be ones.

use crate::error::Result;
use crate::event_mask::EventMask;
use crate::runtime::ProfilerInfo;

/// Has code compiled without optimisations, where optimised code would be damaged. To be called while the profiler
/// is initialised.
pub(super) fn guard(info: &ProfilerInfo) -> Result<()> {
    if !cfg!(all(target_arch = "x86_64", unix)) {
        return Ok(());
    }
    info.add_to_event_mask(EventMask::DISABLE_OPTIMIZATIONS)
}
