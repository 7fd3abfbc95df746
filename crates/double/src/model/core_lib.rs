//! The core library: the types that every program has.

use super::{ClassKind, Field, Model, Module, Type, TypeDefRow, TypeRow};

/// The indexes of some of its classes.
#[derive(Default)]
pub(crate) struct CoreLib {
    pub(crate) object: usize,
    pub(crate) value_type: usize,
    pub(crate) enumeration: usize,
    pub(crate) array: usize,
    pub(crate) string: usize,
    pub(crate) exception: usize,
    /// `System.__Canon`, in place of type arguments that only a call has.
    pub(crate) canon: usize,
    primitives: Vec<(Type, usize, usize)>,
}

/// `tdPublic` and `tdSequentialLayout` with `tdSealed` for value types.
const PUBLIC: u32 = 0x1;
const VALUE: u32 = 0x109;

impl CoreLib {
    pub(crate) fn class_of(&self, primitive: &Type) -> usize {
        match primitive {
            Type::String => self.string,
            Type::Object => self.object,
            other => self
                .primitives
                .iter()
                .find(|(ty, ..)| ty == other)
                .map_or(self.object, |(_, class, _)| *class),
        }
    }

    /// The size of a primitive type's values.
    pub(crate) fn size_of(&self, class: usize) -> Option<usize> {
        self.primitives.iter().find(|(_, known, _)| *known == class).map(|(.., size)| *size)
    }

    /// The primitive type of a class.
    pub(crate) fn primitive(&self, class: usize) -> Option<&Type> {
        self.primitives.iter().find(|(_, known, _)| *known == class).map(|(ty, ..)| ty)
    }
}

impl Model {
    /// Defines the core library, as the first module.
    pub(crate) fn define_core_lib(&mut self, folder: &str, version: [u16; 4]) {
        const NAME: &str = "System.Private.CoreLib";
        let mut module = Module::new(NAME, &format!("{folder}/{NAME}.dll"), 0);
        module.version = version;
        self.modules.push(module);
        let object = self.define_core("System.Object", PUBLIC, None, false);
        self.core.object = object;
        let parent = |class: &ClassKind| match class {
            ClassKind::Instance { module, rid, .. } => {
                Type::Class(TypeRow { module: *module, rid: *rid, is_value: false, args: Vec::new() })
            }
            ClassKind::Array { .. } => Type::Object,
        };
        let value_type = self.define_core("System.ValueType", PUBLIC, Some(Type::Object), false);
        self.core.value_type = value_type;
        let base = self.classes.get(value_type).map(|class| parent(&class.kind));
        self.core.enumeration = self.define_core("System.Enum", PUBLIC, base.clone(), false);
        self.core.array = self.define_core("System.Array", PUBLIC, Some(Type::Object), false);
        self.core.string = self.define_core("System.String", PUBLIC, Some(Type::Object), false);
        self.core.exception = self.define_core("System.Exception", PUBLIC, Some(Type::Object), false);
        self.define_exception_fields();
        self.core.canon = self.define_core("System.__Canon", 0, Some(Type::Object), false);
        for (ty, name, size) in [
            (Type::Void, "Void", 1),
            (Type::Bool, "Boolean", 1),
            (Type::Char, "Char", 2),
            (Type::I1, "SByte", 1),
            (Type::U1, "Byte", 1),
            (Type::I2, "Int16", 2),
            (Type::U2, "UInt16", 2),
            (Type::I4, "Int32", 4),
            (Type::U4, "UInt32", 4),
            (Type::I8, "Int64", 8),
            (Type::U8, "UInt64", 8),
            (Type::R4, "Single", 4),
            (Type::R8, "Double", 8),
            (Type::I, "IntPtr", 8),
            (Type::U, "UIntPtr", 8),
        ] {
            let class = self.define_core(&format!("System.{name}"), VALUE, base.clone(), true);
            self.core.primitives.push((ty, class, size));
        }
    }

    /// Defines the fields of `System.Exception` that decoders show.
    fn define_exception_fields(&mut self) {
        /// `fdPrivate`.
        const PRIVATE: u32 = 0x1;
        let Some(ClassKind::Instance { module, rid, .. }) =
            self.classes.get(self.core.exception).map(|class| class.kind.clone())
        else {
            return;
        };
        let exception = Type::Class(TypeRow { module, rid, is_value: false, args: Vec::new() });
        for (name, ty) in [("_message", Type::String), ("_innerException", exception), ("_HResult", Type::I4)]
        {
            let signature = self.field_signature(module, &ty);
            let (type_def, name) = (0x0200_0000 | rid, name.to_owned());
            let field = Field { type_def, name, attributes: PRIVATE, signature, ty, constant: None };
            if let Some(table) = self.modules.get_mut(module) {
                table.fields.push(field);
            }
        }
    }

    fn define_core(&mut self, name: &str, attributes: u32, parent: Option<Type>, is_value: bool) -> usize {
        let rid = self.define_type(0, name, attributes, 0, parent, is_value);
        self.class_for(ClassKind::Instance { module: 0, rid, args: Vec::new() })
    }

    /// Adds the row of a type definition.
    pub(crate) fn define_type(
        &mut self,
        module: usize,
        name: &str,
        attributes: u32,
        enclosing: u32,
        parent: Option<Type>,
        is_value: bool,
    ) -> u32 {
        let extends = parent.as_ref().map_or(0, |parent| self.type_token(module, parent));
        let Some(table) = self.modules.get_mut(module) else { return 0 };
        let name = name.to_owned();
        table.type_defs.push(TypeDefRow { name, attributes, extends, enclosing, is_value, parent });
        u32::try_from(table.type_defs.len()).unwrap_or(0)
    }
}
