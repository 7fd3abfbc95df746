//! The locations of a function's arguments, for fast-path hooks.

use std::rc::Rc;
use std::sync::Arc;

use argvalues::MethodPlan;
use corprof::clrnames::csharp::CANON;
use corprof::clrnames::metadata::Metadata as _;
use corprof::{
    EnterFrame, EnterRegisters, Error, FieldAttributes, FunctionForm, FunctionInstance, GenericContext,
    Locations, Method, ModuleId, Result,
};
use sigparse::{FieldSig, Type};

use super::order::{Convention, Hidden, Unseen};
use crate::limits::MAX_STRUCT_DEPTH;
use crate::registers;
use crate::runtime::ClrRuntime;

impl ClrRuntime {
    /// Works out the locations of the arguments and the result of a function, at a call of it with fast-path hooks.
    ///
    /// They are the same at all calls of a function, for any type arguments, because the calls run the same code.
    ///
    /// A location that cannot be determined is [`LocationKind::Unknown`](corprof::LocationKind::Unknown). It may be determined at
    /// another call: when a type has been loaded meanwhile, or `this` is not null.
    /// [`FunctionLocations`](crate::FunctionLocations) retries.
    ///
    /// With a [self-test](ClrRuntime::self_tested) every location is unknown until it has confirmed those of references at some
    /// tens of calls; if one is refuted, they stay unknown.
    ///
    /// Those of an [async variant](FunctionForm::Variant) are worked out at a call that begins, and not at one that is resumed. If
    /// it is unknown whether a function is one, every location is unknown.
    ///
    /// # Errors
    /// Slow-path hooks, a malformed signature, and any failure of the runtime.
    pub fn locations(&self, frame: &EnterFrame<'_>) -> Result<Locations> {
        let registers = frame.registers();
        let registers = registers.ok_or_else(|| Error::other("only fast hooks have registers"))?;
        let method = &self.names().method(frame.function())?;
        let has_this = !method.is_static();
        let alone = self.info().function_instance(method.function, None)?;
        let signature = sigparse::MethodSig::parse(&method.signature);
        if signature.is_ok_and(|signature| signature.calling_convention().allows_sentinel()) {
            // The parameters come behind a hidden argument, which describes the variable ones.
            return self.lost(method, &alone, has_this);
        }
        let continuation = match self.info().function_form(method.function) {
            FunctionForm::Declared | FunctionForm::Thunk => false,
            FunctionForm::Variant => true,
            _ => return self.off(method, &alone, has_this),
        };
        let unseen = Unseen { has_this, hidden: Hidden::None, continuation };
        if let Some(test) = self.self_test().filter(|test| test.outcome() != Some(true)) {
            if test.outcome().is_none() && !method.is_generic() {
                let plan = self.plan_of(method, &alone)?;
                let found = self.convention()?.locate(&plan, unseen, GenericContext::None);
                self.examine(test, method, registers, &found)?;
            }
            return self.off(method, &alone, has_this);
        }
        let is_known = is_known(method, &alone);
        if !method.is_generic() || self.is_unshared(method, &alone)? {
            let plan = self.plan_of(method, &alone)?;
            return Ok(self.convention()?.locate(&plan, unseen, GenericContext::None));
        }
        let hidden = self.hidden(method)?;
        match method.declaring_type {
            Some(type_def) if hidden == Hidden::None => {
                let context = GenericContext::This(method.module, type_def);
                let exact = self
                    .info()
                    .function_instance(method.function, Some(registers::frame(registers, context)))?;
                if exact.class.is_none() {
                    // `this` is null: the size of a value of a type parameter is unknown.
                    return self.lost(method, &alone, has_this);
                }
                let plan = self.plan_of(method, &exact)?;
                return Ok(self.convention()?.locate(&plan, unseen, context));
            }
            _ => {}
        }
        // Before the hidden argument there may be the address for the result, which depends on the type arguments.
        let is_shifted = self.convention()?.passes_buffer_as_argument();
        let known = match hidden {
            Hidden::Method if is_shifted => {
                self.returns_in_memory_anyway(method, &alone, is_known, registers)?
            }
            _ => None,
        };
        let mut found = None;
        for in_memory in [false, true] {
            let register = u8::from(has_this) + u8::from(in_memory && is_shifted);
            let context = match hidden {
                Hidden::Class if self.is_instance(method, registers.integer(register)) => {
                    GenericContext::Class(register)
                }
                Hidden::Method if !is_shifted || known == Some(in_memory) => GenericContext::Method(register),
                _ => continue,
            };
            let exact =
                self.info().function_instance(method.function, Some(registers::frame(registers, context)))?;
            let plan = self.plan_of(method, &exact)?;
            if self.convention()?.returns_in_memory(&plan) == Some(in_memory) {
                if found.is_some() {
                    found = None;
                    break;
                }
                found = Some(plan);
            }
        }
        Ok(match found {
            Some(plan) => self.convention()?.locate(&plan, Unseen { hidden, ..unseen }, GenericContext::None),
            None => self.lost(method, &alone, has_this)?,
        })
    }

    /// Returns the integer register of the continuation of an [async variant](FunctionForm::Variant), found without a call: at a
    /// resumption the generic context is undefined. `None` if unknown.
    pub(crate) fn continuation(&self, method: &Arc<Method>) -> Result<Option<u8>> {
        let alone = self.info().function_instance(method.function, None)?;
        let is_shared = method.is_generic() && !self.is_unshared(method, &alone)?;
        let hidden = if is_shared { self.hidden(method)? } else { Hidden::None };
        // The code of a method that is not generic itself is shared by classes with references for these type arguments.
        if method.method_arity > 0 && !is_known(method, &alone) && self.result_depends_on_class(method) {
            return Ok(None);
        }
        let unseen = Unseen { has_this: !method.is_static(), hidden, continuation: true };
        Ok(self.convention()?.continuation(&*self.plan_of(method, &alone)?, unseen))
    }

    /// Returns the hidden argument of a method's shared code: none where `this` identifies the class.
    fn hidden(&self, method: &Method) -> Result<Hidden> {
        Ok(match () {
            () if method.method_arity > 0 => Hidden::Method,
            () if !method.is_static() && self.has_objects_of_its_own(method)? => Hidden::None,
            () => Hidden::Class,
        })
    }

    fn convention(&self) -> Result<Convention> {
        Ok(Convention::of(self.info().runtime_info()?.major))
    }

    fn plan_of(&self, method: &Arc<Method>, exact: &FunctionInstance) -> Result<Rc<MethodPlan>> {
        self.plan_for_locations(self.names().instance(method, exact.class, &exact.type_args)?)
    }

    /// Returns whether code belongs to one instantiation, so that no frame is needed to identify it.
    pub(crate) fn is_unshared(&self, method: &Method, alone: &FunctionInstance) -> Result<bool> {
        Ok(is_known(method, alone) && !self.is_shared(method, alone)?)
    }

    /// Returns whether a type argument is `System.__Canon`, as [`is_shared`](corprof::Instance) of the instance: most of these
    /// instances need no other name.
    fn is_shared(&self, method: &Method, alone: &FunctionInstance) -> Result<bool> {
        let class_args = match alone.class {
            Some(class) if method.class_arity > 0 => self.info().class_info(class)?.type_args,
            _ => Vec::new(),
        };
        for class in class_args.iter().chain(&alone.type_args) {
            let Some(class) = class else { return Ok(true) };
            if self.names().class(*class)?.contains(CANON) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether `this` is an object whose class has the type arguments: false for structs and interfaces.
    fn has_objects_of_its_own(&self, method: &Method) -> Result<bool> {
        let Some(type_def) = method.declaring_type else { return Ok(false) };
        self.names().metadata(method.module)?.is_class(type_def)
    }

    /// Returns whether a word is the id of a class that is an instance of the type that declares a method.
    fn is_instance(&self, method: &Method, word: Option<usize>) -> bool {
        let of = method.declaring_type;
        word.zip(of).is_some_and(|(word, of)| self.info().is_instance_of(word, method.module, of))
    }

    /// Returns whether the address for the result of a generic method is passed, if that is known without the hidden
    /// argument: if it does not depend on the class, or `this` identifies the class.
    fn returns_in_memory_anyway(
        &self,
        method: &Arc<Method>,
        alone: &FunctionInstance,
        is_known: bool,
        registers: EnterRegisters<'_>,
    ) -> Result<Option<bool>> {
        let depends = !is_known && self.result_depends_on_class(method);
        if !depends {
            return Ok(self.convention()?.returns_in_memory(&*self.plan_of(method, alone)?));
        }
        let (Some(type_def), true) =
            (method.declaring_type, !method.is_static() && self.has_objects_of_its_own(method)?)
        else {
            return Ok(None);
        };
        let frame = registers::frame(registers, GenericContext::This(method.module, type_def));
        let exact = self.info().function_instance(method.function, Some(frame))?;
        if exact.class.is_none() {
            return Ok(None);
        }
        Ok(self.convention()?.returns_in_memory(&*self.plan_of(method, &exact)?))
    }

    /// Returns whether the size of a method's result may depend on a type parameter of its class.
    fn result_depends_on_class(&self, method: &Method) -> bool {
        let depends = |ty: &Type<'_>| self.depends_on_class(method.module, ty, MAX_STRUCT_DEPTH);
        let is_variant = self.info().function_form(method.function) == FunctionForm::Variant;
        sigparse::MethodSig::parse(&method.signature).map_or(true, |sig| match sig.return_type().ty() {
            Type::GenericInst(task) if is_variant => task.args().any(|result| depends(&result.ty())),
            returned => depends(&returned),
        })
    }

    /// Returns whether the size of a value of this type may depend on a type parameter of its class.
    fn depends_on_class(&self, module: ModuleId, ty: &Type<'_>, depth: usize) -> bool {
        match ty {
            Type::Var(_) => true,
            Type::GenericInst(instance) if instance.is_value_type() => {
                let mentions = instance.args().any(|arg| !matches!(arg.ty(), Type::String | Type::Object));
                mentions && self.fields_depend_on_class(module, &instance.definition(), depth).unwrap_or(true)
            }
            _ => false,
        }
    }

    /// Returns whether a struct has such a field: `Span<T>` and `ImmutableArray<T>` have not.
    fn fields_depend_on_class(&self, module: ModuleId, definition: &Type<'_>, depth: usize) -> Result<bool> {
        let (Type::ValueType(token), Some(depth)) = (definition, depth.checked_sub(1)) else {
            return Ok(true);
        };
        let definition = self.names().resolve(module, *token)?;
        let metadata = self.names().metadata(definition.module)?;
        for field in metadata.fields(definition.type_def)? {
            let props = metadata.field(field)?;
            if props.attributes.contains(FieldAttributes::STATIC) {
                continue;
            }
            let Ok(sig) = FieldSig::parse(props.signature) else { return Ok(true) };
            if self.depends_on_class(definition.module, &sig.ty(), depth) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Nothing is known.
    fn off(&self, method: &Arc<Method>, alone: &FunctionInstance, has_this: bool) -> Result<Locations> {
        let mut locations = self.lost(method, alone, has_this)?;
        locations.arguments.fill(corprof::Location::UNKNOWN);
        Ok(locations)
    }

    /// Nothing is known but `this`.
    fn lost(&self, method: &Arc<Method>, alone: &FunctionInstance, has_this: bool) -> Result<Locations> {
        use corprof::Location;

        let plan = self.plan_of(method, alone)?;
        let unseen = Unseen { has_this, hidden: Hidden::None, continuation: false };
        let mut locations = self.convention()?.locate(&plan, unseen, GenericContext::Unknown);
        for location in locations.arguments.iter_mut().skip(usize::from(has_this)) {
            *location = Location::UNKNOWN;
        }
        locations.result = Location::UNKNOWN;
        Ok(locations)
    }
}

/// Returns whether the type arguments of the class that declares a function are known without a call.
fn is_known(method: &Method, alone: &FunctionInstance) -> bool {
    alone.class.is_some() || method.class_arity == 0
}
