//! Two ranks that start an exchange at about the same time share the work of their pair: the earlier rank
//! waits for half of the time of the copies, and if the other rank starts meanwhile, each copies only the
//! block that it receives. Otherwise, in a program whose ranks compute in step, all ranks would wait for the
//! later ranks.

use hcube_core::error::Result;

/// The least bytes that ranks share: below, a copy takes less time than the scatter of the times at which
/// ranks arrive.
pub const MIN_SHARED_BYTES: u64 = if cfg!(hcube_model) { 1 } else { 128 << 10 };
/// Bytes that a rank copies in a second, from another process.
const COPIED_PER_SECOND: f64 = 8e9;
/// Maximum time in seconds for which a rank waits: the ranks of a program that computes in step start within
/// less.
const MAX_STAY: f64 = 1e-3;

/// The offers of the earlier rank of each pair to share its work.
pub trait Offers {
    /// The data of the later rank.
    type Word;

    /// The data of the rank that has taken the offer, if any; this ends the offer.
    fn taken(&self, rank: usize) -> Option<Self::Word>;

    /// Ends the offer; what the rank has passed, if it has taken it before.
    fn withdraw(&self, rank: usize) -> Option<Self::Word>;
}

/// Copies with the ranks `later`, which have offers, as they come, within half of the time that these bytes
/// take; then ends the offers to the others.
///
/// # Errors
/// Errors of `copy`.
pub fn share_with_later<O: Offers>(
    offers: &O,
    mut later: Vec<usize>,
    bytes: u64,
    seconds: impl Fn() -> f64,
    mut copy: impl FnMut(usize, O::Word) -> Result<()>,
) -> Result<()> {
    let until = seconds() + (bytes as f64 / 2.0 / COPIED_PER_SECOND).min(MAX_STAY);
    // In a model time does not pass: each other rank may take an offer before one poll.
    let mut polls = 0..later.len();
    let mut is_time_left = || if cfg!(hcube_model) { polls.next().is_some() } else { seconds() < until };
    while !later.is_empty() && is_time_left() {
        let taken = later.iter().find_map(|&rank| Some((rank, offers.taken(rank)?)));
        let Some((rank, word)) = taken else {
            std::hint::spin_loop();
            continue;
        };
        later.retain(|&other| other != rank);
        copy(rank, word)?;
    }
    later.into_iter().try_for_each(|rank| offers.withdraw(rank).map_or(Ok(()), |word| copy(rank, word)))
}
