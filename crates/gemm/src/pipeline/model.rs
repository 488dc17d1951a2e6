//! What the pipeline of panels promises the ranks of a domain, in all interleavings.
//!
//! A rank that has waited for a panel reads what its mates have written into it, and, once they have counted
//! their partial products, these as well. Nobody overwrites what another rank still reads: neither in the
//! panels of the same call, where only mates count, nor in the panels of the next call, which lie
//! differently, and which a rank begins while others are still in this one. Nobody waits for ever.

use super::{Pipeline, Setting};
use crate::counters::Counters;
use crate::domain::Domains;
use crate::panels::{Area, Panels};
use crate::product::Grid;
use crate::ring::Ring;
use hcube_core::atomic::{
    self,
    model::{Extent, Model, Scene},
};
use hcube_core::comm::{model::Member, requests};
use hcube_core::node::counted_memory::{CountedMemory, Counter};
use hcube_core::progress::wait::Patience;
use std::ops::Range;

/// The bytes of a rank in the panel that starts at `start`: of a factor (0), or of its partial product (1).
fn part(memory: &CountedMemory, (start, bytes): (usize, usize), rank: usize, half: usize) -> Range<usize> {
    let unit = bytes / (2 * memory.ranks());
    let begin = start + (half * memory.ranks() + rank) * unit;
    begin..begin + unit
}

fn mark(memory: &CountedMemory, range: Range<usize>, mark: impl Fn(*const u8)) {
    range.for_each(|byte| mark(memory.place(byte..byte + 1)));
}

/// This rank has filled its part of a panel.
pub(super) fn fill(memory: &CountedMemory, start: usize, bytes: usize) {
    mark(memory, part(memory, (start, bytes), memory.own_number(), 0), atomic::written);
}

/// The ranks that read what each other write, by the number of a rank.
type Mates = fn(usize) -> Vec<usize>;

/// Calls, each with as many panels of some bytes for each part, in memory for two of the largest.
fn calls(scene: &mut Scene, ranks: usize, calls: &'static [(usize, usize)], mates: Mates) {
    let largest = calls.iter().map(|&(_, unit)| 2 * ranks * unit).max().expect("a call");
    for memory in CountedMemory::of_model(scene, ranks, 2 * largest) {
        scene.participant(move || {
            let own = memory.own_number();
            let (comm, grid) = (Member::of_set_up(own, ranks), Grid::of_rank(1, ranks, own));
            let (mut ring, domains) = (Ring::new(memory.capacity()), Domains::new(vec![0; ranks], grid));
            for &(count, unit) in calls {
                let area = Area { line: 0, offset: 0, height: 0, leading: 0, bytes: 0 };
                let panels = Panels {
                    width: 1,
                    count,
                    by_outer: [false; 2],
                    areas: [Vec::new(), Vec::new()],
                    partials: (0, area),
                    bytes: 2 * ranks * unit,
                    shape_bytes: Vec::new(),
                };
                let patience = Patience::new(true, false);
                let (comm, domains, memory, ring) = (&comm, &domains, &memory, &mut ring);
                let setting = Setting { comm, domains, memory, ring, patience, lines: None };
                call(setting, grid, &panels, mates(own));
            }
        });
    }
}

fn call(setting: Setting<'_, Member>, grid: Grid, panels: &Panels, mates: Vec<usize>) {
    let (comm, memory, patience) = (setting.comm, setting.memory, setting.patience);
    let end = requests::scope(comm, patience, |requests| {
        let mut pipeline = Pipeline::new(setting, grid, ([None, None], panels.count), panels, false);
        pipeline.counters = Counters::new(memory, Some(mates.clone()));
        for panel in 0..panels.count {
            let place = (pipeline.wait_for(requests, panel)?, panels.bytes);
            mates.iter().for_each(|&rank| mark(memory, part(memory, place, rank, 0), atomic::read));
            // As `Stationary::run`.
            let count = pipeline.number(panel) + 1;
            mark(memory, part(memory, place, memory.own_number(), 1), atomic::written);
            pipeline.counters.publish(Counter::Multiplied, count);
            pipeline.until(requests, |pipeline| {
                Ok(pipeline.counters.have(mates.iter().copied(), Counter::Multiplied, count))
            })?;
            mates.iter().for_each(|&rank| mark(memory, part(memory, place, rank, 1), atomic::read));
            pipeline.release_panel(requests, panel)?;
        }
        pipeline.finish(requests)
    });
    end.expect("no MPI");
}

/// Only the rank itself and its neighbour among pairs.
fn pairs(rank: usize) -> Vec<usize> {
    if rank < 2 { vec![0, 1] } else { vec![rank] }
}

const PROTOCOL: &str = "gemm::pipeline";

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new(PROTOCOL, "a call of two ranks", |scene| calls(scene, 2, &[(4, 1)], pairs))
        .with(Extent::Preemptions(4)),
    Model::new(PROTOCOL, "calls of two ranks", |scene| calls(scene, 2, &[(2, 1), (2, 2)], pairs))
        .with(Extent::Preemptions(4)),
    Model::new(PROTOCOL, "calls of three ranks, two of them mates", |scene| {
        calls(scene, 3, &[(3, 2), (2, 1)], pairs);
    })
    .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "many panels of three ranks", |scene| {
        calls(scene, 3, &[(6, 1), (5, 2), (6, 1)], |_| vec![0, 1, 2]);
    })
    .with(Extent::Random(200)),
];
