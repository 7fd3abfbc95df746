//! The recorded values of a call, as a condition asks for them.

use core::fmt;

use argvalues::{ArrayHead, EnumValue, Half, Integer, Mode, StringUnits, Visitor};
use corprof_condition::{Comparison, Head, Path, Source, Step, Value};
use recording::{Function, Values, ValuesError};

/// What is known of a call.
#[derive(Clone)]
pub(super) struct Known<'r> {
    pub(super) function: &'r Function,
    /// The values of its beginning.
    pub(super) arguments: Option<Values<'r>>,
    /// The values of its end.
    pub(super) end: Option<Values<'r>>,
    /// The class of the exception that has ended it.
    pub(super) exception: Option<&'r str>,
    /// In nanoseconds.
    pub(super) duration: Option<u64>,
}

/// When the values of a comparison are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct When {
    /// All of them at the beginning of a call.
    pub(super) at_begin: bool,
    /// All of them at its end; those of the beginning are kept until then.
    pub(super) at_end: bool,
}

impl When {
    /// Determines it for a function.
    pub(super) fn of(comparison: &Comparison, function: &Function) -> Self {
        let each: Vec<Self> = comparison.paths().map(|path| Self::of_path(path, function)).collect();
        let is_any = |when: &Self| when.at_begin || when.at_end;
        Self {
            at_begin: each.iter().all(|when| when.at_begin),
            at_end: each.iter().all(is_any) && each.iter().any(|when| when.at_end),
        }
    }

    fn of_path(path: &Path, function: &Function) -> Self {
        let parameters = function.parameters.iter();
        match path.head() {
            Head::This => Self { at_begin: function.has_this, at_end: false },
            Head::Return => Self { at_begin: false, at_end: function.returns.is_some() },
            Head::Exception | Head::Duration => Self { at_begin: false, at_end: true },
            Head::Any => Self { at_begin: true, at_end: true },
            Head::Argument(name) => parameters.filter(|parameter| parameter.name == *name).fold(
                Self::default(),
                |when, parameter| Self {
                    at_begin: when.at_begin || parameter.mode != Mode::Out,
                    at_end: when.at_end || matches!(parameter.mode, Mode::Ref | Mode::Out),
                },
            ),
            _ => Self::default(),
        }
    }
}

/// [`Known`], with the first error of reading the values.
pub(super) struct Recorded<'r> {
    known: Known<'r>,
    error: Option<ValuesError>,
}

impl<'r> Recorded<'r> {
    /// Whether a comparison holds with what is known.
    pub(super) fn holds(known: &Known<'r>, comparison: &Comparison) -> Result<bool, ValuesError> {
        let mut source = Self { known: known.clone(), error: None };
        let holds = comparison.holds(&mut source);
        source.error.map_or(Ok(holds), Err)
    }

    fn visit_arguments(&self, path: &Path, seen: &mut dyn FnMut(Value<'_>)) -> Result<(), ValuesError> {
        let Known { function, arguments: Some(values), .. } = &self.known else { return Ok(()) };
        let mut values = values.clone();
        if values.failure().is_some() {
            return Ok(());
        }
        let is_any = *path.head() == Head::Any;
        if function.has_this && !values.is_at_end() {
            let is_it = *path.head() == Head::This;
            next(&mut values, is_it || is_any, path, seen)?;
            if is_it {
                return Ok(());
            }
        }
        for parameter in &function.parameters {
            if values.is_at_end() {
                break;
            }
            // An `out` parameter has no value yet.
            let is_it = is_meant(path, &parameter.name) && parameter.mode != Mode::Out;
            next(&mut values, is_it, path, seen)?;
            // What is behind it need not be read.
            if is_it && !is_any {
                break;
            }
        }
        Ok(())
    }

    fn visit_end(&self, path: &Path, seen: &mut dyn FnMut(Value<'_>)) -> Result<(), ValuesError> {
        let Known { function, end: Some(values), .. } = &self.known else { return Ok(()) };
        let mut values = values.clone();
        if values.failure().is_some() {
            return Ok(());
        }
        if function.returns.is_some() {
            next(&mut values, matches!(path.head(), Head::Return | Head::Any), path, seen)?;
        }
        while let Some(index) = values.parameter()? {
            let is_it =
                function.parameters.get(index).is_some_and(|parameter| is_meant(path, &parameter.name));
            next(&mut values, is_it, path, seen)?;
        }
        Ok(())
    }
}

fn is_meant(path: &Path, parameter: &str) -> bool {
    match path.head() {
        Head::Any => true,
        Head::Argument(name) => name == parameter,
        _ => false,
    }
}

/// Passes the next value, and what the path leads to in it if it is meant.
fn next(
    values: &mut Values<'_>,
    is_meant: bool,
    path: &Path,
    seen: &mut dyn FnMut(Value<'_>),
) -> Result<(), ValuesError> {
    // Alone, `*` stands for any value in the arguments too.
    let all = [Step::All];
    let steps = match path.head() {
        Head::Any if path.steps().is_empty() => &all,
        _ => path.steps(),
    };
    let mut finder = Finder { steps, passed: is_meant.then_some(0), around: Vec::new(), seen };
    values.visit_next(&mut finder).map(drop)
}

impl Source for Recorded<'_> {
    fn visit(&mut self, path: &Path, seen: &mut dyn FnMut(Value<'_>)) {
        let visited = match path.head() {
            Head::Exception => {
                // Of an exception the class is recorded.
                if path.steps().is_empty() {
                    self.known.exception.map(Value::Object).into_iter().for_each(seen);
                }
                Ok(())
            }
            Head::Duration => {
                self.known.duration.map(Value::Nanoseconds).into_iter().for_each(seen);
                Ok(())
            }
            _ => self.visit_arguments(path, seen).and_then(|()| self.visit_end(path, seen)),
        };
        if let Err(error) = visited {
            self.error.get_or_insert(error);
        }
    }
}

/// Visits a value, and shows what the steps lead to.
struct Finder<'s> {
    steps: &'s [Step],
    /// How many of the steps lead to the value that is visited; `None` beside the path.
    passed: Option<usize>,
    /// The same for the values around it.
    around: Vec<Option<usize>>,
    seen: &'s mut dyn FnMut(Value<'_>),
}

impl Finder<'_> {
    /// The next step from the value that is visited.
    fn step(&self) -> Option<&Step> {
        self.steps.get(self.passed?)
    }

    /// Whether the steps lead to the value that is visited.
    fn is_here(&self) -> bool {
        self.passed.is_some_and(|passed| passed == self.steps.len()) || self.step() == Some(&Step::All)
    }

    fn show(&mut self, value: Value<'_>) {
        if self.is_here() {
            (self.seen)(value);
        }
    }

    /// Shows the object, array or delegate that begins.
    fn begin(&mut self, type_name: &str) {
        if self.passed == Some(self.steps.len()) {
            (self.seen)(Value::Object(type_name));
        }
        self.around.push(self.passed);
    }

    fn end(&mut self) {
        self.passed = self.around.pop().unwrap_or_default();
    }

    /// Shows the number of items or characters, if that is what the last step says.
    fn show_length(&mut self, length: usize, names: &[&str]) {
        let is_last = self.passed.is_some_and(|passed| passed + 1 == self.steps.len());
        if is_last && matches!(self.step(), Some(Step::Field(name)) if names.contains(&name.as_str())) {
            (self.seen)(Value::Integer(i128::try_from(length).unwrap_or(i128::MAX)));
        }
    }
}

impl Visitor for Finder<'_> {
    fn null(&mut self) {
        self.show(Value::Null);
    }

    fn bool(&mut self, value: bool) {
        self.show(Value::Bool(value));
    }

    fn integer(&mut self, value: Integer) {
        self.show(Value::Integer(whole(value)));
    }

    fn single(&mut self, value: f32) {
        // As it is written: 0.1 is not the `double` that is nearest to it.
        self.show(Value::Float(value.to_string().parse().unwrap_or(value.into())));
    }

    fn double(&mut self, value: f64) {
        self.show(Value::Float(value));
    }

    fn half(&mut self, value: Half) {
        let text = value.to_string();
        self.show(text.parse().map_or(Value::Text(&text), Value::Float));
    }

    fn char(&mut self, unit: u16) {
        self.show(Value::Utf16(&[unit]));
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        self.show(Value::Utf16(string.units));
        self.show_length(string.length, &["Length"]);
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        if self.is_here() {
            let mut name = String::new();
            // A `String` takes everything.
            let _ = value.write_name(&mut name);
            (self.seen)(Value::Enumeration(whole(value.value), &name));
        }
    }

    fn formatted(&mut self, _: &str, text: &str) {
        self.show(Value::Formatted(text));
    }

    fn begin_object(&mut self, type_name: &str) {
        self.begin(type_name);
    }

    fn field(&mut self, _: usize, name: &str) {
        let around = self.around.last().copied().flatten();
        self.passed = around.and_then(|passed| match self.steps.get(passed)? {
            Step::All => Some(passed),
            Step::Field(own) if own == name => Some(passed + 1),
            _ => None,
        });
    }

    fn end_object(&mut self, _: usize) {
        self.end();
    }

    fn begin_array(&mut self, head: &ArrayHead<'_>) {
        self.show_length(head.length, &["Length", "Count"]);
        self.begin(head.type_name);
    }

    /// The items are where the array is: `names == "apple"` holds if one of them is.
    fn item(&mut self, index: usize) {
        let around = self.around.last().copied().flatten();
        self.passed = around.and_then(|passed| match self.steps.get(passed) {
            Some(Step::Item(own)) => (u64::try_from(index) == Ok(*own)).then_some(passed + 1),
            _ => Some(passed),
        });
    }

    fn end_array(&mut self, _: usize, _: bool) {
        self.end();
    }

    fn begin_delegate(&mut self, type_name: &str) {
        self.begin(type_name);
        self.passed = None;
    }

    fn end_delegate(&mut self, method: Option<&str>) {
        self.end();
        if let Some(method) = method {
            self.show(Value::Text(method));
        }
    }

    fn pointer(&mut self, address: usize) {
        self.show(Value::Integer(i128::try_from(address).unwrap_or(i128::MAX)));
    }

    fn begin_pointer(&mut self, _: usize) {}

    fn end_pointer(&mut self) {}

    fn elided(&mut self, _: &str, _: usize, _: &str) {}

    fn cycle(&mut self, _: &str, _: usize) {}

    fn error(&mut self, _: &dyn fmt::Display) {}
}

fn whole(integer: Integer) -> i128 {
    match integer {
        Integer::Signed(value) => value.into(),
        Integer::Unsigned(value) => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corprof_condition::Condition;

    /// Whether one of the values that the condition's path leads to meets it.
    fn holds(condition: &str, visit: impl FnOnce(&mut Finder<'_>)) -> bool {
        let condition: Condition = condition.parse().unwrap();
        let comparison = &condition.comparisons()[0];
        let all = [Step::All];
        let is_any = *comparison.path().head() == Head::Any && comparison.path().steps().is_empty();
        let steps = if is_any { &all } else { comparison.path().steps() };
        let mut holds = false;
        let mut seen = |value: Value<'_>| holds |= comparison.is_met_by(value);
        visit(&mut Finder { steps, passed: Some(0), around: Vec::new(), seen: &mut seen });
        holds
    }

    /// `item`: an object with `price` 7, and `tags`, an array of objects with a `name`.
    fn item(visitor: &mut Finder<'_>) {
        let array = ArrayHead { type_name: "Tag[]", length: 2, bounds: None };
        visitor.begin_object("Shop.Item");
        visitor.field(0, "price");
        visitor.integer(Integer::Signed(7));
        visitor.field(1, "tags");
        visitor.begin_array(&array);
        for (index, name) in ["red", "green"].into_iter().enumerate() {
            visitor.item(index);
            visitor.begin_object("Tag");
            visitor.field(0, "name");
            let units: Vec<u16> = name.encode_utf16().collect();
            visitor.string(&StringUnits { units: &units, length: units.len() });
            visitor.end_object(1);
        }
        visitor.end_array(2, false);
        visitor.field(2, "none");
        visitor.null();
        visitor.field(3, "weight");
        visitor.single(0.1);
        visitor.end_object(4);
    }

    #[test]
    fn conditions_hold_where_their_path_leads() {
        for (condition, expected) in [
            ("item.price == 7", true),
            ("item.price == 7.0", true),
            ("item.price != 7", false),
            ("item.price >= 8", false),
            ("item.price < 8", true),
            ("item.price == '7'", false),
            ("item.price ~ '7'", true),
            ("item == 7", false),
            ("item is Item", true),
            ("item is Tag", false),
            ("item != null", true),
            ("item.tags is \"Tag[]\"", true),
            ("item.tags is Tag", true),
            ("item.tags.name == 'green'", true),
            ("item.tags.name ~ 'ree'", true),
            ("item.tags.name == 'ree'", false),
            ("item.tags[1].name == 'green'", true),
            ("item.tags[0].name == 'green'", false),
            ("item.tags[2].name != 'green'", false),
            ("item.tags.Length == 2", true),
            ("item.tags.Count > 2", false),
            ("item.tags.name.Length == 5", true),
            ("item.tags.name.Length > 5", false),
            ("item.* == 'green'", true),
            ("* == 'green'", true),
            ("* ~ '7'", true),
            ("item.tags.* == 7", false),
            ("item.none == null", true),
            ("item.none != null", false),
            ("item.weight == 0.1", true),
        ] {
            assert_eq!(holds(condition, item), expected, "{condition}");
        }
    }

    #[test]
    fn integers_are_compared_with_all_digits() {
        let large = |visitor: &mut Finder<'_>| visitor.integer(Integer::Unsigned(u64::MAX));
        assert!(holds("item == 18446744073709551615", large));
        assert!(!holds("item == 18446744073709551614", large));
        assert!(holds("item > 18446744073709000000", large));
    }
}
