//! The caches that all threads share, and their eviction on unload.

use std::sync::Arc;

use clrnames::csharp::TypeDefinition;
use clrnames::metadata::AssemblyName;
use clrnames::resolution::Resolved;
use clrnames::{Mvid, TypeName};
use corprof_types::{ClassId, FunctionId, ModuleId};

use super::method::{Instance, Method};
use super::thread_cache::ThreadCaches;
use crate::id_map::IdMap;
use crate::runtime::{ModuleInfo, ProfilerInfo, Unload, UnloadCache};

/// The classes of a call.
pub(super) type InstanceKey = (Option<ClassId>, Box<[Option<ClassId>]>);

/// The cached result of a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedReference {
    /// The number of modules that had been loaded.
    pub(super) loads: u64,
    pub(super) found: Resolved<ModuleId>,
    /// Whether no module that is loaded later can be the better result.
    pub(super) is_final: bool,
}

impl CachedReference {
    /// Returns whether the type was found in this module.
    fn is_in(&self, module: ModuleId) -> bool {
        self.found.is_some_and(|(found, _)| found == module)
    }
}

/// The shared caches.
///
/// A cache stands for each query of the runtime or the metadata that names repeat: without it, the name of a function costs
/// microseconds each time (`cargo xtask bench names`: first time).
pub(super) struct Caches {
    pub(super) modules: UnloadCache<ModuleId, Arc<ModuleInfo>>,
    pub(super) mvids: UnloadCache<ModuleId, Mvid>,
    pub(super) assemblies: UnloadCache<ModuleId, Option<Arc<AssemblyName>>>,
    pub(super) definitions: UnloadCache<(ModuleId, u32), Arc<TypeDefinition>>,
    pub(super) classes: UnloadCache<ClassId, TypeName>,
    pub(super) methods: UnloadCache<FunctionId, Arc<Method>>,
    pub(super) functions: UnloadCache<FunctionId, Arc<str>>,
    pub(super) instances: UnloadCache<FunctionId, IdMap<InstanceKey, Arc<Instance>>>,
    pub(super) references: UnloadCache<(ModuleId, u32), CachedReference>,
    /// In front of `functions`.
    pub(super) threads: Arc<ThreadCaches>,
}

impl Caches {
    pub(super) fn new(info: &ProfilerInfo) -> Self {
        let threads = Arc::<ThreadCaches>::default();
        let evicted = Arc::clone(&threads);
        Self {
            modules: UnloadCache::new(info, evict_module),
            mvids: UnloadCache::new(info, evict_module),
            assemblies: UnloadCache::new(info, evict_module),
            definitions: UnloadCache::new(info, |definitions, unload| {
                let Some(module) = unload.module() else { return };
                definitions.retain(|(of, _), _| *of != module);
            }),
            classes: UnloadCache::new(info, |classes, unload| {
                unload.classes().for_each(|class| drop(classes.remove(&class)));
            }),
            methods: UnloadCache::new(info, evict_methods),
            functions: UnloadCache::new(info, move |functions, unload| {
                let removed = unload.functions().filter(|function| functions.remove(function).is_some());
                // After the shared map: a thread that looks up a name from now on does not find an evicted one there.
                if removed.count() > 0 {
                    evicted.invalidate();
                }
            }),
            instances: UnloadCache::new(info, evict_instances),
            references: UnloadCache::new(info, |references, unload| {
                let Some(module) = unload.module() else { return };
                references.retain(|(of, _), reference: &mut CachedReference| {
                    *of != module && !reference.is_in(module)
                });
            }),
            threads,
        }
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        let mut instances = 0;
        // Functions without instances have an entry too.
        self.instances.each(|(_, of_function)| instances += 1 + of_function.len());
        self.modules.len()
            + self.mvids.len()
            + self.assemblies.len()
            + self.definitions.len()
            + self.classes.len()
            + self.methods.len()
            + self.functions.len()
            + instances
            + self.references.len()
    }
}

fn evict_module<V>(modules: &mut IdMap<ModuleId, V>, unload: &Unload) {
    if let Some(module) = unload.module() {
        modules.remove(&module);
    }
}

fn evict_methods(methods: &mut IdMap<FunctionId, Arc<Method>>, unload: &Unload) {
    for function in unload.functions() {
        methods.remove(&function);
    }
    if let Some(module) = unload.module() {
        // Of a shared method, which was looked up with a function of the module.
        methods.retain(|_, method| method.module != module);
    }
}

fn evict_instances(instances: &mut IdMap<FunctionId, IdMap<InstanceKey, Arc<Instance>>>, unload: &Unload) {
    for function in unload.functions() {
        instances.remove(&function);
    }
    if unload.classes().next().is_some() {
        // Shared code has instances for classes of other modules.
        let is_unloaded = |class: &Option<ClassId>| class.is_some_and(|class| unload.takes(class));
        for instances in instances.values_mut() {
            instances.retain(|(class, args), _| !is_unloaded(class) && !args.iter().any(is_unloaded));
        }
    }
}
