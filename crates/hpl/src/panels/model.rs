//! What the panels of a row promise the ranks of a node, in all interleavings.
//!
//! A rank that has waited for a panel reads what its root has written, until it releases it: no root writes
//! to a slot while a rank reads the panel that it had before. A root that releases a panel without posting it
//! makes nobody wait for it. With the slots that [`slots_for`] computes nobody waits for ever.

use super::{Memory, Panels};
use crate::holders::Holders;
use crate::options::Topology;
use crate::slots::{Slots, slots_for};
use hcube_core::atomic::{
    self,
    model::{Extent, Model, Scene},
};
use hcube_core::comm::model::Member;
use hcube_core::plan;
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;

/// Bytes of a panel.
const BYTES: usize = 8;

/// The ranks of a row on one node.
fn row(scene: &mut Scene, ranks: usize, memory: Memory) -> Vec<Panels<Member>> {
    let slots = Slots::of_model(scene, ranks, memory.bytes, memory.slots, 0).into_iter().enumerate();
    let nodes = plan::Topology::from_node_numbers(&vec![0; ranks], None);
    let of_rank = |(rank, slots)| {
        let holders = Holders::new(nodes.clone(), rank, Topology::Ring);
        Panels::on(slots, holders, rank, (memory, 0), Patience::new(true, false))
    };
    slots.map(of_rank).collect()
}

/// Ranks begin panels of roots in turn, use each, and release it `live - 1` panels later, except one, if any,
/// that all release at once.
fn panels(scene: &mut Scene, (ranks, roots): (usize, usize), count: u64, live: usize, dropped: Option<u64>) {
    // A dropped panel counts until those before it are released.
    let in_use = live + usize::from(dropped.is_some());
    let memory = Memory { bytes: BYTES, slots: slots_for(in_use, roots), in_use };
    for (rank, mut panels) in row(scene, ranks, memory).into_iter().enumerate() {
        scene.participant(move || {
            let (comm, mut used) = (Member::of_set_up(rank, ranks), VecDeque::new());
            for number in 0..count {
                let root = number as usize % roots;
                assert_eq!(panels.begin(&comm, root, BYTES), Ok(number));
                if dropped == Some(number) {
                    panels.release(&comm, number).expect("a panel in use");
                    continue;
                }
                one(&mut panels, &comm, number, root == rank);
                used.push_back(number);
                if used.len() == live {
                    release(&mut panels, &comm, used.pop_front().expect("as many"));
                }
            }
            used.into_iter().for_each(|number| release(&mut panels, &comm, number));
        });
    }
}

/// The root writes a panel, the others wait for it.
fn one(panels: &mut Panels<Member>, comm: &Member, number: u64, is_root: bool) {
    if is_root {
        let place = panels.place(number).expect("an own panel");
        atomic::written(place.address());
        place.write(&number.to_ne_bytes());
        panels.post(comm, number).expect("no MPI");
    } else {
        panels.wait(comm, number).expect("a panel of this number");
    }
}

/// A rank reads a panel before it releases it.
fn release(panels: &mut Panels<Member>, comm: &Member, number: u64) {
    let (content, mut bytes) = (panels.content(number).expect("it has arrived"), [0; BYTES]);
    atomic::read(content.address());
    content.read(&mut bytes);
    assert_eq!(u64::from_ne_bytes(bytes), number);
    panels.release(comm, number).expect("a panel in use");
}

const PROTOCOL: &str = "hpl::panels";

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new(PROTOCOL, "one root", |scene| panels(scene, (2, 1), 3, 1, None)),
    Model::new(PROTOCOL, "two roots in turn", |scene| panels(scene, (2, 2), 5, 2, None))
        .with(Extent::Preemptions(5)),
    Model::new(PROTOCOL, "a panel that its root drops", |scene| panels(scene, (2, 1), 4, 2, Some(1)))
        .with(Extent::Preemptions(5)),
    Model::new(PROTOCOL, "one root of three ranks", |scene| panels(scene, (3, 1), 3, 1, None))
        .with(Extent::Preemptions(4)),
    Model::new(PROTOCOL, "three roots in turn", |scene| panels(scene, (3, 3), 12, 3, None))
        .with(Extent::Random(200)),
];
