//! The hooks.

use corprof::{EnterFrame, FunctionHooks, FunctionId, LeaveFrame, TailcallFrame};

use crate::Adversary;
use crate::learn::Learn;
use crate::place::{Given, Place};

impl FunctionHooks for Adversary {
    type Function = FunctionId;

    fn map_function(&self, function: FunctionId) -> Option<FunctionId> {
        let mut given = Given::default();
        function.learn(&self.shared, &mut given);
        self.shared.attack(Place::MapFunction, given);
        Some(function)
    }

    fn map_again(&self, _: FunctionId, _: &FunctionId) -> bool {
        self.shared.attack(Place::MapAgain, Given::default());
        true
    }

    fn enter(&self, _: &FunctionId, frame: &EnterFrame<'_>) {
        self.shared.attack(Place::Enter, Given { enter: Some(frame), ..Given::default() });
        if self.shared.is_due(Place::EnterArguments) {
            let read = frame.arguments(|arguments| {
                let given = Given { enter: Some(frame), frame: Some(arguments.frame()), ..Given::default() };
                self.shared.attack(Place::EnterArguments, given);
            });
            // Without slow-path hooks there are none.
            let _ = read;
        }
    }

    fn leave(&self, _: &FunctionId, frame: &LeaveFrame<'_>) {
        self.shared.attack(Place::Leave, Given { leave: Some(frame), ..Given::default() });
        if self.shared.is_due(Place::LeaveValue) {
            let read = frame.return_value(|value| {
                let given = Given { leave: Some(frame), frame: Some(value.frame()), ..Given::default() };
                self.shared.attack(Place::LeaveValue, given);
            });
            let _ = read;
        }
    }

    fn tailcall(&self, _: &FunctionId, frame: &TailcallFrame<'_>) {
        let given = Given { tailcall: Some(frame), frame: frame.frame().ok(), ..Given::default() };
        self.shared.attack(Place::Tailcall, given);
    }
}
