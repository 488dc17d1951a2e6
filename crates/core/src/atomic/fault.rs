//! The atomic types of a build with `--cfg hcube_fault`: the types of the standard library, whose steps are
//! counted, and at one of which the process fails.
//!
//! A step is a store or an update that changes the value. Loads do not count: what a rank leaves to the
//! others when it fails depends only on the steps that it has made, and a loop that polls would have any
//! number of them. So faults before the first step and after each one are all there are.
//!
//! ```text
//! HCUBE_FAULT=KIND[:FILE]:N   the fault after N steps, or N steps of the sources whose paths end so; after
//!                             0 steps: at the first one, before it
//!   kill                      SIGKILL
//!   stop                      SIGSTOP, and SIGCONT after HCUBE_FAULT_SECONDS, 2 by default
//!   memory                    a limit of the address space by which it can no longer grow; 256 KiB of its
//!                             heap are free for messages of the MPI library
//!   interrupt                 from then on a signal every 200 microseconds, whose handler interrupts system
//!                             calls (no SA_RESTART)
//! HCUBE_FAULT=count           no fault: prints `fault: steps RANK FILE N` for each source at exit
//! HCUBE_FAULT_RANK=R          the rank that fails; without it every one does
//! ```
//!
//! A process prints `fault: KIND of rank RANK after N steps` before it fails.

use std::io::Write;
use std::ops::Deref;
use std::panic::Location;
use std::str::FromStr;
use std::sync::atomic::{self, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Kill,
    Stop,
    Memory,
    Interrupt,
}

const NAMES: [(&str, Kind); 4] =
    [("kill", Kind::Kill), ("stop", Kind::Stop), ("memory", Kind::Memory), ("interrupt", Kind::Interrupt)];

/// What a process does at its steps.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Count,
    Fault { kind: Kind, file: String, after: u64 },
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "count" {
            return Ok(Self::Count);
        }
        let usage =
            || format!("HCUBE_FAULT={text}: count, or kill, stop, memory or interrupt, [:FILE] and :N");
        let (front, number) = text.rsplit_once(':').ok_or_else(usage)?;
        let (kind, file) = front.split_once(':').unwrap_or((front, ""));
        let kind =
            NAMES.into_iter().find_map(|(name, named)| (name == kind).then_some(named)).ok_or_else(usage)?;
        let after = number.parse().map_err(|_| usage())?;
        Ok(Self::Fault { kind, file: file.to_owned(), after })
    }
}

/// The steps that were made in each source, in a process that counts them.
static COUNTS: Mutex<Vec<(&str, u64)>> = Mutex::new(Vec::new());

/// The steps towards a fault.
static STEPS: atomic::AtomicU64 = atomic::AtomicU64::new(0);

/// Prints a line in one piece.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(format!("fault: {text}\n").as_bytes());
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// The rank of this process, as its launcher says.
fn rank() -> String {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];
    names.into_iter().find_map(variable).unwrap_or_else(|| "0".to_owned())
}

impl Plan {
    /// The plan of this process, from the environment.
    fn of_process() -> Option<&'static Self> {
        static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
        let read = || {
            let concerned = variable("HCUBE_FAULT_RANK").is_none_or(|wanted| wanted == rank());
            let text = variable("HCUBE_FAULT").filter(|_| concerned)?;
            let plan = text.parse().unwrap_or_else(|message| {
                eprintln!("{message}");
                std::process::exit(2)
            });
            if plan == Self::Count {
                // SAFETY: a function without arguments, which stays where it is.
                unsafe { libc::atexit(print_counts) };
            }
            Some(plan)
        };
        PLAN.get_or_init(read).as_ref()
    }

    /// Performs a step, which may turn out to be none.
    fn step<T>(&self, place: &Location<'static>, change: impl FnOnce() -> (T, bool)) -> T {
        let is_due = |after| match self {
            Self::Fault { kind, file, after: wanted } if place.file().ends_with(file) && after == *wanted => {
                Some(*kind)
            }
            _ => None,
        };
        if let Some(kind) = is_due(0).filter(|_| STEPS.fetch_max(1, Ordering::Relaxed) == 0) {
            fail(kind, 0);
        }
        let (result, changed) = change();
        match self {
            Self::Count if changed => count(place.file()),
            Self::Fault { file, .. } if changed && place.file().ends_with(file) => {
                let made = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
                if let Some(kind) = is_due(made) {
                    fail(kind, made);
                }
            }
            _ => {}
        }
        result
    }
}

fn count(file: &'static str) {
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    match counts.iter_mut().find(|(counted, _)| *counted == file) {
        Some((_, steps)) => *steps += 1,
        None => counts.push((file, 1)),
    }
}

extern "C" fn print_counts() {
    let counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let rank = rank();
    counts.iter().for_each(|(file, steps)| say(&format!("steps {rank} {file} {steps}")));
}

/// The fault, which this process may survive.
fn fail(kind: Kind, steps: u64) {
    let name = NAMES.iter().find(|(_, named)| *named == kind).map_or("", |(name, _)| name);
    say(&format!("{name} of rank {} after {steps} steps", rank()));
    match kind {
        Kind::Kill => send(libc::SIGKILL),
        Kind::Stop => stop(),
        Kind::Memory => limit_memory(),
        Kind::Interrupt => interrupt(),
    }
}

fn send(signal: libc::c_int) {
    // SAFETY: a signal to this process.
    unsafe { libc::kill(libc::getpid(), signal) };
}

/// Stops until another process lets it continue.
fn stop() {
    let seconds = variable("HCUBE_FAULT_SECONDS").unwrap_or_else(|| "2".to_owned());
    let script = format!("sleep {seconds}; kill -CONT {}", std::process::id());
    let mut shell = std::process::Command::new("/bin/sh");
    let waker = shell.args(["-c", &script]).env_clear().env("PATH", "/usr/bin:/bin").spawn();
    let mut waker = waker.expect("a process that wakes this one");
    send(libc::SIGSTOP);
    let _ = waker.wait();
}

/// Nothing more can be mapped. Some of the heap is free for the MPI library: without memory for a message
/// that has come too early, Open MPI 4 writes to address 0, or lets both sides wait for ever.
fn limit_memory() {
    enlarge_heap();
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = sizes.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
    // SAFETY: has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let limit = libc::rlimit { rlim_cur: pages * page as u64, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the limit lives during the call.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}

/// Makes the heap larger by blocks that are not mapped one by one, and frees them.
fn enlarge_heap() {
    // SAFETY: changes when the heap gives back memory.
    unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX) };
    // SAFETY: has no preconditions.
    let blocks = [(); 16].map(|()| unsafe { libc::malloc(16 << 10) });
    // SAFETY: each block is freed once; null is permitted.
    blocks.into_iter().for_each(|block| unsafe { libc::free(block) });
}

extern "C" fn ignore(_: libc::c_int) {}

/// Signals that interrupt system calls, from now on.
fn interrupt() {
    let every = libc::timespec { tv_sec: 0, tv_nsec: 200_000 };
    let times = libc::itimerspec { it_interval: every, it_value: every };
    // SAFETY: all structures live during the calls; zeros are an empty set of signals, no flags and no value.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ignore as *const () as usize;
        libc::sigaction(libc::SIGURG, &action, std::ptr::null_mut());
        let (mut event, mut timer): (libc::sigevent, libc::timer_t) = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = libc::SIGURG;
        libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer);
        libc::timer_settime(timer, 0, &times, std::ptr::null_mut());
    }
}

/// Performs a step of this process.
fn step<T>(place: &Location<'static>, change: impl FnOnce() -> (T, bool)) -> T {
    match Plan::of_process() {
        Some(plan) => plan.step(place, change),
        None => change().0,
    }
}

/// A type of the standard library whose stores and updates are steps.
macro_rules! counted {
    ($name:ident, $value:ty, $($update:ident $_:ident),*) => {
        /// As the type of this name in the standard library.
        #[repr(transparent)]
        #[derive(Debug, Default)]
        pub struct $name(atomic::$name);

        impl Deref for $name {
            type Target = atomic::$name;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl $name {
            /// A new one.
            pub const fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            passed_on!($value);

            /// Stores a value.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                step(Location::caller(), || (self.0.store(value, order), true));
            }

            /// Stores a value where the current one is as expected.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                step(Location::caller(), || {
                    let result = self.0.compare_exchange(current, new, success, failure);
                    (result, result.is_ok())
                })
            }

            /// Stores a value, and returns the one before.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                step(Location::caller(), || (self.0.swap(value, order), true))
            }

            $(
                /// As the function of this name of the standard library.
                #[track_caller]
                pub fn $update(&self, value: $value, order: Ordering) -> $value {
                    step(Location::caller(), || (self.0.$update(value, order), true))
                }
            )*
        }
    };
}

of_all_types!(counted);

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(kind: Kind, file: &str, after: u64) -> Result<Plan, String> {
        Ok(Plan::Fault { kind, file: file.to_owned(), after })
    }

    #[test]
    fn plans_are_read_from_the_environment() {
        assert_eq!("count".parse(), Ok(Plan::Count));
        assert_eq!("kill:0".parse(), fault(Kind::Kill, "", 0));
        assert_eq!("stop:node/board.rs:12".parse(), fault(Kind::Stop, "node/board.rs", 12));
        assert_eq!("memory:1".parse(), fault(Kind::Memory, "", 1));
        assert_eq!("interrupt:x.rs:1".parse(), fault(Kind::Interrupt, "x.rs", 1));
        for wrong in ["", "kill", "kill:", "kill:x.rs", "kill:-1", "die:1", "count:1"] {
            assert!(wrong.parse::<Plan>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn stores_and_updates_that_change_a_value_are_steps() {
        let place = Location::caller();
        let made = || {
            let counts = COUNTS.lock().expect("no panic");
            counts.iter().find(|(file, _)| *file == place.file()).map_or(0, |(_, steps)| *steps)
        };
        let cell = atomic::AtomicU64::new(1);
        assert!(
            Plan::Count
                .step(place, || (cell.compare_exchange(2, 3, Ordering::Relaxed, Ordering::Relaxed), false))
                .is_err()
        );
        assert_eq!(made(), 0);
        assert_eq!(Plan::Count.step(place, || (cell.fetch_add(1, Ordering::Relaxed), true)), 1);
        assert_eq!(made(), 1);
    }

    #[test]
    fn the_types_have_the_layout_of_the_standard_library() {
        let mut word = 5_u32;
        // SAFETY: this word, which nobody else accesses.
        let cell = unsafe { AtomicU32::from_ptr(&raw mut word) };
        cell.store(7, Ordering::Relaxed);
        assert_eq!(cell.fetch_add(1, Ordering::Relaxed), 7);
        assert_eq!(cell.load(Ordering::Relaxed), 8);
        assert_eq!(size_of::<AtomicBool>(), 1);
    }
}
