//! The code of dynamic methods, by address and time: their memory is used again after they are unloaded.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use corprof::{CodeRegion, FunctionId};

/// A region of code.
#[derive(Debug)]
struct Region {
    end: usize,
    name: Arc<str>,
    /// When the code was loaded: it did not run before.
    since: Duration,
    /// When the code was unloaded.
    until: Option<Duration>,
}

/// The regions of dynamic methods that are loaded, or whose samples have not all been named.
#[derive(Debug, Default)]
pub(crate) struct DynamicCode {
    /// By the first address; in the order in which they were loaded.
    regions: BTreeMap<usize, Vec<Region>>,
    starts: HashMap<FunctionId, Vec<usize>>,
}

impl DynamicCode {
    /// A method has been compiled.
    pub(crate) fn add(
        &mut self,
        function: FunctionId,
        regions: &[CodeRegion],
        name: &Arc<str>,
        now: Duration,
    ) {
        for region in regions {
            let loaded = self.regions.entry(region.start).or_default();
            for old in loaded.iter_mut() {
                old.until.get_or_insert(now);
            }
            let end = region.start.saturating_add(region.size);
            loaded.push(Region { end, name: Arc::clone(name), since: now, until: None });
            self.starts.entry(function).or_default().push(region.start);
        }
    }

    /// A method is unloaded.
    pub(crate) fn unload(&mut self, function: FunctionId, now: Duration) {
        for start in self.starts.remove(&function).unwrap_or_default() {
            for region in self.regions.get_mut(&start).into_iter().flatten() {
                region.until.get_or_insert(now);
            }
        }
    }

    /// Returns the name of the method that was at an address at a time.
    pub(crate) fn find(&self, address: usize, at: Duration) -> Option<&Arc<str>> {
        // Regions that begin at different addresses may overlap if one of them has been unloaded.
        let mut before = self.regions.range(..=address).rev().take(8).flat_map(|(_, regions)| regions);
        let found = before.find(|region| {
            address < region.end && region.since <= at && region.until.is_none_or(|until| at <= until)
        });
        found.map(|region| &region.name)
    }

    /// Forgets what was unloaded before a time from which on all samples have been named.
    pub(crate) fn forget(&mut self, before: Duration) {
        self.regions.retain(|_, regions| {
            regions.retain(|region| region.until.is_none_or(|until| until >= before));
            !regions.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(unsafe_code, reason = "ids of tests")]

    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn addresses_are_those_of_the_method_of_that_time() {
        // SAFETY: the ids are compared only.
        let id = |number| unsafe { FunctionId::from_raw(number) }.unwrap();
        let mut code = DynamicCode::default();
        let region = |start, size| [CodeRegion { start, size }];
        code.add(id(1), &region(100, 10), &"first".into(), seconds(1));
        code.unload(id(1), seconds(5));
        code.add(id(2), &region(100, 20), &"second".into(), seconds(6));
        code.unload(id(2), seconds(7));
        code.add(id(3), &region(104, 4), &"third".into(), seconds(8));
        let find = |code: &DynamicCode, address, at| code.find(address, seconds(at)).map(ToString::to_string);
        for (address, at, name) in [
            (100, 2, Some("first")),
            (109, 5, Some("first")),
            (110, 6, Some("second")),
            (105, 6, Some("second")),
            (105, 9, Some("third")),
            (100, 9, None),
            (99, 2, None),
            (120, 6, None),
        ] {
            assert_eq!(find(&code, address, at).as_deref(), name, "{address} at {at}");
        }
        code.forget(seconds(6));
        assert_eq!(find(&code, 100, 2), None, "the first is forgotten, and the second came later");
        assert_eq!(find(&code, 100, 6).as_deref(), Some("second"));
        code.forget(seconds(8));
        code.unload(id(3), seconds(9));
        code.forget(seconds(10));
        assert!(code.regions.is_empty() && code.starts.is_empty());
    }
}
