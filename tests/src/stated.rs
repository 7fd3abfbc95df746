//! Compares the facts that a program and a profiler state independently: lines `program: name = value` and
//! `profiler: name = value` of one output.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::launch::Finished;

/// The facts of one side: values by name, in order.
type Said<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn said<'a>(output: &'a str, who: &str) -> Said<'a> {
    let mut said = Said::new();
    for line in output.lines().filter_map(|line| line.strip_prefix(who)) {
        let (name, value) = line.split_once(" = ").unwrap_or((line, ""));
        said.entry(name).or_default().push(value);
    }
    said
}

/// The differences between the sides, and the number of facts.
fn differences(output: &str) -> (Vec<String>, usize) {
    let (program, profiler) = (said(output, "program: "), said(output, "profiler: "));
    let mut wrong = Vec::new();
    for (name, values) in &program {
        match profiler.get(name) {
            Some(answers) if answers == values => {}
            answers => wrong.push(format!("{name}\n  program  {values:?}\n  profiler {answers:?}")),
        }
    }
    wrong.extend(
        profiler
            .iter()
            .filter(|(name, _)| !program.contains_key(*name))
            .map(|(name, values)| format!("{name}\n  only the profiler says {values:?}")),
    );
    (wrong, program.len())
}

/// Compares the facts of both sides in a run. At least `facts` are required. Returns their number.
///
/// # Errors
///
/// When they differ, or there are too few.
pub fn agree(finished: &Finished, facts: usize) -> Result<usize> {
    let (wrong, count) = differences(&finished.stdout);
    if !wrong.is_empty() {
        bail!("{} of {count} facts differ:\n{}\n{}", wrong.len(), wrong.join("\n"), finished.report());
    }
    ensure!(count >= facts, "only {count} facts\n{}", finished.report());
    Ok(count)
}

/// A profiler of `tests/profilers`, built first; or the library that `E2E_<NAME>_LIBRARY` names.
///
/// # Errors
///
/// When it does not build.
pub fn profiler(name: &str, clsid: &str) -> Result<Profiler> {
    let clsid =
        clsid.parse().map_err(anyhow::Error::msg).with_context(|| format!("the class id of {name}"))?;
    let library = match std::env::var_os(format!("E2E_{}_LIBRARY", name.to_uppercase())) {
        Some(library) => library.into(),
        None => corprof_testkit::example::build_library(name, false)?,
    };
    Ok(Profiler::new(Path::new(&library), clsid))
}

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn equal_facts_agree() {
        let output = "program: a = 1\nnoise\nprofiler: a = 1\nprogram: b = 2\nprogram: b = 3\n\
                      profiler: b = 2\nprofiler: b = 3\n";
        assert_eq!(differences(output), (Vec::new(), 2));
    }

    #[test]
    fn missing_and_different_facts_are_reported() {
        let (wrong, count) =
            differences("program: a = 1\nprofiler: a = 2\nprogram: b = 1\nprofiler: c = 1\n");
        assert_eq!(count, 2);
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(wrong[0].starts_with("a\n") && wrong[1].starts_with("b\n"), "{wrong:?}");
        assert!(wrong[2].contains("only the profiler says"), "{wrong:?}");
    }

    #[test]
    fn the_order_of_facts_counts() {
        let (wrong, _) = differences("program: a = 1\nprogram: a = 2\nprofiler: a = 2\nprofiler: a = 1\n");
        assert_eq!(wrong.len(), 1);
    }
}
