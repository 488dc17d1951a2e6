//! The options of `hcube bench gemm`, and the problems that they select.

use super::problem::{Problem, Routine};
use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::grids;
use crate::session::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ValueEnum, value_parser};
use hcube_gemm::element::Element;
use hcube_gemm::product::Operation;
use hcube_results::gemm::{BOUND, RAISED};
use std::path::PathBuf;

/// Rows, columns and inner indices: the integers of PBLAS are of type int.
const MAX_ORDER: usize = i32::MAX as usize / 4;

/// Orders without `--sizes`.
const DEFAULT_ORDERS: [usize; 4] = [512, 1024, 2048, 4096];

/// What can be measured, in the order of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// libhcube_pblas.so
    Hcube,
    /// ScaLAPACK with the panels of --panel
    #[value(name = RAISED)]
    Raised,
    /// ScaLAPACK as installed
    Scalapack,
    /// local products of all ranks at the same time, without communication
    #[value(name = BOUND)]
    Bound,
}

/// Types of elements by their letters.
fn elements() -> impl TypedValueParser<Value = Element> {
    const MEANINGS: [(&str, &str, Element); 4] = [
        ("s", "single precision", Element::Single),
        ("d", "double precision", Element::Double),
        ("c", "complex, single precision", Element::Complex),
        ("z", "complex, double precision", Element::DoubleComplex),
    ];
    let values = MEANINGS.map(|(letter, meaning, _)| PossibleValue::new(letter).help(meaning));
    PossibleValuesParser::new(values).map(|text| {
        let found = MEANINGS.iter().find(|(letter, ..)| *letter == text);
        found.expect("one of the letters").2
    })
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number| (1..=MAX_ORDER).contains(number))
}

/// Numbers that one number may stand for.
fn three(text: &str, separator: char) -> Option<[usize; 3]> {
    let numbers: Vec<usize> = text.split(separator).map(number).collect::<Option<_>>()?;
    match numbers[..] {
        [all] => Some([all; 3]),
        [first, second, third] => Some([first, second, third]),
        _ => None,
    }
}

fn size(text: &str) -> Result<[usize; 3], String> {
    three(text, 'x')
        .ok_or_else(|| format!("expected N or MxNxK, such as 2048 or 256x256x100000, up to {MAX_ORDER}"))
}

fn blocks(text: &str) -> Result<[usize; 3], String> {
    three(text, ':')
        .ok_or_else(|| "expected NB, or the block sizes of A:B:C, such as 64 or 32:48:80".to_owned())
}

fn operations(text: &str) -> Result<[Operation; 2], String> {
    let mut letters = text.bytes().map(Operation::of);
    match (letters.next().flatten(), letters.next().flatten(), letters.next()) {
        (Some(a), Some(b), None) => Ok([a, b]),
        _ => Err("expected two of the letters N, T and C, such as NN or TN".to_owned()),
    }
}

/// Measurements of each variant without `--repeat`.
const REPEAT: u32 = 7;

/// The benchmark of distributed matrix multiplication (run it under mpirun)
///
/// Times PBLAS' p?gemm_ of hcube (libhcube_pblas.so) against ScaLAPACK with wider panels (its function
/// pilaenv_ is replaced, as users of large machines do by recompiling), against ScaLAPACK as installed,
/// and against the local bound: the ?gemm_ of all ranks on their shares of C at the same time, without
/// any communication. With --routines getrf it times the LU factorisation of ScaLAPACK, which calls
/// p?gemm_, with each of them.
///
/// All variants of a problem are measured alternately in one process, in an order that rotates, on the
/// same matrices; a time is the time of the slowest rank after a barrier. Short calls are timed in batches.
/// Elements have so few bits that every sum is exact, and results must equal ScaLAPACK's bit by
/// bit, except for the sign of zeros, as must the elements of C around the result. The exit status is 1
/// if they do not, or if a variant has not computed the products itself: then it has no row.
///
/// ScaLAPACK and its BLAS are loaded when the benchmark starts; the tool is not linked to them. With
/// more than one rank the BLAS uses one thread in each rank, as with OPENBLAS_NUM_THREADS=1. hcube
/// reads its environment variables HCUBE_GEMM*. More ranks than cores need --oversubscribe of Open MPI's
/// mpirun, and --bind-to none.
///
/// Examples:
///   mpirun -np 4 hcube bench gemm
///   mpirun -np 8 hcube bench gemm --grid 2x4 --op NN,TN,NT,TT --sizes 2048
///   mpirun -np 4 hcube bench gemm --sizes 256x256x100000 --op NN,TN
///   mpirun -np 4 hcube bench gemm --sizes 4096 --k 64 --update
///   mpirun -np 4 hcube bench gemm --routines getrf --sizes 1000,2000
///   hcube bench gemm --from two.json,four.json --plot gemm.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment,
          mut_arg("plot", |plot| plot.help("Draw speed-ups and shares of the local bound into an SVG file")))]
pub struct Arguments {
    /// Process rows and columns, as many as ranks [default: the grid nearest to a square]
    #[arg(long, value_name = "PxQ", value_parser = grids::parse)]
    pub grid: Option<(usize, usize)>,
    /// Number the processes of the grid by columns
    #[arg(long)]
    pub column_major: bool,
    /// Rows and columns of C, and inner indices [default: 512,1024,2048,4096]
    #[arg(long, value_name = "N|MxNxK[,...]", value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<[usize; 3]>,
    /// Inner indices of all products, instead of the ones in --sizes
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..=MAX_ORDER as i64))]
    pub k: Option<u32>,
    /// Block sizes of the distribution, rows and columns alike
    #[arg(long, value_name = "NB|A:B:C[,...]", value_delimiter = ',', default_value = "64", value_parser = blocks)]
    pub block: Vec<[usize; 3]>,
    /// TRANSA and TRANSB
    #[arg(long, value_name = "NN|TN|...[,...]", value_delimiter = ',', default_value = "NN",
          value_parser = operations)]
    pub op: Vec<[Operation; 2]>,
    /// Types of elements
    #[arg(long, value_name = "TYPE[,TYPE...]", value_delimiter = ',', default_value = "d", value_parser = elements())]
    pub types: Vec<Element>,
    /// What is computed
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', default_value = "gemm")]
    pub routines: Vec<Routine>,
    /// C := C - A B, as in factorisations, instead of C := A B
    #[arg(long)]
    pub update: bool,
    /// Multiply sub-matrices of larger matrices that begin near this row and column
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u32).range(0..=1 << 20))]
    pub offset: u32,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub variants: Vec<Variant>,
    /// Width of the panels of scalapack-raised; ScaLAPACK as installed has 32
    #[arg(long, value_name = "COLUMNS", default_value_t = 256, value_parser = value_parser!(u16).range(1..))]
    pub panel: u16,
    /// Threads of the BLAS in each rank [default: 1; on one rank, the BLAS chooses]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// File of ScaLAPACK's shared library, with the BLACS [default: the one that is installed]
    #[arg(long, value_name = "FILE")]
    pub scalapack: Option<PathBuf>,
    /// File of libhcube_pblas.so [default: beside the tool, or where both are installed]
    #[arg(long, value_name = "FILE")]
    pub pblas: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    /// The process rows and columns.
    pub fn grid(&self, ranks: usize) -> Result<(usize, usize), Failure> {
        let (rows, columns) = self.grid.unwrap_or_else(|| grids::nearest_square(ranks));
        if rows * columns == ranks {
            return Ok((rows, columns));
        }
        Err(format!("--grid = {rows}x{columns}: expected a grid of {ranks} processes, the number of ranks"))
    }

    /// Sizes with `--k`.
    fn sizes(&self) -> Vec<[usize; 3]> {
        let usual = DEFAULT_ORDERS.map(|order| [order; 3]);
        let sizes = if self.sizes.is_empty() { &usual } else { &self.sizes[..] };
        sizes.iter().map(|&[m, n, k]| [m, n, self.k.map_or(k, |k| k as usize)]).collect()
    }

    /// All problems, in the order of the table.
    pub fn problems(&self) -> Result<Vec<Problem>, Failure> {
        let mut problems = Vec::new();
        for &routine in &self.routines {
            let none = [[Operation::Plain; 2]];
            let op = if routine == Routine::Gemm { &self.op[..] } else { &none };
            for &element in &self.types {
                for (&blocks, &operations) in
                    self.block.iter().flat_map(|blocks| op.iter().map(move |op| (blocks, op)))
                {
                    for size in self.sizes() {
                        let problem = Problem {
                            routine,
                            element,
                            operations,
                            size,
                            blocks,
                            offset: if routine == Routine::Gemm { self.offset as usize } else { 0 },
                            update: routine == Routine::Gemm && self.update,
                        };
                        problem.check()?;
                        problems.push(problem);
                    }
                }
            }
        }
        Ok(problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::{chosen, name};
    use crate::command_line::parse;
    use hcube_results::gemm;

    fn arguments(line: &str) -> Arguments {
        parse(line.split_whitespace())
    }

    #[test]
    fn nothing_chosen_is_all_variants_of_square_products() {
        let arguments = arguments("");
        let problems = arguments.problems().expect("valid");
        assert_eq!(problems.iter().map(|one| one.size[0]).collect::<Vec<_>>(), DEFAULT_ORDERS);
        assert!(problems.iter().all(|one| one.blocks == [64; 3] && one.element == Element::Double));
        let names = chosen(&arguments.variants).into_iter().map(name);
        assert!(names.eq([gemm::HCUBE, RAISED, gemm::SCALAPACK, BOUND]));
        assert_eq!((arguments.grid(6), arguments.grid(7)), (Ok((2, 3)), Ok((1, 7))));
    }

    #[test]
    fn lists_multiply() {
        let line = "--sizes 100,20x30x40 --op NN,tc --block 8,4:5:6 --types s,z --offset 3 --update";
        let problems = arguments(line).problems().expect("valid");
        assert_eq!(problems.len(), 16);
        let last = problems.last().expect("16");
        assert_eq!((last.size, last.blocks, last.element), ([20, 30, 40], [4, 5, 6], Element::DoubleComplex));
        assert_eq!(last.operations, [Operation::Transpose, Operation::Adjoint]);
        assert!(last.offset == 3 && last.update);
        let update = arguments("--sizes 4096 --k 64").problems().expect("valid");
        assert_eq!(update[0].size, [4096, 4096, 64]);
        // A factorisation has no operands.
        let both =
            arguments("--sizes 100 --op NN,TN --routines gemm,getrf --offset 2").problems().expect("valid");
        assert_eq!((both.len(), both[2].routine, both[2].offset), (3, Routine::Getrf, 0));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(["0", "x", "1x2", "1x2x3x4", "-1", "99999999999"].iter().all(|text| size(text).is_err()));
        assert!(["0", "1:2", "64x64x64"].iter().all(|text| blocks(text).is_err()));
        assert!(["N", "NX", "NNN", ""].iter().all(|text| operations(text).is_err()));
        let refused = |line: &str| arguments(line).problems().expect_err("refused");
        assert!(refused("--routines getrf --sizes 10x20x30").starts_with("--sizes = 10x20x30: expected"));
        assert!(refused("--routines getrf --block 8:9:8").starts_with("--block = 8:9:8: expected"));
        let message = arguments("--grid 2x2").grid(6).expect_err("refused");
        assert!(message.contains("--grid = 2x2") && message.contains("6 processes"), "{message}");
        let some = arguments("--variants local-bound,hcube").variants;
        assert_eq!(chosen(&some), [Variant::Hcube, Variant::Bound]);
    }
}
