//! Making a library that the runtime can load.

/// Exports a profiler: the entry point that the runtime calls, for the class id that `CORECLR_PROFILER` will
/// name.
///
/// Use it once, in a library with `crate-type = ["cdylib"]`. Make a class id of your own; any GUID will do.
///
/// ```
/// use corprof::{EventMask, Profiler, ProfilerInfo, Result};
///
/// struct Loads;
///
/// impl Profiler for Loads {
///     fn initialize(info: &ProfilerInfo) -> Result<Self> {
///         info.set_event_mask(EventMask::MODULE_LOADS)?;
///         Ok(Loads)
///     }
/// }
///
/// corprof::export_profiler!(Loads, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}");
/// # fn main() {}
/// ```
///
/// A library may have several profilers, each with a class id of its own:
///
/// ```
/// # use corprof::{Profiler, ProfilerInfo, Result};
/// # struct Loads;
/// # struct Calls;
/// # impl Profiler for Loads {
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Loads) }
/// # }
/// # impl Profiler for Calls {
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Calls) }
/// # }
/// corprof::export_profiler!(
///     Loads, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}";
///     Calls, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A11}"
/// );
/// # fn main() {}
/// ```
///
/// A malformed class id does not compile:
///
/// ```compile_fail
/// # struct Loads;
/// # impl corprof::Profiler for Loads {
/// #     fn initialize(_: &corprof::ProfilerInfo) -> corprof::Result<Self> { Ok(Loads) }
/// # }
/// corprof::export_profiler!(Loads, "{3C5E0A5C}");
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_profiler {
    ($($profiler:ty, $clsid:expr);+ $(;)?) => {
        const _: () = {
            /// The entry point that the runtime looks for.
            ///
            /// # Safety
            /// As COM has it.
            #[allow(unsafe_code, non_snake_case)]
            #[unsafe(no_mangle)]
            unsafe extern "system" fn DllGetClassObject(
                requested: *const $crate::Guid,
                iid: *const $crate::Guid,
                out: *mut *mut ::core::ffi::c_void,
            ) -> i32 {
                let classes =
                    const { &[$($crate::__export::Class::of::<$profiler>($crate::Guid::parse($clsid))),+] };
                // SAFETY: the runtime passes what COM prescribes.
                unsafe { $crate::__export::get_class_object(classes, requested, iid, out) }
            }

            /// Whether the library may be unloaded: no, since hooks may still be running.
            #[allow(unsafe_code, non_snake_case)]
            #[unsafe(no_mangle)]
            extern "system" fn DllCanUnloadNow() -> i32 {
                $crate::HResult::S_FALSE.0
            }
        };
    };
}
