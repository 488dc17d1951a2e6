//! The location of the bytes of a rank during a general exchange in place: pure data, without communication.
//!
//! There are three kinds of bytes. Bytes that are still to be sent lie in their *place* in the buffer, or
//! were *evicted* to extra memory. A part of a receive block is *free* if its place contains nothing that is
//! still to be sent, until it is requested.

use hcube_core::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a rank's receive block that may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    pub from: usize,
    pub range: Range<usize>,
}

/// Where bytes lie that are still to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In their block.
    Block,
    /// In extra memory, from this byte on.
    Extra(usize),
}

/// Consecutive bytes of a send block that lie next to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The receiving rank.
    pub to: usize,
    /// Bytes of the block.
    pub range: Range<usize>,
    /// Where they are.
    pub place: Place,
}

/// Ranges that neither overlap nor touch, by their start.
#[derive(Debug, Default)]
struct Ranges(BTreeMap<usize, usize>);

impl Ranges {
    /// Adds a range that overlaps none.
    fn add(&mut self, mut range: Range<usize>) {
        if let Some((&start, &end)) = self.0.range(..range.start).next_back()
            && end == range.start
        {
            range.start = start;
        }
        if let Some(end) = self.0.remove(&range.end) {
            range.end = end;
        }
        self.0.insert(range.start, range.end);
    }

    /// Removes up to the given number of bytes from the start of the first range.
    fn take_first(&mut self, most: usize) -> Option<Range<usize>> {
        let (start, end) = self.0.pop_first()?;
        let middle = end.min(start + most);
        if middle < end {
            self.0.insert(middle, end);
        }
        Some(start..middle)
    }
}

/// The bytes of one rank.
#[derive(Debug)]
pub struct Ledger {
    /// Addresses of the send blocks, by receiver.
    sends: Vec<Range<usize>>,
    /// Addresses of the receive blocks, by sender.
    receives: Vec<Range<usize>>,
    /// Senders of blocks that are not empty, by the addresses of these.
    by_address: Vec<usize>,
    /// Bytes that are still to be sent and in place: from address to end, and the receiver.
    in_place: BTreeMap<usize, (usize, usize)>,
    /// Evicted bytes: by receiver and first byte of its block, the end, and the location.
    evicted: BTreeMap<(usize, usize), (usize, usize)>,
    /// Extra memory that is not used.
    extra: Ranges,
    /// By sender: free parts of its block that have not been requested.
    free: Vec<Ranges>,
    /// By sender: below this address no bytes block the receive block.
    cleared: Vec<usize>,
    /// The sender whose block is cleared next.
    turn: usize,
    to_send: usize,
    to_receive: usize,
}

impl Ledger {
    /// Blocks by rank, as addresses, and bytes of extra memory.
    ///
    /// # Errors
    /// [`Error::Buffer`] where two send blocks overlap, or two receive blocks.
    pub fn new(sends: Vec<Range<usize>>, receives: Vec<Range<usize>>, extra: usize) -> Result<Self> {
        let by_address = apart(&receives, "receive")?;
        let in_place =
            apart(&sends, "send")?.into_iter().map(|to| (sends[to].start, (sends[to].end, to))).collect();
        let mut ledger = Self {
            cleared: receives.iter().map(|block| block.start).collect(),
            free: receives.iter().map(|_| Ranges::default()).collect(),
            to_send: sends.iter().map(Range::len).sum(),
            to_receive: receives.iter().map(Range::len).sum(),
            extra: Ranges::default(),
            evicted: BTreeMap::new(),
            turn: 0,
            by_address,
            in_place,
            sends,
            receives,
        };
        if extra > 0 {
            ledger.extra.add(0..extra);
        }
        for block in ledger.receives.clone() {
            ledger.find_free(block);
        }
        Ok(ledger)
    }

    /// Whether nothing is left to be sent or received.
    pub fn is_settled(&self) -> bool {
        self.to_send == 0 && self.to_receive == 0
    }

    /// Notes the free parts of a range of addresses of one receive block.
    fn find_free(&mut self, block: Range<usize>) {
        let mut start = block.start;
        let before = self.in_place.range(..=start).next_back().map_or(start, |(_, &(end, _))| end);
        start = start.max(before);
        while start < block.end {
            let next = self.in_place.range(start..block.end).next().map(|(&at, &(end, _))| (at, end));
            let (at, end) = next.unwrap_or((block.end, block.end));
            if start < at {
                self.note_free(start..at);
            }
            start = end;
        }
    }

    /// Notes that nothing which is still to be sent lies at these addresses.
    fn note_free(&mut self, range: Range<usize>) {
        let first = self.by_address.partition_point(|&from| self.receives[from].end <= range.start);
        for &from in &self.by_address[first..] {
            let block = &self.receives[from];
            let both = block.start.max(range.start)..block.end.min(range.end);
            if both.is_empty() {
                break;
            }
            self.free[from].add(both.start - block.start..both.end - block.start);
        }
    }

    /// Takes a hole of the block of a rank, of at least `least` bytes, or of all bytes of a smaller block,
    /// and of at most `most`.
    pub fn take_hole(&mut self, from: usize, least: usize, most: usize) -> Option<Hole> {
        let least = least.min(self.receives[from].len());
        let free = &mut self.free[from];
        let (&start, &end) = free.0.iter().find(|&(&start, &end)| end - start >= least)?;
        let middle = end.min(start + most);
        free.0.remove(&start);
        if middle < end {
            free.0.insert(middle, end);
        }
        Some(Hole { from, range: start..middle })
    }

    /// Notes that this number of bytes has been received.
    pub fn received(&mut self, bytes: usize) {
        self.to_receive -= bytes;
    }

    /// Takes a free range of the block for a rank: the location of its bytes, in order. They stay there until
    /// [`Self::left`].
    pub fn take(&mut self, to: usize, range: Range<usize>) -> Vec<Fragment> {
        let mut fragments = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let evicted = self
                .evicted
                .range(..=(to, start))
                .next_back()
                .map(|(&(rank, first), &(end, at))| (rank, first, end, at));
            let fragment = match evicted {
                Some((rank, first, end, at)) if rank == to && end > start => {
                    self.evicted.remove(&(to, first));
                    let middle = end.min(range.end);
                    if first < start {
                        self.evicted.insert((to, first), (start, at));
                    }
                    if middle < end {
                        self.evicted.insert((to, middle), (end, at + (middle - first)));
                    }
                    Fragment { to, range: start..middle, place: Place::Extra(at + (start - first)) }
                }
                _ => {
                    let middle = self.take_in_place(to, start..range.end);
                    Fragment { to, range: start..middle, place: Place::Block }
                }
            };
            start = fragment.range.end;
            fragments.push(fragment);
        }
        fragments
    }

    /// Takes what lies in its place from the start of a range on; where that ends.
    fn take_in_place(&mut self, to: usize, range: Range<usize>) -> usize {
        let block = self.sends[to].start;
        let address = block + range.start;
        let (&first, &(end, rank)) =
            self.in_place.range(..=address).next_back().expect("bytes that were not received");
        assert!(rank == to && end > address, "bytes that were not received");
        let middle = end.min(block + range.end);
        self.in_place.remove(&first);
        if first < address {
            self.in_place.insert(first, (address, to));
        }
        if middle < end {
            self.in_place.insert(middle, (end, to));
        }
        middle - block
    }

    /// The bytes of a fragment have been copied or sent: their place may be written to.
    pub fn left(&mut self, fragment: &Fragment) {
        self.to_send -= fragment.range.len();
        match fragment.place {
            Place::Extra(at) => self.extra.add(at..at + fragment.range.len()),
            Place::Block => self.vacated(fragment),
        }
    }

    fn vacated(&mut self, fragment: &Fragment) {
        let block = self.sends[fragment.to].start;
        self.note_free(block + fragment.range.start..block + fragment.range.end);
    }

    /// Moves bytes that block a receive block to extra memory, at most the given number: returns their old
    /// locations and their locations in the extra memory. The caller copies them before any other action;
    /// `None` if nothing is blocked, or no extra memory is free.
    pub fn evict(&mut self, most: usize) -> Option<(Fragment, usize)> {
        if self.extra.0.is_empty() {
            return None;
        }
        for _ in 0..self.receives.len() {
            let from = self.turn;
            self.turn = (self.turn + 1) % self.receives.len();
            if let Some((range, to)) = self.in_the_way(from) {
                let room = self.extra.take_first(range.len().min(most)).expect("there is some");
                let block = self.sends[to].start;
                let first = range.start - block;
                let end = self.take_in_place(to, first..first + room.len());
                self.evicted.insert((to, first), (end, room.start));
                let fragment = Fragment { to, range: first..end, place: Place::Block };
                self.vacated(&fragment);
                return Some((fragment, room.start));
            }
        }
        None
    }

    /// The first bytes that block the receive block of a rank: their addresses, and their destination rank.
    fn in_the_way(&mut self, from: usize) -> Option<(Range<usize>, usize)> {
        let (start, end) = (self.cleared[from], self.receives[from].end);
        if start >= end {
            return None;
        }
        let before = self.in_place.range(..=start).next_back().filter(|&(_, &(last, _))| last > start);
        let found = before.or_else(|| self.in_place.range(start..end).next());
        let found = found.map(|(&at, &(last, to))| (at.max(start)..last.min(end), to));
        self.cleared[from] = found.as_ref().map_or(end, |(range, _)| range.start);
        found
    }
}

/// The ranks of blocks that are not empty, by address.
///
/// # Errors
/// Where two blocks overlap.
fn apart(blocks: &[Range<usize>], kind: &str) -> Result<Vec<usize>> {
    let mut ranks: Vec<usize> = (0..blocks.len()).filter(|&rank| !blocks[rank].is_empty()).collect();
    ranks.sort_unstable_by_key(|&rank| blocks[rank].start);
    for pair in ranks.windows(2) {
        let (one, other) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
        if blocks[pair[0]].end > blocks[pair[1]].start {
            return Err(Error::Buffer(format!(
                "the {kind} blocks of ranks {one} and {other} overlap: expected blocks apart from each other"
            )));
        }
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// A rank with its memory.
    struct Rank {
        ledger: Ledger,
        buffer: Vec<u16>,
        extra: Vec<u16>,
        sends: Vec<Range<usize>>,
        receives: Vec<Range<usize>>,
    }

    impl Rank {
        fn read(&mut self, fragment: &Fragment) -> Vec<u16> {
            let length = fragment.range.len();
            match fragment.place {
                Place::Extra(at) => self.extra[at..at + length].to_vec(),
                Place::Block => {
                    let at = self.sends[fragment.to].start + fragment.range.start;
                    self.buffer[at..at + length].to_vec()
                }
            }
        }

        /// Makes room; whether it has.
        fn evict(&mut self, most: usize) -> bool {
            let Some((fragment, at)) = self.ledger.evict(most) else { return false };
            let bytes = self.read(&fragment);
            self.extra[at..at + bytes.len()].copy_from_slice(&bytes);
            // No rank may read it there any more.
            let place = self.sends[fragment.to].start;
            self.buffer[place + fragment.range.start..place + fragment.range.end].fill(u16::MAX);
            true
        }
    }

    /// The exchange of all ranks in turn, an action at a time. `blocks[i][j]` elements go from rank i to rank
    /// j; `order[i]` has a key for each send block and each receive block of rank i, by which these lie in
    /// its buffer; `extra` elements.
    fn exchange(blocks: &[Vec<usize>], order: &[Vec<u32>], extra: usize, least: usize, shared: bool) {
        let ranks = blocks.len();
        let value = |from: usize, to: usize, at: usize| ((from * 31 + to) * 257 + at) as u16 % 60_000;
        let mut all: Vec<Rank> = (0..ranks)
            .map(|rank| {
                let layout = |lengths: &[usize], keys: &[u32], start: usize| {
                    let mut places = vec![0..0; ranks];
                    let (mut sorted, mut at): (Vec<usize>, _) = ((0..ranks).collect(), start);
                    sorted.sort_by_key(|&other| keys[other]);
                    for other in sorted {
                        places[other] = at..at + lengths[other];
                        at += lengths[other] + keys[other] as usize % 3;
                    }
                    (places, at)
                };
                let incoming: Vec<usize> = (0..ranks).map(|from| blocks[from][rank]).collect();
                let (sends, end) = layout(&blocks[rank], &order[rank][..ranks], 0);
                let start = if shared { order[rank][0] as usize % 5 } else { end };
                let (receives, last) = layout(&incoming, &order[rank][ranks..], start);
                let mut buffer = vec![60_001; end.max(last)];
                for (to, place) in sends.iter().enumerate() {
                    for (at, element) in buffer[place.clone()].iter_mut().enumerate() {
                        *element = value(rank, to, at);
                    }
                }
                let ledger = Ledger::new(sends.clone(), receives.clone(), extra).expect("blocks apart");
                Rank { ledger, buffer, extra: vec![0; extra], sends, receives }
            })
            .collect();
        let gaps: Vec<Vec<usize>> = all
            .iter()
            .map(|rank| {
                let used =
                    |at: usize| rank.sends.iter().chain(&rank.receives).any(|block| block.contains(&at));
                (0..rank.buffer.len()).filter(|&at| !used(at)).collect()
            })
            .collect();
        let mut asked: VecDeque<(usize, Hole)> = VecDeque::new();
        let mut idle = 0;
        while !all.iter().all(|rank| rank.ledger.is_settled()) {
            let mut moved = false;
            for (rank, state) in all.iter_mut().enumerate() {
                while state.evict((extra / 3).max(1)) {
                    moved = true;
                }
                for from in 0..ranks {
                    let least = if idle > 0 { 1 } else { least };
                    while let Some(hole) = state.ledger.take_hole(from, least, 7) {
                        moved = true;
                        asked.push_back((rank, hole));
                    }
                }
            }
            // Some of the requested bytes, so that requests wait.
            for _ in 0..asked.len().div_ceil(2) {
                let (rank, hole) = asked.pop_front().expect("counted");
                let fragments = all[hole.from].ledger.take(rank, hole.range.clone());
                let mut at = all[rank].receives[hole.from].start + hole.range.start;
                for fragment in fragments {
                    let bytes = all[hole.from].read(&fragment);
                    all[rank].buffer[at..at + bytes.len()].copy_from_slice(&bytes);
                    at += bytes.len();
                    all[rank].ledger.received(bytes.len());
                    all[hole.from].ledger.left(&fragment);
                    moved = true;
                }
            }
            idle = if moved { 0 } else { idle + 1 };
            assert!(idle < 2, "no progress");
        }
        for (rank, state) in all.iter().enumerate() {
            for (from, place) in state.receives.iter().enumerate() {
                for (at, &element) in state.buffer[place.clone()].iter().enumerate() {
                    assert_eq!(element, value(from, rank, at), "rank {rank}, from {from}, element {at}");
                }
            }
            assert!(gaps[rank].iter().all(|&at| state.buffer[at] == 60_001), "rank {rank}: gaps");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// In every layout, every byte arrives, with as little extra memory as one byte.
        #[test]
        fn all_bytes_arrive(
            (blocks, order) in (1_usize..7).prop_flat_map(|ranks| (
                proptest::collection::vec(proptest::collection::vec(0_usize..30, ranks), ranks),
                proptest::collection::vec(proptest::collection::vec(any::<u32>(), 2 * ranks), ranks),
            )),
            extra in 1_usize..40,
            least in 1_usize..9,
            shared in proptest::bool::weighted(0.9),
        ) {
            exchange(&blocks, &order, extra, least, shared);
        }
    }

    #[test]
    fn blocks_that_overlap_are_refused() {
        let blocks = |ranges: &[Range<usize>]| ranges.to_vec();
        let apart = blocks(&[0..4, 4..4, 8..9]);
        for (sends, receives, part) in [
            (blocks(&[0..4, 6..8, 3..5]), apart.clone(), "the send blocks of ranks 0 and 2 overlap"),
            (apart.clone(), blocks(&[0..9, 4..5, 20..21]), "the receive blocks of ranks 0 and 1 overlap"),
        ] {
            let refused = Ledger::new(sends, receives, 8).expect_err("blocks overlap");
            assert!(refused.to_string().contains(part), "{refused}");
        }
        assert!(Ledger::new(apart.clone(), apart, 0).is_ok());
    }
}
