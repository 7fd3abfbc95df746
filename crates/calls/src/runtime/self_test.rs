//! A self-test of locations, on a runtime that is newer than every measured one, or on arm64 older than .NET 10.
//!
//! Locations there follow the rules of the newest measured runtime, and may be wrong. Until they are confirmed, fast-path hooks
//! report calls without values. They are confirmed by the arguments whose types leave no choice: an object that is `this`, or a
//! `string`. If such an argument is where the rules say, the word there refers to an object, whose class is known. A few dozen
//! calls are examined, each at the first call of a function. One object of another type refutes the rules, and values stay off.
//!
//! The self-test covers the order of registers and stack slots for references. A change that affects structs or floating-point
//! numbers alone is not noticed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use argvalues::Memory as _;
use corprof::{ClassId, EnterRegisters, Locations, Method, Result};
use sigparse::{MethodSig, Type, TypeDefOrRef};

use super::ClrRuntime;
use crate::limits::{CONFIRMATIONS, LATER_CONFIRMATIONS, MAX_BASES};
use crate::registers;

/// The state of the self-test.
#[derive(Debug, Default)]
pub(crate) struct SelfTest {
    /// Whether the rules hold; absent until that is known.
    outcome: OnceLock<bool>,
    confirmed: AtomicU32,
    /// How many of them were not the first argument.
    later: AtomicU32,
    /// Whether the outcome has been reported.
    is_reported: AtomicBool,
}

/// The verdict of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// It is an object of the expected type.
    Confirms,
    /// It is none.
    Refutes,
    /// It is null, or an object of a class that has not been reported.
    None,
}

impl SelfTest {
    /// Whether the rules hold; `None` until that is known.
    pub(crate) fn outcome(&self) -> Option<bool> {
        self.outcome.get().copied()
    }

    /// The outcome, once.
    pub(crate) fn news(&self) -> Option<bool> {
        self.outcome().filter(|_| !self.is_reported.swap(true, Ordering::Relaxed))
    }

    /// Adds what the argument of this index shows.
    fn add(&self, index: usize, evidence: Evidence) {
        match evidence {
            Evidence::None => {}
            // Another thread may have decided.
            Evidence::Refutes => {
                let _ = self.outcome.set(false);
            }
            Evidence::Confirms => {
                let confirmed = self.confirmed.fetch_add(1, Ordering::Relaxed) + 1;
                let later = self.later.fetch_add(u32::from(index > 0), Ordering::Relaxed);
                if confirmed >= CONFIRMATIONS && later + u32::from(index > 0) >= LATER_CONFIRMATIONS {
                    let _ = self.outcome.set(true);
                }
            }
        }
    }
}

impl ClrRuntime {
    /// Compares arguments of a call with the types of a function that is not generic.
    pub(crate) fn examine(
        &self,
        test: &SelfTest,
        method: &Method,
        registers: EnterRegisters<'_>,
        locations: &Locations,
    ) -> Result<()> {
        let Ok(signature) = MethodSig::parse(&method.signature) else { return Ok(()) };
        let has_this = !method.is_static();
        let word = |index: usize| {
            let word = registers::argument_word(registers, locations.argument_word(index)?);
            usize::try_from(word).ok()
        };
        if has_this
            && self.is_object(method)?
            && let Some(this) = word(0)
        {
            test.add(0, self.evidence(this, |class| self.derives_from(class, method)));
        }
        for (index, parameter) in signature.params().enumerate() {
            let Ok(parameter) = parameter else { return Ok(()) };
            let index = index + usize::from(has_this);
            if matches!(parameter.ty(), Type::String)
                && let Some(text) = word(index)
            {
                test.add(index, self.evidence(text, |class| self.is_string(class)));
            }
        }
        Ok(())
    }

    /// The verdict of a word that should be a reference to an object of a class that `is_expected` accepts.
    fn evidence(&self, word: usize, is_expected: impl FnOnce(ClassId) -> Result<bool>) -> Evidence {
        if word == 0 {
            return Evidence::None;
        }
        let mut header = [0; size_of::<usize>()];
        match self.code.as_ref().map(|memory| memory.read_untrusted(word, &mut header)) {
            None => return Evidence::None,
            Some(Err(_)) => return Evidence::Refutes,
            Some(Ok(_)) => {}
        }
        // A collection marks objects in the lowest bits.
        match self.info().class_by_number(usize::from_ne_bytes(header) & !0b111) {
            None => Evidence::None,
            Some(class) => match is_expected(class) {
                Ok(true) => Evidence::Confirms,
                Ok(false) => Evidence::Refutes,
                Err(_) => Evidence::None,
            },
        }
    }

    /// Returns whether `this` of a method is an object of the class that declares it.
    fn is_object(&self, method: &Method) -> Result<bool> {
        let Some(type_def) = method.declaring_type else { return Ok(false) };
        self.names().metadata(method.module)?.is_class(type_def)
    }

    fn derives_from(&self, class: ClassId, method: &Method) -> Result<bool> {
        let mut next = Some(class);
        for _ in 0..MAX_BASES {
            let Some(class) = next else { return Ok(false) };
            let info = self.info().class_info(class)?;
            if info.module == method.module && Some(info.type_def) == method.declaring_type {
                return Ok(true);
            }
            next = info.parent;
        }
        Ok(false)
    }

    fn is_string(&self, class: ClassId) -> Result<bool> {
        let info = self.info().class_info(class)?;
        let name = self.names().metadata_name(info.module, TypeDefOrRef::TypeDef(info.type_def))?;
        Ok(&*name == "System.String")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Confirms the first argument so often, and the second one.
    fn confirmed(first: u32, second: u32) -> SelfTest {
        let test = SelfTest::default();
        (0..first).for_each(|_| test.add(0, Evidence::Confirms));
        (0..second).for_each(|_| test.add(1, Evidence::Confirms));
        test
    }

    #[test]
    fn confirmations_of_several_arguments_are_needed() {
        assert_eq!(SelfTest::default().outcome(), None);
        assert_eq!(confirmed(1000, LATER_CONFIRMATIONS - 1).outcome(), None);
        assert_eq!(confirmed(CONFIRMATIONS - LATER_CONFIRMATIONS - 1, LATER_CONFIRMATIONS).outcome(), None);
        let test = confirmed(CONFIRMATIONS - LATER_CONFIRMATIONS, LATER_CONFIRMATIONS);
        assert_eq!(test.outcome(), Some(true));
        assert_eq!([test.news(), test.news()], [Some(true), None]);
    }

    #[test]
    fn one_object_of_another_type_refutes_the_rules() {
        let test = confirmed(10, 10);
        test.add(1, Evidence::None);
        assert_eq!(test.outcome(), None);
        test.add(1, Evidence::Refutes);
        assert_eq!(test.outcome(), Some(false));
        (0..1000).for_each(|_| test.add(1, Evidence::Confirms));
        assert_eq!(test.outcome(), Some(false));
    }
}
