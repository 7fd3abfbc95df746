//! Values with secret names are in no trace.

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::traced::{calltrace, profiler};

use crate::run::{TRACINGS, app, versions};

/// The secrets of the program.
const SECRETS: [&str; 5] =
    ["hidden-password", "hidden-field", "hidden-result", "hidden-attribute", "987654321"];

/// Returns whether bytes have a text, as UTF-8 or UTF-16.
fn has(bytes: &[u8], text: &str) -> bool {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(text.len()).any(|found| found == text.as_bytes())
        || bytes.windows(units.len()).any(|found| found == units)
}

#[test]
fn secrets_are_not_read() -> Result<()> {
    for (version, tracing) in versions().flat_map(|version| TRACINGS.map(|t| (version, t))) {
        let name = format!("hostile/secrets-{}-{}-{}", version.short(), tracing.hooks, tracing.format);
        let trace = scratch(&name)?.join("trace");
        let launch = Launch::new(&runtime(version)?, &app(version)?.dll).arg("secrets");
        launch
            .profiler(&calltrace()?)
            .env("CALLTRACE_HOOKS", tracing.hooks)
            .env("CALLTRACE_FORMAT", tracing.format)
            .env("CALLTRACE_REDACT", "attribute:Hostile.SensitiveAttribute")
            .env("CALLTRACE_OUT", &trace)
            .run()?
            .ok()?;
        let bytes = std::fs::read(&trace)?;
        let has = |text: &str| has(&bytes, text);
        ensure!(
            has("visible-user") && has("redacted"),
            "{version} {tracing:?}: what is no secret is missing"
        );
        for secret in SECRETS {
            ensure!(!has(secret), "{version} {tracing:?}: {secret} is in {}", trace.display());
        }
        let number = 987_654_321_u32.to_le_bytes();
        ensure!(!bytes.windows(4).any(|found| found == number), "{version} {tracing:?}: a number is there");
    }
    Ok(())
}

/// On .NET Core 3.1 `inject` does not start with a program: `attach` tests it there.
#[test]
fn inject_does_not_log_secrets() -> Result<()> {
    for version in versions().filter(|version| *version != RuntimeVersion::V3_1) {
        for shows in [false, true] {
            let log = scratch(&format!("hostile/secrets-inject-{}-{shows}", version.short()))?.join("log");
            let launch = Launch::new(&runtime(version)?, &app(version)?.dll).args(["secrets", "1500"]);
            let launch = launch
                .profiler(&profiler("inject")?)
                .env("INJECT_METHODS", "hostile*!Hostile.Codes.*")
                .env("INJECT_OUT", &log);
            let launch = match shows {
                true => launch.env("INJECT_SHOW_SECRETS", "1"),
                false => launch.env("INJECT_REDACT", "attribute:Hostile.SensitiveAttribute"),
            };
            launch.run()?.ok()?;
            let text = std::fs::read_to_string(&log)?;
            let (user, hidden) = (r#"LogIn("visible-user", "#, "redacted, redacted, redacted, …)");
            let shown = r#""hidden-password", 987654321, "hidden-attribute", …)"#;
            let [numbers, all] = ["Numbers(redacted, 123456789)", "Numbers(987654321, 123456789)"];
            let expected = if shows { [shown, all] } else { [hidden, numbers] };
            ensure!(text.contains(&format!("{user}{}", expected[0])), "{version}: {text}");
            ensure!(text.contains(expected[1]), "{version}: {text}");
            let secret = SECRETS.into_iter().find(|secret| has(text.as_bytes(), secret));
            ensure!(shows || secret.is_none(), "{version}: {secret:?} is in {}", log.display());
        }
    }
    Ok(())
}
