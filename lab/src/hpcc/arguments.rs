//! The options of `hcube-lab hpcc`, and the runs that they select.

use super::input::Problem;
use super::plan::{self, Run};
use super::variant::{Mpi, Variant};
use hcube_results::hpcc::{MIN_PAIRS, hpl::TOPOLOGIES};
use hcube_tool::choices::number;
use hcube_tool::grids::nearest_square;
use hcube_tool::list::numbers;
use hcube_tool::output::{self, JsonOption};
use std::path::PathBuf;

/// Numbers of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranks(pub Vec<usize>);

pub fn ranks(text: &str) -> Result<Ranks, String> {
    let ranks = numbers(number::<usize>(1..=65536))(text)?;
    if ranks.is_empty() {
        Err("expected numbers of ranks such as 1,2,4".to_owned())
    } else {
        Ok(Ranks(ranks.to_vec()))
    }
}

/// Process grids, rows and columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grids(pub Vec<(usize, usize)>);

pub fn grids(list: &str) -> Result<Grids, String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=65536).contains(side));
    let grid = |word: &str| {
        let (rows, columns) = word.split_once('x')?;
        Some((side(rows)?, side(columns)?))
    };
    let one = |word| grid(word).ok_or_else(|| format!("'{word}' is not a process grid such as 2x4"));
    list.split(',').map(one).collect::<Result<_, _>>().map(Grids)
}

/// HPL's broadcasts by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcasts(pub Vec<usize>);

pub fn broadcasts(list: &str) -> Result<Broadcasts, String> {
    if list == "all" {
        return Ok(Broadcasts((0..TOPOLOGIES.len()).collect()));
    }
    let number = |word: &str| word.parse().ok().filter(|&number| number < TOPOLOGIES.len());
    let one =
        |word| number(word).ok_or_else(|| format!("'{word}' is not a broadcast of HPL: 0 to 5, or all"));
    list.split(',').map(one).collect::<Result<_, _>>().map(Broadcasts)
}

/// Runs the official HPCC in several variants and compares their figures of merit (not under mpirun)
///
/// Runs ROOT/{stock,sandia,hcube}/hpcc, built by scripts/build-hpcc.sh, for each number of ranks, and
/// prints one table. Fails if a verification failed or hcube was not active. Sandia's variant differs from
/// the stock one in RandomAccess only.
///
/// With --grids or --broadcasts a second table compares HPL on each process grid with the best of its
/// broadcasts in stock HPCC.
///
/// Example: hcube-lab hpcc --root target/hpcc/openmpi --ranks 1,2,4 --n 4000 --json=results.json
///
/// Example: hcube-lab hpcc --root target/hpcc/openmpi --grids 1x2,2x2,1x4,2x4 --broadcasts all --repeat 3
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Directory of the variants; the files of runs are written to its subdirectory runs
    #[arg(long, value_name = "DIR")]
    pub root: PathBuf,
    /// Numbers of ranks, for all variants [default: the cores and half of them]
    #[arg(long, value_name = "LIST", value_parser = ranks)]
    pub ranks: Option<Ranks>,
    /// All variants on 1, 2, 3, 4 and 8 ranks; oversubscribed, stock HPCC takes more than 2 minutes per run
    #[arg(long)]
    pub full: bool,
    /// Size of HPL's matrix, from which HPCC derives the size of the table [default: 4000 on 2 cores, with
    /// the same memory for each core on others]
    #[arg(long, value_name = "N", default_value_t = plan::size(plan::cores()), hide_default_value = true, value_parser = number::<u32>(1..=10_000_000))]
    pub n: u32,
    /// Columns of a block of HPL's matrix
    #[arg(long, value_name = "NB", default_value_t = 80, value_parser = number::<u32>(1..=100_000))]
    pub block: u32,
    /// Process grids of HPL, such as 1x2,2x2; they determine the numbers of ranks [default: nearly square]
    #[arg(long, value_name = "LIST", value_parser = grids, conflicts_with_all = ["ranks", "full", "brief"])]
    pub grids: Option<Grids>,
    /// HPL's broadcasts by their numbers in its input file, 0 to 5, or all [default: 1]
    #[arg(long, value_name = "LIST", value_parser = broadcasts, conflicts_with = "brief")]
    pub broadcasts: Option<Broadcasts>,
    /// Look-ahead depth of HPL
    #[arg(long, value_name = "PANELS", default_value_t = 1, value_parser = number::<u32>(0..=9))]
    pub depth: u32,
    /// Variants to run [default: stock and hcube; with --full also sandia]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub variants: Vec<Variant>,
    /// Runs of each variant on each number of ranks, in pairs; results are medians, speed-ups need at
    /// least 3 pairs [default: as many as --minutes permits, at most 5; 3 with --full]
    #[arg(long, value_name = "TIMES", value_parser = number::<u32>(1..=100))]
    pub repeat: Option<u32>,
    /// Without --repeat: minutes after which no further runs begin
    #[arg(long, value_name = "MINUTES", default_value_t = 5, value_parser = number::<u32>(1..=1440))]
    pub minutes: u32,
    /// The MPI library [default: the last part of ROOT]
    #[arg(long, value_enum)]
    pub mpi: Option<Mpi>,
    /// Launcher and its options instead of mpirun; -np and the number of ranks are added
    #[arg(long, value_name = "COMMAND")]
    pub launcher: Option<String>,
    /// Run all of HPCC in every variant; by default sandia is stopped after both MPIRandomAccess sections
    #[arg(long, conflicts_with = "brief")]
    pub complete: bool,
    /// Stop every run after both MPIRandomAccess sections
    #[arg(long)]
    pub brief: bool,
    /// Seconds after which a run is stopped and counts as timed out
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = number::<u64>(1..=86400))]
    pub time_limit: u64,
    /// Write a picture of the speed-ups to this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonOption,
}

impl Arguments {
    pub fn mpi(&self) -> Result<Mpi, String> {
        if let Some(mpi) = self.mpi {
            return Ok(mpi);
        }
        let last = self.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        [Mpi::Openmpi, Mpi::Mpich].into_iter().find(|mpi| mpi.name() == last).ok_or_else(|| {
            format!(
                "--root {}: its last part is not an MPI library: add --mpi openmpi or --mpi mpich",
                self.root.display()
            )
        })
    }

    /// The program of a variant.
    pub fn program(&self, variant: Variant) -> Result<PathBuf, String> {
        let path = self.root.join(variant.name()).join("hpcc");
        // Runs have folders of their own, so the path must not depend on the folder.
        path.canonicalize().map_err(|error| {
            format!(
                "--root {}: {} (scripts/build-hpcc.sh {} builds it)",
                self.root.display(),
                output::failure(&path)(error),
                variant.name()
            )
        })
    }

    /// The variants to run.
    pub fn variants(&self) -> Vec<Variant> {
        match (&self.variants[..], self.full) {
            ([], true) => Variant::ALL.to_vec(),
            ([], false) => vec![Variant::Stock, Variant::Hcube],
            (selected, _) => selected.to_vec(),
        }
    }

    /// The numbers of ranks of --grids.
    fn ranks_of_grids(&self) -> Option<Vec<usize>> {
        let mut ranks: Vec<usize> =
            self.grids.as_ref()?.0.iter().map(|(rows, columns)| rows * columns).collect();
        ranks.sort_unstable();
        ranks.dedup();
        Some(ranks)
    }

    /// What HPCC solves on a number of ranks.
    pub fn problem(&self, ranks: usize) -> Problem {
        let selected = self.grids.as_ref().map(|grids| {
            grids.0.iter().copied().filter(|(rows, columns)| rows * columns == ranks).collect::<Vec<_>>()
        });
        Problem {
            n: self.n,
            block: self.block,
            grids: selected.unwrap_or_else(|| vec![nearest_square(ranks)]),
            broadcasts: self.broadcasts.as_ref().map_or(vec![1], |broadcasts| broadcasts.0.clone()),
            depth: self.depth,
        }
    }

    /// Whether HPL is compared for each process grid.
    pub fn compares_hpl(&self) -> bool {
        self.grids.is_some() || self.broadcasts.is_some()
    }

    /// Whether runs of this variant run all of HPCC.
    pub fn whole(&self, variant: Variant) -> bool {
        self.complete || (variant != Variant::Sandia && !self.brief)
    }

    /// All runs in their order, if no time limit intervenes.
    pub fn all_runs(&self) -> Vec<Run> {
        let variants = self.variants();
        let ranks = self.ranks_of_grids().or_else(|| self.ranks.as_ref().map(|ranks| ranks.0.clone()));
        let ranks = ranks.unwrap_or_else(|| match self.full {
            true => plan::FULL_RANKS.to_vec(),
            false => plan::usual(plan::cores()),
        });
        let repeats = self.repeat.unwrap_or(if self.full { MIN_PAIRS as u32 } else { plan::MAX_REPEATS });
        let groups = plan::groups(&ranks, &variants, repeats);
        let runs = |(ranks, repeat, variants): plan::Group| {
            variants.into_iter().map(move |variant| (variant, ranks, repeat))
        };
        let run = |(variant, ranks, repeat)| Run { variant, ranks, repeat, whole: self.whole(variant) };
        groups.into_iter().flat_map(runs).map(run).collect()
    }

    /// Seconds after which no further runs begin.
    pub fn budget(&self) -> f64 {
        if self.repeat.is_some() || self.full { f64::INFINITY } else { 60.0 * f64::from(self.minutes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn lists_of_ranks() {
        assert_eq!(ranks("1 2  3,8"), Ok(Ranks(vec![1, 2, 3, 8])));
        assert_eq!(ranks("1:8:2x"), Ok(Ranks(vec![1, 2, 4, 8])));
        for bad in ["", " ", "0", "2 x", "-1", "99999999"] {
            assert!(ranks(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn grids_and_broadcasts() {
        assert_eq!(grids("1x2,2x4"), Ok(Grids(vec![(1, 2), (2, 4)])));
        for bad in ["", "2", "0x2", "2x", "1x2,", "2x99999", "1X2"] {
            assert!(grids(bad).is_err(), "{bad}");
        }
        assert_eq!(broadcasts("all"), Ok(Broadcasts((0..6).collect())));
        assert_eq!(broadcasts("5,0"), Ok(Broadcasts(vec![5, 0])));
        for bad in ["", "6", "1,", "-1", "ring"] {
            assert!(broadcasts(bad).is_err(), "{bad}");
        }
    }

    #[derive(Debug, clap::Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn grids_determine_the_runs() {
        let words = ["", "--root", "openmpi", "--grids", "2x2,1x2,1x4", "--repeat", "2", "--block", "33"];
        let arguments = Command::try_parse_from(words).expect("valid").arguments;
        let ranks: Vec<usize> = arguments.all_runs().iter().map(|run| run.ranks).collect();
        assert_eq!(ranks, [2, 2, 2, 2, 4, 4, 4, 4]);
        let problem = arguments.problem(4);
        assert_eq!((problem.grids, problem.broadcasts, problem.block), (vec![(2, 2), (1, 4)], vec![1], 33));
        assert!(arguments.compares_hpl());
        assert!(Command::try_parse_from([&words[..5], &["--ranks", "2"]].concat()).is_err());
    }
}
