//! The fake runtime makes callbacks in the same order as the runtime: one profiler runs in both, with a
//! program and with the script of that program.
#![allow(clippy::unwrap_used, reason = "of what the script itself has set up")]

use anyhow::{Result, ensure};
use corprof_double::{Runtime, Type, Value, Version};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::Launch;
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::stated;
use e2e::traced::optimised_at_once;
use order::Order;

/// The class id of the profiler.
const CLSID: &str = "{0B6E2A77-5B0C-4E0F-9A55-3C8E5D1F7A42}";

/// The callbacks of the runtime.
fn in_the_runtime(version: RuntimeVersion) -> Result<(Vec<String>, String)> {
    let app = App::compile("order", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .profiler(&stated::profiler("order", CLSID)?)
        .arg(app.plugin()?);
    let finished = optimised_at_once(launch).run()?.ok()?;
    let lines = finished.stdout.lines().filter_map(|line| line.strip_prefix("order: "));
    Ok((lines.map(str::to_owned).collect(), finished.report()))
}

/// The callbacks of the fake runtime, for a script of the same program.
fn in_the_double(version: Version) -> Vec<String> {
    let runtime = Runtime::new(version);
    let app = runtime.module("order").with_path("/app/order.dll");
    let program = app.class("Program");
    let reference = runtime.core_lib().class("System.WeakReference");
    let main = program.method("Main").is_static().param("args", Type::String.vector()).define();
    let use_plugin =
        program.method("UsePlugin").is_static().param("path", Type::String).returns(reference).define();
    let [outer, middle, inner, nothing] =
        ["Outer", "Middle", "Inner", "Nothing"].map(|name| program.method(name).is_static().define());
    let plugin = runtime.module("conformanceplugin").collectible();
    let test_class = plugin.class("Plugin.TestClass");
    let constructor = test_class.method(".ctor").define();

    let session = runtime.start::<Order>().unwrap();
    session.load(app);
    let (path, exception) = (session.string("path"), session.object(&runtime.exception(), &[]));
    let args = session.array(Type::String, &[path.into()]);
    let uses_plugin = || {
        session.load(plugin);
        let this = session.object(&test_class, &[]);
        session.call(&constructor, &[this.into()], || Ok(().into()))?;
        Ok(Value::NULL)
    };
    let fails = || session.call(&inner, &[], || Err(session.throw(exception)));
    let passes = || {
        let clean_up = || session.call(&nothing, &[], || Ok(().into())).map(drop).unwrap();
        session.call_with_finally(&middle, &[], fails, clean_up)
    };
    let runs = || {
        session.call(&use_plugin, &[path.into()], uses_plugin)?;
        session.unload(plugin);
        session.call_catching(&outer, &[], passes, |_| Ok(().into()))
    };
    session.call(&main, &[args.into()], runs).unwrap();
    let lines = session.profiler().lines();
    session.shutdown();
    runtime.assert_released();
    lines
}

fn check(version: RuntimeVersion, double: Version) -> Result<()> {
    let ((real, report), scripted) = (in_the_runtime(version)?, in_the_double(double));
    ensure!(
        real == scripted,
        "the runtime and the double differ\nruntime:\n  {}\ndouble:\n  {}\n{report}",
        real.join("\n  "),
        scripted.join("\n  "),
    );
    ensure!(real.len() >= 30, "only {} callbacks\n{report}", real.len());
    println!("{version}: {} callbacks in the same order", real.len());
    Ok(())
}

/// The fake runtime of each version.
fn double(version: RuntimeVersion) -> Version {
    match version {
        RuntimeVersion::V3_1 => Version::NET_CORE_3_1,
        RuntimeVersion::V8_0 => Version::NET_8,
        RuntimeVersion::V9_0 => Version::NET_9,
        // The fake runtime has no 11.0 of its own: its interfaces are those of 10.0.
        RuntimeVersion::V10_0 | RuntimeVersion::V11_0 => Version::NET_10,
    }
}

on_each_runtime! {
    callbacks_come_in_the_order_of_the_runtime: |version| check(version, double(version));
}
