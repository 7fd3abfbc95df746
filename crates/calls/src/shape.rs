//! How inserted code passes the values of a method's calls, and the types of the call.
//!
//! Contract of the unsafe code here: the words after those of the values are ids of classes, as the runtime has them, which the
//! running call keeps loaded.
#![allow(unsafe_code)]

use argvalues::MethodPlan;
use corprof::ClassId;

use crate::passed::{Slot, Slots};

/// How code passes the values and types of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Whether the word of each value is the value itself, and not its address; `this` first.
    pub(crate) are_values: Box<[bool]>,
    /// The same for the result.
    pub(crate) is_result_value: bool,
    /// Whether the word after those of the values is the declaring class.
    pub(crate) has_class: bool,
    /// The number of words after that with the type arguments of the method. What follows are types of values.
    pub(crate) type_args: usize,
}

/// A call that inserted code reports.
#[derive(Clone, Copy)]
pub(crate) struct Inserted<'c> {
    pub(crate) words: &'c [usize],
    pub(crate) shape: &'c Shape,
}

/// The declaring class and the type arguments of a call.
pub(crate) type GenericArguments = (Option<ClassId>, Vec<Option<ClassId>>);

impl Shape {
    /// How the values of a method with this plan are passed.
    pub(crate) fn slots(&self, plan: &MethodPlan) -> Slots {
        Slots::new(plan, &self.are_values, self.is_result_value)
    }

    /// The same for the result alone.
    pub(crate) fn result(&self, plan: &MethodPlan) -> Slot {
        Slots::result_of(plan, self.is_result_value)
    }
}

/// The class with a handle. A handle of what is no class, such as a pointer type, has other lowest bits.
fn class_of(handle: usize) -> Option<ClassId> {
    const NO_CLASS: usize = 0b10;
    if handle & NO_CLASS != 0 {
        return None;
    }
    // SAFETY: the contract of this file.
    unsafe { ClassId::from_raw(handle) }
}

impl<'c> Inserted<'c> {
    fn context(self) -> &'c [usize] {
        self.words.get(self.shape.are_values.len()..).unwrap_or_default()
    }

    /// The classes that the code has passed.
    pub(crate) fn types(self) -> impl Iterator<Item = ClassId> + 'c {
        self.context().iter().filter_map(|handle| class_of(*handle))
    }

    /// The declaring class, if it is generic, and the type arguments of the method.
    pub(crate) fn generic_arguments(self) -> GenericArguments {
        let (class, rest) = match self.context().split_first() {
            Some((class, rest)) if self.shape.has_class => (class_of(*class), rest),
            _ => (None, self.context()),
        };
        let type_args = rest.get(..self.shape.type_args).unwrap_or_default();
        (class, type_args.iter().map(|handle| class_of(*handle)).collect())
    }

    /// The word that determines the class and the type arguments, if it is one.
    pub(crate) fn only_context(self) -> Option<usize> {
        let count = usize::from(self.shape.has_class) + self.shape.type_args;
        self.context().first().copied().filter(|_| count == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(has_class: bool, type_args: usize) -> Shape {
        Shape { are_values: Box::new([true]), is_result_value: true, has_class, type_args }
    }

    #[test]
    fn types_follow_the_values() {
        let of = |class: Option<ClassId>| class.map(ClassId::as_raw);
        let words = [7, 0x1000, 0x2000, 0x3002, 0x4000];
        let call = Inserted { words: &words, shape: &shape(true, 2) };
        let (class, type_args) = call.generic_arguments();
        assert_eq!(of(class), Some(0x1000));
        assert_eq!(type_args.into_iter().map(of).collect::<Vec<_>>(), [Some(0x2000), None]);
        assert_eq!(call.only_context(), None);
        assert_eq!(call.types().map(ClassId::as_raw).collect::<Vec<_>>(), [0x1000, 0x2000, 0x4000]);
        let call = Inserted { words: &words[..2], shape: &shape(false, 1) };
        assert_eq!((of(call.generic_arguments().0), call.only_context()), (None, Some(0x1000)));
    }
}
