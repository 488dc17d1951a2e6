//! What `hcube-lab hosts bench` measures: a row for each benchmark.
//!
//! Each is a call of `hcube bench`, which measures hcube and its competitors in turn in one job. Sizes are
//! chosen so that all cases on 16 ranks take some minutes on two cores.

use hcube_hosts::placement::Order;
use hcube_results::alltoall::{COLUMNS, ROWS};
use hcube_results::hosts::{Comparison, Line, Place};
use hcube_results::numbers::whole_bytes;
use hcube_results::runs::{Results, Row};
use hcube_results::{alltoall, bsp, caf, fft, gemm, llcs, panels};
use hcube_tool::grids::nearest_square;
use serde::de::DeserializeOwned;

/// A benchmark.
pub struct Case {
    /// The name in `--cases` and in tables.
    pub name: &'static str,
    /// Arguments of `hcube bench`, on this number of ranks.
    pub arguments: fn(usize) -> Vec<String>,
    /// How consecutive ranks lie on hosts.
    pub order: Order,
    pub comparison: Comparison,
    /// Its lines, from the JSON of the benchmark.
    read: fn(&Self, &Place, &str) -> Result<Measured, String>,
}

impl Case {
    /// What the benchmark has measured.
    ///
    /// # Errors
    /// If this is not its JSON.
    pub fn read(&self, place: &Place, json: &str) -> Result<Measured, String> {
        (self.read)(self, place, json)
    }
}

/// Lines, and notes of what was left out.
pub type Measured = (Vec<Line>, Vec<String>);

/// The BSP library whose file is libbsponmpi.so.
const BSPONMPI: &str = "bsponmpi";

/// What is measured of exchanges, in `--algorithms`.
const OUT_OF_PLACE: &str = "auto-out-of-place,library-out-of-place";
const IN_PLACE: &str = "auto,library-in-place";

/// Bytes of each pair of ranks.
const BLOCKS: [usize; 5] = [8, 128, 1 << 10, 16 << 10, 128 << 10];

/// All of them.
pub const CASES: [Case; 13] = [
    out_of_place("alltoall", |ranks| exchange(ranks, OUT_OF_PLACE, true)),
    in_place("alltoall-in-place", |ranks| exchange(ranks, IN_PLACE, true)),
    out_of_place("alltoallv", |ranks| exchange(ranks, OUT_OF_PLACE, false)),
    in_place("alltoallv-in-place", |ranks| exchange(ranks, IN_PLACE, false)),
    out_of_place("alltoallw", |ranks| with(exchange(ranks, OUT_OF_PLACE, false), "--alltoallw")),
    out_of_place(ROWS, |ranks| exchange_in(ranks, ROWS)),
    out_of_place(COLUMNS, |ranks| exchange_in(ranks, COLUMNS)),
    Case {
        name: "fft",
        arguments: |_| words("fft --algorithms six-step,fftw-estimate --repeat 5"),
        order: Order::Filling,
        comparison: against(fft::SIX_STEP, &[fft::FFTW_ESTIMATE]),
        read: rows::<fft::Run>,
    },
    Case {
        name: "gemm",
        arguments: |_| words("gemm --variants hcube,scalapack --sizes 512,1024 --repeat 5"),
        order: Order::Filling,
        comparison: against(gemm::HCUBE, &[gemm::SCALAPACK]),
        read: rows::<gemm::Run>,
    },
    Case {
        name: "panels",
        arguments: |_| {
            words("panels --variants hcube,mpi-bcast,mpi-ibcast --sizes 64k,1M --panels 8 --repeat 5")
        },
        order: Order::Filling,
        comparison: against(panels::HCUBE, &[panels::BCAST, panels::IBCAST]),
        read: rows::<panels::Run>,
    },
    Case {
        name: "bsp",
        arguments: |_| {
            let line =
                "bsp --operations empty,shift,all-to-all,put --sizes 8,8k --messages 1,16,256 --repeat 5";
            [words(line), other_library(std::env::var("BSPLIB").ok())].concat()
        },
        order: Order::Filling,
        comparison: against(bsp::HCUBE, &[bsp::MPI, BSPONMPI]),
        read: rows::<bsp::Run>,
    },
    Case {
        name: "caf",
        arguments: |_| words("caf --no-openshmem --sizes 8,4k,64k --repeat 5"),
        // Images access their neighbours, which are on other hosts then.
        order: Order::InTurn,
        comparison: against(caf::HCUBE, &[caf::MPI]),
        read: rows::<caf::Run>,
    },
    Case {
        name: "llcs",
        arguments: |_| words("llcs --variants grid,rapidfuzz --lengths 10^5,2*10^5 --symbols 4 --repeat 3"),
        order: Order::Filling,
        comparison: against(llcs::GRID, &[llcs::RAPIDFUZZ]),
        read: rows::<llcs::Run>,
    },
];

/// Exchanges out of place.
const fn out_of_place(name: &'static str, arguments: fn(usize) -> Vec<String>) -> Case {
    let comparison = against("auto-out-of-place", &[alltoall::LIBRARY_OUT_OF_PLACE]);
    Case { name, arguments, order: Order::Filling, comparison, read: exchanges }
}

/// Exchanges in place.
const fn in_place(name: &'static str, arguments: fn(usize) -> Vec<String>) -> Case {
    let comparison = against("auto", &[alltoall::LIBRARY_IN_PLACE]);
    Case { name, arguments, order: Order::Filling, comparison, read: exchanges }
}

const fn against(variant: &'static str, competitors: &'static [&'static str]) -> Comparison {
    Comparison { variant, competitors }
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn exchange(ranks: usize, algorithms: &str, is_uniform: bool) -> Vec<String> {
    let sizes: Vec<String> = BLOCKS.iter().map(|block| (block * ranks).to_string()).collect();
    let uniform = if is_uniform { " --uniform" } else { "" };
    words(&format!("alltoall --algorithms {algorithms} --sizes {} --repeat 9{uniform}", sizes.join(",")))
}

/// Ranks of each communicator: of a row or a column of the grid of ranks, or all of them.
fn members(ranks: usize, communicators: &str) -> usize {
    match communicators {
        ROWS => nearest_square(ranks).1,
        COLUMNS => nearest_square(ranks).0,
        _ => ranks,
    }
}

/// Exchanges of all rows or columns of the grid of ranks at the same time.
fn exchange_in(ranks: usize, communicators: &str) -> Vec<String> {
    let line = exchange(members(ranks, communicators), OUT_OF_PLACE, true);
    with(line, &format!("--communicators {communicators}"))
}

/// Another BSP library, by its file.
fn other_library(file: Option<String>) -> Vec<String> {
    file.map_or(Vec::new(), |file| vec!["--library".to_owned(), file])
}

fn with(line: Vec<String>, more: &str) -> Vec<String> {
    [line, words(more)].concat()
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn rows<R: Row>(case: &Case, place: &Place, text: &str) -> Result<Measured, String> {
    let results: Results<R> = json(text)?;
    Ok((case.comparison.lines(place, case.name, &results, R::subject_name), results.notes))
}

fn exchanges(case: &Case, place: &Place, text: &str) -> Result<Measured, String> {
    let alltoall::Results { runs, notes, .. } = json(text)?;
    let results = Results { runs, notes, ..Results::default() };
    // Of a pair of ranks, so that numbers of ranks can be compared.
    let members = |run: &alltoall::Run| members(place.hosts * place.ranks_per_host, &run.communicators);
    let name = |run: &alltoall::Run| whole_bytes(run.bytes_per_rank / members(run));
    Ok((case.comparison.lines(place, case.name, &results, name), results.notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::alltoall::Run;

    #[test]
    fn cases_have_names_of_their_own_and_end_in_lines() {
        let names: std::collections::BTreeSet<&str> = CASES.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), CASES.len());
        let run = |algorithm: &str, us: f64| {
            let mut run = Run { bytes_per_rank: 64, algorithm: algorithm.to_owned(), ..Run::default() };
            run.timing.median_us = us;
            run
        };
        let runs = vec![run("auto-out-of-place", 2.0), run("library-out-of-place", 6.0)];
        let text = serde_json::to_string(&alltoall::Results { runs, ..Default::default() }).expect("JSON");
        let place = Place { hosts: 2, ranks_per_host: 4, ..Place::default() };
        let (lines, _) = CASES[0].read(&place, &text).expect("results");
        let found: Vec<_> = lines.iter().map(|line| (line.subject.as_str(), line.speed_up())).collect();
        assert_eq!(found, [("8 B", 3.0)]);
        assert!(CASES[0].read(&Place::default(), "{}").is_err());
        assert!((CASES[0].arguments)(4).contains(&"32,512,4096,65536,524288".to_owned()));
        let of = |name: &str| CASES.iter().find(|case| case.name == name).expect("a case").arguments;
        assert_eq!(other_library(Some("/x y/lib.so".to_owned())), ["--library", "/x y/lib.so"]);
        // Grids of 2 x 4 ranks.
        assert!(of("rows")(8).contains(&"32,512,4096,65536,524288".to_owned()));
        assert!(of("columns")(8).contains(&"16,256,2048,32768,262144".to_owned()));
    }
}
