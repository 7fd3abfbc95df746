//! The profiler of the live tests.

use anyhow::Result;
use corprof_testkit::Profiler;

use crate::stated;

/// The class id of its library.
const CLSID: &str = "{5B0C3D0E-4B1A-4C55-8A57-0E3C7A1B9D21}";

/// The profiler `tests/profilers/live`, built first; or the library that `E2E_LIVE_LIBRARY` names.
///
/// # Errors
///
/// When it does not build.
pub fn profiler() -> Result<Profiler> {
    stated::profiler("live", CLSID)
}
