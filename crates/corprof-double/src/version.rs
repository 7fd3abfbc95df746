//! Which runtime the double stands for.

/// A version of the runtime: which interfaces it has, and which of its peculiarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    info: u8,
    callback: u8,
    numbers: [u16; 4],
}

impl Version {
    /// .NET Core 3.1: `ICorProfilerInfo11`, `ICorProfilerCallback9`. Asking for arguments damages saved registers,
    /// and `AssemblyUnloadStarted` does not come.
    pub const NET_CORE_3_1: Self = Self { info: 11, callback: 9, numbers: [3, 1, 23, 0] };
    /// .NET 9: `ICorProfilerInfo15`, `ICorProfilerCallback11`.
    pub const NET_9: Self = Self { info: 15, callback: 11, numbers: [9, 0, 1, 0] };

    /// The same with another newest version of `ICorProfilerInfo`, from 1 to 15: to see what a profiler does on a runtime
    /// that is too old for it.
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

    /// Whether the profiler is told that an assembly is about to go, and not only that it has gone.
    pub(crate) const fn tells_of_unloads_of_assemblies(self) -> bool {
        self.numbers[0] >= 5
    }

    /// Whether `GetFunctionEnter3Info` damages what the hook's stub has saved.
    pub(crate) const fn damages_registers(self) -> bool {
        self.numbers[0] < 5
    }
}
