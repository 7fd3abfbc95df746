//! The crate's tests; real assemblies are read by `tests/e2e/il`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(unreachable_pub, reason = "the fuzz targets have this module too")]
mod checks;
mod corpus;
mod edit;
mod encoded;
mod failures;
mod ilasm;
mod module;
mod opcodes;
#[path = "../../../sigparse/tests/it/replay.rs"]
mod replay;
#[allow(dead_code, reason = "`tests/e2e/il` uses more of it")]
mod roundtrip;
mod verify;
mod watch;
