//! Libraries of macOS and Windows, made byte by byte: those without the exports of a profiler are refused.

use super::*;

/// Numbers of 32 bits, as both formats store them here.
fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn length(bytes: &[u8]) -> u32 {
    bytes.len().try_into().unwrap()
}

/// A library of macOS for arm64 with the exports `names`, in a trie: each is an edge from its root to a leaf.
fn mach_o(names: &[&str]) -> Vec<u8> {
    // A node: the size of its export (0: it is none), the number of edges; an edge: its text and the offset of its node.
    let mut trie = vec![0, names.len().try_into().unwrap()];
    // An offset below 128 is one byte.
    let root = trie.len() + names.iter().map(|name| name.len() + 2).sum::<usize>();
    for (index, name) in names.iter().enumerate() {
        trie.extend(name.as_bytes());
        let leaf = root + index * 4;
        assert!(leaf < 128, "the offset takes two bytes");
        trie.extend([0, leaf.try_into().unwrap()]);
    }
    // An export of two bytes: flags (regular), address; no edges.
    names.iter().for_each(|_| trie.extend([2, 0, 1, 0]));
    // magic, cputype, cpusubtype, filetype (MH_DYLIB), ncmds, sizeofcmds, flags, reserved
    let mut file = words(&[0xfeed_facf, 0x0100_000c, 0, 6, 1, 16, 0, 0]);
    // cmd (LC_DYLD_EXPORTS_TRIE), cmdsize, dataoff, datasize
    file.extend(words(&[0x8000_0033, 16, 48, length(&trie)]));
    file.extend(trie);
    file
}

/// A library of Windows for x86-64 with the exports `names`.
fn pe(names: &[&str]) -> Vec<u8> {
    /// The address of the only section, and the alignment of sections.
    const SECTION: u32 = 0x1000;
    /// Its offset in the file.
    const OFFSET: u32 = 0x200;

    let count: u32 = names.len().try_into().unwrap();
    let [addresses, pointers] = [40, 40 + 4 * count].map(|offset| SECTION + offset);
    let ordinals = pointers + 4 * count;
    let mut text = ordinals + 2 * count;
    // Characteristics, TimeDateStamp, versions, Name, Base, NumberOfFunctions, NumberOfNames, AddressOfFunctions,
    // AddressOfNames, AddressOfNameOrdinals
    let mut section = words(&[0, 0, 0, 0, 1, count, count, addresses, pointers, ordinals]);
    // An address within the table would be the name of a forwarded export.
    names.iter().for_each(|_| section.extend(words(&[0x10])));
    for name in names {
        section.extend(words(&[text]));
        text += length(name.as_bytes()) + 1;
    }
    (0_u16..).zip(names).for_each(|(index, _)| section.extend(index.to_le_bytes()));
    for name in names {
        section.extend(name.as_bytes());
        section.push(0);
    }
    let size = length(&section);

    let mut file = b"MZ".to_vec();
    file.resize(0x3c, 0);
    // e_lfanew, the offset of the next header
    file.extend(words(&[0x40]));
    file.extend(b"PE\0\0");
    // Machine and NumberOfSections, TimeDateStamp, PointerToSymbolTable, NumberOfSymbols
    file.extend(words(&[0x0001_8664, 0, 0, 0]));
    // SizeOfOptionalHeader and Characteristics (EXECUTABLE_IMAGE, LARGE_ADDRESS_AWARE, DLL)
    file.extend(words(&[0x2022_0000 | 120]));
    // Magic (PE32+), sizes, AddressOfEntryPoint, BaseOfCode
    file.extend(words(&[0x020b, 0, 0, 0, 0, 0]));
    // ImageBase, SectionAlignment, FileAlignment
    file.extend(words(&[0x8000_0000, 1, SECTION, OFFSET]));
    // Versions, SizeOfImage, SizeOfHeaders, CheckSum, Subsystem, sizes of stack and heap, LoaderFlags
    file.extend(words(&[0; 17]));
    // NumberOfRvaAndSizes; the address and size of the export table
    file.extend(words(&[1, SECTION, size]));
    file.extend(b".edata\0\0");
    // VirtualSize, VirtualAddress, SizeOfRawData, PointerToRawData, relocations and lines, Characteristics
    file.extend(words(&[size, SECTION, size, OFFSET, 0, 0, 0, 0x4000_0040]));
    file.resize(OFFSET as usize, 0);
    file.extend(section);
    file
}

/// Returns the message for each library that lacks one of the two exports or has them by another name.
fn refused(make: fn(&[&str]) -> Vec<u8>, names: &[&str]) -> String {
    exports(&make(names)).unwrap_err().to_string()
}

#[test]
fn a_library_of_macos_without_an_export_is_refused() {
    exports(&mach_o(&["_DllGetClassObject", "_DllCanUnloadNow"])).unwrap();
    assert_eq!(refused(mach_o, &[]), "DllGetClassObject is not exported; these are: ");
    assert_eq!(
        refused(mach_o, &["_DllGetClassObject", "_main"]),
        "DllCanUnloadNow is not exported; these are: _DllGetClassObject, _main"
    );
    // C names without the underscore of Mach-O, which `dlsym` does not find.
    let bare = refused(mach_o, &["DllGetClassObject", "DllCanUnloadNow"]);
    assert!(bare.starts_with("DllGetClassObject is not exported"), "{bare}");
}

#[test]
fn a_library_of_windows_without_an_export_is_refused() {
    exports(&pe(&["DllCanUnloadNow", "DllGetClassObject"])).unwrap();
    assert_eq!(refused(pe, &[]), "DllGetClassObject is not exported; these are: ");
    assert_eq!(
        refused(pe, &["DllCanUnloadNow", "DllMain"]),
        "DllGetClassObject is not exported; these are: DllCanUnloadNow, DllMain"
    );
    let underscored = refused(pe, &["_DllCanUnloadNow", "_DllGetClassObject"]);
    assert!(underscored.starts_with("DllGetClassObject is not exported"), "{underscored}");
}

#[test]
fn a_library_that_is_cut_off_is_refused() {
    for whole in
        [mach_o(&["_DllGetClassObject", "_DllCanUnloadNow"]), pe(&["DllCanUnloadNow", "DllGetClassObject"])]
    {
        for length in 0..whole.len() {
            // The last byte of either is the end of an export or of its name.
            assert!(exports(&whole[..length]).is_err(), "{length} of {} bytes", whole.len());
        }
    }
}
