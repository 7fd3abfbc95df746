//! What to do for each argument of a method, found out once.
//!
//! A [`MethodPlan`] is compiled when a method is first seen, from its signature, and then followed at every call: the
//! hot path reads neither signatures nor metadata.

mod call;
mod compile;
mod numbers;
mod ranges;
mod saved;

pub use compile::{Declaring, PlanContext};
pub use ranges::{ArgumentRange, Arguments};
pub use saved::{Outs, SavedRefs};

use std::sync::Arc;

use self::numbers::Number;
use crate::{
    decode::Decoder,
    error::{DecodeError, ResolveError},
    memory::{Memory, POINTER_SIZE},
    runtime::Runtime,
    shape::{Primitive, ShapeKind, TypeShape},
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
    /// What is known of them if they are numbers that are passed by value, all of them; else nothing.
    numbers: Box<[Number]>,
    /// Which of them are looked at after the call.
    outs: Box<[usize]>,
    result: Option<Step>,
}

/// One argument, or the result.
#[derive(Clone, Debug)]
struct Step {
    position: Position,
    mode: Mode,
    /// The size of what is passed, where it is known.
    size: Option<usize>,
    way: Way,
    /// The type of the value, behind the reference if there is one.
    shape: Result<Arc<TypeShape>, ResolveError>,
}

/// How a value is come by.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The slot has it, and it is a number.
    Primitive(Primitive),
    /// The slot has a reference to a string.
    String,
    /// The slot has it, or a reference to it.
    Slot,
    /// The slot has a managed reference to it.
    Target,
    /// There is none yet.
    Out,
    /// Its type is not known.
    Unknown,
}

impl Step {
    fn new(position: Position, mode: Mode, shape: Result<Arc<TypeShape>, ResolveError>) -> Self {
        let size = match mode {
            Mode::Value => shape.as_ref().ok().and_then(|shape| shape.size()),
            Mode::Ref | Mode::In | Mode::Out => Some(POINTER_SIZE),
        };
        let way = match (&shape, mode) {
            (Err(_), _) => Way::Unknown,
            (Ok(_), Mode::Out) => Way::Out,
            (Ok(_), Mode::Ref | Mode::In) => Way::Target,
            (Ok(shape), Mode::Value) => match shape.kind() {
                ShapeKind::Primitive(primitive) => Way::Primitive(*primitive),
                ShapeKind::String => Way::String,
                _ => Way::Slot,
            },
        };
        Self { position, mode, size, way, shape }
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
    pub const fn has_outs(&self) -> bool {
        !self.outs.is_empty()
    }

    /// Where the arguments of a call are, in the order of the signature, `this` first. Nothing is read yet.
    #[must_use]
    #[inline]
    pub const fn arguments<'p>(&'p self, ranges: &'p [ArgumentRange]) -> Arguments<'p> {
        Arguments::new(&self.steps, ranges)
    }

    /// What is passed for each argument, `this` first.
    #[cfg(feature = "corprof")]
    pub(crate) fn passed(&self) -> impl Iterator<Item = Passed<'_>> {
        self.steps.iter().map(Step::passed)
    }

    /// What is returned. `None` for `void`.
    #[cfg(feature = "corprof")]
    pub(crate) fn passed_back(&self) -> Option<Passed<'_>> {
        self.result.as_ref().map(Step::passed)
    }

    /// What the arguments are if all of them are primitives passed by value: then their bytes are all that there is to
    /// keep of a call. `None` if one is not.
    #[must_use]
    pub fn primitive_arguments(&self) -> Option<Box<[Primitive]>> {
        let all = self.numbers.len() == self.steps.len();
        all.then(|| self.numbers.iter().map(|number| number.primitive).collect())
    }

    /// The result's type, if it is a primitive.
    #[must_use]
    pub fn primitive_result(&self) -> Option<Primitive> {
        self.result.as_ref()?.primitive()
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
        Some(step.at_range(range))
    }
}

/// What a calling convention has to know of a value.
#[cfg(feature = "corprof")]
pub(crate) enum Passed<'p> {
    /// An address.
    Pointer,
    /// A value of this type.
    Value(&'p TypeShape),
    /// A value of a type that is not known.
    Unknown,
}

impl Step {
    #[cfg(feature = "corprof")]
    fn passed(&self) -> Passed<'_> {
        match (&self.shape, self.mode) {
            (_, Mode::Ref | Mode::In | Mode::Out) => Passed::Pointer,
            (Ok(shape), Mode::Value) => Passed::Value(shape),
            (Err(_), Mode::Value) => Passed::Unknown,
        }
    }

    const fn primitive(&self) -> Option<Primitive> {
        match self.way {
            Way::Primitive(primitive) => Some(primitive),
            _ => None,
        }
    }

    /// Whether the value is looked at after the call.
    fn is_out(&self) -> bool {
        matches!(self.position, Position::Parameter(_)) && matches!(self.mode, Mode::Ref | Mode::Out)
    }

    #[inline]
    const fn at(&self, address: usize) -> Argument<'_> {
        Argument { step: self, place: Place::Slot(address) }
    }

    /// The argument that has a range to itself, which must be as long as what is passed.
    #[inline]
    fn at_range(&self, range: ArgumentRange) -> Argument<'_> {
        match self.size {
            Some(size) if size != range.length => self.wrong_length(range),
            _ => self.at(range.address),
        }
    }

    #[cold]
    fn failed(&self, error: DecodeError) -> Argument<'_> {
        Argument { step: self, place: Place::Nowhere(Box::new(error)) }
    }

    /// There is more or less in the range than what is passed, or there is no range since nobody knows where it is.
    #[cold]
    fn wrong_length(&self, ArgumentRange { address, length }: ArgumentRange) -> Argument<'_> {
        if address == 0 {
            return self.failed(DecodeError::NoPlace);
        }
        let size = self.size.unwrap_or_default();
        self.failed(DecodeError::RangeLength { type_name: self.type_name(), size, address, length })
    }

    /// The name of what is passed, for messages.
    fn type_name(&self) -> Box<str> {
        match (&self.shape, self.mode) {
            (Ok(shape), Mode::Value) => shape.name().into(),
            (Ok(shape), _) => format!("ref {}", shape.name()).into(),
            (Err(_), _) => "the type".into(),
        }
    }

    /// Reads the value that is passed in the slot at this address.
    #[inline(always)]
    fn decode<M, R, V>(&self, address: usize, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        match (self.way, &self.shape) {
            (Way::Primitive(primitive), Ok(shape)) => {
                decoder.primitive_at(primitive, shape, address, true, visitor);
            }
            (Way::String, Ok(shape)) => decoder.string_at(shape, address, visitor),
            (Way::Target, Ok(shape)) => decoder.referred(shape, address, visitor),
            (Way::Out, Ok(shape)) => visitor.elided(shape.name(), address, elided::OUT),
            (_, Ok(shape)) => decoder.value(shape, address, visitor),
            (_, Err(error)) => visitor.error(&DecodeError::Resolve(error.clone())),
        }
    }
}

/// One argument or result of a call, located and not yet read.
#[derive(Clone, Debug)]
pub struct Argument<'p> {
    step: &'p Step,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    /// What is passed is at this address: the value, or the reference to it.
    Slot(usize),
    /// What the reference referred to at enter.
    Kept { target: usize, moved: bool },
    /// It cannot be found.
    Nowhere(Box<DecodeError>),
}

impl Argument<'_> {
    /// Which one it is.
    #[must_use]
    #[inline]
    pub const fn position(&self) -> Position {
        self.step.position
    }

    /// How it is passed.
    #[must_use]
    #[inline]
    pub const fn mode(&self) -> Mode {
        self.step.mode
    }

    /// Where the value is passed: the slot of the argument. `None` if it could not be found, or is a reference that
    /// was kept.
    #[must_use]
    pub const fn address(&self) -> Option<usize> {
        match self.place {
            Place::Slot(address) if self.step.shape.is_ok() => Some(address),
            _ => None,
        }
    }

    /// Reads the value and tells the visitor: exactly one value, whatever happens.
    ///
    /// A reference is followed. An `out` argument before the call, which has no value, is told as elided.
    #[inline]
    pub fn decode<M, R, V>(&self, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        match &self.place {
            Place::Slot(address) => self.step.decode(*address, decoder, visitor),
            Place::Kept { target, moved } => self.follow(*target, *moved, decoder, visitor),
            Place::Nowhere(error) => visitor.error(&**error),
        }
    }

    /// Reads what a reference referred to at enter.
    fn follow<M, R, V>(&self, target: usize, moved: bool, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        match &self.step.shape {
            Ok(_) if moved && target != 0 && !decoder.trusts(target) => {
                visitor.error(&DecodeError::Stale { address: target });
            }
            Ok(shape) => decoder.target(shape, target, visitor),
            Err(error) => visitor.error(&DecodeError::Resolve(error.clone())),
        }
    }
}
