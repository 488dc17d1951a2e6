//! What node leaders promise, in all interleavings, by exchanges with messages between nodes.
//!
//! Every rank finds the blocks of all others in each exchange, and what it has sent may be written again when
//! it returns. All ranks know the votes of all before they write to their blocks; where one of them has
//! invalid arguments, nobody writes.

use super::{Round, Routes, announce, notice_bytes, pass_on, rounds, unpack_all};
use crate::node::Node;
use crate::state::model::{Buffer, LINE, node_of, sent};
use crate::task::Task;
use crate::vote::{Property, Vote};
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::comm::Comm;
use hcube_core::comm::model::{Copied, connect};
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::WORDS;
use hcube_core::node::pace::Pace;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;
use std::ffi::c_int;

/// Bytes of a notice, and of the messages of a rank.
const ROOM: usize = 2 << 10;

/// A rank.
struct Caller {
    comm: Member,
    node: Option<Node>,
    routes: Routes,
    scratch: Scratch,
    buffers: [Buffer; 2],
}

fn patience() -> Patience {
    Patience::new(true, false)
}

impl Caller {
    /// Posts the first notice of a round, with the vote of this rank, and reads the notices of its node: the
    /// sum of the votes.
    fn announce(&mut self, task: &Task<'_>, is_valid: bool, number: usize) -> Vote {
        let (rank, largest) = (self.comm.rank(), usize::MAX);
        let is_long = rounds(&self.routes, task, rank, largest) > number + 1;
        let vote =
            |[led, long]: [bool; WORDS]| Vote::default().with(Property::Led, led).with(Property::Long, long);
        let own = [is_valid, is_valid && is_long];
        let Some(Node { ranks, board, .. }) = &mut self.node else { return vote(own) };
        board.see_all(patience(), &self.comm);
        let round = Round { routes: &self.routes, number: Some(number) };
        let bytes = if is_valid { notice_bytes(round, ranks, task) } else { 0 };
        let number = board.own();
        board.post(own.map(u64::from), bytes, |draft| {
            if is_valid {
                announce(draft, number, round, task, &mut Pace::default());
            }
        });
        let mut sum = Vote::default();
        for number in 0..ranks.len() {
            board.wait_for(number, patience(), &self.comm);
            sum.add(&vote(board.words(number).map(|word| word == 1)));
        }
        sum
    }

    /// An exchange; whether there was one.
    fn call(&mut self, is_valid: bool, counts: &[c_int]) -> bool {
        let [send, receive] = self.buffers;
        let places: Vec<c_int> = (0..counts.len()).map(|rank| (rank * LINE) as c_int).collect();
        let task = Task::between(send.counted(counts, &places), receive.counted(counts, &places));
        for number in 0.. {
            let near = self.announce(&task, is_valid, number);
            let Self { comm, node, routes, scratch, .. } = self;
            let (valid, round) = (is_valid.then_some(&task), Round { routes, number: Some(number) });
            let received =
                pass_on(comm, node.as_mut(), scratch, round, &near, valid, patience()).expect("no errors");
            if received.sum.count(Property::Led) < comm.size() {
                return false;
            }
            let is_last = !received.sum.any(Property::Long);
            unpack_all(comm, node.as_mut(), scratch, routes, received, &task, patience()).expect("no errors");
            if is_last {
                break;
            }
        }
        true
    }
}

/// What is special about the exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    Nothing,
    /// Some blocks are empty.
    Empty,
    /// The last rank has invalid arguments in the first exchange.
    Refused,
    /// Blocks take two rounds.
    Long,
}

/// Bytes of the block of a pair of ranks.
fn bytes(special: Special, from: usize, to: usize) -> usize {
    if special == Special::Empty && (from + to) % 3 == 1 { 0 } else { LINE }
}

/// Exchanges of ranks on these nodes.
fn exchanges(scene: &mut Scene, numbers: &'static [u32], exchanges: usize, special: Special) {
    let (ranks, topology) = (numbers.len(), Topology::from_node_numbers(numbers, None));
    connect(scene, numbers, Copied::Late);
    let mut nodes: Vec<Option<Node>> = (0..ranks).map(|_| None).collect();
    for number in 0..topology.nodes() as u32 {
        let here: Vec<usize> = (0..ranks).filter(|&rank| numbers[rank] == number).collect();
        if here.len() > 1 {
            let all = node_of(scene, here.clone(), ROOM, false);
            here.into_iter().zip(all).for_each(|(rank, node)| nodes[rank] = Some(node));
        }
    }
    let [sends, receives] = [(); 2].map(|()| Buffer::all(scene, ranks, LINE));
    let buffers = sends.into_iter().zip(receives).map(|(send, receive)| [send, receive]);
    for ((comm, node), buffers) in Member::all(scene, ranks).into_iter().zip(nodes).zip(buffers) {
        let own = comm.rank();
        let routes = Routes::new(topology.clone(), own, ROOM, 2 * ROOM).expect("room").up_to(LINE);
        let routes = if special == Special::Long { routes.in_pieces_of(LINE / 2) } else { routes };
        let scratch = Scratch::new(2 * ROOM).expect("memory");
        let mut caller = Caller { comm, node, routes, scratch, buffers };
        scene.participant(move || {
            let [send, receive] = buffers;
            receive.fill(|_| 0);
            let counts: Vec<c_int> = (0..ranks).map(|other| bytes(special, own, other) as c_int).collect();
            for round in 0..exchanges {
                send.fill(|to| sent(round, own, to));
                let refuses = special == Special::Refused && round == 0;
                let is_made = caller.call(!refuses || own + 1 < ranks, &counts);
                assert_eq!(is_made, !refuses);
                if is_made {
                    let is_empty = |from| bytes(special, from, own) == 0;
                    receive.check(|from| if is_empty(from) { 0 } else { sent(round, from, own) });
                }
            }
            if let Some(node) = &mut caller.node {
                node.board.see_all(patience(), &caller.comm);
            }
        });
    }
}

const TWO_AND_ONE: &[u32] = &[0, 0, 1];
const TWO_AND_TWO: &[u32] = &[0, 1, 0, 1];

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::leaders", "nodes of two ranks and one", |scene| {
        exchanges(scene, TWO_AND_ONE, 2, Special::Nothing);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::leaders", "two nodes of two ranks", |scene| {
        exchanges(scene, TWO_AND_TWO, 1, Special::Nothing);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::leaders", "empty blocks on nodes of two ranks and one", |scene| {
        exchanges(scene, TWO_AND_ONE, 1, Special::Empty);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::leaders", "blocks of two rounds on nodes of two ranks and one", |scene| {
        exchanges(scene, TWO_AND_ONE, 1, Special::Long);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::leaders", "a rank is refused", |scene| {
        exchanges(scene, TWO_AND_ONE, 2, Special::Refused);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::leaders", "many exchanges of two nodes of two ranks", |scene| {
        exchanges(scene, TWO_AND_TWO, 3, Special::Empty);
    })
    .with(Extent::Random(100)),
];
