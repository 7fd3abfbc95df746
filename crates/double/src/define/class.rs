//! Types.

use corprof::ClassId;
use sigparse::TypeDef;

use super::{Field, MethodBuilder, Module};
use crate::Runtime;
use crate::model::{self, Type, TypeRow};

/// A class, value type, interface or enum, or an instantiation of a generic one.
#[derive(Clone)]
pub struct Class<'r> {
    pub(crate) runtime: &'r Runtime,
    pub(crate) row: TypeRow,
}

/// `fdPublic`.
const FIELD: u32 = 0x6;
/// `fdStatic`.
const STATIC: u32 = 0x10;
/// `fdStatic`, `fdLiteral`, `fdHasDefault`.
const LITERAL: u32 = 0x8050;
/// `fdSpecialName`, `fdRTSpecialName`.
const VALUE: u32 = 0x600;

impl Runtime {
    /// Returns `System.Exception`, to throw or to extend.
    ///
    /// Its fields are `_message`, `_innerException` and `_HResult`, as in the runtime.
    #[must_use]
    pub fn exception(&self) -> Class<'_> {
        match self.core(|core| core.exception) {
            Type::Class(row) => Class::new(self, row),
            _ => self.core_lib().class("System.Exception"),
        }
    }
}

impl<'r> Class<'r> {
    pub(crate) fn new(runtime: &'r Runtime, row: TypeRow) -> Self {
        Self { runtime, row }
    }

    pub(crate) fn token(&self) -> u32 {
        0x0200_0000 | self.row.rid
    }

    /// The module that defines it.
    #[must_use]
    pub fn module(&self) -> Module<'r> {
        Module { runtime: self.runtime, index: self.row.module }
    }

    /// The token of the definition.
    ///
    /// # Panics
    /// Never: no token here is nil.
    #[must_use]
    pub fn type_def(&self) -> TypeDef {
        crate::some(TypeDef::from_rid(self.row.rid))
    }

    /// Its id.
    ///
    /// # Panics
    /// Never: no id here is zero.
    #[must_use]
    pub fn id(&self) -> ClassId {
        let class = self.index();
        let model = self.runtime.model();
        crate::ids::class(model.class_id(class))
    }

    pub(crate) fn index(&self) -> usize {
        self.runtime.model().class_of(&self.clone().into(), &[], &[])
    }

    fn change<R>(&self, change: impl FnOnce(&mut model::Module) -> R) -> Option<R> {
        self.runtime.model().modules.get_mut(self.row.module).map(change)
    }

    /// Makes the type generic, with type parameters of these names. The metadata name should have the arity: ``List`1``.
    #[must_use]
    pub fn generic(self, params: &[&str]) -> Self {
        let owner = self.token();
        self.change(|module| module.add_generic_params(owner, params));
        self
    }

    /// An instantiation of a generic type.
    ///
    /// # Panics
    /// If the number of type arguments is not that of the type parameters.
    #[must_use]
    pub fn of(&self, args: &[Type]) -> Self {
        let arity = self.change(|module| module.arity(self.token())).unwrap_or(0);
        assert_eq!(arity, args.len(), "{self:?} has {arity} type parameters; see Class::generic");
        Self { row: TypeRow { args: args.to_vec(), ..self.row.clone() }, ..self.clone() }
    }

    /// Adds an implemented interface.
    #[must_use]
    pub fn implements(self, interface: &Class<'r>) -> Self {
        let token = self.runtime.model().type_token(self.row.module, &interface.clone().into());
        let class = self.token();
        self.change(|module| module.interface_impls.push((class, token)));
        self
    }

    /// Defines a nested class.
    #[must_use]
    pub fn nested(&self, name: &str) -> Class<'r> {
        self.module().nested(name, self.row.rid)
    }

    /// Adds a custom attribute by the name of its type and its value blob (ECMA-335 II.23.3).
    #[must_use]
    pub fn attribute(self, name: &str, value: &[u8]) -> Self {
        let of = self.token();
        self.change(|module| module.add_attribute(of, name, value));
        self
    }

    /// Defines an instance field. Fields are laid out in the order of their definition.
    pub fn field(&self, name: &str, ty: impl Into<Type>) -> Field {
        self.define_field(name, FIELD, ty.into(), None)
    }

    /// Defines a static field.
    pub fn static_field(&self, name: &str, ty: impl Into<Type>) -> Field {
        self.define_field(name, FIELD | STATIC, ty.into(), None)
    }

    pub(super) fn enum_members(&self, members: &[(&str, i32)]) {
        self.define_field("value__", FIELD | VALUE, Type::I4, None);
        for (name, value) in members {
            let [a, b, c, d] = value.to_le_bytes();
            let constant = (u32::from(sigparse::ElementType::I4.0), Box::from([4, a, b, c, d]));
            self.define_field(name, FIELD | LITERAL, self.clone().into(), Some(constant));
        }
    }

    fn define_field(
        &self,
        name: &str,
        attributes: u32,
        ty: Type,
        constant: Option<(u32, Box<[u8]>)>,
    ) -> Field {
        let signature = self.runtime.model().field_signature(self.row.module, &ty);
        let (type_def, name) = (self.token(), name.to_owned());
        let field = model::Field { type_def, name, attributes, signature, ty, constant };
        let rid = self.change(|module| {
            module.fields.push(field);
            module.fields.len()
        });
        Field { rid: rid.and_then(|rid| u32::try_from(rid).ok()).unwrap_or(0) }
    }

    /// Starts the definition of a method; [`MethodBuilder::define`] completes it.
    pub fn method(&self, name: &str) -> MethodBuilder<'r> {
        MethodBuilder::new(self.clone(), name)
    }
}

impl From<Class<'_>> for Type {
    fn from(class: Class<'_>) -> Self {
        Self::Class(class.row)
    }
}

impl From<&Class<'_>> for Type {
    fn from(class: &Class<'_>) -> Self {
        Self::Class(class.row.clone())
    }
}

impl core::fmt::Debug for Class<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = self.change(|module| module.type_def(self.token()).map(|row| row.name.clone())).flatten();
        write!(f, "Class({})", name.unwrap_or_default())
    }
}
