//! What is loaded: application domains, assemblies, modules, classes, functions, threads.

use std::sync::Arc;

use corprof::ModuleInfo;

use super::Calls;
use crate::at::{shown, value};
use crate::own_threads::Watcher;

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::app_domain_info", |it| shown(it.info().app_domain_info(it.app_domain()?))),
    ("ProfilerInfo::app_domains_containing_module", |it| {
        let found = it.info().app_domains_containing_module(it.module()?);
        for app_domain in found.iter().flatten() {
            it.keep(&it.shared.known.app_domains, *app_domain);
        }
        shown(found)
    }),
    ("ProfilerInfo::assembly_info", |it| shown(it.info().assembly_info(it.assembly()?))),
    ("ProfilerInfo::modules", |it| {
        let modules = it.info().modules();
        for module in modules.iter().flatten() {
            it.keep(&it.shared.known.modules, *module);
        }
        shown(modules)
    }),
    ("ProfilerInfo::module_info", |it| {
        let info = it.info().module_info(it.module()?);
        if let Ok(ModuleInfo { base_address, assembly, .. }) = info {
            it.keep(&it.shared.known.images, base_address);
            assembly.into_iter().for_each(|assembly| it.keep(&it.shared.known.assemblies, assembly));
        }
        shown(info)
    }),
    ("ModuleInfo::file_name", |it| {
        let info = it.info().module_info(it.module()?).ok()?;
        value(info.file_name())
    }),
    ("ProfilerInfo::module_metadata", |it| {
        let metadata = it.info().module_metadata(it.module()?);
        shown(metadata.map(|metadata| it.keep(&it.shared.known.metadata, Arc::new(metadata))))
    }),
    ("ProfilerInfo::metadata_rows", |it| {
        let rows = it.info().metadata_rows(it.module()?);
        shown(rows.map(|rows| it.keep(&it.shared.known.rows, rows)))
    }),
    ("ProfilerInfo::in_memory_symbols", |it| shown(it.info().in_memory_symbols(it.module()?))),
    ("ProfilerInfo::apply_metadata", |it| shown(it.info().apply_metadata(it.module()?))),
    ("ProfilerInfo::class_info", |it| {
        let info = it.info().class_info(it.class()?);
        if let Ok(info) = &info {
            for class in info.parent.into_iter().chain(info.type_args.iter().copied().flatten()) {
                it.keep(&it.shared.known.classes, class);
            }
        }
        shown(info)
    }),
    ("ProfilerInfo::array_class", |it| shown(it.info().array_class(it.class()?))),
    ("ProfilerInfo::class_layout", |it| shown(it.info().class_layout(it.class()?))),
    ("ProfilerInfo::box_layout", |it| shown(it.info().box_layout(it.class()?))),
    ("ProfilerInfo::known_class", |it| {
        let args = it.some(|it| it.class());
        value(it.info().known_class(it.module()?, it.type_def()?, &args))
    }),
    ("ProfilerInfo::note_loaded_classes", |it| {
        it.info().note_loaded_classes(it.class());
        value(())
    }),
    ("ProfilerInfo::class_by_number", |it| value(it.info().class_by_number(it.address()))),
    ("ProfilerInfo::is_instance_of", |it| {
        value(it.info().is_instance_of(it.address(), it.module()?, it.type_def()?))
    }),
    ("ProfilerInfo::function_info", |it| shown(it.info().function_info(it.function()?))),
    ("ProfilerInfo::function_instance", |it| {
        // The frame is that of any function.
        let frame = if it.is() { it.given.frame } else { None };
        let instance = it.info().function_instance(it.function()?, frame);
        if let Ok(instance) = &instance {
            it.keep(&it.shared.known.function_instances, instance.clone());
        }
        shown(instance)
    }),
    ("ProfilerInfo::function_form", |it| value(it.info().function_form(it.function()?))),
    ("ProfilerInfo::function_metadata", |it| {
        let found = it.info().function_metadata(it.function()?);
        shown(found.map(|(metadata, token)| {
            it.keep(&it.shared.known.metadata, Arc::new(metadata));
            token
        }))
    }),
    ("ProfilerInfo::is_function_dynamic", |it| shown(it.info().is_function_dynamic(it.function()?))),
    ("ProfilerInfo::dynamic_function_info", |it| shown(it.info().dynamic_function_info(it.function()?))),
    ("ProfilerInfo::threads", |it| {
        let threads = it.info().threads();
        for thread in threads.iter().flatten() {
            it.keep(&it.shared.known.threads, *thread);
        }
        shown(threads)
    }),
    ("ProfilerInfo::current_thread", |it| shown(it.info().current_thread())),
    ("ProfilerInfo::os_thread_id", |it| shown(it.info().os_thread_id(it.thread()?))),
    ("ProfilerInfo::thread_handle", |it| shown(it.info().thread_handle(it.thread()?))),
    ("ProfilerInfo::thread_app_domain", |it| shown(it.info().thread_app_domain(it.thread()?))),
    ("ProfilerInfo::own_thread", |it| shown(it.info().own_thread())),
    ("ProfilerInfo::initialize_current_thread", |it| shown(it.info().initialize_current_thread())),
    ("ProfilerInfo::version", |it| value(it.info().version())),
    ("ProfilerInfo::runtime_info", |it| shown(it.info().runtime_info())),
    ("ProfilerInfo::unload_count", |it| value(it.info().unload_count())),
    ("ProfilerInfo::cached_count", |it| value(it.info().cached_count())),
    ("ProfilerInfo::forget_with", |it| {
        let watcher = Arc::new(Watcher { shared: it.shared.me.clone(), ..Watcher::default() });
        it.info().forget_with(&watcher);
        it.keep(&it.shared.known.watchers, watcher);
        Some(true)
    }),
    ("Unload::takes", |it| value(it.given.unload?.takes(it.module()?))),
    ("Unload::functions", |it| value(it.given.unload?.functions().collect::<Vec<_>>())),
    ("Unload::classes", |it| value(it.given.unload?.classes().collect::<Vec<_>>())),
    ("Unload::module", |it| value(it.given.unload?.module())),
    ("Unload::assembly", |it| value(it.given.unload?.assembly())),
];
