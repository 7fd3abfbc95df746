//! Caches of facts about ids: what one of them does is nothing to the others, and none outlives its profiler.

use std::sync::Mutex;

use corprof::{EventMask, HResult, ModuleId, Profiler, ProfilerInfo, Result, UnloadCache};
use corprof_double::{Runtime, Version};

/// The name of each module, in two caches. The first one panics at an eviction.
struct Careless {
    panics: UnloadCache<ModuleId, String>,
    evicts: UnloadCache<ModuleId, String>,
    module: Mutex<Option<ModuleId>>,
    info: ProfilerInfo,
}

impl Profiler for Careless {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS)?;
        Ok(Self {
            panics: UnloadCache::new(info, |_, _| panic!("in an eviction")),
            evicts: UnloadCache::new(info, |names, unload| names.remove(&unload.module()?)),
            module: Mutex::default(),
            info: info.clone(),
        })
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let find = || Ok::<_, corprof::Error>(self.info.module_info(module)?.file_name().to_string());
        for cache in [&self.panics, &self.evicts] {
            cache.get_or_find(module, find).unwrap();
        }
        *self.module.lock().unwrap() = Some(module);
    }
}

#[test]
fn a_cache_that_panics_keeps_no_stale_entry_and_the_others_evict() {
    let runtime = Runtime::new(Version::NET_9);
    let plugin = runtime.module("Plugin").collectible();
    let session = runtime.start::<Careless>().unwrap();
    session.load(plugin);
    let Careless { panics, evicts, module, info } = session.profiler();
    let module = module.lock().unwrap().unwrap();
    assert_eq!(
        [panics, evicts].map(|cache| cache.get(&module)),
        [(); 2].map(|()| Some("Plugin.dll".to_owned()))
    );
    session.unload(plugin);
    assert_eq!([panics, evicts].map(|cache| cache.get(&module)), [None, None]);
    assert!(info.module_info(module).is_err());
    session.shutdown();
    runtime.assert_released();
}

/// What is unloaded after the end is not reported to it, and a number may come back as another module's.
#[test]
fn a_cache_is_empty_after_the_end_of_its_profiler() {
    static KEPT: Mutex<Option<(UnloadCache<ModuleId, u32>, ModuleId)>> = Mutex::new(None);

    struct Passing(UnloadCache<ModuleId, u32>);

    impl Profiler for Passing {
        fn initialize(info: &ProfilerInfo) -> Result<Self> {
            info.set_event_mask(EventMask::MODULE_LOADS)?;
            Ok(Self(UnloadCache::new(info, |_, _| ())))
        }

        fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
            self.0.get_or_find::<()>(module, || Ok(1)).unwrap();
            let cache = UnloadCache::clone(&self.0);
            assert_eq!(cache.get(&module), Some(1));
            *KEPT.lock().unwrap() = Some((cache, module));
        }
    }

    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let session = runtime.start::<Passing>().unwrap();
    session.load(app);
    session.shutdown();
    let (cache, module) = KEPT.lock().unwrap().take().unwrap();
    assert_eq!(cache.get(&module), None);
    assert_eq!(cache.get_or_find::<()>(module, || Ok(2)), Ok(2));
    assert_eq!(cache.get(&module), None);
}
