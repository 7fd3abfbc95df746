//! The first byte of a signature: calling convention and flags (II.23.2.3).

use core::fmt;

use crate::macros::open_u8;

open_u8! {
    /// The low four bits of a signature's first byte: how a method is called, or that it is no method.
    ///
    /// ```
    /// use sigparse::CallingConvention;
    ///
    /// assert_eq!(CallingConvention(5), CallingConvention::VARARG);
    /// assert_eq!(CallingConvention(5).to_string(), "VARARG");
    /// ```
    CallingConvention {
        /// The managed convention (II.15.3).
        DEFAULT = 0x0,
        /// Unmanaged `cdecl`.
        C = 0x1,
        /// Unmanaged `stdcall`.
        STDCALL = 0x2,
        /// Unmanaged `thiscall`.
        THISCALL = 0x3,
        /// Unmanaged `fastcall`.
        FASTCALL = 0x4,
        /// Managed, with a variable number of arguments.
        VARARG = 0x5,
        /// Not a method: a field signature (II.23.2.4).
        FIELD = 0x6,
        /// Not a method: a local variable signature (II.23.2.6).
        LOCAL_SIG = 0x7,
        /// Not a method: a property signature (II.23.2.5).
        PROPERTY = 0x8,
        /// Unmanaged; the convention is the platform's, or named by `modopt` on the return type.
        UNMANAGED = 0x9,
        /// Not a method: the arguments of a generic method (II.23.2.15).
        GENERICINST = 0xA,
        /// Unmanaged, with a variable number of arguments. Used by 64-bit C++/CLI only.
        NATIVEVARARG = 0xB,
    }
}

impl CallingConvention {
    /// Returns whether a signature with this convention is a method's.
    #[inline]
    pub const fn is_method(self) -> bool {
        // 0 to 5, 9 and 0xB.
        self.0 < 16 && 0b1010_0011_1111_u16 >> self.0 & 1 != 0
    }

    /// Returns whether a call may pass more arguments than the method declares, after a SENTINEL.
    ///
    /// `true` for VARARG, C and NATIVEVARARG (II.23.2.3).
    #[inline]
    pub const fn allows_sentinel(self) -> bool {
        matches!(self, Self::VARARG | Self::C | Self::NATIVEVARARG)
    }
}

/// The first byte of a signature: a [`CallingConvention`] in the low four bits and flags above it.
///
/// ```
/// use sigparse::{CallingConvention, SigHeader};
///
/// let header = SigHeader(0x30);
/// assert_eq!(header.calling_convention(), CallingConvention::DEFAULT);
/// assert!(header.has_this() && header.is_generic() && !header.explicit_this());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct SigHeader(pub u8);

impl SigHeader {
    /// The bits of the calling convention.
    pub const CALLING_CONVENTION_MASK: u8 = 0x0F;
    /// The method has generic parameters; their count follows the header.
    pub const GENERIC: u8 = 0x10;
    /// The method has a `this`, which is not among its parameters.
    pub const HASTHIS: u8 = 0x20;
    /// `this` is the first of the parameters. Only in signatures of function pointers.
    pub const EXPLICITTHIS: u8 = 0x40;

    /// The low four bits.
    #[inline]
    pub const fn calling_convention(self) -> CallingConvention {
        CallingConvention(self.0 & Self::CALLING_CONVENTION_MASK)
    }

    /// Returns whether a generic parameter count follows.
    #[inline]
    pub const fn is_generic(self) -> bool {
        self.0 & Self::GENERIC != 0
    }

    /// Returns whether the method has a `this` that is not among its parameters.
    #[inline]
    pub const fn has_this(self) -> bool {
        self.0 & Self::HASTHIS != 0
    }

    /// Returns whether `this` is the first parameter.
    #[inline]
    pub const fn explicit_this(self) -> bool {
        self.0 & Self::EXPLICITTHIS != 0
    }
}

impl fmt::Display for SigHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.calling_convention(), f)?;
        for (set, name) in [
            (self.is_generic(), "GENERIC"),
            (self.has_this(), "HASTHIS"),
            (self.explicit_this(), "EXPLICITTHIS"),
            (self.0 & 0x80 != 0, "0x80"),
        ] {
            if set {
                write!(f, "|{name}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for SigHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The kinds of signature that a first byte can announce (II.23.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SigKind {
    /// MethodDefSig, MethodRefSig or StandAloneMethodSig (II.23.2.1 to 3).
    Method,
    /// FieldSig (II.23.2.4).
    Field,
    /// PropertySig (II.23.2.5).
    Property,
    /// LocalVarSig (II.23.2.6).
    LocalVar,
    /// MethodSpec (II.23.2.15).
    MethodSpec,
}

impl SigKind {
    /// The kind that a header announces, or `None` for a convention that ECMA-335 and the CLR do not know.
    pub const fn of(header: SigHeader) -> Option<Self> {
        Some(match header.calling_convention() {
            CallingConvention::FIELD => Self::Field,
            CallingConvention::LOCAL_SIG => Self::LocalVar,
            CallingConvention::PROPERTY => Self::Property,
            CallingConvention::GENERICINST => Self::MethodSpec,
            method if method.is_method() => Self::Method,
            _ => return None,
        })
    }
}

impl fmt::Display for SigKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Method => "method signature",
            Self::Field => "field signature",
            Self::Property => "property signature",
            Self::LocalVar => "local variable signature",
            Self::MethodSpec => "method instantiation",
        })
    }
}
