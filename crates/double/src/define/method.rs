//! Methods and fields.

use corprof::FunctionId;
use sigparse::{FieldDef, MethodDef};

use super::Class;
use crate::model::{self, Type};

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub(crate) rid: u32,
}

impl Field {
    /// Its token.
    ///
    /// # Panics
    /// Never: no token here is nil.
    #[must_use]
    pub fn token(&self) -> FieldDef {
        crate::some(FieldDef::from_rid(self.rid))
    }
}

/// A method, or an instantiation of a generic one.
#[derive(Clone)]
pub struct Method<'r> {
    pub(crate) class: Class<'r>,
    pub(crate) rid: u32,
    pub(crate) args: Vec<Type>,
}

impl<'r> Method<'r> {
    /// The declaring type.
    #[must_use]
    pub fn class(&self) -> Class<'r> {
        self.class.clone()
    }

    /// The token of the definition.
    ///
    /// # Panics
    /// Never: no token here is nil.
    #[must_use]
    pub fn token(&self) -> MethodDef {
        crate::some(MethodDef::from_rid(self.rid))
    }

    /// The id of the code, which instantiations over reference types share.
    ///
    /// # Panics
    /// Never: no id here is zero.
    #[must_use]
    pub fn id(&self) -> FunctionId {
        let instance = self.instance();
        let model = self.class.runtime.model();
        let function = model.instances.get(instance).map_or(0, |instance| instance.function);
        crate::ids::function(model::function_id(function))
    }

    /// The instantiation of a generic method with these type arguments.
    ///
    /// # Panics
    /// If the number of type arguments is not that of the type parameters.
    #[must_use]
    pub fn of(&self, args: &[Type]) -> Self {
        let arity = self.with_module(|module| module.arity(0x0600_0000 | self.rid));
        assert_eq!(arity, args.len(), "{self:?} has {arity} type parameters; see MethodBuilder::generic");
        Self { args: args.to_vec(), ..self.clone() }
    }

    /// Returns the same method of an instantiation of its generic declaring type.
    #[must_use]
    pub fn on(&self, class: &Class<'r>) -> Self {
        Self { class: class.clone(), ..self.clone() }
    }

    pub(crate) fn with_module<R: Default>(&self, look: impl FnOnce(&model::Module) -> R) -> R {
        self.class.runtime.model().modules.get(self.class.row.module).map(look).unwrap_or_default()
    }

    /// The index of the exact instantiation.
    pub(crate) fn instance(&self) -> usize {
        let class = self.class.index();
        let mut model = self.class.runtime.model();
        let class_args = model.class_args(class);
        let args = self.args.iter().map(|arg| model.class_of(arg, &class_args, &[])).collect();
        model.instance(self.class.row.module, self.rid, class, args)
    }
}

impl core::fmt::Debug for Method<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = self.with_module(|module| {
            module.method(0x0600_0000 | self.rid).map(|row| row.name.clone()).unwrap_or_default()
        });
        write!(f, "Method({:?}, {name})", self.class)
    }
}

/// The definition of a method.
#[must_use = "the method is there once it is defined"]
pub struct MethodBuilder<'r> {
    class: Class<'r>,
    name: String,
    is_static: bool,
    returns: Type,
    params: Vec<(String, Type)>,
    generic: Vec<String>,
    il: Vec<u8>,
    attributes: Vec<(String, Vec<u8>)>,
}

/// `mdPublic` and `mdHideBySig`.
const METHOD: u32 = 0x86;
/// `mdStatic`.
const STATIC: u32 = 0x10;
/// `mdSpecialName` and `mdRTSpecialName`.
const CONSTRUCTOR: u32 = 0x1800;

impl<'r> MethodBuilder<'r> {
    pub(super) fn new(class: Class<'r>, name: &str) -> Self {
        Self {
            class,
            name: name.to_owned(),
            is_static: false,
            returns: Type::Void,
            params: Vec::new(),
            generic: Vec::new(),
            // A body of one byte (II.25.4.2): `ret`.
            il: vec![0x06, 0x2A],
            attributes: Vec::new(),
        }
    }

    /// Makes the method static.
    pub fn is_static(self) -> Self {
        Self { is_static: true, ..self }
    }

    /// Sets the return type. The default is `void`.
    pub fn returns(self, ty: impl Into<Type>) -> Self {
        Self { returns: ty.into(), ..self }
    }

    /// Adds a parameter.
    pub fn param(mut self, name: &str, ty: impl Into<Type>) -> Self {
        self.params.push((name.to_owned(), ty.into()));
        self
    }

    /// Makes the method generic, with type parameters of these names.
    pub fn generic(mut self, params: &[&str]) -> Self {
        self.generic = params.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Sets the IL: header and body (ECMA-335 II.25.4). Empty for a method without IL.
    pub fn il(self, il: &[u8]) -> Self {
        Self { il: il.to_vec(), ..self }
    }

    /// Adds a custom attribute by the name of its type and its value blob (ECMA-335 II.23.3).
    pub fn attribute(mut self, name: &str, value: &[u8]) -> Self {
        self.attributes.push((name.to_owned(), value.to_vec()));
        self
    }

    /// Adds the method to its type.
    pub fn define(self) -> Method<'r> {
        let Self { class, name, is_static, returns, params, generic, il, attributes } = self;
        let mut model = class.runtime.model();
        let takes: Vec<Type> = params.iter().map(|(_, ty)| ty.clone()).collect();
        let signature = model.method_signature(class.row.module, is_static, generic.len(), &returns, &takes);
        let mut flags = METHOD;
        if is_static {
            flags |= STATIC;
        }
        if name == ".ctor" || name == ".cctor" {
            flags |= CONSTRUCTOR;
        }
        let row = model::MethodRow {
            type_def: class.token(),
            name,
            attributes: flags,
            impl_flags: 0,
            signature,
            il: il.into(),
            replaced: None,
            returns,
            takes,
        };
        let mut rid = 0;
        if let Some(module) = model.modules.get_mut(class.row.module) {
            module.methods.push(row);
            rid = u32::try_from(module.methods.len()).unwrap_or(0);
            let token = 0x0600_0000 | rid;
            for (sequence, (name, _)) in (1..).zip(params) {
                module.params.push(model::Param { method: token, sequence, name, attributes: 0 });
            }
            let generic: Vec<&str> = generic.iter().map(String::as_str).collect();
            module.add_generic_params(token, &generic);
            for (name, value) in attributes {
                module.add_attribute(token, &name, &value);
            }
        }
        drop(model);
        Method { class, rid, args: Vec::new() }
    }
}

impl core::fmt::Debug for MethodBuilder<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "MethodBuilder({:?}, {})", self.class, self.name)
    }
}
