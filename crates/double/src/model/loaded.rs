//! Loaded classes and functions, made from definitions.

use super::{Model, State, Type, TypeRow, heap::Memory};

/// A class: an instantiation of a definition, or an array. Its id is the address of a table, as in the runtime.
pub(crate) struct Class {
    pub(crate) kind: ClassKind,
    pub(crate) table: Memory,
    pub(crate) is_loaded: bool,
}

/// The kind of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ClassKind {
    /// A definition with type arguments.
    Instance { module: usize, rid: u32, args: Vec<usize> },
    /// An array of a class.
    Array { element: usize, rank: u32 },
}

impl Class {
    pub(crate) fn id(&self) -> usize {
        self.table.address()
    }
}

/// A function: code that instantiations over reference types share.
pub(crate) struct Function {
    pub(crate) module: usize,
    pub(crate) rid: u32,
    /// The class; `None` where it depends on the call.
    pub(crate) class: Option<usize>,
    /// The type arguments of the method, `System.__Canon` for those that depend on the call.
    pub(crate) args: Vec<usize>,
    /// The classes that distinguish it from other functions of the same method.
    key: (Vec<usize>, Vec<usize>),
    pub(crate) is_compiled: bool,
    /// The client id that the mapper has returned; passed to the hooks.
    pub(crate) client: Option<usize>,
}

/// A method with exact type arguments.
pub(crate) struct Instance {
    pub(crate) function: usize,
    pub(crate) class: usize,
    pub(crate) args: Vec<usize>,
}

/// A managed thread.
pub(crate) struct ThreadState {
    pub(crate) os_thread: u32,
    pub(crate) is_alive: bool,
}

impl Model {
    /// Returns the class for a type. `class_args` and `method_args` replace `Var` and `MVar`.
    pub(crate) fn class_of(&mut self, ty: &Type, class_args: &[usize], method_args: &[usize]) -> usize {
        let kind = match ty {
            Type::Var(number) => match class_args.get(*number as usize) {
                Some(class) => return *class,
                None => return self.core.object,
            },
            Type::MVar(number) => match method_args.get(*number as usize) {
                Some(class) => return *class,
                None => return self.core.object,
            },
            Type::Vector(element) => {
                ClassKind::Array { element: self.class_of(element, class_args, method_args), rank: 1 }
            }
            Type::Array(element, rank) => {
                ClassKind::Array { element: self.class_of(element, class_args, method_args), rank: *rank }
            }
            Type::Class(TypeRow { module, rid, args, .. }) => {
                let args = args.iter().map(|arg| self.class_of(arg, class_args, method_args)).collect();
                ClassKind::Instance { module: *module, rid: *rid, args }
            }
            // A pointer has no class id of its own.
            Type::ByRef(to) | Type::Pointer(to) => return self.class_of(to, class_args, method_args),
            primitive => return self.core.class_of(primitive),
        };
        self.class_for(kind)
    }

    /// The class of a kind, created at first use.
    pub(crate) fn class_for(&mut self, kind: ClassKind) -> usize {
        if let Some(known) = self.classes.iter().position(|class| class.kind == kind) {
            return known;
        }
        let table = self.method_table(&kind);
        self.classes.push(Class { kind, table, is_loaded: false });
        self.classes.len() - 1
    }

    /// The class that a class extends.
    pub(crate) fn parent(&mut self, class: usize) -> Option<usize> {
        match self.classes.get(class)?.kind.clone() {
            ClassKind::Array { .. } => Some(self.core.array),
            ClassKind::Instance { module, rid, args } => {
                let row = self.modules.get(module)?.type_defs.get(rid as usize - 1)?;
                let parent = row.parent.clone()?;
                Some(self.class_of(&parent, &args, &[]))
            }
        }
    }

    pub(crate) fn is_value(&self, class: usize) -> bool {
        match self.classes.get(class).map(|class| &class.kind) {
            Some(ClassKind::Instance { module, rid, .. }) => {
                let row =
                    self.modules.get(*module).and_then(|module| module.type_defs.get(*rid as usize - 1));
                row.is_some_and(|row| row.is_value)
            }
            _ => false,
        }
    }

    /// The module that a class is unloaded with: its own, unless that is the core library.
    pub(crate) fn modules_of(&self, class: usize) -> Vec<usize> {
        match self.classes.get(class).map(|class| &class.kind) {
            Some(ClassKind::Array { element, .. }) => self.modules_of(*element),
            Some(ClassKind::Instance { module, args, .. }) => {
                core::iter::once(*module).chain(args.iter().flat_map(|arg| self.modules_of(*arg))).collect()
            }
            None => Vec::new(),
        }
    }

    /// The token of a method that is running and is unloaded with a module: one of its own, or one of an instantiation over its
    /// types.
    pub(crate) fn running_in(&self, module: usize) -> Option<u32> {
        let goes = |class: usize| self.modules_of(class).contains(&module);
        self.frames.iter().filter(|frame| frame.is_running).find_map(|frame| {
            let instance = self.instances.get(frame.instance)?;
            let function = self.functions.get(instance.function)?;
            let is_of_it = function.module == module
                || goes(instance.class)
                || instance.args.iter().any(|arg| goes(*arg));
            is_of_it.then_some(0x0600_0000 | function.rid)
        })
    }

    /// Returns whether everything that a class belongs to is still loaded.
    pub(crate) fn is_class_there(&self, class: usize) -> bool {
        let is_there =
            |module: usize| self.modules.get(module).is_some_and(|module| module.state == State::Loaded);
        self.modules_of(class).into_iter().all(is_there)
    }

    /// The exact instantiation of a method, created at first use.
    pub(crate) fn instance(&mut self, module: usize, rid: u32, class: usize, args: Vec<usize>) -> usize {
        let class_args = self.class_args(class);
        let canonical = |model: &Self, args: &[usize]| -> Vec<usize> {
            args.iter().map(|arg| if model.is_value(*arg) { *arg } else { model.core.canon }).collect()
        };
        let (class_key, args_key) = (canonical(self, &class_args), canonical(self, &args));
        let is_shared = class_key.contains(&self.core.canon);
        let key = (class_key, args_key.clone());
        let same =
            |function: &Function| (function.module, function.rid) == (module, rid) && function.key == key;
        let function = match self.functions.iter().position(same) {
            Some(known) => known,
            None => {
                let class = (!is_shared).then_some(class);
                self.functions.push(Function {
                    module,
                    rid,
                    class,
                    args: args_key,
                    key,
                    is_compiled: false,
                    client: None,
                });
                self.functions.len() - 1
            }
        };
        let exact = |instance: &Instance| {
            (instance.function, instance.class) == (function, class) && instance.args == args
        };
        if let Some(known) = self.instances.iter().position(exact) {
            return known;
        }
        self.instances.push(Instance { function, class, args });
        self.instances.len() - 1
    }
}
