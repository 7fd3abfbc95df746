//! Types by enclosing type and name.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use sigparse::token::TypeDef;

/// Types by the row of the enclosing type, 0 without one, and by a hash of the name.
///
/// Names are hashed so that long ones are not copied. Types with the same hash are in the order of the table.
pub(super) struct TypeIndex<T>(HashMap<(u32, u64), Vec<T>>);

impl<T> Default for TypeIndex<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> TypeIndex<T> {
    pub(super) fn add(&mut self, name: &str, enclosing: Option<TypeDef>, found: T) {
        self.0.entry(key(name, enclosing)).or_default().push(found);
    }

    /// Returns the types whose names may be this one.
    pub(super) fn candidates(&self, name: &str, enclosing: Option<TypeDef>) -> &[T] {
        self.0.get(&key(name, enclosing)).map_or(&[], Vec::as_slice)
    }
}

fn key(name: &str, enclosing: Option<TypeDef>) -> (u32, u64) {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    (enclosing.map_or(0, TypeDef::rid), hasher.finish())
}
