//! The methods that take and write values, lists and texts: one line for each.
//!
//! Contract of the unsafe code here: that of [`super`]. Each line states the parameters of its method in their order, and what
//! they mean: a `&mut` place is written, a `&` list is read, `len` is the number of elements of a list.
#![allow(unsafe_code)]

use corprof_sys as sys;
use corprof_types::{
    AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId, FunctionId, Guid, HResult,
    ModuleId, ObjectId, ReJitId, ThreadId,
};
use sigparse::{FieldDef, MethodDef};
use widestring::{U16CStr, U16CString};

use super::event_pipe::{AliveProvider, OnChange};
use super::{Info, Work, call, name};
use crate::error::{Error, Result};
use crate::raw::abi::{
    About, Address, BytesAddress, Handle, Pass, RawEventData, RawParameter, RawProviderConfig, Returned,
    Written,
};
use crate::raw::buffers::{fill, room_of};
use crate::raw::call::checked;
use crate::raw::data::{CodeRegion, GenerationRange, IlToNativeMapEntry, NativeCodeStart, NonGcHeapRange};
use crate::raw::evidence::{FrameInfo, FrozenObject};
use crate::raw::interface::{
    FunctionEnumPtr, ImportPtr, MallocPtr, MethodEnumPtr, ModuleEnumPtr, ObjectEnumPtr, ThreadEnumPtr,
};

/// The result of a method.
type Value<T> = T;
/// The result of a method that returns `S_FALSE` for "there is none".
type Found<T> = Option<T>;

/// Declares methods that return values: how unloads wait for the call, its class (see `call!`), the arguments, the
/// results, the COM method. It takes the arguments first and the places of the results after them.
macro_rules! methods {
    (@ Value $code:expr, $value:expr) => {{
        let _: HResult = $code;
        $value
    }};
    (@ Found $code:expr, $value:expr) => {
        if $code == HResult::S_FALSE { None } else { Some($value) }
    };
    ($($work:ident $class:ident fn $name:ident($($arg:ident: $ty:ty),*) -> $kind:ident($($out:ident: $result:ty),*)
        = $interface:ident::$method:ident;)*) => {
        impl Info {$(
            #[allow(unused_parens, reason = "one result stands in parentheses too")]
            pub(crate) fn $name(&self, $(mut $arg: $ty),*) -> Result<$kind<($($result),*)>> {
                let _alive = ($(self.about(name!($interface::$method), Work::$work, &$arg)?,)*);
                $(let $arg = Pass::pass(&mut $arg);)*
                $(let mut $out = <<$result as Returned>::Written as Written>::EMPTY;)*
                // SAFETY: values, and locals; see the contract of the folder.
                let code = unsafe {
                    call!(self, $class $interface::$method($($arg,)* $(Pass::pass(&mut &mut $out)),*))
                }?;
                $(let $out = <$result as Returned>::of($out);)*
                Ok(methods!(@ $kind code, ($($out),*)))
            }
        )*}
    };
}

methods! {
    Call Reads fn class_of_object(object: ObjectId<'_>) -> Value(class: Option<ClassId>) = ICorProfilerInfo::GetClassFromObject;
    Call Reads fn event_mask_low() -> Value(low: u32) = ICorProfilerInfo::GetEventMask;
    Call Proxied fn function_from_ip(ip: Address) -> Value(function: Option<FunctionId>) = ICorProfilerInfo::GetFunctionFromIP;
    Call Reads fn thread_handle(thread: ThreadId) -> Value(handle: Address) = ICorProfilerInfo::GetHandleFromThread;
    Call Proxied fn array_class(class: ClassId) -> Found(element: sys::CorElementType, class_of_element: Option<ClassId>, rank: u32) = ICorProfilerInfo::IsArrayClass;
    Call Reads fn os_thread_id(thread: ThreadId) -> Value(id: u32) = ICorProfilerInfo::GetThreadInfo;
    Call Reads fn current_thread() -> Value(thread: Option<ThreadId>) = ICorProfilerInfo::GetCurrentThreadID;
    Call Reads fn set_event_mask_low(low: u32) -> Value() = ICorProfilerInfo::SetEventMask;
    Lookup Reads fn il_allocator(module: ModuleId) -> Value(allocator: Option<MallocPtr>) = ICorProfilerInfo::GetILFunctionBodyAllocator;
    Call OnOwnThread fn force_gc() -> Value() = ICorProfilerInfo::ForceGC;

    Lookup Reads fn module_frozen_objects(module: ModuleId) -> Value(list: Option<ObjectEnumPtr>) = ICorProfilerInfo2::EnumModuleFrozenObjects;
    Call Proxied fn box_layout(class: ClassId) -> Value(offset: u32) = ICorProfilerInfo2::GetBoxClassLayout;
    Call Reads fn thread_app_domain(thread: ThreadId) -> Value(domain: Option<AppDomainId>) = ICorProfilerInfo2::GetThreadAppDomain;
    Lookup Reads fn rva_static_address(class: ClassId, field: FieldDef) -> Value(address: Address) = ICorProfilerInfo2::GetRVAStaticAddress;
    Lookup Reads fn app_domain_static_address(class: ClassId, field: FieldDef, domain: AppDomainId) -> Value(address: Address) = ICorProfilerInfo2::GetAppDomainStaticAddress;
    Lookup Reads fn static_field_kind(class: ClassId, field: FieldDef) -> Value(kind: sys::COR_PRF_STATIC_TYPE) = ICorProfilerInfo2::GetStaticFieldInfo;
    Call Reads fn object_generation(object: ObjectId<'_>) -> Value(range: GenerationRange) = ICorProfilerInfo2::GetObjectGeneration;
    Call Reads fn exception_clause() -> Found(clause: sys::COR_PRF_EX_CLAUSE_INFO) = ICorProfilerInfo2::GetNotifiedExceptionClauseInfo;

    Call Collects fn request_detach(milliseconds: u32) -> Value() = ICorProfilerInfo3::RequestProfilerDetach;
    Call Proxied fn string_layout() -> Value(length: u32, buffer: u32) = ICorProfilerInfo3::GetStringLayout2;
    Call Collects fn modules() -> Value(list: Option<ModuleEnumPtr>) = ICorProfilerInfo3::EnumModules;
    Lookup Reads fn thread_static_address(class: ClassId, field: FieldDef, domain: AppDomainId, thread: ThreadId) -> Value(address: Address) = ICorProfilerInfo3::GetThreadStaticAddress2;

    Call ListsThreads fn threads() -> Value(list: Option<ThreadEnumPtr>) = ICorProfilerInfo4::EnumThreads;
    Call Reads fn initialize_current_thread() -> Value() = ICorProfilerInfo4::InitializeCurrentThread;
    Call Collects fn jitted_functions() -> Value(list: Option<FunctionEnumPtr>) = ICorProfilerInfo4::EnumJITedFunctions2;
    Call Reads fn object_size(object: ObjectId<'_>) -> Value(size: usize) = ICorProfilerInfo4::GetObjectSize2;

    Call Reads fn event_mask() -> Value(low: u32, high: u32) = ICorProfilerInfo5::GetEventMask2;
    Call Reads fn set_event_mask(low: u32, high: u32) -> Value() = ICorProfilerInfo5::SetEventMask2;

    Lookup Collects fn precompiled_inliners(inliners: ModuleId, module: ModuleId, method: MethodDef) -> Value(incomplete: bool, list: Option<MethodEnumPtr>) = ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod;

    Lookup Collects fn apply_metadata(module: ModuleId) -> Value() = ICorProfilerInfo7::ApplyMetaData;
    Lookup Reads fn in_memory_symbols_length(module: ModuleId) -> Found(length: u32) = ICorProfilerInfo7::GetInMemorySymbolsLength;

    Call Proxied fn is_function_dynamic(function: FunctionId) -> Value(dynamic: bool) = ICorProfilerInfo8::IsFunctionDynamic;
    Call Reads fn function_version_from_ip(ip: Address) -> Value(function: Option<FunctionId>, rejit: Option<ReJitId>) = ICorProfilerInfo8::GetFunctionFromIP3;

    Call Reads fn is_frozen_object(object: ObjectId<'_>) -> Value(frozen: bool) = ICorProfilerInfo10::IsFrozenObject;
    Call Reads fn large_object_threshold() -> Value(threshold: u32) = ICorProfilerInfo10::GetLOHObjectSizeThreshold;
    Call Unlocked fn suspend_runtime() -> Value() = ICorProfilerInfo10::SuspendRuntime;
    Call Reads fn resume_runtime() -> Value() = ICorProfilerInfo10::ResumeRuntime;

    Call Unlocked fn stop_session(session: u64) -> Value() = ICorProfilerInfo12::EventPipeStopSession;

    Call Reads fn create_handle(object: ObjectId<'_>, kind: sys::COR_PRF_HANDLE_TYPE) -> Value(handle: Option<Handle>) = ICorProfilerInfo13::CreateHandle;
    Call Reads fn destroy_handle(handle: Handle) -> Value() = ICorProfilerInfo13::DestroyHandle;

    Call Reads fn non_gc_objects() -> Value(list: Option<ObjectEnumPtr>) = ICorProfilerInfo14::EnumerateNonGCObjects;
}

/// A parameter of a COM method in the tables.
macro_rules! parameter {
    (len $list:ident) => {
        room_of(&*$list)
    };
    (null) => {
        core::ptr::null_mut()
    };
    (zero) => {
        0
    };
    ($value:ident) => {
        Pass::pass(&mut $value)
    };
}

/// Declares methods with places for what they write: how unloads wait for the call, its class, the arguments, and the
/// parameters of the COM method.
macro_rules! calls {
    ($($work:ident $class:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        = $interface:ident::$method:ident($($first:ident $($second:ident)?),* $(,)?);)*) => {
        #[allow(clippy::too_many_arguments, reason = "the COM methods have as many")]
        impl Info {$(
            pub(super) fn $name(&self, $(mut $arg: $ty),*) -> Result<HResult> {
                let _alive = ($(self.about(name!($interface::$method), Work::$work, &$arg)?,)*);
                // SAFETY: values; lists, texts and places that are borrowed until the call returns, with their length.
                unsafe { call!(self, $class $interface::$method($(parameter!($first $($second)?)),*)) }
            }
        )*}
    };
}

calls! {
    Call Proxied fn get_class_info(
        class: ClassId, module: &mut Option<ModuleId>, type_def: &mut u32, parent: &mut Option<ClassId>,
        args: &mut [Option<ClassId>], count: &mut u32,
    ) = ICorProfilerInfo2::GetClassIDInfo2(class, module, type_def, parent, len args, count, args);
    Call Proxied fn count_class_fields(class: ClassId, count: &mut u32, size: &mut u32)
        = ICorProfilerInfo2::GetClassLayout(class, null, zero, count, size);
    Call Proxied fn get_class_layout(
        class: ClassId, fields: &mut [sys::COR_FIELD_OFFSET], count: &mut u32, size: &mut u32,
    ) = ICorProfilerInfo2::GetClassLayout(class, fields, len fields, count, size);

    Call Proxied fn get_function_info(
        function: FunctionId, class: &mut Option<ClassId>, module: &mut Option<ModuleId>, token: &mut u32,
    ) = ICorProfilerInfo2::GetFunctionInfo2(function, zero, class, module, token, zero, null, null);
    Call Proxied fn get_function_instance(
        function: FunctionId, frame: Option<FrameInfo<'_>>, class: &mut Option<ClassId>, module: &mut Option<ModuleId>,
        token: &mut u32, args: &mut [Option<ClassId>], count: &mut u32,
    ) = ICorProfilerInfo2::GetFunctionInfo2(function, frame, class, module, token, len args, count, args);
    Lookup Reads fn get_function_metadata(function: FunctionId, iid: ImportIid, import: &mut Option<ImportPtr>, token: &mut u32)
        = ICorProfilerInfo::GetTokenAndMetaDataFromFunction(function, iid, import, token);

    Lookup Proxied fn get_module_info(
        module: ModuleId, base: &mut BytesAddress, path: &mut [u16], length: &mut u32, assembly: &mut Option<AssemblyId>,
        flags: &mut u32,
    ) = ICorProfilerInfo3::GetModuleInfo2(module, base, len path, length, path, assembly, flags);
    Lookup Proxied fn get_assembly_info(
        assembly: AssemblyId, name: &mut [u16], length: &mut u32, domain: &mut Option<AppDomainId>,
        module: &mut Option<ModuleId>,
    ) = ICorProfilerInfo::GetAssemblyInfo(assembly, len name, length, name, domain, module);
    Lookup Reads fn get_app_domain_info(domain: AppDomainId, name: &mut [u16], length: &mut u32, process: &mut usize)
        = ICorProfilerInfo::GetAppDomainInfo(domain, len name, length, name, process);
    Lookup Reads fn get_in_memory_symbols(module: ModuleId, symbols: &mut [u8], read: &mut u32)
        = ICorProfilerInfo7::ReadInMemorySymbols(module, zero, symbols, len symbols, read);

    Call Reads fn get_runtime_info(
        instance: &mut u16, runtime_type: &mut sys::COR_PRF_RUNTIME_TYPE, major: &mut u16, minor: &mut u16,
        build: &mut u16, qfe: &mut u16, version: &mut [u16], length: &mut u32,
    ) = ICorProfilerInfo3::GetRuntimeInformation(
        instance, runtime_type, major, minor, build, qfe, len version, length, version
    );
    Call Reads fn get_environment_variable(name: &U16CStr, value: &mut [u16], length: &mut u32)
        = ICorProfilerInfo11::GetEnvironmentVariableA(name, len value, length, value);
    Call Reads fn put_environment_variable(name: &U16CStr, value: Option<&U16CString>)
        = ICorProfilerInfo11::SetEnvironmentVariableA(name, value);

    Call Unlocked fn start_session(configs: &[RawProviderConfig<'_>], rundown: bool, session: &mut u64)
        = ICorProfilerInfo12::EventPipeStartSession(len configs, configs, rundown, session);
    Call Unlocked fn add_provider(session: u64, config: RawProviderConfig<'_>)
        = ICorProfilerInfo12::EventPipeAddProviderToSession(session, config);
    Call Reads fn get_provider_info(provider: AliveProvider, name: &mut [u16], length: &mut u32)
        = ICorProfilerInfo12::EventPipeGetProviderInfo(provider, len name, length, name);
    Call Collects fn create_provider(name: &U16CStr, provider: &mut Option<EventPipeProviderId>)
        = ICorProfilerInfo12::EventPipeCreateProvider(name, provider);
    Call Collects fn create_provider_with(name: &U16CStr, function: OnChange, provider: &mut Option<EventPipeProviderId>)
        = ICorProfilerInfo14::EventPipeCreateProvider2(name, function, provider);
    Call Collects fn define_event(
        provider: AliveProvider, name: &U16CStr, id: u32, keywords: u64, version: u32, level: u32, opcode: u8,
        needs_stack: bool, fields: &[RawParameter<'_>], event: &mut Option<EventPipeEventId>,
    ) = ICorProfilerInfo12::EventPipeDefineEvent(
        provider, name, id, keywords, version, level, opcode, needs_stack, len fields, fields, event
    );
    Call Reads fn write_event(
        event: EventPipeEventId, data: &[RawEventData<'_>], activity: Option<&Guid>, related: Option<&Guid>,
    ) = ICorProfilerInfo12::EventPipeWriteEvent(event, len data, data, activity, related);
}

/// The IID of the metadata interface, for the methods that return metadata.
pub(super) struct ImportIid;

impl About for ImportIid {}

impl Pass<*const sys::GUID> for ImportIid {
    fn pass(&mut self) -> *const sys::GUID {
        &raw const *const { &sys::IID_IMetaDataImport2 }
    }
}

/// Declares methods that return a list: how unloads wait for the call, its class, the arguments, the elements, the COM
/// method. It takes the arguments, and then a capacity, the place of a count, and a buffer.
macro_rules! lists {
    ($($work:ident $class:ident fn $name:ident($($arg:ident: $ty:ty),*) -> [$element:ty] = $interface:ident::$method:ident;)*) => {
        impl Info {$(
            pub(crate) fn $name(&self, $(mut $arg: $ty),*) -> Result<Vec<$element>> {
                let _alive = ($(self.about(name!($interface::$method), Work::$work, &$arg)?,)*);
                $(let $arg = Pass::pass(&mut $arg);)*
                let list = fill(name!($interface::$method), |mut room: &mut [<$element as Element>::Written]| {
                    let mut count = 0;
                    // SAFETY: values, a local, and a buffer with its length.
                    unsafe {
                        call!(self, $class $interface::$method(
                            $($arg,)* room_of(room), &raw mut count, Pass::pass(&mut room),
                        ))
                    }?;
                    Ok(count)
                })?;
                Ok(list.iter().filter_map(|element| Element::of(*element)).collect())
            }
        )*}
    };
}

lists! {
    Call Proxied fn generation_bounds() -> [GenerationRange] = ICorProfilerInfo2::GetGenerationBounds;
    Lookup Reads fn app_domains_containing_module(module: ModuleId) -> [AppDomainId] = ICorProfilerInfo3::GetAppDomainsContainingModule;
    Lookup Reads fn code_regions(function: FunctionId, rejit: Option<ReJitId>) -> [CodeRegion] = ICorProfilerInfo4::GetCodeInfo3;
    Lookup Collects fn rejit_ids(function: FunctionId) -> [ReJitId] = ICorProfilerInfo4::GetReJITIDs;
    Lookup Reads fn il_to_native_map(function: FunctionId, rejit: Option<ReJitId>) -> [IlToNativeMapEntry] = ICorProfilerInfo4::GetILToNativeMapping2;
    Lookup Reads fn native_code_start_addresses(function: FunctionId, rejit: Option<ReJitId>) -> [usize] = ICorProfilerInfo9::GetNativeCodeStartAddresses;
    Lookup Reads fn il_to_native_map_at(start: NativeCodeStart) -> [IlToNativeMapEntry] = ICorProfilerInfo9::GetILToNativeMapping3;
    Lookup Reads fn code_regions_at(start: NativeCodeStart) -> [CodeRegion] = ICorProfilerInfo9::GetCodeInfo4;
    Call Reads fn non_gc_heap_bounds() -> [NonGcHeapRange] = ICorProfilerInfo14::GetNonGCHeapBounds;
}

/// An element of a list.
trait Element: Sized {
    type Written: Written + Copy + Default;

    fn of(written: Self::Written) -> Option<Self>;
}

macro_rules! elements {
    ($($element:ty, $written:ty, |$raw:ident| $make:expr;)*) => {$(
        impl Element for $element {
            type Written = $written;

            fn of($raw: $written) -> Option<Self> {
                $make
            }
        }
    )*};
}

elements! {
    CodeRegion, Self, |region| Some(region);
    GenerationRange, Self, |range| Some(range);
    IlToNativeMapEntry, Self, |entry| Some(entry);
    NonGcHeapRange, Self, |range| Some(range);
    usize, Self, |address| Some(address);
    AppDomainId, Option<Self>, |domain| domain;
    ReJitId, Option<Self>, |rejit| rejit;
}

/// How many elements of an enumerator are fetched at once.
const PIECE: usize = 64;

/// An enumerator interface.
pub(crate) trait List {
    type Item;

    /// All elements that are left.
    fn all(&self) -> Result<Vec<Self::Item>>;
}

/// The elements of an enumerator that a method has returned.
pub(crate) fn all_of<L: List>(call: &'static str, list: Option<L>) -> Result<Vec<L::Item>> {
    list.ok_or(Error::Null { call, what: "enumerator" })?.all()
}

/// Implements [`List`] for an interface: its pointer, its element, an empty one of the runtime's elements, and how the one
/// is made of the other.
macro_rules! enumerators {
    ($($pointer:ident, $interface:ident, $element:ty, $written:ty, |$raw:ident| $make:expr;)*) => {$(
        impl List for $pointer {
            type Item = $element;

            fn all(&self) -> Result<Vec<$element>> {
                let (this, mut all) = (self.as_ptr(), Vec::new());
                loop {
                    let (mut room, mut fetched) = ([<$written as Written>::EMPTY; PIECE], 0);
                    // SAFETY: a live enumerator, a buffer with its length, a local.
                    let code = unsafe {
                        ((*(*this).lpVtbl).Next)(this, room_of(&room), Pass::pass(&mut &mut room[..]), &raw mut fetched)
                    };
                    checked(name!($interface::Next), code)?;
                    let fetched = fetched as usize;
                    all.extend(room.iter().take(fetched).filter_map(|$raw| $make));
                    if fetched < PIECE {
                        return Ok(all);
                    }
                }
            }
        }
    )*};
}

enumerators! {
    ModuleEnumPtr, ICorProfilerModuleEnum, ModuleId, Option<ModuleId>, |module| *module;
    ThreadEnumPtr, ICorProfilerThreadEnum, ThreadId, Option<ThreadId>, |thread| *thread;
    // Objects that neither move nor end.
    ObjectEnumPtr, ICorProfilerObjectEnum, FrozenObject, usize, |object| {
        // SAFETY: the methods that return these list frozen objects only.
        unsafe { Some(FrozenObject::new(ObjectId::from_raw(*object)?)) }
    };
    FunctionEnumPtr, ICorProfilerFunctionEnum, (FunctionId, Option<ReJitId>), sys::COR_PRF_FUNCTION,
        |version| {
            // SAFETY: the runtime lists functions.
            let function = unsafe { FunctionId::from_raw(version.functionId) }?;
            Some((function, ReJitId::from_raw(version.reJitId)))
        };
    MethodEnumPtr, ICorProfilerMethodEnum, (ModuleId, MethodDef), sys::COR_PRF_METHOD,
        |method| {
            // SAFETY: the runtime lists methods with their modules.
            let module = unsafe { ModuleId::from_raw(method.moduleId) }?;
            Some((module, MethodDef::from_token(method.methodId)?))
        };
}
