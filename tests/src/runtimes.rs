//! The runtimes that a test runs on.

use std::time::Instant;

use anyhow::Result;
use xtask::dotnet::RuntimeVersion;

/// Makes a module of tests, one for each runtime: `name::on_3_1`, `name::on_8_0`, `name::on_9_0` and `name::on_10_0`.
///
/// The expression is a function of the [`RuntimeVersion`]. Without a list all four run. `on [on_8_0 on_10_0]` names those
/// that run by default; `full [on_9_0]` those that only `cargo xtask test --full` runs.
///
/// ```
/// # use anyhow::Result;
/// # use xtask::dotnet::RuntimeVersion;
/// fn check(_: RuntimeVersion) -> Result<()> {
///     Ok(())
/// }
///
/// e2e::on_each_runtime! {
///     it_holds: check;
///     it_holds_since_8_0 on [on_8_0 on_10_0] full [on_9_0]: check;
/// }
/// ```
#[macro_export]
macro_rules! on_each_runtime {
    () => {};
    (@version on_3_1) => { ::xtask::dotnet::RuntimeVersion::V3_1 };
    (@version on_8_0) => { ::xtask::dotnet::RuntimeVersion::V8_0 };
    (@version on_9_0) => { ::xtask::dotnet::RuntimeVersion::V9_0 };
    (@version on_10_0) => { ::xtask::dotnet::RuntimeVersion::V10_0 };
    (
        $(#[$meta:meta])*
        $name:ident on [$($always:ident)*] full [$($full:ident)*]: $check:expr;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "what the function is made of")]
            use super::*;

            $(
                #[test]
                fn $always() -> ::anyhow::Result<()> {
                    $crate::runtimes::run($check, $crate::on_each_runtime!(@version $always))
                }
            )*

            $(
                #[test]
                #[ignore = "on other runtimes by default: cargo xtask test --full"]
                fn $full() -> ::anyhow::Result<()> {
                    $crate::runtimes::run($check, $crate::on_each_runtime!(@version $full))
                }
            )*
        }

        $crate::on_each_runtime! { $($rest)* }
    };
    ($(#[$meta:meta])* $name:ident on [$($always:ident)*]: $check:expr; $($rest:tt)*) => {
        $crate::on_each_runtime! { $(#[$meta])* $name on [$($always)*] full []: $check; $($rest)* }
    };
    ($(#[$meta:meta])* $name:ident: $check:expr; $($rest:tt)*) => {
        $crate::on_each_runtime! {
            $(#[$meta])* $name on [on_3_1 on_8_0 on_9_0 on_10_0] full []: $check;
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
