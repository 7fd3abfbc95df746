//! A profiler's library stays in memory when the runtime closes it.
//!
//! Contract of the unsafe code here: the library is built with `corprof`, which has no initialisers, and its entry point is
//! called as COM prescribes.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::fs;
use std::path::Path;
use std::ptr::{null, null_mut};

use anyhow::{Context as _, Result, ensure};
use corprof::Guid;

use crate::guests::guest;

/// The mappings of a library in this process.
pub(crate) fn mappings(process: u32, library: &Path) -> Result<Vec<String>> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps"))?;
    let name = library.file_name().and_then(|name| name.to_str()).context("a library without a name")?;
    Ok(maps.lines().filter(|line| line.ends_with(name)).map(str::to_owned).collect())
}

/// `DllGetClassObject`.
type Entry = unsafe extern "system" fn(*const Guid, *const Guid, *mut *mut c_void) -> i32;

static IID_ICLASSFACTORY: Guid = Guid::parse("00000001-0000-0000-C000-000000000046");

/// This needs no runtime: the threads of a program often keep a library that has thread-local variables with destructors
/// in memory, and no code of this library has run here.
#[test]
fn a_loaded_profiler_library_is_never_unmapped() -> Result<()> {
    let guest = guest()?;
    // A copy, since another test may have the library open.
    let copy = corprof_testkit::launch::scratch("mapped")?.join("libmapped.so");
    fs::copy(&guest.library, &copy)?;
    let clsid = guest.clsid;
    let path = CString::new(copy.to_str().context("a path")?)?;
    let mapped = || mappings(std::process::id(), &copy);
    for ask in [false, true] {
        // SAFETY: a library built with `corprof`; its entry point, with pointers as COM prescribes; a handle is closed once.
        unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
            ensure!(!library.is_null(), "cannot be opened");
            let entry = libc::dlsym(library, c"DllGetClassObject".as_ptr());
            ensure!(!entry.is_null(), "has no entry point");
            let entry: Entry = std::mem::transmute::<*mut c_void, Entry>(entry);
            let mut factory = null_mut();
            let requested = if ask { &raw const clsid } else { null() };
            let code = entry(requested, &raw const IID_ICLASSFACTORY, &raw mut factory);
            ensure!((code == 0) == ask && factory.is_null() != ask, "{code:#x}");
            ensure!(!mapped()?.is_empty(), "an open library is not mapped");
            ensure!(libc::dlclose(library) == 0, "cannot be closed");
        }
        ensure!(mapped()?.is_empty() != ask, "asked: {ask}, mapped: {:#?}", mapped()?);
    }
    Ok(())
}
