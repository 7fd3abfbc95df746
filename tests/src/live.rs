//! The profiler of the live tests.

use std::path::Path;

use anyhow::{Context as _, Result};
use xtask::profiler::Profiler;

/// The class that its library has.
const CLSID: &str = "{5B0C3D0E-4B1A-4C55-8A57-0E3C7A1B9D21}";

/// The profiler `tests/profilers/live`, built first; or the library that `E2E_LIVE_LIBRARY` names.
///
/// # Errors
///
/// When it does not build.
pub fn profiler() -> Result<Profiler> {
    let clsid = CLSID.parse().map_err(anyhow::Error::msg).context("the class id of the live profiler")?;
    let library = match std::env::var_os("E2E_LIVE_LIBRARY") {
        Some(library) => library.into(),
        None => xtask::example::build_library("live", false)?,
    };
    Ok(Profiler::new(Path::new(&library), clsid))
}
