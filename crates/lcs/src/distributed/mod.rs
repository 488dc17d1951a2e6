//! The length for two strings that the ranks of a communicator have together.
//!
//! Idea: the matrix is a [`grid`](crate::grid) of blocks, whose size the [`cost`] model chooses. Each rank
//! has the columns of its block columns; carries and text travel from block to block. One rank without a
//! prescribed grid computes as [`serial`].
//!
//! | file | holds |
//! |---|---|
//! | `affix` | the common beginning and end of strings in parts |
//! | [`alphabet`] | the common alphabet of strings in parts |
//! | [`parts`] | the parts of strings on the ranks, and the symbols of block columns |
//! | `wave` | the supersteps |
//!
//! Restrictions: the bound of interest is checked before the supersteps and after them.
//!
//! Cost: see [`cost`]. Memory per rank: its parts, ids and bits of n/p columns, and a few messages of n / GY
//! rows; with more than 256 different symbols two bytes for each of them.
//!
//! Source: Krusche 2005, §5, with rectangular grids and without barriers.

mod affix;
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
use crate::plan::{self, Plan};
use crate::progress::{Observer, Outcome};
use crate::serial;
use crate::symbol::{Id, Symbol};
use affix::Whole;
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

/// Collective: the length of a longest common subsequence of two strings, on all ranks. Each string consists
/// of all ranks' parts in the order of ranks; parts may have any length, also 0, so that one rank may have a
/// whole string. The observer of a rank is told the progress of that rank, and any rank may end the
/// computation: ranks before it then still compute their blocks.
///
/// # Errors
/// The same on all ranks: [`Error::Argument`] or [`Error::Remote`] for options out of range,
/// [`Error::Mismatch`] for options or types of symbols that differ between ranks, [`Error::Count`] for
/// strings of 2^40 symbols and more, [`Error::Memory`] or [`Error::Remote`] where a rank has no room for its
/// columns.
pub fn llcs<C: Comm, S: Symbol>(
    comm: &C,
    a: &[S],
    b: &[S],
    options: &Options,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    prepare(comm, a, b, options)?.run(observer)
}

/// A computation that has not begun.
pub enum Computation<'a, C: Comm> {
    /// One rank without a prescribed grid, and the machine for its plan.
    Serial(serial::Computation, Machine),
    /// A grid of blocks.
    Grid(OnGrid<'a, C>),
}

/// A computation on a grid of blocks.
pub struct OnGrid<'a, C: Comm> {
    plan: Plan,
    work: Work<'a, C>,
    /// What both strings have in common at their ends, which was taken off.
    common: usize,
    at_least: usize,
}

/// What is left to do.
enum Work<'a, C: Comm> {
    /// Nothing: the length is below the bound.
    Nothing,
    Narrow(Wave<'a, C, u8>),
    Wide(Wave<'a, C, u32>),
}

/// Collective: prepares a computation. Symbols are coded and go to the ranks of their columns.
///
/// # Errors
/// As [`llcs`].
pub fn prepare<'a, C: Comm, S: Symbol>(
    comm: &'a C,
    a: &[S],
    b: &[S],
    options: &Options,
) -> Result<Computation<'a, C>, Error> {
    comm.open_messages()?;
    check(comm, S::BITS, options)?;
    let &Options { at_least, kernel, level, .. } = options;
    if comm.size() == 1 && options.alpha == 0 {
        let prepared = serial::prepare(a, b, &serial::Options { at_least, kernel, level })?;
        return Ok(Computation::Serial(prepared, options.machine));
    }
    let Coded { strings, size, bound } = alphabet::code(comm, a, b)?;
    let known = Known { alphabet: size, bound, options };
    Ok(match strings {
        Strings::Narrow(a, b) => known.prepare(comm, a, b, Work::Narrow)?,
        Strings::Wide(a, b) => known.prepare(comm, a, b, Work::Wide)?,
    })
}

/// What is known of coded strings.
struct Known<'o> {
    alphabet: usize,
    bound: usize,
    options: &'o Options,
}

impl Known<'_> {
    /// Collective: takes off common ends, chooses the grid, and sends symbols to the ranks of their columns.
    fn prepare<'a, C: Comm, I: Id>(
        &self,
        comm: &'a C,
        a: Vec<I>,
        b: Vec<I>,
        work: impl FnOnce(Wave<'a, C, I>) -> Work<'a, C>,
    ) -> Result<Computation<'a, C>, Error> {
        let &Self { alphabet, bound, options } = self;
        let lengths = comm.all_gather(&[a.len() as u64, b.len() as u64])?;
        let parts =
            |number: usize| Parts::new(lengths.iter().skip(number).step_by(2).map(|&length| length as usize));
        let (mut a, mut b) = (Whole { own: a, parts: parts(0) }, Whole { own: b, parts: parts(1) });
        let bound = bound.min(a.parts.length()).min(b.parts.length());
        let common = affix::strip(comm, &mut a, &mut b, Packing::new(alphabet))?;
        // The longer string gives columns, which stay where they are.
        let (a, b) = if a.parts.length() < b.parts.length() { (b, a) } else { (a, b) };
        let plan = plan(comm, [&a.parts, &b.parts], alphabet, options)?;
        let work = if bound < options.at_least {
            Work::Nothing
        } else {
            work(wave(comm, a, b, &plan, options.barriers)?)
        };
        Ok(Computation::Grid(OnGrid { plan, work, common, at_least: options.at_least }))
    }
}

impl<C: Comm> Computation<'_, C> {
    /// The grid, and the time that the computation will take as this rank predicts it, with the rate of its
    /// own processor.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room to measure the rate.
    pub fn plan(&self) -> Result<Plan, Error> {
        match self {
            Self::Serial(prepared, machine) => prepared.plan(*machine),
            Self::Grid(on_grid) => Ok(on_grid.plan),
        }
    }

    /// Collective: computes the length.
    ///
    /// # Errors
    /// Errors of communication.
    pub fn run(self, observer: &mut Observer<'_>) -> Result<Outcome, Error> {
        let OnGrid { work, common, at_least, .. } = match self {
            Self::Serial(prepared, _) => return prepared.run(observer),
            Self::Grid(on_grid) => on_grid,
        };
        match work {
            Work::Nothing => Ok(Outcome::Below),
            Work::Narrow(wave) => finish(wave, common, at_least, observer),
            Work::Wide(wave) => finish(wave, common, at_least, observer),
        }
    }
}

/// Collective: the length for strings of ids.
fn finish<C: Comm, I: Id>(
    mut wave: Wave<'_, C, I>,
    common: usize,
    at_least: usize,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    wave.run(observer)?;
    let growth: usize = wave.bands.iter().map(Band::growth).sum();
    let mut sums = [growth as u64, u64::from(wave.interrupted)];
    wave.comm.all_reduce_sum(&mut sums)?;
    let length = common + sums[0] as usize;
    Ok(match sums[1] {
        0 if length < at_least => Outcome::Below,
        0 => Outcome::Length(length),
        _ => Outcome::Interrupted,
    })
}

/// Lengths below this fit into all products of lengths and ranks.
pub const MAX_LENGTH: u64 = 1 << 40;

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

/// Collective: the plan, with the grid that rank 0 chooses.
fn plan<C: Comm>(
    comm: &C,
    [parts_a, parts_b]: [&Parts; 2],
    alphabet: usize,
    options: &Options,
) -> Result<Plan, Error> {
    if parts_a.length() as u64 >= MAX_LENGTH {
        return Err(Error::Count(format!(
            "a string of {} symbols: expected fewer than 2^40",
            parts_a.length()
        )));
    }
    let packing = Packing::new(alphabet);
    let problem = Problem { columns: parts_a.length(), rows: parts_b.length(), bits: 1 + packing.bits() };
    let kernel = options.kernel.unwrap_or(Kernel::choose(alphabet, options.level));
    let ranks = comm.size();
    let machine = if options.barriers { options.machine.with_barriers(ranks) } else { options.machine };
    // All ranks measure at the same time: with idle neighbours the rate would be higher than in the
    // computation.
    let measured = plan::with_rate(machine, plan::entries(&problem), alphabet, kernel, options.level);
    let machine = agree(comm, measured)?;
    let chosen = match (options.alpha, options.block_rows) {
        (0, _) => cost::choose(&problem, ranks, &machine),
        (alpha, 0) => Grid { ranks, alpha, block_rows: alpha * ranks },
        (alpha, block_rows) => Grid { ranks, alpha, block_rows },
    };
    const HALF: u32 = u32::BITS;
    let word = (chosen.alpha as u64) << HALF | chosen.block_rows as u64;
    let word = agree_on_and_share(comm, &[], word)?;
    let grid =
        Grid { ranks, alpha: (word >> HALF) as usize, block_rows: (word & u64::from(u32::MAX)) as usize };
    let level = kernel.used(options.level);
    let plan = Plan { problem, alphabet, kernel, level, grid, seconds: 0.0 };
    Ok(plan.predicted(&machine))
}

/// Collective: the supersteps for strings of ids, the longer of which gives columns.
fn wave<'a, C: Comm, I: Id>(
    comm: &'a C,
    a: Whole<I>,
    b: Whole<I>,
    plan: &Plan,
    barriers: bool,
) -> Result<Wave<'a, C, I>, Error> {
    let &Plan { grid, alphabet, kernel, level, .. } = plan;
    let packing = Packing::new(alphabet);
    let columns = parts::columns(comm, &a.own, &a.parts, &grid, packing)?;
    drop(a);
    let bands = columns.into_iter().map(|symbols| Band::new(symbols, alphabet, kernel, level));
    let bands = agree(comm, bands.collect())?;
    let kept = if comm.size() == 1 { vec![VecDeque::new(); grid.block_columns()] } else { Vec::new() };
    let task = Task { grid, packing, barriers };
    Ok(Wave { comm, task, bands, text: b.own, parts: b.parts, kept, interrupted: false })
}
