//! References of a module to types of the core library.
//!
//! Programs are compiled against facades (`System.Runtime`, `netstandard`, `mscorlib`), which forward types to
//! `System.Private.CoreLib`. Which types a facade forwards differs from facade to facade.
#![forbid(unsafe_code)]

use corprof::clrnames::metadata::key_token;
use corprof::token::AssemblyRef;
use corprof::{AssemblyIdentity, Metadata, MetadataEmit, ModuleId, ProfilerInfo};
use sigparse::{ResolutionScope, TypeDefOrRef};

use crate::Result;

/// The name of the core library.
const CORE: &str = "System.Private.CoreLib";

/// The public key tokens of the framework's assemblies: the core library, `System.*`, `mscorlib`, `netstandard`.
const FRAMEWORK_KEYS: [[u8; 8]; 4] = [
    [0x7C, 0xEC, 0x85, 0xD7, 0xBE, 0xA7, 0x79, 0x8E],
    [0xB0, 0x3F, 0x5F, 0x7F, 0x11, 0xD5, 0x0A, 0x3A],
    [0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89],
    [0xCC, 0x7B, 0x13, 0xFF, 0xCD, 0x2D, 0xDD, 0x51],
];

/// The core library, seen from one module.
pub(crate) enum CoreLibrary {
    /// The module is the core library.
    Own,
    /// The module refers to it.
    Other {
        /// The assembly that the module has `System.Object` from, if it is not the core library itself, and its metadata if
        /// it is loaded.
        facade: Option<(AssemblyRef, Option<Metadata>)>,
        version: [u16; 4],
        key: [u8; 8],
    },
}

impl CoreLibrary {
    /// Finds out how a module refers to the core library.
    pub(crate) fn of(info: &ProfilerInfo, module: &Metadata) -> Result<Self> {
        if module.assembly()?.is_some_and(|assembly| assembly.name == CORE) {
            return Ok(Self::Own);
        }
        let (mut version, mut key) = ([0; 4], FRAMEWORK_KEYS[0]);
        if let Some(core) = loaded(info, CORE)? {
            let metadata = info.module_metadata(core)?;
            if let Some(assembly) = metadata.assembly()? {
                version = assembly.version;
                key = key_token(assembly.public_key).unwrap_or(key);
            }
        }
        let mut facade = None;
        for token in module.type_refs()? {
            let props = module.type_ref(token)?;
            if props.name == "System.Object"
                && let Some(ResolutionScope::AssemblyRef(assembly)) = props.scope
            {
                let name = module.assembly_ref(assembly)?.name;
                if name != CORE {
                    let metadata = loaded(info, &name)?.map(|id| info.module_metadata(id)).transpose()?;
                    facade = Some((assembly, metadata));
                }
                break;
            }
        }
        Ok(Self::Other { facade, version, key })
    }

    /// Finds a type of the core library by its name with the namespace, or adds a reference to it.
    pub(crate) fn ty(&self, emit: &MetadataEmit, name: &str) -> Result<Option<TypeDefOrRef>> {
        let metadata = emit.metadata();
        let Self::Other { facade, version, key } = self else {
            return Ok(metadata.find_type_def(name, None)?.map(TypeDefOrRef::TypeDef));
        };
        for assembly in metadata.assembly_refs()? {
            let props = metadata.assembly_ref(assembly)?;
            let key = key_token(props.public_key_or_token);
            if key.is_some_and(|key| FRAMEWORK_KEYS.contains(&key))
                && let Some(found) = metadata.find_type_ref(Some(assembly.into()), name)?
            {
                return Ok(Some(TypeDefOrRef::TypeRef(found)));
            }
        }
        if let Some((facade, Some(exported))) = facade
            && exported.find_exported_type(name, None)?.is_some()
        {
            return Ok(Some(TypeDefOrRef::TypeRef(emit.define_type_ref(*facade, name)?)));
        }
        let core = assembly_ref(emit, CORE, *version, key)?;
        Ok(Some(TypeDefOrRef::TypeRef(emit.define_type_ref(core, name)?)))
    }
}

/// Finds a reference to an assembly by its name, or adds one.
pub(crate) fn assembly_ref(
    emit: &MetadataEmit,
    name: &str,
    version: [u16; 4],
    key_token: &[u8],
) -> Result<AssemblyRef> {
    for token in emit.metadata().assembly_refs()? {
        if emit.metadata().assembly_ref(token)?.name == name {
            return Ok(token);
        }
    }
    let identity = AssemblyIdentity { name, version, culture: "", public_key_or_token: key_token, flags: 0 };
    Ok(emit.define_assembly_ref(&identity)?)
}

/// The loaded module with the manifest of an assembly, found by its file name.
fn loaded(info: &ProfilerInfo, name: &str) -> Result<Option<ModuleId>> {
    for module in info.modules()? {
        // A module that is being loaded has no information yet.
        let Ok(props) = info.module_info(module) else { continue };
        if props.file_name().strip_suffix(".dll").is_some_and(|stem| stem.eq_ignore_ascii_case(name)) {
            return Ok(Some(module));
        }
    }
    Ok(None)
}
