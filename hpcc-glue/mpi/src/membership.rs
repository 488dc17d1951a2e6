//! Whether all processes of `MPI_COMM_WORLD` have this library. A launcher may start several programs as one
//! job, with different environments (`mpirun -n 1 a : -n 2 b`), or a script may set `LD_PRELOAD` only on some
//! ranks. An exchange by hcube would then wait for the other processes forever, so all calls are forwarded.
//!
//! Idea: a collective operation cannot decide, because the other processes never enter it. The process
//! manager can: each process publishes a token before `MPI_Init`, whose own exchange of addresses distributes
//! it to all processes, and reads the tokens of the others after it. A token that is missing then is never
//! published, so no process waits, and all processes see the same tokens and make the same decision. The
//! token contains version and options, so processes with different ones forward as well.
//!
//! 1. `pmix`: Open MPI, also under Slurm. 10 us per process (measured: 4 and 40 processes of one node),
//!    within the spread of `MPI_Init`, 280 ms.
//! 2. `hydra`: MPICH's `mpiexec`. 50 to 300 us per request.
//! 3. Without these: a job of several programs forwards (Open MPI gives their number in the environment),
//!    all other jobs are assumed to have the library on all processes. Ranks that wait for others in a set-up
//!    print a message after 10 s.
//!
//! Not used: `MPI_Publish_name`, which needs a name server with Open MPI and cannot tell that a name will
//! never be published; sockets by the name of job and rank, which work only inside a node.
//!
//! Under the launcher of another MPI library, each process is a separate job with one rank, which has nothing
//! to exchange. The process manager of that launcher is not queried, and its information about processes is
//! ignored.
//!
//! Restrictions: scripts that set `LD_PRELOAD` on some ranks are not recognised with MPICH for more than
//! [`MAX_ASKED`](hydra) processes, nor with other launchers of MPICH.

mod hydra;
mod pmix;
mod published;

use crate::statistics::{COLLECTION, wanted};
use hcube_alltoall::Options;
use hcube_alltoall::mpi_front::expect_missing_processes;
use hcube_core::mpi::attribute;
use hcube_drop_in::launcher::{Strangers, number, strangers};
use hcube_drop_in::mpi_library::{self, is_open_mpi};
use hcube_drop_in::world::{self, SUCCESS};
use published::Published;
use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Between the token and the place of statistics.
const SEPARATOR: char = '|';

/// The token of a process, compared with the token of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// The token of this process.
    Same,
    /// The token of another version, or with other options.
    Other,
    /// None.
    Missing,
}

/// The state of the processes of `MPI_COMM_WORLD`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Knowledge {
    /// All have the library, with the same version and options.
    Everybody,
    /// Nothing, but all processes run one program, so that it is assumed.
    Assumed,
    /// Some have not; by rank.
    Some(Vec<Token>),
    /// Several programs were started as one job, and it is unknown which libraries they have loaded.
    Unknown,
}

/// Set once, by `MPI_Init` or by the first call.
static KNOWLEDGE: OnceLock<Knowledge> = OnceLock::new();

/// Whether all processes of `MPI_COMM_WORLD` have this library: the same answer on all processes that have
/// it.
pub fn everybody_has_hcube() -> bool {
    match KNOWLEDGE.get_or_init(by_environment) {
        Knowledge::Everybody => true,
        Knowledge::Assumed => {
            expect_missing_processes();
            true
        }
        Knowledge::Some(_) | Knowledge::Unknown => false,
    }
}

/// `MPI_Init` of the program, by `forward`. A program for another MPI library must not come here.
pub fn initialise(forward: impl FnOnce() -> c_int) -> c_int {
    /// Another preloaded library may call the `PMPI_` form.
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return forward();
    }
    let token = token();
    let value = match wanted().map(|_| COLLECTION.place()) {
        Some(place) => format!("{token}{SEPARATOR}{place}"),
        None => token.clone(),
    };
    if let Some(client) = pmix::Client::publish(&value) {
        let code = forward();
        conclude(code, &token, || Some(client.look()));
        return code;
    }
    let client = hydra::Client::publish(&value);
    let code = forward();
    conclude(code, &token, || client?.look());
    code
}

/// After `MPI_Init`.
fn conclude(code: c_int, token: &str, look: impl FnOnce() -> Option<Published>) {
    if code != SUCCESS {
        return;
    }
    attribute::prepare();
    let (rank, ranks) = (world::rank(), world::size());
    // The processes of a launcher that is not the one of MPI.
    let published = look().filter(|published| published.is_of(ranks));
    if let Some(Strangers { processes, is_first: true }) = strangers(is_open_mpi(), ranks) {
        let line = format!(
            "hcube: the launcher has started {processes} processes, but each of them is a job of its own with one rank: it does not belong \
             to the MPI library of the program, {}\n",
            mpi_library::name()
        );
        // In one piece: other processes write as well.
        eprint!("{line}");
    }
    if let Some(Published::Values(values)) = &published {
        let places = values.iter().map(|value| value.as_ref()?.split_once(SEPARATOR).map(|(_, place)| place));
        COLLECTION.decide(&places.collect::<Vec<_>>());
    }
    let knowledge = || match published {
        // A process that was not started by a launcher, or by the launcher of another MPI library.
        _ if ranks == 1 => Knowledge::Everybody,
        published => Knowledge::of(published, token),
    };
    match KNOWLEDGE.get_or_init(knowledge) {
        Knowledge::Everybody | Knowledge::Assumed => {}
        Knowledge::Some(tokens) => {
            if tokens.iter().position(|&token| token != Token::Missing).is_none_or(|first| first == rank) {
                eprintln!("hcube: {}: all calls are forwarded to the MPI library", reason(tokens));
            }
        }
        Knowledge::Unknown => {
            if first_of_its_program(rank) {
                eprintln!(
                    "hcube: the job consists of several programs, and it is not known whether all of them have loaded \
                     libhcube_preload.so: all calls are forwarded to the MPI library"
                );
            }
        }
    }
}

impl Knowledge {
    fn of(published: Option<Published>, own: &str) -> Self {
        match published {
            Some(Published::Values(values)) => {
                Self::of_tokens(values.iter().map(|value| Token::of(value.as_deref(), own)).collect())
            }
            Some(Published::OneProgram) => Self::Assumed,
            None => by_environment(),
        }
    }

    fn of_tokens(tokens: Vec<Token>) -> Self {
        if tokens.iter().all(|&token| token == Token::Same) { Self::Everybody } else { Self::Some(tokens) }
    }
}

/// Why calls are forwarded, for a message.
fn reason(tokens: &[Token]) -> String {
    let missing = tokens.iter().filter(|&&token| token == Token::Missing).count();
    match tokens.iter().position(|&token| token == Token::Missing) {
        Some(first) => format!(
            "{missing} of {} processes of MPI_COMM_WORLD have not loaded libhcube_preload.so (the first is rank {first})",
            tokens.len()
        ),
        None => "versions or options (HCUBE_*) differ between the processes of MPI_COMM_WORLD".to_owned(),
    }
}

impl Token {
    fn of(value: Option<&str>, own: &str) -> Self {
        match value.map(|value| value.split(SEPARATOR).next()) {
            Some(token) if token == Some(own) => Self::Same,
            Some(_) => Self::Other,
            None => Self::Missing,
        }
    }
}

/// The values that must be the same on all processes, as one word for all process managers.
fn token() -> String {
    let options = match Options::from_environment() {
        Ok(options) => options.agreement().iter().map(|(_, value)| format!(":{value}")).collect(),
        // The first exchange reports it.
        Err(_) => ":invalid".to_owned(),
    };
    format!("{}{options}", env!("CARGO_PKG_VERSION"))
}

/// Open MPI's number of programs of the job.
fn by_environment() -> Knowledge {
    match number("OMPI_NUM_APP_CTX") {
        Some(2..) => Knowledge::Unknown,
        _ => Knowledge::Assumed,
    }
}

/// Whether a process is the first one of its program, by Open MPI's launcher.
fn first_of_its_program(rank: usize) -> bool {
    let counts = std::env::var("OMPI_APP_CTX_NUM_PROCS").unwrap_or_default();
    is_first(rank, counts.split_whitespace().filter_map(|count| count.parse().ok()))
}

/// Whether a rank is the first one of a group, from the sizes of all groups.
fn is_first(rank: usize, sizes: impl Iterator<Item = usize>) -> bool {
    let mut end = 0;
    rank == 0
        || sizes.into_iter().any(|size| {
            end += size;
            end == rank
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_missing_is_enough() {
        use Token::{Missing, Other, Same};
        assert_eq!(Knowledge::of_tokens(vec![Same; 3]), Knowledge::Everybody);
        for tokens in [[Same, Missing, Same], [Other, Same, Same], [Missing; 3]] {
            assert_eq!(Knowledge::of_tokens(tokens.to_vec()), Knowledge::Some(tokens.to_vec()));
        }
        assert_eq!(
            [Some("1:0"), Some("1:0|place"), Some("1:1|place"), None].map(|value| Token::of(value, "1:0")),
            [Same, Same, Other, Missing]
        );
        assert!(reason(&[Same, Missing, Missing]).starts_with("2 of 3 processes"));
        assert!(reason(&[Other, Same]).contains("differ"));
    }

    #[test]
    fn each_program_has_a_first_rank() {
        let firsts = |sizes: &[usize]| -> Vec<usize> {
            let total = sizes.iter().sum();
            (0..total).filter(|&rank| is_first(rank, sizes.iter().copied())).collect()
        };
        assert_eq!(firsts(&[1, 2, 3]), [0, 1, 3]);
        assert_eq!(firsts(&[4]), [0]);
        assert!(is_first(0, std::iter::empty()));
    }

    #[test]
    fn the_token_is_one_word_without_assignment() {
        let token = token();
        assert!(token.starts_with(env!("CARGO_PKG_VERSION")) && token.matches(':').count() == 4, "{token}");
        assert!(token.len() < 200 && !token.contains(|letter: char| letter.is_whitespace() || letter == '='));
    }
}
