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
    /// Returns the value of a thread, which is made if it is new, and its index: less than the number of threads that have one at
    /// the same time.
    #[inline]
    pub(super) fn get(&mut self, thread: u32) -> (usize, &mut T) {
        if !matches!(self.all.get(self.current), Some(Some((number, _))) if *number == thread) {
            self.current = self.find(thread);
        }
        let (_, value) = self.all[self.current].get_or_insert_with(|| (thread, T::default()));
        (self.current, value)
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

    /// Returns all values and their indexes, by the number of the thread.
    pub(super) fn into_all(self) -> Vec<(usize, T)> {
        let all = self.all.into_iter().enumerate();
        let mut all: Vec<_> = all.filter_map(|(index, value)| Some((index, value?))).collect();
        all.sort_unstable_by_key(|(_, (thread, _))| *thread);
        all.into_iter().map(|(index, (_, value))| (index, value)).collect()
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
                values.get(thread).1.push(number * thread);
                values.get(thread).1.push(0);
            }
        }
        let expected = |thread: u32| (0..10).flat_map(|number| [number * thread, 0]).collect::<Vec<u32>>();
        assert_eq!(values.peek(3), Some(&expected(3)));
        assert_eq!(values.take(3), Some(expected(3)));
        assert_eq!(values.peek(3), None);
        assert_eq!(values.take(3), None);
        // A thread with the place of another one begins anew, and so does one with the same number.
        assert_eq!(values.get(3), (1, &mut Vec::new()));
        assert_eq!(values.get(4), (3, &mut Vec::new()));
        values.take(9);
        assert_eq!(values.get(9), (2, &mut Vec::new()));
        let all = [(1, Vec::new()), (3, Vec::new()), (0, expected(7)), (2, Vec::new())];
        assert_eq!(values.into_all(), all);
    }
}
