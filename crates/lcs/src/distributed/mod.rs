//! The length for two strings that the ranks of a communicator have together.
//!
//! Idea: the matrix is a [`grid`](crate::grid) of blocks, whose size the [`cost`] model chooses. Each rank has the
//! columns of its block columns; carries and text travel from block to block. One rank without a prescribed grid computes as
//! [`serial`].
//!
//! | file | holds |
//! |---|---|
//! | [`alphabet`] | the common alphabet of strings in parts |
//! | [`parts`] | the parts of strings on the ranks, and the symbols of block columns |
//! | `wave` | the supersteps |
//!
//! Restrictions: beginnings and ends that both strings have in common are computed as the rest. The bound of interest is
//! checked before the supersteps and after them.
//!
//! Cost: see [`cost`]. Memory per rank: its parts, ids and bits of n/p columns, and a few messages of n / GY
//! rows; with more than 256 different symbols two bytes for each of them.
//!
//! Source: Krusche 2005, §5, with rectangular grids and without barriers.

pub mod alphabet;
pub mod parts;
mod wave;

use crate::alphabet::{Coded, Strings};
use crate::band::Band;
use crate::cost::{self, Machine, Problem};
use crate::grid::Grid;
use crate::kernel::Kernel;
use crate::options::{self, MAX_BLOCKS};
use crate::packed::Packing;
use crate::progress::{Observer, Outcome};
use crate::serial;
use crate::symbol::{Id, Symbol};
use hcube_core::comm::{Comm, agree, agree_on, agree_on_and_share};
use hcube_core::machine::instructions::Level;
use hcube_core::{Error, machine};
use parts::Parts;
use std::collections::VecDeque;
use wave::{Task, Wave};

/// How to compute.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// A length below this is of no interest.
    pub at_least: usize,
    /// The algorithm; `None` selects the fastest.
    pub kernel: Option<Kernel>,
    /// Instructions that kernels of this rank may use.
    pub level: Level,
    /// Block columns per rank; where it is 0, the cost model chooses them and the block rows.
    pub alpha: usize,
    /// Block rows; 0 for as many as block columns.
    pub block_rows: usize,
    /// Whether each block of a rank on a diagonal is a superstep that ends with a barrier, as in the thesis:
    /// (2 G - 1) G / p supersteps on a square grid.
    pub barriers: bool,
    /// The figures by which rank 0 chooses.
    pub machine: Machine,
}

impl Options {
    /// With what a user has chosen.
    pub fn with(self, chosen: &options::Options) -> Self {
        let &options::Options { alpha, block_rows, barriers, kernel } = chosen;
        Self { alpha, block_rows, barriers, kernel: Kernel::chosen(kernel), ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        let example = &machine::EXAMPLE;
        let placement = machine::Placement { ranks: 2, ranks_per_node: 1 };
        Self {
            at_least: 0,
            kernel: None,
            level: Level::detect(),
            alpha: 0,
            block_rows: 0,
            barriers: false,
            machine: Machine::new(example, &placement, 1e-11),
        }
    }
}

/// Collective: the length of a longest common subsequence of two strings, on all ranks. Each is that of all ranks' parts in
/// the order of ranks; parts may have any length, also 0, so that one rank may have a whole string. The observer of a rank is
/// told the progress of that rank, and any rank may end the computation: ranks before it then still compute
/// their blocks.
///
/// # Errors
/// The same on all ranks: [`Error::Argument`] or [`Error::Remote`] for options out of range, [`Error::Mismatch`]
/// for options or types of symbols that differ between ranks, [`Error::Count`] for strings of 2^40 symbols and
/// more.
pub fn llcs<C: Comm, S: Symbol>(
    comm: &C,
    a: &[S],
    b: &[S],
    options: &Options,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    comm.open_messages()?;
    check(comm, S::BITS, options)?;
    if comm.size() == 1 && options.alpha == 0 {
        let options =
            serial::Options { at_least: options.at_least, kernel: options.kernel, level: options.level };
        return serial::observed(a, b, &options, observer);
    }
    let coded = alphabet::code(comm, a, b)?;
    let lengths = match &coded.strings {
        Strings::Narrow(a, b) => [a.len() as u64, b.len() as u64],
        Strings::Wide(a, b) => [a.len() as u64, b.len() as u64],
    };
    let lengths = comm.all_gather(&lengths)?;
    let parts =
        |number: usize| Parts::new(lengths.iter().skip(number).step_by(2).map(|&length| length as usize));
    let parts = [parts(0), parts(1)];
    let bound = coded.bound.min(parts[0].length()).min(parts[1].length());
    if bound < options.at_least {
        return Ok(Outcome::Below);
    }
    let Coded { strings, size, .. } = coded;
    match strings {
        Strings::Narrow(a, b) => wave(comm, (a, b), parts, size, options, observer),
        Strings::Wide(a, b) => wave(comm, (a, b), parts, size, options, observer),
    }
}

/// Lengths below this fit into all products of lengths and ranks.
const MAX_LENGTH: u64 = 1 << 40;

/// Collective: checks what must be the same on all ranks.
fn check<C: Comm>(comm: &C, bits: u32, options: &Options) -> Result<(), Error> {
    let expected = format!("at most {MAX_BLOCKS}");
    let local = if options.alpha > MAX_BLOCKS {
        Err(Error::argument("alpha", options.alpha, expected))
    } else if options.block_rows > MAX_BLOCKS {
        Err(Error::argument("block_rows", options.block_rows, expected))
    } else {
        Ok(())
    };
    agree(comm, local)?;
    let kernel = Kernel::ALL.iter().position(|&(kernel, _)| Some(kernel) == options.kernel);
    agree_on(
        comm,
        &[
            ("bits of a symbol", bits.into()),
            ("at_least", options.at_least as i64),
            ("alpha", options.alpha as i64),
            ("block_rows", options.block_rows as i64),
            ("kernel", kernel.map_or(-1, |kernel| kernel as i64)),
            ("barriers", options.barriers.into()),
        ],
    )
}

/// Collective: the grid that rank 0 chooses.
fn grid<C: Comm>(comm: &C, problem: &Problem, options: &Options) -> Result<Grid, Error> {
    let ranks = comm.size();
    let machine = if options.barriers { options.machine.with_barriers(ranks) } else { options.machine };
    let chosen = match (options.alpha, options.block_rows) {
        (0, _) => cost::choose(problem, ranks, &machine),
        (alpha, 0) => Grid { ranks, alpha, block_rows: alpha * ranks },
        (alpha, block_rows) => Grid { ranks, alpha, block_rows },
    };
    const HALF: u32 = u32::BITS;
    let word = (chosen.alpha as u64) << HALF | chosen.block_rows as u64;
    let word = agree_on_and_share(comm, &[], word)?;
    Ok(Grid { ranks, alpha: (word >> HALF) as usize, block_rows: (word & u64::from(u32::MAX)) as usize })
}

/// Collective: the length for strings of ids.
fn wave<C: Comm, I: Id>(
    comm: &C,
    (a, b): (Vec<I>, Vec<I>),
    [parts_a, parts_b]: [Parts; 2],
    alphabet: usize,
    options: &Options,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    // The longer string gives columns, which stay where they are.
    let swap = parts_a.length() < parts_b.length();
    let ((a, parts_a), (b, parts_b)) =
        if swap { ((b, parts_b), (a, parts_a)) } else { ((a, parts_a), (b, parts_b)) };
    if parts_a.length() as u64 >= MAX_LENGTH {
        return Err(Error::Count(format!(
            "a string of {} symbols: expected fewer than 2^40",
            parts_a.length()
        )));
    }
    let packing = Packing::new(alphabet);
    let problem = Problem { columns: parts_a.length(), rows: parts_b.length(), bits: 1 + packing.bits() };
    let grid = grid(comm, &problem, options)?;
    let task = Task { grid, packing, barriers: options.barriers };
    let kernel = options.kernel.unwrap_or(Kernel::choose(alphabet, options.level));
    let columns = parts::columns(comm, &a, &parts_a, &grid, packing)?;
    drop(a);
    let bands =
        columns.into_iter().map(|symbols| Band::new(symbols, alphabet, kernel, options.level)).collect();
    let kept = if comm.size() == 1 { vec![VecDeque::new(); grid.block_columns()] } else { Vec::new() };
    let mut wave = Wave { comm, task: &task, bands, text: b, parts: parts_b, kept, interrupted: false };
    wave.run(observer)?;
    let growth: usize = wave.bands.iter().map(Band::growth).sum();
    let mut sums = [growth as u64, u64::from(wave.interrupted)];
    comm.all_reduce_sum(&mut sums)?;
    Ok(match sums {
        [length, 0] if (length as usize) < options.at_least => Outcome::Below,
        [length, 0] => Outcome::Length(length as usize),
        _ => Outcome::Interrupted,
    })
}
