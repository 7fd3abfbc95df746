//! What a class is: its token, its parent, its type arguments, its layout.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, HResult, ModuleId};
use sigparse::{ElementType, TypeDef};

use crate::error::{Error, Result};
use crate::metadata::FieldOffset;
use crate::raw::object_layout;
use crate::runtime::ProfilerInfo;
use crate::values::ArrayClass;

/// What a class id stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassInfo {
    /// The module that defines the type.
    pub module: ModuleId,
    /// The type's definition.
    pub type_def: TypeDef,
    /// The base class; `None` for `System.Object` and interfaces.
    pub parent: Option<ClassId>,
    /// The type arguments, those of enclosing types first; `None` for one that the runtime does not know.
    pub type_args: Vec<Option<ClassId>>,
}

/// Where the fields that a class itself declares lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLayout {
    /// The size of an instance in bytes: of the object with its header for a class, of the value for a value
    /// type.
    pub size: u32,
    /// The instance fields of the class itself; those of its base classes are theirs.
    pub fields: Vec<FieldOffset>,
}

impl ProfilerInfo {
    /// What a class id stands for (`ICorProfilerInfo2::GetClassIDInfo2`).
    ///
    /// # Errors
    /// `CORPROF_E_CLASSID_IS_ARRAY` for an array, which [`ProfilerInfo::array_class`] takes apart;
    /// `CORPROF_E_CLASSID_IS_COMPOSITE` for a pointer or byref; `CORPROF_E_DATAINCOMPLETE` for a class whose
    /// loading has not come far enough.
    #[doc(alias = "GetClassIDInfo")]
    #[doc(alias = "GetClassIDInfo2")]
    pub fn class_info(&self, class: ClassId) -> Result<ClassInfo> {
        self.reported_about(class, || self.class_info_alone(class))
    }

    /// The same without a note of what the ids go away with.
    pub(crate) fn class_info_alone(&self, class: ClassId) -> Result<ClassInfo> {
        const CALL: &str = "ICorProfilerInfo2::GetClassIDInfo2";
        if self.is_array_apart(class)? {
            return Err(Error::Call { call: CALL, hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY });
        }
        let parts = self.raw().class_info(class)?;
        Ok(ClassInfo {
            module: parts.module.ok_or(Error::Null { call: CALL, what: "module" })?,
            type_def: parts.type_def.ok_or(Error::Null { call: CALL, what: "type" })?,
            parent: parts.parent,
            type_args: parts.type_args,
        })
    }

    /// The element type and rank of an array class; `None` for a class that is no array
    /// (`ICorProfilerInfo::IsArrayClass`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "IsArrayClass")]
    pub fn array_class(&self, class: ClassId) -> Result<Option<ArrayClass>> {
        self.reported_about(class, || self.array_class_alone(class))
    }

    /// The same without a note of what the ids go away with.
    pub(crate) fn array_class_alone(&self, class: ClassId) -> Result<Option<ArrayClass>> {
        let Some((element_type, element_class, rank)) = self.raw().array_class(class)? else {
            return self.array_apart(class);
        };
        let [element_type, ..] = element_type.0.to_le_bytes();
        Ok(Some(ArrayClass { element_type: ElementType(element_type), element_class, rank }))
    }

    /// Where the instance fields of a class lie (`ICorProfilerInfo2::GetClassLayout`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for an array or a string, `CORPROF_E_DATAINCOMPLETE` for a class whose loading has not
    /// come far enough.
    #[doc(alias = "GetClassLayout")]
    pub fn class_layout(&self, class: ClassId) -> Result<ClassLayout> {
        let (size, fields) = self.raw().class_layout(class)?;
        let fields = fields.into_iter().map(|(field, offset)| FieldOffset { field, offset });
        Ok(ClassLayout { size, fields: fields.collect() })
    }

    /// For a value type, the distance in bytes from a boxed value's object id to the value; `None` for a
    /// class that is no value type (`ICorProfilerInfo2::GetBoxClassLayout`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetBoxClassLayout")]
    pub fn box_layout(&self, class: ClassId) -> Result<Option<u32>> {
        match self.raw().box_layout(class) {
            Ok(offset) => Ok(Some(offset)),
            Err(Error::Call { hresult: HResult::E_INVALIDARG, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The class of a definition with these type arguments, if it has been seen to be loaded. Never loads
    /// anything; may be called from anywhere. Classes are seen as long as the event mask contains
    /// [`EventMask::CLASS_LOADS`](crate::EventMask::CLASS_LOADS).
    #[must_use]
    pub fn known_class(&self, module: ModuleId, type_def: TypeDef, type_args: &[ClassId]) -> Option<ClassId> {
        self.loaded().class(module, type_def, type_args)
    }

    /// Returns the class with this number as its id, if it has been seen to be loaded and is not unloaded. For numbers of
    /// which it is unknown whether they are ids. May be called from anywhere; classes are seen as for
    /// [`known_class`](Self::known_class).
    #[must_use]
    pub fn class_by_number(&self, number: usize) -> Option<ClassId> {
        self.loaded().class_by_number(number)
    }

    /// Notes a class that has been loaded.
    pub(crate) fn seen_class(&self, class: ClassId) {
        self.loaded().class_seen(class);
        self.note_reported(class.into());
        // Arrays and what else has no definition are not looked for by token.
        if let Ok(info) = self.class_info_alone(class) {
            self.loaded().class_loaded(class, &info);
            if let Some(parent) = info.parent.and_then(|parent| self.class_info_alone(parent).ok()) {
                self.loaded().bind(info.module, parent.module);
            }
        }
    }

    /// Whether this stands for an array's class without being its id: in fast hooks, on runtimes whose arrays have a class
    /// id apart from their method table.
    fn is_array_apart(&self, class: ClassId) -> Result<bool> {
        let may_be = self.raw().has_helper() && self.version() <= object_layout::NEWEST_APART;
        Ok(may_be && self.raw().array_layout(class)?.is_some())
    }

    /// What such an array's class is.
    fn array_apart(&self, class: ClassId) -> Result<Option<ArrayClass>> {
        if !self.is_array_apart(class)? {
            return Ok(None);
        }
        let Some((element_class, element, rank)) = self.raw().array_layout(class)? else { return Ok(None) };
        let element_type = match element {
            object_layout::Element::Type(element_type) => element_type,
            object_layout::Element::Primitive => {
                self.primitive(element_class).unwrap_or(ElementType::VALUETYPE)
            }
        };
        Ok(Some(ArrayClass { element_type, element_class: Some(element_class), rank }))
    }

    fn primitive(&self, class: ClassId) -> Option<ElementType> {
        let info = self.class_info_alone(class).ok()?;
        let name = self.module_metadata(info.module).ok()?.type_def(info.type_def).ok()?.name;
        // These of the types with an element type are no primitive types.
        const OTHERS: [ElementType; 4] =
            [ElementType::VOID, ElementType::STRING, ElementType::OBJECT, ElementType::TYPEDBYREF];
        clrnames::csharp::element_type(&name).filter(|element| !OTHERS.contains(element))
    }
}
