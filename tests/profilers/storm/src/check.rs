//! Compares a call's own description with the profiler's results.

use argvalues::{ArgumentRange, Decoder, JsonWriter, Limits, MethodPlan, Scratch, Value, ValueBuilder};
use corprof::{ClassId, EnterFrame, Instance, Result};

use crate::tally::Tally;
use crate::{Asked, Kept, Storm};

/// A call's own description.
pub(crate) struct Expected {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The generation in a name.
pub(crate) fn generation_of(name: &str) -> Option<u32> {
    let (_, rest) = name.split_once("Plugin")?;
    rest.get(..8)?.parse().ok()
}

fn says(instance: &Instance) -> bool {
    let names: Vec<&str> = instance.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    names == ["expected", "value", "it"]
}

impl Storm {
    /// Compares a call's description, if it has one, with the profiler's results.
    pub(crate) fn check(&self, kept: &Kept, frame: &EnterFrame<'_>) -> Result<Option<Expected>> {
        let Asked { names, tally, lately } = &*self.asked;
        if kept.says.get() == Some(&false) {
            return Ok(None);
        }
        kept.locations.arguments(&self.runtime, frame, |arguments| {
            let found = names.info().function_instance(kept.function, Some(arguments.frame()))?;
            let method = names.method(kept.function)?;
            let instance = names.instance(&method, found.class, &found.type_args)?;
            if !*kept.says.get_or_init(|| says(&instance)) {
                return Ok(None);
            }
            let plan = self.runtime.plan(&instance)?;
            let ranges: Vec<_> = arguments.ranges().collect();
            let Some((expected, value)) = self.read(&plan, &ranges) else {
                tally.wrong(format!("{}: what it says cannot be read", instance.name));
                return Ok(None);
            };
            Tally::add(&tally.compared);
            if instance.name != expected.name || value != expected.value {
                tally.wrong(format!("{} {value} says {} {}", instance.name, expected.name, expected.value));
            }
            let classes: Vec<ClassId> =
                found.class.into_iter().chain(found.type_args.into_iter().flatten()).collect();
            lately.seen(&self.asked, kept.function, &classes);
            Ok(Some(expected))
        })?
    }

    /// The two strings, and the third argument as JSON.
    fn read(&self, plan: &MethodPlan, ranges: &[ArgumentRange]) -> Option<(Expected, String)> {
        let mut scratch = Scratch::new();
        let mut decoder = Decoder::new(&self.memory, &self.runtime, Limits::default(), &mut scratch);
        let mut last = plan.arguments(ranges).skip(plan.argument_count().checked_sub(3)?);
        let mut text = || {
            let mut builder = ValueBuilder::default();
            last.next()?.decode(&mut decoder, &mut builder);
            match builder.finish()? {
                Value::String { units, .. } => String::from_utf16(&units).ok(),
                _ => None,
            }
        };
        let expected = Expected { name: text()?, value: text()? };
        let mut value = String::new();
        last.next()?.decode(&mut decoder, &mut JsonWriter::new(&mut value));
        Some((expected, value))
    }
}
