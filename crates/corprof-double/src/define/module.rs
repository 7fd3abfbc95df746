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

impl<'r> Module<'r> {
    fn change<R>(self, change: impl FnOnce(&mut model::Module) -> R) -> Option<R> {
        self.runtime.model().modules.get_mut(self.index).map(change)
    }

    /// Its id: what callbacks carry.
    ///
    /// # Panics
    /// Never: the double's ids are not zero.
    #[must_use]
    pub fn id(self) -> ModuleId {
        crate::some(ModuleId::from_raw(model::module_id(self.index)))
    }

    /// The id of its assembly.
    ///
    /// # Panics
    /// Never: the double's ids are not zero.
    #[must_use]
    pub fn assembly_id(self) -> AssemblyId {
        crate::some(AssemblyId::from_raw(model::assembly_id(self.index)))
    }

    /// The version id of its metadata.
    #[must_use]
    pub fn mvid(self) -> Guid {
        self.change(|module| Guid::from_bytes(module.mvid)).unwrap_or(Guid::NIL)
    }

    /// Sets the file that it comes from: `/app/` and the assembly's name with `.dll` otherwise.
    #[must_use]
    pub fn with_path(self, path: &str) -> Self {
        self.change(|module| path.clone_into(&mut module.path));
        self
    }

    /// Sets the assembly's version: 1.0.0.0 otherwise.
    #[must_use]
    pub fn with_version(self, version: [u16; 4]) -> Self {
        self.change(|module| module.version = version);
        self
    }

    /// Lets it be unloaded, as modules of a collectible `AssemblyLoadContext` can.
    #[must_use]
    pub fn collectible(self) -> Self {
        self.change(|module| module.flags |= ModuleFlags::COLLECTIBLE.bits());
        self
    }

    /// Defines a class. `name` has the namespace in front: `Shop.Basket`. For a generic one see
    /// [`Class::generic`].
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
