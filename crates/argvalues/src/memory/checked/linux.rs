//! Linux: `process_vm_readv`, or `/proc/self/mem` where the call is refused: by seccomp profiles, gVisor, QEMU's user mode.
//!
//! Contract of the unsafe code here: the kernel copies from our own process into a Rust buffer that is borrowed for
//! the call. It validates the remote range and reports a bad one.
#![allow(unsafe_code)]

use core::fmt::Write as _;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use super::{MOST_AT_ONCE, last_error};

/// The errors for a bad address: `EFAULT` of the call; `EIO`, and `EINVAL` for a negative offset, of the file.
pub(super) const BAD_ADDRESS: [i32; 3] = [libc::EFAULT, libc::EIO, libc::EINVAL];

/// Above the standard streams: a program that has closed one expects the next file it opens in its place.
const LOWEST_DESCRIPTOR: libc::c_int = 3;

/// How our own memory is read.
#[derive(Clone, Debug)]
pub(super) enum Reader {
    /// `process_vm_readv`, with our process id.
    Call(libc::pid_t),
    /// `/proc/self/mem`.
    File(Arc<File>),
}

impl Reader {
    /// The first reader that `probe` accepts.
    pub(super) fn choose(probe: impl Fn(&Self) -> io::Result<()>) -> io::Result<Self> {
        let mut refused = String::new();
        for (name, reader) in [("process_vm_readv", Self::call as fn() -> _), ("/proc/self/mem", Self::file)]
        {
            match reader().and_then(|reader| probe(&reader).map(|()| reader)) {
                Ok(reader) => return Ok(reader),
                Err(error) => {
                    let comma = if refused.is_empty() { "" } else { "; " };
                    let _ = write!(refused, "{comma}{name}: {error}");
                }
            }
        }
        Err(io::Error::other(refused))
    }

    pub(super) fn call() -> io::Result<Self> {
        Ok(Self::Call(libc::pid_t::try_from(std::process::id()).unwrap_or(0)))
    }

    pub(super) fn file() -> io::Result<Self> {
        let file = File::open("/proc/self/mem")?;
        if file.as_raw_fd() >= LOWEST_DESCRIPTOR {
            return Ok(Self::File(Arc::new(file)));
        }
        // SAFETY: an open descriptor; the call has no pointers.
        let moved = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR) };
        if moved < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a descriptor that the call above has made, and that nothing else owns.
        Ok(Self::File(Arc::new(unsafe { File::from_raw_fd(moved) })))
    }

    /// Copies from an address; returns the number of bytes, or the system's error.
    pub(super) fn read(&self, address: usize, buffer: &mut [u8]) -> Result<usize, i32> {
        match self {
            Self::Call(process) => {
                let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
                let remote = libc::iovec {
                    iov_base: core::ptr::without_provenance_mut(address),
                    iov_len: buffer.len(),
                };
                // SAFETY: one local and one remote vector, both alive for the call. The local one is an exclusively
                // borrowed buffer of its own length. Only the kernel accesses the remote one, and it reports a range
                // that it cannot read.
                let read =
                    unsafe { libc::process_vm_readv(*process, &raw const local, 1, &raw const remote, 1, 0) };
                usize::try_from(read).map_err(|_| last_error())
            }
            Self::File(file) => {
                file.read_at(buffer, address as u64).map_err(|error| error.raw_os_error().unwrap_or(0))
            }
        }
    }

    /// Returns how many of at most `MOST_AT_ONCE` addresses can be read, up to the first that cannot, by one system call;
    /// none by the file, which has the contents of memory that is protected against reading too.
    pub(super) fn readable_at_once(&self, addresses: &[usize]) -> Option<usize> {
        let Self::Call(process) = self else { return Some(0) };
        let mut bytes = [0_u8; MOST_AT_ONCE];
        let mut remote = [libc::iovec { iov_base: core::ptr::null_mut(), iov_len: 1 }; MOST_AT_ONCE];
        let count = addresses.len().min(MOST_AT_ONCE);
        for (part, address) in remote.iter_mut().zip(addresses) {
            part.iov_base = core::ptr::without_provenance_mut(*address);
        }
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: count };
        // SAFETY: a local vector of at most the buffer's length, and as many remote ones of one byte; all are alive for the
        // call. Only the kernel accesses the remote ones. It stops before the first that it cannot read.
        let read = unsafe {
            libc::process_vm_readv(*process, &raw const local, 1, remote.as_ptr(), count as libc::c_ulong, 0)
        };
        Some(usize::try_from(read).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::null_mut;

    use super::super::tests::reads_what_is_there_and_refuses_what_is_not;
    use super::super::{Checked, Memory as _, MemoryCause, MemoryError};
    use super::*;

    #[test]
    fn each_way_reads_what_is_there_and_refuses_what_is_not() {
        reads_what_is_there_and_refuses_what_is_not(&Checked::by_file());
        let call = Checked { reader: Reader::call().unwrap() };
        match call.probe() {
            Ok(()) => reads_what_is_there_and_refuses_what_is_not(&call),
            // An emulator's.
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::ENOSYS)),
        }
    }

    /// Three pages; the second and third are not mapped.
    fn page_before_a_hole() -> (usize, usize) {
        // SAFETY: no pointer goes in.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, at an address of the kernel's choice.
        let base = unsafe { libc::mmap(null_mut(), 3 * page, access, kind, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED);
        // SAFETY: the first page of the mapping is filled, the others are unmapped; nothing refers to them.
        unsafe {
            base.cast::<u8>().write_bytes(0x77, page);
            assert_eq!(libc::munmap(base.byte_add(page), 2 * page), 0);
        }
        (base.expose_provenance(), page)
    }

    #[test]
    fn a_range_that_runs_past_the_end_of_a_page_into_a_hole_is_refused() {
        let (base, page) = page_before_a_hole();
        for memory in [Checked::by_file(), Checked::new().unwrap()] {
            let mut copy = vec![0; 2 * page];
            memory.read(base, &mut copy[..page]).unwrap();
            assert!(copy[..page].iter().all(|byte| *byte == 0x77));
            memory.read(base + page - 1, &mut copy[..1]).unwrap();
            for (start, length) in
                [(page - 1, 2), (page - 8, 16), (0, page + 1), (page, 1), (page + 9, 4), (1, 2 * page)]
            {
                let error = memory.read(base + start, &mut copy[..length]).unwrap_err();
                assert_eq!(error, MemoryError::new(base + start, length, MemoryCause::Unmapped));
            }
        }
    }

    #[test]
    fn the_file_is_closed_with_its_last_user_and_never_a_standard_stream() {
        let memory = Checked::by_file();
        let Reader::File(file) = &memory.reader else { panic!("not by the file") };
        let descriptor = file.as_raw_fd();
        assert!(descriptor >= LOWEST_DESCRIPTOR);
        let name = || std::fs::read_link(format!("/proc/self/fd/{descriptor}"));
        assert!(name().unwrap().ends_with("mem"));
        let other = memory.clone();
        drop(memory);
        reads_what_is_there_and_refuses_what_is_not(&other);
    }

    #[test]
    fn the_file_does_not_show_which_memory_is_readable() {
        let (base, page) = page_before_a_hole();
        let first = core::ptr::with_exposed_provenance_mut(base);
        let memory = Checked::by_file();
        assert_eq!(memory.readable(&[base]), 0);
        // SAFETY: a page of the mapping, which no reference points to.
        assert_eq!(unsafe { libc::mprotect(first, page, libc::PROT_NONE) }, 0);
        assert_eq!(memory.readable(&[base]), 0);
        if let Reader::Call(_) = Checked::new().unwrap().reader {
            assert_eq!(Checked::new().unwrap().readable(&[base]), 0);
        }
    }

    /// The running thread's system calls of these numbers fail with an error from now on.
    #[cfg(target_arch = "x86_64")]
    fn deny(calls: &[libc::c_long], error: i32) {
        let rule = |code: u32, to: u8, k: u32| libc::sock_filter {
            code: code.try_into().unwrap(),
            jt: 0,
            jf: to,
            k,
        };
        // The number of the call is what the data begins with.
        let mut rules = vec![rule(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)];
        for call in calls {
            rules.push(rule(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, u32::try_from(*call).unwrap()));
            rules.push(rule(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | error.unsigned_abs()));
        }
        rules.push(rule(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW));
        let filter = libc::sock_fprog { len: rules.len().try_into().unwrap(), filter: rules.as_mut_ptr() };
        // SAFETY: numbers; and a filter that is alive for the call. It holds for the running thread only.
        unsafe {
            assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
            let mode = libc::SECCOMP_MODE_FILTER;
            assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter), 0);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_refused_call_at_the_start_chooses_the_file() {
        for error in [libc::EPERM, libc::ENOSYS] {
            let thread = std::thread::spawn(move || {
                deny(&[libc::SYS_process_vm_readv], error);
                let memory = Checked::new().unwrap();
                assert!(matches!(memory.reader, Reader::File(_)));
                reads_what_is_there_and_refuses_what_is_not(&memory);
            });
            thread.join().unwrap();
        }
        assert!(matches!(Checked::new().unwrap().reader, Reader::Call(_)));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_call_that_is_refused_later_is_an_error_with_its_code() {
        let thread = std::thread::spawn(|| {
            let memory = Checked::new().unwrap();
            deny(&[libc::SYS_process_vm_readv], libc::EPERM);
            let value = 7_u8;
            let error = memory.read((&raw const value).expose_provenance(), &mut [0]).unwrap_err();
            assert_eq!(error.cause, MemoryCause::Refused(libc::EPERM));
        });
        thread.join().unwrap();
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn where_nothing_is_left_the_error_names_each_way() {
        let thread = std::thread::spawn(|| {
            deny(&[libc::SYS_process_vm_readv, libc::SYS_open, libc::SYS_openat], libc::EACCES);
            Checked::new().unwrap_err().to_string()
        });
        let refused = io::Error::from_raw_os_error(libc::EACCES);
        assert_eq!(thread.join().unwrap(), format!("process_vm_readv: {refused}; /proc/self/mem: {refused}"));
    }
}
