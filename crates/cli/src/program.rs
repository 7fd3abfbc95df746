//! Why the runtime of a program would load no profiler, from the files of the program.

use std::fs;
use std::path::Path;

use memchr::memmem;
use object::{Architecture, BinaryFormat, Object as _, ObjectSection as _};

use crate::{dotnet, native};

/// The sections of code that the Native AOT compiler has made, on Linux, Windows and macOS.
const AOT_SECTIONS: [&str; 6] =
    ["__managedcode", "__modules", ".hydrated", "hydrated", ".managed", "__hydrated"];

/// The setting that CoreCLR reads before it loads a profiler, in UTF-16: a runtime without it has no profiling API.
const PROFILING_SETTING: &str = "ENABLE_PROFILING";

/// Returns why a program cannot be profiled, with the remedy: an assembly or a native executable. `None` if nothing is known
/// against it.
pub(crate) fn obstacle(program: &Path) -> Option<String> {
    let bytes = fs::read(program).ok()?;
    if dotnet::is_assembly(program) { of_assembly(&bytes) } else { of_executable(&bytes, program) }
}

/// Returns why the executable of a process cannot be profiled.
pub(crate) fn obstacle_of_executable(bytes: &[u8]) -> Option<String> {
    let file = object::File::parse(bytes).ok()?;
    of_aot(&file).or_else(|| of_width(&file))
}

fn of_executable(bytes: &[u8], program: &Path) -> Option<String> {
    let file = object::File::parse(bytes).ok()?;
    of_aot(&file).or_else(|| of_width(&file)).or_else(|| of_machine(&file)).or_else(|| of_runtime(program))
}

fn of_aot(file: &object::File<'_>) -> Option<String> {
    let is_aot = file.sections().any(|section| section.name().is_ok_and(|name| AOT_SECTIONS.contains(&name)));
    is_aot.then(|| {
        "it was compiled ahead of time (Native AOT), so it has no runtime that loads profilers; publish it without PublishAot, \
         or name the .dll that `dotnet build` makes"
            .to_owned()
    })
}

fn of_width(file: &object::File<'_>) -> Option<String> {
    (!file.is_64()).then(|| {
        format!(
            "it is a 32-bit program ({}), and profilers are for 64 bits; publish it for a 64-bit platform",
            native::machine(file)
        )
    })
}

/// An executable for another machine. Emulators may run one, but no profiler of this machine.
fn of_machine(file: &object::File<'_>) -> Option<String> {
    let own = match std::env::consts::ARCH {
        "x86_64" => Architecture::X86_64,
        "aarch64" => Architecture::Aarch64,
        _ => return None,
    };
    (file.format() == BinaryFormat::Elf && file.architecture() != own).then(|| {
        format!(
            "it is a program for {}, and this machine is {}; publish it for this one",
            native::machine(file),
            std::env::consts::ARCH
        )
    })
}

/// The runtime that a self-contained program has beside it.
fn of_runtime(program: &Path) -> Option<String> {
    let beside = program.with_file_name(format!(
        "{}coreclr{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let runtime = fs::read(beside).ok();
    let has_profiling = |bytes: &[u8]| memmem::find(bytes, &utf16(PROFILING_SETTING)).is_some();
    runtime.is_some_and(|runtime| !has_profiling(&runtime)).then(|| {
        "the runtime that was published with it has no profiling API, as Mono's; publish it with CoreCLR (UseMonoRuntime=false), or run \
         its .dll with `dotnet`"
            .to_owned()
    })
}

/// An assembly for another machine or for 32 bits (ECMA-335 II.25.3.3.1).
fn of_assembly(bytes: &[u8]) -> Option<String> {
    let file = object::File::parse(bytes).ok()?;
    let wanted = match file.architecture() {
        // For any machine, unless its flags require 32 bits.
        Architecture::I386 => {
            const REQUIRES_32_BIT: u32 = 2;
            const PREFERS_32_BIT: u32 = 0x2_0000;
            let flags = cli_flags(bytes)?;
            if flags & REQUIRES_32_BIT == 0 || flags & PREFERS_32_BIT != 0 {
                return None;
            }
            "32 bits".to_owned()
        }
        Architecture::Arm => "32 bits".to_owned(),
        Architecture::X86_64 if std::env::consts::ARCH != "x86_64" => "x86-64".to_owned(),
        Architecture::Aarch64 if std::env::consts::ARCH != "aarch64" => "arm64".to_owned(),
        _ => return None,
    };
    Some(format!(
        "it was compiled for {wanted}, which the runtime of this machine refuses; build it for any machine (PlatformTarget AnyCPU)"
    ))
}

/// The flags of the CLI header.
fn cli_flags(bytes: &[u8]) -> Option<u32> {
    use object::LittleEndian as LE;
    use object::read::pe::PeFile32;
    /// The directory of the CLI header.
    const CLI: usize = 14;
    /// Sizes, version and the metadata's directory stand before the flags.
    const FLAGS: u32 = 16;
    let file = PeFile32::parse(bytes).ok()?;
    let directory = file.data_directories().get(CLI)?;
    let (at, _) =
        file.section_table().pe_file_range_at(directory.virtual_address.get(LE).checked_add(FLAGS)?)?;
    let at = usize::try_from(at).ok()?;
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file of a class (1 for 32 bits, 2 for 64), for a machine, with sections of these names.
    fn elf(class: u8, machine: u16, sections: &[&str]) -> Vec<u8> {
        let is_wide = class == 2;
        let (header, entry) = if is_wide { (64_usize, 64_usize) } else { (52, 40) };
        let mut strings = vec![0];
        let mut names = vec![0_u32];
        for name in sections.iter().chain(&[".shstrtab"]) {
            names.push(u32::try_from(strings.len()).unwrap());
            strings.extend(name.bytes().chain([0]));
        }
        let mut file = vec![0x7f, b'E', b'L', b'F', class, 1, 1, 0];
        file.resize(16, 0);
        for half in [3, machine] {
            file.extend(half.to_le_bytes());
        }
        file.extend(1_u32.to_le_bytes());
        let word = |file: &mut Vec<u8>, value: usize| {
            let bytes = (value as u64).to_le_bytes();
            file.extend(&bytes[..if is_wide { 8 } else { 4 }]);
        };
        // Entry point, program headers, section headers.
        for value in [0, 0, header] {
            word(&mut file, value);
        }
        file.extend(0_u32.to_le_bytes());
        let count = names.len();
        for half in [header, 0, 0, entry, count, count - 1] {
            file.extend(u16::try_from(half).unwrap().to_le_bytes());
        }
        assert_eq!(file.len(), header);
        for (index, name) in names.iter().enumerate() {
            let kind = if index == 0 {
                0
            } else if index == count - 1 {
                3
            } else {
                1_u32
            };
            let (at, size) =
                if index == count - 1 { (header + count * entry, strings.len()) } else { (0, 0) };
            file.extend(name.to_le_bytes());
            file.extend(kind.to_le_bytes());
            for value in [0, 0, at, size] {
                word(&mut file, value);
            }
            file.extend([0; 8]);
            word(&mut file, 1);
            word(&mut file, 0);
        }
        file.extend(strings);
        file
    }

    const X86_64: u16 = 62;
    const I386: u16 = 3;
    const ARM: u16 = 40;
    const RISCV: u16 = 243;

    fn own() -> u16 {
        if cfg!(target_arch = "x86_64") { X86_64 } else { 183 }
    }

    #[test]
    fn executables_without_a_runtime_that_loads_profilers_are_refused() {
        let refused = |bytes: &[u8]| of_executable(bytes, Path::new("/nowhere/shop")).unwrap_or_default();
        for section in ["__managedcode", ".hydrated"] {
            let text = refused(&elf(2, own(), &[".text", section]));
            assert!(text.contains("Native AOT") && text.contains("PublishAot"), "{text}");
        }
        for machine in [I386, ARM] {
            let text = refused(&elf(1, machine, &[".text"]));
            assert!(text.contains("32-bit program"), "{text}");
        }
        let text = refused(&elf(2, RISCV, &[".text"]));
        assert!(text.contains("it is a program for ELF"), "{text}");
        assert_eq!(refused(&elf(2, own(), &[".text"])), "");
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(refused(&own), "");
        assert_eq!(obstacle_of_executable(&own), None);
    }

    #[test]
    fn a_runtime_without_the_profiling_api_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (program, runtime) = (folder.path().join("shop"), folder.path().join("libcoreclr.so"));
        if !cfg!(target_os = "linux") {
            return;
        }
        fs::write(&program, elf(2, own(), &[".text"])).unwrap();
        assert_eq!(obstacle(&program), None);
        fs::write(&runtime, "a runtime").unwrap();
        assert!(obstacle(&program).unwrap().contains("has no profiling API"));
        fs::write(&runtime, utf16(" CORECLR_ENABLE_PROFILING ")).unwrap();
        assert_eq!(obstacle(&program), None);
    }
}
