//! Own code: what the SDK lists as projects, and what is the same by other means where no list is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::given;
use e2e::command::corprof;
use e2e::traced::profiler;

use crate::sdk::environment;

const LIBRARY: &str = r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup></Project>"#;

const APP: &str = r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup><ProjectReference Include="../Basket/Basket.csproj" />
<Reference Include="Others"><HintPath>../Others.dll</HintPath></Reference></ItemGroup></Project>"#;

/// Each assembly has one method, which is called once.
const SOURCES: [(&str, &str); 3] = [
    (
        "Others/Others.cs",
        "namespace Others { public static class Log { public static int Write(int x) => x + 1; } }",
    ),
    (
        "Basket/Basket.cs",
        "namespace Basket { public static class Cart { public static int Add(int x) => x + 2; } }",
    ),
    (
        "Shop/Shop.cs",
        "namespace Shop { public static class Program { public static int Main() => Basket.Cart.Add(Others.Log.Write(0)); } }",
    ),
];

fn build(folder: &Path, project: &str, host: &Path) -> Result<()> {
    let mut command = std::process::Command::new(host);
    command.args(["build", "--nologo", "-v", "q"]).arg(folder.join(project));
    environment(&mut command)?;
    let output = command.stdin(Stdio::null()).output()?;
    ensure!(output.status.success(), "{project} does not build: {output:?}");
    Ok(())
}

/// The methods that calltrace traces.
fn traced(folder: &Path, program: &Path, host: &Path, options: &[&str]) -> Result<BTreeSet<String>> {
    let out = folder.join("trace.jsonl");
    let mut command = corprof(&["run", "calltrace", "--format", "jsonl", "--library"])?;
    command.arg(profiler("calltrace")?.library).arg("--out").arg(&out).args(options);
    command.arg("--runtime").arg(host).arg("--").arg(program);
    environment(&mut command)?;
    let output = command.stdin(Stdio::null()).output()?;
    ensure!(output.status.code() == Some(3), "{output:?}");
    let text = fs::read_to_string(&out).unwrap_or_default();
    let names = text.lines().map(|line| {
        let record: serde_json::Value = serde_json::from_str(line)?;
        Ok(record["method"].as_str().map(str::to_owned))
    });
    Ok(names.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

pub(crate) fn own_code_is_what_the_user_has_written() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    let host = given::item("sdk10")?.join("dotnet");
    for (name, text) in SOURCES {
        let file = root.join(name);
        fs::create_dir_all(file.parent().context("a file in no folder")?)?;
        fs::write(file, text)?;
    }
    for (name, text) in [
        ("Others/Others.csproj", LIBRARY),
        ("Basket/Basket.csproj", LIBRARY),
        ("Shop/Shop.csproj", APP),
        ("nuget.config", crate::sdk::NUGET),
    ] {
        fs::write(root.join(name), text)?;
    }
    // Somebody else's library: the user has the assembly alone.
    build(root, "Others/Others.csproj", &host)?;
    fs::rename(root.join("Others/bin/Debug/net10.0/Others.dll"), root.join("Others.dll"))?;
    fs::remove_dir_all(root.join("Others"))?;
    build(root, "Shop/Shop.csproj", &host)?;
    let bin = root.join("Shop/bin/Debug/net10.0");
    let program = bin.join("Shop.dll");
    let [own, others] = [vec!["Basket.Cart.Add", "Shop.Program.Main"], vec!["Others.Log.Write"]];
    let check = |what: &str, options: &[&str], expected: &[&str]| -> Result<()> {
        let seen = traced(root, &program, &host, options)?;
        ensure!(seen.iter().map(String::as_str).eq(expected.iter().copied()), "{what}: {seen:?}");
        Ok(())
    };
    check("listed", &[], &own)?;
    check("corrected", &["--own", "others.*"], &others)?;
    let said = corprof(&["doctor", &program.display().to_string()])?.output()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    for line in ["Basket.dll (Basket/1.0.0 in .deps.json)", "Shop.dll (Shop/1.0.0 in .deps.json)"] {
        ensure!(said.contains(&format!("own code             {line}")), "{said}");
    }
    ensure!(said.contains("others' code         Others.dll (Others/1.0.0.0 in .deps.json)"), "{said}");
    fs::remove_file(program.with_extension("deps.json"))?;
    check("by the sources", &[], &own)?;
    for pdb in ["Shop.pdb", "Basket.pdb"] {
        fs::remove_file(bin.join(pdb))?;
    }
    // The PDBs that the compiler has written first are where the assemblies name them.
    fs::remove_dir_all(root.join("Shop/obj"))?;
    fs::remove_dir_all(root.join("Basket"))?;
    check("by the folder", &[], &[own[0], others[0], own[1]])
}
