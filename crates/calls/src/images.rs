//! The memory of the images that are never unloaded: where a `ref` or a span into static data points.

use argvalues::{Checked, HeapRange, Memory as _};
use corprof::{ModuleFlags, ModuleInfo};

/// The offset of the PE header's offset, and of the fields behind the latter (ECMA-335 II.25.2).
const NEW_HEADER: usize = 0x3C;
const SECTION_COUNT: usize = 6;
const OPTIONAL_SIZE: usize = 20;
const OPTIONAL: usize = 24;
/// The offset of `SizeOfImage` in the optional header, in both of its forms.
const IMAGE_SIZE: usize = 56;
/// The size of a section's header, and the offset of `SizeOfRawData` and `PointerToRawData` in it.
const SECTION: usize = 40;
const RAW: usize = 16;

/// Returns the memory of a module's image that is the image's, whether it is laid out as in the file or as loaded. `None` for a
/// module without an image, one that can be unloaded, and one whose headers cannot be read.
pub(crate) fn image_of(module: &ModuleInfo, memory: &Checked) -> Option<HeapRange> {
    let can_go = ModuleFlags::COLLECTIBLE.union(ModuleFlags::DYNAMIC);
    if module.base_address == 0 || module.flags.intersects(can_go) {
        return None;
    }
    Some(HeapRange {
        start: module.base_address,
        used: 0,
        reserved: length_at(module.base_address, memory)?,
        stays: true,
    })
}

/// The lesser of the length in the file and the length as loaded.
fn length_at(base: usize, memory: &Checked) -> Option<usize> {
    let word = |at: usize| {
        let mut bytes = [0; 4];
        memory.read(base.checked_add(at)?, &mut bytes).ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let pe = word(NEW_HEADER)?;
    if word(0)? & 0xFFFF != usize::from(u16::from_le_bytes(*b"MZ"))
        || word(pe)? != u32::from_le_bytes(*b"PE\0\0") as usize
    {
        return None;
    }
    let low = |at: usize| Some(word(pe.checked_add(at)?)? & 0xFFFF);
    let sections = pe + OPTIONAL + low(OPTIONAL_SIZE)?;
    let in_file = (0..low(SECTION_COUNT)?).try_fold(0, |end, section| {
        let raw = sections + section * SECTION + RAW;
        Some(word(raw)?.checked_add(word(raw + 4)?)?.max(end))
    })?;
    Some(in_file.min(word(pe + OPTIONAL + IMAGE_SIZE)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of two sections, as `corprof-double` does not make them.
    fn image(loaded: u32, second_at: u32) -> Vec<u8> {
        let mut image = vec![0; 0x200];
        image[..2].copy_from_slice(b"MZ");
        let mut put = |at: usize, value: u32| image[at..at + 4].copy_from_slice(&value.to_le_bytes());
        put(NEW_HEADER, 0x80);
        put(0x80, u32::from_le_bytes(*b"PE\0\0"));
        // The machine precedes the number of sections, and characteristics follow the size of the optional header.
        put(0x84, 0x8664 | 2 << 16);
        put(0x80 + OPTIONAL_SIZE, 0xF0 | 0x2022 << 16);
        put(0x80 + OPTIONAL + IMAGE_SIZE, loaded);
        for (section, at) in [(0, 0x400), (1, second_at)] {
            let raw = 0x80 + OPTIONAL + 0xF0 + section * SECTION + RAW;
            put(raw, 0x300);
            put(raw + 4, at);
        }
        image
    }

    fn found(image: &[u8], flags: ModuleFlags) -> Option<usize> {
        let module = ModuleInfo {
            path: "shop.dll".to_owned(),
            base_address: image.as_ptr().expose_provenance(),
            assembly: None,
            flags,
        };
        image_of(&module, &Checked::new().unwrap()).map(|range| range.reserved)
    }

    #[test]
    fn an_image_ends_where_both_of_its_layouts_have_bytes() {
        let disk = ModuleFlags::DISK;
        assert_eq!(found(&image(0x4000, 0x800), disk), Some(0xB00));
        assert_eq!(found(&image(0x600, 0x800), disk), Some(0x600));
        let mut other = image(0x4000, 0x800);
        other[0x80] = b'N';
        assert_eq!(found(&other, disk), None);
    }

    #[test]
    fn an_image_that_can_be_unloaded_is_not_kept() {
        let image = image(0x4000, 0x800);
        assert_eq!(found(&image, ModuleFlags::COLLECTIBLE), None);
        assert_eq!(found(&image, ModuleFlags::DYNAMIC), None);
    }
}
