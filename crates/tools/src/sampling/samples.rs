//! Samples of addresses to stacks of a profile.

use std::sync::Mutex;
use std::time::Duration;

use crate::stacks::{CALLER_OF_REPLACED, Captured, End};
use corprof::Result;
use corprof_profile::Frame;

use crate::profiled::StackFrame;
use crate::sampling::addresses::{Address, Addresses, Code};
use crate::sampling::counts::SignalCounts;
use crate::sampling::dynamic_code::DynamicCode;

/// A sample that has been taken out of its buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) key: u64,
    pub(crate) time: Duration,
    at: Duration,
    top: usize,
    end: End,
    addresses: usize,
}

/// Samples that are to be named.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) taken: Vec<Taken>,
    /// The addresses of all of them.
    addresses: Vec<u64>,
}

fn address(word: u64) -> usize {
    usize::try_from(word).unwrap_or(0)
}

impl Samples {
    pub(crate) fn clear(&mut self) {
        self.taken.clear();
        self.addresses.clear();
    }

    pub(crate) fn push(&mut self, sample: Captured<'_>) {
        let Captured { key, at, time, top, end, addresses, .. } = sample;
        self.taken.push(Taken { key, time, at, top: address(top), end, addresses: addresses.len() });
        self.addresses.extend_from_slice(addresses);
    }

    /// Calls `visit` with each sample and its addresses.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&Taken, &[u64])) {
        let mut rest = self.addresses.as_slice();
        for taken in &self.taken {
            let Some((own, others)) = rest.split_at_checked(taken.addresses) else { return };
            rest = others;
            visit(taken, own);
        }
    }
}

impl Taken {
    /// Finds the code of each address, innermost first, up to the first one without code.
    ///
    /// # Errors
    /// The runtime can no longer be queried.
    pub(crate) fn stack(
        &self,
        addresses: &[u64],
        code: &mut Addresses,
        dynamic: &Mutex<DynamicCode>,
        counts: &mut SignalCounts,
    ) -> Result<Vec<Code>> {
        let mut stack: Vec<Code> = Vec::with_capacity(addresses.len());
        let mut end = self.end;
        for (index, &word) in addresses.iter().enumerate() {
            if word & CALLER_OF_REPLACED != 0 {
                continue;
            }
            let word = address(word);
            let word = if index == 0 { Address::Instruction(word) } else { Address::Return(word) };
            let found = code.find(word, self.at, dynamic)?;
            if stack.last().is_some_and(|inner| is_replaced(inner, found.as_ref())) {
                let beside = addresses.get(index + 1..).unwrap_or_default();
                let beside = beside.iter().take_while(|word| *word & CALLER_OF_REPLACED != 0);
                let mut callers = Vec::new();
                for word in beside {
                    let word = Address::Return(address(word & !CALLER_OF_REPLACED));
                    callers.extend(code.find(word, self.at, dynamic)?);
                }
                // The frame of the code that was replaced, and that of its replacement, are one.
                if let Some(caller) = caller_of_replaced(callers) {
                    stack.push(caller);
                    continue;
                }
            }
            let Some(found) = found else {
                end = End::NoFrame;
                break;
            };
            let is_innermost_native = index == 0 && !found.is_managed();
            stack.push(found);
            // An assembly routine of the runtime has no frame, so that the method that called it is not in the chain.
            if is_innermost_native && addresses.get(1).map(|word| address(*word)) != Some(self.top) {
                let caller = code.find(Address::Return(self.top), self.at, dynamic)?;
                stack.extend(caller.filter(Code::is_managed));
            }
        }
        match stack.last() {
            // Each thread begins in native code.
            Some(Code::Native(_)) | None => {}
            Some(_) => {
                let count = match end {
                    End::Unreadable => &mut counts.unreadable,
                    End::TooDeep => &mut counts.too_deep,
                    _ => &mut counts.broken,
                };
                *count += 1;
            }
        }
        counts.native += u64::from(!stack.iter().any(Code::is_managed));
        // Adjacent frames of a library without symbols are one.
        stack.dedup_by(|next, frame| !next.is_managed() && next == frame);
        Ok(stack)
    }
}

/// Returns whether the return address of a managed frame may be that of replaced code: an address in the same method, or since .NET 11 the
/// beginning of the code that replaces it, which is behind no call.
fn is_replaced(inner: &Code, outer: Option<&Code>) -> bool {
    match (inner, outer) {
        (Code::Function(inner), Some(Code::Function(outer))) => inner == outer,
        (Code::Function(_), Some(Code::Native(frame))) => frame.module.is_empty(),
        _ => false,
    }
}

/// Returns the caller of replaced code among what may be it, the likeliest first: managed code, and else the library that has called the
/// outermost method of a thread.
fn caller_of_replaced(mut callers: Vec<Code>) -> Option<Code> {
    let managed = callers.iter().position(Code::is_managed);
    let is_library = |code: &Code| matches!(code, Code::Native(frame) if !frame.module.is_empty());
    let found = managed.or_else(|| callers.iter().position(is_library))?;
    Some(callers.swap_remove(found))
}

/// Returns the frames as a profile has them.
pub(crate) fn frames(stack: &[Code]) -> Vec<StackFrame<'_>> {
    let frame = |code| match code {
        &Code::Function(function) => StackFrame::Function(function),
        Code::Dynamic(name) => StackFrame::Named(Frame { name, module: "" }),
        Code::Native(frame) => StackFrame::Named(Frame { name: &frame.name, module: &frame.module }),
    };
    stack.iter().map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::native_code::NativeFrame;

    #[test]
    fn the_caller_of_replaced_code_is_managed_or_a_library() {
        let native =
            |name: &str, module: &str| Code::Native(NativeFrame { name: name.into(), module: module.into() });
        let (stub, library) =
            (native("[runtime stub]", ""), native("CallDescrWorkerInternal", "libcoreclr.so"));
        let managed = Code::Dynamic("C".into());
        let all = vec![stub.clone(), library.clone(), managed.clone()];
        assert_eq!(caller_of_replaced(all), Some(managed));
        assert_eq!(caller_of_replaced(vec![stub.clone(), library.clone()]), Some(library));
        assert_eq!(caller_of_replaced(vec![stub]), None);
    }
}
