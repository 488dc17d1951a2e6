//! All-to-all exchanges: by hcube's schedules and paths, and by the algorithms of MPI libraries.
//!
//! The algorithms of MPICH and Open MPI are in `lab/simgrid/libraries.h`, which charges their copies.
//! In place they are the real competitors of the schedules; out of place node leaders stand beside what both
//! libraries select for a size and a number of ranks. hcube's votes are summed by recursive doubling there,
//! as MPI libraries sum few words.
//!
//! Exchanges of published sizes do not fit into a simulation. Their blocks and hcube's memory are `SCALE`
//! times shorter, on a machine with bandwidth and copies that are slower by the same factor: hcube's minimum
//! stands for [`SCALED_MEMORY`]. Pieces are a quarter of that memory, at most 256 KiB: at full size they have
//! this length, and in the simulation they stand for 260 KiB, so that messages have the numbers and times of
//! the full size within 2 %. With more memory they are longer than at full size. With memory for all data
//! whole blocks leave at the same time, as in the publication, where hcube's messages end at 256 KiB.

use super::arguments::Section;
use super::columns::{Layout, NONE, printed};
use super::place::Place;
use super::platform::Sharing;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_alltoall::state::BASE_MEMORY_BYTES;
use hcube_core::machine::work::{COPY, REST, Unit};
use hcube_results::alltoall::{FFTW_IN_PLACE, IN_PLACE, OUT_OF_PLACE, RING_OUT_OF_PLACE};
use hcube_results::machine::Machine;
use hcube_results::numbers::{bytes, time};
use serde::{Deserialize, Serialize};

/// Bytes that a rank sends in total, in sections that do not vary it.
const BYTES: u64 = 1 << 20;
/// Bytes of a rank in the transforms of Hofmann and Rünger 2013, section 4.4.
const TRANSPOSED_BYTES: u64 = 512 << 20;
/// Bytes of a rank in their section 4.2, on Juqueen and elsewhere.
const JUQUEEN_BYTES: u64 = 300_000_000;
const PUBLISHED_BYTES: u64 = 1_000_000_000;
/// By how much blocks and memory are shorter: hcube's minimum then stands for its default of 1 MiB.
const SCALE: usize = ((1 << 20) + BASE_MEMORY_BYTES) / BASE_MEMORY_BYTES;
/// hcube's memory where the simulation has its minimum.
pub const SCALED_MEMORY: u64 = (BASE_MEMORY_BYTES * (SCALE - 1)) as u64;
/// Bytes of a rank that are 1 MiB in the simulation: where the published data would take too long, and beyond
/// `MAX_RANKS_OF_PUBLISHED_BYTES` too much memory.
pub const SCALED_BYTES: u64 = BYTES * SCALE as u64;
const MAX_RANKS_OF_PUBLISHED_BYTES: usize = 128;
/// What a waiting rank of many adds to its pauses, as a share of the time in which a block leaves a node.
const REST_OF_BLOCK: f64 = 1.0 / 64.0;
/// Bytes of a block out of place.
const BLOCKS: [u64; 7] = [8, 32, 128, 256, 512, 1024, 4096];
/// Memory within which node leaders exchange all blocks.
const LEADERS_MEMORY: u64 = 64 << 20;
/// Ranks are placed on nodes in turn.
pub const CYCLIC: &str = "cyclic";
/// hcube's algorithm out of place.
pub const LEADERS: &str = "node-leaders";
/// hcube's schedules in place.
const SCHEDULES: [&str; 3] = ["mpich", "linear-shift", "hierarchical-sets"];
/// Beyond this number of ranks SimGrid 3.32 fails to share the bandwidth of Juqueen's links among all
/// messages of random sizes at once (a crash in its solver), and a second buffer takes too much memory.
const MAX_RANKS_AT_ONCE: usize = 64;
/// Ranks up to which exchanges share the links between nodes.
const MAX_RANKS_SHARING_LINKS: usize = 256;

/// A run of the all-to-all exchange.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Alltoall {
    #[serde(flatten)]
    pub site: Site,
    /// As in `hcube bench alltoall`.
    pub algorithm: String,
    /// As in `hcube bench alltoall`; nothing for the library in older files.
    pub path: Option<String>,
    /// Additional memory; nothing for the library in older files.
    pub memory: Option<u64>,
    /// Data of each rank.
    pub bytes_per_rank: u64,
    /// Bytes of each block, where all are equal and the exchange is out of place.
    pub block: Option<u64>,
    /// The function out of place where it is not MPI_Alltoall; counts are random then, `block` is their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// How ranks are placed on nodes, where they do not fill one node after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<String>,
    /// Blocks are shorter in the simulation by this factor, on a machine with less bandwidth.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: usize,
    /// Simulated.
    pub seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    pub way: Option<String>,
}

fn one() -> usize {
    1
}

fn is_one(scale: &usize) -> bool {
    *scale == one()
}

/// The name by which the driver knows an algorithm.
fn of_driver(algorithm: &str) -> &str {
    if algorithm == RING_OUT_OF_PLACE { "library-out-of-place" } else { algorithm }
}

impl Alltoall {
    pub(super) fn new(place: &Place<'_>, ranks: usize, algorithm: &str) -> Self {
        Self {
            site: place.site(ranks),
            algorithm: algorithm.to_owned(),
            path: Some("message".to_owned()),
            memory: Some(BYTES),
            bytes_per_rank: BYTES,
            scale: one(),
            ..Self::default()
        }
    }

    /// The same with this data and hcube's least memory, both shorter in the simulation.
    pub(super) fn scaled(self, bytes_per_rank: u64) -> Self {
        let is_long = self.site.ranks > MAX_RANKS_OF_PUBLISHED_BYTES;
        let bytes_per_rank = if is_long { SCALED_BYTES } else { bytes_per_rank };
        Self { scale: SCALE, memory: Some(SCALED_MEMORY), bytes_per_rank, ..self }
    }

    /// The memory of the simulation, in addition to hcube's minimum.
    fn simulated_memory(&self) -> u64 {
        let least = BASE_MEMORY_BYTES as u64;
        ((self.memory.unwrap_or_default() + least) / self.scale as u64).saturating_sub(least)
    }

    fn is_of_library(&self) -> bool {
        self.algorithm.ends_with("-place")
    }

    fn is_transposition(&self) -> bool {
        self.site.section == Section::Transpositions.name()
    }

    fn is_out_of_place(&self) -> bool {
        self.block.is_some() || self.algorithm.ends_with("-out-of-place")
    }
}

impl Row for Alltoall {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("alltoall", None)
    }

    fn text(&self) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        let is_transposition = self.is_transposition();
        let bytes = self.bytes_per_rank / self.scale as u64;
        // A block of the data that is transposed remains.
        let sent = if is_transposition { bytes - bytes / self.site.ranks as u64 } else { bytes };
        format!(
            "algorithm={}{}{},node={},path={path},memory={},bytes={},counts={},repeat={}",
            of_driver(&self.algorithm),
            self.block.map(|bytes| format!(",block={bytes}")).unwrap_or_default(),
            self.function.as_ref().map(|name| format!(",function={name}")).unwrap_or_default(),
            self.site.ranks_per_node,
            self.simulated_memory(),
            sent,
            if self.site.section == "small" || is_transposition { "equal" } else { "random" },
            // hcube tries two paths inside a node before it selects one.
            if path == "auto" && self.site.ranks_per_node > 1 && self.block.is_none() { 5 } else { 1 }
        )
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.way = Some(record.text("way")?.to_owned()).filter(|way| !way.is_empty());
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        let figures = vec![("bytes_per_rank", self.bytes_per_rank as f64), ("seconds", self.seconds)];
        [self.site.positive(), figures].concat()
    }

    /// The data, and additional memory; or a second copy out of place.
    fn bytes_per_rank(&self) -> u64 {
        let data = self.bytes_per_rank / self.scale as u64;
        let more = if self.is_out_of_place() { data } else { self.simulated_memory().min(data) };
        data.saturating_add(more)
    }

    fn scale(&self) -> usize {
        self.scale
    }

    fn is_cyclic(&self) -> bool {
        self.placement.as_deref() == Some(CYCLIC)
    }

    fn costs(&self, machine: &Machine, scale: f64) -> Vec<(Unit, f64)> {
        let mut costs = vec![(COPY, machine.costs.copy_ns * scale)];
        if self.is_transposition() && self.site.ranks > MAX_RANKS_SHARING_LINKS {
            let block_ns =
                self.bytes_per_rank as f64 / self.site.ranks as f64 / machine.network.bandwidth_gb_s;
            costs.push((REST, REST_OF_BLOCK * block_ns));
        }
        costs
    }

    /// Blocks of random sizes on hundreds of ranks change the rates of all links at each message.
    fn sharing(&self) -> Sharing {
        match self.site.ranks {
            // Within 0.3 % of shared links on 256 ranks, in a quarter of the time.
            _ if self.function.is_some() => Sharing::SendingPorts,
            ranks if ranks > MAX_RANKS_SHARING_LINKS => Sharing::Ports,
            _ => Sharing::Links,
        }
    }

    fn collectives(&self) -> &'static [&'static str] {
        if self.block.is_some() { &["--cfg=smpi/allreduce:rdb"] } else { &[] }
    }
}

/// Bytes of a rank of a machine. Each exchange of the published bytes takes minutes on 128 ranks.
fn bytes_of_schedules(place: &Place<'_>, full: bool) -> u64 {
    match &*place.machine.name {
        _ if !full => SCALED_BYTES,
        "juqueen" => JUQUEEN_BYTES,
        _ => PUBLISHED_BYTES,
    }
}

/// The exchanges of a section on a number of ranks, which share a simulation.
pub fn cases(place: &Place<'_>, ranks: usize, full: bool) -> Vec<Alltoall> {
    let by = |algorithm: &str| Alltoall::new(place, ranks, algorithm);
    match place.section {
        Section::Schedules => {
            // The same memory on every number of ranks: a line over ranks has one condition.
            let in_place = IN_PLACE.iter().map(|one| one.0);
            let out_of_place = OUT_OF_PLACE.iter().map(|one| one.0).chain([RING_OUT_OF_PLACE]);
            let out_of_place = out_of_place.filter(|_| ranks <= MAX_RANKS_AT_ONCE);
            let all = SCHEDULES.into_iter().chain(in_place).chain(out_of_place);
            all.map(|algorithm| by(algorithm).scaled(bytes_of_schedules(place, full))).collect()
        }
        Section::Memory => {
            let with = |algorithm| {
                let least = by(algorithm).scaled(bytes_of_schedules(place, full));
                let most = Alltoall { memory: Some(least.bytes_per_rank), ..least.clone() };
                [least, most]
            };
            SCHEDULES.into_iter().flat_map(with).collect()
        }
        Section::Transpositions => {
            let of_transform = |algorithm| Alltoall {
                memory: Some(0),
                bytes_per_rank: TRANSPOSED_BYTES,
                scale: (TRANSPOSED_BYTES / BYTES) as usize,
                ..by(algorithm)
            };
            ["mpich", "hierarchical-sets", FFTW_IN_PLACE].map(of_transform).into()
        }
        Section::AlltoallNodes => {
            ["auto", "message"].map(|path| Alltoall { path: Some(path.to_owned()), ..by("auto") }).into()
        }
        _ => {
            let of_block = |bytes: u64| {
                let bytes_per_rank = bytes * (ranks as u64 - 1);
                ["hypercube", "hierarchical-sets"].map(|name| Alltoall { bytes_per_rank, ..by(name) })
            };
            [8, 16, 32, 64, 256].into_iter().flat_map(of_block).collect()
        }
    }
}

/// Exchanges out of place: a simulation for each number of ranks and algorithm.
pub fn out_of_place(place: &Place<'_>) -> Vec<Batch<Alltoall>> {
    let [mpich, open_mpi] = OUT_OF_PLACE.map(|one| one.0);
    place.variants([LEADERS, mpich, open_mpi], |algorithm, ranks| {
        BLOCKS.map(|block| Alltoall {
            block: Some(block),
            bytes_per_rank: block * (ranks as u64 - 1),
            path: Some("auto".to_owned()),
            memory: Some(LEADERS_MEMORY),
            ..Alltoall::new(place, ranks, algorithm)
        })
    })
}

/// The times of all algorithms.
pub const LAYOUT: Layout<Alltoall> = Layout {
    title: "All-to-all",
    columns: &[
        printed("ranks", |line| line.row.site.ranks.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        printed("bytes per rank", |line| line.row.bytes_per_rank.to_string()),
        printed("algorithm", |line| line.row.algorithm.clone()),
        printed("path", |line| {
            let path = line.row.path.as_deref().filter(|_| !line.row.is_of_library());
            path.unwrap_or(NONE).to_owned()
        }),
        printed("memory", |line| {
            let memory = line.row.memory.filter(|_| !line.row.is_of_library());
            memory.map_or(NONE.to_owned(), |memory| bytes(memory as f64))
        }),
        printed("time", |line| time(line.row.seconds)),
        printed("time/best", |line| {
            let size = |row: &Alltoall| (row.site.ranks, row.bytes_per_rank);
            let same = line.all.iter().filter(|other| size(other) == size(line.row));
            let best = same.map(|other| other.seconds).fold(f64::INFINITY, f64::min);
            if best > 0.0 { format!("{:.2}", line.row.seconds / best) } else { NONE.to_owned() }
        }),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_alltoall::model::{Algorithm, Exchange};
    use hcube_core::machine::{Link, Parameters, Placement};

    /// Predicted seconds on a network of infinite bandwidth: latencies, which follow from the number of
    /// pieces and from how many are under way.
    fn latencies(ranks: usize, bytes: usize, memory: usize) -> f64 {
        let link = Link { latency: 1.0, bandwidth: f64::INFINITY };
        let (generate, update, divide, copy) = (0.0, 0.0, 0.0, 0.0);
        let parameters = Parameters { network: link, node: link, generate, update, divide, copy };
        let exchange = Exchange { placement: Placement { ranks, ranks_per_node: 8 }, bytes, memory };
        exchange.seconds(Algorithm::HierarchicalSets, &parameters).expect("messages are always possible")
    }

    #[test]
    fn scaled_exchanges_have_the_messages_of_the_full_size() {
        for bytes in [PUBLISHED_BYTES, JUQUEEN_BYTES, SCALED_BYTES] {
            for ranks in [16, 32, 64, MAX_RANKS_OF_PUBLISHED_BYTES] {
                let full = latencies(ranks, bytes as usize, SCALED_MEMORY as usize);
                let scaled = latencies(ranks, bytes as usize / SCALE, 0);
                // 260 KiB instead of 256.
                assert!((scaled / full - 1.0).abs() < 0.02, "{bytes} on {ranks}: {scaled}, {full}");
                // Memory without a scale has too few messages.
                assert!(latencies(ranks, bytes as usize / SCALE, 1 << 20) < 0.8 * full, "{bytes} on {ranks}");
            }
        }
    }

    #[test]
    fn memory_has_the_scale_of_blocks() {
        let of = |memory, scale| Alltoall { memory: Some(memory), scale, ..Alltoall::default() };
        assert_eq!(of(SCALED_MEMORY, SCALE).simulated_memory(), 0);
        assert_eq!(of(1 << 20, 1).simulated_memory(), 1 << 20);
        // Memory for all data is memory for all data.
        let all = of(PUBLISHED_BYTES, SCALE).simulated_memory() + BASE_MEMORY_BYTES as u64;
        assert_eq!(all, (PUBLISHED_BYTES + BASE_MEMORY_BYTES as u64) / SCALE as u64);
    }
}
