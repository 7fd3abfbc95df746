//! What to do for each argument of a method, found out once.
//!
//! A [`MethodPlan`] is compiled when a method is first seen, from its signature, and then followed at every call: the
//! hot path reads neither signatures nor metadata.

mod compile;
mod ranges;
mod saved;

pub use compile::{Declaring, PlanContext};
pub use ranges::{ArgumentRange, Arguments};
pub use saved::{Outs, SavedRefs};

use std::sync::Arc;

use crate::{
    decode::Decoder,
    error::{DecodeError, ResolveError},
    memory::{Memory, POINTER_SIZE},
    runtime::Runtime,
    shape::TypeShape,
    visitor::{Visitor, elided},
};

/// How the arguments and the result of one method are found and decoded.
///
/// A parameter whose type has no shape costs its own value and no other.
///
/// Shapes are kept by the plan, so it becomes stale when the module of the method, or of one of its type
/// arguments, is unloaded.
#[derive(Clone, Debug)]
pub struct MethodPlan {
    /// `this` first, if there is one.
    steps: Box<[Step]>,
    result: Option<Step>,
}

/// One argument, or the result.
#[derive(Clone, Debug)]
struct Step {
    position: Position,
    mode: Mode,
    /// The size of what is passed, where it is known.
    size: Option<usize>,
    /// The type of the value, behind the reference if there is one.
    shape: Result<Arc<TypeShape>, ResolveError>,
}

impl Step {
    fn new(position: Position, mode: Mode, shape: Result<Arc<TypeShape>, ResolveError>) -> Self {
        let size = match mode {
            Mode::Value => shape.as_ref().ok().and_then(|shape| shape.size()),
            Mode::Ref | Mode::In | Mode::Out => Some(POINTER_SIZE),
        };
        Self { position, mode, size, shape }
    }
}

/// Which value of a call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// The object or struct that the method is called on.
    This,
    /// A parameter, counted from 0, `this` not included.
    Parameter(usize),
    /// The result.
    Return,
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Itself, or its reference if it is an object.
    Value,
    /// By a reference that the method reads and writes; `this` of a struct; a `ref` result.
    Ref,
    /// By a reference that the method only reads: `in`, `ref readonly`.
    In,
    /// By a reference that the method only writes: there is no value before the call.
    Out,
}

impl Mode {
    /// As calltrace's records name it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Value | Self::In => "in",
            Self::Ref => "ref",
            Self::Out => "out",
        }
    }
}

impl MethodPlan {
    /// Whether the method returns anything.
    #[must_use]
    pub const fn returns(&self) -> bool {
        self.result.is_some()
    }

    /// How many arguments there are, `this` included.
    #[must_use]
    pub const fn argument_count(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are arguments to look at after the call.
    #[must_use]
    pub fn has_outs(&self) -> bool {
        self.steps.iter().any(Step::is_out)
    }

    /// Where the arguments of a call are, in the order of the signature, `this` first. Nothing is read yet.
    #[must_use]
    pub const fn arguments<'p>(&'p self, ranges: &'p [ArgumentRange]) -> Arguments<'p> {
        Arguments::new(&self.steps, ranges)
    }

    /// The type of the result, if it is known and not passed by reference. `None` for `void`.
    #[must_use]
    pub fn result_shape(&self) -> Option<&TypeShape> {
        let step = self.result.as_ref().filter(|step| step.mode == Mode::Value)?;
        step.shape.as_deref().ok()
    }

    /// Where the result of a call is. `None` for `void`.
    #[must_use]
    pub fn result(&self, range: ArgumentRange) -> Option<Argument<'_>> {
        let step = self.result.as_ref()?;
        Some(step.at(range.address).filter_length(step, range.length))
    }
}

impl Step {
    /// Whether the value is looked at after the call.
    fn is_out(&self) -> bool {
        matches!(self.position, Position::Parameter(_)) && matches!(self.mode, Mode::Ref | Mode::Out)
    }

    #[inline]
    fn at(&self, address: usize) -> Argument<'_> {
        let place = match &self.shape {
            Ok(shape) => Place::Slot { shape, address },
            Err(error) => Place::Nowhere(Box::new(DecodeError::Resolve(error.clone()))),
        };
        Argument { position: self.position, mode: self.mode, place }
    }

    #[cold]
    fn failed(&self, error: DecodeError) -> Argument<'_> {
        Argument { position: self.position, mode: self.mode, place: Place::Nowhere(Box::new(error)) }
    }

    /// The name of what is passed, for messages.
    fn type_name(&self) -> Box<str> {
        match (&self.shape, self.mode) {
            (Ok(shape), Mode::Value) => shape.name().into(),
            (Ok(shape), _) => format!("ref {}", shape.name()).into(),
            (Err(_), _) => "the type".into(),
        }
    }
}

/// One argument or result of a call, located and not yet read.
#[derive(Clone, Debug)]
pub struct Argument<'p> {
    position: Position,
    mode: Mode,
    place: Place<'p>,
}

#[derive(Clone, Debug)]
enum Place<'p> {
    /// What is passed is at this address: the value, or the reference to it.
    Slot { shape: &'p TypeShape, address: usize },
    /// What the reference referred to at enter.
    Kept { shape: &'p TypeShape, target: usize, moved: bool },
    /// It cannot be found.
    Nowhere(Box<DecodeError>),
}

impl<'p> Argument<'p> {
    /// Which one it is.
    #[must_use]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// How it is passed.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Where the value is passed: the slot of the argument. `None` if it could not be found, or is a reference that
    /// was kept.
    #[must_use]
    pub const fn address(&self) -> Option<usize> {
        match self.place {
            Place::Slot { address, .. } => Some(address),
            _ => None,
        }
    }

    /// Reads the value and tells the visitor: exactly one value, whatever happens.
    ///
    /// A reference is followed. An `out` argument before the call, which has no value, is told as elided.
    pub fn decode<M, R, V>(&self, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        match &self.place {
            Place::Slot { shape, address } => match self.mode {
                Mode::Value => decoder.value(shape, *address, visitor),
                Mode::Out => visitor.elided(shape.name(), *address, elided::OUT),
                Mode::Ref | Mode::In => match decoder.pointer_at(*address) {
                    Ok(target) => decoder.target(shape, target, visitor),
                    Err(source) => visitor.error(&DecodeError::Memory { what: "reference", source }),
                },
            },
            Place::Kept { target, moved: true, .. } if *target != 0 && !decoder.trusts(*target) => {
                visitor.error(&DecodeError::Stale { address: *target });
            }
            Place::Kept { shape, target, .. } => decoder.target(shape, *target, visitor),
            Place::Nowhere(error) => visitor.error(&**error),
        }
    }

    /// Refuses the place if what is passed does not have the length of its range.
    #[inline]
    fn filter_length(self, step: &'p Step, length: usize) -> Self {
        match (self.place, step.size) {
            (Place::Slot { address, .. }, Some(size)) if size != length => {
                step.failed(DecodeError::RangeLength { type_name: step.type_name(), size, address, length })
            }
            (place, _) => Self { place, ..self },
        }
    }
}
