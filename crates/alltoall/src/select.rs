//! Selects the algorithm of an exchange: the table of algorithms for users, and the decision, which every
//! rank makes from the same data.

mod contenders;

use super::choice::Choice;
use super::options::{Path, Schedule};
use super::report::UsedPath;
use super::trials::{Class, Trials};
use super::vote::{Property, Vote};
use hcube_core::error::{Error, Result};
use hcube_core::machine::log2;

pub use super::situation::{Blocks, Led, Situation};
pub use contenders::may_bundle;

/// The algorithms: name, restriction, cost per rank, and when `auto` selects them (P ranks).
///
/// Between nodes trials begin with hierarchical sets because of simulated times (`hcube-lab simulate`,
/// sections schedules and memory, 1 MiB per rank, machines juropa and juqueen, relative to hierarchical
/// sets). With 1 MiB of memory on 16 to 64 ranks: linear shift 0.99 to 1.02, MPICH order 1.04 to 1.08.
/// Without memory on 64 and 128 ranks: linear shift 1.07 to 1.17, MPICH order 1.80 to 1.92. Inside a node
/// and between two nodes, where all ranks cross at the same time by hierarchical sets, linear shift is
/// faster (8 ranks 0.84, 16 without memory 0.88); inside a node messages are not selected.
pub const ALGORITHMS: [[&str; 4]; 9] = [
    [UsedPath::Alone.name(), "one rank, or nothing to move", "no communication", "in these cases"],
    [
        Path::Shared.name(),
        "shared memory inside the node",
        "2 copies per byte, 1 round per slot",
        "inside a node: at most one slot per rank (0.4 HCUBE_MEMORY), and at most 128 KiB unless ranks share cores (out \
         of place 8 KiB where each rank has a core); non-contiguous blocks",
    ],
    [
        Path::SingleCopy.name(),
        "process_vm_readv and _writev inside the node, contiguous blocks",
        "in place 1.5 copies per byte, else 1; 2 rounds",
        "inside a node: above that, compared with shared and, out of place, with library; the fastest is used",
    ],
    [
        Schedule::LinearShift.name(),
        "none",
        "P steps (1 for P = 2), pieces within HCUBE_MEMORY",
        "between nodes, in place, 4 ranks or more: compared with hierarchical-sets",
    ],
    [
        Schedule::HierarchicalSets.name(),
        "none",
        "at most P + ceil(log2 P) - 2 steps, pieces within HCUBE_MEMORY",
        "between nodes, in place; no shared memory, in place: trials begin with it (make simulate, schedules); several \
         nodes, out of place, blocks that are too large for node-leaders: compared with library",
    ],
    [Schedule::Mpich.name(), "none", "2 P - 3 steps, pieces within HCUBE_MEMORY", "on request"],
    [
        Schedule::Hypercube.name(),
        "blocks of at most 256 B that fit into HCUBE_MEMORY",
        "ceil(log2 P) messages, log2 P copies per byte",
        "several nodes, in place, 4 ranks or more: compared with hierarchical-sets, except where node-leaders take part; \
         trials begin with it for blocks of 16 B at most on 32 ranks or more (make simulate, small)",
    ],
    [
        Schedule::NodeLeaders.name(),
        "several nodes with shared memory, blocks that fit into HCUBE_MEMORY in 8 rounds",
        "in each round (N - 1) / M messages, rounded up, on N nodes of M ranks; 3 copies per byte, 2 rounds inside the node",
        "several nodes, 4 ranks or more, blocks of 16 KiB at most, or few larger ones (in place if a rank sends at most 2 log2 P \
         messages): compared with library (make simulate, out-of-place)",
    ],
    [
        Schedule::Library.name(),
        "the function of the MPI library",
        "of the library",
        "inside a node: see single-copy, and out of place less than 1 KiB per rank where it is faster; several nodes, in \
         place: compared with hierarchical-sets if the blocks of all ranks together fit into HCUBE_MEMORY, because it may \
         copy the buffer; several nodes, out of place, all others; intercommunicators; device memory; unknown datatypes",
    ],
];

/// Ranks from which node leaders are compared with the MPI library: with fewer, they save no message.
pub const MIN_LED_RANKS: usize = 4;
/// The largest block that they pass on by default, if the memory bound permits it. Comparisons of a program
/// decide: on hosts of one machine (4 and 8 hosts of 4 ranks, Open MPI 4), where messages cost processor
/// time, blocks of 2 to 8 KiB gain up to 2.8 out of place and 5.2 in place. Simulated (`hcube-lab simulate
/// --sections out-of-place`; 16 to 128 ranks, 2 to 16 per node, machines juropa and juqueen), speed-up over
/// the faster of MPICH and Open MPI, each with the algorithm that it selects: blocks of 8 bytes 1.4 to 3.8,
/// of 128 bytes 2.1 to 2.7, of 256 bytes 2.1 to 3.0, of 512 bytes 0.51 to 0.88.
pub const MAX_LED_BYTES: usize = 16 << 10;

/// Whether node leaders also make exchanges in place, where the hypercube is another way to save messages: it
/// needs log2 P messages per rank, and its votes as many stages. `fewest`: ranks on the smallest node.
pub fn may_lead_in_place(ranks: usize, nodes: usize, fewest: usize) -> bool {
    (nodes - 1).div_ceil(fewest) <= 2 * log2(ranks) as usize
}

/// Bytes per rank up to which blocks are part of the notice even if single copy might be faster: below, its
/// system calls cost more than the saved copies.
pub const MAX_ENCLOSED_BYTES: usize = 128 << 10;
/// The same out of place if every rank has a core: MPI libraries copy once from about this size on (2 ranks,
/// 16 to 128 KiB per pair, by notices: 1.2 to 2.1 times the time of Open MPI 4.1.4).
pub const MAX_ENCLOSED_OUT_OF_PLACE_BYTES: usize = 8 << 10;

/// Why a call is forwarded to the MPI library before the ranks vote, if it is.
///
/// `led`: whether node leaders pass on the votes.
pub fn forwarded_before_votes(situation: &Situation, in_place: bool, led: bool) -> Option<&'static str> {
    if check_ranks(situation).is_err() {
        return Some("more than 2097151 ranks");
    }
    if situation.schedule == Schedule::Library {
        return Some("HCUBE_ALLTOALL=library");
    }
    let between_nodes = situation.ranks > 1 && !situation.shared;
    let served = in_place || led || situation.is_asked();
    (between_nodes && !served).then_some("out of place between nodes")
}

/// Mean bytes per rank below which exchanges out of place on one node are short: from there on, notices are
/// faster than the functions of MPI libraries (2 ranks, `MPI_Alltoall`, Open MPI 4.1.4: 0.6 to 0.7 of its
/// speed up to 256 bytes, 1.03 at 1 KiB).
pub const MAX_SHORT_BYTES: u64 = 1 << 10;

/// Why an exchange is forwarded after the votes where trials have shown that this is faster, or are to show
/// it.
pub const COMPARED: &str = "compared with hcube's algorithms, the MPI library's function is used";

/// Whether the number of ranks permits an exchange.
///
/// # Errors
/// [`Error::Communicator`] for more ranks than a vote can count.
pub fn check_ranks(situation: &Situation) -> Result<()> {
    if situation.ranks <= Vote::MAX_RANKS {
        return Ok(());
    }
    let Situation { ranks, .. } = situation;
    Err(Error::Communicator(format!("comm has {ranks} ranks: expected {} or fewer", Vote::MAX_RANKS)))
}

/// The decision, from the sum of all votes. `library`: the MPI library's function may be compared with other
/// algorithms; the same on all ranks.
pub fn choose(situation: &Situation, sum: &Vote, trials: &mut Trials, library: bool) -> Choice {
    if sum.bytes == 0 {
        return Choice::Alone;
    }
    if !situation.shared {
        return between_nodes(situation, sum, trials, library);
    }
    let enclosed = sum.count(Property::Enclosed) == situation.ranks;
    inside_node(situation, sum, trials, enclosed, library)
}

/// The decision between nodes.
fn between_nodes(situation: &Situation, sum: &Vote, trials: &mut Trials, library: bool) -> Choice {
    let contenders = contenders::between_nodes(situation, sum, (library, is_led(situation, sum)));
    trials.next(class(situation, sum), &contenders)
}

/// Whether node leaders are expected to make the next exchange between nodes, if it is like the one that was
/// decided last: then its blocks travel with the votes.
pub fn leads_next(situation: &Situation, sum: &Vote, trials: &Trials, library: bool) -> bool {
    let contenders = contenders::between_nodes(situation, sum, (library, is_led(situation, sum)));
    sum.bytes == 0 || trials.expected(class(situation, sum), &contenders) == Choice::Leaders
}

/// The size class of an exchange.
fn class(situation: &Situation, sum: &Vote) -> Class {
    Class::new(sum.any(Property::InPlace), sum.bytes / situation.ranks as u64)
}

/// Node leaders make an exchange if at most one of this number of pairs has a block that is too large.
const PAIRS_PER_LARGE_BLOCK: u64 = 4;

/// Whether node leaders make an exchange: no block is too large for them, or so few are that their ranks
/// exchange these by messages. By their bytes, one of [`PAIRS_PER_LARGE_BLOCK`] pairs at most.
fn is_led(situation: &Situation, sum: &Vote) -> bool {
    let all = sum.count(Property::Led) == situation.ranks;
    all && (!sum.any(Property::Large) || are_few(situation, sum, situation.led))
}

/// Whether few blocks are longer than this.
fn are_few(situation: &Situation, sum: &Vote, bytes: usize) -> bool {
    let pairs = (situation.ranks * (situation.ranks - 1)) as u64;
    sum.bytes <= (pairs / PAIRS_PER_LARGE_BLOCK).saturating_mul(bytes as u64)
}

/// The longest block that node leaders pass on, of an exchange that they make: a piece if few blocks are
/// longer than that, by the rule that `is_led` has for the limit. Further rounds of all ranks would cost more
/// than messages of these.
pub fn passed_on(situation: &Situation, sum: &Vote, piece: usize) -> usize {
    if sum.any(Property::Long) && are_few(situation, sum, piece) { piece } else { situation.led }
}

/// Why an exchange between nodes is forwarded after votes that node leaders have passed on, if it is: all
/// ranks are to send from other memory than they receive in, and blocks are too large for node leaders.
pub fn forwarded_after_votes(situation: &Situation, sum: &Vote) -> Option<&'static str> {
    let served =
        sum.bytes == 0 || is_led(situation, sum) || sum.any(Property::InPlace) || situation.is_asked();
    (!served).then_some("out of place between nodes, with blocks that are too large for node leaders")
}

/// The decision between the algorithms inside a node.
fn inside_node(
    situation: &Situation,
    sum: &Vote,
    trials: &mut Trials,
    enclosed: bool,
    library: bool,
) -> Choice {
    const CONTENDERS: [Choice; 3] = [Choice::Slots, Choice::SingleCopy, Choice::Library];
    let single_copy = situation.single_copy && !sum.any(Property::Packed);
    match situation.path {
        Path::SingleCopy if single_copy => Choice::SingleCopy,
        _ if enclosed => Choice::Enclosed,
        Path::Auto if single_copy => {
            let contenders = if library { &CONTENDERS[..] } else { &CONTENDERS[..2] };
            trials.next(class(situation, sum), contenders)
        }
        _ => Choice::Slots,
    }
}

#[cfg(test)]
mod tests {
    use super::super::choice::{Inside, Order};
    use super::contenders::sum;
    use super::*;

    const ONE_NODE: Situation = Situation {
        ranks: 4,
        shared: true,
        single_copy: true,
        led: 0,
        leads_in_place: false,
        schedule: Schedule::Auto,
        path: Path::Auto,
    };
    const NODES: Situation = Situation { shared: false, ..ONE_NODE };

    #[test]
    fn what_is_forwarded_to_the_library_by_default() {
        let between = Some("out of place between nodes");
        let asked = Some("HCUBE_ALLTOALL=library");
        let many = Some("more than 2097151 ranks");
        let one = Situation { ranks: 1, ..NODES };
        // A situation, the reason to forward an exchange in place, and one out of place.
        for (situation, in_place, out_of_place) in [
            (ONE_NODE, None, None),
            (NODES, None, between),
            (one, None, None),
            (Situation { path: Path::Message, ..NODES }, None, None),
            (Situation { path: Path::Shared, ..NODES }, None, None),
            (Situation { schedule: Schedule::Mpich, ..NODES }, None, None),
            (Situation { schedule: Schedule::Hypercube, ..NODES }, None, None),
            (Situation { schedule: Schedule::Library, ..NODES }, asked, asked),
            (Situation { schedule: Schedule::Library, ..ONE_NODE }, asked, asked),
            (Situation { schedule: Schedule::Library, ..one }, asked, asked),
            (Situation { ranks: 2_097_151, ..NODES }, None, between),
            (Situation { ranks: 2_097_152, ..NODES }, many, many),
            (Situation { ranks: 2_097_152, ..ONE_NODE }, many, many),
        ] {
            let found = [true, false].map(|in_place| forwarded_before_votes(&situation, in_place, false));
            assert_eq!(found, [in_place, out_of_place], "{situation:?}");
        }
        assert_eq!(forwarded_before_votes(&NODES, false, true), None);
    }

    #[test]
    fn whose_votes_travel_with_the_blocks() {
        let led = Situation { led: 64, ..NODES };
        let in_place = Situation { leads_in_place: true, ..led };
        let asked = Situation { schedule: Schedule::NodeLeaders, ..led };
        for (situation, in_place, block, expected) in [
            (led, false, None, Led::Unknown),
            (led, false, Some(0), Led::No),
            (led, false, Some(1), Led::Yes(Blocks::Short)),
            (led, false, Some(64), Led::Yes(Blocks::Short)),
            (led, false, Some(65), Led::No),
            (led, true, Some(64), Led::No),
            (led, true, None, Led::No),
            (in_place, true, None, Led::Unknown),
            (in_place, true, Some(64), Led::Yes(Blocks::Short)),
            (in_place, true, Some(65), Led::No),
            (in_place, false, Some(64), Led::Yes(Blocks::Short)),
            (Situation { led: 0, ..in_place }, true, Some(1), Led::No),
            (NODES, false, Some(1), Led::No),
            (asked, false, None, Led::Yes(Blocks::Any)),
            (asked, true, Some(65), Led::Yes(Blocks::Any)),
            (Situation { led: 600, ..led }, false, Some(256), Led::Yes(Blocks::Short)),
            (Situation { led: 600, ..led }, false, Some(257), Led::Yes(Blocks::Long)),
            (Situation { led: 0, ..asked }, false, Some(1), Led::No),
        ] {
            let found = situation.leads_equal(in_place, || block);
            assert_eq!(found, expected, "{situation:?}, {in_place}, {block:?}");
        }
    }

    #[test]
    fn where_leaders_send_no_more_messages_than_the_hypercube() {
        let of = |nodes: usize, each: usize| may_lead_in_place(nodes * each, nodes, each);
        // Two ranks on each node: N / 2 messages, and 2 log2 (2 N).
        assert!(of(2, 2) && of(24, 2) && !of(64, 2));
        // 64 ranks on each.
        assert!(of(64, 64) && of(1024, 64) && !of(8192, 64));
        // The node with the fewest ranks decides.
        assert!(of(64, 8) && !may_lead_in_place(505, 64, 1));
    }

    /// The first choice for exchanges like this, and the last one that differs among the first of them.
    fn chosen(situation: Situation, sum: &Vote) -> [Choice; 2] {
        let mut trials = Trials::default();
        let choices = [(); 8].map(|()| choose(&situation, sum, &mut trials, false));
        let other = choices.iter().rfind(|&&choice| choice != choices[0]);
        [choices[0], other.copied().unwrap_or(choices[0])]
    }

    #[test]
    fn inside_a_node() {
        use Choice::{Alone, Enclosed, SingleCopy, Slots};
        let path = |path| Situation { path, ..ONE_NODE };
        let refused = |path| Situation { path, single_copy: false, ..ONE_NODE };
        let (small, large) = (4, 4 << 17);
        let enclosed: &[_] = &[(Property::Enclosed, 4)];
        let not_all: &[_] = &[(Property::Enclosed, 3)];
        let packed: &[_] = &[(Property::Packed, 1)];
        let both: &[_] = &[(Property::Packed, 1), (Property::Enclosed, 4)];
        for (situation, bytes, properties, first, second) in [
            (ONE_NODE, 0, enclosed, Alone, Alone),
            (ONE_NODE, 1, enclosed, Enclosed, Enclosed),
            (ONE_NODE, large, enclosed, Enclosed, Enclosed),
            (ONE_NODE, small, not_all, Slots, SingleCopy),
            (ONE_NODE, large, not_all, Slots, SingleCopy),
            (ONE_NODE, large, packed, Slots, Slots),
            (ONE_NODE, large, both, Enclosed, Enclosed),
            (refused(Path::Auto), large, not_all, Slots, Slots),
            (path(Path::Shared), large, not_all, Slots, Slots),
            (path(Path::Shared), 1, enclosed, Enclosed, Enclosed),
            (path(Path::SingleCopy), 0, not_all, Alone, Alone),
            (path(Path::SingleCopy), 1, not_all, SingleCopy, SingleCopy),
            (path(Path::SingleCopy), large, enclosed, SingleCopy, SingleCopy),
            (path(Path::SingleCopy), large, packed, Slots, Slots),
            (refused(Path::SingleCopy), large, not_all, Slots, Slots),
            (refused(Path::SingleCopy), 1, enclosed, Enclosed, Enclosed),
            (Situation { schedule: Schedule::Hypercube, ..ONE_NODE }, small, packed, Slots, Slots),
        ] {
            let found = chosen(situation, &sum(bytes, properties));
            assert_eq!(found, [first, second], "{situation:?}, {bytes} bytes, {properties:?}");
        }
    }

    const USUAL: Choice = Choice::Messages(Order::Usual, Inside::Slots);
    const USUAL_COPIED: Choice = Choice::Messages(Order::Usual, Inside::SingleCopy);
    const SHIFTED: Choice = Choice::Messages(Order::Shifted, Inside::Slots);
    const SHIFTED_COPIED: Choice = Choice::Messages(Order::Shifted, Inside::SingleCopy);

    #[test]
    fn between_nodes() {
        use Choice::{Alone, Hypercube, Leaders};
        let situation = |ranks| Situation { ranks, ..NODES };
        let leads = |led| Situation { led, ..NODES };
        let small: &[_] = &[(Property::Small, 4)];
        let led: &[_] = &[(Property::Led, 4), (Property::Small, 4)];
        let large: &[_] = &[(Property::Led, 4), (Property::Small, 4), (Property::Large, 1)];
        for (situation, bytes, properties, choices) in [
            (situation(4), 0, small, [Alone; 2]),
            (situation(1), 0, &[(Property::Small, 1)], [Alone; 2]),
            (situation(4), 1, small, [USUAL, SHIFTED]),
            (leads(64), 1, led, [Leaders; 2]),
            (leads(64), 12 * 64, led, [Leaders; 2]),
            // Of 12 pairs, at most 3 have large blocks.
            (leads(64), 3 * 64, large, [Leaders; 2]),
            (leads(64), 3 * 64 + 1, large, [USUAL, SHIFTED]),
            (situation(4), 1, &[(Property::Led, 3)], [USUAL, SHIFTED_COPIED]),
            (situation(32), 1, &[(Property::Small, 32)], [Hypercube, USUAL_COPIED]),
        ] {
            let found = chosen(situation, &sum(bytes, properties));
            assert_eq!(found, choices, "{situation:?}, {bytes} bytes, {properties:?}");
        }
    }

    /// Every schedule is in the table for people, whose columns are filled.
    #[test]
    fn the_table_names_all_schedules() {
        let names = ALGORITHMS.map(|[name, ..]| name);
        for &schedule in Schedule::ALL {
            assert!(schedule == Schedule::Auto || names.contains(&schedule.name()), "{schedule:?}");
        }
        assert!(ALGORITHMS.iter().flatten().all(|cell| !cell.is_empty()));
    }
}
