//! What a class is: its token, its parent, its type arguments, its layout.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;
use sigparse::{ElementType, FieldDef, TypeDef};

use super::functions::room_of;
use super::{call, fill};
use crate::ids::{ClassId, ModuleId};
use crate::values::ArrayClass;
use crate::{Error, HResult, ProfilerInfo, Result};

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

/// Where a field lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldOffset {
    /// The field.
    pub field: FieldDef,
    /// Its distance in bytes from where the object id points to for a class, from the start of the value for
    /// a value type.
    pub offset: u32,
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
        const CALL: &str = "ICorProfilerInfo2::GetClassIDInfo2";
        let _asking = self.asking(class)?;
        if self.is_array_apart(class) {
            return Err(Error::Call { call: CALL, hresult: HResult::CORPROF_E_CLASSID_IS_ARRAY });
        }
        let (mut module, mut type_def, mut parent) = (0, 0, 0);
        let type_args = fill(CALL, |room: &mut [usize]| {
            let mut count = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    asked ICorProfilerInfo2::GetClassIDInfo2(
                        class.as_raw(),
                        &raw mut module,
                        &raw mut type_def,
                        &raw mut parent,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(ClassInfo {
            module: self
                .given(ModuleId::from_raw(module))
                .ok_or(Error::Null { call: CALL, what: "module" })?,
            type_def: TypeDef::from_token(type_def).ok_or(Error::Null { call: CALL, what: "type" })?,
            parent: self.given(ClassId::from_raw(parent)),
            type_args: type_args.iter().map(|class| self.given(ClassId::from_raw(*class))).collect(),
        })
    }

    /// The element type and rank of an array class; `None` for a class that is no array
    /// (`ICorProfilerInfo::IsArrayClass`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "IsArrayClass")]
    pub fn array_class(&self, class: ClassId) -> Result<Option<ArrayClass>> {
        let _asking = self.asking(class)?;
        let (mut element_type, mut element_class, mut rank) = (sys::CorElementType(0), 0, 0);
        // SAFETY: locals.
        let code = unsafe {
            call!(
                self,
                asked ICorProfilerInfo::IsArrayClass(
                    class.as_raw(),
                    &raw mut element_type,
                    &raw mut element_class,
                    &raw mut rank,
                )
            )
        }?;
        if code != HResult::S_OK {
            return Ok(self.array_apart(class));
        }
        let [element_type, ..] = element_type.0.to_le_bytes();
        Ok(Some(ArrayClass {
            element_type: ElementType(element_type),
            element_class: self.given(ClassId::from_raw(element_class)),
            rank,
        }))
    }

    /// Where the instance fields of a class lie (`ICorProfilerInfo2::GetClassLayout`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for an array or a string, `CORPROF_E_DATAINCOMPLETE` for a class whose loading has not
    /// come far enough.
    #[doc(alias = "GetClassLayout")]
    pub fn class_layout(&self, class: ClassId) -> Result<ClassLayout> {
        let _asking = self.asking(class)?;
        let (mut count, mut size) = (0, 0);
        // SAFETY: locals, and no room for fields, as declared.
        unsafe {
            call!(
                self,
                asked ICorProfilerInfo2::GetClassLayout(
                    class.as_raw(),
                    null_mut(),
                    0,
                    &raw mut count,
                    &raw mut size
                )
            )
        }?;
        let mut fields = vec![sys::COR_FIELD_OFFSET { ridOfField: 0, ulOffset: 0 }; count as usize];
        if !fields.is_empty() {
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    asked ICorProfilerInfo2::GetClassLayout(
                        class.as_raw(),
                        fields.as_mut_ptr(),
                        room_of(&fields),
                        &raw mut count,
                        &raw mut size,
                    )
                )
            }?;
        }
        let fields = fields.iter().take(count as usize).filter_map(|field| {
            let offset = field.ulOffset;
            FieldDef::from_token(field.ridOfField).map(|field| FieldOffset { field, offset })
        });
        Ok(ClassLayout { size, fields: fields.collect() })
    }

    /// For a value type, the distance in bytes from a boxed value's object id to the value; `None` for a
    /// class that is no value type (`ICorProfilerInfo2::GetBoxClassLayout`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetBoxClassLayout")]
    pub fn box_layout(&self, class: ClassId) -> Result<Option<u32>> {
        let _asking = self.asking(class)?;
        let mut offset = 0;
        // SAFETY: a local.
        let answer = unsafe {
            call!(self, asked ICorProfilerInfo2::GetBoxClassLayout(class.as_raw(), &raw mut offset))
        };
        match answer {
            Ok(_) => Ok(Some(offset)),
            Err(Error::Call { hresult: HResult::E_INVALIDARG, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The class of a definition with these type arguments, **loading it if it is not loaded**
    /// (`ICorProfilerInfo2::GetClassFromTokenAndTypeArgs`).
    ///
    /// Loading a type at the wrong time changes the program's behaviour and can crash it. Use
    /// [`ProfilerInfo::known_class`] first; use this only for a type that is loaded for certain, for instance
    /// a value type in the signature of a method that is running.
    ///
    /// **Never from an enter, leave or tailcall hook**: the call may let the garbage collector run, which does
    /// not know of the arguments that the hook has saved, and the program would go on with stale ones. The
    /// runtime refuses it in fast hooks, but not in hooks with info. Unloads do not wait for it, since the program's
    /// code may run in it: the ids have to stay alive by other means, as those of a method that is running do.
    ///
    /// # Errors
    /// What the runtime reports: `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from outside of a callback.
    #[doc(alias = "GetClassFromTokenAndTypeArgs")]
    #[doc(alias = "GetClassFromToken")]
    pub fn class_from_token_loading(
        &self,
        module: ModuleId,
        type_def: TypeDef,
        type_args: &[ClassId],
    ) -> Result<ClassId> {
        const CALL: &str = "ICorProfilerInfo2::GetClassFromTokenAndTypeArgs";
        drop(self.looking_up(module)?);
        for class in type_args {
            drop(self.looking_up(*class)?);
        }
        let mut args: Vec<usize> = type_args.iter().map(|class| class.as_raw()).collect();
        let mut class = 0;
        // SAFETY: a local, and a list with its length that the runtime only reads.
        unsafe {
            call!(
                self,
                ICorProfilerInfo2::GetClassFromTokenAndTypeArgs(
                    module.as_raw(),
                    type_def.token(),
                    room_of(&args),
                    args.as_mut_ptr(),
                    &raw mut class,
                )
            )
        }?;
        self.given(ClassId::from_raw(class)).ok_or(Error::Null { call: CALL, what: "class" })
    }

    /// The class of a definition with these type arguments, if it has been seen to be loaded. Never loads
    /// anything; may be called from anywhere. Classes are seen as long as the event mask contains
    /// [`EventMask::CLASS_LOADS`](crate::EventMask::CLASS_LOADS).
    #[must_use]
    pub fn known_class(&self, module: ModuleId, type_def: TypeDef, type_args: &[ClassId]) -> Option<ClassId> {
        self.loaded().class(module, type_def, type_args)
    }

    /// Whether this is the id of a class that has been seen to be loaded, and not to go away. For numbers of which it is not known whether they are ids at all; may be called
    /// from anywhere.
    #[must_use]
    pub fn is_known_class(&self, class: ClassId) -> bool {
        self.loaded().has_class(class)
    }

    /// Notes a class that has been loaded.
    pub(crate) fn seen_class(&self, class: ClassId) {
        self.loaded().class_seen(class);
        self.class_owners_seen(class);
        // Arrays and what else has no definition are not looked for by token.
        if let Ok(info) = self.class_info(class) {
            self.loaded().class_loaded(class, &info);
            if let Some(parent) = info.parent.and_then(|parent| self.class_info(parent).ok()) {
                self.loaded().bind(info.module, parent.module);
            }
        }
    }
}
