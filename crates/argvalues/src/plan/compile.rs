//! From a signature to a plan.

use std::sync::Arc;

use sigparse::{MethodSig, Type, TypeSig};

use super::numbers::Number;
use super::{MethodPlan, Mode, Position, Step};
use crate::{resolve::resolve, runtime::Runtime, shape::SigTypeContext, shape::TypeShape};

/// The number of parameters for which there is space at once.
const MAX_EXPECTED: usize = 16;

/// The facts about a method that its signature lacks.
#[derive(Clone, Copy, Debug)]
pub struct PlanContext<'a> {
    /// The module, and the type arguments of this instance of the method.
    pub generics: &'a SigTypeContext,
    /// The kind of type that declares the method. Ignored for static methods.
    pub declaring: &'a Declaring,
    /// The mode of each parameter by its metadata: `Out` if the parameter has the flag `Out` and not `In`; `In` if it
    /// has `In` or its type is required to be `InAttribute`. Only parameters passed by reference are looked up here;
    /// missing entries count as `Ref`.
    pub modes: &'a [Mode],
    /// The C# names of the parameters' types, as far as they are known; of a parameter by reference, that of its target. Missing ones
    /// are queried from the runtime.
    pub type_names: &'a [&'a Arc<str>],
    /// The C# name of the type that is returned, if it is known.
    pub return_type: Option<&'a Arc<str>>,
    /// Whether the result of the task in the return type is returned, in the place of the task: `T` for `Task<T>` and
    /// `ValueTask<T>`, else nothing.
    pub awaited: bool,
}

impl<'a> PlanContext<'a> {
    /// The facts about a method, without modes of its parameters and without names that are known.
    #[must_use]
    pub const fn new(generics: &'a SigTypeContext, declaring: &'a Declaring) -> Self {
        Self { generics, declaring, modes: &[], type_names: &[], return_type: None, awaited: false }
    }
}

/// The type that declares a method.
#[derive(Clone, Debug)]
pub enum Declaring {
    /// A class or an interface: `this` is a reference to an object, whose header identifies its class.
    Reference,
    /// A value type: `this` is a managed reference to a value of it.
    ValueType(Arc<TypeShape>),
}

impl MethodPlan {
    /// Compiles the plan of a method.
    ///
    /// # Errors
    /// If the signature is malformed. A type without a shape is no error here: the argument decodes to an error.
    pub fn compile<R: Runtime + ?Sized>(
        runtime: &R,
        sig: &MethodSig<'_>,
        context: PlanContext<'_>,
    ) -> Result<Self, sigparse::Error> {
        let shape = |ty: TypeSig<'_>, name: Option<&Arc<str>>| match (ty.ty(), name) {
            // All that is known of such a slot.
            (Type::Class(_) | Type::SzArray(_) | Type::Array(_), Some(name)) => {
                Ok(Arc::new(TypeShape::reference(Arc::clone(name))))
            }
            (Type::GenericInst(instance), Some(name)) if !instance.is_value_type() => {
                Ok(Arc::new(TypeShape::reference(Arc::clone(name))))
            }
            _ => resolve(runtime, ty, context.generics),
        };
        // As many as there are, unless the signature is malformed.
        let count = usize::try_from(sig.param_count()).unwrap_or(usize::MAX).min(MAX_EXPECTED);
        let mut steps = Vec::with_capacity(count + usize::from(sig.has_this()));
        if sig.has_this() && !sig.explicit_this() {
            let (mode, shape) = match context.declaring {
                Declaring::Reference => (Mode::Value, TypeShape::object()),
                Declaring::ValueType(shape) => (Mode::Ref, Arc::clone(shape)),
            };
            steps.push(Step::new(Position::This, mode, Ok(shape)));
        }
        for (index, param) in sig.params().enumerate() {
            let param = param?;
            let name = context.type_names.get(index).copied();
            let (mode, shape) = match param.by_ref() {
                None => (Mode::Value, shape(param.sig(), name)),
                Some(target) => {
                    let mode = context.modes.get(index).copied().filter(|&mode| mode != Mode::Value);
                    (mode.unwrap_or(Mode::Ref), shape(target, name))
                }
            };
            steps.push(Step::new(Position::Parameter(index), mode, shape));
        }
        let returned = sig.return_type();
        let returned = match returned.ty() {
            Type::GenericInst(task) if context.awaited => task.args().next(),
            _ if context.awaited || returned.is_void() => None,
            _ => Some(returned),
        };
        let result = returned.map(|result| {
            let (mode, shape) = match result.by_ref() {
                None => (Mode::Value, shape(result, context.return_type)),
                Some(target) => (Mode::Ref, shape(target, None)),
            };
            Step::new(Position::Return, mode, shape)
        });
        let outs = steps.iter().enumerate().filter(|(_, step)| step.is_out()).map(|(number, _)| number);
        let outs = outs.collect();
        Ok(Self { outs, numbers: Number::all(&steps), steps: steps.into(), result })
    }
}
