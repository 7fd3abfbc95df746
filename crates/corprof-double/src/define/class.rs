//! Types.

use corprof::ClassId;
use sigparse::TypeDef;

use super::{Field, MethodBuilder, Module};
use crate::Runtime;
use crate::model::{self, Type, TypeRow};

/// A type: a class, a value type, an interface or an enum; of a generic one an instance.
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

    /// Its definition's token.
    ///
    /// # Panics
    /// Never: the double's tokens are not nil.
    #[must_use]
    pub fn type_def(&self) -> TypeDef {
        crate::some(TypeDef::from_rid(self.row.rid))
    }

    /// Its id.
    ///
    /// # Panics
    /// Never: the double's ids are not zero.
    #[must_use]
    pub fn id(&self) -> ClassId {
        let class = self.index();
        let model = self.runtime.model();
        crate::some(ClassId::from_raw(model.class_id(class)))
    }

    pub(crate) fn index(&self) -> usize {
        self.runtime.model().class_of(&self.clone().into(), &[], &[])
    }

    fn change<R>(&self, change: impl FnOnce(&mut model::Module) -> R) -> Option<R> {
        self.runtime.model().modules.get_mut(self.row.module).map(change)
    }

    /// Makes it generic, with type parameters of these names. Its metadata name should say how many: ``List`1``.
    #[must_use]
    pub fn generic(self, params: &[&str]) -> Self {
        let owner = self.token();
        self.change(|module| module.add_generic_params(owner, params));
        self
    }

    /// An instance of a generic type.
    ///
    /// # Panics
    /// Unless there are as many arguments as the type has parameters.
    #[must_use]
    pub fn of(&self, args: &[Type]) -> Self {
        let arity = self.change(|module| module.arity(self.token())).unwrap_or(0);
        assert_eq!(arity, args.len(), "{self:?} has {arity} type parameters; see Class::generic");
        Self { row: TypeRow { args: args.to_vec(), ..self.row.clone() }, ..self.clone() }
    }

    /// Says that it implements an interface.
    #[must_use]
    pub fn implements(self, interface: &Class<'r>) -> Self {
        let token = self.runtime.model().type_token(self.row.module, &interface.clone().into());
        let class = self.token();
        self.change(|module| module.interface_impls.push((class, token)));
        self
    }

    /// Defines a class inside of this one.
    #[must_use]
    pub fn nested(&self, name: &str) -> Class<'r> {
        self.module().nested(name, self.row.rid)
    }

    /// Adds a custom attribute: the name of its type, and the value as it is in the metadata (ECMA-335 II.23.3).
    #[must_use]
    pub fn attribute(self, name: &str, value: &[u8]) -> Self {
        let of = self.token();
        self.change(|module| module.add_attribute(of, name, value));
        self
    }

    /// Defines an instance field. Fields lie in the order of their definition.
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
            let constant = (u32::from(sigparse::ElementType::I4.0), Box::from(value.to_le_bytes()));
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

    /// Begins the definition of a method; [`MethodBuilder::define`] ends it.
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
