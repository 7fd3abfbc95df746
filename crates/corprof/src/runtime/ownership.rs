//! The lifetimes of ids: functions and classes of collectible modules, and those that have a
//! type argument of one, wherever they are defined.
//!
//! The runtime announces the end of a module and not that of its functions (`FunctionUnloadStarted` is never called),
//! and classes one by one only on request.

use crate::error::{Error, Result};
use crate::limits::MAX_TYPE_NESTING;
use crate::raw::evidence::FrameInfo;
use crate::runtime::{ModuleFlags, ProfilerInfo};
use corprof_types::HResult;
use corprof_types::{AnyId, ClassId, FunctionId, ModuleId};

/// The lifetime of a class or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// It belongs to no collectible module.
    Process,
    /// It is unloaded with a module.
    Module,
    /// It may be unloaded with a module: its type arguments are not known.
    Deferred,
}

/// The modules that something belongs to.
#[derive(Debug, Default)]
struct Owners {
    modules: Vec<ModuleId>,
    /// Whether there may be others.
    deferred: bool,
    /// Whether one of them is unloaded.
    unloaded: bool,
}

impl ProfilerInfo {
    /// Records the modules with which a function is unloaded; called before its id is cached.
    pub(crate) fn function_owners_seen(&self, function: FunctionId) -> Lifetime {
        let mut owners = Owners::default();
        if self.loaded().is_everything_permanent() {
            // Noted nevertheless: later, shared code could not be told from that of a module loaded then.
            return self.note(function.into(), &owners);
        }
        match self.function_instance_alone(function, None) {
            Ok(instance) => {
                self.add_module(instance.module, &mut owners);
                // The unload of a method without metadata is announced itself.
                if instance.token.is_none() {
                    return self.note(function.into(), &owners);
                }
                for class in instance.type_args.iter().chain([&instance.class]) {
                    self.add_class(*class, &mut owners, 0);
                }
            }
            Err(_) => owners.deferred = !self.is_dynamic(function),
        }
        self.note(function.into(), &owners)
    }

    fn is_dynamic(&self, function: FunctionId) -> bool {
        matches!(self.raw().function_info(function), Ok((_, _, None)))
    }

    /// The same for a function that is deferred by itself and is called now: its frame knows the type arguments.
    ///
    /// Code is shared by type arguments that are reference types, and therefore goes with those that are value types
    /// and no others.
    pub(crate) fn called_function_owners_seen(&self, function: FunctionId, frame: FrameInfo<'_>) -> Lifetime {
        let mut owners = Owners::default();
        let args = self.function_instance_alone(function, Some(frame)).and_then(|instance| {
            let class_args = match instance.class {
                Some(class) => self.class_info_alone(class)?.type_args,
                None => vec![None],
            };
            Ok([class_args, instance.type_args].concat())
        });
        match args {
            Ok(args) => args.into_iter().for_each(|arg| self.add_code_of(arg, &mut owners, 0)),
            Err(_) => owners.deferred = true,
        }
        self.note(function.into(), &owners)
    }

    /// The same for a class.
    pub(crate) fn class_owners_seen(&self, class: ClassId) {
        if !self.loaded().is_everything_permanent() {
            let mut owners = Owners::default();
            self.add_class(Some(class), &mut owners, 0);
            self.note(class.into(), &owners);
        }
    }

    fn note(&self, id: AnyId, owners: &Owners) -> Lifetime {
        if owners.unloaded {
            // The runtime still has it in a list, and frees it soon.
            self.raw().alive().refuse([id].into_iter());
            self.raw().alive().settled([id].into_iter());
            return Lifetime::Module;
        }
        // A member of a module is unloaded with it for certain, and earlier than with others that it may belong to.
        let lifetime = match (owners.modules.as_slice(), owners.deferred) {
            ([_, ..], _) => Lifetime::Module,
            ([], true) => Lifetime::Deferred,
            ([], false) => Lifetime::Process,
        };
        self.loaded().belongs(id, &owners.modules, lifetime == Lifetime::Deferred);
        lifetime
    }

    fn add_module(&self, module: ModuleId, owners: &mut Owners) {
        owners.unloaded |= self.raw().alive().is_unloaded(module.into());
        if self.loaded().is_collectible(module) && !owners.modules.contains(&module) {
            owners.modules.push(module);
        }
    }

    fn add_class(&self, class: Option<ClassId>, owners: &mut Owners, nesting: usize) {
        let (Some(class), true) = (class, nesting < MAX_TYPE_NESTING) else {
            owners.deferred = true;
            return;
        };
        match self.class_info_alone(class) {
            Ok(info) => {
                self.add_module(info.module, owners);
                for arg in info.type_args {
                    self.add_class(arg, owners, nesting + 1);
                }
            }
            Err(Error::Call { hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY, .. }) => {
                if let Ok(Some(array)) = self.array_class_alone(class) {
                    // An element of a built-in type has no class and belongs to no module.
                    if array.element_class.is_some() {
                        self.add_class(array.element_class, owners, nesting + 1);
                    }
                }
            }
            Err(_) => owners.deferred = true,
        }
    }

    /// Returns `true` if a class may be unloaded. Unlike the others, it does not rely on what has been seen to
    /// be loaded.
    pub(crate) fn class_may_go(&self, class: ClassId) -> Result<bool> {
        self.may_go(Some(class), 0)
    }

    fn may_go(&self, class: Option<ClassId>, nesting: usize) -> Result<bool> {
        let (Some(class), true) = (class, nesting < MAX_TYPE_NESTING) else { return Ok(true) };
        let info = match self.class_info_alone(class) {
            Err(Error::Call { hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY, .. }) => {
                let element = self.array_class_alone(class)?.and_then(|array| array.element_class);
                return element.map_or(Ok(false), |element| self.may_go(Some(element), nesting + 1));
            }
            info => info?,
        };
        if self.module_info(info.module)?.flags.contains(ModuleFlags::COLLECTIBLE) {
            return Ok(true);
        }
        for arg in info.type_args {
            if self.may_go(arg, nesting + 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The owners that a type argument adds to code that is shared by reference types.
    fn add_code_of(&self, class: Option<ClassId>, owners: &mut Owners, nesting: usize) {
        let (Some(class), true) = (class, nesting < MAX_TYPE_NESTING) else {
            owners.deferred = true;
            return;
        };
        // An array is a reference type as well, and has no box.
        let Ok(Some(_)) = self.box_layout(class) else { return };
        match self.class_info_alone(class) {
            Ok(info) => {
                self.add_module(info.module, owners);
                info.type_args.into_iter().for_each(|arg| self.add_code_of(arg, owners, nesting + 1));
            }
            Err(_) => owners.deferred = true,
        }
    }
}
