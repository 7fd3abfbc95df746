//! Write .NET profilers in safe Rust: ICorProfilerInfo, callbacks, metadata, hooks, names
