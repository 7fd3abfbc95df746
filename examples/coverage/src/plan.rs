//! The counters of a module, from its PDB and its IL.

use std::collections::HashSet;
use std::io::Cursor;
use std::path::Path;

use anyhow::{Result, ensure};
use cilbody::{Flow, Instruction, MethodBody, Opcode, Operand};
use clrnames::metadata::Metadata as _;
use clrnames::pdb::{Pdb, SequencePoint};
use clrnames::{Image, Sections};
use coverage_report::data::{Branch, Method, Module, Point};
use method_filter::MethodFilter;
use sigparse::Token;
use sigparse::token::{MemberRef, MethodDef, Table};

use crate::source::Source;

/// The reason why an assembly is not measured that has no symbols.
pub(crate) const NO_PDB: &str = "it has no portable PDB";

/// The counters of a module.
#[derive(Default)]
pub(crate) struct Planned {
    pub(crate) module: Module,
    /// The number of counters.
    pub(crate) counters: u32,
    /// The number of methods that cannot be measured, and the reason of the first.
    pub(crate) broken: Option<(usize, anyhow::Error)>,
}

/// The files of a module.
struct Files<'f> {
    image: &'f Image<&'f [u8]>,
    sections: &'f Sections,
    bytes: &'f [u8],
    pdb: &'f Pdb,
}

/// Computes the counters of a module; `None` if no method matches. A method whose IL or symbols are malformed is left out.
pub(crate) fn module(path: &str, filter: &MethodFilter) -> Result<Option<Planned>> {
    // The name is the loader's word for what it has loaded; a FIFO would wait for ever.
    ensure!(Path::new(path).is_file(), "it is no regular file");
    let bytes = std::fs::read(path)?;
    let image = Image::parse(&bytes)?;
    let sections = Sections::read(Cursor::new(&bytes))?;
    let is_chosen = |class: &str, name: &str| filter.matches(path, || format!("{class}.{name}"));
    let methods = || (1..=image.row_count(Table::METHOD_DEF)).filter_map(MethodDef::from_rid);
    let Some(pdb) = Pdb::of_assembly(Path::new(path))? else {
        for token in methods() {
            let Source { class, name, .. } = Source::of(&image, token)?;
            ensure!(!is_chosen(&class, &name), "{NO_PDB}");
        }
        return Ok(None);
    };
    let names = pdb.documents().map(|id| Ok(pdb.document(id)?.name)).collect::<Result<_>>()?;
    let module = Module { path: path.to_owned(), files: names, ..Module::default() };
    let mut planned = Planned { module, ..Planned::default() };
    let files = Files { image: &image, sections: &sections, bytes: &bytes, pdb: &pdb };
    for token in methods() {
        let mut counters = planned.counters;
        match files.method(token, &is_chosen, &mut counters) {
            Ok(None) => {}
            Ok(Some(method)) => {
                planned.counters = counters;
                planned.module.methods.push(method);
            }
            Err(error) => {
                let error = error.context(format!("method {token}"));
                let (count, first) = planned.broken.take().unwrap_or((0, error));
                planned.broken = Some((count + 1, first));
            }
        }
    }
    Ok((!planned.module.methods.is_empty() || planned.broken.is_some()).then_some(planned))
}

impl Files<'_> {
    /// Computes the counters of a method; `None` if it has no source or does not match.
    fn method(
        &self,
        token: MethodDef,
        is_chosen: &dyn Fn(&str, &str) -> bool,
        counter: &mut u32,
    ) -> Result<Option<Method>> {
        let Self { image, sections, bytes, pdb } = *self;
        let points: Vec<SequencePoint> = pdb.sequence_points(token)?.collect::<Result<_, _>>()?;
        let Some(rva) = image.method_rva(token)?.filter(|_| points.iter().any(|point| point.lines.is_some()))
        else {
            return Ok(None);
        };
        let source = Source::of(image, pdb.kickoff_method(token)?.unwrap_or(token))?;
        if !is_chosen(&source.class, &source.name) || source.is_excluded(image)? {
            return Ok(None);
        }
        let Source { class, name, .. } = source;
        let body = bytes.get(usize::try_from(sections.file_offset(rva)?)?..).unwrap_or_default();
        let mut next = |count: u32| {
            let first = *counter;
            *counter += count;
            first
        };
        let visible = points.iter().filter_map(|point| {
            let lines = point.lines?;
            Some(Point {
                offset: point.offset,
                counter: next(1),
                file: point.document.0.checked_sub(1)?,
                start: lines.start_line,
                end: lines.end_line,
            })
        });
        let points_counted = visible.collect();
        let awaits = match pdb.async_stepping(token)? {
            Some(stepping) => stepping.steps.iter().map(|step| step.yield_offset).collect(),
            None => Vec::new(),
        };
        let mut branches = branches(image, &MethodBody::parse(body)?, &points, &awaits)?;
        for branch in &mut branches {
            branch.counter = next(branch.targets + 1);
        }
        Ok(Some(Method { token: token.token(), class, name, points: points_counted, branches }))
    }
}

/// The branches of the source, without compiler-generated ones.
fn branches(
    image: &Image<&[u8]>,
    body: &MethodBody<'_>,
    points: &[SequencePoint],
    awaits: &[u32],
) -> Result<Vec<Branch>> {
    let instructions: Vec<Instruction<'_>> = body.instructions().collect::<Result<_, _>>()?;
    let is_branch =
        |it: &Instruction<'_>| it.opcode().info().is_some_and(|info| info.flow == Flow::Conditional);
    let mut generated: HashSet<u32> = HashSet::new();
    // The last branch before an await suspends is the one over the suspension.
    for suspends in awaits {
        let over = |it: &&Instruction<'_>| {
            it.offset < *suspends
                && is_branch(it)
                && matches!(it.operand(), Operand::Target(to) if to > *suspends)
        };
        generated.extend(instructions.iter().rfind(over).map(|it| it.offset));
    }
    for window in instructions.windows(3) {
        // A cached delegate or call site: `ldsfld; dup; brtrue`.
        if let [load, dup, branch] = window
            && load.opcode() == Opcode::LDSFLD
            && dup.opcode() == Opcode::DUP
            && let Operand::Token(field) = load.operand()
            && is_generated_field(image, field)
        {
            generated.insert(branch.offset);
        }
    }
    let mut found = Vec::new();
    for it in instructions.iter().filter(|it| is_branch(it) && !generated.contains(&it.offset)) {
        let Some(point) = statement(&instructions, points, it.offset) else { continue };
        let (Some(lines), Some(file)) = (point.lines, point.document.0.checked_sub(1)) else { continue };
        let targets = match it.operand() {
            Operand::Target(_) => 1,
            Operand::Switch(targets) => u32::try_from(targets.len())?,
            _ => continue,
        };
        found.push(Branch { offset: it.offset, counter: 0, targets, file, line: lines.start_line });
    }
    Ok(found)
}

/// The sequence point of a branch. Unoptimised code stores a condition in a variable, and branches after a
/// hidden point; other hidden code is compiler-generated.
fn statement<'p>(
    instructions: &[Instruction<'_>],
    points: &'p [SequencePoint],
    branch: u32,
) -> Option<&'p SequencePoint> {
    let last = points.iter().rposition(|point| point.offset <= branch)?;
    let point = points.get(last)?;
    if point.lines.is_some() {
        return Some(point);
    }
    let before = instructions.iter().rfind(|it| it.offset < point.offset)?;
    let stores = before.opcode().info().is_some_and(|info| info.name.starts_with("stloc"));
    points.get(..last)?.iter().rfind(|point| point.lines.is_some()).filter(|_| stores)
}

fn is_generated_field(image: &Image<&[u8]>, field: Token) -> bool {
    let name = match sigparse::FieldDef::from_token(field.0) {
        Some(field) => image.field(field).map(|field| field.name),
        None => match MemberRef::from_token(field.0) {
            Some(field) => image.member_ref(field).map(|field| field.name),
            None => return false,
        },
    };
    name.is_ok_and(|name| name.starts_with('<'))
}
