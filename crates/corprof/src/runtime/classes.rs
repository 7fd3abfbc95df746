//! Classes: token, base class, type arguments and layout.
#![forbid(unsafe_code)]

use clrnames::metadata::Metadata as _;
use corprof_types::{ClassId, HResult, ModuleId};
use sigparse::{ElementType, TypeDef};

use crate::error::{Error, Result};
use crate::metadata::FieldOffset;
use crate::raw::object_layout;
use crate::runtime::ProfilerInfo;
use crate::values::ArrayClass;
/// The definition, base class and type arguments of a class.
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

/// The offsets of the fields that a class itself declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLayout {
    /// The size of an instance in bytes: of the object with its header for a class, of the value for a value
    /// type.
    pub size: u32,
    /// The instance fields of the class itself; those of its base classes are theirs.
    pub fields: Vec<FieldOffset>,
}

impl ProfilerInfo {
    /// Returns the definition, base class and type arguments of a class.
    ///
    /// `ICorProfilerInfo2::GetClassIDInfo2`.
    ///
    /// # Errors
    /// `CORPROF_E_CLASSID_IS_ARRAY`: the class is an array; see [`ProfilerInfo::array_class`].
    /// `CORPROF_E_CLASSID_IS_COMPOSITE`: it is a pointer or byref. `CORPROF_E_DATAINCOMPLETE`: it is still loading. Any
    /// other failure of the call.
    #[doc(alias = "GetClassIDInfo")]
    #[doc(alias = "GetClassIDInfo2")]
    pub fn class_info(&self, class: ClassId) -> Result<ClassInfo> {
        self.reported_about(class, || self.class_info_alone(class))
    }

    /// As the public method, without recording the lifetime of the ids.
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

    /// Returns the element type and rank of an array class; `None` for other classes.
    ///
    /// `ICorProfilerInfo::IsArrayClass`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "IsArrayClass")]
    pub fn array_class(&self, class: ClassId) -> Result<Option<ArrayClass>> {
        self.reported_about(class, || self.array_class_alone(class))
    }

    /// As the public method, without recording the lifetime of the ids.
    pub(crate) fn array_class_alone(&self, class: ClassId) -> Result<Option<ArrayClass>> {
        let Some((element_type, element_class, rank)) = self.raw().array_class(class)? else {
            return self.array_apart(class);
        };
        let [element_type, ..] = element_type.0.to_le_bytes();
        Ok(Some(ArrayClass { element_type: ElementType(element_type), element_class, rank }))
    }

    /// Returns the offsets of the instance fields of a class.
    ///
    /// `ICorProfilerInfo2::GetClassLayout`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: the class is an array or `System.String`. `CORPROF_E_DATAINCOMPLETE`: it is still loading. Any
    /// other failure of the call.
    #[doc(alias = "GetClassLayout")]
    pub fn class_layout(&self, class: ClassId) -> Result<ClassLayout> {
        let (size, fields) = self.raw().class_layout(class)?;
        let fields = fields.into_iter().map(|(field, offset)| FieldOffset { field, offset });
        Ok(ClassLayout { size, fields: fields.collect() })
    }

    /// Returns the offset of the value in a boxed value type; `None` for other classes.
    ///
    /// `ICorProfilerInfo2::GetBoxClassLayout`. The offset is in bytes from the object's address.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetBoxClassLayout")]
    pub fn box_layout(&self, class: ClassId) -> Result<Option<u32>> {
        match self.raw().box_layout(class) {
            Ok(offset) => Ok(Some(offset)),
            Err(Error::Call { hresult: HResult::E_INVALIDARG, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the cached class of a type definition with these type arguments; `None` if its load was not seen.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS), by which loads are seen. Never loads a type, makes no call
    /// of the runtime, and may be called on any thread.
    #[must_use]
    pub fn known_class(&self, module: ModuleId, type_def: TypeDef, type_args: &[ClassId]) -> Option<ClassId> {
        self.loaded().class(module, type_def, type_args)
    }

    /// Returns the loaded class whose id is a number; `None` if there is none.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS), by which loads are seen. For words of memory that may not
    /// be ids. May be called on any thread.
    #[must_use]
    pub fn class_by_number(&self, number: usize) -> Option<ClassId> {
        self.loaded().class_by_number(number)
    }

    /// Returns `true` if a number is the id of a loaded class that is an instance of a type definition.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS), by which loads are seen. For words of memory that may not be ids.
    #[must_use]
    pub fn is_instance_of(&self, number: usize, module: ModuleId, type_def: TypeDef) -> bool {
        let class = self.class_by_number(number).and_then(|class| self.class_info(class).ok());
        class.is_some_and(|class| (class.module, class.type_def) == (module, type_def))
    }

    /// Notes classes that are loaded, as if their loads had been seen, so that [`known_class`](Self::known_class) finds them.
    ///
    /// For ids that the program's own code has passed to a [hook that it calls](crate::InsertedHooks): an attached profiler has not seen
    /// their loads. `ICorProfilerInfo2::GetClassIDInfo2`, for each that is not noted yet. May be called on any thread, in hooks too.
    pub fn note_loaded_classes(&self, classes: impl IntoIterator<Item = ClassId>) {
        for class in classes {
            if self.class_by_number(class.as_raw()).is_none() {
                self.seen_class(class);
            }
        }
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

    /// Returns whether this is the method table of an array instead of its class id, as in fast-path hooks on runtimes whose
    /// arrays have a class id apart from their method table.
    fn is_array_apart(&self, class: ClassId) -> Result<bool> {
        let may_be = self.raw().has_helper() && self.version() <= object_layout::NEWEST_APART;
        Ok(may_be && self.raw().array_layout(class)?.is_some())
    }

    /// Returns the array class of such a method table.
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
        let name = self.metadata_rows(info.module).ok()?.type_def(info.type_def).ok()?.name;
        // These of the types with an element type are no primitive types.
        const OTHERS: [ElementType; 4] =
            [ElementType::VOID, ElementType::STRING, ElementType::OBJECT, ElementType::TYPEDBYREF];
        clrnames::csharp::element_type(&name).filter(|element| !OTHERS.contains(element))
    }
}
