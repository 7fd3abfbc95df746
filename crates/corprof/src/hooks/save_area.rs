//! A guard against a defect of the runtime: asking for arguments damages them.
//!
//! On .NET Core 3.1 (Linux x86-64) `GetFunctionEnter3Info` writes over the saved `xmm0` and `xmm1` of a method
//! that also takes a struct in registers; when the hook returns, the method runs with zeros in place of its
//! first floating-point arguments. What the hook's stub has saved lies where the first word of the record
//! behind `COR_PRF_ELT_INFO` points to: a copy taken before the call and put back afterwards undoes the
//! damage. The arguments' addresses point into that area, so it is put back only when they have been read.
//!
//! Contract of the unsafe code here: `COR_PRF_ELT_INFO` is what the runtime passed to the running hook. The
//! area is the stub's, on the running thread's stack, above every frame of the hook: reading it is in bounds,
//! and nobody else writes it while the hook runs.
#![allow(unsafe_code)]

use corprof_sys as sys;

use crate::ProfilerInfo;

/// The length of the area in 8-byte words: the registers and the scratch space behind them.
const WORDS: usize = 40;

/// A copy of the area, put back on drop.
pub(super) struct SaveArea {
    area: *mut u64,
    saved: [u64; WORDS],
}

impl SaveArea {
    /// Saves the area, on a runtime that may damage it.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the enter or leave hook that is running, and the guard is dropped
    /// before that hook returns.
    pub(super) unsafe fn guard(info: &ProfilerInfo, elt: sys::COR_PRF_ELT_INFO) -> Option<Self> {
        if !cfg!(all(target_arch = "x86_64", unix)) || info.version() > NEWEST_DAMAGED || elt == 0 {
            return None;
        }
        // SAFETY: the record's first word points to the area, which is as long as is read here.
        unsafe {
            let area = core::ptr::with_exposed_provenance::<*mut u64>(elt).read();
            (!area.is_null()).then(|| Self { area, saved: area.cast::<[u64; WORDS]>().read() })
        }
    }
}

/// The newest `ICorProfilerInfo` of a runtime that is guarded: 3.1 has 11, 9.0 (measured, not damaged) has 15.
/// What lies between was not measured and is guarded too, since putting back what has not changed is harmless.
const NEWEST_DAMAGED: u8 = 14;

impl Drop for SaveArea {
    fn drop(&mut self) {
        // SAFETY: the hook is still running, so the area is where it was.
        unsafe { self.area.cast::<[u64; WORDS]>().write(self.saved) };
    }
}
