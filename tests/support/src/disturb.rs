//! Disturbs a rank of a job that is running.

use super::supervise::processes;
use std::fs;
use std::time::Duration;

/// What happens to a rank some time after the start of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disturbance {
    pub rank: usize,
    pub after: Duration,
    pub what: Signal,
}

/// What is sent to the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGKILL.
    Kill,
    /// SIGSTOP, and SIGCONT after this time.
    Stop(Duration),
}

/// The progress of a disturbance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Waits,
    /// The process that was stopped, and when it goes on, from the start of the job.
    Stopped(i32, Duration),
    Done,
}

impl Disturbance {
    /// Does what is due some time after the start of the job with this marker.
    pub(super) fn advance(self, progress: Progress, marker: &str, since_start: Duration) -> Progress {
        match progress {
            Progress::Waits if since_start >= self.after => {
                let Some(process) = process_of(marker, self.rank) else { return progress };
                match self.what {
                    Signal::Kill => send(process, libc::SIGKILL, Progress::Done),
                    Signal::Stop(length) => {
                        send(process, libc::SIGSTOP, Progress::Stopped(process, since_start + length))
                    }
                }
            }
            Progress::Stopped(process, until) if since_start >= until => {
                send(process, libc::SIGCONT, Progress::Done)
            }
            _ => progress,
        }
    }
}

fn send(process: i32, signal: i32, then: Progress) -> Progress {
    // SAFETY: a signal to a process that this test has started.
    unsafe { libc::kill(process, signal) };
    then
}

/// The process of a rank, which its launcher has told its number in a variable.
fn process_of(marker: &str, rank: usize) -> Option<i32> {
    let wanted = [format!("OMPI_COMM_WORLD_RANK={rank}"), format!("PMI_RANK={rank}")];
    processes(marker).into_iter().find_map(|process| {
        let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
        let is_rank = |variable: &[u8]| wanted.iter().any(|one| one.as_bytes() == variable);
        environment.split(|&byte| byte == 0).any(is_rank).then_some(process as i32)
    })
}
