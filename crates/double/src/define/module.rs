//! Modules, each an assembly of its own.

use corprof::{AssemblyId, Guid, ModuleFlags, ModuleId};

use super::Class;
use crate::Runtime;
use crate::model::{self, Type, TypeRow};

/// A module, which is an assembly of its own. Loaded by [`Session::load`](crate::Session::load).
#[derive(Clone, Copy)]
pub struct Module<'r> {
    pub(crate) runtime: &'r Runtime,
    pub(crate) index: usize,
}

/// `tdPublic`.
const PUBLIC: u32 = 0x1;
/// `tdNestedPublic`.
const NESTED_PUBLIC: u32 = 0x2;
/// `tdSequentialLayout` and `tdSealed`.
const VALUE: u32 = 0x108;
/// `tdInterface` and `tdAbstract`.
const INTERFACE: u32 = 0xA0;

impl Runtime {
    /// The core library, `System.Private.CoreLib`. Types may be added to it.
    #[must_use]
    pub fn core_lib(&self) -> Module<'_> {
        Module { runtime: self, index: 0 }
    }

    /// Defines a module and the assembly of that name.
    #[must_use]
    pub fn module(&self, assembly: &str) -> Module<'_> {
        let mut model = self.model();
        let index = model.modules.len();
        model.modules.push(model::Module::new(assembly, &format!("/app/{assembly}.dll"), index));
        Module { runtime: self, index }
    }
}

impl<'r> Module<'r> {
    fn change<R>(self, change: impl FnOnce(&mut model::Module) -> R) -> Option<R> {
        self.runtime.model().modules.get_mut(self.index).map(change)
    }

    /// The id of the module.
    ///
    /// # Panics
    /// Never: no id here is zero.
    #[must_use]
    pub fn id(self) -> ModuleId {
        crate::ids::module(model::module_id(self.index))
    }

    /// The id of its assembly.
    ///
    /// # Panics
    /// Never: no id here is zero.
    #[must_use]
    pub fn assembly_id(self) -> AssemblyId {
        crate::ids::assembly(model::assembly_id(self.index))
    }

    /// The version id of its metadata.
    #[must_use]
    pub fn mvid(self) -> Guid {
        self.change(|module| Guid::from_bytes(module.mvid)).unwrap_or(Guid::NIL)
    }

    /// Sets the path of the file. The default is `/app/`, the name of the assembly and `.dll`.
    #[must_use]
    pub fn with_path(self, path: &str) -> Self {
        self.change(|module| path.clone_into(&mut module.path));
        self
    }

    /// Sets the version of the assembly. The default is 1.0.0.0.
    #[must_use]
    pub fn with_version(self, version: [u16; 4]) -> Self {
        self.change(|module| module.version = version);
        self
    }

    /// Makes the module unloadable, as modules of a collectible `AssemblyLoadContext` are.
    #[must_use]
    pub fn collectible(self) -> Self {
        self.change(|module| module.flags |= ModuleFlags::COLLECTIBLE.bits());
        self
    }

    /// Defines a class. `name` includes the namespace: `Shop.Basket`. See [`Class::generic`] for a generic one.
    #[must_use]
    pub fn class(self, name: &str) -> Class<'r> {
        self.define(name, PUBLIC, 0, Some(Type::Object), false)
    }

    /// Defines a class that extends another one.
    #[must_use]
    pub fn class_extending(self, name: &str, base: Class<'r>) -> Class<'r> {
        self.define(name, PUBLIC, 0, Some(base.into()), false)
    }

    /// Defines an interface.
    #[must_use]
    pub fn interface(self, name: &str) -> Class<'r> {
        self.define(name, PUBLIC | INTERFACE, 0, None, false)
    }

    /// Defines a value type: a C# struct.
    #[must_use]
    pub fn value_type(self, name: &str) -> Class<'r> {
        let base = self.runtime.core(|core| core.value_type);
        self.define(name, PUBLIC | VALUE, 0, Some(base), true)
    }

    /// Defines an enum of `int`, with its members.
    #[must_use]
    pub fn enumeration(self, name: &str, members: &[(&str, i32)]) -> Class<'r> {
        let base = self.runtime.core(|core| core.enumeration);
        let class = self.define(name, PUBLIC | VALUE, 0, Some(base), true);
        class.enum_members(members);
        class
    }

    pub(super) fn nested(self, name: &str, enclosing: u32) -> Class<'r> {
        self.define(name, NESTED_PUBLIC, enclosing, Some(Type::Object), false)
    }

    fn define(
        self,
        name: &str,
        attributes: u32,
        enclosing: u32,
        base: Option<Type>,
        is_value: bool,
    ) -> Class<'r> {
        let mut model = self.runtime.model();
        let rid = model.define_type(self.index, name, attributes, enclosing, base, is_value);
        drop(model);
        let row = TypeRow { module: self.index, rid, is_value, args: Vec::new() };
        Class::new(self.runtime, row)
    }
}

impl core::fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = self.change(|module| module.assembly.clone()).unwrap_or_default();
        write!(f, "Module({name})")
    }
}
