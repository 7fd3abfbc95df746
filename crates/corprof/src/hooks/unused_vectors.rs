//! Which vector registers a method does not use, so that its hooks need not save them.

use clrnames::metadata::{Metadata as _, returns_task};
use sigparse::{MethodSig, Type};

use crate::error::Result;
use crate::limits::{NEWEST_MEASURED, OLDEST_MEASURED};
use crate::runtime::{ProfilerInfo, has_second_functions};
use corprof_types::FunctionId;

/// The hooks of a method that find no value in vector registers. Kept in the lowest bits of a client id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnusedVectors(u8);

impl UnusedVectors {
    /// There may be one on enter and on leave.
    pub(super) const NONE: Self = Self(0);
    /// Enter: no argument is in one.
    pub(super) const ON_ENTER: Self = Self(1);
    /// Leave: the result is in none.
    pub(super) const ON_LEAVE: Self = Self(2);
    /// All the bits.
    pub(super) const MASK: Self = Self(3);

    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    /// Those of a function, by its signature. A type that may be a structure or a floating-point number counts as one,
    /// and so does a signature that cannot be read. On a runtime whose use of registers was not measured every register is kept.
    pub(super) fn of(info: &ProfilerInfo, function: FunctionId) -> Self {
        match info.major_version() {
            Some(major) if Self::are_measured_on(major) => {
                Self::read(info, function, major).unwrap_or(Self::NONE)
            }
            _ => Self::NONE,
        }
    }

    fn read(info: &ProfilerInfo, function: FunctionId, major: u16) -> Result<Self> {
        let (metadata, method) = info.function_rows(function)?;
        let signature = metadata.method(method)?.signature;
        let unused =
            MethodSig::parse(signature).map_or(Self::NONE, |signature| Self::by_signature(&signature));
        // The runtime compiles a second function of such a method, which returns the task's result.
        let may_return_result = has_second_functions(major) && returns_task(&*metadata, signature)?;
        Ok(if may_return_result { unused.without(Self::ON_LEAVE) } else { unused })
    }

    /// Returns whether the registers of compiled code were measured on a runtime with this major version.
    pub(super) fn are_measured_on(major: u16) -> bool {
        (OLDEST_MEASURED..=NEWEST_MEASURED).contains(&major)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn by_signature(signature: &MethodSig<'_>) -> Self {
        let on_enter = signature.params().all(|parameter| parameter.is_ok_and(|it| is_integer(&it.ty())));
        let on_leave = is_integer(&signature.return_type().ty());
        Self(if on_enter { Self::ON_ENTER.0 } else { 0 } | if on_leave { Self::ON_LEAVE.0 } else { 0 })
    }
}

/// Whether values of a type are never in vector registers, in any convention: integers and pointers.
fn is_integer(ty: &Type<'_>) -> bool {
    match ty {
        Type::Void
        | Type::Boolean
        | Type::Char
        | Type::I1
        | Type::U1
        | Type::I2
        | Type::U2
        | Type::I4
        | Type::U4
        | Type::I8
        | Type::U8
        | Type::I
        | Type::U
        | Type::String
        | Type::Object
        | Type::Class(_)
        | Type::Ptr(_)
        | Type::ByRef(_)
        | Type::SzArray(_)
        | Type::Array(_)
        | Type::FnPtr(_) => true,
        Type::GenericInst(instance) => !instance.is_value_type(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(signature: &[u8]) -> UnusedVectors {
        UnusedVectors::by_signature(&MethodSig::parse(signature).unwrap())
    }

    #[test]
    fn integers_and_references_leave_vector_registers_alone() {
        // static int M(int, string), and void M(ref double) of an object.
        assert_eq!(unused(&[0x00, 2, 0x08, 0x08, 0x0E]), UnusedVectors(3));
        assert_eq!(unused(&[0x20, 1, 0x01, 0x10, 0x0D]), UnusedVectors(3));
        // static List<double> M(double[])
        assert_eq!(unused(&[0x00, 1, 0x15, 0x12, 0x09, 1, 0x0D, 0x1D, 0x0D]), UnusedVectors(3));
    }

    #[test]
    fn what_may_be_in_a_vector_register_is_kept() {
        // static double M(int), static int M(float), static Struct M(int), static T M<T>(T).
        assert_eq!(unused(&[0x00, 1, 0x0D, 0x08]), UnusedVectors::ON_ENTER);
        assert_eq!(unused(&[0x00, 1, 0x08, 0x0C]), UnusedVectors::ON_LEAVE);
        assert_eq!(unused(&[0x00, 1, 0x11, 0x08, 0x08]), UnusedVectors::ON_ENTER);
        assert_eq!(unused(&[0x10, 1, 1, 0x1E, 0, 0x1E, 0]), UnusedVectors::NONE);
        // static Span<int> M(int, ValueTuple<int>)
        assert_eq!(
            unused(&[0x00, 2, 0x15, 0x11, 0x09, 1, 0x08, 0x08, 0x15, 0x11, 0x0D, 1, 0x08]),
            UnusedVectors::NONE
        );
    }
}
