//! Events of modules, assemblies and types.

use crate::runtime_events::layout::{layout, values};
use crate::runtime_events::payload::Utf16;

layout! {
    /// `ModuleLoad` or `ModuleUnload`.
    Module<'p> {
        /// The module, an address in the runtime.
        module: u64 = u64;
        /// The assembly, an address in the runtime.
        assembly: u64 = u64;
        /// Bits: 1 domain neutral, 2 native, 4 dynamic, 8 manifest, 16 IBC optimized, 32 ReadyToRun.
        flags: u32 = u32;
        skip u32;
        /// The file with the IL.
        il_path: Utf16<'p> = text;
        /// The file with precompiled code, if that is another one.
        native_path: Utf16<'p> = text;
        skip u16 since 1;
        /// The id of the PDB file, in the order of the text. Since version 2.
        pdb_signature: [u8; 16] = guid since 2;
        /// The age of the PDB file. Since version 2.
        pdb_age: u32 = u32 since 2;
        /// The path of the PDB file when it was built. Since version 2.
        pdb_path: Utf16<'p> = text since 2;
    }
}

layout! {
    /// `DomainModuleLoad`.
    DomainModule<'p> {
        /// The module, an address in the runtime.
        module: u64 = u64;
        /// The assembly, an address in the runtime.
        assembly: u64 = u64;
        /// The application domain.
        app_domain: u64 = u64;
        /// The flags of [`Module::flags`].
        flags: u32 = u32;
        skip u32;
        /// The file with the IL.
        il_path: Utf16<'p> = text;
        /// The file with precompiled code, if that is another one.
        native_path: Utf16<'p> = text;
    }
}

layout! {
    /// `AssemblyLoad` or `AssemblyUnload`.
    Assembly<'p> {
        /// The assembly, an address in the runtime.
        assembly: u64 = u64;
        /// The application domain.
        app_domain: u64 = u64;
        /// The binder.
        binding: u64 = u64;
        /// Bits: 1 domain neutral, 2 dynamic, 4 native, 8 collectible, 16 ReadyToRun.
        flags: u32 = u32;
        /// The full name.
        name: Utf16<'p> = text;
    }
}

layout! {
    /// `AppDomainLoad` or `AppDomainUnload`.
    AppDomain<'p> {
        /// The application domain.
        app_domain: u64 = u64;
        /// Bits: 1 default, 2 executable, 4 shared.
        flags: u32 = u32;
        /// The name.
        name: Utf16<'p> = text;
        /// The number of the application domain.
        index: u32 = u32;
    }
}

layout! {
    /// `AssemblyLoadStart`: an assembly is looked for.
    AssemblyLoadStart<'p> {
        skip u16;
        /// The name that is looked for.
        name: Utf16<'p> = text;
        /// The path that is looked for, if a path was given.
        path: Utf16<'p> = text;
        /// The assembly that needs it.
        requesting_assembly: Utf16<'p> = text;
        /// The load context that looks for it.
        context: Utf16<'p> = text;
        /// The load context of the assembly that needs it.
        requesting_context: Utf16<'p> = text;
    }
}

layout! {
    /// `AssemblyLoadStop`.
    AssemblyLoadStop<'p> {
        skip u16;
        /// The name that was looked for.
        name: Utf16<'p> = text;
        /// The path that was looked for, if a path was given.
        path: Utf16<'p> = text;
        /// The assembly that needs it.
        requesting_assembly: Utf16<'p> = text;
        /// The load context that looked for it.
        context: Utf16<'p> = text;
        /// The load context of the assembly that needs it.
        requesting_context: Utf16<'p> = text;
        /// Whether it was found.
        is_found: bool = bool;
        /// The full name of the found one.
        found_name: Utf16<'p> = text;
        /// The path of the found one.
        found_path: Utf16<'p> = text;
        /// Whether it had been found before.
        is_cached: bool = bool;
    }
}

layout! {
    /// `TypeLoadStart`.
    TypeLoadStart {
        /// The same as that of the end.
        id: u32 = u32;
    }
}

layout! {
    /// `TypeLoadStop`.
    TypeLoadStop<'p> {
        /// The same as that of the start.
        id: u32 = u32;
        skip u16;
        /// The level that the type has reached.
        level: u16 = u16;
        /// The type, an address in the runtime.
        type_id: u64 = u64;
        /// The name of the type.
        name: Utf16<'p> = text;
    }
}

values! {
    /// A way to find an assembly.
    ResolutionStage(u16) {
        /// Among the loaded ones of the load context.
        LOADED = 0,
        /// `AssemblyLoadContext.Load`.
        LOAD_METHOD = 1,
        /// The assemblies of the application.
        APPLICATION = 2,
        /// The default load context.
        DEFAULT_CONTEXT = 3,
        /// The folder of a satellite assembly.
        SATELLITE = 4,
        /// Handlers of `AssemblyLoadContext.Resolving`.
        RESOLVING_EVENT = 5,
        /// Handlers of `AppDomain.AssemblyResolve`.
        ASSEMBLY_RESOLVE_EVENT = 6,
    }
}

values! {
    /// Whether a way has found an assembly.
    ResolutionResult(u16) {
        /// It has.
        SUCCESS = 0,
        /// It has found none.
        NOT_FOUND = 1,
        /// The version is too low.
        INCOMPATIBLE_VERSION = 2,
        /// The name is another one.
        MISMATCHED_NAME = 3,
        /// It has failed.
        FAILURE = 4,
        /// It has thrown an exception.
        EXCEPTION = 5,
    }
}

layout! {
    /// `ResolutionAttempted`: a way to find an assembly was tried.
    ResolutionAttempt<'p> {
        skip u16;
        /// The name that is looked for.
        name: Utf16<'p> = text;
        /// The way.
        stage: ResolutionStage = u16;
        /// The load context.
        context: Utf16<'p> = text;
        /// Whether it was found.
        result: ResolutionResult = u16;
        /// The full name of the found one.
        found_name: Utf16<'p> = text;
        /// The path of the found one.
        found_path: Utf16<'p> = text;
        /// The message of the error or of the exception.
        error: Utf16<'p> = text;
    }
}

layout! {
    /// `AssemblyLoadContextResolvingHandlerInvoked`: a handler of `AssemblyLoadContext.Resolving` was called.
    ContextHandler<'p> {
        skip u16;
        /// The name that is looked for.
        name: Utf16<'p> = text;
        /// The name of the handler.
        handler: Utf16<'p> = text;
        /// The load context.
        context: Utf16<'p> = text;
        /// The full name of the found one.
        found_name: Utf16<'p> = text;
        /// The path of the found one.
        found_path: Utf16<'p> = text;
    }
}

layout! {
    /// `AppDomainAssemblyResolveHandlerInvoked`: a handler of `AppDomain.AssemblyResolve` was called.
    AppDomainHandler<'p> {
        skip u16;
        /// The name that is looked for.
        name: Utf16<'p> = text;
        /// The name of the handler.
        handler: Utf16<'p> = text;
        /// The full name of the found one.
        found_name: Utf16<'p> = text;
        /// The path of the found one.
        found_path: Utf16<'p> = text;
    }
}

layout! {
    /// `AssemblyLoadFromResolveHandlerInvoked`: the runtime's own handler for assemblies of `Assembly.LoadFrom` was called.
    LoadFromHandler<'p> {
        skip u16;
        /// The name that is looked for.
        name: Utf16<'p> = text;
        /// Whether `Assembly.LoadFrom` has loaded the assembly that needs it.
        is_tracked: bool = bool;
        /// The path of the assembly that needs it.
        requesting_path: Utf16<'p> = text;
        /// The path that is looked for.
        path: Utf16<'p> = text;
    }
}

values! {
    /// Where a path of an assembly comes from.
    PathSource(u16) {
        /// The list of the application's assemblies.
        APPLICATION = 0,
        /// The folders of the application.
        APPLICATION_FOLDERS = 2,
        /// The folders of satellite assemblies.
        RESOURCE_ROOTS = 3,
        /// The folder of a culture.
        SATELLITE = 4,
    }
}

layout! {
    /// `KnownPathProbed`: a path was tried for an assembly.
    PathProbe<'p> {
        skip u16;
        /// The path.
        path: Utf16<'p> = text;
        /// Where the path comes from.
        source: PathSource = u16;
        /// The HRESULT: 0 if there is an assembly.
        hresult: u32 = u32;
    }
}
