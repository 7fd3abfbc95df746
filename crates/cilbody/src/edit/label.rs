//! Identities in an editable body: instructions and labels.

/// The identity of an instruction in one body, or of the end of its code.
///
/// It stays valid when other instructions are inserted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstrId(pub(super) u32);

/// A position in one body that branches and regions refer to: before an instruction, or the end of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(super) u32);
