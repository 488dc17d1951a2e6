//! The options of `hcube-lab simulate`.

use clap::ValueEnum;
use hcube_tool::choices::number;
use hcube_tool::output::JsonOption;
use std::path::PathBuf;
use std::time::Duration;

/// A part of the results; all, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Section {
    /// RandomAccess over the number of ranks, beside Table 2 of Plimpton et al. 2006
    Ranks,
    /// RandomAccess over the look-ahead, beside Table 4
    LookAhead,
    /// RandomAccess with each of the optimisations, beside Table 3
    Optimisations,
    /// RandomAccess by direct messages, as HPCC ships it, beside Table 1
    Stock,
    /// RandomAccess over the number of dimensions
    Dimensions,
    /// RandomAccess with many ranks per node
    Nodes,
    /// All-to-all schedules over the number of ranks, beside Figure 5 of Hofmann and Rünger 2013
    Schedules,
    /// Linear shift, hierarchical sets and the default schedule, with ranks node by node and in turn
    Placements,
    /// All-to-all with 1 MiB of additional memory and with memory for all data, beside Figure 6 (left)
    Memory,
    /// All-to-all of equal blocks as in transpositions of transforms, beside Figure 6 (right)
    Transpositions,
    /// All-to-all with and without shared memory inside nodes
    AlltoallNodes,
    /// All-to-all of small blocks
    Small,
    /// All-to-all of equal blocks out of place
    OutOfPlace,
    /// All-to-all of random counts out of place, with 64 ranks per node
    Alltoallv,
    /// SUMMA and HSUMMA over the number of groups, beside Figures 5, 6, 8 and 9 of Quintin et al. 2013
    Groups,
    /// SUMMA and HSUMMA where latency dominates
    Latency,
    /// The algorithm that hcube selects, beside SUMMA
    Chosen,
    /// Matrix products with 64 ranks per node
    FatNodes,
    /// Supersteps of BSP programs over the number of ranks
    Supersteps,
    /// Teams of coarray programs: storage, formation, barriers, lookups
    Teams,
    /// RandomAccess on coarrays, beside Figure 10 of Jin et al. 2011
    CoarrayUpdates,
    /// RandomAccess in the modes on coarrays and in the default mode, beside the same figure
    CoarrayModes,
    /// Fourier transforms by six steps and by binary exchange, beside section IV-B4
    Fft,
    /// The broadcasts of an LU factorisation, beside section IV-B1
    Hpl,
    /// Longest common subsequences on the selected grid and on the grids of Krusche 2005, beside the
    /// predictions of the cost model
    Lcs,
    /// Matrix products and longest common subsequences by BSP, beside the predictions and appendices D and F
    /// of Krusche 2005
    BspPrograms,
    /// Exchanges, supersteps, panels, transposes, coarrays and RandomAccess on hosts of one machine, beside
    /// the measurements of `hcube-lab hosts bench`
    Hosts,
}

impl Section {
    /// The name in JSON, where the two sections about nodes are in different lists.
    pub fn name(self) -> String {
        match self.to_possible_value() {
            Some(value) if self != Self::AlltoallNodes => value.get_name().to_owned(),
            _ => "nodes".to_owned(),
        }
    }
}

/// Runs the library on simulated machines with SimGrid SMPI (not under mpirun)
///
/// Every run is verified: RandomAccess by its table, the all-to-all exchange and supersteps by every byte,
/// matrix products by the corners of all local matrices, teams by every word that is read, Fourier transforms
/// by every number, panels by every byte, longest common subsequences by their length, products of BSP
/// programs by every element. The machines are models; their files name the sources. Fails if a run has
/// errors, hangs or cannot be started.
///
/// Example: hcube-lab simulate --root target/simulate --sections ranks --ranks 64,256 --json=results.json
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Directory of the drivers and platform.so, built by scripts/simulate.sh, and of the files of runs
    #[arg(long, value_name = "DIR", default_value = "target/simulate")]
    pub root: PathBuf,
    /// All sizes, which takes hours; the default takes a few minutes on two cores
    #[arg(long)]
    pub full: bool,
    /// Sections to run
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = Section::value_variants())]
    pub sections: Vec<Section>,
    /// The machine: red-storm, juropa, juqueen, bluegene-p, graphene, crossbar, fat-nodes, franklin,
    /// skua-oxtool, argus-oxtool, aracari-oxtool, hosts-openmpi, hosts-openmpi5, hosts-mpich, hosts-mpich5 or
    /// a file; default: the machines of each section
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// Numbers of ranks, such as 64,256; by default set by each section
    #[arg(long, value_name = "LIST", value_parser = crate::hpcc::arguments::ranks)]
    pub ranks: Option<crate::hpcc::arguments::Ranks>,
    /// Ranks per node; by default set by each section
    #[arg(long, value_name = "RANKS", value_parser = number::<u32>(1..=4096))]
    pub ranks_per_node: Option<u32>,
    /// Simulations that run concurrently [default: the number of cores, at most 2]
    #[arg(long, value_name = "NUMBER", value_parser = number::<u32>(1..=256))]
    pub jobs: Option<u32>,
    /// Seconds after which a simulation is stopped and counts as hanging [default: 900, with --full 7200];
    /// it then runs again with a log, at most as long, which shows where its ranks are
    #[arg(long, value_name = "SECONDS", value_parser = number::<u64>(1..=86400))]
    pub time_limit: Option<u64>,
    #[command(flatten)]
    pub json: JsonOption,
}

impl Arguments {
    /// The time limit of a simulation.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.time_limit.unwrap_or(if self.full { 7200 } else { 900 }))
    }

    /// Simulations that run concurrently.
    pub fn jobs(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.jobs.map_or(cores.min(2), |jobs| jobs as usize)
    }
}
