//! What a client passes to a tool that is to connect to it: where, for how long, and how it is known to be the one.

/// The name of the line in the client data of an attach request, and of the variable of a program that is started.
pub const LINK: &str = "CORPROF_LINK";

/// A client that waits for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The socket, as the process of the tool sees it.
    pub path: String,
    /// What the tool has to say first.
    pub nonce: String,
    /// The time by [`clock`] at which nobody waits any more.
    pub deadline: u64,
}

impl Invitation {
    /// Returns the line of the client data, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{LINK}={}", self.value())
    }

    /// Returns the value of the variable [`LINK`].
    #[must_use]
    pub fn value(&self) -> String {
        format!("{} {} {}", self.deadline, self.nonce, self.path)
    }

    /// Finds the invitation in client data; `None` if there is none.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub fn of_client_data(data: &[u8]) -> Result<Option<Self>, &'static str> {
        let text = String::from_utf8_lossy(data);
        let Some(line) = text.lines().find_map(|line| line.strip_prefix(LINK)?.strip_prefix('=')) else {
            return Ok(None);
        };
        Self::of_value(line).map(Some)
    }

    /// Reads the value of the variable [`LINK`].
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_value(value: &str) -> Result<Self, &'static str> {
        let mut words = value.splitn(3, ' ');
        let (Some(deadline), Some(nonce), Some(path)) = (words.next(), words.next(), words.next()) else {
            return Err("the invitation of the client is no deadline, nonce and path");
        };
        let Ok(deadline) = deadline.parse() else {
            return Err("the deadline of the client's invitation is no number");
        };
        Ok(Self { path: path.to_owned(), nonce: nonce.to_owned(), deadline })
    }

    /// Returns whether nobody waits any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        clock() > self.deadline
    }
}

/// Nanoseconds of a clock that all processes share and that goes on while the machine sleeps: `CLOCK_BOOTTIME` on Linux.
#[must_use]
pub fn clock() -> u64 {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};

        #[cfg(target_os = "linux")]
        let id = ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let id = ClockId::Monotonic;
        let now = clock_gettime(id);
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(now.tv_nsec).unwrap_or_default())
    }
    #[cfg(not(unix))]
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_a_line_of_the_client_data() {
        let invitation =
            Invitation { path: "/tmp/a b/c.sock".to_owned(), nonce: "0f".to_owned(), deadline: 7 };
        let data = format!("CPU_HZ=10\n{}\nCPU_TOP=3\n", invitation.line());
        assert_eq!(Invitation::of_client_data(data.as_bytes()), Ok(Some(invitation.clone())));
        assert_eq!(Invitation::of_value(&invitation.value()), Ok(invitation.clone()));
        assert_eq!(Invitation::of_client_data(b"CPU_HZ=10\n\xFF=1"), Ok(None));
        assert!(Invitation::of_client_data(b"CORPROF_LINK=x y z").is_err());
        assert!(Invitation::of_client_data(b"CORPROF_LINK=1 y").is_err());
        assert_eq!(invitation.is_over(), cfg!(unix));
        assert!(!Invitation { deadline: clock() + 60_000_000_000, ..invitation }.is_over());
    }
}
