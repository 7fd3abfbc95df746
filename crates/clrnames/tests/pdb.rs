//! A portable PDB against its source, `data/sourced.cs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clrnames::pdb::{DocumentId, Lines, Pdb, SequencePoint};
use sigparse::token::MethodDef;

const PDB: &[u8] = include_bytes!("data/sourced.pdb");
const SOURCE: &str = include_str!("data/sourced.cs");

/// `Sum` and `Later` are the first methods of the first class; the state machine of `Later` comes after them.
const SUM: MethodDef = method(1);
const LATER: MethodDef = method(2);
const MOVE_NEXT: MethodDef = method(4);

const fn method(rid: u32) -> MethodDef {
    MethodDef::from_rid(rid).unwrap()
}

/// The text that a sequence point covers; `None` for a hidden one.
fn text(lines: Option<Lines>) -> Option<&'static str> {
    let Lines { start_line, start_column, end_line, end_column } = lines?;
    assert_eq!(start_line, end_line);
    let line = SOURCE.lines().nth(start_line as usize - 1).unwrap();
    Some(&line[start_column as usize - 1..end_column as usize - 1])
}

fn points(pdb: &Pdb<&[u8]>, method: MethodDef) -> Vec<SequencePoint> {
    pdb.sequence_points(method).unwrap().map(Result::unwrap).collect()
}

#[test]
fn documents_have_names_and_hashes() {
    let pdb = Pdb::parse(PDB).unwrap();
    let documents: Vec<_> = pdb.documents().map(|id| pdb.document(id).unwrap()).collect();
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["/shop/sourced.cs", "elsewhere.cs"]);
    // SHA-256, of the source; the file that `#line` names was never read.
    assert_eq!(documents.iter().map(|document| document.hash.len()).collect::<Vec<_>>(), [32, 0]);
    assert!(pdb.document(DocumentId(3)).is_err());
}

#[test]
fn sequence_points_cover_the_statements_of_the_source() {
    let pdb = Pdb::parse(PDB).unwrap();
    let sum = points(&pdb, SUM);
    let here: Vec<Option<&str>> =
        sum.iter().filter(|point| point.document == DocumentId(1)).map(|point| text(point.lines)).collect();
    assert_eq!(
        here,
        [
            Some("{"),
            Some("int sum = 0;"),
            Some("int i = 0"),
            None,
            Some("{"),
            Some("int square = i * i;"),
            Some("sum += square;"),
            Some("}"),
            Some("i++"),
            Some("i < count"),
            None,
            None,
            Some("}"),
        ]
    );
    assert!(sum.is_sorted_by_key(|point| point.offset));
    let elsewhere: Vec<_> = sum.iter().filter(|point| point.document == DocumentId(2)).collect();
    let [point] = elsewhere[..] else { panic!("{elsewhere:?}") };
    assert_eq!(point.lines.map(|lines| (lines.start_line, lines.end_line)), Some((100, 100)));
    let later: Vec<Option<&str>> = points(&pdb, MOVE_NEXT).iter().map(|point| text(point.lines)).collect();
    let shown: Vec<&str> = later.into_iter().flatten().collect();
    assert_eq!(shown, ["{", "await Task.Yield();", "return Sum(count) + Greeting.Length;", "}"]);
    assert_eq!(points(&pdb, LATER), []);
}

#[test]
fn offsets_and_lines_lead_to_each_other() {
    let pdb = Pdb::parse(PDB).unwrap();
    for point in points(&pdb, SUM) {
        assert_eq!(pdb.sequence_point_at(SUM, point.offset).unwrap(), Some(point));
        if let Some(lines) = point.lines {
            let on = pdb.sequence_points_on(SUM, point.document, lines.start_line).unwrap();
            assert!(on.contains(&point));
        }
    }
    // Three parts of the loop are on one line.
    let line = SOURCE.lines().position(|line| line.contains("for (")).unwrap() + 1;
    let on = pdb.sequence_points_on(SUM, DocumentId(1), u32::try_from(line).unwrap()).unwrap();
    assert_eq!(
        on.iter().map(|point| text(point.lines).unwrap()).collect::<Vec<_>>(),
        ["int i = 0", "i++", "i < count"]
    );
    // Within the statement, behind its first instruction.
    let first = on[0].offset;
    assert_eq!(pdb.sequence_point_at(SUM, first + 1).unwrap(), Some(on[0]));
}

#[test]
fn scopes_have_the_variables_and_constants_of_the_source() {
    let pdb = Pdb::parse(PDB).unwrap();
    let scopes = pdb.local_scopes(SUM).unwrap();
    let names: Vec<&str> =
        scopes.iter().flat_map(|scope| &scope.variables).map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["sum", "i", "square"]);
    let nested = scopes.windows(2).all(|pair| {
        pair[0].start <= pair[1].start && pair[1].start + pair[1].length <= pair[0].start + pair[0].length
    });
    assert!(nested, "{scopes:?}");
    let scopes = pdb.local_scopes(MOVE_NEXT).unwrap();
    let constants: Vec<_> = scopes.iter().flat_map(|scope| &scope.constants).collect();
    let [constant] = constants[..] else { panic!("{constants:?}") };
    // STRING, then UTF-16.
    let hello: Vec<u8> = "hello".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        (constant.name.as_str(), constant.signature),
        ("Greeting", &[&[0x0E][..], &hello].concat()[..])
    );
}

#[test]
fn state_machines_name_their_methods_and_awaits() {
    let pdb = Pdb::parse(PDB).unwrap();
    assert_eq!(pdb.kickoff_method(MOVE_NEXT).unwrap(), Some(LATER));
    assert_eq!(pdb.kickoff_method(SUM).unwrap(), None);
    assert_eq!(pdb.async_stepping(SUM).unwrap(), None);
    let stepping = pdb.async_stepping(MOVE_NEXT).unwrap().unwrap();
    // The method returns a value, so no handler of the compiler's hides its exceptions.
    assert_eq!(stepping.catch_handler, None);
    let [step] = stepping.steps[..] else { panic!("{stepping:?}") };
    assert_eq!(step.resume_method, Some(MOVE_NEXT));
    assert!(step.yield_offset < step.resume_offset);
    // Both are in the code of the await.
    let before = |offset| {
        let shown = points(&pdb, MOVE_NEXT).into_iter().filter(|point| point.offset <= offset);
        shown.filter_map(|point| text(point.lines)).next_back().unwrap()
    };
    assert_eq!(before(step.yield_offset), "await Task.Yield();");
    assert_eq!(before(step.resume_offset), "await Task.Yield();");
}

#[test]
fn what_is_malformed_is_an_error() {
    assert!(Pdb::parse(&[][..]).is_err());
    // An assembly is no PDB.
    let error = Pdb::parse(&include_bytes!("data/sample.dll")[..]).unwrap_err();
    assert!(error.to_string().contains("metadata begins with"), "{error}");
    // Every byte is changed, one after the other: whatever is read then is an error or something else.
    for at in 0..PDB.len() {
        for value in [0x00, 0x7F, 0xFF] {
            let mut changed = PDB.to_vec();
            changed[at] = value;
            let Ok(pdb) = Pdb::parse(changed.as_slice()) else { continue };
            for id in pdb.documents().take(10) {
                let _ = pdb.document(id);
            }
            for method in (1..=pdb.method_count().min(10)).filter_map(MethodDef::from_rid) {
                let _ = pdb.sequence_points(method).map(|points| points.take(1000).for_each(drop));
                let _ = (pdb.local_scopes(method), pdb.async_stepping(method), pdb.kickoff_method(method));
            }
        }
    }
}
