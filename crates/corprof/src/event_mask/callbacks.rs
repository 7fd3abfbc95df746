//! The callbacks, the flags that enable them, and those that an event mask switches off.

use super::EventMask;

/// Declares the callbacks with their flags: one flag of each group in brackets has to be set. A callback has its COM name and that of
/// its method in the trait.
macro_rules! callbacks {
    ($($([$($flag:ident)|+])+ => { $($com:ident $method:ident,)+ })*) => {
        /// A callback that needs flags, by its COM name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Callback {
            $($($com,)+)*
        }

        impl Callback {
            /// All of them, in the order of their numbers.
            pub(crate) const ALL: &[Self] = &[$($(Self::$com,)+)*];

            /// Returns the COM name.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $($(Self::$com => stringify!($com),)+)*
                }
            }

            /// Returns the name of the method of [`Profiler`](crate::Profiler).
            const fn method(self) -> &'static str {
                match self {
                    $($(Self::$com => stringify!($method),)+)*
                }
            }

            /// Returns the groups of flags.
            const fn groups(self) -> &'static [EventMask] {
                match self {
                    $($(Self::$com)|+ => const { &[$(EventMask::from_bits_retain($(EventMask::$flag.bits())|+)),+] },)*
                }
            }
        }
    };
}

callbacks! {
    [APP_DOMAIN_LOADS] => {
        AppDomainCreationStarted app_domain_creation_started,
        AppDomainCreationFinished app_domain_creation_finished,
        AppDomainShutdownStarted app_domain_shutdown_started,
        AppDomainShutdownFinished app_domain_shutdown_finished,
    }
    [ASSEMBLY_LOADS] => {
        AssemblyLoadStarted assembly_load_started,
        AssemblyLoadFinished assembly_load_finished,
        AssemblyUnloadStarted assembly_unload_started,
        AssemblyUnloadFinished assembly_unload_finished,
    }
    [MODULE_LOADS] => {
        ModuleLoadStarted module_load_started,
        ModuleLoadFinished module_load_finished,
        ModuleUnloadStarted module_unload_started,
        ModuleUnloadFinished module_unload_finished,
        ModuleAttachedToAssembly module_attached_to_assembly,
    }
    [IN_MEMORY_SYMBOLS_UPDATED] => {
        ModuleInMemorySymbolsUpdated module_in_memory_symbols_updated,
    }
    [ADD_ASSEMBLY_REFERENCES] => {
        GetAssemblyReferences assembly_references,
    }
    [CLASS_LOADS] => {
        ClassLoadStarted class_load_started,
        ClassLoadFinished class_load_finished,
        ClassUnloadStarted class_unload_started,
        ClassUnloadFinished class_unload_finished,
    }
    [FUNCTION_UNLOADS] => {
        FunctionUnloadStarted function_unload_started,
    }
    [DYNAMIC_FUNCTION_UNLOADS] => {
        DynamicMethodUnloaded dynamic_method_unloaded,
    }
    [CCW] => {
        COMClassicVTableCreated com_classic_vtable_created,
        COMClassicVTableDestroyed com_classic_vtable_destroyed,
    }
    [JIT_COMPILATION] => {
        JITCompilationStarted jit_compilation_started,
        JITCompilationFinished jit_compilation_finished,
        DynamicMethodJITCompilationStarted dynamic_method_jit_compilation_started,
        DynamicMethodJITCompilationFinished dynamic_method_jit_compilation_finished,
        JITFunctionPitched jit_function_pitched,
        JITInlining jit_inlining,
    }
    [CACHE_SEARCHES] => {
        JITCachedFunctionSearchStarted jit_cached_function_search_started,
        JITCachedFunctionSearchFinished jit_cached_function_search_finished,
    }
    [JIT_COMPILATION] [ENABLE_REJIT] => {
        ReJITCompilationStarted rejit_compilation_started,
        ReJITCompilationFinished rejit_compilation_finished,
    }
    [ENABLE_REJIT] => {
        GetReJITParameters rejit_parameters,
        ReJITError rejit_error,
    }
    [THREADS] => {
        ThreadCreated thread_created,
        ThreadDestroyed thread_destroyed,
        ThreadAssignedToOSThread thread_assigned_to_os_thread,
        ThreadNameChanged thread_name_changed,
    }
    [CODE_TRANSITIONS] => {
        UnmanagedToManagedTransition unmanaged_to_managed_transition,
        ManagedToUnmanagedTransition managed_to_unmanaged_transition,
    }
    [SUSPENDS] => {
        RuntimeSuspendStarted runtime_suspend_started,
        RuntimeSuspendFinished runtime_suspend_finished,
        RuntimeSuspendAborted runtime_suspend_aborted,
        RuntimeResumeStarted runtime_resume_started,
        RuntimeResumeFinished runtime_resume_finished,
        RuntimeThreadSuspended runtime_thread_suspended,
        RuntimeThreadResumed runtime_thread_resumed,
    }
    [GC | BASIC_GC] => {
        GarbageCollectionStarted garbage_collection_started,
        GarbageCollectionFinished garbage_collection_finished,
    }
    [GC | GC_MOVED_OBJECTS] => {
        MovedReferences2 moved_references,
        SurvivingReferences2 surviving_references,
    }
    [OBJECT_ALLOCATED | LARGE_OBJECT_ALLOCATED | PINNED_OBJECT_ALLOCATED] => {
        ObjectAllocated object_allocated,
    }
    [GC] => {
        ObjectsAllocatedByClass objects_allocated_by_class,
        ObjectReferences object_references,
        RootReferences2 root_references,
        ConditionalWeakTableElementReferences conditional_weak_table_element_references,
        FinalizeableObjectQueued finalizeable_object_queued,
        HandleCreated handle_created,
        HandleDestroyed handle_destroyed,
    }
    [EXCEPTIONS] => {
        ExceptionThrown exception_thrown,
        ExceptionSearchFunctionEnter exception_search_function_enter,
        ExceptionSearchFunctionLeave exception_search_function_leave,
        ExceptionSearchFilterEnter exception_search_filter_enter,
        ExceptionSearchFilterLeave exception_search_filter_leave,
        ExceptionSearchCatcherFound exception_search_catcher_found,
        ExceptionUnwindFunctionEnter exception_unwind_function_enter,
        ExceptionUnwindFunctionLeave exception_unwind_function_leave,
        ExceptionUnwindFinallyEnter exception_unwind_finally_enter,
        ExceptionUnwindFinallyLeave exception_unwind_finally_leave,
        ExceptionCatcherEnter exception_catcher_enter,
        ExceptionCatcherLeave exception_catcher_leave,
        ExceptionOSHandlerEnter exception_os_handler_enter,
        ExceptionOSHandlerLeave exception_os_handler_leave,
    }
    [CLR_EXCEPTIONS] => {
        ExceptionCLRCatcherFound exception_clr_catcher_found,
        ExceptionCLRCatcherExecute exception_clr_catcher_execute,
    }
    [EVENT_PIPE] => {
        EventPipeEventDelivered event_pipe_event_delivered,
        EventPipeProviderCreated event_pipe_provider_created,
    }
}

impl EventMask {
    /// Returns the methods of [`Profiler`](crate::Profiler) that the runtime does not call under this mask.
    ///
    /// ```
    /// use corprof::EventMask;
    ///
    /// let mask = EventMask::MODULE_LOADS | EventMask::JIT_COMPILATION;
    /// assert!(mask.undelivered_callbacks().all(|callback| callback != "module_load_finished"));
    /// // Needs ENABLE_REJIT too.
    /// assert!(mask.undelivered_callbacks().any(|callback| callback == "rejit_compilation_started"));
    /// ```
    pub fn undelivered_callbacks(self) -> impl Iterator<Item = &'static str> {
        Callback::ALL
            .iter()
            .filter(move |callback| !callback.is_enabled_by(self))
            .map(|callback| callback.method())
    }
}

impl Callback {
    /// Returns whether the runtime makes the callback under this mask.
    pub(crate) fn is_enabled_by(self, mask: EventMask) -> bool {
        self.groups().iter().all(|group| mask.intersects(*group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of the callbacks: name, and the flags in the sentence that begins with "Needs".
    fn documented() -> Vec<(String, Vec<EventMask>)> {
        let source = include_str!("../profiler/mod.rs");
        let trait_body = source.split_once("pub trait Profiler").unwrap().1;
        let (mut found, mut doc) = (Vec::new(), String::new());
        for line in trait_body.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("///") {
                doc = doc + text.trim() + " ";
            } else if let Some(signature) = line.strip_prefix("fn ") {
                let name = signature.split('(').next().unwrap();
                if let Some((_, needs)) = doc.split_once("Needs ") {
                    let needs = needs.split(". ").next().unwrap();
                    let flag = |text: &str| {
                        let name = text.split('`').nth(1).unwrap();
                        EventMask::from_name(name).unwrap_or_else(|| panic!("{name} is no flag"))
                    };
                    let group = |text: &str| text.split(" or ").map(flag).collect();
                    found.push((name.to_owned(), needs.split(" and ").map(group).collect()));
                } else {
                    found.push((name.to_owned(), Vec::new()));
                }
                doc.clear();
            }
        }
        found
    }

    /// These are called under any mask.
    const WITHOUT_FLAGS: [&str; 6] = [
        "initialize",
        "initialize_for_attach",
        "shutdown",
        "profiler_attach_complete",
        "profiler_detach_succeeded",
        "load_as_notification_only",
    ];

    /// These are no callbacks.
    const MADE_OF: [&str; 2] = ["hooks", "host"];

    #[test]
    fn the_documentation_of_every_callback_names_its_flags() {
        let documented = documented();
        assert!(documented.len() > 80, "{}", documented.len());
        for (name, groups) in &documented {
            if WITHOUT_FLAGS.contains(&name.as_str()) {
                assert!(groups.is_empty(), "{name}");
            } else if !MADE_OF.contains(&name.as_str()) {
                let listed = Callback::ALL.iter().find(|callback| callback.method() == name.as_str());
                assert_eq!(listed.map(|callback| callback.groups()), Some(groups.as_slice()), "{name}");
            }
        }
        assert_eq!(Callback::ALL.len(), documented.len() - WITHOUT_FLAGS.len() - MADE_OF.len());
    }

    #[test]
    fn a_full_mask_delivers_every_callback() {
        assert_eq!(EventMask::all().undelivered_callbacks().count(), 0);
        assert_eq!(
            EventMask::empty().undelivered_callbacks().count(),
            documented().len() - WITHOUT_FLAGS.len() - MADE_OF.len()
        );
    }
}
