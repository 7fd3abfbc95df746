//! Where the arguments of a function are, for fast hooks.

use std::sync::Arc;

use ::corprof::{
    ClassId, EnterRegisters, FieldAttributes, FunctionInstance, GenericContext, Locations, Method, ModuleId,
    Result,
};
use sigparse::{FieldSig, Type, TypeDefOrRef};

use super::ClrRuntime;
use super::sysv::{Hidden, Rules, locate, returns_in_memory};
use crate::MethodPlan;

/// How deep structs are looked into.
const MAX_DEPTH: usize = 8;

impl ClrRuntime {
    /// Where the arguments and the result of a function are, worked out at a call of it. All calls of a function have
    /// them in the same places, whatever their type arguments, since they run the same code.
    ///
    /// What cannot be told is [`Place::Unknown`](::corprof::Place::Unknown), and only that. Another call may tell it: when a
    /// type has been loaded meanwhile, or `this` is not null. [`LocationsCell`](::corprof::LocationsCell) asks again.
    ///
    /// # Errors
    /// What the runtime reports, and a malformed signature.
    pub fn locations(&self, method: &Arc<Method>, registers: EnterRegisters<'_>) -> Result<Locations> {
        let has_this = !method.is_static();
        let alone = self.info().function_instance(method.function, None)?;
        let is_known = alone.class.is_some() || method.class_arity == 0;
        if !method.is_generic()
            || is_known && !self.names.instance(method, alone.class, &alone.type_args)?.is_shared
        {
            let plan = self.plan_of(method, &alone)?;
            return Ok(locate(&plan, self.rules(), has_this, Hidden::None, GenericContext::None));
        }
        let hidden = match method.declaring_type {
            _ if method.method_arity > 0 => Hidden::Method,
            Some(type_def) if has_this && self.has_objects_of_its_own(method)? => {
                let context = GenericContext::This(method.module, type_def);
                let exact = self.info().function_instance(method.function, Some(registers.frame(context)))?;
                if exact.class.is_none() {
                    // `this` is null: nothing says how large a value of a type parameter is.
                    return self.lost(method, &alone, has_this);
                }
                return Ok(locate(
                    &self.plan_of(method, &exact)?,
                    self.rules(),
                    has_this,
                    Hidden::None,
                    context,
                ));
            }
            _ => Hidden::Class,
        };
        // Before the hidden argument there may be the address for the result, which depends on the type arguments.
        let known = match hidden {
            Hidden::Method => self.returns_in_memory_anyway(method, &alone, is_known, registers)?,
            _ => None,
        };
        let mut found = None;
        for in_memory in [false, true] {
            let register = u8::from(has_this) + u8::from(in_memory);
            let context = match hidden {
                Hidden::Class if self.is_instance(method, registers.integer(register)) => {
                    GenericContext::Class(register)
                }
                Hidden::Method if known == Some(in_memory) => GenericContext::Method(register),
                _ => continue,
            };
            let exact = self.info().function_instance(method.function, Some(registers.frame(context)))?;
            let plan = self.plan_of(method, &exact)?;
            if returns_in_memory(&plan, self.rules()) == Some(in_memory) {
                if found.is_some() {
                    found = None;
                    break;
                }
                found = Some(plan);
            }
        }
        Ok(match found {
            Some(plan) => locate(&plan, self.rules(), has_this, hidden, GenericContext::None),
            None => self.lost(method, &alone, has_this)?,
        })
    }

    fn rules(&self) -> Rules {
        Rules::of(self.info().version())
    }

    fn plan_of(&self, method: &Arc<Method>, exact: &FunctionInstance) -> Result<MethodPlan> {
        self.plan(&*self.names.instance(method, exact.class, &exact.type_args)?)
    }

    /// Whether `this` is an object whose class says the type arguments: not for structs and interfaces.
    fn has_objects_of_its_own(&self, method: &Method) -> Result<bool> {
        let Some(type_def) = method.declaring_type else { return Ok(false) };
        let props = self.names.metadata(method.module)?.type_def(type_def)?;
        let Some(base) = props.extends else { return Ok(false) };
        if let TypeDefOrRef::TypeSpec(_) = base {
            // An instance of a generic class.
            return Ok(true);
        }
        let base = self.names.metadata_name(method.module, base)?;
        Ok(!matches!(&*base, "System.ValueType" | "System.Enum"))
    }

    /// Whether a word is the id of a class that is an instance of the type that declares a method.
    fn is_instance(&self, method: &Method, word: Option<usize>) -> bool {
        let class = word.and_then(ClassId::from_raw).filter(|class| self.info().is_known_class(*class));
        class
            .and_then(|class| self.info().class_info(class).ok())
            .is_some_and(|info| info.module == method.module && Some(info.type_def) == method.declaring_type)
    }

    /// Whether the address for the result of a generic method is passed, if that can be told without the hidden
    /// argument: when it does not depend on the class, or `this` says which class it is.
    fn returns_in_memory_anyway(
        &self,
        method: &Arc<Method>,
        alone: &FunctionInstance,
        is_known: bool,
        registers: EnterRegisters<'_>,
    ) -> Result<Option<bool>> {
        let depends = !is_known
            && sigparse::MethodSig::parse(&method.signature)
                .map_or(true, |sig| self.depends_on_class(method.module, &sig.return_type().ty(), MAX_DEPTH));
        if !depends {
            return Ok(returns_in_memory(&self.plan_of(method, alone)?, self.rules()));
        }
        let (Some(type_def), true) =
            (method.declaring_type, !method.is_static() && self.has_objects_of_its_own(method)?)
        else {
            return Ok(None);
        };
        let frame = registers.frame(GenericContext::This(method.module, type_def));
        let exact = self.info().function_instance(method.function, Some(frame))?;
        if exact.class.is_none() {
            return Ok(None);
        }
        Ok(returns_in_memory(&self.plan_of(method, &exact)?, self.rules()))
    }

    /// Whether a value of this type may be as large as a type parameter of its class makes it, so far as that can be told.
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

    /// Whether a struct has such a field: `Span<T>` and `ImmutableArray<T>` have not.
    fn fields_depend_on_class(&self, module: ModuleId, definition: &Type<'_>, depth: usize) -> Result<bool> {
        let (Type::ValueType(token), Some(depth)) = (definition, depth.checked_sub(1)) else {
            return Ok(true);
        };
        let definition = self.names.resolve(module, *token)?;
        let metadata = self.names.metadata(definition.module)?;
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

    /// Nothing is known but `this`.
    fn lost(&self, method: &Arc<Method>, alone: &FunctionInstance, has_this: bool) -> Result<Locations> {
        use ::corprof::Location;

        let mut locations = locate(
            &self.plan_of(method, alone)?,
            self.rules(),
            has_this,
            Hidden::None,
            GenericContext::Unknown,
        );
        for location in locations.arguments.iter_mut().skip(usize::from(has_this)) {
            *location = Location::UNKNOWN;
        }
        locations.result = Location::UNKNOWN;
        Ok(locations)
    }
}
