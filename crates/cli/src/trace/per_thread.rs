//! A value for each thread that runs.

use std::collections::HashMap;

/// Values by the number of a thread. That of the thread whose events are read is found without a lookup.
pub(super) struct PerThread<T> {
    all: Vec<Option<(u32, T)>>,
    indexes: HashMap<u32, usize>,
    free: Vec<usize>,
    /// The index of the value that was found last.
    current: usize,
}

impl<T> Default for PerThread<T> {
    fn default() -> Self {
        Self { all: Vec::new(), indexes: HashMap::new(), free: Vec::new(), current: 0 }
    }
}

impl<T: Default> PerThread<T> {
    /// Returns the value of a thread, which is made if it is new.
    #[inline]
    pub(super) fn get(&mut self, thread: u32) -> &mut T {
        if !matches!(self.all.get(self.current), Some(Some((number, _))) if *number == thread) {
            self.current = self.find(thread);
        }
        &mut self.all[self.current].get_or_insert_with(|| (thread, T::default())).1
    }

    #[cold]
    fn find(&mut self, thread: u32) -> usize {
        let (all, free) = (&mut self.all, &mut self.free);
        *self.indexes.entry(thread).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                all.push(None);
                all.len() - 1
            })
        })
    }

    /// Returns the value of a thread that has one.
    pub(super) fn peek(&self, thread: u32) -> Option<&T> {
        self.indexes.get(&thread).and_then(|index| self.all[*index].as_ref()).map(|(_, value)| value)
    }

    /// Takes the value of a thread.
    pub(super) fn take(&mut self, thread: u32) -> Option<T> {
        let index = self.indexes.remove(&thread)?;
        self.free.push(index);
        self.all[index].take().map(|(_, value)| value)
    }

    /// Takes all values, by the number of the thread.
    pub(super) fn take_all(&mut self) -> Vec<(u32, T)> {
        let mut all: Vec<_> = core::mem::take(&mut self.all).into_iter().flatten().collect();
        (self.indexes, self.free) = (HashMap::new(), Vec::new());
        all.sort_unstable_by_key(|(thread, _)| *thread);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_value_until_it_is_taken() {
        let mut values = PerThread::<Vec<u32>>::default();
        for number in 0..10 {
            for thread in [7, 3, 9] {
                values.get(thread).push(number * thread);
                values.get(thread).push(0);
            }
        }
        let expected = |thread: u32| (0..10).flat_map(|number| [number * thread, 0]).collect::<Vec<u32>>();
        assert_eq!(values.peek(3), Some(&expected(3)));
        assert_eq!(values.take(3), Some(expected(3)));
        assert_eq!(values.peek(3), None);
        assert_eq!(values.take(3), None);
        // A thread with the place of another one begins anew, and so does one with the same number.
        assert!(values.get(3).is_empty() && values.get(4).is_empty());
        values.take(9);
        assert!(values.get(9).is_empty());
        let all = [(3, Vec::new()), (4, Vec::new()), (7, expected(7)), (9, Vec::new())];
        assert_eq!(values.take_all(), all);
        assert_eq!(values.peek(7), None);
    }
}
