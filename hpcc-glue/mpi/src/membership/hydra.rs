//! The process manager of MPICH (`mpiexec`, hydra), by its protocol PMI-1: lines on a socket, whose number is
//! in the environment. MPICH does not export its own functions for this.
//!
//! The values that a process puts before `MPI_Init` reach all processes with the first barrier of `MPI_Init`,
//! which hydra does not open before each process has sent its values. A first `init` empties the store of the
//! node, so each process sends one before it puts; MPICH's own `init` follows and changes nothing. A request
//! for a key that does not exist is answered immediately.
//!
//! Cost: 5 requests before `MPI_Init`, and one after it, of 50 to 300 us (measured: 2 and 20 processes of one
//! node); one for each process where they are few ([`MAX_ASKED`]) or not all started by the same command.
//!
//! Source: hydra of MPICH 4.0.2, `pm/pmiserv/pmip_pmi_v1.c`.

use super::published::Published;
use hcube_drop_in::launcher::number;
use hcube_drop_in::mpi_library::is_open_mpi;
use std::fs::File;
use std::io::{Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

/// Up to this number of processes each of them requests all others: 64 * 64 requests, which the manager
/// serves one by one, take less time than `MPI_Init`.
const MAX_ASKED: usize = 64;

/// A connection to the manager, between two requests of MPI.
pub struct Client {
    /// It belongs to MPI, which closes it.
    socket: ManuallyDrop<File>,
    /// The name of the store of this job.
    store: String,
    size: usize,
}

/// The token of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// The number of its program in the command that has started the job.
    program: usize,
    value: String,
}

impl Client {
    /// Publishes a value for this process; `None` under another launcher, and for Open MPI, whose processes
    /// are separate jobs under this one: it ends all of them if one that has connected to it ends without
    /// finalising.
    pub fn publish(value: &str) -> Option<Self> {
        let [descriptor, rank, size] = ["PMI_FD", "PMI_RANK", "PMI_SIZE"].map(number);
        // Other managers use the same variables for another protocol.
        std::env::var_os("HYDI_CONTROL_FD").filter(|_| !is_open_mpi())?;
        let (descriptor, rank, size) = (i32::try_from(descriptor?).ok()?, rank?, size?);
        // SAFETY: the descriptor that the launcher has opened for this process; it is never closed here.
        let socket = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
        let mut client = Self { socket, store: String::new(), size };
        let begun = client.ask("cmd=init pmi_version=1 pmi_subversion=1")?;
        field(&begun, "rc").filter(|code| *code == "0")?;
        client.store = field(&client.ask("cmd=get_my_kvsname")?, "kvsname")?.to_owned();
        let program = field(&client.ask("cmd=get_appnum")?, "appnum")?.to_owned();
        let place = format!("kvsname={} key={}", client.store, key(rank));
        let put = client.ask(&format!("cmd=put {place} value={program}/{value}"))?;
        (field(&put, "rc") == Some("0")).then_some(client)
    }

    /// After `MPI_Init`: what the processes have published; `None` if the manager does not answer.
    pub fn look(mut self) -> Option<Published> {
        let size = self.size;
        look(size, |rank| {
            let reply = self.ask(&format!("cmd=get kvsname={} key={}", self.store, key(rank)))?;
            Some(entry(&reply))
        })
    }

    /// A request and its reply, of one line each. MPI waits for the manager in the same way.
    fn ask(&mut self, request: &str) -> Option<String> {
        self.socket.write_all(format!("{request}\n").as_bytes()).ok()?;
        let (mut reply, mut room) = (Vec::new(), [0; 1024]);
        while reply.last() != Some(&b'\n') {
            match self.socket.read(&mut room) {
                Ok(0) => return None,
                Ok(length) => reply.extend_from_slice(&room[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        String::from_utf8(reply).ok()
    }
}

fn key(rank: usize) -> String {
    format!("hcube-{rank}")
}

/// The value of a field of a reply.
fn field<'a>(reply: &'a str, name: &str) -> Option<&'a str> {
    reply.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// The entry of a process in the reply to a request for its key; `None` if it has published nothing.
fn entry(reply: &str) -> Option<Entry> {
    field(reply, "rc").filter(|code| *code == "0")?;
    let (program, value) = field(reply, "value")?.split_once('/')?;
    Some(Entry { program: program.parse().ok()?, value: value.to_owned() })
}

/// What `size` processes have published. Programs have consecutive ranks, so the last process belongs to the
/// first program only if there is no other.
fn look(size: usize, mut fetch: impl FnMut(usize) -> Option<Option<Entry>>) -> Option<Published> {
    let last = fetch(size.checked_sub(1)?)?;
    if size > MAX_ASKED && last.is_some_and(|last| last.program == 0) {
        return Some(Published::OneProgram);
    }
    let values = (0..size).map(|rank| Some(fetch(rank)?.map(|entry| entry.value)));
    values.collect::<Option<_>>().map(Published::Values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_program(program: usize) -> Option<Entry> {
        Some(Entry { program, value: "0.1.0:0|7/1/2/3".to_owned() })
    }

    #[test]
    fn replies_are_read() {
        assert_eq!(entry("cmd=get_result rc=0 msg=success value=2/0.1.0:0|7/1/2/3\n"), of_program(2));
        assert_eq!(entry("cmd=get_result rc=-1 msg=key_hcube-0_not_found value=unknown\n"), None);
        for broken in
            ["", "\n", "rc=0", "rc=0 value=", "rc=0 value=x/0.1.0:0", "value=2/0.1.0:0", "rc=0 value=2"]
        {
            assert_eq!(entry(broken), None, "{broken}");
        }
    }

    /// The answer, and the number of requests.
    fn asked(entries: &[Option<Entry>]) -> (Option<Published>, usize) {
        let mut requests = 0;
        let found = look(entries.len(), |rank| {
            requests += 1;
            Some(entries[rank].clone())
        });
        (found, requests)
    }

    fn missing(published: Option<Published>) -> Vec<usize> {
        let Some(Published::Values(values)) = published else { panic!("{published:?}") };
        (0..values.len()).filter(|&rank| values[rank].is_none()).collect()
    }

    #[test]
    fn few_processes_are_all_asked() {
        let mut entries = vec![of_program(0); 5];
        assert!(missing(asked(&entries).0).is_empty());
        entries[2] = None;
        assert_eq!(missing(asked(&entries).0), [2]);
    }

    #[test]
    fn of_many_processes_the_last_shows_whether_there_are_other_programs() {
        let mut entries = vec![of_program(0); 100];
        assert_eq!(asked(&entries), (Some(Published::OneProgram), 1));
        entries[99] = None;
        assert_eq!(missing(asked(&entries).0), [99]);
        entries[99] = of_program(1);
        entries[3] = None;
        assert_eq!(missing(asked(&entries).0), [3]);
    }

    #[test]
    fn a_manager_that_does_not_answer_decides_nothing() {
        assert_eq!(look(3, |_| None), None);
        assert_eq!(look(3, |rank| (rank == 2).then_some(None)), None);
        assert_eq!(look(0, |_| Some(None)), None);
    }
}
