//! Methods for which ReJIT must not be requested: some of the core library, and before .NET 5 those of modules that can be unloaded.
//!
//! Compiled code calls some methods as helpers of the JIT: for casts, static fields, block copies. Since .NET 9 the JIT asks for
//! the tier of such a helper's code, and the runtime crashes while a version of it is requested that has no code yet
//! (dotnet/runtime#112636). Before .NET 9 it crashes for methods that are inlined into stubs for marshalling, since it reports no
//! such inlining (dotnet/runtime#95653).
//!
//! .NET Core 3.1 writes a jump to the compilation over the start of the code of a requested method. For a method of a module that can be
//! unloaded it does so too, and then compiles nothing, since it has no versions of such code: a call of the method returns to its start for
//! ever. Later runtimes write no such jumps.
#![forbid(unsafe_code)]

use clrnames::metadata::Metadata as _;
use corprof_types::ModuleId;

use super::ProfilerInfo;
use super::rejit::ModuleMethod;
use crate::error::{Error, Result};
/// The module that has them.
const CORE: &str = "System.Private.CoreLib.dll";

/// The first major version whose JIT asks for the tier of a helper.
const FIRST_TO_ASK: u16 = 9;

/// The first major version that writes no jumps over the code of requested methods.
const FIRST_WITHOUT_JUMPS: u16 = 5;

/// Why a request is refused.
const NEEDS_HELPER: &str =
    "it crashes if the JIT needs one of the methods, a helper of its own, before it is compiled again";
const LOOPS: &str =
    "a call of one of the methods would not return: its module can be unloaded, and its code has no versions";

/// The types with helpers, and the beginnings of the helpers' names. All overloads are included, and the helpers of all versions of the
/// runtime.
const HELPERS: [(&str, &[&str]); 22] = [
    ("Internal.Runtime.CompilerHelpers.ThrowHelpers", &[""]),
    ("System.Array", &["Ctor"]),
    ("System.Buffer", &["BulkMove", "MemCopy", "Memmove", "Memcpy"]),
    ("System.Diagnostics.Debugger", &[""]),
    ("System.Math", &["ConvertTo", "DivInt", "DivUInt", "ModInt", "ModUInt", "MultiplyChecked"]),
    ("System.Runtime.CompilerServices.AsyncHelpers", &[""]),
    ("System.Runtime.CompilerServices.BoxingHelpers", &[""]),
    ("System.Runtime.CompilerServices.CastHelpers", &[""]),
    ("System.Runtime.CompilerServices.GenericsHelpers", &[""]),
    ("System.Runtime.CompilerServices.InitHelpers", &[""]),
    ("System.Runtime.CompilerServices.StaticsHelpers", &[""]),
    ("System.Runtime.CompilerServices.VirtualDispatchHelpers", &[""]),
    ("System.Runtime.EH", &[""]),
    ("System.RuntimeFieldHandle", &[""]),
    ("System.RuntimeFieldInfoStub", &[""]),
    ("System.RuntimeMethodHandle", &[""]),
    ("System.RuntimeMethodInfoStub", &[""]),
    ("System.RuntimeTypeHandle", &[""]),
    ("System.SpanHelpers", &["ClearWithout", "Fill", "Mem"]),
    ("System.Threading.Monitor", &["Synchronized"]),
    ("System.Threading.Thread", &["PollGC"]),
    ("System.TypedReference", &[""]),
];

/// The namespace of methods that are inlined into stubs for marshalling.
const STUB_HELPERS: &str = "System.StubHelpers.";

/// Returns whether a request for a method of the core library may crash the runtime.
fn is_dangerous(type_name: &str, method: &str, asks_for_tiers: bool) -> bool {
    let is_named = |names: &[&str]| names.iter().any(|name| method.starts_with(name));
    match asks_for_tiers {
        true => HELPERS.iter().any(|(of, names)| *of == type_name && is_named(names)),
        false => type_name.starts_with(STUB_HELPERS),
    }
}

impl ProfilerInfo {
    /// Returns whether ReJIT of a method may be requested.
    ///
    /// The runtime crashes if it is requested for some methods of `System.Private.CoreLib` which compiled code calls in another way than
    /// by its IL (dotnet/runtime#112636, #95653). On .NET Core 3.1 calls of methods of a module that can be unloaded do not return any more.
    /// [`request_rejit`](Self::request_rejit) refuses both.
    ///
    /// # Errors
    /// Any failure to read the names of the method and its type.
    pub fn may_request_rejit(&self, method: ModuleMethod) -> Result<bool> {
        Ok(self.danger_of(method)?.is_none())
    }

    /// What would happen after a request; `None` if it may be made.
    fn danger_of(&self, method: ModuleMethod) -> Result<Option<&'static str>> {
        if !self.is_core(method.module)? {
            return Ok(self.has_no_versions(method.module)?.then_some(LOOPS));
        }
        let metadata = self.metadata_rows(method.module)?;
        let props = metadata.method(method.method)?;
        let Some(class) = props.declaring_type else { return Ok(None) };
        let asks_for_tiers = self.runtime_info()?.major >= FIRST_TO_ASK;
        let is_dangerous = is_dangerous(&metadata.type_def(class)?.name, &props.name, asks_for_tiers);
        Ok(is_dangerous.then_some(NEEDS_HELPER))
    }

    /// Returns whether the methods of a module are not compiled again, and not called any more once that was requested.
    pub(super) fn has_no_versions(&self, module: ModuleId) -> Result<bool> {
        Ok(self.runtime_info()?.major < FIRST_WITHOUT_JUMPS && self.may_be_unloaded(module))
    }

    /// Refuses a request that would name such a method to the runtime.
    pub(super) fn refuse_dangerous(&self, call: &'static str, methods: &[ModuleMethod]) -> Result<()> {
        for method in methods {
            if let Some(why) = self.danger_of(*method)? {
                return Err(Error::Unsafe { call, why });
            }
        }
        Ok(())
    }

    /// Returns whether ReJIT of a method may be requested with its inliners.
    ///
    /// Since .NET 9 the runtime crashes if a method of `System.Private.CoreLib` is inlined into one that
    /// [must not be requested](Self::may_request_rejit). An attached profiler is not told what is inlined where, so that
    /// this returns `false` there for all methods of that module.
    /// [`request_rejit_with_inliners`](Self::request_rejit_with_inliners) refuses such methods, and
    /// [`request_rejit`](Self::request_rejit) takes them: the code into which they have been inlined stays as it is.
    ///
    /// # Errors
    /// Any failure to read the names of the method, its type, and those of its inliners.
    pub fn may_request_inliners(&self, method: ModuleMethod) -> Result<bool> {
        let ModuleMethod { module, method } = method;
        if self.runtime_info()?.major < FIRST_TO_ASK || !self.is_core(module)? {
            return Ok(true);
        }
        // Only the core library itself has helpers.
        let Ok(inliners) = self.precompiled_inliners(module, module, method) else { return Ok(false) };
        for inliner in inliners.methods {
            if !self.may_request_rejit(inliner)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses a request that would have the runtime find such a method among the inliners.
    pub(super) fn refuse_dangerous_inliners(
        &self,
        call: &'static str,
        methods: &[ModuleMethod],
    ) -> Result<()> {
        for method in methods {
            if !self.may_request_inliners(*method)? {
                let why = "it crashes if one of the methods is inlined into a helper of the JIT, which an attached profiler is not told; \
                           request it without its inliners";
                return Err(Error::Unsafe { call, why });
            }
        }
        Ok(())
    }

    fn is_core(&self, module: ModuleId) -> Result<bool> {
        Ok(self.module_info(module)?.file_name() == CORE)
    }
}

#[cfg(test)]
mod tests {
    use super::is_dangerous;

    #[test]
    fn what_is_refused_depends_on_the_runtime() {
        let casts = "System.Runtime.CompilerServices.CastHelpers";
        for (class, method, before_9, since_9) in [
            (casts, "ChkCastAny", false, true),
            ("System.SpanHelpers", "Memmove", false, true),
            ("System.SpanHelpers", "IndexOf", false, false),
            ("System.Math", "DivRem", false, false),
            ("System.StubHelpers.StubHelpers", "GetStubContext", true, false),
            ("System.Threading.Monitor", "Enter", false, false),
            ("System.String", "Concat", false, false),
        ] {
            assert_eq!(is_dangerous(class, method, false), before_9, "{class}.{method} before .NET 9");
            assert_eq!(is_dangerous(class, method, true), since_9, "{class}.{method} since .NET 9");
        }
    }
}
