//! All arguments of a call at once.

use super::{ArgumentRange, MethodPlan};
use crate::{
    decode::Decoder,
    memory::{LOWEST_ADDRESS, Memory},
    runtime::Runtime,
    shape::Primitive,
    visitor::Visitor,
};

impl MethodPlan {
    /// Reads all arguments of a call, in the order of the signature, `this` first, and tells the visitor: one value for
    /// each, whatever happens.
    ///
    /// What [`arguments`](Self::arguments) give one by one, for a visitor that needs nothing between them, such as a
    /// [`RecordWriter`](crate::RecordWriter).
    ///
    /// The ranges may come in any form: a slice, or what a hook's frame gives, which need not be kept first.
    #[inline]
    pub fn decode<I, M, R, V>(&self, ranges: I, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        I: IntoIterator<Item: Into<ArgumentRange>, IntoIter: ExactSizeIterator + Clone>,
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        let ranges = ranges.into_iter();
        let told = self.numbers(ranges.clone(), decoder.memory(), visitor);
        if told < self.steps.len() {
            self.others(told, ranges, decoder, visitor);
        }
    }

    /// The same with a decoder that is made when an argument needs it. A call that passes nothing but numbers
    /// does without, and making one takes as long as reading some of those.
    ///
    /// `memory` is the decoder's.
    ///
    /// ```
    /// # use argvalues::{ArgumentRange, ArrayInfo, ModuleId, ObjectRef, Runtime, RuntimeError, StringLayout, ValueTypeQuery};
    /// # use argvalues::{Declaring, GenericContext, PlanContext};
    /// # struct Nothing;
    /// # impl Runtime for Nothing {
    /// #     fn string_layout(&self) -> StringLayout { StringLayout { length: 8, chars: 12 } }
    /// #     fn object_type(&self, _: ObjectRef) -> Result<std::sync::Arc<argvalues::TypeShape>, RuntimeError> { Err(RuntimeError::new("none")) }
    /// #     fn array(&self, _: ObjectRef, _: usize) -> Result<ArrayInfo, RuntimeError> { Err(RuntimeError::new("none")) }
    /// #     fn full_name(&self, _: ModuleId, _: sigparse::TypeDefOrRef) -> Result<std::borrow::Cow<'_, str>, RuntimeError> { Err(RuntimeError::new("none")) }
    /// #     fn value_type(&self, _: &ValueTypeQuery<'_>) -> Result<std::sync::Arc<argvalues::TypeShape>, RuntimeError> { Err(RuntimeError::new("none")) }
    /// # }
    /// # let runtime = Nothing;
    /// use argvalues::{Decoder, Limits, MethodPlan, RecordNames, RecordWriter, Scratch, SliceMemory};
    ///
    /// // static void M(int, byte)
    /// let sig = sigparse::MethodSig::parse(&[0x00, 2, 0x01, 0x08, 0x05])?;
    /// let generics = GenericContext::new(ModuleId(1));
    /// let context = PlanContext { generics: &generics, declaring: &Declaring::Reference, modes: &[] };
    /// let plan = MethodPlan::compile(&runtime, &sig, context)?;
    ///
    /// let mut memory = SliceMemory::new();
    /// memory.insert(0x7000_0000, vec![0xFD, 0xFF, 0xFF, 0xFF, 7]);
    /// let ranges = [ArgumentRange::new(0x7000_0000, 4), ArgumentRange::new(0x7000_0004, 1)];
    ///
    /// let (mut scratch, mut names, mut bytes) = (Scratch::new(), RecordNames::new(), Vec::new());
    /// plan.decode_with(
    ///     &ranges,
    ///     &memory,
    ///     || Decoder::new(&memory, &runtime, Limits::DEFAULT, &mut scratch),
    ///     &mut RecordWriter::new(&mut bytes, &mut names),
    /// );
    /// assert_eq!(bytes, [0x14, 0xFD, 0xFF, 0xFF, 0xFF, 0x21, 7]);
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    #[inline]
    pub fn decode_with<'d, I, M, R, V>(
        &self,
        ranges: I,
        memory: &M,
        decoder: impl FnOnce() -> Decoder<'d, M, R>,
        visitor: &mut V,
    ) where
        I: IntoIterator<Item: Into<ArgumentRange>, IntoIter: ExactSizeIterator + Clone>,
        M: Memory + ?Sized + 'd,
        R: Runtime + ?Sized + 'd,
        V: Visitor + ?Sized,
    {
        let ranges = ranges.into_iter();
        let told = self.numbers(ranges.clone(), memory, visitor);
        if told < self.steps.len() {
            self.others(told, ranges, &mut decoder(), visitor);
        }
    }

    /// Reads the numbers that the arguments begin with, up to one that needs more, and returns how many those are.
    #[inline(always)]
    fn numbers<M, V>(
        &self,
        ranges: impl ExactSizeIterator<Item: Into<ArgumentRange>>,
        memory: &M,
        visitor: &mut V,
    ) -> usize
    where
        M: Memory + ?Sized,
        V: Visitor + ?Sized,
    {
        if ranges.len() != self.primitives.len() || memory.reads_ahead() {
            return 0;
        }
        let mut told = 0;
        for (primitive, range) in self.primitives.iter().zip(ranges) {
            if !tell_range(*primitive, memory, range.into(), visitor) {
                break;
            }
            told += 1;
        }
        told
    }

    /// All arguments but the first ones, which have been told.
    #[inline]
    fn others<M, R, V>(
        &self,
        told: usize,
        ranges: impl ExactSizeIterator<Item: Into<ArgumentRange>>,
        decoder: &mut Decoder<'_, M, R>,
        visitor: &mut V,
    ) where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        if ranges.len() != self.steps.len() || decoder.memory().reads_ahead() {
            // Several arguments in one range, which the runtime never does. Or a memory that is read ahead: a hook's frame
            // puts structs together when their range is asked for, so all have to be asked for before anything is read.
            let ranges: Vec<_> = ranges.map(Into::into).collect();
            return self.arguments(&ranges).for_each(|argument| argument.decode(decoder, visitor));
        }
        // A range each, as the runtime always gives them: there is nothing to work out.
        for (index, (step, range)) in self.steps.iter().zip(ranges).enumerate() {
            let range = range.into();
            match step.size {
                _ if index < told => {}
                Some(size) if size != range.length => step.wrong_length(range).decode(decoder, visitor),
                _ => step.decode(range.address, decoder, visitor),
            }
        }
    }
}

/// Tells a visitor the number in a range that the runtime vouches for. `false`, and nothing told, if it is no number, or
/// the range is not as long as one, or cannot be read.
#[inline(always)]
fn tell_range<M, V>(primitive: Option<Primitive>, memory: &M, range: ArgumentRange, visitor: &mut V) -> bool
where
    M: Memory + ?Sized,
    V: Visitor + ?Sized,
{
    macro_rules! read {
        ($number:ty) => {{
            let mut bytes = [0; size_of::<$number>()];
            if range.length != bytes.len()
                || range.address < LOWEST_ADDRESS
                || memory.read(range.address, &mut bytes).is_err()
            {
                return false;
            }
            <$number>::from_ne_bytes(bytes)
        }};
    }
    // One decision for the size and the kind.
    macro_rules! tell {
        ($($primitive:ident: $number:ty),*) => {
            match primitive {
                $(Some(Primitive::$primitive) => {
                    visitor.primitive(Primitive::$primitive, u64::from(read!($number)));
                })*
                None => return false,
            }
        };
    }
    tell!(
        Bool: u8, Char: u16, I8: u8, U8: u8, I16: u16, U16: u16, I32: u32, U32: u32, I64: u64, U64: u64,
        F32: u32, F64: u64, ISize: Word, USize: Word
    );
    true
}

#[cfg(target_pointer_width = "64")]
type Word = u64;
#[cfg(not(target_pointer_width = "64"))]
type Word = u32;
