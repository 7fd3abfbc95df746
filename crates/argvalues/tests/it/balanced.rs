//! A visitor that checks the events that it gets.

use std::fmt;

use argvalues::{ArrayHead, EnumValue, Half, Integer, StringUnits, Visitor};

/// Checks that events are balanced and that each place gets exactly one value.
#[derive(Default)]
pub(crate) struct Balanced {
    /// For each thing that is open, how many values it may still take.
    open: Vec<usize>,
    values: usize,
    /// Whether an error had nothing to say.
    silent: bool,
}

impl Balanced {
    /// Nothing is left open, and so many values were told.
    pub(crate) fn has(&self, values: usize) {
        assert_eq!((self.values, self.open.len()), (values, 0));
    }

    /// Whether all errors say something.
    pub(crate) const fn explains(&self) -> bool {
        !self.silent
    }

    fn value(&mut self) {
        match self.open.last_mut() {
            None => self.values += 1,
            Some(room) => *room = room.checked_sub(1).expect("a value that nobody asked for"),
        }
    }

    fn place(&mut self) {
        let room = self.open.last_mut().expect("a place outside of everything");
        assert_eq!(*room, 0, "a place without a value");
        *room = 1;
    }

    fn end(&mut self) {
        assert_eq!(self.open.pop(), Some(0), "a place without a value");
    }
}

impl Visitor for Balanced {
    fn null(&mut self) {
        self.value();
    }
    fn bool(&mut self, _: bool) {
        self.value();
    }
    fn integer(&mut self, _: Integer) {
        self.value();
    }
    fn single(&mut self, _: f32) {
        self.value();
    }
    fn double(&mut self, _: f64) {
        self.value();
    }
    fn half(&mut self, _: Half) {
        self.value();
    }
    fn char(&mut self, _: u16) {
        self.value();
    }
    fn string(&mut self, string: &StringUnits<'_>) {
        assert!(string.units.len() <= string.length);
        self.value();
    }
    fn enumeration(&mut self, _: &EnumValue<'_>) {
        self.value();
    }
    fn formatted(&mut self, _: &str, _: &str) {
        self.value();
    }
    fn begin_object(&mut self, _: &str) {
        self.value();
        self.open.push(0);
    }
    fn field(&mut self, _: usize, _: &str) {
        self.place();
    }
    fn end_object(&mut self, _: usize) {
        self.end();
    }
    fn begin_array(&mut self, _: &ArrayHead<'_>) {
        self.value();
        self.open.push(0);
    }
    fn item(&mut self, _: usize) {
        self.place();
    }
    fn end_array(&mut self, _: usize, _: bool) {
        self.end();
    }
    fn begin_delegate(&mut self, _: &str) {
        self.value();
        self.open.push(1);
    }
    fn end_delegate(&mut self, _: Option<&str>) {
        self.end();
    }
    fn pointer(&mut self, _: usize) {
        self.value();
    }
    fn begin_pointer(&mut self, _: usize) {
        self.value();
        self.open.push(1);
    }
    fn end_pointer(&mut self) {
        self.end();
    }
    fn elided(&mut self, _: &str, _: usize, _: &str) {
        self.value();
    }
    fn cycle(&mut self, _: &str, _: usize) {
        self.value();
    }
    fn error(&mut self, message: &dyn fmt::Display) {
        self.silent |= message.to_string().is_empty();
        self.value();
    }
}
