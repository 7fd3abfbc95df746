//! What holds for any bytes of a PDB: shared with the fuzz target.

use std::io::Cursor;

use clrnames::pdb::{DebugDirectory, DocumentId, Pdb};
use sigparse::token::{MethodDef, Token};

use super::SAMPLE;

/// `data/sourced.cs`, compiled.
const PDB: &[u8] = include_bytes!("../data/sourced.pdb");

/// The number of rows that are read: a malformed table may claim any number.
const ROWS: u32 = 20;

/// Writes bytes into a file: of every three bytes of the input two are for the place, one is to be written.
fn written(file: &[u8], input: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    for patch in input.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % file.len();
        file[at] = patch[2];
    }
    file
}

/// Reads the PDB and the debug directory of the sample, after the input was written into them, and the input as a PDB.
pub fn patched(input: &[u8]) {
    read(input);
    read(&written(PDB, input));
    if let Ok(directory) = DebugDirectory::read(Cursor::new(written(SAMPLE, input)))
        && let Ok(Some(embedded)) = directory.embedded()
    {
        read(&embedded);
    }
}

/// Reads all that a PDB has. No answer has more parts than the PDB has bytes.
pub fn read(bytes: &[u8]) {
    let Ok(pdb) = Pdb::parse(bytes) else { return };
    let _ = pdb.id();
    for id in pdb.documents().take(ROWS as usize) {
        let _ = (pdb.document(id), pdb.custom_debug_information(Token::from(id)));
    }
    for method in (1..=pdb.method_count().min(ROWS)).filter_map(MethodDef::from_rid) {
        read_method(&pdb, method, bytes.len());
    }
}

fn read_method(pdb: &Pdb<&[u8]>, method: MethodDef, size: usize) {
    let _ = (pdb.local_signature(method), pdb.kickoff_method(method));
    let _ = pdb.custom_debug_information(method.into());
    if let Ok(scopes) = pdb.local_scopes(method) {
        let named = scopes.iter().map(|scope| scope.variables.len() + scope.constants.len());
        assert!(scopes.len() <= size && named.max().unwrap_or(0) <= size);
    }
    if let Ok(Some(stepping)) = pdb.async_stepping(method) {
        assert!(stepping.steps.len() * 9 <= size, "an await has nine bytes");
    }
    let Ok(points) = pdb.sequence_points(method) else { return };
    // Nothing follows what is malformed.
    let mut all = Vec::new();
    for point in points {
        assert!(all.len() <= size, "more sequence points than bytes");
        all.push(point);
    }
    let malformed = all.iter().position(Result::is_err);
    assert!(malformed.is_none_or(|at| at + 1 == all.len()));
    let points: Result<Vec<_>, _> = all.into_iter().collect();
    let Ok(points) = points else { return };
    assert!(points.is_sorted_by_key(|point| point.offset));
    for point in &points {
        let at = pdb.sequence_point_at(method, point.offset).unwrap().unwrap();
        assert_eq!(at.offset, point.offset);
        let Some(lines) = point.lines else { continue };
        let on = pdb.sequence_points_on(method, point.document, lines.start_line).unwrap();
        assert!(lines.start_line > lines.end_line || on.contains(point));
        let nowhere = pdb.sequence_points_on(method, DocumentId(u32::MAX), lines.start_line).unwrap();
        assert!(nowhere.is_empty() || point.document == DocumentId(u32::MAX));
    }
}
