//! Messages from processes of a node to one of them, which receives them later, without MPI.
//!
//! Idea: a pipe of the receiver. Other processes open it through `/proc/<pid>/fd` by its address, which they
//! must have received once. Data stays in the pipe when its sender ends; the pipe has no name in any file
//! system and is freed with the receiver. Neither end blocks: a message that does not fit is refused.
//!
//! Restrictions: a message has at most [`MAX_MESSAGE_BYTES`], so that messages of several senders are not
//! interleaved. The pipe holds 64 KiB, or 1 MiB if the system permits it. It does not count for RLIMIT_FSIZE.

use crate::error::{Error, Result, reason};
use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::str::FromStr;

/// `PIPE_BUF`: shorter writes arrive in one piece.
pub const MAX_MESSAGE_BYTES: usize = 4096;
/// The maximum for an unprivileged process by default (`/proc/sys/fs/pipe-max-size`).
const CAPACITY_BYTES: libc::c_int = 1 << 20;

/// The receiver's end.
#[derive(Debug)]
pub struct Pipe {
    pipe: File,
    address: Address,
}

/// Where senders find a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    process: u32,
    /// The number of the pipe there.
    file: i32,
    /// The number of the pipe in the system: proof that the file found is the right one.
    object: u64,
}

fn failed(what: &str, error: &std::io::Error) -> Error {
    Error::Memory(format!("{what}: {}", reason(error)))
}

impl Pipe {
    /// An empty pipe.
    ///
    /// # Errors
    /// Where the process may not open further files.
    pub fn new() -> Result<Self> {
        let (reader, _) = std::io::pipe().map_err(|error| failed("a pipe for messages", &error))?;
        let pipe = File::from(OwnedFd::from(reader));
        // SAFETY: numbers for a file that is open. A pipe that stays smaller holds less.
        unsafe {
            libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK);
            libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, CAPACITY_BYTES);
        }
        let object = pipe.metadata().map_err(|error| failed("a pipe for messages", &error))?.ino();
        let address = Address { process: std::process::id(), file: pipe.as_raw_fd(), object };
        Ok(Self { pipe, address })
    }

    /// Where senders find it.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Adds what has arrived to `bytes`.
    ///
    /// # Errors
    /// Where the pipe is not open any more: a program may close all files.
    pub fn receive(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let object = self.pipe.metadata().map(|data| data.ino());
        if object.ok() != Some(self.address.object) {
            return Err(Error::Memory("the pipe for messages was closed".into()));
        }
        // The end of the file is reached when its last sender so far has closed it; without messages the read
        // would wait.
        match (&self.pipe).read_to_end(bytes) {
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => {
                Err(failed("a pipe for messages", &error))
            }
            _ => Ok(()),
        }
    }
}

impl Address {
    /// Sends a message of at most [`MAX_MESSAGE_BYTES`].
    ///
    /// # Errors
    /// Where the receiver has ended or cannot be reached, or its pipe is full.
    pub fn send(&self, message: &[u8]) -> Result<()> {
        if message.len() > MAX_MESSAGE_BYTES {
            return Err(Error::Internal(format!("a message of {} bytes", message.len())));
        }
        let path = format!("/proc/{}/fd/{}", self.process, self.file);
        let describe = |error: std::io::Error| failed(&path, &error);
        let target = std::fs::read_link(&path).map_err(describe)?;
        // Open for reading as well: writing to a pipe without readers would raise SIGPIPE.
        let mut pipe = match target.to_string_lossy() == format!("pipe:[{}]", self.object) {
            true => File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&path),
            false => return Err(Error::Memory(format!("{path} is not the pipe for messages"))),
        }
        .map_err(describe)?;
        if pipe.metadata().map_err(describe)?.ino() != self.object {
            return Err(Error::Memory(format!("{path} is not the pipe for messages")));
        }
        pipe.write_all(message).map_err(describe)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}/{}", self.process, self.file, self.object)
    }
}

impl FromStr for Address {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let mut words = text.split('/');
        let mut word = || words.next().ok_or(());
        let (process, file, object) = (word()?, word()?, word()?);
        let address = Self {
            process: process.parse().map_err(drop)?,
            file: file.parse().map_err(drop)?,
            object: object.parse().map_err(drop)?,
        };
        if words.next().is_some() { Err(()) } else { Ok(address) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(pipe: &Pipe) -> Vec<u8> {
        let mut bytes = Vec::new();
        pipe.receive(&mut bytes).expect("open");
        bytes
    }

    #[test]
    fn messages_arrive_after_their_senders_have_gone() {
        let pipe = Pipe::new().expect("a pipe");
        assert!(received(&pipe).is_empty());
        let address: Address = pipe.address().to_string().parse().expect("an address");
        for message in [&b"one"[..], b"two"] {
            address.send(message).expect("room");
        }
        assert_eq!(received(&pipe), b"onetwo");
        assert!(received(&pipe).is_empty());
    }

    #[test]
    fn nobody_waits_for_a_pipe_that_is_full_or_gone() {
        let pipe = Pipe::new().expect("a pipe");
        let address = pipe.address();
        let message = [1; MAX_MESSAGE_BYTES];
        let sent = (0..1000).take_while(|_| address.send(&message).is_ok()).count();
        assert!((1..1000).contains(&sent), "{sent} messages");
        assert_eq!(received(&pipe).len(), sent * MAX_MESSAGE_BYTES);
        assert!(address.send(&[0; MAX_MESSAGE_BYTES + 1]).is_err());
        drop(pipe);
        assert!(address.send(&message).is_err());
    }

    #[test]
    fn another_file_is_not_taken_for_the_inbox() {
        let pipe = Pipe::new().expect("a pipe");
        let wrong = Address { object: pipe.address().object + 1, ..pipe.address() };
        assert!(wrong.send(b"lost").is_err());
        assert!(["", "1/2", "1/2/3/4", "a/2/3"].iter().all(|text| text.parse::<Address>().is_err()));
    }
}
