//! Time by function.

use std::collections::HashMap;
use std::io::Write;

use anyhow::Result;
use clap::ValueEnum;
use recording::Thread;

use super::calls::{Calls, each};
use super::names::FunctionId;
use super::opened::Opened;
use super::tree::milliseconds;

/// The sort order of functions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Order {
    /// The time in the function itself
    Exclusive,
    /// The time in the function and what it calls
    Inclusive,
    /// The number of calls
    Calls,
}

/// The totals of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Total {
    calls: u64,
    inclusive: u64,
    exclusive: u64,
}

/// An open call.
struct Open {
    begun: u64,
    in_children: u64,
}

#[derive(Default)]
struct Totals {
    by_function: HashMap<FunctionId, Total>,
    open: HashMap<u32, Vec<Open>>,
    /// The number of open calls of a function on a thread: time in a recursive function counts once.
    depth: HashMap<(u32, FunctionId), u32>,
}

impl Calls for Totals {
    fn begin(&mut self, thread: Thread, function: FunctionId, time: u64) {
        self.open.entry(thread.number).or_default().push(Open { begun: time, in_children: 0 });
        *self.depth.entry((thread.number, function)).or_default() += 1;
    }

    fn end(&mut self, thread: Thread, function: FunctionId, time: u64) {
        let open = self.open.entry(thread.number).or_default();
        let Some(ended) = open.pop() else { return };
        let took = time.saturating_sub(ended.begun);
        if let Some(caller) = open.last_mut() {
            caller.in_children += took;
        }
        let depth = self.depth.entry((thread.number, function)).or_default();
        *depth = depth.saturating_sub(1);
        let total = self.by_function.entry(function).or_default();
        total.calls += 1;
        total.exclusive += took.saturating_sub(ended.in_children);
        if *depth == 0 {
            total.inclusive += took;
        }
    }
}

/// Writes the first functions of an order.
pub(super) fn write(opened: &mut Opened, by: Order, number: usize, out: &mut dyn Write) -> Result<()> {
    let mut totals = Totals::default();
    each(opened, &mut totals)?;
    let mut sorted: Vec<_> = totals.by_function.into_iter().collect();
    sorted.sort_by_key(|(function, total)| {
        let key = match by {
            Order::Exclusive => total.exclusive,
            Order::Inclusive => total.inclusive,
            Order::Calls => total.calls,
        };
        (core::cmp::Reverse(key), *function)
    });
    writeln!(out, "{:>10} {:>14} {:>14}  function", "calls", "inclusive ms", "exclusive ms")?;
    for (function, Total { calls, inclusive, exclusive }) in sorted.iter().take(number) {
        let (inclusive, exclusive) = (milliseconds(*inclusive), milliseconds(*exclusive));
        let name = opened.functions.name(*function);
        writeln!(out, "{calls:>10} {inclusive:>14} {exclusive:>14}  {name}")?;
    }
    if let Some(more) = sorted.len().checked_sub(number).filter(|more| *more > 0) {
        writeln!(out, "and {more} more; -n shows more")?;
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_a_recursive_function_counts_once() {
        let (thread, outer, inner) = (Thread::default(), FunctionId::LOST, FunctionId::of_test(1));
        let mut totals = Totals::default();
        totals.begin(thread, outer, 0);
        totals.begin(thread, inner, 10);
        totals.begin(thread, inner, 20);
        totals.end(thread, inner, 25);
        totals.end(thread, inner, 40);
        totals.end(thread, outer, 50);
        let total = |function| totals.by_function[&function];
        assert_eq!(total(outer), Total { calls: 1, inclusive: 50, exclusive: 20 });
        assert_eq!(total(inner), Total { calls: 2, inclusive: 30, exclusive: 30 });
    }
}
