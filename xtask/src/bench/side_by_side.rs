//! Two measurements at the same time, each on a processor of its own.

use std::thread;

use anyhow::Result;

/// Runs both at once, `first` on the first of two processors and `second` on the other: what they start stays there, too.
///
/// # Errors
///
/// When one of them fails; there are no two processors for this process; the system is not Linux.
pub(super) fn run<T: Send>(
    first: impl FnOnce() -> Result<T> + Send,
    second: impl FnOnce() -> Result<T> + Send,
) -> Result<(T, T)> {
    let [here, there] = processors()?;
    let on = |processor: usize, work: Box<dyn FnOnce() -> Result<T> + Send + '_>| {
        pin(processor)?;
        work()
    };
    let (first, second) = (Box::new(first), Box::new(second));
    // Threads of their own: this one may use all processors afterwards.
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(move || on(here, first));
        let second = scope.spawn(move || on(there, second));
        (first.join(), second.join())
    });
    let done =
        |result: thread::Result<Result<T>>| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok((done(first)?, done(second)?))
}

/// The first two processors that this process may use.
#[cfg(target_os = "linux")]
fn processors() -> Result<[usize; 2]> {
    use anyhow::Context as _;
    use rustix::thread::{CpuSet, sched_getaffinity};

    let set = sched_getaffinity(None)?;
    let mut allowed = (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor));
    let mut next =
        || allowed.next().context("two runs are compared at the same time, on two processors; there is one");
    Ok([next()?, next()?])
}

/// This thread and what it starts run on one processor from now on.
#[cfg(target_os = "linux")]
fn pin(processor: usize) -> Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

#[cfg(not(target_os = "linux"))]
fn processors() -> Result<[usize; 2]> {
    anyhow::bail!("two runs are compared at the same time, each on a processor of its own: on Linux only")
}

#[cfg(not(target_os = "linux"))]
fn pin(_: usize) -> Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The processors of a program, as the system shows them to it.
    fn allowed() -> Result<String> {
        let output =
            std::process::Command::new("grep").args(["Cpus_allowed_list", "/proc/self/status"]).output()?;
        Ok(String::from_utf8(output.stdout)?.trim_start_matches("Cpus_allowed_list:").trim().to_owned())
    }

    #[test]
    fn each_program_has_one_processor() -> Result<()> {
        let before = allowed()?;
        if processors().is_err() {
            println!("there is one processor");
            return Ok(());
        }
        let (first, second) = run(allowed, allowed)?;
        assert!(first.parse::<usize>()? != second.parse::<usize>()?, "{first} {second}");
        assert_eq!(allowed()?, before);
        Ok(())
    }
}
