//! The commands behind `cargo xtask`, as a library that the end-to-end tests share.
