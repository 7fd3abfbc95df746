//! Covering arrays: few rows of a table that have every combination of some columns' values.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// The values of some columns. The other columns have the value of an unchosen column.
type Combination<const N: usize> = [usize; N];

/// The value of a column that does not belong to a combination.
const UNCHOSEN: usize = usize::MAX;

/// Columns, as bits.
pub(crate) type Columns = u32;

/// Returns each choice of so many of `N` columns.
pub(crate) fn choices<const N: usize>(count: u32) -> Vec<Columns> {
    (0..1 << N).filter(|columns: &Columns| columns.count_ones() == count).collect()
}

fn combination<const N: usize>(row: &[usize; N], columns: Columns) -> Combination<N> {
    core::array::from_fn(|column| if columns & (1 << column) == 0 { UNCHOSEN } else { row[column] })
}

/// Returns the indices of rows that together have each combination of values that any row has in one of the choices of
/// columns: repeatedly the row with the most new combinations. Among equals the first row is chosen, so that their order
/// decides.
pub(crate) fn covering<const N: usize>(rows: &[[usize; N]], choices: &[Columns]) -> Vec<usize> {
    let of = |index: usize| choices.iter().map(move |columns| combination(&rows[index], *columns));
    let mut missing: HashSet<_> = (0..rows.len()).flat_map(of).collect();
    // A row's number of new combinations never grows: that of the first in the queue is counted again, and if it is still
    // the first, no other row has more.
    let mut queue: BinaryHeap<_> = (0..rows.len()).map(|index| (choices.len(), Reverse(index))).collect();
    let mut selected = Vec::new();
    while !missing.is_empty() {
        let Some((_, Reverse(index))) = queue.pop() else { break };
        let new = of(index).filter(|one| missing.contains(one)).count();
        if queue.peek().is_some_and(|next| *next > (new, Reverse(index))) {
            queue.push((new, Reverse(index)));
            continue;
        }
        for one in of(index) {
            missing.remove(&one);
        }
        selected.push(index);
    }
    selected
}

#[test]
fn few_rows_cover_every_pair() {
    // An orthogonal array of strength 2 has 4 of the 8 rows.
    let rows: Vec<_> = (0..8).map(|number| [number & 1, (number >> 1) & 1, number >> 2]).collect();
    let of_strength = |strength| covering(&rows, &choices::<3>(strength)).len();
    assert_eq!([1, 2, 3].map(of_strength), [2, 4, 8]);
    // The first two columns together, and the third alone.
    assert_eq!(covering(&rows, &[0b011, 0b100]).len(), 4);
    assert!(covering::<3>(&[], &choices::<3>(2)).is_empty());
    assert_eq!(covering(&[[1, 2, 3], [1, 2, 3]], &choices::<3>(3)), [0]);
}
