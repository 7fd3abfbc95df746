//! Events of modules, assemblies and types.

use crate::layout::layout;
use crate::payload::Utf16;

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
