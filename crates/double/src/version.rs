//! The version of the fake runtime.

/// A version of the runtime: its interfaces and its peculiarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    info: u8,
    callback: u8,
    numbers: [u16; 4],
}

impl Version {
    /// .NET Core 3.1: `ICorProfilerInfo11`, `ICorProfilerCallback9`. `GetFunctionEnter3Info` damages saved
    /// registers, and `AssemblyUnloadStarted` is not called.
    pub const NET_CORE_3_1: Self = Self { info: 11, callback: 9, numbers: [3, 1, 23, 0] };
    /// .NET 8: `ICorProfilerInfo14`, `ICorProfilerCallback11`.
    pub const NET_8: Self = Self { info: 14, callback: 11, numbers: [8, 0, 4, 0] };
    /// .NET 9: `ICorProfilerInfo15`, `ICorProfilerCallback11`.
    pub const NET_9: Self = Self { info: 15, callback: 11, numbers: [9, 0, 1, 0] };
    /// .NET 10: the interfaces of .NET 9.
    pub const NET_10: Self = Self { info: 15, callback: 11, numbers: [10, 0, 13, 0] };
    /// .NET 11: the interfaces of .NET 9.
    pub const NET_11: Self = Self { info: 15, callback: 11, numbers: [11, 0, 0, 0] };

    /// Returns this version with another major number, for testing a profiler on a runtime that is newer than those on which it
    /// was measured.
    #[must_use]
    pub const fn with_major(self, major: u16) -> Self {
        let [_, minor, build, revision] = self.numbers;
        Self { numbers: [major, minor, build, revision], ..self }
    }

    /// Returns this version with another newest version of `ICorProfilerInfo`, 1 to 15, for testing a profiler on a
    /// runtime that is too old for it.
    #[must_use]
    pub const fn with_info(self, newest: u8) -> Self {
        let newest = if newest > 15 { 15 } else { newest };
        Self { info: newest, ..self }
    }

    /// The newest version of `ICorProfilerInfo`.
    #[must_use]
    pub const fn info(self) -> u8 {
        self.info
    }

    /// The newest version of `ICorProfilerCallback`.
    pub(crate) const fn callback(self) -> u8 {
        self.callback
    }

    pub(crate) const fn numbers(self) -> [u16; 4] {
        self.numbers
    }

    /// Returns whether `AssemblyUnloadStarted` is called.
    pub(crate) const fn reports_assembly_unloads(self) -> bool {
        self.numbers[0] >= 5
    }

    /// Returns whether `GetFunctionEnter3Info` damages the registers that the stub has saved.
    pub(crate) const fn damages_registers(self) -> bool {
        self.numbers[0] < 5
    }
}
