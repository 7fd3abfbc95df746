//! The test writes the first profiler of the guide here: `docs/writing-a-profiler.md`.
