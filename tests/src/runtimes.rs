//! The runtimes that a test runs on.

use std::time::Instant;

use anyhow::Result;
use corprof_testkit::dotnet::RuntimeVersion;

/// Makes a module of tests, one for each runtime: `name::on_3_1`, `name::on_8_0`, `name::on_9_0`, `name::on_10_0` and
/// `name::on_11_0`.
///
/// The expression is a function of the [`RuntimeVersion`]. Without a list all run, 9.0, which is between two others, with
/// `cargo xtask test --long` alone. `on [on_8_0 on_10_0]` names those
/// that run by default; `long [on_9_0]` those that only `cargo xtask test --long` runs. `on_11_0` is ignored, with the reason, where
/// no folder with the runtime was named.
///
/// ```
/// # use anyhow::Result;
/// # use corprof_testkit::dotnet::RuntimeVersion;
/// fn check(_: RuntimeVersion) -> Result<()> {
///     Ok(())
/// }
///
/// e2e::on_each_runtime! {
///     it_holds: check;
///     it_holds_since_8_0 on [on_8_0 on_10_0] long [on_9_0]: check;
/// }
/// ```
#[macro_export]
macro_rules! on_each_runtime {
    () => {};
    (@version on_3_1) => { ::corprof_testkit::dotnet::RuntimeVersion::V3_1 };
    (@version on_8_0) => { ::corprof_testkit::dotnet::RuntimeVersion::V8_0 };
    (@version on_9_0) => { ::corprof_testkit::dotnet::RuntimeVersion::V9_0 };
    (@version on_10_0) => { ::corprof_testkit::dotnet::RuntimeVersion::V10_0 };
    (@version on_11_0) => { ::corprof_testkit::dotnet::RuntimeVersion::V11_0 };
    (@test on_11_0 $check:expr) => {
        #[test]
        #[cfg_attr(not(dotnet_11), ignore = "no folder with .NET 11.0: name one in CORPROF_DOTNET_ARCHIVES, see CONTRIBUTING.md")]
        fn on_11_0() -> ::anyhow::Result<()> {
            $crate::runtimes::run($check, $crate::on_each_runtime!(@version on_11_0))
        }
    };
    (@test $version:ident $check:expr) => {
        #[test]
        fn $version() -> ::anyhow::Result<()> {
            $crate::runtimes::run($check, $crate::on_each_runtime!(@version $version))
        }
    };
    (
        $(#[$meta:meta])*
        $name:ident on [$($always:ident)*] long [$($long:ident)*]: $check:expr;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "what the function is made of")]
            use super::*;

            $( $crate::on_each_runtime!(@test $always $check); )*

            $(
                #[test]
                #[ignore = "on other runtimes by default: cargo xtask test --long"]
                fn $long() -> ::anyhow::Result<()> {
                    $crate::runtimes::run($check, $crate::on_each_runtime!(@version $long))
                }
            )*
        }

        $crate::on_each_runtime! { $($rest)* }
    };
    ($(#[$meta:meta])* $name:ident on [$($always:ident)*]: $check:expr; $($rest:tt)*) => {
        $crate::on_each_runtime! { $(#[$meta])* $name on [$($always)*] long []: $check; $($rest)* }
    };
    ($(#[$meta:meta])* $name:ident: $check:expr; $($rest:tt)*) => {
        $crate::on_each_runtime! {
            $(#[$meta])* $name on [on_3_1 on_8_0 on_10_0 on_11_0] long [on_9_0]: $check;
            $($rest)*
        }
    };
}

/// Runs a test of [`on_each_runtime!`], and prints its duration, which `--show-output` shows.
///
/// # Errors
///
/// When the test fails.
pub fn run(test: impl FnOnce(RuntimeVersion) -> Result<()>, version: RuntimeVersion) -> Result<()> {
    let begin = Instant::now();
    test(version)?;
    let thread = std::thread::current();
    println!("{}: {:.1} s", thread.name().unwrap_or_default(), begin.elapsed().as_secs_f64());
    Ok(())
}

/// The kinds of hooks that calltrace has, on each target of the tests.
pub const KINDS_OF_HOOKS: [&str; 2] = ["with-info", "fast"];

/// The same, and hooks by inserted code, which are for selected methods.
pub const KINDS_FOR_SELECTED: [&str; 3] = ["with-info", "fast", "inserted"];
