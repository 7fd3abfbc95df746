//! The exceptions of a program in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs;

use corprof_double::{Runtime, Value, Version};

use crate::Exceptions;

#[test]
fn caught_and_uncaught_exceptions_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("exceptions.txt");
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App").with_path("/app/App.dll");
    let error = app.class_extending("App.Error", runtime.exception());
    let class = app.class("App.Program");
    let (main, fail) = (class.method("Main").is_static().define(), class.method("Fail").is_static().define());

    let data = format!("EXCEPTIONS_OUT={}\nEXCEPTIONS_TOP=1", out.display());
    let session = runtime.attach::<Exceptions>(data.as_bytes()).unwrap();
    session.load(app);
    let message = session.string("no\nitem");
    let exception = session.object(&error, &[("_message", Value::Reference(Some(message)))]);
    for _ in 0..3 {
        let caught = session.call_catching(
            &main,
            &[],
            || session.call(&fail, &[], || Err(session.throw(exception))),
            |_| Ok(().into()),
        );
        caught.unwrap();
    }
    let uncaught = session.call(&fail, &[], || Err(session.throw(exception)));
    assert!(uncaught.is_err());
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();

    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains(": 4 exceptions in "), "{text}");
    assert!(text.contains("     4       3  App.Error\n"), "{text}");
    assert!(text.contains("\n3 × App.Error"), "{text}");
    assert!(
        text.contains("caught in App.Program.Main\n    at App.Program.Fail\n    at App.Program.Main\n"),
        "{text}"
    );
    assert!(text.ends_with("\n1 more throw sites\n"), "{text}");
}

#[test]
fn invalid_settings_are_refused() {
    for data in ["EXCEPTIONS_TOP=x", "EXCEPTIONS_TO=1", "EXCEPTIONS_OUT=/nowhere/x"] {
        let runtime = Runtime::new(Version::NET_9);
        assert!(runtime.attach::<Exceptions>(data.as_bytes()).is_err(), "{data}");
    }
}
