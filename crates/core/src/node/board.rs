//! A notice board in shared memory: every rank of a node posts a notice per round (a few words, bytes
//! for each other rank, and details that are not always read) and reads those of the others. One
//! round is one store by each rank and one load per other rank; no locks, no barrier.
//!
//! Notices are double-buffered: a rank that posts round n + 2 has seen everybody's round n + 1, and
//! whoever has posted that has read round n. So nobody waits for readers. It follows that a rank reads
//! all it needs of a round before it posts the next one, and that no rank leaves out a round.
//!
//! Number, words, bounds and a short payload share a line of the cache on small nodes, so that a small
//! exchange costs one transfer of a line between cores.
//!
//! Memory per rank: two slots of the capacity and about 24 bytes per rank of the node.

use super::segment::{self, Segment};
use crate::comm::Comm;
use crate::error::Result;
use crate::progress::wait::Patience;
use std::sync::atomic::{AtomicU64, Ordering};

/// Flags of different ranks never share a line of the cache; a notice starts at a pair of lines, which
/// processors fetch together.
const LINE: usize = 128;
/// Words of a notice that are read with its number.
pub const WORDS: usize = 2;
/// Words of its details before the addresses.
pub const DETAILS: usize = 2;
/// The end of the number and the words of a notice: where its bounds start.
const HEADER: usize = (1 + WORDS) * size_of::<u64>();
/// Payloads up to so many bytes follow the bounds; larger ones start at a line of the cache, from which
/// they are copied faster.
const SHORT: usize = 256;
/// Largest capacity: bounds are 32-bit numbers.
const LARGEST_CAPACITY: usize = 1 << 31;

/// Byte offsets in the region of one rank: what it has finished, then its two notices.
#[derive(Debug, Clone, Copy)]
struct Layout {
    short: usize,
    payload: usize,
    details: usize,
    notice: usize,
    capacity: usize,
    region: usize,
}

impl Layout {
    fn new(ranks: usize, capacity: usize) -> Self {
        let round = |bytes: usize| bytes.next_multiple_of(LINE);
        let capacity = round(capacity.clamp(SHORT, LARGEST_CAPACITY));
        let short = (HEADER + (ranks + 1) * size_of::<u32>()).next_multiple_of(size_of::<u64>());
        let payload = round(short + SHORT);
        let details = payload + capacity;
        let notice = details + round((DETAILS + ranks) * size_of::<u64>());
        Self { short, payload, details, notice, capacity, region: LINE + 2 * notice }
    }

    /// Where a payload of so many bytes starts in a notice.
    fn start(self, bytes: usize) -> usize {
        if bytes <= SHORT { self.short } else { self.payload }
    }
}

/// The board of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Board {
    segment: Segment,
    layout: Layout,
    ranks: usize,
    own: usize,
    round: u64,
}

/// The notice of this rank while it is written.
#[derive(Debug)]
pub struct Draft<'a> {
    /// Bytes `bounds[i] .. bounds[i + 1]` of the payload are for rank i; all 0 at first.
    pub bounds: &'a mut [u32],
    /// As many bytes as were asked for.
    pub payload: &'a mut [u8],
    /// [`DETAILS`] words and an address for every rank of the node, with their old contents.
    pub details: &'a mut [u64],
}

impl Board {
    /// Collective over `comm`: one board for each node; see [`segment::share`].
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize], capacity: usize) -> Result<Self> {
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let layout = Layout::new(ranks.len(), capacity);
        let segment = segment::share(comm, ranks, layout.region * ranks.len())?;
        Ok(Self { segment, layout, ranks: ranks.len(), own, round: 0 })
    }

    /// This rank's number on the node.
    pub fn own(&self) -> usize {
        self.own
    }

    /// Ranks of the node.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Bytes that a payload can hold.
    pub fn capacity(&self) -> usize {
        self.layout.capacity
    }

    /// Bytes of one rank.
    pub fn bytes_per_rank(&self) -> usize {
        self.layout.region
    }

    /// Posts the notice of the next round, with a payload of so many bytes.
    ///
    /// # Panics
    /// Where that is more than the capacity.
    pub fn post(&mut self, words: [u64; WORDS], bytes: usize, fill: impl FnOnce(Draft<'_>)) {
        assert!(bytes <= self.layout.capacity, "{bytes} bytes for a board of {}", self.layout.capacity);
        self.round += 1;
        let (notice, layout) = (self.notice(self.own), self.layout);
        // SAFETY: this rank's own region; the slot was read by all others two rounds ago (see the
        // module's comment), so this rank alone accesses it until the number is stored. The parts
        // do not overlap.
        unsafe {
            let start = self.segment.address().add(notice).as_ptr();
            start.add(size_of::<u64>()).cast::<[u64; WORDS]>().write(words);
            let bounds = std::slice::from_raw_parts_mut(start.add(HEADER).cast(), self.ranks + 1);
            bounds.fill(0);
            fill(Draft {
                bounds,
                payload: std::slice::from_raw_parts_mut(start.add(layout.start(bytes)), bytes),
                details: std::slice::from_raw_parts_mut(
                    start.add(layout.details).cast(),
                    DETAILS + self.ranks,
                ),
            });
        }
        self.number(notice).store(self.round, Ordering::Release);
    }

    /// Whether a rank has posted its notice of this round.
    pub fn has_posted(&self, rank: usize) -> bool {
        self.number(self.notice(rank)).load(Ordering::Acquire) == self.round
    }

    /// Waits until a rank has posted its notice of this round.
    pub fn wait_for<C: Comm + ?Sized>(&self, rank: usize, patience: Patience, comm: &C) {
        let (number, mut wait) = (self.number(self.notice(rank)), patience.wait());
        while number.load(Ordering::Acquire) != self.round {
            wait.pause(comm);
        }
    }

    /// The words of a rank's notice. Call after it has been seen by [`Self::wait_for`].
    pub fn words(&self, rank: usize) -> [u64; WORDS] {
        // SAFETY: posted, so its writer changes it no more before this rank has posted twice.
        unsafe {
            let start = self.segment.address().add(self.notice(rank));
            start.add(size_of::<u64>()).cast::<[u64; WORDS]>().read()
        }
    }

    /// The detail with this number of a rank's notice; as [`Self::words`].
    pub fn detail(&self, rank: usize, number: usize) -> u64 {
        assert!(number < DETAILS + self.ranks);
        // SAFETY: as `words`.
        unsafe {
            let start = self.segment.address().add(self.notice(rank) + self.layout.details);
            start.cast::<u64>().add(number).read()
        }
    }

    /// The address that a rank has posted for this one; as [`Self::words`].
    pub fn address(&self, rank: usize) -> u64 {
        self.detail(rank, DETAILS + self.own)
    }

    /// The bytes that a rank has posted for this one; as [`Self::words`].
    pub fn bytes(&self, rank: usize) -> &[u8] {
        let notice = self.notice(rank);
        // SAFETY: as `words`; the range is checked against the slot.
        unsafe {
            let start = self.segment.address().add(notice).as_ptr();
            let bounds = start.add(HEADER).cast::<u32>();
            let [from, to] = bounds.add(self.own).cast::<[u32; 2]>().read().map(|bound| bound as usize);
            let all = bounds.add(self.ranks).read() as usize;
            assert!(
                from <= to && to <= all && all <= self.layout.capacity,
                "the notice board of this node is damaged"
            );
            std::slice::from_raw_parts(start.add(self.layout.start(all) + from), to - from)
        }
    }

    /// Says that this rank has finished what the round's notices led to.
    pub fn finish(&self) {
        self.finished(self.own).store(self.round, Ordering::Release);
    }

    /// Whether a rank has finished this round.
    pub fn has_finished(&self, rank: usize) -> bool {
        self.finished(rank).load(Ordering::Acquire) >= self.round
    }

    fn notice(&self, rank: usize) -> usize {
        rank * self.layout.region + LINE + (self.round % 2) as usize * self.layout.notice
    }

    fn number(&self, notice: usize) -> &AtomicU64 {
        // SAFETY: inside the segment, aligned to a line, an atomic.
        unsafe { self.segment.address().add(notice).cast::<AtomicU64>().as_ref() }
    }

    fn finished(&self, rank: usize) -> &AtomicU64 {
        // SAFETY: the first line of a rank's region, an atomic.
        unsafe { self.segment.address().add(rank * self.layout.region).cast::<AtomicU64>().as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;

    /// What a rank posts for another.
    fn byte(round: usize, from: usize, to: usize, position: usize) -> u8 {
        (round * 89 + from * 31 + to * 7 + position * 3 + position / 256) as u8
    }

    /// How a rank divides so many bytes: unevenly, the last gets the rest, some may get none.
    fn lengths(round: usize, ranks: usize, bytes: usize) -> Vec<usize> {
        let mut left = bytes;
        let share = |to: usize| {
            let most = if to + 1 == ranks { left } else { left.min(bytes * ((to + round) % 3) / ranks) };
            left -= most;
            most
        };
        (0..ranks).map(share).collect()
    }

    /// Payloads of all sorts of lengths in a row, more than there are slots, each read by all ranks.
    fn payloads(nodes: Vec<u32>, capacity: usize, expected: usize) {
        let wrong = threads::run_on_nodes(nodes.clone(), |comm| {
            // A rank that stops here would leave the others waiting for it.
            let mut wrong = Vec::new();
            let mut check = |right: bool, what: String| {
                if !right {
                    wrong.push(what);
                }
            };
            let same = |&rank: &usize| nodes[rank] == nodes[comm.rank()];
            let ranks: Vec<usize> = (0..nodes.len()).filter(same).collect();
            let mut board = Board::create(comm, &ranks, capacity).expect("shared memory");
            let (own, count, patience) = (board.own(), ranks.len(), Patience::new(true, false));
            assert_eq!((ranks[own], board.ranks(), board.capacity()), (comm.rank(), count, expected));
            let all = [0, SHORT, SHORT + 1, expected, 1, 0, expected - 1, 7, SHORT - 1, expected, SHORT, 0];
            for (round, &bytes) in all.iter().enumerate() {
                // Ranks have different lengths in the same round, so that one is short and one is not.
                let bytes = |rank: usize| {
                    if (rank + round).is_multiple_of(2) { bytes.min(expected) } else { 3 * round }
                };
                let word = |rank: usize, number: usize| (round * 1000 + rank * 10 + number) as u64;
                board.post([word(own, 0), word(own, 1)], bytes(own), |draft| {
                    check(draft.bounds.iter().all(|&bound| bound == 0), "bounds of two rounds ago".into());
                    let room = (draft.bounds.len(), draft.payload.len());
                    check(room == (count + 1, bytes(own)), format!("round {round}: room {room:?}"));
                    let mut end = 0;
                    for (to, length) in lengths(round, count, bytes(own)).into_iter().enumerate() {
                        let part = &mut draft.payload[end..end + length];
                        let content = |(at, place): (usize, &mut u8)| *place = byte(round, own, to, at);
                        part.iter_mut().enumerate().for_each(content);
                        end += length;
                        draft.bounds[to + 1] = end as u32;
                        draft.details[DETAILS + to] = word(own, 100 + to);
                    }
                    (0..DETAILS).for_each(|number| draft.details[number] = word(own, 50 + number));
                });
                for from in 0..count {
                    board.wait_for(from, patience, comm);
                    let length = lengths(round, count, bytes(from))[own];
                    let content: Vec<u8> = (0..length).map(|at| byte(round, from, own, at)).collect();
                    let what =
                        |what: &str| format!("{what} of round {round}: {from} to {own}, {length} bytes");
                    check(board.has_posted(from), what("number"));
                    check(board.words(from) == [word(from, 0), word(from, 1)], what("words"));
                    check(board.bytes(from) == content, what("bytes"));
                    check(board.address(from) == word(from, 100 + own), what("address"));
                    check(board.detail(from, DETAILS - 1) == word(from, 50 + DETAILS - 1), what("detail"));
                }
                check(!board.has_finished(own), format!("round {round} before its end"));
                board.finish();
                check(board.has_finished(own), format!("round {round} after its end"));
            }
            wrong
        });
        assert_eq!(wrong.concat(), Vec::<String>::new(), "nodes {nodes:?}, capacity {capacity}");
    }

    #[test]
    fn payloads_arrive_whatever_their_length() {
        for ranks in 1..=5 {
            // Asked for and had: whole pairs of lines, and no less than a short payload.
            for (capacity, expected) in [(0, 256), (300, 384), (4096, 4096), (70_000, 70_016)] {
                payloads(vec![0; ranks], capacity, expected);
            }
        }
    }

    #[test]
    fn every_node_has_a_board_of_its_own() {
        payloads(vec![0, 1, 0, 1, 1, 2], 1000, 1024);
    }

    #[test]
    fn a_rank_keeps_to_its_own_part() {
        for ranks in [1, 2, 7, 64, 200] {
            for capacity in [0, 1000, 1 << 20] {
                let layout = Layout::new(ranks, capacity);
                let parts =
                    [HEADER + (ranks + 1) * 4, layout.short + SHORT, layout.payload + layout.capacity];
                let starts = [layout.short, layout.payload, layout.details];
                assert!(parts.iter().zip(starts).all(|(&end, start)| end <= start), "{layout:?}");
                assert!(layout.details + (DETAILS + ranks) * 8 <= layout.notice, "{layout:?}");
                assert!(LINE + 2 * layout.notice <= layout.region, "{layout:?}");
                let aligned = [layout.payload, layout.details, layout.notice, layout.region];
                assert!(aligned.iter().all(|place| place % LINE == 0), "{layout:?}");
                assert!(layout.capacity >= capacity && layout.start(SHORT) < layout.start(SHORT + 1));
            }
        }
    }

    #[test]
    #[should_panic(expected = "a rank panicked")]
    fn more_than_the_capacity_is_refused() {
        threads::run(1, 1, |comm| {
            Board::create(comm, &[0], 256).expect("shared memory").post([0; WORDS], 257, |_| ());
        });
    }
}
