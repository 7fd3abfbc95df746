//! The names that a thread has asked for before, where no other thread looks: no lock, and no memory in common.
//!
//! They are copies of what [`ByFunction`](super::by_function::ByFunction) has. It counts how often names were taken out of
//! it; what is at hand is good for one count, and thrown away when that has changed.

use core::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::by_function::BuildIdHasher;
use crate::{FunctionId, PerThread};

/// How many sets of names a thread has at hand: a profiler has one, as a rule.
const SETS: usize = 4;

/// Names out of one set, as of one count.
struct AtHand {
    set: u64,
    count: u64,
    names: HashMap<FunctionId, Arc<str>, BuildIdHasher>,
}

static AT_HAND: PerThread<RefCell<Vec<AtHand>>> = PerThread::new(RefCell::default);

/// The name, if the running thread has put it there since the count was what it is.
#[inline]
pub(super) fn get(set: u64, count: u64, function: FunctionId) -> Option<Arc<str>> {
    let get = |all: &RefCell<Vec<AtHand>>| {
        let all = all.try_borrow().ok()?;
        let found = all.iter().find(|at_hand| at_hand.set == set)?;
        (found.count == count).then(|| found.names.get(&function).cloned()).flatten()
    };
    // Not on a thread that is ending.
    AT_HAND.with(get).flatten()
}

/// Puts a name there, which was looked up when the count was this.
#[cold]
pub(super) fn put(set: u64, count: u64, function: FunctionId, name: &Arc<str>) {
    let put = |all: &RefCell<Vec<AtHand>>| {
        let Ok(mut all) = all.try_borrow_mut() else { return };
        let at = all.iter().position(|at_hand| at_hand.set == set).unwrap_or_else(|| {
            if all.len() == SETS {
                all.remove(0);
            }
            all.push(AtHand { set, count, names: HashMap::default() });
            all.len() - 1
        });
        let Some(at_hand) = all.get_mut(at) else { return };
        if at_hand.count != count {
            at_hand.names.clear();
            at_hand.count = count;
        }
        at_hand.names.insert(function, Arc::clone(name));
    };
    let _ = AT_HAND.with(put);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_at_hand_for_one_set_and_one_count() {
        let function = FunctionId::from_raw(8).unwrap();
        let name = Arc::from("Shop.Cart.Add");
        // Sets that no other test has.
        let set = u64::MAX - 100;
        put(set, 7, function, &name);
        assert_eq!(get(set, 7, function).as_ref(), Some(&name));
        assert_eq!(get(set, 8, function), None);
        assert_eq!(get(set + 1, 7, function), None);
        // What was there under the old count is gone, and its text is let go.
        put(set, 8, FunctionId::from_raw(16).unwrap(), &name);
        assert_eq!(get(set, 8, function), None);
        assert_eq!(Arc::strong_count(&name), 2);
    }

    #[test]
    fn the_oldest_set_makes_room() {
        let function = FunctionId::from_raw(8).unwrap();
        let name = Arc::from("Shop.Cart.Add");
        let first = u64::MAX - 50;
        for set in 0..=SETS as u64 {
            put(first + set, 0, function, &name);
        }
        assert_eq!(get(first, 0, function), None);
        assert_eq!(get(first + 1, 0, function).as_ref(), Some(&name));
    }
}
