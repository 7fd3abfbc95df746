//! The shapes of classes that a thread has met.

use std::sync::Arc;

use crate::runtime::Handle;
use crate::shape::TypeShape;

/// The number of slots; a power of two.
const SIZE: usize = 256;

/// The number of places for targets.
const TARGETS: usize = 64;

/// The number of places for names of handles.
const HANDLES: usize = 128;

/// Shapes by header word, where a runtime allows caching ([`Runtime::epoch`](crate::Runtime::epoch)). A hit needs no
/// query, and none of the locks and counters that threads share.
///
/// A shape is taken out while an object is decoded and put back afterwards. Cloning the `Arc` would write to a count
/// that all threads share.
#[derive(Debug, Default)]
pub(super) struct Classes {
    runtime: usize,
    epoch: Option<u64>,
    /// Empty if nothing is kept.
    entries: Vec<Entry>,
    /// The targets of pointers and references; empty if nothing is kept.
    targets: Vec<Option<KnownTarget>>,
    /// The names of handles; empty if nothing is kept.
    handles: Vec<Option<(Handle, Arc<str>)>>,
}

#[derive(Debug, Default)]
struct Entry {
    header: usize,
    shape: Option<Arc<TypeShape>>,
}

/// A target's type, by the number of its [`DeferredType`](crate::DeferredType).
#[derive(Debug)]
struct KnownTarget {
    number: u64,
    shape: Arc<TypeShape>,
}

impl Classes {
    pub(super) const fn new() -> Self {
        Self { runtime: 0, epoch: None, entries: Vec::new(), targets: Vec::new(), handles: Vec::new() }
    }

    /// Evicts shapes of another runtime or an earlier epoch.
    #[inline]
    pub(super) fn keep_of(&mut self, runtime: usize, epoch: Option<u64>) {
        if self.runtime != runtime || self.epoch != epoch {
            self.start(runtime, epoch);
        }
    }

    #[cold]
    fn start(&mut self, runtime: usize, epoch: Option<u64>) {
        (self.runtime, self.epoch) = (runtime, epoch);
        self.entries.clear();
        self.targets.clear();
        self.handles.clear();
        if epoch.is_some() {
            self.entries.resize_with(SIZE, Entry::default);
            self.targets.resize_with(TARGETS, || None);
            self.handles.resize_with(HANDLES, || None);
        }
    }

    /// The shape of the objects with this header, if it is known and not in use further out.
    #[inline]
    pub(super) fn get(&self, header: usize) -> Option<&Arc<TypeShape>> {
        self.entries.get(place(header)).filter(|entry| entry.header == header)?.shape.as_ref()
    }

    /// Takes the shape out; [`put`](Self::put) puts it back.
    #[inline]
    pub(super) fn take(&mut self, header: usize) -> Option<Arc<TypeShape>> {
        let entry = self.entries.get_mut(place(header)).filter(|entry| entry.header == header)?;
        entry.shape.take()
    }

    /// Keeps a shape, or puts it back.
    #[inline]
    pub(super) fn put(&mut self, header: usize, shape: Arc<TypeShape>) {
        if let Some(entry) = self.entries.get_mut(place(header)) {
            *entry = Entry { header, shape: Some(shape) };
        }
    }
}

impl Classes {
    /// The shape of a target, if it is known.
    pub(super) fn target(&self, number: u64) -> Option<Arc<TypeShape>> {
        let known = self.targets.get(target_place(number))?.as_ref()?;
        (known.number == number).then(|| Arc::clone(&known.shape))
    }

    /// Keeps the shape of a target.
    pub(super) fn put_target(&mut self, number: u64, shape: Arc<TypeShape>) {
        if let Some(place) = self.targets.get_mut(target_place(number)) {
            *place = Some(KnownTarget { number, shape });
        }
    }
}

impl Classes {
    /// The name of a handle, if it is known.
    #[inline]
    pub(super) fn name(&self, handle: Handle) -> Option<&Arc<str>> {
        let (known, name) = self.handles.get(handle_place(handle))?.as_ref()?;
        (*known == handle).then_some(name)
    }

    /// Keeps the name of a handle.
    pub(super) fn put_name(&mut self, handle: Handle, name: Arc<str>) {
        if let Some(place) = self.handles.get_mut(handle_place(handle)) {
            *place = Some((handle, name));
        }
    }
}

/// The place of a handle. Most are those of types.
const fn handle_place(handle: Handle) -> usize {
    let (number, declaring) = match handle {
        Handle::Type(handle) | Handle::Module(handle) => (handle, None),
        Handle::Method(handle, declaring) | Handle::Field(handle, declaring) => (handle, declaring),
        Handle::Property(token, declaring) | Handle::Event(token, declaring) => {
            ((token as usize) << 3, Some(declaring))
        }
    };
    let declaring = match declaring {
        Some(declaring) => declaring,
        None => 0,
    };
    (number >> 3 ^ number >> 12 ^ declaring >> 5) % HANDLES
}

/// The place of a target: the numbers are consecutive.
fn target_place(number: u64) -> usize {
    usize::try_from(number % TARGETS as u64).unwrap_or_default()
}

/// Headers are addresses of something that is larger than a word.
const fn place(header: usize) -> usize {
    (header >> 3 ^ header >> 12) % SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_runtime_or_time_forgets() {
        let mut classes = Classes::new();
        classes.put(8, TypeShape::string());
        assert!(classes.take(8).is_none(), "nothing is kept without an epoch");
        classes.keep_of(1, Some(0));
        classes.put(8, TypeShape::string());
        assert!(classes.take(16).is_none());
        let shape = classes.take(8).unwrap();
        assert!(classes.take(8).is_none(), "it is taken");
        classes.put(8, shape);
        classes.keep_of(1, Some(0));
        assert!(classes.entries[place(8)].shape.is_some());
        classes.keep_of(1, Some(1));
        assert!(classes.take(8).is_none());
    }

    #[test]
    fn a_name_is_kept_until_another_takes_its_place_or_something_is_unloaded() {
        let mut classes = Classes::new();
        let (one, other) = (Handle::Type(0x1000), Handle::Method(0x1000, None));
        assert_eq!(handle_place(one), handle_place(other));
        classes.put_name(one, "Shop.Cart".into());
        assert!(classes.name(one).is_none(), "nothing is kept without an epoch");
        classes.keep_of(1, Some(0));
        classes.put_name(one, "Shop.Cart".into());
        assert_eq!(classes.name(one).map(|name| &**name), Some("Shop.Cart"));
        assert!(classes.name(other).is_none());
        classes.put_name(other, "Shop.Cart.Add".into());
        assert!(classes.name(one).is_none(), "another in the same place");
        classes.keep_of(1, Some(1));
        assert!(classes.name(other).is_none());
    }

    #[test]
    fn a_target_is_kept_until_another_takes_its_place_or_something_is_unloaded() {
        let mut classes = Classes::new();
        classes.keep_of(1, Some(0));
        classes.put_target(3, TypeShape::string());
        assert!(classes.target(3).is_some());
        assert!(classes.target(3 + TARGETS as u64).is_none(), "another in the same place");
        classes.keep_of(1, Some(1));
        assert!(classes.target(3).is_none());
    }
}
