//! Whether the own host name resolves, which Open MPI asks for when a job is aborted.

use super::finding::{Finding, State, Topic};
use hcube_core::Result;
use hcube_core::comm::Comm;
use std::fs;
use std::net::ToSocketAddrs;
use std::thread::{self, JoinHandle};

const TOPIC: Topic = Topic::HostName;

/// A question to the name service, which may answer only after many seconds.
pub struct Asked {
    name: String,
    answer: JoinHandle<bool>,
}

impl Asked {
    /// Asks while the other findings are made.
    pub fn new() -> Self {
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
        let question = name.clone();
        let answer = thread::spawn(move || (question.as_str(), 0).to_socket_addrs().is_ok());
        Self { name, answer }
    }

    /// Collective: what all ranks were answered.
    pub fn finding(self, comm: &impl Comm) -> Result<Finding> {
        let resolves = self.answer.join().unwrap_or(false);
        let mut failed = [u64::from(!resolves)];
        comm.all_reduce_sum(&mut failed)?;
        Ok(judge(&self.name, resolves, failed[0] as usize))
    }
}

/// The finding of a rank for the name of its host.
fn judge(name: &str, resolves: bool, failed: usize) -> Finding {
    let whose = if resolves { "the host name of".to_owned() } else { format!("'{name}', the host name of") };
    match failed {
        0 => Finding::new(TOPIC, State::Good, format!("'{name}' resolves to an address")),
        _ => Finding::new(TOPIC, State::Slow, format!("{whose} {failed} rank(s) does not resolve to an address")).advise(
            "add the name to /etc/hosts ('127.0.1.1 NAME'): MPI_Abort of Open MPI otherwise waits for the name service, often 10 s",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_does_not_resolve_has_advice() {
        assert_eq!(judge("here", true, 0).state, State::Good);
        let own = judge("here", false, 2);
        assert_eq!(
            (own.state, &*own.text),
            (State::Slow, "'here', the host name of 2 rank(s) does not resolve to an address")
        );
        assert!(own.advice.is_some_and(|advice| advice.contains("/etc/hosts") && advice.contains("10 s")));
        let other = judge("here", true, 1);
        assert_eq!(
            (other.state, &*other.text),
            (State::Slow, "the host name of 1 rank(s) does not resolve to an address")
        );
    }
}
