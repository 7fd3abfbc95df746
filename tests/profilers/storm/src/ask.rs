//! Threads that query ids that were seen recently, whether their entities are loaded or not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use corprof::{ClassId, Error, FunctionId, Names, Result};

use crate::Asked;
use crate::tally::Tally;

/// The number of threads.
const THREADS: usize = 2;

/// The number of kept ids. So few that the library still has each stale one in its list.
const KEPT: usize = 1024;

/// A seen id with its names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Id {
    Function(FunctionId),
    Class(ClassId),
}

/// The name of an id.
#[derive(Clone)]
struct Called {
    now: Arc<str>,
    /// When the number belonged to another entity.
    before: Option<Arc<str>>,
}

#[derive(Default)]
struct Seen {
    called: HashMap<Id, Called>,
    /// In the order in which they were first seen.
    order: Vec<Id>,
    next: usize,
}

/// The recently seen ids.
#[derive(Default)]
pub(crate) struct Lately {
    seen: Mutex<Seen>,
}

impl Lately {
    /// A function has been called, with these classes.
    pub(crate) fn seen(&self, asked: &Asked, function: FunctionId, classes: &[ClassId]) {
        let ids = classes.iter().copied().map(Id::Class).chain([Id::Function(function)]);
        for id in ids {
            match ask(&asked.names, id) {
                Ok(name) => {
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    if seen.add(id, name) {
                        Tally::add(&asked.tally.renamed);
                    }
                }
                Err(error) => asked.tally.wrong(format!("what is called has no name: {error}")),
            }
        }
    }

    fn get(&self, index: usize) -> Option<(Id, Called)> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let id = *seen.order.get(index)?;
        Some((id, seen.called.get(&id)?.clone()))
    }
}

impl Seen {
    /// Whether the id had another name before.
    fn add(&mut self, id: Id, name: Arc<str>) -> bool {
        match self.called.get_mut(&id) {
            Some(called) if called.now == name => false,
            Some(called) => {
                called.before = Some(core::mem::replace(&mut called.now, name));
                true
            }
            None => {
                if self.order.len() < KEPT {
                    self.order.push(id);
                } else if let Some(place) = self.order.get_mut(self.next) {
                    self.called.remove(place);
                    *place = id;
                    self.next = (self.next + 1) % KEPT;
                }
                self.called.insert(id, Called { now: name, before: None });
                false
            }
        }
    }
}

fn ask(names: &Names, id: Id) -> Result<Arc<str>> {
    match id {
        Id::Function(function) => names.function(function),
        Id::Class(class) => names.class(class),
    }
}

/// Starts the threads. They end with the process.
pub(crate) fn spawn(asked: &Arc<Asked>) {
    for thread in 0..THREADS {
        let asked = Arc::clone(asked);
        std::thread::spawn(move || {
            for round in thread.. {
                match asked.lately.get(round * 7 % KEPT) {
                    Some((id, called)) => look(&asked, id, &called),
                    None => std::thread::sleep(Duration::from_millis(1)),
                }
            }
        });
    }
}

/// Queries an id. A name from before its present one, if the present one was already known, is stale; all other results
/// are valid: its present name, the name of a newer entity with its number, and a refusal.
fn look(asked: &Asked, id: Id, called: &Called) {
    let Asked { names, tally, .. } = asked;
    match ask(names, id) {
        Ok(name) => {
            Tally::add(&tally.answered);
            if called.before.as_ref() == Some(&name) {
                tally.wrong(format!("{} has become {}, but is still known as {name}", name, called.now));
            }
        }
        Err(Error::Unloaded { .. }) => Tally::add(&tally.refused),
        Err(error) => {
            Tally::add(&tally.failed);
            tally.note(format!("{}: {error}", called.now));
        }
    }
    if let Id::Function(function) = id {
        // The slow lookup, with metadata.
        let text = names.info().function_instance(function, None).and_then(|found| {
            let method = names.method(function)?;
            let instance = names.instance(&method, found.class, &found.type_args)?;
            names.declaration(&instance)
        });
        match text {
            Ok(_) => Tally::add(&tally.answered),
            Err(Error::Unloaded { .. }) => Tally::add(&tally.refused),
            Err(error) => {
                Tally::add(&tally.failed);
                tally.note(format!("{}: {error}", called.now));
            }
        }
    }
}
