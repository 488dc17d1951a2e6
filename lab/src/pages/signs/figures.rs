//! Published figures, recorded figures of doc/simulation.md that are constants, and figures by formulas.

use super::verdict::Published::{self, Figure};
use hcube_core::machine::{Link, Parameters, Placement};
use hcube_gemm::model::hockney::{Factors, Hockney};
use hcube_gemm::model::paper::MEASURED;
use hcube_gemm::schedule::Broadcast;
use hcube_results::machine::Machine;
use hcube_results::published::bsp::{self, Program};
use hcube_results::published::{MACHINE, SWEEP_RANKS, optimised_seconds, over_ranks, stock};
use hcube_results::simulated::{COARRAY_EVENTS, RED_STORM, SAVED_PERCENT};
use hcube_tool::machine::parameters;
use hcube_tool::model::paper_options;
use hcube_tool::model::round::Round;

/// A published rate over ranks, of the hypercube.
pub fn hypercube(ranks: usize) -> f64 {
    over_ranks(ranks).map_or(f64::NAN, |rate| rate.hypercube)
}

/// The simulated rate of the published algorithm.
pub fn simulated(ranks: usize) -> Result<f64, String> {
    let rate = RED_STORM.into_iter().find(|rate| rate.ranks == ranks);
    rate.map(|rate| rate.paper).ok_or_else(|| format!("no simulated rate of {ranks} ranks"))
}

pub fn of_look_ahead(table: &[(u64, f64)], look_ahead: u64) -> f64 {
    table.iter().find(|rate| rate.0 == look_ahead).map_or(f64::NAN, |rate| rate.1)
}

/// Published time on 32 ranks with the first optimisations of Table 3 relative to none.
pub fn published_time(optimisations: usize) -> Published {
    let seconds = optimised_seconds(SWEEP_RANKS).unwrap_or_default();
    Figure(seconds[optimisations].unwrap_or(f64::NAN) / seconds[0].unwrap_or(f64::NAN))
}

pub fn simulated_time(optimisations: usize) -> Result<f64, String> {
    Ok(1.0 - SAVED_PERCENT[optimisations - 1] / 100.0)
}

pub fn published_stock(ranks: usize) -> f64 {
    stock(ranks).unwrap_or(f64::NAN)
}

pub fn measured_gain(ranks: usize) -> Published {
    Figure(MEASURED.iter().find(|one| one.ranks == ranks).map_or(f64::NAN, |one| one.gain))
}

/// The speed-up of 16 groups over SUMMA on 16 x 32 ranks of the crossbar, n = 4096 and b = 16, by the
/// formulas of Table II for rows and columns of ranks.
pub fn formula() -> f64 {
    let Ok(machine) = Machine::find("crossbar") else { return f64::NAN };
    let network = parameters(&machine).network;
    let hockney = Hockney { alpha: network.latency, beta: 8.0 / network.bandwidth };
    let panel = |ranks: f64, elements: f64, groups: f64| {
        let factors = |ranks| Factors::new(Broadcast::ScatterAllgather, ranks, 1);
        let [between, inside] = [factors(groups), factors(ranks / groups)];
        hockney.alpha * (between.latency + inside.latency)
            + hockney.beta * elements * (between.bandwidth + inside.bandwidth)
    };
    // Groups in a process row and in a process column: 8 and 2, as in the simulation.
    let both = |along_row: f64, along_column: f64| {
        panel(32.0, 16.0 * 256.0, along_row) + panel(16.0, 16.0 * 128.0, along_column)
    };
    both(1.0, 1.0) / both(8.0, 2.0)
}

/// The rate on coarrays.
pub fn events(images: usize) -> Result<f64, String> {
    let rate = COARRAY_EVENTS.into_iter().find(|rate| rate.0 == images);
    rate.map(|rate| rate.1).ok_or_else(|| format!("no simulated rate of {images} images"))
}

/// The published efficiency of a product with these blocks per side.
pub fn product([machine, library]: [&str; 2], processes: usize, blocks: usize) -> f64 {
    let row = bsp::rows().into_iter().find(|row| {
        (row.program, row.machine, row.library) == (Program::MatmulCustomized, machine, library)
            && (row.processes, row.parameter) == (processes, blocks.pow(3))
    });
    row.and_then(|row| row.efficiency_percent).unwrap_or(f64::NAN)
}

/// The mean published efficiency on 4 processes of aracari with a library.
pub fn mean_efficiency(library: &str, program: Program) -> f64 {
    let all = bsp::rows().into_iter().filter(|row| {
        (row.machine, row.library, row.program, row.processes) == ("aracari", library, program, 4)
    });
    let all: Vec<f64> = all.filter_map(|row| row.efficiency_percent).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

/// GUP/s on 128 K processors of BlueGene/L that section 3 predicts.
pub const BLUE_GENE_L: f64 = 44.0;

/// The rate of BlueGene/L by the cost model, with computation and messages of Red Storm slower by the factors
/// of section 3.
pub fn blue_gene_l() -> Result<f64, String> {
    const RANKS: usize = 128 << 10;
    let own = parameters(&Machine::find(MACHINE)?);
    let slower = Parameters {
        generate: 4.0 * own.generate,
        update: 4.0 * own.update,
        divide: 5.0 * own.divide,
        copy: 5.0 * own.copy,
        network: Link { latency: 5.0 * own.network.latency, bandwidth: own.network.bandwidth / 5.0 },
        ..own
    };
    let placement = Placement { ranks: RANKS, ranks_per_node: 1 };
    Ok(Round::new(&slower, &placement, &paper_options(1024)).gups())
}
