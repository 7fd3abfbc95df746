//! Compares one call: the locations of fast-path hooks and those of the runtime.
//!
//! Contract of the unsafe code here: the ranges are borrowed for the duration of the running hook, from the runtime or
//! from the frame of a fast-path hook.
#![allow(unsafe_code)]

use argvalues::{Direct, Memory as _};
use corprof::{
    ArgumentRange, EnterArguments, EnterFrame, EnterRegisters, Error, GenericContext, LeaveFrame, LeaveValue,
    Location, LocationKind, Locations, Register, Result,
};

use crate::Differential;
use crate::function::Function;
use crate::tally::Tally;

/// The number of compared bytes of values at different locations. Values on the stack are at the same one, and no other value
/// is longer.
const MOST: usize = 64;

/// The memory for reading values.
pub(crate) fn memory() -> Direct {
    // SAFETY: it reads only ranges that belong to the running hook.
    unsafe { Direct::new() }
}

fn no_frame() -> Error {
    Error::other("what the runtime's stubs save is not known here")
}

impl Differential {
    /// The arguments and type arguments of a call.
    pub(crate) fn compare_enter(&self, function: &Function, frame: &EnterFrame<'_>) -> Result<()> {
        let compare = |fast: &EnterFrame<'_>| {
            let locations = function.locations(&self.runtime, fast, self.skew)?;
            let registers = fast.registers().ok_or_else(no_frame)?;
            // SAFETY: the locations are the function's; skewed ones name other registers of the convention.
            let found = unsafe { registers.arguments(&locations) };
            frame.arguments(|told| self.compare_arguments(function, (registers, &locations), told, found))?
        };
        frame.with_saved_registers(compare).ok_or_else(no_frame)?
    }

    fn compare_arguments(
        &self,
        function: &Function,
        (registers, locations): (EnterRegisters<'_>, &Locations),
        told: EnterArguments<'_>,
        found: EnterArguments<'_>,
    ) -> Result<()> {
        let (count, found_count) = (told.ranges().len(), found.ranges().len());
        if count != found_count {
            self.tally.differs(&self.tally.different_arguments, || {
                format!("{}: {count} arguments, found {found_count}", function.name(&self.names))
            });
        }
        let (mut same, mut words) = (0, 0);
        for (index, (told, range)) in told.ranges().zip(found.ranges()).enumerate() {
            if is_unknown(range) {
                self.tally.lacks(function.reason(&self.names), &format!("argument {index}"));
            } else if let Err(difference) = self.compare_ranges(told, range) {
                self.tally.differs(&self.tally.different_arguments, || {
                    format!("{}, argument {index}: {difference}", function.name(&self.names))
                });
            } else {
                same += 1;
                // SAFETY: as above.
                let loaded = locations.argument_word(index).map(|word| unsafe { registers.word(word) });
                let what = || format!("argument {index}");
                // The parts of an aggregate in several registers are no word.
                let is_assembled = locations
                    .arguments
                    .get(index)
                    .is_some_and(|location| matches!(location.kind, LocationKind::Vectors { .. }));
                if !is_assembled {
                    let found = [found.word(index), loaded];
                    words += u64::from(self.compare_words(function, what, told, &found));
                }
            }
        }
        Tally::add(&self.tally.arguments, same);
        Tally::add(&self.tally.words, words);
        self.compare_contexts(function, locations.context, told, found)
    }

    /// Compares a value as a word, in each way to read one: it is one if it has the size of a number, and the words must be equal.
    fn compare_words(
        &self,
        function: &Function,
        what: impl Fn() -> String,
        told: ArgumentRange,
        found: &[Option<u64>],
    ) -> bool {
        let bytes = matches!(told.length, 1 | 2 | 4 | 8).then(|| self.bytes(told)).flatten();
        let expected = bytes.map(|bytes| bytes.get(..told.length as usize).unwrap_or_default().to_vec());
        let own: Vec<_> = found.iter().map(|word| word.map(|word| word.to_le_bytes())).collect();
        let same = own.iter().all(|word| {
            let own = word.as_ref().map(|word| word.get(..told.length as usize).unwrap_or_default());
            own == expected.as_deref()
        });
        if !same {
            self.tally.differs(&self.tally.different_arguments, || {
                let name = function.name(&self.names);
                format!("{name}, {} as a word: {expected:02X?} of {told:?}, found {found:02X?}", what())
            });
        }
        same && expected.is_some()
    }

    /// Compares the type arguments with those of the runtime.
    fn compare_contexts(
        &self,
        function: &Function,
        context: GenericContext,
        told: EnterArguments<'_>,
        found: EnterArguments<'_>,
    ) -> Result<()> {
        let info = self.names.info();
        let counted = match context {
            GenericContext::Unknown => {
                self.tally.lacks(function.reason(&self.names), "type arguments");
                return Ok(());
            }
            GenericContext::None => &self.tally.contexts,
            _ if found.frame().key().is_none() => {
                self.tally.lacks(function.reason(&self.names), "type arguments of a null `this`");
                return Ok(());
            }
            _ => &self.tally.shared_contexts,
        };
        let told = info.function_instance(function.id, Some(told.frame()))?;
        let found = info.function_instance(function.id, Some(found.frame()))?;
        if told == found {
            Tally::add(counted, 1);
        } else {
            self.tally.differs(&self.tally.different_contexts, || {
                format!("{}: {told:?}, found {found:?}", function.name(&self.names))
            });
        }
        Ok(())
    }

    /// Compares the result of a call.
    pub(crate) fn compare_leave(&self, function: &Function, frame: &LeaveFrame<'_>) -> Result<()> {
        let compare = |fast: &LeaveFrame<'_>| {
            let locations = function.known_locations(self.skew)?;
            let registers = fast.registers().ok_or_else(no_frame)?;
            let found = registers.result(&locations);
            if matches!(locations.result.kind, LocationKind::Register(_)) && found.length > 0 {
                let loaded = locations.result_word().map(|word| registers.word(word));
                self.compare_words(function, || "result".to_owned(), found, &[loaded]);
            }
            frame.return_value(|told| self.compare_result(function, locations.result, told, found))
        };
        frame.with_saved_registers(compare).ok_or_else(no_frame)?
    }

    fn compare_result(
        &self,
        function: &Function,
        location: Location,
        told: LeaveValue<'_>,
        found: ArgumentRange,
    ) {
        if is_unknown(found) {
            return self.tally.lacks(function.reason(&self.names), "result");
        }
        if told.range().length == 0 && found.length == 0 {
            return;
        }
        let Err(difference) = self.compare_ranges(told.range(), found) else {
            return Tally::add(&self.tally.returns, 1);
        };
        // .NET Core 3.1 reports `rax` for each structure in registers.
        let is_in_several =
            matches!(location.kind, LocationKind::Pair(..) | LocationKind::Register(Register::Float(_)));
        if told.registers().is_some()
            && is_in_several
            && told.range().length == found.length
            && function.returns_struct(&self.names)
            && self.begins_alike(location, told.range(), found)
        {
            return Tally::add(&self.tally.mislocated, 1);
        }
        self.tally.differs(&self.tally.different_returns, || {
            format!("{}, result at {location:?}: {difference}", function.name(&self.names))
        });
    }

    /// Whether the first 8 bytes of a structure are at the runtime's location, if those are in `rax`.
    fn begins_alike(&self, location: Location, told: ArgumentRange, found: ArgumentRange) -> bool {
        if !matches!(location.kind, LocationKind::Pair(Register::Integer(0), _)) {
            return true;
        }
        let first = |range: ArgumentRange| self.bytes(ArgumentRange { length: range.length.min(8), ..range });
        first(told) == first(found)
    }

    /// Whether two ranges have the same length and bytes.
    fn compare_ranges(&self, told: ArgumentRange, found: ArgumentRange) -> Result<(), String> {
        if told == found {
            return Ok(());
        }
        let (expected, bytes) = (self.bytes(told), self.bytes(found));
        if told.length == found.length && expected.is_some() && expected == bytes {
            return Ok(());
        }
        let shown = |bytes: Option<[u8; MOST]>, length: u32| match bytes {
            Some(bytes) => format!("{:02X?}", bytes.get(..length as usize).unwrap_or_default()),
            None => "?".to_owned(),
        };
        Err(format!(
            "{told:?} with {}, found {found:?} with {}",
            shown(expected, told.length),
            shown(bytes, found.length)
        ))
    }

    /// The bytes of a range, followed by zeros.
    fn bytes(&self, range: ArgumentRange) -> Option<[u8; MOST]> {
        let mut bytes = [0; MOST];
        self.memory.read(range.address, bytes.get_mut(..range.length as usize)?).ok()?;
        Some(bytes)
    }
}

/// Whether the location of a value is unknown to fast-path hooks.
fn is_unknown(range: ArgumentRange) -> bool {
    range == ArgumentRange { address: 0, length: 0 }
}
