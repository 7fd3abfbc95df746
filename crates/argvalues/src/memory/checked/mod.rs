//! Memory of our own process, read through the operating system.
//!
//! | file | by |
//! |---|---|
//! | `linux` | `process_vm_readv`; where that is refused, `/proc/self/mem` |
//! | `windows` | `ReadProcessMemory` |
//! | `macos` | `mach_vm_read_overwrite` |
//! | `others` | nothing: such a reader cannot be made |

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod system;
#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
#[path = "others.rs"]
mod system;

use std::io;

use self::system::Reader;
use super::{Memory, MemoryCause, MemoryError};

/// The number of addresses that are tried at once.
pub(super) const MOST_AT_ONCE: usize = 16;

/// The memory of this process, copied by the operating system: a bad address is an error and never a crash.
///
/// A read costs a system call. A decode reads adjacent values at once.
///
/// [`new`](Self::new) chooses the system call: on Linux `process_vm_readv`, or a read of `/proc/self/mem` where a sandbox
/// or an emulator refuses the former, which keeps a file open and also reads what is protected against reading; on Windows `ReadProcessMemory`; on macOS
/// `mach_vm_read_overwrite`.
///
/// ```
/// use argvalues::{Checked, Memory};
///
/// let memory = Checked::new()?;
/// let value = 42_u32;
/// let mut bytes = [0; 4];
/// memory.read(&raw const value as usize, &mut bytes)?;
/// assert_eq!(u32::from_ne_bytes(bytes), 42);
/// assert!(memory.read(0x10, &mut bytes).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Checked {
    reader: Reader,
}

impl Checked {
    /// A reader of our own memory, by the first system call that reads it.
    ///
    /// # Errors
    /// When the system does not let this process read itself, which some sandboxes forbid. The message has what was
    /// tried, and each one's error.
    pub fn new() -> io::Result<Self> {
        Reader::choose(|reader| Self { reader: reader.clone() }.probe()).map(|reader| Self { reader })
    }

    /// Returns how many of these addresses can be read without the operating system too, up to the first that cannot. At most
    /// [`MOST_AT_ONCE`] are tried, on Linux by one system call; by `/proc/self/mem` it is unknown, and the result 0.
    pub(super) fn readable(&self, addresses: &[usize]) -> usize {
        let addresses = addresses.get(..MOST_AT_ONCE).unwrap_or(addresses);
        self.reader.readable_at_once(addresses).unwrap_or_else(|| {
            addresses.iter().take_while(|address| self.reader.read(**address, &mut [0]) == Ok(1)).count()
        })
    }

    /// By `/proc/self/mem`, whatever else there is.
    #[cfg(all(test, target_os = "linux"))]
    #[allow(clippy::unwrap_used, reason = "it is called by tests")]
    pub(super) fn by_file() -> Self {
        Self { reader: Reader::file().unwrap() }
    }

    /// Reads bytes of known content.
    fn probe(&self) -> io::Result<()> {
        let expected = 0x5ac3_0f96_a53c_f069_u64 ^ u64::from(std::process::id());
        let expected = core::hint::black_box(expected);
        let mut copy = [0; 8];
        match self.read((&raw const expected).expose_provenance(), &mut copy) {
            Ok(()) if copy == expected.to_ne_bytes() => Ok(()),
            // An emulator may have the program at other addresses than its system.
            Ok(()) => Err(io::Error::other("it reads other memory")),
            Err(MemoryError { cause: MemoryCause::Refused(code), .. }) => {
                Err(io::Error::from_raw_os_error(code))
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

impl Memory for Checked {
    fn reads_ahead(&self) -> bool {
        true
    }

    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        let length = buffer.len();
        let error = |cause| MemoryError::new(address, length, cause);
        if length == 0 {
            return Ok(());
        }
        if address.checked_add(length).is_none() {
            return Err(error(MemoryCause::Overflow));
        }
        match self.reader.read(address, buffer) {
            Ok(read) if read == length => Ok(()),
            Ok(_) => Err(error(MemoryCause::Unmapped)),
            Err(code) if system::BAD_ADDRESS.contains(&code) => Err(error(MemoryCause::Unmapped)),
            Err(code) => Err(error(MemoryCause::Refused(code))),
        }
    }
}

/// The error of the system's last call, of the running thread.
#[cfg(any(target_os = "linux", windows))]
fn last_error() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(all(test, any(target_os = "linux", windows, target_os = "macos")))]
mod tests {
    use super::*;

    /// The guarantees of every reader.
    #[allow(clippy::unwrap_used, reason = "it is called by tests")]
    pub(super) fn reads_what_is_there_and_refuses_what_is_not(memory: &Checked) {
        let bytes: Vec<u8> = (0..9000_u32).map(|index| (index % 251) as u8).collect();
        let base = bytes.as_ptr().expose_provenance();
        for (start, length) in [(0, 1), (1, 5), (3, 64), (4090, 20), (0, 9000)] {
            let mut copy = vec![0xee; length];
            memory.read(base + start, &mut copy).unwrap();
            assert_eq!(copy, bytes[start..start + length]);
        }
        memory.read(0, &mut []).unwrap();
        let mut copy = [0; 5];
        for address in [0, 1, 0x1234, usize::MAX / 2 + 1, usize::MAX - 4096] {
            let error = memory.read(address, &mut copy).unwrap_err();
            assert_eq!(error, MemoryError::new(address, 5, MemoryCause::Unmapped));
        }
        let error = memory.read(usize::MAX - 2, &mut copy).unwrap_err();
        assert_eq!(error, MemoryError::new(usize::MAX - 2, 5, MemoryCause::Overflow));
    }

    /// A byte of this array can be read; nothing is mapped at the other addresses.
    #[allow(clippy::unwrap_used, reason = "it is called by tests")]
    fn finds_the_first_address_that_is_not_readable(memory: &Checked) {
        let bytes = [1_u8; 20];
        let at = |index: usize| (&raw const bytes[index]).expose_provenance();
        // `/proc/self/mem`, where nothing else is allowed.
        if cfg!(target_os = "linux") && memory.readable(&[at(0)]) == 0 {
            return;
        }
        assert_eq!(memory.readable(&[at(0), at(7), at(19)]), 3);
        assert_eq!(memory.readable(&[at(0), at(1), 0x1234, at(3)]), 2);
        assert_eq!(memory.readable(&[0x1234, at(3)]), 0);
        assert_eq!(memory.readable(&[]), 0);
        let many: Vec<usize> = (0..20).map(at).collect();
        assert_eq!(memory.readable(&many), MOST_AT_ONCE);
    }

    #[test]
    fn the_chosen_reader_finds_the_first_address_that_is_not_readable() {
        finds_the_first_address_that_is_not_readable(&Checked::new().unwrap());
    }

    #[test]
    fn the_chosen_reader_reads_what_is_there_and_refuses_what_is_not() {
        reads_what_is_there_and_refuses_what_is_not(&Checked::new().unwrap());
    }
}
