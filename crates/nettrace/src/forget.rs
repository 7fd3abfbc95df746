//! Tables that are emptied at each sequence point.

use std::collections::HashMap;

/// Empties a table. The time is proportional to the entries: a table that has room for many more gives it back, since
/// emptying it takes as long as its room is large, and a trace may have any number of sequence points.
pub(crate) fn forget<K, V>(table: &mut HashMap<K, V>) {
    const LARGE: usize = 1024;
    if table.capacity() > LARGE.max(8 * table.len()) {
        *table = HashMap::new();
    } else {
        table.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_was_large_is_not_emptied_again_and_again() {
        let mut table: HashMap<u32, u32> = (0..100_000).map(|id| (id, id)).collect();
        forget(&mut table);
        assert!(table.is_empty());
        let mut room = 0;
        for id in 0..100 {
            table.insert(id, id);
            room += table.capacity();
            forget(&mut table);
        }
        // Once as large as it was, and small afterwards.
        assert!(room < 300_000, "{room}");
    }
}
