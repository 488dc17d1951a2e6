//! The options of `hcube model gemm`, and what cannot be predicted.

use crate::choices::number;
use crate::grids::{self, MAX_RANKS, nearest_square};
use crate::list::{List, NONE, numbers};
use crate::machine;
use crate::output::JsonOption;
use crate::session::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hcube_gemm::model::{Hockney, Problem};
use hcube_gemm::schedule::Broadcast;
use hcube_results::machine::Link;

/// Larger matrices than any machine can hold.
const MAX_ORDER: u64 = 1 << 40;
/// Bytes of an element of type double.
const DOUBLE_BYTES: u64 = 8;

/// Predicts the communication time of SUMMA and HSUMMA (not under mpirun)
///
/// A message of m elements takes alpha + m * beta seconds; a machine or --alpha and --beta give both.
/// For every number of groups and every broadcast the time is computed by formula and counted from the
/// messages of the production schedules. Not modelled: contention in the network, its topology, overlap
/// with computation, and overlap of successive panels. The model does not explain the gains that
/// Quintin et al. 2013 measured: --paper shows both.
///
/// Examples:
///   hcube model gemm --alpha 1e-5 --beta 8e-9 --ranks 512 --n 4096 --block 16
///   hcube model gemm --machine bluegene-p --grid 128x128 --n 65536
///   hcube model gemm --paper
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Name of a machine, or a file; without it, and without --alpha, calibration.json in the working
    /// directory
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "alpha")]
    machine: Option<String>,
    /// Seconds per message
    #[arg(long, value_name = "SECONDS", requires = "beta", value_parser = positive)]
    alpha: Option<f64>,
    /// Seconds per element
    #[arg(long, value_name = "SECONDS", requires = "alpha", value_parser = positive)]
    beta: Option<f64>,
    /// Bytes of an element, with which the bandwidth of a machine is converted
    #[arg(long, value_name = "BYTES", default_value_t = DOUBLE_BYTES, value_parser = number::<u64>(1..=64))]
    element_bytes: u64,
    /// Number of ranks, on the grid nearest to a square
    #[arg(long, value_name = "P", default_value_t = 256, conflicts_with = "grid",
          value_parser = number::<u64>(1..=MAX_RANKS as u64))]
    ranks: u64,
    /// Process rows and columns of the grid
    #[arg(long, value_name = "PxQ", value_parser = grids::parse)]
    grid: Option<(usize, usize)>,
    /// Ranks on a node; without it one for each core of the machine. The ranks of a process row are
    /// consecutive
    #[arg(long, value_name = "K", value_parser = number::<u64>(1..=MAX_RANKS as u64))]
    ranks_per_node: Option<u64>,
    /// Columns of B and C
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = number::<u64>(1..=MAX_ORDER))]
    n: u64,
    /// Rows of A and C; without it N
    #[arg(long, value_name = "M", value_parser = number::<u64>(1..=MAX_ORDER))]
    m: Option<u64>,
    /// Columns of A and rows of B; without it N
    #[arg(long, value_name = "K", value_parser = number::<u64>(1..=MAX_ORDER))]
    k: Option<u64>,
    /// Columns of a panel of SUMMA, and of an inner block of HSUMMA
    #[arg(long, value_name = "COLUMNS", default_value_t = 256, value_parser = number::<u64>(1..=1 << 20))]
    block: u64,
    /// Columns of an outer block of HSUMMA, a multiple of the columns of an inner block; by default the same
    #[arg(long, value_name = "COLUMNS", value_parser = number::<u64>(1..=1 << 20))]
    outer_block: Option<u64>,
    /// Numbers of groups; without it powers of two
    #[arg(long, value_name = "G[,G...]", default_value = NONE, hide_default_value = true,
          value_parser = numbers(number::<u64>(1..=MAX_RANKS as u64)))]
    groups: List<u64>,
    /// Only this broadcast
    #[arg(long, value_parser = broadcasts())]
    broadcast: Option<Broadcast>,
    /// 10^9 additions and multiplications per second and rank, to predict the time of computation as well
    #[arg(long, value_name = "RATE", value_parser = positive)]
    rate: Option<f64>,
    /// Predict the figures of Quintin, Hasanov and Lastovetsky 2013 beside what they have measured
    #[arg(long, conflicts_with_all = ["machine", "alpha", "beta", "element_bytes", "ranks", "grid", "ranks_per_node",
          "n", "m", "k", "block", "outer_block", "groups", "broadcast", "rate"])]
    pub paper: bool,
    #[command(flatten)]
    pub json: JsonOption,
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| "expected a number above 0".to_owned())
}

fn broadcasts() -> impl TypedValueParser<Value = Broadcast> {
    let values = Broadcast::ALL.iter().map(|broadcast| PossibleValue::new(broadcast.name()));
    PossibleValuesParser::new(values).map(|name| {
        let named = Broadcast::ALL.into_iter().find(|broadcast| broadcast.name() == name);
        named.expect("one of the names")
    })
}

/// What is predicted.
#[derive(Debug, Clone)]
pub struct Case {
    /// Where alpha and beta are from.
    pub title: String,
    pub sources: Vec<String>,
    pub hockney: Hockney,
    pub element_bytes: usize,
    /// Sizes of matrices and grid.
    pub problem: Problem,
    pub rows: usize,
    pub columns: usize,
    pub ranks_per_node: usize,
    /// Columns of an inner block.
    pub block: usize,
    /// Columns of an outer block.
    pub outer_block: usize,
    pub groups: Vec<usize>,
    pub broadcasts: Vec<Broadcast>,
    /// Additions and multiplications per second and rank.
    pub rate: Option<f64>,
}

impl Arguments {
    /// What is predicted, with the defaults of what was not given.
    pub fn case(&self) -> Result<Case, Failure> {
        let (title, sources, hockney, cores) = match (self.alpha, self.beta) {
            (Some(alpha), Some(beta)) => {
                ("parameters of the command line".to_owned(), Vec::new(), Hockney { alpha, beta }, 1)
            }
            _ => {
                let machine = machine::find(self.machine.as_deref())?;
                let Link { latency_us, bandwidth_gb_s, .. } = machine.network;
                let beta = self.element_bytes as f64 / (1e9 * bandwidth_gb_s);
                (machine.title, machine.sources, Hockney { alpha: 1e-6 * latency_us, beta }, machine.cores)
            }
        };
        let (rows, columns) = self.grid.unwrap_or_else(|| nearest_square(self.ranks as usize));
        let [m, n, k] = [self.m.unwrap_or(self.n), self.n, self.k.unwrap_or(self.n)];
        let (block, outer_block) = (self.block, self.outer_block.unwrap_or(self.block));
        if !outer_block.is_multiple_of(block) {
            return Err(format!("--outer-block = {outer_block}: expected a multiple of --block = {block}"));
        }
        if outer_block > k {
            let option = if outer_block > block { "--outer-block" } else { "--block" };
            return Err(format!("{option} = {outer_block}: expected at most {k}, the columns of A"));
        }
        let ranks = rows * columns;
        if let Some(groups) = self.groups.iter().find(|&&groups| groups as usize > ranks) {
            return Err(format!("--groups = {groups}: expected at most {ranks}, the number of ranks"));
        }
        let mut groups: Vec<usize> = self.groups.iter().map(|&groups| groups as usize).collect();
        if groups.is_empty() {
            groups = (0..usize::BITS)
                .map(|exponent| 1 << exponent)
                .take_while(|&groups| groups <= ranks)
                .collect();
        }
        let problem =
            Problem { m: m as f64, n: n as f64, k: k as f64, rows: rows as f64, columns: columns as f64 };
        Ok(Case {
            title,
            sources,
            hockney,
            element_bytes: self.element_bytes as usize,
            problem,
            rows,
            columns,
            ranks_per_node: self.ranks_per_node.map_or(cores, |ranks| ranks as usize).min(ranks),
            block: block as usize,
            outer_block: outer_block as usize,
            groups,
            broadcasts: self.broadcast.map_or_else(|| Broadcast::ALL.to_vec(), |broadcast| vec![broadcast]),
            rate: self.rate.map(|rate| 1e9 * rate),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;

    #[test]
    fn defaults_follow_from_what_is_given() {
        let case = parse::<Arguments>(["--machine", "bluegene-p", "--ranks", "2048"]).case().expect("valid");
        assert_eq!((case.rows, case.columns, case.ranks_per_node, case.outer_block), (32, 64, 4, 256));
        assert!((case.hockney.beta - 8e-9).abs() < 1e-20 && (case.hockney.alpha - 3e-6).abs() < 1e-15);
        assert_eq!((case.groups.len(), case.groups.last(), case.broadcasts.len()), (12, Some(&2048), 3));
        let line =
            ["--alpha", "1e-5", "--beta", "8e-9", "--grid", "3x5", "--n", "700", "--m", "20", "--block", "8"];
        let case = parse::<Arguments>(line).case().expect("valid");
        assert_eq!(case.problem, Problem { m: 20.0, n: 700.0, k: 700.0, rows: 3.0, columns: 5.0 });
        assert_eq!((case.hockney, case.ranks_per_node), (Hockney { alpha: 1e-5, beta: 8e-9 }, 1));
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (line, message) in [
            (&["--outer-block", "300"][..], "--outer-block = 300: expected a multiple of --block = 256"),
            (&["--n", "128"], "--block = 256: expected at most 128"),
            (&["--n", "512", "--outer-block", "1024"], "--outer-block = 1024: expected at most 512"),
            (&["--grid", "2x3", "--groups", "1 7"], "--groups = 7: expected at most 6"),
        ] {
            let all = ["--machine", "graphene"].iter().chain(line).copied();
            let error = parse::<Arguments>(all).case().expect_err("refused");
            assert!(error.starts_with(message), "{error}");
        }
        assert!(["0", "-1", "nan", "inf", "x"].iter().all(|text| positive(text).is_err()));
    }
}
