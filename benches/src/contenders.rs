//! The candidates, each over all signatures.
//!
//! Every function returns a number that depends on everything that was decoded, so that the compiler can omit nothing, or `None` for
//! signatures that it cannot read.

use std::hint::black_box;

use sigparse::{
    ArrayShape, ElementType, MethodSig, MethodSigBuf, Modifier, Type, TypeDefOrRef, TypeSig, Visitor, walk,
};

use crate::Corpus;

/// A decoder of signatures.
pub struct Contender {
    /// The name.
    pub name: &'static str,
    /// The result of decoding a signature.
    pub makes: &'static str,
    /// Decodes all signatures, and returns a number and the count of failures.
    pub run: fn(&Corpus) -> (u64, usize),
}

/// All candidates, the decoder in C first: it is the reference.
pub const CONTENDERS: &[Contender] = &[
    Contender { name: "C walker, recursive", makes: "count", run: c_walker },
    Contender { name: "sigparse walk", makes: "count, by a visitor", run: walker },
    Contender { name: "sigparse views", makes: "every type of a parameter, opened", run: outer_views },
    Contender { name: "sigparse views, deep", makes: "every type, opened to its leaves", run: views },
    Contender { name: "sigparse validate", makes: "checked view", run: validated },
    Contender { name: "sigparse owned", makes: "owned bytes, checked", run: owned },
    Contender { name: "sigparse owned + views", makes: "the same, and every type opened", run: owned_views },
    #[cfg(feature = "clrmeta")]
    Contender { name: "clrmeta 0.1.0", makes: "tree", run: peers::clrmeta },
    #[cfg(feature = "dotnetdll")]
    Contender { name: "dotnetdll 0.4.0", makes: "tree", run: peers::dotnetdll },
    #[cfg(feature = "dotscope")]
    Contender { name: "dotscope 0.9.1", makes: "tree", run: peers::dotscope },
    Contender { name: "touch every byte", makes: "sum", run: touch },
];

/// The candidates that this build does not include.
pub const MISSING: &[&str] = &[
    #[cfg(not(feature = "clrmeta"))]
    "clrmeta",
    #[cfg(not(feature = "dotnetdll"))]
    "dotnetdll",
    #[cfg(not(feature = "dotscope"))]
    "dotscope",
];

unsafe extern "C" {
    fn c_walk_methods(data: *const u8, ends: *const u32, count: usize) -> u64;
}

fn c_walker(corpus: &Corpus) -> (u64, usize) {
    let (data, ends) = corpus.parts();
    // SAFETY: the function reads `data` up to the last of the `ends`, which are in order and do not exceed it.
    match unsafe { c_walk_methods(data.as_ptr(), ends.as_ptr(), ends.len()) } {
        u64::MAX => (0, ends.len()),
        types => (types, 0),
    }
}

/// Adds up the results of a decoder for all signatures.
#[inline(always)]
fn each<T>(
    corpus: &Corpus,
    mut decode: impl FnMut(&[u8]) -> Option<T>,
    number: impl Fn(T) -> u64,
) -> (u64, usize) {
    let (mut sum, mut failed) = (0, 0);
    for &blob in corpus.blobs() {
        match decode(blob) {
            Some(decoded) => sum += number(decoded),
            None => failed += 1,
        }
    }
    (sum, failed)
}

/// Counts types as the decoder in C does: a prefix and a modifier are one each.
#[derive(Default)]
struct Count(u64);

impl<'a> Visitor<'a> for Count {
    #[inline]
    fn leaf(&mut self, _: ElementType) {
        self.0 += 1;
    }
    #[inline]
    fn class(&mut self, _: TypeDefOrRef) {
        self.0 += 1;
    }
    #[inline]
    fn value_type(&mut self, _: TypeDefOrRef) {
        self.0 += 1;
    }
    #[inline]
    fn var(&mut self, _: u32) {
        self.0 += 1;
    }
    #[inline]
    fn mvar(&mut self, _: u32) {
        self.0 += 1;
    }
    #[inline]
    fn modifier(&mut self, _: Modifier) {
        self.0 += 1;
    }
    #[inline]
    fn ptr(&mut self) {
        self.0 += 1;
    }
    #[inline]
    fn by_ref(&mut self) {
        self.0 += 1;
    }
    #[inline]
    fn sz_array(&mut self) {
        self.0 += 1;
    }
    #[inline]
    fn pinned(&mut self) {
        self.0 += 1;
    }
    #[inline]
    fn end_array(&mut self, _: ArrayShape<'a>) {
        self.0 += 1;
    }
    // The definition of a generic type has counted itself; in C, GENERICINST does.
    #[inline]
    fn fn_ptr(&mut self) {
        self.0 += 1;
    }
}

fn walker(corpus: &Corpus) -> (u64, usize) {
    let mut count = Count::default();
    let (_, failed) = each(corpus, |blob| walk::method(blob, &mut count).ok(), |_| 0);
    (count.0, failed)
}

/// Opens a type and all nested ones, reads all their data, and counts as the decoder in C does.
fn open(sig: TypeSig<'_>, carried: &mut u64) -> u64 {
    let types = 1 + sig.modifiers().count() as u64;
    types
        + match sig.ty() {
            Type::Class(ty) | Type::ValueType(ty) => {
                *carried += u64::from(ty.token());
                0
            }
            Type::Var(number) | Type::MVar(number) => {
                *carried += u64::from(number);
                0
            }
            Type::Ptr(target) | Type::ByRef(target) | Type::SzArray(target) | Type::Pinned(target) => {
                open(target, carried)
            }
            Type::Array(array) => open(array.element(), carried),
            Type::GenericInst(inst) => {
                *carried += inst.type_def_or_ref().map_or(0, |ty| u64::from(ty.token()));
                inst.args().map(|arg| open(arg, carried)).sum()
            }
            Type::FnPtr(sig) => open_method(sig, carried).unwrap_or_default(),
            leaf => {
                *carried += u64::from(leaf.element_type().0);
                0
            }
        }
}

fn open_method(sig: MethodSig<'_>, carried: &mut u64) -> Option<u64> {
    let mut types = open(sig.return_type(), carried);
    for param in sig.params() {
        types += open(param.ok()?.sig(), carried);
    }
    Some(types)
}

fn views(corpus: &Corpus) -> (u64, usize) {
    let mut carried = 0;
    let found = each(corpus, |blob| open_method(MethodSig::parse(blob).ok()?, &mut carried), |types| types);
    black_box(carried);
    found
}

/// The outermost level of a type.
#[inline(always)]
fn outermost(ty: Type<'_>) -> u64 {
    match ty {
        Type::Class(ty) | Type::ValueType(ty) => u64::from(ty.token()),
        Type::Var(number) | Type::MVar(number) => u64::from(number),
        Type::Ptr(target) | Type::ByRef(target) | Type::SzArray(target) | Type::Pinned(target) => {
            target.bytes().len() as u64
        }
        Type::Array(array) => u64::from(array.rank()),
        Type::GenericInst(inst) => inst.args().len() as u64,
        other => u64::from(other.element_type().0),
    }
}

fn outer_views(corpus: &Corpus) -> (u64, usize) {
    let decode = |blob: &[u8]| {
        let sig = MethodSig::parse(blob).ok()?;
        let mut sum = outermost(sig.return_type().ty());
        for param in sig.params() {
            sum += outermost(param.ok()?.ty());
        }
        Some(sum)
    };
    each(corpus, decode, |sum| sum)
}

fn validated(corpus: &Corpus) -> (u64, usize) {
    let valid = |blob: &[u8]| {
        let sig = MethodSig::parse(blob).ok()?;
        sig.validate().ok()?;
        Some(sig.param_count())
    };
    each(corpus, valid, u64::from)
}

fn owned(corpus: &Corpus) -> (u64, usize) {
    each(corpus, |blob| MethodSigBuf::from_bytes(blob).ok(), |sig| black_box(sig).as_bytes().len() as u64)
}

fn owned_views(corpus: &Corpus) -> (u64, usize) {
    let mut carried = 0;
    let decode = |blob: &[u8]| open_method(MethodSigBuf::from_bytes(blob).ok()?.as_sig(), &mut carried);
    let found = each(corpus, decode, |types| types);
    black_box(carried);
    found
}

fn touch(corpus: &Corpus) -> (u64, usize) {
    // Byte by byte, as a decoder reads.
    let sum = |blob: &[u8]| Some(blob.iter().fold(0, |sum, &byte| black_box(sum + u64::from(byte))));
    each(corpus, sum, |sum| sum)
}

#[cfg(any(feature = "clrmeta", feature = "dotnetdll", feature = "dotscope"))]
mod peers {
    use super::{Corpus, black_box, each};

    #[cfg(feature = "clrmeta")]
    pub(super) fn clrmeta(corpus: &Corpus) -> (u64, usize) {
        let parse = |blob: &[u8]| clrmeta::MethodSig::parse_blob(blob).ok();
        each(corpus, parse, |sig| black_box(sig).params.len() as u64)
    }

    #[cfg(feature = "dotnetdll")]
    pub(super) fn dotnetdll(corpus: &Corpus) -> (u64, usize) {
        use dotnetdll::binary::signature::kinds::MethodDefSig;
        use scroll::Pread as _;
        each(corpus, |blob| blob.pread::<MethodDefSig>(0).ok(), |sig| black_box(sig).params.len() as u64)
    }

    #[cfg(feature = "dotscope")]
    pub(super) fn dotscope(corpus: &Corpus) -> (u64, usize) {
        let parse = |blob: &[u8]| dotscope::metadata::signatures::parse_method_signature(blob).ok();
        each(corpus, parse, |sig| black_box(sig).params.len() as u64)
    }
}
