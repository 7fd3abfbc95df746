//! What goes away with which module: functions and classes of modules that can be unloaded, and those that have a
//! type argument of one, wherever they are defined.
//!
//! The runtime announces the end of a module and not that of its functions (`FunctionUnloadStarted` is never called),
//! and classes one by one only when it is asked to.

use crate::ids::{AnyId, ClassId, FunctionId, ModuleId};
use crate::{Error, HResult, ProfilerInfo};

/// How deep type arguments may be nested before no more is asked for.
const MAX_NESTING: usize = 64;

/// The modules that something belongs to.
#[derive(Debug, Default)]
struct Owners {
    modules: Vec<ModuleId>,
    /// Whether there may be others.
    doubtful: bool,
}

impl ProfilerInfo {
    /// The id of a function is going to be remembered. Notes which modules it goes away with; whether there are such
    /// modules.
    pub(crate) fn function_owners_seen(&self, function: FunctionId) -> bool {
        if !self.loaded().has_collectible() {
            return false;
        }
        let mut owners = Owners::default();
        match self.function_instance(function, None) {
            Ok(instance) => {
                self.add_module(instance.module, &mut owners);
                for class in instance.type_args.iter().chain([&instance.class]) {
                    self.add_class(*class, &mut owners, 0);
                }
            }
            Err(_) => owners.doubtful = true,
        }
        self.note(function.into(), &owners);
        !owners.modules.is_empty()
    }

    /// The same for a class.
    pub(crate) fn class_owners_seen(&self, class: ClassId) {
        if self.loaded().has_collectible() {
            let mut owners = Owners::default();
            self.add_class(Some(class), &mut owners, 0);
            self.note(class.into(), &owners);
        }
    }

    fn note(&self, id: AnyId, owners: &Owners) {
        // What belongs to a module goes away with it for certain, and earlier than others that it may belong to.
        let doubtful = owners.doubtful && owners.modules.is_empty();
        if doubtful || !owners.modules.is_empty() {
            self.loaded().belongs(id, &owners.modules, doubtful);
        }
    }

    fn add_module(&self, module: ModuleId, owners: &mut Owners) {
        if self.loaded().is_collectible(module) && !owners.modules.contains(&module) {
            owners.modules.push(module);
        }
    }

    fn add_class(&self, class: Option<ClassId>, owners: &mut Owners, nesting: usize) {
        let (Some(class), true) = (class, nesting < MAX_NESTING) else {
            owners.doubtful = true;
            return;
        };
        match self.class_info(class) {
            Ok(info) => {
                self.add_module(info.module, owners);
                for arg in info.type_args {
                    self.add_class(arg, owners, nesting + 1);
                }
            }
            Err(Error::Call { hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY, .. }) => {
                if let Ok(Some(array)) = self.array_class(class) {
                    // An element of a built-in type has no class and belongs to no module.
                    if array.element_class.is_some() {
                        self.add_class(array.element_class, owners, nesting + 1);
                    }
                }
            }
            Err(_) => owners.doubtful = true,
        }
    }
}
