//! What doc/simulation.md says of exchanges between nodes: `MPI_Alltoallv` by node leaders from the rows of
//! `doc/results/simulate/alltoallv.json` and, for more nodes, from counts; and schedules on placements of
//! ranks from `doc/results/simulate/placements.json`.

use super::measured::results;
use super::table::{named, table};
use crate::simulate::Alltoall;
use crate::simulate::alltoall::{CYCLIC, LEADERS};
use crate::simulate::alltoallv::{MEANS, PLACED};
use crate::simulate::results::Results;
use hcube_alltoall::model::led::{bound_of_library, estimate_of_leaders, estimate_of_radix};
use hcube_core::machine::{Parameters, Placement};
use hcube_results::alltoall::OUT_OF_PLACE;
use hcube_results::machine::Machine;
use hcube_results::measured::distinct;
use hcube_results::numbers::significant;
use hcube_tool::machine::parameters;
use std::path::Path;

/// Nodes with this number of ranks.
const RANKS_PER_NODE: usize = 64;
/// Nodes whose exchanges are counted.
const COUNTED_NODES: [usize; 2] = [64, 1024];
/// Nodes and ranks of each for which radices are compared, with blocks of the smallest mean.
const RADIX_NODES: [usize; 4] = [16, 64, 256, 1024];
const RADIX_RANKS: [usize; 6] = [1, 2, 4, 8, 16, 64];

fn machine() -> Result<Parameters, String> {
    Ok(parameters(&Machine::find("fat-nodes")?))
}

fn placed(nodes: usize, ranks_per_node: usize) -> Placement {
    Placement { ranks: nodes * ranks_per_node, ranks_per_node }
}

/// Seconds of an exchange.
fn seconds<'a>(
    rows: &'a [Alltoall],
    what: &str,
    is_own: impl Fn(&&'a Alltoall) -> bool,
) -> Result<f64, String> {
    let found = rows.iter().find(is_own).map(|row| row.seconds);
    found.ok_or_else(|| format!("doc/results/simulate has no {what}"))
}

/// A simulated time in microseconds.
fn us(seconds: f64) -> String {
    significant(1e6 * seconds)
}

/// Simulated seconds of a number of ranks and a mean block: node leaders, MPICH, Open MPI.
fn simulated(rows: &[Alltoall], ranks: usize, block: u64) -> Result<[f64; 3], String> {
    let of = |algorithm: &str| {
        seconds(rows, &format!("MPI_Alltoallv by {algorithm} on {ranks} ranks"), |row| {
            (row.site.ranks, row.block, &*row.algorithm) == (ranks, Some(block), algorithm)
        })
    };
    let [mpich, open_mpi] = OUT_OF_PLACE.map(|one| one.0);
    Ok([of(LEADERS)?, of(mpich)?, of(open_mpi)?])
}

/// Estimated seconds of node leaders, and the bound of all exchanges of single blocks.
fn counted(nodes: usize, block: u64) -> Result<[f64; 2], String> {
    let (placement, block, machine) = (placed(nodes, RANKS_PER_NODE), block as usize, machine()?);
    let leaders = estimate_of_leaders(&placement, block, &machine).ok_or("one node has no leaders")?;
    Ok([leaders, bound_of_library(&placement, block, &machine)])
}

/// Times and speed-ups of `MPI_Alltoallv`: a row for each number of nodes.
pub fn alltoallv(root: &Path) -> Result<String, String> {
    let results: Results = results(root, "simulate/alltoallv")?;
    let rows = &results.alltoall;
    let means = MEANS.map(|block| format!("{block} bytes"));
    let mut lines = Vec::new();
    for ranks in distinct(rows.iter().map(|row| row.site.ranks)) {
        let cell = |&block: &u64| {
            let [led, mpich, open_mpi] = simulated(rows, ranks, block)?;
            let speed_up = mpich.min(open_mpi) / led;
            Ok(format!("{}, {}, {}: {speed_up:.2}", us(led), us(mpich), us(open_mpi)))
        };
        let cells = MEANS.iter().map(cell).collect::<Result<Vec<_>, String>>()?;
        lines.push(named(&format!("{} x {RANKS_PER_NODE}", ranks / RANKS_PER_NODE), cells));
    }
    for nodes in COUNTED_NODES {
        let cell = |&block: &u64| {
            let [led, bound] = counted(nodes, block)?;
            Ok(format!("{}, bound {}: {:.2}", us(led), us(bound), bound / led))
        };
        let cells = MEANS.iter().map(cell).collect::<Result<Vec<_>, String>>()?;
        lines.push(named(&format!("{nodes} x {RANKS_PER_NODE}, counted"), cells));
    }
    Ok(table(named("nodes x ranks", means), lines))
}

/// Estimated over simulated times of node leaders, the smallest and the largest.
pub fn estimates(root: &Path) -> Result<String, String> {
    let results: Results = results(root, "simulate/alltoallv")?;
    let rows = &results.alltoall;
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for ranks in distinct(rows.iter().map(|row| row.site.ranks)) {
        for block in MEANS {
            let ratio = counted(ranks / RANKS_PER_NODE, block)?[0] / simulated(rows, ranks, block)?[0];
            (least, most) = (least.min(ratio), most.max(ratio));
        }
    }
    Ok(format!("{least:.2} to {most:.2}"))
}

/// Estimated speed-up of the best power of two as radix over a message to each node.
pub fn radix(_: &Path) -> Result<String, String> {
    let (machine, block) = (machine()?, MEANS[0] as usize);
    let gain = |nodes: usize, ranks: usize| {
        let placement = placed(nodes, ranks);
        let direct = estimate_of_leaders(&placement, block, &machine)?;
        let radices = (1..nodes.ilog2()).map(|exponent| 1 << exponent);
        let times = radices.filter_map(|radix| estimate_of_radix(&placement, block, radix, &machine));
        Some(direct / times.fold(f64::INFINITY, f64::min))
    };
    let row = |ranks: usize| {
        let cells = RADIX_NODES.map(|nodes| gain(nodes, ranks).map(|gain| format!("{gain:.2}")));
        let cells = cells.into_iter().collect::<Option<Vec<_>>>().ok_or("one node has no leaders")?;
        Ok(named(&ranks.to_string(), cells))
    };
    let heading = named("ranks per node", RADIX_NODES.map(|nodes| format!("{nodes} nodes")));
    Ok(table(heading, RADIX_RANKS.into_iter().map(row).collect::<Result<_, String>>()?))
}

/// Times of schedules over the time of hierarchical sets over ranks that fill one node after the other.
pub fn placements(root: &Path) -> Result<String, String> {
    let results: Results = results(root, "simulate/placements")?;
    let rows = &results.alltoall;
    let mut lines = Vec::new();
    for site in distinct(rows.iter().map(|row| row.site.clone())) {
        let of = |placement: Option<&str>, algorithm: &str| {
            let what = format!("exchange by {algorithm} on {} ranks of {}", site.ranks, site.machine);
            seconds(rows, &what, |row| {
                row.site == site && row.algorithm == algorithm && row.placement.as_deref() == placement
            })
        };
        let own = of(None, "hierarchical-sets")?;
        let columns = [None, Some(CYCLIC)].into_iter().flat_map(|one| PLACED.map(|by| (one, by)));
        let cells = columns.map(|(placement, by)| Ok(format!("{:.2}", of(placement, by)? / own)));
        let name = match &*site.machine {
            "juropa" => "JuRoPA",
            "juqueen" => "Juqueen",
            other => other,
        };
        let nodes = site.ranks.div_ceil(site.ranks_per_node);
        let name = format!("{name}, {nodes} x {}", site.ranks_per_node);
        lines.push(named(&name, cells.collect::<Result<Vec<_>, String>>()?));
    }
    let placed = ["node by node", "in turn"].into_iter();
    let schedule = |by: &str| if by == "auto" { "default".to_owned() } else { by.replace('-', " ") };
    let headings = placed.flat_map(|place| PLACED.map(|by| format!("{place}: {}", schedule(by))));
    Ok(table(named("machine, nodes x ranks", headings.collect::<Vec<_>>()), lines))
}
