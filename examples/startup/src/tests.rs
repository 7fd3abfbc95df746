//! The compilations of a program in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs;

use corprof_double::{Runtime, Version};

use crate::Startup;

#[test]
fn compilations_and_loads_are_listed_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("startup.txt");
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App").with_path("/app/App.dll");
    let class = app.class("App.Program");
    let (main, never) = (class.method("Main").define(), class.method("Never").define());
    let session = runtime.attach::<Startup>(format!("STARTUP_OUT={}", out.display()).as_bytes()).unwrap();
    session.load(app);
    session.compile(&main);
    let _ = never;
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();

    let text = fs::read_to_string(&out).unwrap();
    for line in ["  1  App.Program.Main", "  1  App.dll", "  1  App.Program"] {
        assert!(text.lines().any(|own| own.ends_with(line)), "{line}\n{text}");
    }
    assert!(!text.contains("Never"), "{text}");
}

#[test]
fn invalid_settings_are_refused() {
    for data in ["STARTUP_TOP=-1", "STARTUP_FIRST=0", "STARTUP_LAST=1"] {
        let runtime = Runtime::new(Version::NET_9);
        assert!(runtime.attach::<Startup>(data.as_bytes()).is_err(), "{data}");
    }
}
