//! Edits of a module's metadata, kept apart from `ICorProfilerInfo7::ApplyMetaData`, which reads what was added without the lock of
//! the metadata.
//!
//! Neither waits while it is called: an edit beside that method is refused, since the method may wait for a collection, and the thread
//! that edits may keep it waiting. The method waits for edits that have begun, which wait for nothing.
#![forbid(unsafe_code)]

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{CallSite, Error, Result};

/// What is being done with the metadata of a module. The lock is held for no call.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    edits: usize,
    is_applied: bool,
}

/// An edit is in progress.
#[must_use]
pub(crate) struct Editing<'e>(&'e Edits);

/// `ApplyMetaData` is in progress.
#[must_use]
pub(crate) struct Applying<'e>(&'e Edits);

impl Edits {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an edit.
    ///
    /// # Errors
    /// [`Error::Misplaced`]: the metadata is being applied.
    pub(crate) fn edit(&self, call: &'static str) -> Result<Editing<'_>> {
        let mut state = self.state();
        if state.is_applied {
            return Err(Error::Misplaced { call, site: CallSite::MetadataApplied });
        }
        state.edits += 1;
        Ok(Editing(self))
    }

    /// Begins to apply the metadata, after the edits that have begun.
    ///
    /// # Errors
    /// [`Error::Misplaced`]: it is being applied already.
    pub(crate) fn apply(&self, call: &'static str) -> Result<Applying<'_>> {
        let mut state = self.state();
        if core::mem::replace(&mut state.is_applied, true) {
            return Err(Error::Misplaced { call, site: CallSite::MetadataApplied });
        }
        while state.edits > 0 {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(Applying(self))
    }
}

impl Drop for Editing<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.edits -= 1;
        if state.edits == 0 {
            self.0.ended.notify_all();
        }
    }
}

impl Drop for Applying<'_> {
    fn drop(&mut self) {
        self.0.state().is_applied = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn metadata_is_applied_beside_no_edit() {
        let edits = Edits::default();
        let (first, second) = (edits.edit("a").unwrap(), edits.edit("b").unwrap());
        let (applied, is_applied) = mpsc::channel();
        std::thread::scope(|scope| {
            let edits = &edits;
            let applying = scope.spawn(move || {
                let applying = edits.apply("ICorProfilerInfo7::ApplyMetaData").unwrap();
                applied.send(()).unwrap();
                drop(applying);
            });
            drop(first);
            assert!(is_applied.recv_timeout(Duration::from_millis(50)).is_err(), "an edit is in progress");
            drop(second);
            is_applied.recv().unwrap();
            applying.join().unwrap();
        });
        drop(edits.edit("c").unwrap());
    }

    #[test]
    fn an_edit_is_refused_meanwhile() {
        let edits = Edits::default();
        let applying = edits.apply("ICorProfilerInfo7::ApplyMetaData").unwrap();
        let refused = edits.edit("IMetaDataEmit::GetTokenFromSig").map(drop).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "IMetaDataEmit::GetTokenFromSig is not called while the metadata of the module is being applied: call it again when \
             apply_metadata has returned"
        );
        assert!(edits.apply("ICorProfilerInfo7::ApplyMetaData").is_err());
        drop(applying);
        assert!(edits.edit("IMetaDataEmit::GetTokenFromSig").is_ok());
    }
}
