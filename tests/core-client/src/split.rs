//! `Comm::split`.

use crate::harness::Report;
use hcube_core::Error;
use hcube_core::comm::{Comm, Piece};

/// Splits that are made and dropped in a row where there are few ranks: more than MPICH has contexts (2048),
/// so this fails where they are not freed.
const MANY_SPLITS: usize = 2100;

pub fn check<C: Comm>(comm: &C, report: &mut Report) {
    by_key(comm, report);
    members(comm, report);
    colours_out_of_range(comm, report);
    contexts(comm, report);
    nested(comm, report);
    let times = if comm.size() <= 2 { MANY_SPLITS } else { 10 };
    for _ in 0..times {
        comm.split(Some(0), 0).expect("a split after others were freed");
    }
}

/// Two groups, in the opposite order.
fn by_key<C: Comm>(comm: &C, report: &mut Report) {
    let (own, size) = (comm.rank(), comm.size());
    let part = comm.split(Some(own as u32 % 2), -(own as i32)).expect("a split").expect("a group");
    let expected: Vec<u64> =
        (0..size).rev().filter(|rank| rank % 2 == own % 2).map(|rank| rank as u64).collect();
    report.equal("ranks of the group", part.all_gather(&[own as u64]).expect("gathered"), expected.clone());
    report.equal("size of the group", part.size(), expected.len());
    report.equal(
        "rank in the group",
        Some(part.rank()),
        expected.iter().position(|&rank| rank == own as u64),
    );
    let nodes = comm.node_numbers().expect("nodes");
    let parts = part.node_numbers().expect("nodes of the group");
    for (number, &rank) in expected.iter().enumerate() {
        let same = nodes[rank as usize] == nodes[own];
        report.equal("on the same node", parts[number] == parts[part.rank()], same);
    }
    // Equal keys: the order of the ranks.
    let same = comm.split(Some(7), 5).expect("a split").expect("a group");
    report.equal("rank with equal keys", (same.rank(), same.size()), (own, size));
}

/// Odd ranks have no colour.
fn members<C: Comm>(comm: &C, report: &mut Report) {
    let own = comm.rank();
    let part = comm.split(own.is_multiple_of(2).then_some(1), 0).expect("a split");
    report.equal("member of the group", part.is_some(), own.is_multiple_of(2));
    if let Some(part) = part {
        report.equal("its rank and size", (part.rank(), part.size()), (own / 2, comm.size().div_ceil(2)));
    }
}

fn colours_out_of_range<C: Comm>(comm: &C, report: &mut Report) {
    let largest = i32::MAX as u32;
    let part = comm.split(Some(if comm.rank() == 0 { largest + 1 } else { largest }), 0);
    match part {
        Err(Error::Argument { name, .. }) => report.equal("refused", (comm.rank(), name), (0, "colour")),
        Ok(Some(part)) => {
            report.equal("others", (part.rank() + 1, part.size() + 1), (comm.rank(), comm.size()));
        }
        other => report.check(false, || format!("colours: {:?}", other.map(|part| part.is_some()))),
    }
}

/// Messages with the same tag on two communicators, received in the opposite order.
fn contexts<C: Comm>(comm: &C, report: &mut Report) {
    let (own, size) = (comm.rank(), comm.size());
    let copy = comm.split(Some(0), 0).expect("a split").expect("a group");
    let (next, before) = ((own + 1) % size, (own + size - 1) % size);
    let send = |on: &C, word: usize| {
        let piece = Piece { range: 0..1, to: next, tag: 3 };
        on.start_sends(vec![word as u64], &[piece]).expect("a send")
    };
    let sends = [send(comm, own), send(&copy, 1000 + own)];
    for (on, expected) in [(&copy, 1000 + before), (comm, before)] {
        let receive = on.start_receive(vec![0; 1], before, 3).expect("a receive");
        let (words, length) = on.finish_receive(receive).expect("received");
        report.equal("message of its own context", (words[0], length), (expected as u64, 1));
    }
    for (on, send) in [comm, &copy].into_iter().zip(sends) {
        on.finish_sends(send).expect("sent");
    }
}

/// A group of a group, used after the first is gone.
fn nested<C: Comm>(comm: &C, report: &mut Report) {
    let own = comm.rank();
    let half = comm.split(Some((own % 2) as u32), 0).expect("a split").expect("a group");
    let quarter = half.split(Some((half.rank() % 2) as u32), 0).expect("a split").expect("a group");
    drop(half);
    let expected = (own % 4..comm.size()).step_by(4).map(|rank| rank as u64).collect::<Vec<_>>();
    report.equal("quarter", quarter.all_gather(&[own as u64]).expect("gathered"), expected);
    quarter.barrier().expect("a barrier of the quarter");
}
