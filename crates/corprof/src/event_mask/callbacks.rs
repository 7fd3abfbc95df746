//! The callbacks that an event mask switches off.

use super::EventMask;

/// Declares the callbacks with their flags: one flag of each group in brackets has to be set.
macro_rules! callbacks {
    ($($([$($flag:ident)|+])+ => $($callback:ident)+;)*) => {
        /// Callbacks with their groups of flags.
        const CALLBACKS: &[(&[&str], &[EventMask])] = &[$((
            &[$(stringify!($callback)),+],
            &[$(EventMask::from_bits_retain($(EventMask::$flag.bits())|+)),+],
        )),*];
    };
}

callbacks! {
    [APP_DOMAIN_LOADS] =>
        app_domain_creation_started app_domain_creation_finished app_domain_shutdown_started
        app_domain_shutdown_finished;
    [ASSEMBLY_LOADS] =>
        assembly_load_started assembly_load_finished assembly_unload_started assembly_unload_finished;
    [MODULE_LOADS] =>
        module_load_started module_load_finished module_unload_started module_unload_finished
        module_attached_to_assembly;
    [IN_MEMORY_SYMBOLS_UPDATED] =>
        module_in_memory_symbols_updated;
    [ADD_ASSEMBLY_REFERENCES] =>
        assembly_references;
    [CLASS_LOADS] =>
        class_load_started class_load_finished class_unload_started class_unload_finished;
    [FUNCTION_UNLOADS] =>
        function_unload_started;
    [DYNAMIC_FUNCTION_UNLOADS] =>
        dynamic_method_unloaded;
    [CCW] =>
        com_classic_vtable_created com_classic_vtable_destroyed;
    [JIT_COMPILATION] =>
        jit_compilation_started jit_compilation_finished dynamic_method_jit_compilation_started
        dynamic_method_jit_compilation_finished jit_function_pitched jit_inlining;
    [CACHE_SEARCHES] =>
        jit_cached_function_search_started jit_cached_function_search_finished;
    [JIT_COMPILATION] [ENABLE_REJIT] =>
        rejit_compilation_started rejit_compilation_finished;
    [ENABLE_REJIT] =>
        rejit_parameters rejit_error;
    [THREADS] =>
        thread_created thread_destroyed thread_assigned_to_os_thread thread_name_changed;
    [CODE_TRANSITIONS] =>
        unmanaged_to_managed_transition managed_to_unmanaged_transition;
    [SUSPENDS] =>
        runtime_suspend_started runtime_suspend_finished runtime_suspend_aborted runtime_resume_started
        runtime_resume_finished runtime_thread_suspended runtime_thread_resumed;
    [GC | BASIC_GC] =>
        garbage_collection_started garbage_collection_finished;
    [GC | GC_MOVED_OBJECTS] =>
        moved_references surviving_references;
    [OBJECT_ALLOCATED | LARGE_OBJECT_ALLOCATED | PINNED_OBJECT_ALLOCATED] =>
        object_allocated;
    [GC] =>
        objects_allocated_by_class object_references root_references
        conditional_weak_table_element_references finalizeable_object_queued handle_created handle_destroyed;
    [EXCEPTIONS] =>
        exception_thrown exception_search_function_enter exception_search_function_leave
        exception_search_filter_enter exception_search_filter_leave exception_search_catcher_found
        exception_unwind_function_enter exception_unwind_function_leave exception_unwind_finally_enter
        exception_unwind_finally_leave exception_catcher_enter exception_catcher_leave
        exception_os_handler_enter exception_os_handler_leave;
    [CLR_EXCEPTIONS] =>
        exception_clr_catcher_found exception_clr_catcher_execute;
    [EVENT_PIPE] =>
        event_pipe_event_delivered event_pipe_provider_created;
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
        let is_off = move |groups: &[Self]| !groups.iter().all(|group| self.intersects(*group));
        CALLBACKS
            .iter()
            .filter(move |(_, groups)| is_off(groups))
            .flat_map(|(callbacks, _)| *callbacks)
            .copied()
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

    #[test]
    fn the_documentation_of_every_callback_names_its_flags() {
        let documented = documented();
        assert!(documented.len() > 80, "{}", documented.len());
        for (name, groups) in &documented {
            if WITHOUT_FLAGS.contains(&name.as_str()) {
                assert!(groups.is_empty(), "{name}");
            } else if name != "hooks" {
                let listed = CALLBACKS.iter().find(|(callbacks, _)| callbacks.contains(&name.as_str()));
                assert_eq!(listed.map(|(_, groups)| *groups), Some(groups.as_slice()), "{name}");
            }
        }
        let listed = CALLBACKS.iter().flat_map(|(callbacks, _)| *callbacks).count();
        assert_eq!(listed, documented.len() - WITHOUT_FLAGS.len() - 1);
    }

    #[test]
    fn a_full_mask_delivers_every_callback() {
        assert_eq!(EventMask::all().undelivered_callbacks().count(), 0);
        assert_eq!(
            EventMask::empty().undelivered_callbacks().count(),
            documented().len() - WITHOUT_FLAGS.len() - 1
        );
    }
}
