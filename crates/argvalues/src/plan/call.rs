//! All arguments of a call at once.

use corprof_types::ArgumentRange;

use super::MethodPlan;
use crate::{decode::Decoder, memory::Memory, runtime::Runtime, visitor::Visitor};

/// The number of ranges that are stored without allocating. Few methods have more parameters.
const FEW: usize = 16;

impl MethodPlan {
    /// Decodes all arguments of a call, in the order of the signature, `this` first. The visitor visits exactly one
    /// value for each.
    ///
    /// The same as each of [`arguments`](Self::arguments), for a visitor that needs nothing between them, such as a
    /// [`RecordWriter`](crate::RecordWriter).
    ///
    /// The ranges are consumed one by one: a hook's frame yields them without storing them first.
    #[inline]
    pub fn decode<I, M, R, V>(&self, ranges: I, decoder: &mut Decoder<'_, M, R>, visitor: &mut V)
    where
        I: IntoIterator<Item = ArgumentRange, IntoIter: ExactSizeIterator + Clone>,
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

    /// Decodes all arguments, with a decoder that is created when an argument needs one.
    ///
    /// A call of numbers only needs none, and creating one takes as long as reading a few numbers. `memory` is the
    /// decoder's.
    ///
    /// ```
    /// # use argvalues::{ArgumentRange, ArrayInfo, ModuleId, ObjectRef, Runtime, RuntimeError, StringLayout, ValueTypeQuery};
    /// # use argvalues::{Declaring, SigTypeContext, PlanContext};
    /// # struct Nothing;
    /// # impl Runtime for Nothing {
    /// #     fn string_layout(&self) -> StringLayout { StringLayout { length_offset: 8, buffer_offset: 12 } }
    /// #     fn object_type(&self, _: ObjectRef) -> Result<std::sync::Arc<argvalues::TypeShape>, RuntimeError> { Err(RuntimeError::new("none")) }
    /// #     fn array(&self, _: ObjectRef, _: usize) -> Result<ArrayInfo, RuntimeError> { Err(RuntimeError::new("none")) }
    /// #     fn full_name(&self, _: Option<ModuleId>, _: sigparse::TypeDefOrRef) -> Result<std::borrow::Cow<'_, str>, RuntimeError> { Err(RuntimeError::new("none")) }
    /// #     fn value_type(&self, _: &ValueTypeQuery<'_>) -> Result<std::sync::Arc<argvalues::TypeShape>, RuntimeError> { Err(RuntimeError::new("none")) }
    /// # }
    /// # let runtime = Nothing;
    /// use argvalues::{Decoder, Limits, MethodPlan, RecordNames, RecordWriter, Scratch, SliceMemory};
    ///
    /// // static void M(int, byte)
    /// let sig = sigparse::MethodSig::parse(&[0x00, 2, 0x01, 0x08, 0x05])?;
    /// let generics = SigTypeContext::default();
    /// let context = PlanContext::new(&generics, &Declaring::Reference);
    /// let plan = MethodPlan::compile(&runtime, &sig, context)?;
    ///
    /// let mut memory = SliceMemory::new();
    /// memory.insert(0x7000_0000, vec![0xFD, 0xFF, 0xFF, 0xFF, 7]);
    /// let ranges = [ArgumentRange::new(0x7000_0000, 4), ArgumentRange::new(0x7000_0004, 1)];
    ///
    /// let (mut scratch, mut names, mut bytes) = (Scratch::new(), RecordNames::new(), Vec::new());
    /// plan.decode_with(
    ///     ranges,
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
        I: IntoIterator<Item = ArgumentRange, IntoIter: ExactSizeIterator + Clone>,
        M: Memory + ?Sized + 'd,
        R: Runtime + ?Sized + 'd,
        V: Visitor + ?Sized,
    {
        let ranges = ranges.into_iter();
        if self.numbers.len() < self.steps.len() {
            return self.others(0, ranges, &mut decoder(), visitor);
        }
        let told = self.numbers(ranges.clone(), memory, visitor);
        if told < self.steps.len() {
            self.unusual(told, ranges, decoder, visitor);
        }
    }

    /// Decodes the arguments from a number on that is misaligned or unreadable.
    #[cold]
    #[inline(never)]
    fn unusual<'d, M, R, V>(
        &self,
        told: usize,
        ranges: impl ExactSizeIterator<Item = ArgumentRange>,
        decoder: impl FnOnce() -> Decoder<'d, M, R>,
        visitor: &mut V,
    ) where
        M: Memory + ?Sized + 'd,
        R: Runtime + ?Sized + 'd,
        V: Visitor + ?Sized,
    {
        self.others(told, ranges, &mut decoder(), visitor);
    }

    /// Decodes all arguments except the first ones, which have been visited.
    #[inline]
    fn others<M, R, V>(
        &self,
        told: usize,
        ranges: impl ExactSizeIterator<Item = ArgumentRange>,
        decoder: &mut Decoder<'_, M, R>,
        visitor: &mut V,
    ) where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        if ranges.len() != self.steps.len() || decoder.memory().reads_ahead() {
            // Several arguments in one range, which the runtime never reports; or a memory with read-ahead: a hook's
            // frame assembles structs when their range is queried, so all ranges must be queried before any memory is
            // read.
            let mut few = [ArgumentRange::new(0, 0); FEW];
            let count = ranges.len();
            let Some(stored) = few.get_mut(..count) else {
                let ranges: Vec<_> = ranges.collect();
                return self.arguments(&ranges).for_each(|argument| argument.decode(decoder, visitor));
            };
            stored.iter_mut().zip(ranges).for_each(|(stored, range)| *stored = range);
            if count == self.steps.len() {
                return self.one_each(told, stored.iter().copied(), decoder, visitor);
            }
            return self.arguments(stored).for_each(|argument| argument.decode(decoder, visitor));
        }
        self.one_each(told, ranges, decoder, visitor);
    }

    /// Decodes all arguments except the first ones, each from a range of its own, as the runtime always gives them: there is
    /// nothing to work out.
    #[inline]
    fn one_each<M, R, V>(
        &self,
        told: usize,
        mut ranges: impl Iterator<Item = ArgumentRange>,
        decoder: &mut Decoder<'_, M, R>,
        visitor: &mut V,
    ) where
        M: Memory + ?Sized,
        R: Runtime + ?Sized,
        V: Visitor + ?Sized,
    {
        for _ in 0..told {
            ranges.next();
        }
        for (step, range) in self.steps.get(told..).unwrap_or_default().iter().zip(ranges) {
            match step.size {
                Some(size) if size != range.length => step.wrong_length(range).decode(decoder, visitor),
                _ => {
                    step.decode(range.address, decoder, visitor);
                    visitor.value_ended();
                }
            }
        }
    }
}
