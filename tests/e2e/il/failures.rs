//! The list of other rewriters' failures in `tests/README.md`.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::paths;

/// The rows of the list.
const ROWS: usize = 25;

#[test]
fn every_failure_in_the_list_has_its_test() -> Result<()> {
    let text = fs::read_to_string(paths::workspace().join("tests/README.md"))?;
    let list = text.split("\n## ").find(|part| part.starts_with("What other rewriters got wrong"));
    let rows = list.context("no list")?.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut count = 0;
    for row in rows {
        let mut quoted =
            row.rsplit(" | ").next().into_iter().flat_map(|cell| cell.split('`')).skip(1).step_by(2);
        let (file, test) = (quoted.next().context("no file")?, quoted.next().context("no test")?);
        let code = fs::read_to_string(paths::workspace().join(file)).with_context(|| row.to_owned())?;
        ensure!(code.contains(&format!("fn {test}(")), "{file} has no {test}");
        count += 1;
    }
    ensure!(count == ROWS, "{count} rows");
    Ok(())
}
