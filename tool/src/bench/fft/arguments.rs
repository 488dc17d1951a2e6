//! The options of `hcube bench fft`.

use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::bench::lengths::length;
use crate::choices::number;
use crate::list::{List, NONE, numbers};
use clap::ValueEnum;
use std::path::PathBuf;

/// Numbers of a vector without `--lengths`, at least: lengths of HPCC on small and on larger memory.
const USUAL_LENGTHS: [usize; 2] = [1 << 20, 1 << 22];
/// Measurements of each case without `--repeat`.
const REPEAT: u32 = 9;

/// What transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// hcube, by columns and rows of a matrix
    SixStep,
    /// FFTW, with a plan of FFTW_ESTIMATE
    FftwEstimate,
    /// FFTW, with a plan of FFTW_MEASURE
    FftwMeasure,
}

/// The benchmark of Fourier transforms (run it under mpirun)
///
/// Transforms a vector of complex numbers of double precision that is distributed over the ranks in equal
/// parts, in its natural order before and after: by hcube, and by FFTW's MPI library with two kinds of plans,
/// in one process and alternating. Each result is verified by hcube's inverse transform.
///
/// The rate counts 5 n log2 n operations, as HPCC does. FFTW is the library libfftw3_mpi.so of the same MPI
/// library (--fftw FILE names another file of it); where it cannot be loaded its rows are missing, and a note
/// says why. Planning with FFTW_MEASURE takes some seconds, which are not part of the times.
///
/// Lengths are 2^a 3^b 5^c and multiples of P x P on P ranks, and P is 2^a 3^b 5^c.
///
/// --from also reads times of FFTW's own transposes and transforms with and without hcube, which
/// 'make bench' of the source tree has measured; all files have one kind of results.
///
/// Examples:
///   mpirun -np 2 hcube bench fft
///   mpirun -np 4 hcube bench fft --lengths 2^16,3*2^20 --algorithms six-step
///   mpirun -np 2 hcube bench fft --ranks-per-node 1 --json=two.json --plot fft.svg
///   hcube bench fft --from two.json,four.json --plot fft.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Complex numbers of the vector, as products of numbers and powers: 1000000, 2^20, 3*2^18 [default: the
    /// least lengths from 2^20 and from 2^22 on that are P x P times a power of 2]
    #[arg(long, value_name = "LENGTH[,LENGTH...]", default_value = NONE, hide_default_value = true, value_parser = numbers(length))]
    pub lengths: List<usize>,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub algorithms: Vec<Algorithm>,
    /// Transform out of place: the result is another vector
    #[arg(long)]
    pub out_of_place: bool,
    /// Treat each COUNT ranks as a node, so that hcube uses messages between them; as HCUBE_RANKS_PER_NODE
    #[arg(long, value_name = "COUNT", value_parser = number::<u32>(1..))]
    pub ranks_per_node: Option<u32>,
    /// File of FFTW's MPI library [default: where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub fftw: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    /// The lengths on a number of ranks.
    pub fn lengths(&self, ranks: usize) -> Vec<usize> {
        if !self.lengths.is_empty() {
            return self.lengths.to_vec();
        }
        let square = ranks.saturating_mul(ranks);
        USUAL_LENGTHS.map(|least| square.saturating_mul(least.div_ceil(square).next_power_of_two())).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::{chosen, name};
    use crate::command_line::parse;
    use hcube_results::fft;

    #[test]
    fn nothing_chosen_is_everything() {
        let all = parse::<Arguments>([]);
        assert_eq!(chosen(&all.algorithms).len(), 3);
        assert_eq!(all.lengths(1), [1 << 20, 1 << 22]);
        assert_eq!(all.lengths(8), [1 << 20, 1 << 22]);
        assert_eq!(all.lengths(3), [9 << 17, 9 << 19]);
        let some = parse::<Arguments>(["--algorithms", "fftw-measure,six-step", "--lengths", "2^10,100"]);
        let names: Vec<String> = chosen(&some.algorithms).into_iter().map(name).collect();
        assert_eq!(
            (&names[..], some.lengths(2)),
            (&[fft::SIX_STEP, fft::FFTW_MEASURE].map(str::to_owned)[..], vec![1024, 100])
        );
        assert_eq!(name(Algorithm::FftwEstimate), fft::FFTW_ESTIMATE);
    }
}
