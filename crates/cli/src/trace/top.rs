//! Time by function.

use std::io::{self, Write};

use anyhow::Result;
use clap::ValueEnum;
use recording::Omitted;

use super::calls::{Begun, Calls, each};
use super::follow::Lane;
use super::names::{FunctionId, Functions};
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
    /// The calls that were made and are not in the recording.
    omitted: Omitted,
    inclusive: u64,
    exclusive: u64,
}

/// An open call.
struct Open {
    begun: u64,
    in_children: u64,
    /// 0 for a call that was suspended before, which has been counted.
    calls: u64,
}

/// The open calls of a thread.
#[derive(Default)]
struct Stack {
    open: Vec<Open>,
    /// The number of open calls of each function: time in a recursive function counts once.
    depth: Vec<u32>,
}

#[derive(Default)]
struct Totals {
    by_function: Vec<Total>,
    /// By the index of the lane.
    stacks: Vec<Stack>,
}

/// The item with this index, which is made if it is new.
#[inline]
pub(super) fn item<T: Default>(items: &mut Vec<T>, index: usize) -> &mut T {
    if items.len() <= index {
        items.resize_with(index + 1, T::default);
    }
    &mut items[index]
}

impl Calls for Totals {
    #[inline]
    fn begin(&mut self, _: &Functions, lane: Lane, begun: Begun) -> io::Result<()> {
        let stack = item(&mut self.stacks, lane.index);
        stack.open.push(Open { begun: begun.time, in_children: 0, calls: u64::from(!begun.is_resumed) });
        *item(&mut stack.depth, begun.function.index()) += 1;
        Ok(())
    }

    #[inline]
    fn end(&mut self, lane: Lane, function: FunctionId, time: u64) -> io::Result<()> {
        let stack = item(&mut self.stacks, lane.index);
        let Some(ended) = stack.open.pop() else { return Ok(()) };
        let took = time.saturating_sub(ended.begun);
        if let Some(caller) = stack.open.last_mut() {
            caller.in_children += took;
        }
        let depth = item(&mut stack.depth, function.index());
        *depth = depth.saturating_sub(1);
        let total = item(&mut self.by_function, function.index());
        total.calls += ended.calls;
        total.exclusive += took.saturating_sub(ended.in_children);
        if *depth == 0 {
            total.inclusive += took;
        }
        Ok(())
    }
}

/// Writes the first functions of an order.
pub(super) fn write(opened: &mut Opened, by: Order, number: usize, out: &mut dyn Write) -> Result<()> {
    let mut totals = Totals::default();
    each(opened, &mut totals)?;
    let omitted = opened.omitted();
    for (function, calls) in &omitted {
        item(&mut totals.by_function, function.index()).omitted += *calls;
    }
    let totals = opened.functions.all().zip(totals.by_function);
    let mut sorted: Vec<_> = totals
        .filter(|(_, total)| total.calls > 0 || total.inclusive > 0 || total.omitted != Omitted::default())
        .collect();
    sorted.sort_by_key(|(function, total)| {
        let key = match by {
            Order::Exclusive => total.exclusive,
            Order::Inclusive => total.inclusive,
            Order::Calls => total.calls + total.omitted.calls,
        };
        (core::cmp::Reverse(key), *function)
    });
    write!(out, "{:>10} ", "calls")?;
    if !omitted.is_empty() {
        write!(out, "{:>10} ", "omitted")?;
    }
    writeln!(out, "{:>14} {:>14}  function", "inclusive ms", "exclusive ms")?;
    for (function, total) in sorted.iter().take(number) {
        write!(out, "{:>10} ", total.calls)?;
        if !omitted.is_empty() {
            let Omitted { calls, and_more } = total.omitted;
            write!(out, "{:>10} ", format!("{calls}{}", if and_more { "+" } else { "" }))?;
        }
        let (inclusive, exclusive) = (milliseconds(total.inclusive), milliseconds(total.exclusive));
        writeln!(out, "{inclusive:>14} {exclusive:>14}  {}", opened.functions.name(*function))?;
    }
    if let Some(more) = sorted.len().checked_sub(number).filter(|more| *more > 0) {
        writeln!(out, "and {more} more; -n shows more")?;
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::selection::Methods;

    #[test]
    fn time_in_a_recursive_function_counts_once() {
        let (lane, outer, inner) = (Lane::default(), FunctionId::LOST, FunctionId::of_test(1));
        let functions = Functions::new(&[], Methods::default()).unwrap();
        let mut totals = Totals::default();
        for (function, time) in [(outer, 0), (inner, 10), (inner, 20)] {
            totals.begin(&functions, lane, Begun { function, time, is_resumed: false }).unwrap();
        }
        totals.end(lane, inner, 25).unwrap();
        totals.end(lane, inner, 40).unwrap();
        totals.end(lane, outer, 50).unwrap();
        let total = |function: FunctionId| totals.by_function[function.index()];
        assert_eq!(
            total(outer),
            Total { calls: 1, omitted: Omitted::default(), inclusive: 50, exclusive: 20 }
        );
        assert_eq!(
            total(inner),
            Total { calls: 2, omitted: Omitted::default(), inclusive: 30, exclusive: 30 }
        );
    }
}
