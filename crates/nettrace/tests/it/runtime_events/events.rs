//! Events with a few fields, by version.

use nettrace::runtime_events::{
    AdjustmentReason, GcKind, GcReason, JitTier, MethodFlags, RundownEvent, RuntimeEvent, SuspendReason,
    WaitSource, ids,
};

use super::payload::Payload;

/// Decodes a payload; its parts are too short, and more bytes do not matter.
fn decoded(id: u32, version: u32, payload: &Payload, needed: usize) -> RuntimeEvent<'_> {
    for length in 0..needed {
        let error = RuntimeEvent::decode(id, version, &payload.0[..length], 8).unwrap_err();
        assert!(error.length == length && error.offset <= length, "{id}: {error:?}");
    }
    let event = RuntimeEvent::decode(id, version, &payload.0, 8).unwrap().unwrap();
    assert_eq!(event.id(), id);
    let longer = payload.clone().bytes(&[0xA5; 41]);
    let longer = RuntimeEvent::decode(id, version, &longer.0, 8).unwrap().unwrap();
    assert_eq!(longer.name(), event.name());
    event
}

#[test]
fn collections_begin_and_end() {
    let start = Payload::default().u32(7).u32(2).u32(1).u32(2).u16(9).u64(5);
    let event = decoded(ids::GC_START, 2, &start, start.0.len());
    let RuntimeEvent::GcStart(start) = event else { panic!("{event:?}") };
    assert_eq!((start.number, start.generation, start.client_sequence), (7, 2, Some(5)));
    assert_eq!((start.reason, start.kind), (GcReason::INDUCED, GcKind::FOREGROUND));
    assert!(start.reason.is_induced() && !GcReason::ALLOC_LARGE.is_induced());

    let end = Payload::default().u32(7).u32(1).u16(9);
    let event = decoded(ids::GC_END, 1, &end, 8);
    let RuntimeEvent::GcEnd(end) = event else { panic!("{event:?}") };
    assert_eq!((end.number, end.generation), (7, 1));
    // The layout of .NET Framework.
    assert_eq!(RuntimeEvent::decode(ids::GC_END, 0, &[0; 6], 8), Ok(None));

    let suspend = Payload::default().u32(6).u32(8).u16(9);
    let event = decoded(ids::GC_SUSPEND_BEGIN, 1, &suspend, 8);
    let RuntimeEvent::GcSuspendBegin(suspend) = event else { panic!("{event:?}") };
    assert_eq!((suspend.reason, suspend.number), (SuspendReason::GC_PREP, 8));
}

#[test]
fn the_heap_has_a_fifth_part_since_version_2() {
    let mut payload = (1..=10).fold(Payload::default(), Payload::u64).u32(11).u32(12).u32(13).u16(9);
    let event = decoded(ids::GC_HEAP_STATS, 1, &payload, 92);
    let RuntimeEvent::GcHeapStats(stats) = event else { panic!("{event:?}") };
    let sizes = stats.generations.map(|generation| (generation.size, generation.promoted));
    assert_eq!(sizes, [(1, 2), (3, 4), (5, 6), (7, 8)]);
    assert_eq!((stats.finalization_promoted_size, stats.finalization_promoted_count), (9, 10));
    assert_eq!((stats.pinned_objects, stats.sync_blocks, stats.handles), (11, 12, 13));
    assert_eq!(stats.pinned_heap, None);
    payload = payload.u64(14).u64(15);
    let event = decoded(ids::GC_HEAP_STATS, 2, &payload, payload.0.len());
    let RuntimeEvent::GcHeapStats(stats) = event else { panic!("{event:?}") };
    assert_eq!(stats.pinned_heap.map(|heap| (heap.size, heap.promoted)), Some((14, 15)));
}

#[test]
fn contention_has_an_owner_since_version_2() {
    let payload = Payload::default().u8(0).u16(9).u64(0x10).u64(0x20).u64(4711);
    let event = decoded(ids::CONTENTION_START, 1, &payload, 3);
    let RuntimeEvent::ContentionStart(start) = event else { panic!("{event:?}") };
    assert_eq!((start.lock, start.object, start.owner), (None, None, None));
    let event = decoded(ids::CONTENTION_START, 2, &payload, payload.0.len());
    let RuntimeEvent::ContentionStart(start) = event else { panic!("{event:?}") };
    assert_eq!((start.lock, start.object, start.owner), (Some(0x10), Some(0x20), Some(4711)));

    let payload = Payload::default().u8(1).u16(9).f64(1.5e6);
    let event = decoded(ids::CONTENTION_STOP, 1, &payload, payload.0.len());
    let RuntimeEvent::ContentionStop(stop) = event else { panic!("{event:?}") };
    assert_eq!((stop.flags.0, stop.duration), (1, Some(1.5e6)));

    let payload = Payload::default().u32(0x10).u32(0x20).u16(9);
    let event = RuntimeEvent::decode(ids::CONTENTION_LOCK_CREATED, 0, &payload.0, 4).unwrap();
    let Some(RuntimeEvent::LockCreated(created)) = event else { panic!("{event:?}") };
    assert_eq!((created.lock, created.object), (0x10, 0x20));
}

/// Payloads that .NET 9.0.1 and 11.0.0 have written, of a `Monitor.Wait` and of a `WaitHandle.WaitOne`.
#[test]
fn waits_for_handles_have_a_source_and_an_object() {
    for (bytes, source, object) in [
        ([1, 0xE8, 0x92, 0x8A, 0xAE, 0x48, 0x7F, 0, 0, 0, 0], WaitSource::MONITOR_WAIT, 0x7F48_AE8A_92E8),
        ([0, 0xC8, 0xE6, 0x8A, 0xF9, 0xEE, 0x7F, 0, 0, 0, 0], WaitSource::UNKNOWN, 0x7FEE_F98A_E6C8),
        ([0; 11], WaitSource::UNKNOWN, 0),
    ] {
        let payload = Payload::default().bytes(&bytes);
        let event = decoded(ids::WAIT_HANDLE_WAIT_START, 0, &payload, 9);
        let RuntimeEvent::WaitHandleWaitStart(start) = event else { panic!("{event:?}") };
        assert_eq!((start.source, start.object), (source, object));
    }
    let stop = Payload::default().bytes(&[0, 0]);
    let event = decoded(ids::WAIT_HANDLE_WAIT_STOP, 0, &stop, 0);
    assert!(matches!(event, RuntimeEvent::WaitHandleWaitStop(_)), "{event:?}");
    assert_eq!(event.name(), "WaitHandleWaitStop");
}

#[test]
fn exceptions_have_texts() {
    let payload = Payload::default().text("Shop.Küche").text("a").u64(0x30).u32(0x8013_1500).u16(5);
    let event = decoded(ids::EXCEPTION_THROWN, 1, &payload, payload.0.len());
    let RuntimeEvent::ExceptionThrown(thrown) = event else { panic!("{event:?}") };
    assert_eq!(thrown.type_name, "Shop.Küche");
    assert_eq!((thrown.message.to_string(), thrown.address, thrown.hresult), ("a".into(), 0x30, 0x8013_1500));
    assert_eq!(thrown.flags.0, 5);
    let payload = Payload::default().u64(1).u64(2).text("M");
    for id in [ids::EXCEPTION_CATCH_START, ids::EXCEPTION_FINALLY_START, ids::EXCEPTION_FILTER_START] {
        decoded(id, 0, &payload, payload.0.len());
    }
}

#[test]
fn methods_have_names_and_tiers() {
    let head = Payload::default().u64(1).u64(2).u64(0x4000).u32(96).u32(0x0600_0001).u32(0x208);
    let payload = head.clone().u16(9).u64(3);
    let event = decoded(ids::METHOD_LOAD, 2, &payload, payload.0.len());
    let RuntimeEvent::MethodLoad(method) = event else { panic!("{event:?}") };
    assert_eq!((method.start, method.size, method.token, method.rejit), (0x4000, 96, 0x0600_0001, Some(3)));
    let payload = head.text("Shop.Cart").text("Add").text("void  (int32)").u16(9).u64(3);
    let event = decoded(ids::METHOD_LOAD_VERBOSE, 2, &payload, payload.0.len());
    let RuntimeEvent::MethodLoadVerbose(method) = event else { panic!("{event:?}") };
    assert!(method.namespace == "Shop.Cart" && method.name == "Add" && method.signature == "void  (int32)");
    assert!(method.flags.contains(MethodFlags::JITTED) && method.flags.tier() == JitTier::TIER1);
    // The rundown provider has other numbers for the same fields.
    let rundown = RundownEvent::decode(144, 2, &payload.0, 8).unwrap();
    assert_eq!(rundown, Some(RundownEvent::VerboseMethod(method)));

    let payload = Payload::default().u64(1).u64(2).u32(3).u32(4).text("T").text("M").text("void  ()").u16(9);
    let event = decoded(ids::METHOD_JITTING_STARTED, 1, &payload, payload.0.len() - 2);
    let RuntimeEvent::JittingStarted(started) = event else { panic!("{event:?}") };
    assert_eq!((started.token, started.il_size), (3, 4));

    let payload = Payload::default().u64(1).text("T").text("M").text("void  ()").u64(0x50).u16(9);
    let event = decoded(ids::R2R_GET_ENTRY_POINT, 0, &payload, payload.0.len() - 2);
    let RuntimeEvent::R2rEntryPoint(entry) = event else { panic!("{event:?}") };
    assert_eq!((entry.method, entry.entry_point), (1, 0x50));

    let payload = Payload::default().u64(1).u64(2).u32(3).u32(2).u64(4).u64(5).u64(6);
    let event = decoded(ids::METHOD_DETAILS, 0, &payload, payload.0.len());
    let RuntimeEvent::MethodDetails(details) = event else { panic!("{event:?}") };
    assert_eq!(details.parameters.map(Result::unwrap).collect::<Vec<_>>(), [5, 6]);

    let payload = Payload::default().u64(1).u64(2).u8(0).u16(2).u32(10).u32(11).u32(20).u32(21).u16(9);
    let event = decoded(ids::METHOD_IL_TO_NATIVE_MAP, 0, &payload, payload.0.len() - 2);
    let RuntimeEvent::IlToNativeMap(map) = event else { panic!("{event:?}") };
    assert_eq!(map.il_offsets.zip(map.native_offsets).last(), Some((Ok(11), Ok(21))));
}

#[test]
fn modules_have_their_pdb_since_version_2() {
    let payload = Payload::default().u64(1).u64(2).u32(8).u32(0).text("/a.dll").text("").u16(9);
    let event = decoded(ids::MODULE_LOAD, 0, &payload, payload.0.len() - 2);
    let RuntimeEvent::ModuleLoad(module) = event else { panic!("{event:?}") };
    assert!(module.il_path == "/a.dll" && module.native_path.is_empty() && module.pdb_path.is_none());
    let id: [u8; 16] = core::array::from_fn(|index| u8::try_from(index).unwrap());
    let payload = payload.bytes(&id).u32(1).text("a.pdb").bytes(&id).u32(0).text("");
    let event = decoded(ids::MODULE_LOAD, 2, &payload, payload.0.len() - 22);
    let RuntimeEvent::ModuleLoad(module) = event else { panic!("{event:?}") };
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    assert_eq!((module.pdb_signature, module.pdb_age), (Some(order), Some(1)));
    assert_eq!(module.pdb_path.unwrap().to_string(), "a.pdb");

    let payload = Payload::default().u64(1).u64(2).u64(3).u32(4).text("a, Version=1.0.0.0").u16(9);
    let event = decoded(ids::ASSEMBLY_LOAD, 1, &payload, payload.0.len() - 2);
    let RuntimeEvent::AssemblyLoad(assembly) = event else { panic!("{event:?}") };
    assert!((assembly.binding, assembly.flags) == (3, 4) && assembly.name == "a, Version=1.0.0.0");

    let payload = Payload::default().u32(1).u16(9).u16(4).u64(5).text("T");
    let event = decoded(ids::TYPE_LOAD_STOP, 0, &payload, payload.0.len());
    let RuntimeEvent::TypeLoadStop(stop) = event else { panic!("{event:?}") };
    assert_eq!((stop.id, stop.level, stop.type_id), (1, 4, 5));
}

#[test]
fn tiers_and_threads_have_numbers() {
    let payload = Payload::default().u16(9).u32(3).u32(4);
    let event = decoded(ids::TIERED_COMPILATION_BACKGROUND_JIT_STOP, 0, &payload, payload.0.len());
    let RuntimeEvent::BackgroundJitStop(stop) = event else { panic!("{event:?}") };
    assert_eq!((stop.pending, stop.jitted), (3, 4));
    let payload = Payload::default().f64(2.5).u32(8).u32(6).u16(9);
    let event = decoded(ids::THREAD_POOL_ADJUSTMENT, 0, &payload, payload.0.len() - 2);
    let RuntimeEvent::Adjustment(adjustment) = event else { panic!("{event:?}") };
    assert_eq!((adjustment.average_throughput, adjustment.new_count), (2.5, 8));
    assert_eq!(adjustment.reason, AdjustmentReason::STARVATION);
    let payload = Payload::default().u32(8).u32(1).u16(9);
    let event = decoded(ids::THREAD_POOL_WORKER_THREAD_START, 0, &payload, 8);
    let RuntimeEvent::WorkerThreadStart(workers) = event else { panic!("{event:?}") };
    assert_eq!((workers.active, workers.retired), (8, 1));
}

#[test]
fn newer_versions_keep_what_is_known() {
    let start = Payload::default().u32(7).u32(2).u32(1).u32(0).u16(9).u64(5).bytes(&[0xA5; 9]);
    let event = |version| RuntimeEvent::decode(ids::GC_START, version, &start.0, 8);
    assert_eq!(event(2), event(9));
    let contention = Payload::default().u8(0).u16(9).u64(0x10).u64(0x20).u64(4711).bytes(&[0xA5; 9]);
    let event = |version| RuntimeEvent::decode(ids::CONTENTION_START, version, &contention.0, 8);
    assert_eq!(event(2), event(9));
    let stats =
        (1..=10).fold(Payload::default(), Payload::u64).u32(11).u32(12).u32(13).u16(9).u64(14).u64(15);
    let event = |version| RuntimeEvent::decode(ids::GC_HEAP_STATS, version, &stats.0, 8);
    assert_eq!(event(2), event(9));
}

#[test]
fn unknown_events_are_none() {
    assert_eq!(RuntimeEvent::decode(9_999, 0, &[], 8), Ok(None));
    assert_eq!(RundownEvent::decode(9_999, 0, &[], 8), Ok(None));
}

#[test]
fn histories_of_heaps_have_generations() {
    let head = Payload::default().u16(9).u64(1).u64(2).u64(3).u64(4).u64(5).u64(6);
    let head = head.u32(7).u32(8).u32(9).u32(10).u32(11).u32(12).u64(13).u32(2);
    let payload = (0..20).fold(head, Payload::u64);
    let event = decoded(ids::GC_PER_HEAP_HISTORY, 3, &payload, payload.0.len());
    let RuntimeEvent::GcHeapHistory(history) = event else { panic!("{event:?}") };
    assert_eq!((history.condemn_reasons, history.heap, history.extra_commit), ([8, 9], 12, 13));
    let generations: Vec<_> = history.generations.map(Result::unwrap).collect();
    assert_eq!(generations.iter().map(|of| of.size_before).collect::<Vec<_>>(), [0, 10]);
    assert_eq!(generations.iter().map(|of| of.new_allocation).collect::<Vec<_>>(), [9, 19]);
    // The layouts before .NET Core.
    assert_eq!(RuntimeEvent::decode(ids::GC_PER_HEAP_HISTORY, 2, &payload.0, 8), Ok(None));

    let payload = Payload::default().u32(1).u32(0).u32(2).u16(9).u32(3);
    let event = decoded(ids::GC_JOIN, 2, &payload, payload.0.len());
    let RuntimeEvent::GcJoin(join) = event else { panic!("{event:?}") };
    assert_eq!((join.heap, join.time, join.kind, join.step), (1, 0, 2, 3));

    let payload = Payload::default().u32(0x10).u32(0x20).u32(3).u64(72).u16(9);
    let event = RuntimeEvent::decode(ids::GC_SAMPLED_OBJECT_ALLOCATION_LOW, 0, &payload.0, 4).unwrap();
    let Some(RuntimeEvent::SampledAllocationLow(sampled)) = event else { panic!("{event:?}") };
    assert_eq!((sampled.object, sampled.type_id, sampled.count, sampled.bytes), (0x10, 0x20, 3, 72));
}

#[test]
fn handlers_and_stubs_have_names() {
    let payload = Payload::default().u16(9).text("A").text("H").text("Default").text("A, V").text("/a.dll");
    let event = decoded(ids::ASSEMBLY_LOAD_CONTEXT_RESOLVING_HANDLER_INVOKED, 0, &payload, payload.0.len());
    let RuntimeEvent::ContextHandler(handler) = event else { panic!("{event:?}") };
    assert!(handler.handler == "H" && handler.context == "Default" && handler.found_path == "/a.dll");

    let payload = Payload::default().u16(9).text("A").u32(1).text("/b.dll").text("/a.dll");
    let event = decoded(ids::ASSEMBLY_LOAD_FROM_RESOLVE_HANDLER_INVOKED, 0, &payload, payload.0.len());
    let RuntimeEvent::LoadFromHandler(handler) = event else { panic!("{event:?}") };
    assert!(handler.is_tracked && handler.requesting_path == "/b.dll" && handler.path == "/a.dll");

    let payload = Payload::default().u16(9).u64(1).u64(2).u32(3).text("T").text("M").text("void  ()");
    let event = decoded(ids::IL_STUB_CACHE_HIT, 0, &payload, payload.0.len());
    let RuntimeEvent::IlStubReuse(reuse) = event else { panic!("{event:?}") };
    assert!((reuse.stub, reuse.token) == (2, 3) && reuse.method.name == "M");

    let payload = Payload::default().u16(9).u32(0x208).u32(3).u64(1).bytes(&[7, 8, 9]);
    let event = decoded(ids::JIT_INSTRUMENTATION_DATA, 0, &payload, payload.0.len());
    let RuntimeEvent::JitProfile(profile) = event else { panic!("{event:?}") };
    assert_eq!((profile.method, profile.data), (1, &[7, 8, 9][..]));
}
