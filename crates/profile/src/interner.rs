//! Values with numbers.

use core::hash::Hash;
use std::collections::HashMap;
use std::sync::Arc;

/// Different values, numbered in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    numbers: HashMap<Arc<T>, u32>,
    values: Vec<Arc<T>>,
}

impl<T: Eq + Hash> Interner<T> {
    /// Returns an interner whose number 0 is `first`.
    pub(crate) fn new(first: T) -> Self {
        let first = Arc::new(first);
        Self { numbers: HashMap::from([(Arc::clone(&first), 0)]), values: vec![first] }
    }

    /// Returns the number of a value. A new value beyond the limit has none.
    pub(crate) fn number(&mut self, value: T, limit: usize) -> Option<u32> {
        if let Some(number) = self.numbers.get(&value) {
            return Some(*number);
        }
        let number = u32::try_from(self.values.len()).ok().filter(|_| self.values.len() < limit)?;
        let value = Arc::new(value);
        self.numbers.insert(Arc::clone(&value), number);
        self.values.push(value);
        Some(number)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize).map(Arc::as_ref)
    }

    /// Returns the values in the order of their numbers.
    pub(crate) fn all(&self) -> impl ExactSizeIterator<Item = &T> {
        self.values.iter().map(Arc::as_ref)
    }
}
