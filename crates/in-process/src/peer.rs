//! The process at the other end of a socket.
//!
//! Contract of the unsafe code here: one call of the system's library, with a descriptor that is borrowed for the call and pointers to
//! locals of the sizes that are passed. Not by rustix, whose process id cannot be zero: that is what the kernel returns for a process
//! in a PID namespace that cannot be seen from here, as in a container.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, AsRawFd as _};

/// The process that has connected a socket, or that listens at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its user, as this process's user namespace has it: the overflow user if it is not in there.
    pub user: u32,
    /// Its id in this PID namespace; `None` if it is not in there.
    pub process: Option<u32>,
}

/// Returns the process at the other end of a Unix domain socket, as it was when it connected or began to listen. `SO_PEERCRED`.
///
/// # Errors
/// If this is no socket.
pub fn peer_of(socket: impl AsFd) -> io::Result<Peer> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = libc::socklen_t::try_from(size_of_val(&found)).unwrap_or_default();
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: a borrowed descriptor, and two locals, the second with the size of the first, whose members are numbers.
    let result = unsafe {
        let found = (&raw mut found).cast();
        libc::getsockopt(socket, libc::SOL_SOCKET, libc::SO_PEERCRED, found, &raw mut size)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let process = u32::try_from(found.pid).ok().filter(|pid| *pid != 0);
    Ok(Peer { user: found.uid, process })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_peer_of_a_socket_of_ones_own_is_oneself() {
        let (one, _other) = UnixStream::pair().unwrap();
        let user = rustix::process::geteuid().as_raw();
        assert_eq!(peer_of(&one).unwrap(), Peer { user, process: Some(std::process::id()) });
    }

    #[test]
    fn a_descriptor_that_is_no_socket_is_an_error() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(peer_of(&file).unwrap_err().raw_os_error(), Some(libc::ENOTSOCK));
    }
}
