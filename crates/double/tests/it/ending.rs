//! When the runtime ends, or lets go of the profiler, it is not called any more.
//!
//! Contract of the unsafe code here: an object id is made of an address that the test's runtime has just given, and
//! which stays until the test collects.
#![allow(unsafe_code)]

use core::time::Duration;
use std::sync::{Mutex, PoisonError};

use corprof::{
    Error, EventMask, FunctionId, HResult, HandleKind, ObjectHandle, ObjectId, Profiler, ProfilerInfo, Result,
};
use corprof_double::{Runtime, Version};

/// Keeps handles for longer than it should.
struct Keeper {
    info: ProfilerInfo,
    kept: Mutex<Vec<ObjectHandle>>,
}

impl Keeper {
    fn keep(&self, address: usize) -> Result<()> {
        // SAFETY: the address is that of an object of the runtime, which does not collect meanwhile.
        let object = unsafe { ObjectId::from_raw(address) }.ok_or_else(|| Error::other("a null object"))?;
        let handle = self.info.create_handle(object, HandleKind::Strong)?;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        Ok(())
    }
}

impl Profiler for Keeper {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS)?;
        Ok(Self { info: info.clone(), kept: Mutex::default() })
    }

    fn shutdown(&self) {
        // Here it still answers.
        self.info.event_mask().unwrap();
    }
}

fn is_ended<T>(answer: Result<T>) -> bool {
    matches!(answer, Err(Error::Ended { .. }))
}

#[test]
fn after_shutdown_nothing_is_called() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Keeper>().unwrap();
    let text = runtime.address(session.string("kept"));
    let keeper = session.profiler();
    keeper.keep(text).unwrap();
    keeper.keep(text).unwrap();
    assert_eq!(runtime.held().last().unwrap(), "2 handles");
    let (info, kept) = (keeper.info.clone(), core::mem::take(&mut *keeper.kept.lock().unwrap()));
    session.shutdown_while_running();
    let called = runtime.called();
    // SAFETY: the object is the test's, and stays where it is.
    let object = unsafe { ObjectId::from_raw(text) }.unwrap();
    for handle in kept {
        assert!(is_ended(handle.object(object).map(drop)));
        drop(handle);
    }
    assert!(is_ended(info.event_mask()) && is_ended(info.threads()) && is_ended(keeper.keep(text)));
    assert_eq!(runtime.called(), called);
    drop((session, info));
    runtime.assert_released();
}

#[test]
fn what_is_kept_beyond_a_detach_is_not_given_back() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Keeper>().unwrap();
    let text = runtime.address(session.string("kept"));
    session.profiler().keep(text).unwrap();
    let info = &session.profiler().info;
    session.native_thread(|| info.request_detach(Duration::ZERO)).unwrap();
    let called = runtime.called();
    session.finish_detach();
    assert_eq!(runtime.called(), called);
    assert_eq!(runtime.held(), ["1 handles"]);
}

/// Requests a detach that the runtime refuses, while an exception is in flight.
struct Immutable(ProfilerInfo);

impl Profiler for Immutable {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS | EventMask::CODE_TRANSITIONS)?;
        Ok(Self(info.clone()))
    }

    fn exception_search_function_enter(&self, _: FunctionId) {
        let refused = self.0.request_detach(Duration::ZERO).unwrap_err();
        assert_eq!(refused.hresult(), HResult::CORPROF_E_IMMUTABLE_FLAGS_SET);
    }
}

#[test]
fn a_detach_that_is_refused_leaves_exceptions_in_their_places() {
    let runtime = Runtime::new(Version::NET_9);
    let module = runtime.module("App");
    let method = module.class("App.Program").method("Run").is_static().define();
    let session = runtime.start::<Immutable>().unwrap();
    session.load(module);
    let exception = session.object(&runtime.exception(), &[]);
    let pinned = || runtime.held().into_iter().filter(|held| held.ends_with("handles")).collect::<Vec<_>>();
    let _ = session.call_catching(
        &method,
        &[],
        || Err(session.throw(exception)),
        |_| {
            assert_eq!(pinned(), ["1 handles"]);
            Ok(().into())
        },
    );
    assert_eq!(session.failures(), []);
    assert!(runtime.event_mask().contains(EventMask::EXCEPTIONS));
    session.shutdown();
    assert_eq!(runtime.misuse(), [""; 0]);
}
