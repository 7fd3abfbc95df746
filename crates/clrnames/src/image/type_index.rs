//! Types by enclosing type and name.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use sigparse::token::TypeDef;

/// Type definitions by the row of the enclosing type, 0 without one, and by a hash of the name.
///
/// Names are hashed so that long ones are not copied. Types with the same hash are in the order of the table.
#[derive(Default)]
pub(super) struct TypeIndex(HashMap<(u32, u64), Vec<TypeDef>>);

impl TypeIndex {
    pub(super) fn add(&mut self, name: &str, enclosing: Option<TypeDef>, type_def: TypeDef) {
        self.0.entry(key(name, enclosing)).or_default().push(type_def);
    }

    /// Returns the types whose names may be this one.
    pub(super) fn candidates(&self, name: &str, enclosing: Option<TypeDef>) -> &[TypeDef] {
        self.0.get(&key(name, enclosing)).map_or(&[], Vec::as_slice)
    }
}

fn key(name: &str, enclosing: Option<TypeDef>) -> (u32, u64) {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    (enclosing.map_or(0, TypeDef::rid), hasher.finish())
}
