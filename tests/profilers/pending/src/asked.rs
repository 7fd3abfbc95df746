//! The calls that a hook can make with what it knows.
//!
//! Contract of the unsafe code here: addresses are the starts of compiled methods, as the runtime has reported them.
#![allow(unsafe_code)]

use core::fmt::Debug;
use std::time::Duration;

use corprof::token::{FieldDef, MethodDef, TypeDef};
use corprof::values::ReJitFlags;
use corprof::{
    AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeEventSpec, EventPipeProviderConfig,
    EventPipeProviderId, FunctionId, Method, ModuleId, ModuleMethod, Names, NativeCodeStart, ProfilerInfo,
    Result, StackWalk,
};

/// What is known of the called method before its first call.
pub(crate) struct Asked {
    names: Names,
    function: FunctionId,
    module: ModuleId,
    method: Option<MethodDef>,
    assembly: Option<AssemblyId>,
    class: Option<ClassId>,
    app_domain: Option<AppDomainId>,
    address: Option<usize>,
    start: Option<NativeCodeStart>,
    provider: Option<EventPipeProviderId>,
    event: Option<EventPipeEventId>,
}

impl Asked {
    pub(crate) fn new(names: &Names, method: &Method) -> Self {
        let info = names.info();
        let function = method.function;
        let domains = info.app_domains_containing_module(method.module).unwrap_or_default();
        let provider = info.event_pipe_create_provider(OWN).ok();
        Self {
            event: provider.and_then(|it| info.event_pipe_define_event(it, &event(1)).ok()),
            provider,
            names: names.clone(),
            function,
            module: method.module,
            method: method.token,
            assembly: info.module_info(method.module).ok().and_then(|module| module.assembly),
            class: info.function_info(function).ok().and_then(|function| function.class),
            app_domain: domains.first().copied(),
            start: info.native_code_start_addresses(function, None).ok().and_then(|all| all.first().copied()),
            address: info.code_regions(function, None).ok().and_then(|all| all.first().map(|it| it.start)),
        }
    }

    /// The method, for a list; the list is empty without a token.
    fn itself(&self) -> Vec<ModuleMethod> {
        self.method.map(|method| ModuleMethod { module: self.module, method }).into_iter().collect()
    }
}

type Call = fn(&ProfilerInfo, &Asked) -> Result<String>;

/// A result as text: the call is what matters.
#[allow(clippy::unnecessary_wraps, reason = "what the calls return")]
fn shown(result: impl Debug) -> Result<String> {
    Ok(format!("{result:?}").chars().take(200).collect())
}

const EVENTS: EventPipeProviderConfig<'_> =
    EventPipeProviderConfig { name: "Microsoft-Windows-DotNETRuntime", keywords: 1, level: 4, filter: None };

/// The events of the method's provider.
pub(crate) const OWN_EVENTS: EventPipeProviderConfig<'_> =
    EventPipeProviderConfig { name: OWN, keywords: u64::MAX, level: 5, filter: None };

const OWN: &str = "Pending-Method";

const fn event(id: u32) -> EventPipeEventSpec<'static> {
    EventPipeEventSpec {
        name: "Pending",
        id,
        keywords: 1,
        version: 1,
        level: 4,
        opcode: 0,
        needs_stack: true,
        fields: &[],
    }
}

/// `Program.s_done`, a static field.
const FIELD: Option<FieldDef> = FieldDef::from_rid(2);

/// Each call with its name. The program makes at least as many.
pub(crate) const CALLS: &[(&str, Call)] = &[
    ("modules", |info, _| shown(info.modules()?)),
    ("threads", |info, _| shown(info.threads()?)),
    ("jitted_functions", |info, _| shown(info.jitted_functions()?.len())),
    ("rejit_ids", |info, asked| shown(info.rejit_ids(asked.function)?)),
    ("request_rejit", |info, asked| shown(info.request_rejit(&asked.itself())?)),
    ("request_rejit_with_inliners", |info, asked| {
        shown(info.request_rejit_with_inliners(ReJitFlags::BLOCK_INLINING, &asked.itself())?)
    }),
    ("request_revert", |info, asked| shown(info.request_revert(&asked.itself())?)),
    ("suspend_runtime", |info, _| shown(info.suspend_runtime().map(drop)?)),
    ("force_gc", |info, _| shown(info.own_thread()?.force_gc()?)),
    ("request_detach", |info, _| shown(info.request_detach(Duration::from_secs(1))?)),
    ("initialize_current_thread", |info, _| shown(info.initialize_current_thread()?)),
    ("current_thread", |info, _| shown(info.current_thread()?)),
    ("os_thread_id", |info, _| match info.current_thread()? {
        Some(thread) => shown(info.os_thread_id(thread)?),
        None => shown("no thread"),
    }),
    ("thread_handle", |info, _| match info.current_thread()? {
        Some(thread) => shown(info.thread_handle(thread)?),
        None => shown("no thread"),
    }),
    ("thread_app_domain", |info, _| match info.current_thread()? {
        Some(thread) => shown(info.thread_app_domain(thread)?),
        None => shown("no thread"),
    }),
    ("app_domain_info", |info, asked| {
        shown(asked.app_domain.map(|it| info.app_domain_info(it)).transpose()?)
    }),
    ("app_domains_containing_module", |info, asked| shown(info.app_domains_containing_module(asked.module)?)),
    ("module_info", |info, asked| shown(info.module_info(asked.module)?)),
    ("assembly_info", |info, asked| shown(asked.assembly.map(|it| info.assembly_info(it)).transpose()?)),
    ("module_metadata", |info, asked| shown(info.module_metadata(asked.module).map(|_| ())?)),
    ("module_metadata_emit", |info, asked| shown(info.module_metadata_emit(asked.module).map(|_| ())?)),
    ("metadata_dispenser", |info, _| shown(info.metadata_dispenser().map(|_| ())?)),
    ("apply_metadata", |info, asked| shown(info.apply_metadata(asked.module)?)),
    ("in_memory_symbols", |info, asked| shown(info.in_memory_symbols(asked.module)?.len())),
    ("function_info", |info, asked| shown(info.function_info(asked.function)?)),
    ("function_instance", |info, asked| shown(info.function_instance(asked.function, None)?)),
    ("function_metadata", |info, asked| shown(info.function_metadata(asked.function)?.1)),
    ("function_from_ip", |info, asked| {
        // SAFETY: the start of the method's code.
        shown(asked.address.map(|it| unsafe { info.function_from_ip(it) }).transpose()?)
    }),
    ("function_version_from_ip", |info, asked| {
        // SAFETY: the start of the method's code.
        shown(asked.address.map(|it| unsafe { info.function_version_from_ip(it) }).transpose()?)
    }),
    ("is_function_dynamic", |info, asked| shown(info.is_function_dynamic(asked.function)?)),
    ("dynamic_function_info", |info, asked| shown(info.dynamic_function_info(asked.function)?)),
    ("class_info", |info, asked| shown(asked.class.map(|it| info.class_info(it)).transpose()?)),
    ("array_class", |info, asked| shown(asked.class.map(|it| info.array_class(it)).transpose()?)),
    ("class_layout", |info, asked| shown(asked.class.map(|it| info.class_layout(it)).transpose()?)),
    ("box_layout", |info, asked| shown(asked.class.map(|it| info.box_layout(it)).transpose()?)),
    ("string_layout", |info, _| shown(info.string_layout()?)),
    ("static_field_kind", |info, asked| {
        let known = asked.class.zip(FIELD);
        shown(known.map(|(class, field)| info.static_field_kind(class, field)).transpose()?)
    }),
    ("rva_static_address", |info, asked| {
        let known = asked.class.zip(FIELD);
        shown(known.map(|(class, field)| info.rva_static_address(class, field)).transpose()?)
    }),
    ("app_domain_static_address", |info, asked| {
        let known = asked.class.zip(FIELD).zip(asked.app_domain);
        shown(
            known
                .map(|((class, field), domain)| info.app_domain_static_address(class, field, domain))
                .transpose()?,
        )
    }),
    ("thread_static_address", |info, asked| {
        let known = asked.class.zip(FIELD).zip(asked.app_domain);
        shown(
            known
                .map(|((class, field), domain)| info.thread_static_address(class, field, domain))
                .transpose()?,
        )
    }),
    ("il_function_body", |info, asked| {
        shown(asked.method.map(|it| info.il_function_body(asked.module, it)).transpose()?.map(|it| it.len()))
    }),
    ("set_il_instrumented_code_map", |info, asked| {
        shown(info.set_il_instrumented_code_map(asked.function, false, &[])?)
    }),
    ("precompiled_inliners", |info, asked| {
        let known = asked.method.map(|it| info.precompiled_inliners(asked.module, asked.module, it));
        shown(known.transpose()?.map(|it| it.methods.len()))
    }),
    ("code_regions", |info, asked| shown(info.code_regions(asked.function, None)?)),
    ("native_code_start_addresses", |info, asked| {
        shown(info.native_code_start_addresses(asked.function, None)?)
    }),
    ("code_regions_at", |info, asked| shown(asked.start.map(|it| info.code_regions_at(it)).transpose()?)),
    ("il_to_native_map", |info, asked| shown(info.il_to_native_map(asked.function, None)?.len())),
    ("il_to_native_map_at", |info, asked| {
        shown(asked.start.map(|it| info.il_to_native_map_at(it)).transpose()?.map(|map| map.len()))
    }),
    ("walk_stack", |info, _| {
        let mut frames = 0;
        info.walk_stack(StackWalk::default(), |_| frames += 1)?;
        shown(frames)
    }),
    ("event_mask", |info, _| shown(info.event_mask()?)),
    ("set_event_mask", |info, _| shown(info.set_event_mask(info.event_mask()?)?)),
    ("generation_bounds", |info, _| shown(info.generation_bounds()?.len())),
    ("non_gc_heap_bounds", |info, _| shown(info.non_gc_heap_bounds()?.len())),
    ("non_gc_objects", |info, _| shown(info.non_gc_objects()?.len())),
    ("module_frozen_objects", |info, asked| shown(info.module_frozen_objects(asked.module)?.len())),
    ("large_object_threshold", |info, _| shown(info.large_object_threshold()?)),
    ("exception_clause", |info, _| shown(info.exception_clause()?)),
    ("environment_variable", |info, _| shown(info.environment_variable("PENDING_HOOKS")?)),
    ("set_environment_variable", |info, _| shown(info.set_environment_variable("PENDING_SET", Some("1"))?)),
    ("event_pipe_create_provider", |info, _| shown(info.event_pipe_create_provider("Pending-Profiler")?)),
    ("event_pipe_provider_name", |info, asked| {
        shown(asked.provider.map(|it| info.event_pipe_provider_name(it)).transpose()?)
    }),
    ("event_pipe_define_event", |info, asked| {
        shown(asked.provider.map(|it| info.event_pipe_define_event(it, &event(2))).transpose()?)
    }),
    ("event_pipe_write_event", |info, asked| {
        shown(asked.event.map(|it| info.event_pipe_write_event(it, &[], None, None)).transpose()?)
    }),
    ("event_pipe_session", |info, _| shown(info.event_pipe_start_session(&[EVENTS], false)?.stop()?)),
    ("class name", |_, asked| shown(asked.class.map(|it| asked.names.class(it)).transpose()?)),
    ("method name", |_, asked| shown(asked.names.function(asked.function)?)),
    ("type by name", |_, asked| {
        shown(asked.names.find_type("System.Private.CoreLib", "System.Text.StringBuilder").map(|_| ())?)
    }),
    ("known_class", |info, asked| {
        shown(TypeDef::from_rid(2).and_then(|it| info.known_class(asked.module, it, &[])))
    }),
];
