//! Where the values of a call come from: its hook, of any kind.
//!
//! A call is reported in one way. What is its own for each kind of hooks is here: whether values are loaded from saved
//! registers, located by the runtime, or passed by inserted code. A function's [plan](crate::function::CallPlan) has what was settled about that once.

use argvalues::{ArgumentRange, MethodPlan};
use corprof::{EnterFrame, EnterRegisters, Error, LeaveFrame, LeaveRegisters, Locations, Result, ResultWord};

use crate::convention::{FunctionLocations, with_result};
use crate::located::{Located, LocatedArguments};
use crate::passed::{Passed, Slot};
use crate::registers::{ValueLocations, result_word};
use crate::runtime::ClrRuntime;
use crate::shape::{Inserted, Shape};

/// The frame of a fast-path hook: values are in saved registers and on the stack.
#[derive(Clone, Copy)]
pub(crate) struct Fast<F, R> {
    pub(crate) frame: F,
    pub(crate) registers: R,
}

/// The frame of a slow-path hook: the runtime locates values.
#[derive(Clone, Copy)]
pub(crate) struct WithInfo<F>(pub(crate) F);

/// The values of a call that inserted code reports.
#[derive(Clone, Copy)]
pub(crate) struct Words<'c>(pub(crate) &'c [usize]);

/// The end of a call that inserted code reports.
#[derive(Clone, Copy)]
pub(crate) struct InsertedEnd<'c> {
    pub(crate) frame: usize,
    pub(crate) word: &'c usize,
    pub(crate) shape: &'c Shape,
}

/// A call that begins, as its hook has it.
pub(crate) trait EnterSource: Copy {
    /// What a call with a plan needs of it.
    type Values: EnterValues;

    fn values(self) -> Self::Values;

    /// The value of an integer register that can pass an argument, by its position in the calling convention.
    fn integer_register(self, register: u8) -> Option<usize>;

    /// Calls `read` with a call of a function whose locations are not settled: they are worked out at its calls.
    fn located<R>(
        self,
        locations: &FunctionLocations,
        runtime: &ClrRuntime,
        read: impl FnOnce(Located<'_>) -> R,
    ) -> Result<R>;

    /// The locations of the values of a function; `None` while they are not settled.
    fn locations(self, locations: &FunctionLocations, plan: &MethodPlan) -> Option<ValueLocations>;
}

/// Where the arguments of a call with a plan come from. For registers no more than their address, which a hook keeps in a
/// register itself.
pub(crate) trait EnterValues: Copy {
    /// Whether values are loaded without a call of the runtime, so that nothing sets the thread's last error.
    const IS_AT_ONCE: bool;

    /// Calls `read` with the arguments of a call of a function with these locations.
    fn arguments<R>(
        self,
        locations: &ValueLocations,
        read: impl FnOnce(LocatedArguments<'_>) -> R,
    ) -> Result<R>;
}

/// A call that returns, as its hook has it.
pub(crate) trait LeaveSource: Copy {
    /// What a call with a plan needs of it.
    type Values: LeaveValues;

    fn values(self) -> Self::Values;

    /// The stack pointer of the caller, if it is known.
    fn stack_pointer(self) -> Option<usize>;

    /// Calls `read` with the result of a call of a function whose locations are not settled.
    fn located<R>(
        self,
        locations: &FunctionLocations,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R>;
}

/// Where the result of a call with a plan comes from, as [`EnterValues`].
pub(crate) trait LeaveValues: Copy {
    /// As [`EnterValues::IS_AT_ONCE`].
    const IS_AT_ONCE: bool;

    /// Calls `read` with the result of a call of a function with these locations.
    fn returned<R>(
        self,
        locations: &ValueLocations,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R>;
}

/// The result of a call that returns.
///
/// The word by reference: by value, it would have the tag of this too, and a hook would load it.
#[derive(Clone, Copy)]
pub(crate) enum Returned<'c> {
    /// In registers. A word is that of the result, if it is one.
    Fast(LeaveRegisters<'c>, &'c Option<ResultWord>, &'c Locations),
    /// In a range. The number is its bytes, if they fit.
    WithInfo(ArgumentRange, Option<u64>),
    /// Passed by inserted code.
    Passed(&'c usize, Slot),
    /// It could not be located.
    Unknown(&'c Error),
}

impl<'c> Returned<'c> {
    /// The bytes of a result of 1, 2, 4 or 8 bytes; 0 for `void`.
    #[inline(always)]
    pub(crate) fn word(self) -> Option<u64> {
        match self {
            // No closure: it would be a function of its own.
            Self::Fast(registers, Some(word), _) => Some(registers.word(*word)),
            Self::Fast(_, None, _) | Self::Unknown(_) => None,
            Self::WithInfo(_, word) => word,
            Self::Passed(word, slot) => slot.word(word),
        }
    }

    pub(crate) fn range(self) -> Result<ArgumentRange, &'c Error> {
        match self {
            Self::Fast(registers, _, locations) => Ok(registers.result(locations)),
            Self::WithInfo(range, _) => Ok(range),
            Self::Passed(word, slot) => Ok(slot.range(word)),
            Self::Unknown(error) => Err(error),
        }
    }
}

impl<'c> EnterSource for Fast<EnterFrame<'c>, EnterRegisters<'c>> {
    type Values = EnterRegisters<'c>;

    #[inline(always)]
    fn values(self) -> EnterRegisters<'c> {
        self.registers
    }

    fn integer_register(self, register: u8) -> Option<usize> {
        self.registers.integer(register)
    }

    fn located<R>(
        self,
        locations: &FunctionLocations,
        runtime: &ClrRuntime,
        read: impl FnOnce(Located<'_>) -> R,
    ) -> Result<R> {
        locations.arguments(runtime, &self.frame, |arguments| read(Located::Hook(arguments)))
    }

    fn locations(self, locations: &FunctionLocations, plan: &MethodPlan) -> Option<ValueLocations> {
        let locations = locations.get().filter(|locations| locations.is_complete())?;
        Some(ValueLocations::new(locations.clone(), plan.returns()))
    }
}

impl EnterValues for EnterRegisters<'_> {
    const IS_AT_ONCE: bool = true;

    #[inline(always)]
    fn arguments<R>(
        self,
        locations: &ValueLocations,
        read: impl FnOnce(LocatedArguments<'_>) -> R,
    ) -> Result<R> {
        Ok(read(LocatedArguments::Hook(locations.arguments(self))))
    }
}

impl EnterSource for WithInfo<EnterFrame<'_>> {
    type Values = Self;

    fn values(self) -> Self {
        self
    }

    fn integer_register(self, register: u8) -> Option<usize> {
        self.0.integer_register(register)
    }

    fn located<R>(
        self,
        _: &FunctionLocations,
        _: &ClrRuntime,
        read: impl FnOnce(Located<'_>) -> R,
    ) -> Result<R> {
        self.0.arguments(|arguments| read(Located::Hook(arguments)))
    }

    fn locations(self, _: &FunctionLocations, _: &MethodPlan) -> Option<ValueLocations> {
        Some(ValueLocations::none())
    }
}

impl EnterValues for WithInfo<EnterFrame<'_>> {
    const IS_AT_ONCE: bool = false;

    #[inline(always)]
    fn arguments<R>(self, _: &ValueLocations, read: impl FnOnce(LocatedArguments<'_>) -> R) -> Result<R> {
        self.0.arguments(
            #[inline(always)]
            |arguments| read(LocatedArguments::Hook(arguments)),
        )
    }
}

impl<'c> LeaveSource for Fast<LeaveFrame<'c>, LeaveRegisters<'c>> {
    type Values = LeaveRegisters<'c>;

    #[inline(always)]
    fn values(self) -> LeaveRegisters<'c> {
        self.registers
    }

    #[inline(always)]
    fn stack_pointer(self) -> Option<usize> {
        self.frame.caller_stack_pointer()
    }

    fn located<R>(
        self,
        locations: &FunctionLocations,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R> {
        let locations =
            locations.get().ok_or_else(|| Error::other("the location of the value is unknown"))?;
        let word = result_word(locations, plan.is_some_and(MethodPlan::returns));
        Ok(read(Returned::Fast(self.registers, &word, locations)))
    }
}

impl LeaveValues for LeaveRegisters<'_> {
    const IS_AT_ONCE: bool = true;

    #[inline(always)]
    fn returned<R>(
        self,
        locations: &ValueLocations,
        _: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R> {
        Ok(read(Returned::Fast(self, &locations.result, &locations.locations)))
    }
}

impl LeaveSource for WithInfo<LeaveFrame<'_>> {
    type Values = Self;

    fn values(self) -> Self {
        self
    }

    #[inline(always)]
    fn stack_pointer(self) -> Option<usize> {
        self.0.caller_stack_pointer()
    }

    fn located<R>(
        self,
        _: &FunctionLocations,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R> {
        result_of(self.0, plan, read)
    }
}

impl LeaveValues for WithInfo<LeaveFrame<'_>> {
    const IS_AT_ONCE: bool = false;

    #[inline(always)]
    fn returned<R>(
        self,
        _: &ValueLocations,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R> {
        result_of(self.0, plan, read)
    }
}

/// Calls `read` with the result that the runtime has located.
#[inline(always)]
fn result_of<R>(
    frame: LeaveFrame<'_>,
    plan: Option<&MethodPlan>,
    read: impl FnOnce(Returned<'_>) -> R,
) -> Result<R> {
    frame.return_value(
        #[inline(always)]
        |value| {
            with_result(
                plan,
                &value,
                #[inline(always)]
                |range, word| {
                    let returns = plan.is_some_and(MethodPlan::returns);
                    read(Returned::WithInfo(range, if returns { word } else { Some(0) }))
                },
            )
        },
    )
}

impl<'c> EnterSource for Inserted<'c> {
    type Values = Words<'c>;

    #[inline(always)]
    fn values(self) -> Words<'c> {
        Words(self.words)
    }

    fn integer_register(self, _: u8) -> Option<usize> {
        None
    }

    fn located<R>(
        self,
        _: &FunctionLocations,
        _: &ClrRuntime,
        read: impl FnOnce(Located<'_>) -> R,
    ) -> Result<R> {
        Ok(read(Located::Inserted(self)))
    }

    fn locations(self, _: &FunctionLocations, plan: &MethodPlan) -> Option<ValueLocations> {
        Some(ValueLocations::passed(self.shape.slots(plan)))
    }
}

impl EnterValues for Words<'_> {
    const IS_AT_ONCE: bool = true;

    #[inline(always)]
    fn arguments<R>(
        self,
        locations: &ValueLocations,
        read: impl FnOnce(LocatedArguments<'_>) -> R,
    ) -> Result<R> {
        Ok(read(LocatedArguments::Passed(Passed::new(self.0, &locations.slots.arguments))))
    }
}

impl LeaveSource for InsertedEnd<'_> {
    type Values = Self;

    #[inline(always)]
    fn values(self) -> Self {
        self
    }

    #[inline(always)]
    fn stack_pointer(self) -> Option<usize> {
        Some(self.frame)
    }

    fn located<R>(
        self,
        _: &FunctionLocations,
        plan: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R> {
        let slot = plan.map_or(Slot::NOTHING, |plan| self.shape.result(plan));
        Ok(read(Returned::Passed(self.word, slot)))
    }
}

impl LeaveValues for InsertedEnd<'_> {
    const IS_AT_ONCE: bool = true;

    #[inline(always)]
    fn returned<R>(
        self,
        locations: &ValueLocations,
        _: Option<&MethodPlan>,
        read: impl FnOnce(Returned<'_>) -> R,
    ) -> Result<R> {
        Ok(read(Returned::Passed(self.word, locations.slots.result)))
    }
}
