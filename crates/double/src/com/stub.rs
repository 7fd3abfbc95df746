//! Methods that are not implemented: they return `E_NOTIMPL`, and their names are collected.
#![allow(unsafe_code)]

use corprof_sys as sys;

/// A method's name, as a type.
pub(super) trait Named {
    const NAME: &'static str;
}

/// The type of a method's function pointer, with a function of that type that ignores its arguments.
pub(super) trait Unscripted<N: Named> {
    const FUNCTION: Self;
}

/// Implements it for methods with these arguments.
macro_rules! unscripted {
    ($($($arg:ident)*;)*) => {$(
        impl<N: Named, I, $($arg),*> Unscripted<N> for unsafe extern "system" fn(*mut I, $($arg),*) -> sys::HRESULT {
            const FUNCTION: Self = {
                unsafe extern "system" fn function<N: Named, I, $($arg),*>(
                    this: *mut I,
                    $(_: $arg),*
                ) -> sys::HRESULT {
                    // SAFETY: as the contract of the folder has it.
                    unsafe { super::unscripted(this.cast(), N::NAME) }
                }
                function::<N, I, $($arg),*>
            };
        }
    )*};
}

unscripted! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H J;
    A B C D E F G H J K;
    A B C D E F G H J K L;
    A B C D E F G H J K L M;
    A B C D E F G H J K L M O;
    A B C D E F G H J K L M O P;
    A B C D E F G H J K L M O P Q;
    A B C D E F G H J K L M O P Q R;
}
