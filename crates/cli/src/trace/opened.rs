//! A recording that is read.

use std::fs::File;
use std::io::BufReader;

use recording::{BlockInfo, Omitted, ReadError, Reader, Step, Timeline};

use super::names::{FunctionId, Functions};
use super::selection::Selection;

/// A recording that is read, the names of its functions, and the selected part.
pub(crate) struct Opened {
    pub(super) reader: Reader<BufReader<File>>,
    pub(super) timeline: Timeline,
    pub(super) functions: Functions,
    pub(super) selection: Selection,
    /// The damage at which reading has stopped.
    pub(super) damage: Option<ReadError>,
}

impl Opened {
    /// The selected functions with omitted calls, and these, once everything has been read. None if only some threads or
    /// a part of the time are selected: it is not known when the calls were.
    pub(super) fn omitted(&mut self) -> Vec<(FunctionId, Omitted)> {
        let Self { reader, functions, selection, .. } = self;
        if !selection.has_all_times() {
            return Vec::new();
        }
        let omitted =
            reader.omitted().map(|(number, omitted)| (functions.id(number, reader.functions()), omitted));
        let omitted: Vec<_> = omitted.collect();
        omitted.into_iter().filter(|(function, _)| functions.is_selected(*function)).collect()
    }
}

/// Returns the next event of the blocks that are wanted. Damage is the end: what was read before is not lost.
#[inline]
pub(super) fn next(
    reader: &mut Reader<BufReader<File>>,
    damage: &mut Option<ReadError>,
    wanted: impl FnMut(&BlockInfo<'_>) -> bool,
) -> Result<Option<Step>, ReadError> {
    match reader.step_where(wanted) {
        Err(error @ ReadError::Damaged { .. }) => {
            *damage = Some(error);
            Ok(None)
        }
        step => step,
    }
}
