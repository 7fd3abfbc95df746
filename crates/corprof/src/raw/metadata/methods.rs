//! The table macro: a COM method that passes words, texts, lists and blobs is one line.
//!
//! `fn rust_name(parameters) = Interface::Method(arguments);` declares a function that makes the call and returns
//! its outputs, in their order, as a tuple. With `each Type` before the equals sign, it reads a whole enumeration.
//! The arguments are those of the COM method, in its order. An output that is borrowed from `&self` can have another
//! lifetime, which stands behind its word:
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
//! | `units name`, `path name` | UTF-16 units with their number; a text with a terminating zero |
//! | `fields name` | fields that must exist, with their offsets, and a nil field behind |
//! | `metadata name`, `own` | the interface of other metadata, of this metadata |
//! | `guid name`, `option name`, `handler name` | a GUID; the number of an option; an `Option` of an object of our own |
//! | `buffer name` | a buffer that the method fills: pointer and length |
//! | `value constant` | a constant |
//! | `out Type`, `new Type` | an output of 32 bits; a token that must not be nil |
//! | `literal` | an output constant: type, bytes and UTF-16 length; borrowed from `&self` |
//! | `version` | an output structure of an assembly's version |
//! | `text` | an output text: buffer, capacity and length |
//! | `list Type` | an output list: buffer, capacity and length |
//! | `blob`, `counted` | an output blob: pointer and length, or length and pointer; borrowed from `&self` |
//! | `utf8`, `tokens` | an output text that ends with a zero, if there is one; a list of tokens; borrowed from `&self` |
//! | `sized name` | an output pointer to as many bytes as the parameter says; borrowed from `&self` |
//! | `guid`, `guid_of_heap`, `option` | an output GUID; a GUID in a heap, if there is one; the value of an option |
//! | `made Pointer` | an output interface, named by its IID |
//! | `found` | no argument: whether the method returned `S_OK` and not another success code |
//! | `null`, `zero` | an output that is not wanted; a reserved number |
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states. What a line of the table says of its method
//! is argued in `table`.
#![allow(unsafe_code)]

use clrnames::metadata::Constant;
use sigparse::ElementType;

use crate::raw::abi::borrowed;

macro_rules! methods {
    ($vis:vis [$($lifetime:lifetime)?] $on:ty: $(fn $name:ident($($param:ident: $ty:ty),* $(,)?) $(each $element:ty)? = $interface:ident::$method:ident($($args:tt)*);
    )*) => {
        #[allow(clippy::too_many_arguments, reason = "the COM methods have as many")]
        impl<$($lifetime)?> $on {$(
            methods! { @walk
                [$vis $name($($param: $ty),*) [$($element)?] $interface::$method]
                self buffer needed name ($($args)*) [] [] [] [] []
            }
        )*}
    };

    // One argument after the other: what comes before the call, the argument itself, the output's type and its value.
    (@push $f:tt $this:ident $b:ident $n:ident $t:ident $rest:tt [$($set:tt)*] [$($call:tt)*] [$($out:tt)*] [$($value:tt)*] $kind:tt
        {$($more_set:tt)*} {$($more_call:tt)*} {$($more_out:tt)*} {$($more_value:tt)*}) => {
        methods! { @walk $f $this $b $n $t $rest [$($set)* $($more_set)*] [$($call)* $($more_call)*]
            [$($out)* $($more_out)*] [$($value)* $($more_value)*] $kind }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (text $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt []) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value [text]
            {} {$b.as_mut_ptr(), $crate::raw::buffers::room_of($b), &raw mut $n,} {String,} {$t,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (list $ty:ty $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt []) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value [list $ty]
            {} {$crate::raw::abi::Pass::pass(&mut $b), $crate::raw::buffers::room_of($b), &raw mut $n,} {Vec<$ty>,} {$t.to_vec(),} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (blob $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (mut data, mut length) = (core::ptr::null(), 0);} {&raw mut data, &raw mut length,} {&[u8],} {
            // SAFETY: the call succeeded and returned a blob of that length; it outlives the borrow of `self`, as the contract of
            // `raw::metadata` argues, or the lifetime in which nobody edits the metadata.
            unsafe { $crate::raw::abi::borrowed(data.cast(), length) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (blob $l:lifetime $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (mut data, mut length) = (core::ptr::null(), 0);} {&raw mut data, &raw mut length,} {&$l [u8],} {
            // SAFETY: as for `blob`.
            unsafe { $crate::raw::abi::borrowed(data.cast(), length) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (counted $l:lifetime $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (mut data, mut length) = (core::ptr::null(), 0);} {&raw mut length, &raw mut data,} {&$l [u8],} {
            // SAFETY: as for `blob`.
            unsafe { $crate::raw::abi::borrowed(data.cast(), length) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (sized $p:ident $l:lifetime $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut data = core::ptr::null_mut();} {&raw mut data,} {&$l [u8],} {
            // SAFETY: as for `blob`; so many bytes, says the line.
            unsafe { $crate::raw::abi::borrowed(data.cast_const().cast(), $p) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (literal $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (mut element, mut data, mut units) = (0, core::ptr::null(), 0);} {&raw mut element, &raw mut data, &raw mut units,} {Option<clrnames::metadata::Constant<'_>>,} {
            // SAFETY: as for `blob`: a constant of that type and length.
            unsafe { $crate::raw::metadata::methods::borrowed_constant(element, data.cast(), units) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (utf8 $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut text = core::ptr::null();} {&raw mut text,} {Option<&str>,} {
            // SAFETY: as for `blob`: a text that ends with a zero, or null.
            unsafe { $crate::raw::metadata::table::borrowed_text(text) }?,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (utf8 $l:lifetime $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut text = core::ptr::null();} {&raw mut text,} {Option<&$l str>,} {
            // SAFETY: as for `blob`: a text that ends with a zero, or null.
            unsafe { $crate::raw::metadata::table::borrowed_text(text) }?,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (tokens $l:lifetime $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (mut count, mut tokens) = (0, core::ptr::null_mut());} {&raw mut count, &raw mut tokens,} {&$l [u32],} {
            // SAFETY: the call succeeded and returned a constant list of that length, or null.
            unsafe { $crate::raw::metadata::table::borrowed_tokens(tokens, count) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (guid_of_heap $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut guid = core::ptr::null();} {&raw mut guid,} {Option<corprof_types::Guid>,} {
            // SAFETY: the call succeeded and returned a GUID of the heap, or null.
            unsafe { $crate::raw::metadata::table::guid_at(guid) },} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (guid $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut guid = *corprof_types::Guid::NIL.as_sys();} {&raw mut guid,} {corprof_types::Guid,} {corprof_types::Guid::from_sys(guid),} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (made $ty:ty $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (iid, mut made) = ($crate::raw::interface::iid_of::<$ty>(), core::ptr::null_mut());} {&raw const iid, &raw mut made,} {$ty,} {
            // SAFETY: the call succeeded and returned the interface that was named, with a reference, or null.
            unsafe { $crate::raw::interface::from_raw::<$ty>(made.cast()) }
                .ok_or($crate::error::Error::Null { call: CALL, what: "metadata" })?,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (option $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut option = $crate::raw::metadata::dispenser::Variant::number(0);} {(&raw mut option).cast(),} {$crate::raw::metadata::dispenser::Variant,} {option,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (out $ty:ty $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut word = 0;} {&raw mut word,} {$ty,} {<$ty as $crate::raw::metadata::Out>::of(word),} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (new $ty:ty $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut word = 0;} {&raw mut word,} {$ty,} {<Option<$ty> as $crate::raw::metadata::Out>::of(word)
                .ok_or($crate::error::Error::Null { call: CALL, what: "token" })?,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (version $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut identity = $crate::raw::buffers::assembly_metadata([0; 4], &widestring::U16CString::new());} {&raw mut identity,} {[u16; 4],} {$crate::raw::metadata::version_of(&identity),} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (found $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {} {bool,} {$n == corprof_types::HResult::S_OK,} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (identity $v:ident $c:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let culture = $crate::raw::buffers::wide($c)?; let identity = $crate::raw::buffers::assembly_metadata($v, &culture);} {&raw const identity,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (null $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {core::ptr::null_mut(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (zero $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {0,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (value $e:expr $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$e,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (nil $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$p.map_or(0, $crate::raw::metadata::word),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (find $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let wide = $crate::raw::metadata::findable(CALL, $p)?;} {wide.as_ptr(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (wide $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let wide = $crate::raw::buffers::wide($p)?;} {wide.as_ptr(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (wide? $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let wide = $p.map($crate::raw::buffers::wide).transpose()?;} {wide.as_ref().map_or(core::ptr::null(), |wide| wide.as_ptr()),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (path $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$p.as_ptr(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (units $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let length = $crate::raw::metadata::units_length(CALL, $p)?;} {$p.as_ptr(), length,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (bytes $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let length = $crate::raw::metadata::blob_length(CALL, $p)?;} {$p.as_ptr().cast(), length,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (buffer $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$p.as_mut_ptr().cast(), $crate::raw::buffers::room_of($p),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (row $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let row = $this.row(CALL, $p)?;} {row,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (row? $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let row = $p.map_or(Ok(0), |row| $this.row(CALL, row))?;} {row,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (set_row $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let row = $p.map_or(Ok($crate::raw::metadata::UNCHANGED), |row| $this.row(CALL, row))?;} {row,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (set $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$p.unwrap_or($crate::raw::metadata::UNCHANGED),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (rows $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut rows = $this.rows(CALL, $p)?;} {rows.as_mut_ptr(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (rows? $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut rows = $p.map(|rows| $this.rows(CALL, rows)).transpose()?;} {rows.as_mut().map_or(core::ptr::null_mut(), |rows| rows.as_mut_ptr()),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (fields $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let mut fields = $this.field_offsets(CALL, $p)?;} {fields.as_mut_ptr(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (constant $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let (kind, data, units) = $crate::raw::metadata::constant_parts(CALL, $p)?;} {kind, data, units,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (metadata $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let object = $crate::raw::metadata::table::Com::com($p)?;} {object,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (own $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let object = $crate::raw::metadata::table::Com::com($this)?;} {object,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (guid $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {&raw const *$p,} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (option $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {let option = $crate::raw::metadata::dispenser::Variant::number($p);} {(&raw const option).cast(),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident (handler $p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$p.map_or(core::ptr::null_mut(), $crate::raw::interface::Owned::as_unknown),} {} {} }
    };
    (@walk $f:tt $this:ident $b:ident $n:ident $t:ident ($p:ident $(, $($rest:tt)*)?) $set:tt $call:tt $out:tt $value:tt $kind:tt) => {
        methods! { @push $f $this $b $n $t ($($($rest)*)?) $set $call $out $value $kind
            {} {$crate::raw::metadata::word($p),} {} {} }
    };

    (@type $one:ty,) => { $one };
    (@type $($type:ty,)*) => { ($($type),*) };

    // An enumeration.
    (@walk [$vis:vis $name:ident($($param:ident: $ty:ty),*) [$element:ty] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [] [] []) => {
        $vis fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<Vec<$element>> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::com($this)?;
            let _begun = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::begin($this, CALL)?;
            $this.enumerate(
                <corprof_sys::$interface as $crate::raw::metadata::enumerate::Opener>::IS_OF_MANIFEST,
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
    (@walk [$vis:vis $name:ident($($param:ident: $ty:ty),*) [] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [$($out:ty,)*] [$($value:expr,)*] []) => {
        $vis fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<methods!(@type $($out,)*)> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::com($this)?;
            let _begun = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::begin($this, CALL)?;
            // SAFETY: a live interface; tokens and numbers; texts with a terminating zero, slices with their lengths
            // and lists that end with a nil token, which all outlive the call; buffers for the results.
            let code = unsafe { ((*(*this).lpVtbl).$method)(this, $($call)*) };
            let $n = $crate::raw::call::checked(CALL, code)?;
            let _ = $n;
            Ok(($($value),*))
        }
    };

    // A call with an output list.
    (@walk [$vis:vis $name:ident($($param:ident: $ty:ty),*) [] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [$($out:ty,)*] [$($value:expr,)*] [list $element:ty]) => {
        $vis fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<methods!(@type $($out,)*)> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::com($this)?;
            let _begun = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::begin($this, CALL)?;
            let $t = $crate::raw::buffers::fill(CALL, |mut $b: &mut [$element]| {
                let mut $n = 0;
                // SAFETY: as without a list; and a buffer with its length.
                let code = unsafe { ((*(*this).lpVtbl).$method)(this, $($call)*) };
                $crate::raw::call::checked(CALL, code).map(|_| $n)
            })?;
            Ok(($($value),*))
        }
    };

    // A call with an output text.
    (@walk [$vis:vis $name:ident($($param:ident: $ty:ty),*) [] $interface:ident::$method:ident]
        $this:ident $b:ident $n:ident $t:ident () [$($set:tt)*] [$($call:tt)*] [$($out:ty,)*] [$($value:expr,)*] [text]) => {
        $vis fn $name(&$this, $($param: $ty),*) -> $crate::error::Result<methods!(@type $($out,)*)> {
            const CALL: &str = concat!(stringify!($interface), "::", stringify!($method));
            $($set)*
            let this = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::com($this)?;
            let _begun = $crate::raw::metadata::table::Com::<corprof_sys::$interface>::begin($this, CALL)?;
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

/// A constant that the metadata has returned; `None` when there is none, or one that is shorter than its type.
///
/// The metadata reports the length of strings only. For the others the length prefix is looked at, which stands before
/// the blob: a malformed file may have too few bytes there.
///
/// # Safety
/// `value` is null, or points to the bytes of a blob in a heap, behind its length; of a string `units` UTF-16 units.
/// The heap outlives `'m`.
pub(super) unsafe fn borrowed_constant<'m>(
    element_type: u32,
    value: *const u8,
    units: u32,
) -> Option<Constant<'m>> {
    let [element_type, ..] = element_type.to_le_bytes();
    let element_type = ElementType(element_type);
    if element_type.0 == 0 {
        return None;
    }
    let length = match Constant::size(element_type) {
        None => units.saturating_mul(2),
        Some(_) if value.is_null() => return None,
        Some(0) => 0,
        Some(size) => {
            // SAFETY: the blob has a length before it, of one byte if it is as short as a number. In a longer blob
            // this is some byte of the length, and the blob is longer than a number in any case.
            let prefix = unsafe { value.sub(1).read() };
            if u32::from(prefix) < size {
                return None;
            }
            size
        }
    };
    // SAFETY: as many bytes are there, according to the prefix or the caller.
    Some(Constant { element_type, bytes: unsafe { borrowed(value, length) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_are_shorter_than_their_type_are_none() {
        let heap = [0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 9, 9];
        let at = |index: usize| heap[index..].as_ptr();
        // SAFETY: blobs behind their lengths: one of eight bytes, and one of two.
        let (whole, short, string) = unsafe {
            (
                borrowed_constant(ElementType::I8.0.into(), at(2), 0),
                borrowed_constant(ElementType::I8.0.into(), at(11), 0),
                borrowed_constant(ElementType::STRING.0.into(), at(11), 1),
            )
        };
        assert_eq!(whole.map(|constant| constant.bytes), Some(&heap[2..10]));
        assert_eq!(short, None);
        assert_eq!(string.map(|constant| constant.bytes), Some(&[9, 9][..]));
    }
}
