//! How the statistics of all ranks come to rank 0 at `MPI_Finalize`.
//!
//! On one node: through an inbox of rank 0 ([`hcube_core::node::inbox`]), whose address travels with the token of
//! `membership`. The others write their figures there before the MPI library's `MPI_Finalize`; rank 0 reads them after
//! it. MPI takes no part in this: a program may have abandoned non-blocking operations whose buffers do not exist any
//! more, and progress would move their data.
//!
//! Otherwise, with several nodes or where the process manager cannot be asked: by reductions of MPI, which make the
//! program's requests progress.
//!
//! No rank waits for another one longer than [`PATIENCE`].

use crate::launcher::is_first_rank;
use crate::mpi;
use crate::statistics::Row;
use hcube_core::machine::identity::identity;
use hcube_core::node::inbox::{Address, Inbox};
use std::ffi::c_int;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Time that a rank waits in `MPI_Finalize` for the figures of others. A rank that has no statistics
/// (another environment, no preloaded library) never sends any.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A row with the figures of all ranks that have sent theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Calls and bytes are sums over ranks, time and memory are the maximum.
    pub row: Row,
    /// Sum of the time of all ranks.
    pub nanoseconds: u64,
}

/// What rank 0 has collected.
#[derive(Debug)]
pub struct Collected {
    pub totals: Vec<Total>,
    /// Number of ranks whose figures are in it.
    pub ranks: usize,
}

/// The path of the figures.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Path {
    /// To an inbox of rank 0, from a number of other ranks.
    Inbox(Address, usize),
    /// Reductions.
    Mpi,
    /// Rank 0 has no statistics.
    Nowhere,
}

static INBOX: OnceLock<Option<Inbox>> = OnceLock::new();
static PATH: OnceLock<Path> = OnceLock::new();

/// Before `MPI_Init`: where the figures of this rank are, for the other ranks; `None` without statistics. A word
/// without blanks: the node, and on rank 0 the address of its inbox.
pub fn place() -> Option<String> {
    crate::statistics::wanted()?;
    let node = format!("{:x}", identity());
    let inbox = INBOX.get_or_init(|| is_first_rank().then(Inbox::new)?.ok());
    Some(match inbox {
        Some(inbox) => format!("{node}/{}", inbox.address()),
        None => node,
    })
}

/// After `MPI_Init`: the path, from the places of all ranks.
pub fn decide(places: &[Option<&str>]) {
    PATH.get_or_init(|| path(places));
}

fn path(places: &[Option<&str>]) -> Path {
    let Some(Some(first)) = places.first() else { return Path::Nowhere };
    let Some((node, Ok(address))) = first.split_once('/').map(|(node, address)| (node, address.parse()))
    else {
        return Path::Mpi;
    };
    let others = places[1..].iter().flatten();
    if others.clone().any(|place| *place != node) {
        return Path::Mpi;
    }
    Path::Inbox(address, others.count())
}

/// Around `MPI_Finalize` of the MPI library, `forward`: brings the figures of this rank to rank 0, where `print` gets
/// those of all.
pub fn collect(rows: &[Row], forward: impl FnOnce() -> c_int, print: impl FnOnce(Collected)) -> c_int {
    let rank = mpi::world_rank();
    match PATH.get().unwrap_or(&Path::Mpi) {
        Path::Nowhere => forward(),
        Path::Inbox(address, _) if rank != 0 => {
            // Where this fails rank 0 says that figures are missing.
            drop(address.send(&message(rank, rows)));
            forward()
        }
        &Path::Inbox(_, senders) => {
            let code = forward();
            print(received(rows, senders));
            code
        }
        Path::Mpi => {
            let reduced = by_mpi(rows);
            if rank == 0 {
                print(reduced.unwrap_or_else(|| Collected { totals: own(rows), ranks: 1 }));
            }
            forward()
        }
    }
}

fn own(rows: &[Row]) -> Vec<Total> {
    rows.iter().map(|&row| Total { row, nanoseconds: row.nanoseconds }).collect()
}

/// Words of a row in a message: its number, and four figures.
const ROW_WORDS: usize = 5;

/// The figures of a rank: the rank, the number of rows with calls, and these rows.
fn message(rank: usize, rows: &[Row]) -> Vec<u8> {
    let used = || rows.iter().enumerate().filter(|(_, row)| row.calls > 0);
    let head = [rank as u64, used().count() as u64];
    let figures =
        used().flat_map(|(number, row)| [number as u64, row.calls, row.bytes, row.nanoseconds, row.memory]);
    head.into_iter().chain(figures).flat_map(u64::to_le_bytes).collect()
}

/// On rank 0: its own figures and those in its inbox.
fn received(rows: &[Row], senders: usize) -> Collected {
    let begin = Instant::now();
    let mut bytes = Vec::new();
    loop {
        let open =
            INBOX.get().and_then(Option::as_ref).is_some_and(|inbox| inbox.receive(&mut bytes).is_ok());
        let collected = add(rows, &bytes);
        if !open || collected.ranks > senders || begin.elapsed() > PATIENCE {
            return collected;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The figures of this rank and those of messages.
fn add(rows: &[Row], messages: &[u8]) -> Collected {
    let mut collected = Collected { totals: own(rows), ranks: 1 };
    let mut words =
        messages.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")));
    while let (Some(_), Some(count)) = (words.next(), words.next()) {
        for _ in 0..count {
            let figures: Vec<u64> = words.by_ref().take(ROW_WORDS).collect();
            let &[number, calls, bytes, nanoseconds, memory] = &figures[..] else { return collected };
            let Some(total) = collected.totals.get_mut(number as usize) else { return collected };
            total.row.calls += calls;
            total.row.bytes += bytes;
            total.row.nanoseconds = total.row.nanoseconds.max(nanoseconds);
            total.row.memory = total.row.memory.max(memory);
            total.nanoseconds += nanoseconds;
        }
        collected.ranks += 1;
    }
    collected
}

/// Collective: the figures of all ranks, on rank 0; `None` if they do not arrive in time.
fn by_mpi(rows: &[Row]) -> Option<Collected> {
    let summands = rows.iter().flat_map(|row| [row.calls, row.bytes, row.nanoseconds]).collect();
    let values = rows.iter().flat_map(|row| [row.nanoseconds, row.memory]).collect();
    let (sums, maxima) = mpi::reduce(summands, values, PATIENCE.as_secs_f64())?;
    let figures = sums.chunks_exact(3).zip(maxima.chunks_exact(2));
    let total = |(row, (sum, largest)): (&Row, (&[u64], &[u64]))| Total {
        row: Row { calls: sum[0], bytes: sum[1], nanoseconds: largest[0], memory: largest[1], ..*row },
        nanoseconds: sum[2],
    };
    Some(Collected { totals: rows.iter().zip(figures).map(total).collect(), ranks: mpi::world_size() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Statistics;
    use hcube_core::node::inbox::MAX_MESSAGE_BYTES;

    /// Rows in which one of three has calls.
    fn rows(factor: u64) -> Vec<Row> {
        let mut rows = Statistics::default().rows();
        for row in rows.iter_mut().step_by(3) {
            (row.calls, row.bytes) = (factor, 10 * factor);
            (row.nanoseconds, row.memory) = (100 * factor, 1000 * factor);
        }
        rows
    }

    #[test]
    fn figures_of_ranks_are_added() {
        let messages = [message(1, &rows(2)), message(3, &rows(0)), message(2, &rows(5))].concat();
        let Collected { totals, ranks } = add(&rows(1), &messages);
        assert_eq!(ranks, 4);
        let largest = rows(5)[0];
        assert_eq!(totals[0].row, Row { calls: 8, bytes: 80, ..largest });
        assert_eq!((totals[0].nanoseconds, totals[1].row.calls), (800, 0));
    }

    #[test]
    fn a_part_of_a_message_is_not_a_rank() {
        let whole = message(1, &rows(2));
        for length in 0..whole.len() {
            assert_eq!(add(&rows(1), &whole[..length]).ranks, 1, "{length} bytes");
        }
        assert_eq!(add(&rows(1), &whole).ranks, 2);
    }

    #[test]
    fn the_longest_message_fits() {
        let mut all = rows(1);
        all.iter_mut().for_each(|row| row.calls = 1);
        let length = message(0, &all).len();
        assert!(length <= MAX_MESSAGE_BYTES, "{length} bytes");
    }

    #[test]
    fn an_inbox_serves_one_node() {
        let address: Address = "10/3/77".parse().expect("an address");
        assert_eq!(path(&[Some("a/10/3/77"), None, Some("a")]), Path::Inbox(address, 1));
        assert_eq!(path(&[Some("a/10/3/77"), Some("a"), Some("b")]), Path::Mpi);
        assert_eq!(path(&[Some("a"), Some("a")]), Path::Mpi, "no file for an inbox was left");
        assert_eq!(path(&[None, Some("a")]), Path::Nowhere);
    }
}
