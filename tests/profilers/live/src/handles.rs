//! Handles, over three collections: which of them keep their objects alive, and which keep them in place.

use corprof::{Error, HandleKind, ObjectHandle, Result};

use crate::facts::Facts;
use crate::{State, locked};

const KINDS: [HandleKind; 3] = [HandleKind::Weak, HandleKind::Strong, HandleKind::Pinned];

/// A handle, and the address of its object when it was created.
#[derive(Debug)]
pub(crate) struct Held {
    handle: ObjectHandle,
    address: usize,
}

/// In four steps: `make` with the addresses of pinned objects, one for each kind; `look`; `let go`, which keeps a weak
/// handle for each object that is alive; and `look again`.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let mut facts = Facts::of("handles");
    let mut held = locked(&state.handles);
    match arguments {
        ["make", addresses @ ..] => {
            for (address, kind) in addresses.iter().zip(KINDS) {
                let address =
                    address.parse().map_err(|_| Error::other(format!("{address} is no address")))?;
                // The program has pinned it for the duration of the question.
                let object =
                    crate::memory::object(address, state).ok_or_else(|| Error::other("a null object"))?;
                let handle = state.info.create_handle(object, kind)?;
                facts.say(format_args!("made.{kind:?}"), handle.object(object)? == Some(object));
                held.push(Held { handle, address });
            }
        }
        ["look"] => {
            let suspension = state.info.suspend_runtime()?;
            for (Held { handle, address }, kind) in held.iter().zip(KINDS) {
                let object = handle.object(&suspension)?;
                facts.say(format_args!("alive.{kind:?}"), object.is_some());
                if kind != HandleKind::Weak {
                    let moved = object.is_some_and(|object| object.as_raw() != *address);
                    facts.say(format_args!("moved.{kind:?}"), moved);
                }
            }
        }
        ["let go"] => {
            let suspension = state.info.suspend_runtime()?;
            for Held { handle, .. } in held.split_off(0) {
                let object = handle.object(&suspension)?;
                let weak = object.map(|object| state.info.create_handle(object, HandleKind::Weak));
                handle.destroy()?;
                if let Some(handle) = weak.transpose()? {
                    held.push(Held { handle, address: 0 });
                }
            }
            facts.say("followed", held.len());
        }
        _ => {
            let alive: Result<Vec<bool>> = held.iter().map(|held| held.handle.is_alive()).collect();
            facts.say("alive", alive?.into_iter().filter(|alive| *alive).count());
            for held in held.drain(..) {
                held.handle.destroy()?;
            }
        }
    }
    Ok(facts.finish())
}
