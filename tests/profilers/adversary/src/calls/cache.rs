//! Caches of facts about ids, filled by calls of the runtime.

use std::sync::Arc;

use corprof::{FunctionId, IdMap, Unload, UnloadCache};

use super::Calls;
use crate::at::{At, shown, value};

type Cache = UnloadCache<FunctionId, Arc<str>>;

fn evict(names: &mut IdMap<FunctionId, Arc<str>>, unload: &Unload) -> Vec<Arc<str>> {
    unload.functions().filter_map(|function| names.remove(&function)).collect()
}

/// A cache with the name of a function, if it has one.
fn filled(it: &At<'_>) -> Option<(Cache, FunctionId)> {
    let (cache, function) = (UnloadCache::new(it.info(), evict), it.function()?);
    let _ = cache.get_or_find(function, || it.names().function(function));
    Some((cache, function))
}

pub(super) const CALLS: Calls = &[
    ("UnloadCache::new", |it| value(UnloadCache::new(it.info(), evict))),
    ("UnloadCache::until_any_unload", |it| {
        let (cache, function) = (Cache::until_any_unload(it.info()), it.function()?);
        shown(cache.get_or_find(function, || it.names().function(function)))
    }),
    ("UnloadCache::len", |it| value(filled(it)?.0.len())),
    ("UnloadCache::is_empty", |it| value(filled(it)?.0.is_empty())),
    ("UnloadCache::get", |it| {
        let (cache, function) = filled(it)?;
        value(cache.get(&function))
    }),
    ("UnloadCache::get_with", |it| {
        let (cache, function) = filled(it)?;
        value(cache.get_with(&function, |name| name.len()))
    }),
    ("UnloadCache::get_or_find", |it| {
        let (cache, function) = (UnloadCache::new(it.info(), evict), it.function()?);
        shown(cache.get_or_find(function, || it.names().function(function)))
    }),
    ("UnloadCache::begin", |it| value(filled(it)?.0.begin(it.function()?))),
    ("UnloadLookup::store", |it| {
        let (cache, function) = filled(it)?;
        let lookup = cache.begin(function);
        let name = it.names().function(function).ok()?;
        value(lookup.store(name))
    }),
    ("UnloadLookup::update", |it| {
        let cache = UnloadCache::<FunctionId, usize>::until_any_unload(it.info());
        value(cache.begin(it.function()?).update(|calls| *calls += 1))
    }),
];
