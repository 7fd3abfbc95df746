//! GC handles that the profiler has made.

/// The object of each handle; `None` once the handle is destroyed.
#[derive(Default)]
pub(crate) struct Handles(Vec<Option<usize>>);

/// The first handle.
const FIRST: usize = 0x0900_0000;

impl Handles {
    pub(crate) fn create(&mut self, object: usize) -> usize {
        self.0.push(Some(object));
        FIRST + 8 * (self.0.len() - 1)
    }

    fn place(handle: usize) -> Option<usize> {
        Some(handle.checked_sub(FIRST)? / 8)
    }

    /// The object's index.
    pub(crate) fn object(&self, handle: usize) -> Option<usize> {
        *self.0.get(Self::place(handle)?)?
    }

    pub(crate) fn destroy(&mut self, handle: usize) -> bool {
        Self::place(handle)
            .and_then(|place| self.0.get_mut(place))
            .is_some_and(|object| object.take().is_some())
    }

    pub(crate) fn open(&self) -> usize {
        self.0.iter().flatten().count()
    }
}
