//! Values with secret names are in no trace.

use anyhow::{Result, ensure};
use e2e::traced::calltrace;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};

use crate::run::{TRACINGS, app};

/// The secrets of the program.
const SECRETS: [&str; 5] =
    ["hidden-password", "hidden-field", "hidden-result", "hidden-attribute", "987654321"];

#[test]
fn secrets_are_not_read() -> Result<()> {
    for (version, tracing) in
        RuntimeVersion::ALL.into_iter().flat_map(|version| TRACINGS.map(|t| (version, t)))
    {
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
        let has = |text: &str| {
            let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            bytes.windows(text.len()).any(|found| found == text.as_bytes())
                || bytes.windows(units.len()).any(|found| found == units)
        };
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
