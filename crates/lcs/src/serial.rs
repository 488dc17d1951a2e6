//! The length for two strings that one process has.
//!
//! Idea: what both strings have in common at their ends is taken off ([`affix`]), and
//! symbols that only one of them has ([`alphabet`]). The shorter string gives the columns, which are one
//! [`Band`]; the longer is its text, cut into pieces, so that columns and text of a piece stay in the cache.
//! After each piece it is known what the length may still become. What remains short is computed at once
//! ([`short`]).
//!
//! Cost: the cost of the kernel. Memory: both strings with ids, two bits per symbol.

use crate::affix;
use crate::alphabet::{self, Coded, Strings};
use crate::band::Band;
use crate::columns::words;
use crate::cost::{Machine, Problem};
use crate::grid::Grid;
use crate::kernel::Kernel;
use crate::plan::{self, Plan};
use crate::progress::{Observer, Outcome, Progress};
use crate::short;
use crate::symbol::{Id, Symbol};
use hcube_core::Error;
use hcube_core::machine::instructions::Level;
use std::ops::ControlFlow;

/// How to compute.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// A length below this is of no interest: the computation stops when it is clear that it is.
    pub at_least: usize,
    /// The algorithm; `None` selects the fastest.
    pub kernel: Option<Kernel>,
    /// Instructions that kernels may use.
    pub level: Level,
}

impl Default for Options {
    fn default() -> Self {
        Self { at_least: 0, kernel: None, level: Level::detect() }
    }
}

impl Options {
    /// The algorithm for symbols below `alphabet`.
    fn kernel(&self, alphabet: usize) -> Kernel {
        self.kernel.unwrap_or(Kernel::choose(alphabet, self.level))
    }
}

/// Rows of a piece, between which the bound is checked.
const PIECE: usize = 1 << 16;

/// The length of a longest common subsequence.
///
/// # Errors
/// [`Error::Count`] for strings of 2^32 and more symbols of 32 bits, [`Error::Memory`] where there is no room
/// for their ids and bits.
pub fn llcs<S: Symbol>(a: &[S], b: &[S]) -> Result<usize, Error> {
    match observed(a, b, &Options::default(), &mut |_| ControlFlow::Continue(()))? {
        Outcome::Length(length) => Ok(length),
        other => Err(Error::Internal(format!("{other:?} without a bound"))),
    }
}

/// As [`llcs`], with options, and an observer that may end the computation.
///
/// # Errors
/// As [`llcs`].
pub fn observed<S: Symbol>(
    a: &[S],
    b: &[S],
    options: &Options,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    prepare(a, b, options)?.run(observer)
}

/// A computation that has not begun.
#[derive(Debug)]
pub struct Computation {
    /// Length of what was taken off.
    common: usize,
    work: Work,
    options: Options,
}

/// What is left to do.
#[derive(Debug)]
enum Work {
    /// Nothing, for short strings of these lengths.
    Short {
        length: usize,
        lengths: (usize, usize),
    },
    Coded(Coded),
}

/// Prepares a computation: takes off what both strings have at their ends, and codes the rest.
///
/// # Errors
/// As [`llcs`].
pub fn prepare<S: Symbol>(a: &[S], b: &[S], options: &Options) -> Result<Computation, Error> {
    let (common, a, b) = affix::strip(a, b);
    let short = if options.kernel.is_none() { short::llcs(a, b) } else { None };
    let work = match short {
        Some(length) => Work::Short { length, lengths: (a.len(), b.len()) },
        None if common + a.len().min(b.len()) < options.at_least => {
            Work::Coded(alphabet::code::<S>(&[], &[])?)
        }
        None => Work::Coded(if a.len() <= b.len() { alphabet::code(a, b)? } else { alphabet::code(b, a)? }),
    };
    Ok(Computation { common, work, options: *options })
}

impl Computation {
    /// The algorithm and the time that it will take on a machine with this rate. A long computation has its
    /// own rate measured first.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room for the measurement.
    pub fn plan(&self, machine: Machine) -> Result<Plan, Error> {
        let ((columns, rows), alphabet, kernel) = match &self.work {
            // Short strings are not coded: their symbols are in words without vector registers.
            Work::Short { lengths, .. } => (*lengths, short::SYMBOLS, Kernel::Words),
            Work::Coded(coded) => (coded.lengths(), coded.size, self.options.kernel(coded.size)),
        };
        let problem = Problem { columns: columns.min(rows), rows: columns.max(rows), bits: 0 };
        let level = self.options.level;
        let grid = Grid { ranks: 1, alpha: 1, block_rows: 1 };
        let machine = plan::with_rate(machine, plan::entries(&problem), alphabet, kernel, level)?;
        let level = kernel.used(level);
        Ok(Plan { problem, alphabet, kernel, level, grid, seconds: 0.0 }.predicted(&machine))
    }

    /// Computes the length.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room for the bits of the columns.
    pub fn run(self, observer: &mut Observer<'_>) -> Result<Outcome, Error> {
        let Coded { strings, size, bound } = match self.work {
            Work::Coded(coded) => coded,
            Work::Short { length, lengths: (a, b) } => {
                let (length, total) = (self.common + length, a as u64 * b as u64);
                let ended = total > 0 && observer(Progress { done: total, total, kernel: None }).is_break();
                return Ok(match length {
                    _ if ended => Outcome::Interrupted,
                    length if length < self.options.at_least => Outcome::Below,
                    length => Outcome::Length(length),
                });
            }
        };
        if self.common + bound < self.options.at_least {
            return Ok(Outcome::Below);
        }
        let kernel = self.options.kernel(size);
        let task = Task { common: self.common, alphabet: size, kernel, options: self.options };
        match strings {
            Strings::Narrow(a, b) => task.run(a, b, observer),
            Strings::Wide(a, b) => task.run(a, b, observer),
        }
    }
}

/// What is known of two strings of ids.
struct Task {
    common: usize,
    alphabet: usize,
    kernel: Kernel,
    options: Options,
}

impl Task {
    fn run<I: Id>(&self, a: Vec<I>, b: Vec<I>, observer: &mut Observer<'_>) -> Result<Outcome, Error> {
        // Without the symbols of one string the other may have become the shorter one.
        let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let total = (a.len() as u64).saturating_mul(b.len() as u64);
        let mut band = Band::new(a, self.alphabet, self.kernel, self.options.level)?;
        let mut progress = Progress { done: 0, total, kernel: Some(band.kernel()) };
        let mut carries = Vec::new();
        let mut left = b.len();
        for text in b.chunks(PIECE) {
            carries.clear();
            carries.resize(words(text.len()), 0);
            let mut tick = |entries| {
                progress.done += entries;
                observer(progress)
            };
            if band.advance(text, &mut carries, &mut tick).is_break() {
                return Ok(Outcome::Interrupted);
            }
            left -= text.len();
            if self.common + band.growth() + left < self.options.at_least {
                return Ok(Outcome::Below);
            }
        }
        let length = self.common + band.growth();
        Ok(if length < self.options.at_least { Outcome::Below } else { Outcome::Length(length) })
    }
}
