//! The COM object that collects the tokens that change when metadata is saved.
#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use sigparse::Token;

/// The tokens that have changed, old and new. The lock is not held while anything is called.
#[derive(Default)]
pub(super) struct TokenMap(Mutex<Vec<(Token, Token)>>);

impl TokenMap {
    /// A row has another token from now on.
    pub(super) fn add(&self, from: Token, to: Token) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((from, to));
    }

    /// Returns the collected tokens.
    pub(super) fn moved(&self) -> Vec<(Token, Token)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
