//! Fast-path hooks keep every register in which there may be a value.
//!
//! The lowest bits of a method's client id say which vector registers its stubs need not keep: 1 on enter, 2 on leave.
#![cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", unix)))]
#![allow(clippy::unwrap_used, reason = "of what the test itself has set up")]

use corprof::{EventMask, FunctionHooks, FunctionId, Hooks, Profiler, ProfilerInfo, Result};
use corprof_double::{Class, Runtime, Type, Version};

/// Hooks every method, and reads nothing.
struct Counts;

impl Profiler for Counts {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENTER_LEAVE)?;
        Ok(Self)
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::fast()
    }
}

impl FunctionHooks for Counts {
    type Function = ();

    fn map_function(&self, _: FunctionId) -> Option<()> {
        Some(())
    }
}

/// What need not be kept, for static methods of an `int` with these results.
fn unused(version: Version, results: impl Fn(&[Class<'_>; 4]) -> Vec<Type>) -> Vec<usize> {
    let runtime = Runtime::new(version);
    let core = runtime.core_lib();
    let tasks = [
        core.class("System.Threading.Tasks.Task"),
        core.class("System.Threading.Tasks.Task`1").generic(&["TResult"]),
        core.value_type("System.Threading.Tasks.ValueTask"),
        core.value_type("System.Threading.Tasks.ValueTask`1").generic(&["TResult"]),
    ];
    let program = runtime.module("Program");
    let class = program.class("Program");
    let methods: Vec<_> = (results(&tasks).into_iter().enumerate())
        .map(|(index, result)| {
            class.method(&format!("M{index}")).is_static().param("a", Type::I4).returns(result).define()
        })
        .collect();
    let session = runtime.start::<Counts>().unwrap();
    session.load(program);
    methods
        .iter()
        .map(|method| {
            session.compile(method);
            session.client_id(method).unwrap() & 3
        })
        .collect()
}

/// `Task`, `Task<double>`, `Task<int>`, `ValueTask`, `ValueTask<double>`.
fn tasks([task, task_of, value_task, value_task_of]: &[Class<'_>; 4]) -> Vec<Type> {
    let of = |class: &Class<'_>, ty| Type::from(&class.of(&[ty]));
    vec![
        task.into(),
        of(task_of, Type::R8),
        of(task_of, Type::I4),
        value_task.into(),
        of(value_task_of, Type::R8),
    ]
}

/// `int`, `string`, `double`.
fn others(_: &[Class<'_>; 4]) -> Vec<Type> {
    vec![Type::I4, Type::String, Type::R8]
}

#[test]
fn registers_of_tasks_results_are_kept_since_net_11() {
    assert_eq!(unused(Version::NET_10, tasks), [3, 3, 3, 1, 1]);
    assert_eq!(unused(Version::NET_11, tasks), if cfg!(target_arch = "x86_64") { [1; 5] } else { [0; 5] });
}

#[test]
fn methods_without_values_in_vector_registers_say_so() {
    let expected = if cfg!(target_arch = "x86_64") { [3, 3, 1] } else { [0; 3] };
    assert_eq!(unused(Version::NET_10, others), [3, 3, 1]);
    assert_eq!(unused(Version::NET_11, others), expected);
}

#[test]
fn a_runtime_that_was_not_measured_has_all_registers_kept() {
    for version in [Version::NET_11.with_major(12), Version::NET_11.with_major(99)] {
        assert_eq!(unused(version, tasks), [0; 5]);
        assert_eq!(unused(version, others), [0; 3]);
    }
}
