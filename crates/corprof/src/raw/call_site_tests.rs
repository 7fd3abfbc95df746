use super::*;

/// On a thread of its own.
fn apart(test: impl FnOnce() + Send + 'static) {
    std::thread::spawn(test).join().unwrap();
}

/// Where a call is refused; the runtime knows the thread if `is_managed`.
fn refused(class: Class, is_managed: bool) -> Option<CallSite> {
    match Scope::call("test", class, 8, || is_managed) {
        Ok(_) => None,
        Err(Error::Misplaced { site, .. }) => Some(site),
        Err(other) => panic!("{other}"),
    }
}

/// Runs the rest inside of a call that may be made everywhere.
fn called(is_managed: bool) -> Scope {
    Scope::call("test", Class::Reads, 8, || is_managed).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_managed_thread_outside_of_callbacks_may_be_in_a_hook() {
    apart(|| {
        assert_eq!(refused(Class::Collects, true), Some(CallSite::Hook));
        assert_eq!(refused(Class::Reads, true), None);
        let callback = Scope::callback(Event::Callback);
        assert_eq!(refused(Class::Collects, true), None);
        assert_eq!(refused(Class::OnOwnThread, true), Some(CallSite::Callback));
        drop(callback);
        assert_eq!(refused(Class::Collects, true), Some(CallSite::Hook));
    });
}

#[test]
fn each_callback_forbids_what_would_collect_or_wait() {
    apart(|| {
        let expected = [
            (
                Event::Objects,
                Some(CallSite::WithObjects),
                Some(CallSite::WithObjects),
                Some(CallSite::WithObjects),
            ),
            (Event::Collection, Some(CallSite::Collection), None, Some(CallSite::Collection)),
            (Event::Suspension, Some(CallSite::Suspension), None, Some(CallSite::Suspension)),
            (Event::Callback, None, None, Some(CallSite::Callback)),
        ];
        for (event, collects, lists, walks) in expected {
            let _callback = Scope::callback(event);
            assert_eq!(refused(Class::Collects, false), collects, "{event:?}");
            assert!(refused(Class::OnOwnThread, false).is_some(), "{event:?}");
            assert_eq!(refused(Class::ListsThreads, false), lists, "{event:?}");
            assert_eq!(refused(Class::WalksHeap, false), walks, "{event:?}");
        }
        for (event, expected) in
            [(Event::Suspension, CallSite::Suspension), (Event::Collection, CallSite::Collection)]
        {
            let _callback = Scope::callback(event);
            let nine = Scope::call("test", Class::ListsThreads, 9, || false);
            assert!(matches!(nine, Err(Error::Misplaced { site, .. }) if site == expected), "{event:?}");
        }
    });
}

#[test]
fn what_runs_managed_code_or_stops_the_program_needs_a_thread_without_locks() {
    apart(|| {
        for (event, expected) in [
            (Event::Lifecycle, None),
            (Event::Callback, Some(CallSite::Callback)),
            (Event::ThreadCreated, Some(CallSite::Callback)),
            (Event::Objects, Some(CallSite::WithObjects)),
            (Event::Collection, Some(CallSite::Collection)),
        ] {
            let _callback = Scope::callback(event);
            assert_eq!(refused(Class::Unlocked, true), expected, "{event:?}");
        }
        assert_eq!(refused(Class::Unlocked, true), Some(CallSite::Hook));
        // A callback about the profiler that comes inside of another one.
        let _compilation = Scope::callback(Event::Callback);
        let _attached = Scope::callback(Event::Lifecycle);
        assert_eq!(refused(Class::Unlocked, true), Some(CallSite::Callback));
    });
    apart(|| assert_eq!(refused(Class::Unlocked, false), None));
    apart(|| {
        // On a thread of the profiler's own that has suspended the runtime, the heap is walked and no other thing stopped.
        assert_eq!(refused(Class::Unlocked, false), None);
        set_suspended(true);
        assert_eq!(refused(Class::Unlocked, false), Some(CallSite::Suspended));
        assert_eq!(refused(Class::WalksHeap, false), None);
        set_suspended(false);
    });
}

#[test]
fn a_callback_inside_of_a_call_is_bound_by_the_place_of_the_call() {
    apart(|| {
        // A hook drops a handle.
        let call = called(true);
        let inner = Scope::callback(Event::Callback);
        assert_eq!(refused(Class::Collects, true), Some(CallSite::Hook));
        drop((inner, call));
        // A callback with an object does.
        let outer = Scope::callback(Event::Objects);
        let call = called(true);
        let inner = Scope::callback(Event::Callback);
        assert_eq!(refused(Class::Collects, true), Some(CallSite::WithObjects));
        drop((inner, call, outer));
        // A callback without objects does.
        let _outer = Scope::callback(Event::Callback);
        let _call = called(true);
        let _inner = Scope::callback(Event::Callback);
        assert_eq!(refused(Class::Collects, true), None);
    });
}

#[test]
fn a_hook_on_a_thread_of_the_profilers_own_is_inside_of_a_call() {
    apart(|| {
        assert_eq!(refused(Class::Collects, false), None);
        // Some calls make it managed, and run managed code on it.
        assert_eq!(refused(Class::Collects, true), None);
        let call = called(true);
        assert_eq!(refused(Class::Collects, true), Some(CallSite::InsideCall));
        drop(call);
        let _callback = Scope::callback(Event::Callback);
        let _call = called(true);
        assert_eq!(refused(Class::Collects, true), Some(CallSite::InsideCall));
    });
}

#[test]
fn a_native_thread_that_becomes_managed_by_the_program_is_not_the_profilers_own() {
    apart(|| {
        assert_eq!(refused(Class::Collects, false), None);
        {
            let _call = called(false);
            let _created = Scope::callback(Event::ThreadCreated);
        }
        assert_eq!(refused(Class::Collects, true), None, "a call of the profiler's made it managed");
        drop(Scope::callback(Event::ThreadCreated));
        assert_eq!(refused(Class::Collects, true), Some(CallSite::Hook));
    });
}

#[test]
fn a_suspension_lasts_beyond_the_scope_in_which_it_began() {
    apart(|| {
        let callback = Scope::callback(Event::Callback);
        set_suspended(true);
        drop(callback);
        assert_eq!(refused(Class::Collects, false), Some(CallSite::Suspended));
        assert_eq!(refused(Class::ListsThreads, false), None);
        assert_eq!(refused(Class::WalksHeap, false), None);
        assert!(require_own("test", || false).is_err());
        let call = called(false);
        set_suspended(false);
        drop(call);
        assert_eq!(refused(Class::Collects, false), None);
        assert!(require_own("test", || false).is_ok());
    });
}
