//! Rundown events: what is loaded when a session ends, and in some sessions when it begins.

use crate::runtime_events::layout::{Layout as _, layout};
use crate::runtime_events::loader::{AppDomain, Assembly, DomainModule, Module};
use crate::runtime_events::method::{IlToNativeMap, Method, VerboseMethod};
use crate::runtime_events::payload::{DecodeError, Reader, Utf16};

layout! {
    /// `RuntimeInformationStart`: the runtime.
    RuntimeInformation<'p> {
        skip u16;
        /// 1 for .NET Framework, 2 for .NET.
        sku: u16 = u16;
        skip u32;
        skip u32;
        /// The version of the runtime.
        major: u16 = u16;
        /// The second number of the version.
        minor: u16 = u16;
        /// The third number of the version.
        build: u16 = u16;
        /// The fourth number of the version.
        qfe: u16 = u16;
        /// The startup flags.
        startup_flags: u32 = u32;
        /// How the runtime was started.
        startup_mode: u8 = u8;
        /// The command line.
        command_line: Utf16<'p> = text;
        /// The id of the COM object that has started it, in the order of the text.
        com_object: [u8; 16] = guid;
        /// The path of the runtime.
        path: Utf16<'p> = text;
    }
}

/// A decoded event of [`RUNDOWN_PROVIDER`](crate::runtime_events::RUNDOWN_PROVIDER). Those of the beginning and of the end of a session are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RundownEvent<'p> {
    /// Code of a method.
    Method(Method),
    /// Code of a method, with names.
    VerboseMethod(VerboseMethod<'p>),
    /// The mapping of code to IL.
    IlToNativeMap(IlToNativeMap<'p>),
    /// A module and its application domain.
    DomainModule(DomainModule<'p>),
    /// A module.
    Module(Module<'p>),
    /// An assembly.
    Assembly(Assembly<'p>),
    /// An application domain.
    AppDomain(AppDomain<'p>),
    /// The runtime.
    Runtime(RuntimeInformation<'p>),
}

impl<'p> RundownEvent<'p> {
    /// Decodes the payload of an event of the rundown provider. `pointer` is the size of an address in bytes, 4 or 8. Returns
    /// `None` for an event that is not decoded.
    ///
    /// # Errors
    /// [`DecodeError`]: the payload is too short for the version.
    pub fn decode(
        id: u32,
        version: u32,
        payload: &'p [u8],
        pointer: usize,
    ) -> Result<Option<Self>, DecodeError> {
        let from = &mut Reader::new(payload, pointer);
        Ok(Some(match id {
            141 | 142 => Self::Method(Method::read(from, version)?),
            143 | 144 => Self::VerboseMethod(VerboseMethod::read(from, version)?),
            149 | 150 => Self::IlToNativeMap(IlToNativeMap::read(from, version)?),
            151 | 152 => Self::DomainModule(DomainModule::read(from, version)?),
            153 | 154 => Self::Module(Module::read(from, version)?),
            155 | 156 if version >= 1 => Self::Assembly(Assembly::read(from, version)?),
            157 | 158 if version >= 1 => Self::AppDomain(AppDomain::read(from, version)?),
            187 => Self::Runtime(RuntimeInformation::read(from, version)?),
            _ => return Ok(None),
        }))
    }
}
