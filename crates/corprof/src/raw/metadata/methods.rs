//! The table macro: a COM method that passes words, texts, lists and blobs is one line.
//!
//! `fn rust_name(parameters) = Interface::Method(arguments);` declares a function that makes the call and returns
//! its outputs, in their order, as a tuple. With `each Type` before the equals sign, it reads a whole enumeration.
//! The arguments are those of the COM method, in its order:
//!
//! | argument | what it stands for |
//! |---|---|
//! | `name` | a token or number |
//! | `nil name` | an `Option` of a token; nil for `None` |
//! | `find name` | a text that is looked for; one with a zero is not found |
//! | `wide name`, `wide? name` | a text; an `Option` of a text, null for `None` |
//! | `bytes name` | a slice: pointer and length |
//! | `row name`, `row? name` | a token that must exist; an `Option` of one, nil for `None` |
//! | `set name`, `set_row name` | an `Option` of a number or of a token that must exist; `None` leaves it unchanged |
//! | `rows name`, `rows? name` | a list of tokens that must exist, with a nil token behind; null for `None` |
//! | `constant name` | an `Option` of a constant: its type, bytes and UTF-16 length |
//! | `identity version culture` | the structure of an assembly's version and culture |
//! | `out Type`, `new Type` | an output of 32 bits; a token that must not be nil |
//! | `literal` | an output constant: type, bytes and UTF-16 length; borrowed from `&self` |
//! | `version` | an output structure of an assembly's version |
//! | `text` | an output text: buffer, capacity and length |
//! | `blob` | an output blob: pointer and length; borrowed from `&self` |
//! | `null`, `zero` | an output that is not wanted; a reserved number |
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states.

macro_rules! methods {
    ($on:ty: $(fn $name:ident($($param:ident: $ty:ty),* $(,)?) $(each $element:ty)? = $interface:ident::$method:ident($($args:tt)*);
    )*) => {
        #[allow(clippy::too_many_arguments, reason = "the COM methods have as many")]
        impl $on {$(
            methods! { @walk
                [$name($($param: $ty),*) [$($element)?] $interface::$method]
                self buffer needed name ($($args)*) [] [] [] [] []
            }
        )*}
    };

    // One argument after the other: what comes before the call, the argument itself, the output's type and value.
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (text $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] []) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) [$($set)*]
            [$($call)* $b.as_mut_ptr(), $crate::raw::buffers::room_of($b), &raw mut $n,]
            [$($out)* String,] [$($value)* $t,] [text] }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (blob $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let (mut data, mut length) = (core::ptr::null(), 0);]
            [$($call)* &raw mut data, &raw mut length,] [$($out)* &[u8],]
            // SAFETY: the call succeeded and returned a blob of that length; it outlives the borrow of `self`, as
            // the contract of `raw::metadata` argues.
            [$($value)* unsafe { $crate::raw::abi::lent(data.cast(), length) },] $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (out $ty:ty $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) [$($set)* let mut word = 0;]
            [$($call)* &raw mut word,] [$($out)* $ty,]
            [$($value)* <$ty as $crate::raw::metadata::Out>::of(word),] $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (new $ty:ty $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) [$($set)* let mut word = 0;]
            [$($call)* &raw mut word,] [$($out)* $ty,]
            [$($value)* <Option<$ty> as $crate::raw::metadata::Out>::of(word)
                .ok_or($crate::error::Error::Null { call: CALL, what: "token" })?,] $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (literal $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let (mut element, mut data, mut units) = (0, core::ptr::null(), 0);]
            [$($call)* &raw mut element, &raw mut data, &raw mut units,]
            [$($out)* Option<clrnames::metadata::Constant<'_>>,]
            // SAFETY: the call succeeded and returned a constant of that type and length; it outlives the borrow of
            // `self`, as the contract of `raw::metadata` argues.
            [$($value)* unsafe { $crate::raw::metadata::import::borrowed_constant(element, data.cast(), units) },] $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (version $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let mut identity = $crate::raw::buffers::assembly_metadata([0; 4], &widestring::U16CString::new());]
            [$($call)* &raw mut identity,] [$($out)* [u16; 4],]
            [$($value)* $crate::raw::metadata::version_of(&identity),] $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (identity $v:ident $c:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let culture = $crate::raw::buffers::wide($c)?;
                let identity = $crate::raw::buffers::assembly_metadata($v, &culture);]
            [$($call)* &raw const identity,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (null $(, $($rest:tt)*)?)
        $set:tt [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) $set [$($call)* core::ptr::null_mut(),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (zero $(, $($rest:tt)*)?)
        $set:tt [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) $set [$($call)* 0,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (nil $p:ident $(, $($rest:tt)*)?)
        $set:tt [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) $set
            [$($call)* $p.map_or(0, $crate::raw::metadata::word),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (find $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let wide = $crate::raw::metadata::findable(CALL, $p)?;] [$($call)* wide.as_ptr(),]
            $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (wide $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let wide = $crate::raw::buffers::wide($p)?;] [$($call)* wide.as_ptr(),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (wide? $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let wide = $p.map($crate::raw::buffers::wide).transpose()?;]
            [$($call)* wide.as_ref().map_or(core::ptr::null(), |wide| wide.as_ptr()),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (bytes $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let length = $crate::raw::metadata::blob_length(CALL, $p)?;]
            [$($call)* $p.as_ptr().cast(), length,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (row $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) [$($set)* let row = $this.row(CALL, $p)?;]
            [$($call)* row,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (row? $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let row = $p.map_or(Ok(0), |row| $this.row(CALL, row))?;] [$($call)* row,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (set_row $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let row = $p.map_or(Ok($crate::raw::metadata::UNCHANGED), |row| $this.row(CALL, row))?;]
            [$($call)* row,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (set $p:ident $(, $($rest:tt)*)?)
        $set:tt [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) $set
            [$($call)* $p.unwrap_or($crate::raw::metadata::UNCHANGED),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (rows $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) [$($set)* let mut rows = $this.rows(CALL, $p)?;]
            [$($call)* rows.as_mut_ptr(),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (rows? $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let mut rows = $p.map(|rows| $this.rows(CALL, rows)).transpose()?;]
            [$($call)* rows.as_mut().map_or(core::ptr::null_mut(), |rows| rows.as_mut_ptr()),] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (constant $p:ident $(, $($rest:tt)*)?)
        [$($set:tt)*] [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?)
            [$($set)* let (kind, data, units) = $crate::raw::metadata::constant_parts(CALL, $p)?;]
            [$($call)* kind, data, units,] $out $value $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident ($p:ident $(, $($rest:tt)*)?)
        $set:tt [$($call:tt)*] $out:tt $value:tt $kind:tt) => {
        methods! { @walk $f $this $b $n $t ($($($rest)*)?) $set
            [$($call)* $crate::raw::metadata::word($p),] $out $value $kind }
    };

    (@type $one:ty,) => { $one };
    (@type $($type:ty,)*) => { ($($type),*) };

    // An enumeration.
    (@walk [$name:ident($($param:ident: $ty:ty),*) [$element:ty] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [] [] []) => {
        pub(crate) fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<Vec<$element>> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::Com::<corprof_sys::$interface>::com($this)?;
            $this.enumerate(
                $crate::raw::metadata::enumerate::Opener::manifest(this),
                |handle, buffer, count| {
                    // SAFETY: a live interface; the enumerator's handle, which this interface has opened or which is
                    // null; tokens; texts with a terminating zero; a buffer with its length; a place for the count.
                    let code = unsafe {
                        ((*(*this).lpVtbl).$method)(
                            this, handle, $($call)* buffer.as_mut_ptr(), $crate::raw::buffers::room_of(buffer), count,
                        )
                    };
                    $crate::raw::call::checked(CALL, code).map(drop)
                },
                |word| <Option<$element> as $crate::raw::metadata::Out>::of(word),
            )
        }
    };

    // A call without an output text.
    (@walk [$name:ident($($param:ident: $ty:ty),*) [] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [$($out:ty,)*] [$($value:expr,)*] []) => {
        pub(crate) fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<methods!(@type $($out,)*)> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::Com::<corprof_sys::$interface>::com($this)?;
            // SAFETY: a live interface; tokens and numbers; texts with a terminating zero, slices with their lengths
            // and lists with a nil token behind, all of which outlive the call; places for what it returns.
            let code = unsafe { ((*(*this).lpVtbl).$method)(this, $($call)*) };
            $crate::raw::call::checked(CALL, code)?;
            Ok(($($value),*))
        }
    };

    // A call with an output text.
    (@walk [$name:ident($($param:ident: $ty:ty),*) [] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [$($out:ty,)*] [$($value:expr,)*] [text]) => {
        pub(crate) fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<methods!(@type $($out,)*)> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::Com::<corprof_sys::$interface>::com($this)?;
            let $t = $crate::raw::buffers::fill_wide(CALL, |$b| {
                let mut $n = 0;
                // SAFETY: as without a text; and a buffer with its length.
                let code = unsafe { ((*(*this).lpVtbl).$method)(this, $($call)*) };
                $crate::raw::call::checked(CALL, code).map(|_| $n)
            })?;
            Ok(($($value),*))
        }
    };
}
pub(super) use methods;
