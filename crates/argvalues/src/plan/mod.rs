//! Decoding plans of methods.
//!
//! A [`MethodPlan`] is compiled from a method's signature once and used for every call: the hot path reads neither
//! signatures nor metadata.

mod call;
mod compile;
mod numbers;
mod ranges;
mod saved;

pub use compile::{Declaring, PlanContext};
pub use ranges::Arguments;
pub use saved::{Outs, SavedRefs};

use std::sync::Arc;

use corprof_types::ArgumentRange;

use self::numbers::Number;
use crate::{
    decode::Decoder,
    error::{DecodeError, ResolveError},
    memory::{Memory, POINTER_SIZE},
    runtime::Runtime,
    shape::{Primitive, ShapeKind, TypeShape},
    visitor::{Visitor, elided},
};

/// The size of a reference in an argument slot.
#[allow(clippy::cast_possible_truncation, reason = "4 or 8")]
const POINTER_LENGTH: u32 = POINTER_SIZE as u32;

/// A method's plan: how the arguments and the result of its calls are located and decoded.
///
/// A parameter whose type has no shape affects only its own value.
///
/// The plan holds shapes, so it becomes stale when the module of the method, or of one of its type arguments, is
/// unloaded.
#[derive(Clone, Debug)]
pub struct MethodPlan {
    /// `this` first, if there is one.
    steps: Box<[Step]>,
    /// The arguments as numbers, if all of them are numbers passed by value; otherwise empty.
    numbers: Box<[Number]>,
    /// The arguments that are read again after the call.
    outs: Box<[usize]>,
    result: Option<Step>,
}

/// One argument, or the result.
#[derive(Clone, Debug)]
struct Step {
    position: Position,
    mode: Mode,
    /// The size of the passed value, if known.
    size: Option<u32>,
    way: Way,
    /// The type of the value, behind the reference if there is one.
    shape: Result<Arc<TypeShape>, Box<ResolveError>>,
}

/// The source of a value.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The slot has it, and it is a number.
    Primitive(Primitive),
    /// The slot has a reference to a string.
    String,
    /// The slot has a reference to an object.
    Reference,
    /// The slot has it, or a reference to it.
    Slot,
    /// The slot has a managed reference to it.
    Target,
    /// There is none yet.
    Out,
    /// Its type is not known.
    Unknown,
    /// The value is not read.
    Redacted,
}

impl Step {
    fn new(position: Position, mode: Mode, shape: Result<Arc<TypeShape>, ResolveError>) -> Self {
        let shape = shape.map_err(Box::new);
        let size = match mode {
            Mode::Value => shape.as_ref().ok().and_then(|shape| u32::try_from(shape.size()?).ok()),
            Mode::Ref | Mode::In | Mode::Out => Some(POINTER_LENGTH),
        };
        let way = match (&shape, mode) {
            (Err(_), _) => Way::Unknown,
            (Ok(_), Mode::Out) => Way::Out,
            (Ok(_), Mode::Ref | Mode::In) => Way::Target,
            (Ok(shape), Mode::Value) => match shape.kind() {
                ShapeKind::Primitive(primitive) => Way::Primitive(*primitive),
                ShapeKind::String => Way::String,
                ShapeKind::Reference => Way::Reference,
                _ => Way::Slot,
            },
        };
        Self { position, mode, size, way, shape }
    }
}

/// The position of a value in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// The object or struct that the method is called on.
    This,
    /// A parameter, counted from 0, `this` not included.
    Parameter(usize),
    /// The result.
    Return,
}

/// The passing mode of a parameter.
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
    /// Returns the name in calltrace's format.
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
    /// Returns whether the method returns anything.
    #[must_use]
    pub const fn returns(&self) -> bool {
        self.result.is_some()
    }

    /// Returns the number of arguments, `this` included.
    #[must_use]
    pub const fn argument_count(&self) -> usize {
        self.steps.len()
    }

    /// Marks values as secret: they are not read, but elided as [`REDACTED`](crate::elided::REDACTED).
    #[must_use]
    pub fn redact(mut self, mut is_secret: impl FnMut(Position) -> bool) -> Self {
        for step in self.steps.iter_mut().chain(&mut self.result) {
            if is_secret(step.position) {
                step.way = Way::Redacted;
                if step.position != Position::Return {
                    // They are read together.
                    self.numbers = Box::default();
                }
            }
        }
        self
    }

    /// Returns whether there are arguments to look at after the call.
    #[must_use]
    pub const fn has_outs(&self) -> bool {
        !self.outs.is_empty()
    }

    /// Returns the arguments of a call by their ranges, in the order of the signature, `this` first. Nothing is read
    /// yet.
    #[must_use]
    #[inline]
    pub const fn arguments<'p, 'r>(&'p self, ranges: &'r [ArgumentRange]) -> Arguments<'p, 'r> {
        Arguments::new(&self.steps, ranges)
    }

    /// Returns how each argument is passed, `this` first.
    pub fn passed(&self) -> impl Iterator<Item = Passed<'_>> {
        self.steps.iter().map(Step::passed)
    }

    /// Returns how the result is passed. `None` for `void`.
    pub fn passed_back(&self) -> Option<Passed<'_>> {
        self.result.as_ref().map(Step::passed)
    }

    /// Returns the types of the arguments if all are primitives passed by value, so that their bytes are a complete
    /// record of a call.
    #[must_use]
    pub fn primitive_arguments(&self) -> Option<Box<[Primitive]>> {
        let all = self.numbers.len() == self.steps.len();
        all.then(|| self.numbers.iter().map(|number| number.primitive).collect())
    }

    /// The type of an argument, if it is a primitive passed by value that may be read; `this` counts.
    #[must_use]
    #[inline]
    pub fn primitive_argument(&self, index: usize) -> Option<Primitive> {
        self.steps.get(index)?.primitive()
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

    /// Returns the result of a call by its range. `None` for `void`.
    #[must_use]
    pub fn result(&self, range: ArgumentRange) -> Option<Argument<'_>> {
        let step = self.result.as_ref()?;
        Some(step.at_range(range))
    }
}

/// The properties of a value that a calling convention depends on.
#[derive(Clone, Copy, Debug)]
pub enum Passed<'p> {
    /// An address.
    Pointer,
    /// A value of this type.
    Value(&'p TypeShape),
    /// A value of a type that is not known.
    Unknown,
}

impl Step {
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

    /// Returns whether the value is read again after the call.
    fn is_out(&self) -> bool {
        matches!(self.position, Position::Parameter(_)) && matches!(self.mode, Mode::Ref | Mode::Out)
    }

    #[inline]
    const fn at(&self, address: usize) -> Argument<'_> {
        Argument { step: self, location: Location::Slot(address) }
    }

    /// Creates the argument of a range of its own, whose length must be that of the passed value.
    #[inline]
    fn at_range(&self, range: ArgumentRange) -> Argument<'_> {
        match self.size {
            Some(size) if size != range.length => self.wrong_length(range),
            _ => self.at(range.address),
        }
    }

    #[cold]
    fn failed(&self, error: DecodeError) -> Argument<'_> {
        Argument { step: self, location: Location::Nowhere(Box::new(error)) }
    }

    /// The length of the range is wrong, or the argument could not be located.
    #[cold]
    fn wrong_length(&self, ArgumentRange { address, length }: ArgumentRange) -> Argument<'_> {
        if address == 0 {
            return self.failed(DecodeError::NoPlace);
        }
        let size = self.size.unwrap_or_default();
        self.failed(DecodeError::RangeLength { type_name: self.type_name(), size, address, length })
    }

    /// Returns the name of the passed type, for messages.
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
            (Way::Reference, Ok(shape)) => decoder.reference_at(shape, address, visitor),
            (Way::Target, Ok(shape)) => decoder.referred(shape, address, visitor),
            (Way::Redacted, Ok(shape)) => visitor.elided(shape.name(), address, elided::REDACTED),
            (Way::Out, Ok(shape)) => visitor.elided(shape.name(), address, elided::OUT),
            (_, Ok(shape)) => decoder.value(shape, address, visitor),
            (_, Err(error)) => visitor.error(&DecodeError::Resolve(ResolveError::clone(error))),
        }
    }
}

/// One argument or result of a call, located and not yet read.
#[derive(Clone, Debug)]
pub struct Argument<'p> {
    step: &'p Step,
    location: Location,
}

/// Two whole words: the parts of a smaller tag, which has something beside it, are copied one by one, and read together before
/// they are written.
#[derive(Clone, Debug)]
#[repr(usize)]
enum Location {
    /// The address of the passed value or reference.
    Slot(usize),
    /// The target of the reference at enter.
    Kept(usize),
    /// The same, and a collection may have moved the target since.
    Moved(usize),
    /// The value cannot be located.
    Nowhere(Box<DecodeError>),
}

impl Argument<'_> {
    /// Returns the position in the call.
    #[must_use]
    #[inline]
    pub const fn position(&self) -> Position {
        self.step.position
    }

    /// Returns the passing mode.
    #[must_use]
    #[inline]
    pub const fn mode(&self) -> Mode {
        self.step.mode
    }

    /// Returns the range of the argument's slot. `None` if it could not be located, or if this is a saved reference.
    #[must_use]
    pub const fn address(&self) -> Option<usize> {
        match self.location {
            Location::Slot(address) if self.step.shape.is_ok() => Some(address),
            _ => None,
        }
    }

    /// Decodes the value: the visitor visits exactly one value.
    ///
    /// A reference is followed. An `out` argument before the call has no value and is elided.
    #[inline]
    pub fn decode<M, R, V>(&self, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        match &self.location {
            Location::Slot(address) => self.step.decode(*address, decoder, visitor),
            Location::Kept(target) => self.follow(*target, false, decoder, visitor),
            Location::Moved(target) => self.follow(*target, true, decoder, visitor),
            Location::Nowhere(error) => visitor.error(&**error),
        }
        visitor.value_ended();
    }

    /// Decodes the target that a reference had at enter.
    fn follow<M, R, V>(&self, target: usize, moved: bool, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        match &self.step.shape {
            Ok(shape) if matches!(self.step.way, Way::Redacted) => {
                visitor.elided(shape.name(), target, elided::REDACTED);
            }
            Ok(_) if moved && target != 0 && !decoder.trusts(target) => {
                visitor.error(&DecodeError::Stale { address: target });
            }
            Ok(shape) => decoder.target(shape, target, visitor),
            Err(error) => visitor.error(&DecodeError::Resolve(ResolveError::clone(error))),
        }
    }
}
