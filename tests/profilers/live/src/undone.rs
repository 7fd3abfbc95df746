//! The methods that `corprof` does not wrap because CoreCLR does not implement them: each is called as the interface declares it.
//!
//! Contract of the unsafe code here: the runtime's library exports `MetaDataGetDispenser` with the signature of `cor.h`,
//! and its interfaces have the methods of `cor.h`. Pointers are to locals, or null where nothing is read. The
//! metadata are new and used nowhere else.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::{NonNull, null, null_mut};

use corprof::{Error, HResult, Result};
use corprof_sys as sys;

use crate::facts::Facts;

type GetDispenser = unsafe extern "system" fn(sys::REFCLSID, sys::REFIID, *mut *mut c_void) -> sys::HRESULT;

/// New metadata, to be written to.
fn metadata() -> Result<NonNull<sys::IMetaDataEmit>> {
    let missing = || Error::other("the runtime's library does not export MetaDataGetDispenser");
    // SAFETY: names with a terminating zero; the library is there already, or the executable holds the runtime.
    let function = unsafe {
        let library = libc::dlopen(c"libcoreclr.so".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        let runtime = NonNull::new(library).or_else(|| NonNull::new(libc::dlopen(null(), libc::RTLD_LAZY)));
        runtime
            .and_then(|runtime| NonNull::new(libc::dlsym(runtime.as_ptr(), c"MetaDataGetDispenser".as_ptr())))
    };
    // SAFETY: by the contract.
    let get: GetDispenser = unsafe { core::mem::transmute(function.ok_or_else(missing)?.as_ptr()) };
    let (clsid, iid) = (sys::CLSID_CorMetaDataDispenser, sys::IID_IMetaDataDispenser);
    let mut dispenser = null_mut();
    // SAFETY: locals.
    let code = HResult(unsafe { get(&raw const clsid, &raw const iid, &raw mut dispenser) });
    let dispenser = NonNull::new(dispenser.cast::<sys::IMetaDataDispenser>())
        .ok_or_else(|| Error::other(format!("no dispenser: {code}")))?;
    let (clsid, iid) = (sys::CLSID_CLR_v2_MetaData, sys::IID_IMetaDataEmit2);
    let mut emit = null_mut();
    // SAFETY: a live interface, and locals.
    let code = HResult(unsafe {
        let this = dispenser.as_ptr();
        ((*(*this).lpVtbl).DefineScope)(this, &raw const clsid, 0, &raw const iid, &raw mut emit)
    });
    NonNull::new(emit.cast()).ok_or_else(|| Error::other(format!("no metadata: {code}")))
}

/// The result of each method.
pub(crate) fn answer() -> Result<String> {
    /// The global type, which always exists.
    const CLASS: u32 = 0x0200_0001;
    let (this, other) = (metadata()?.as_ptr(), metadata()?.as_ptr());
    let mut out = 0;
    let mut room = [0_u8; 64];
    // SAFETY: a live interface, whose vtable is read; the second version of it begins with the first, and the object
    // has both. A token, locals with their lengths, a path with a terminating zero.
    let codes = unsafe {
        let table = &*(*this).lpVtbl;
        let newer = this.cast::<sys::IMetaDataEmit2>();
        let deltas = &*(*newer).lpVtbl;
        [
            (
                "DefineSecurityAttributeSet",
                (table.DefineSecurityAttributeSet)(this, CLASS, null_mut(), 0, &raw mut out),
            ),
            // Of metadata that have no delta.
            ("ApplyEditAndContinue", (table.ApplyEditAndContinue)(this, other.cast())),
            ("GetDeltaSaveSize", (deltas.GetDeltaSaveSize)(newer, sys::cssAccurate, &raw mut out)),
            ("SaveDelta", (deltas.SaveDelta)(newer, NOWHERE.as_ptr(), 0)),
            ("SaveDeltaToStream", (deltas.SaveDeltaToStream)(newer, null_mut(), 0)),
            ("SaveDeltaToMemory", (deltas.SaveDeltaToMemory)(newer, room.as_mut_ptr().cast(), 64)),
            ("ResetENCLog", (deltas.ResetENCLog)(newer)),
        ]
    };
    let mut facts = Facts::of("undone");
    for (name, code) in codes {
        facts.say(name, HResult(code));
    }
    Ok(facts.finish())
}

/// A path at which no file can exist: `/dev/null/x`.
const NOWHERE: [u16; 12] = [0x2F, 0x64, 0x65, 0x76, 0x2F, 0x6E, 0x75, 0x6C, 0x6C, 0x2F, 0x78, 0];
