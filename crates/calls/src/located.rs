//! The arguments of a call, as an ELT hook or as inserted code has them. What reads them does not look at which of both it is.

use argvalues::ArgumentRange;
use corprof::EnterArguments;

use crate::passed::Passed;
use crate::shape::Inserted;
use crate::traced::Traced;

/// A call that begins, before its method is known.
#[derive(Clone, Copy)]
pub(crate) enum Located<'c> {
    /// Its values are in registers and on the stack, or in the ranges that the runtime reports.
    Hook(EnterArguments<'c>),
    /// Inserted code passes them.
    Inserted(Inserted<'c>),
}

impl<'c> Located<'c> {
    /// The arguments of a call of this method.
    pub(crate) fn arguments<'m, M>(self, method: &'m Traced<M>) -> LocatedArguments<'m>
    where
        'c: 'm,
    {
        match self {
            Self::Hook(arguments) => LocatedArguments::Hook(arguments),
            Self::Inserted(call) => {
                LocatedArguments::Passed(Passed::new(call.words, &method.slots(call.shape).arguments))
            }
        }
    }
}

/// The arguments of a call that begins.
#[derive(Clone, Copy)]
pub(crate) enum LocatedArguments<'c> {
    /// In registers and on the stack, or in the ranges that the runtime reports.
    Hook(EnterArguments<'c>),
    /// Passed by inserted code.
    Passed(Passed<'c>),
}

impl<'c> LocatedArguments<'c> {
    /// The ranges of the arguments, `this` first.
    #[inline]
    pub(crate) fn ranges(&self) -> impl ExactSizeIterator<Item = ArgumentRange> + Clone + 'c {
        match self {
            Self::Hook(arguments) => Ranges::Hook(arguments.ranges()),
            Self::Passed(passed) => Ranges::Passed(*passed, 0),
        }
    }

    /// As [`EnterArguments::word`].
    #[inline]
    pub(crate) fn word(&self, index: usize) -> Option<u64> {
        match self {
            Self::Hook(arguments) => arguments.word(index),
            Self::Passed(passed) => passed.word(index),
        }
    }

    /// As [`EnterArguments::word_of`].
    #[inline(always)]
    pub(crate) fn word_of(&self, index: usize, count: usize) -> Option<u64> {
        match self {
            Self::Hook(arguments) => arguments.word_of(index, count),
            Self::Passed(passed) => passed.word(index),
        }
    }
}

/// The ranges that are left.
#[derive(Clone)]
enum Ranges<'c, I> {
    Hook(I),
    Passed(Passed<'c>, usize),
}

impl<I: ExactSizeIterator<Item = ArgumentRange>> Iterator for Ranges<'_, I> {
    type Item = ArgumentRange;

    #[inline(always)]
    fn next(&mut self) -> Option<ArgumentRange> {
        match self {
            Self::Hook(ranges) => ranges.next(),
            Self::Passed(passed, index) => {
                let range = passed.range(*index)?;
                *index += 1;
                Some(range)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = match self {
            Self::Hook(ranges) => ranges.len(),
            Self::Passed(passed, index) => passed.len() - index,
        };
        (count, Some(count))
    }
}

impl<I: ExactSizeIterator<Item = ArgumentRange>> ExactSizeIterator for Ranges<'_, I> {}
