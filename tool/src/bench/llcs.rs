//! `hcube bench llcs`: the length of longest common subsequences, by hcube, its kernels, and a library of
//! string metrics.

mod algorithms;
mod arguments;
mod model;
mod strings;

pub use arguments::Arguments;

use super::frame::{LineOf, Opened, System};
use super::job;
use super::lengths::name;
use super::memory::{self, Wanted};
use super::proof::{Claim, Counts};
use super::timing;
use crate::probe::local;
use crate::session::{self, Session};
use algorithms::Worked;
use arguments::{Kind, Variant};
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_lcs::Symbol;
use hcube_lcs::distributed::Options;
use hcube_results::llcs::{Run, Subject};
use hcube_results::measured::{Place, Timing};
use model::Model;
use std::hint::black_box;
use std::process::ExitCode;
use strings::{Strings, part};

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    drawn.run::<Run>(&common.json, || {
        session::run(|session| drawn.start(session, common, || Llcs::new(session, arguments)))
    })
}

/// Bytes per symbol of a string that a rank needs: two strings of two bytes, the numbers from which they are
/// made, ids.
const BYTES: usize = 16;

/// The largest alphabet of the kernel planes.
const MAX_PLANES: usize = 256;

/// A variant for a pair of strings.
#[derive(Debug, Clone, Copy)]
struct Case {
    length: usize,
    symbols: usize,
    variant: Variant,
    /// Of square grids; else 0.
    alpha: usize,
}

/// Batches of 5 ms that an entry takes, one by one and many at a time as bits, on the machines of today: only
/// the proportion counts.
const EVERY_ENTRY: f64 = 1e-7;
const MANY_ENTRIES: f64 = 1e-9;

/// What a case has computed.
#[derive(Default)]
struct Work {
    /// What it has found last.
    found: u64,
    /// How often it has found something else than it must.
    wrong: u64,
}

/// The strings of the present size, and the rate for them.
struct Present {
    length: usize,
    symbols: usize,
    strings: Strings,
    /// Seconds of an entry on all ranks.
    entry: f64,
    /// What another algorithm has found; nothing where not verified.
    expected: Option<u64>,
}

/// The benchmark.
struct Llcs<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    present: Option<Present>,
    worked: Worked,
    model: Model,
    place: Place,
}

/// Why a case is not measured.
fn left_out(case: &Case, max_standard: usize) -> Option<String> {
    let name = name(case.variant);
    match case.variant.kind() {
        Kind::OneProcess { every_entry: true } if case.length > max_standard => {
            Some(format!("{name} left out: more than {max_standard} symbols (--max-standard)"))
        }
        _ if case.variant == Variant::Planes && case.symbols > MAX_PLANES => {
            Some(format!("{name} left out: alphabets of more than {MAX_PLANES} symbols"))
        }
        _ => None,
    }
}

/// What all cases must find, from what each has found: the length of rapidfuzz, which shares no code with the
/// others, or of the first one. Nothing where there is nobody to compare with.
fn expected(found: &[(Variant, u64)]) -> Option<u64> {
    let competitor = found.iter().find(|one| one.0 == Variant::Rapidfuzz);
    competitor.or(found.first()).filter(|_| found.len() > 1).map(|one| one.1)
}

/// Collective: the length by all ranks, each with its part of both strings.
fn on_all<S: Symbol>(
    comm: &impl Comm,
    worked: &Worked,
    [a, b]: &[Vec<S>; 2],
    options: &Options,
) -> Result<usize> {
    let own = part(a.len(), comm.rank(), comm.size());
    worked.on_all(comm, [&a[own.clone()], &b[own]], options)
}

impl<'a> Llcs<'a> {
    /// Collective: checks that nodes have memory for the longest strings.
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let longest = arguments.lengths.iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "strings", option: "--lengths", value: longest.to_string() };
        // Only the check: the strings of each size are allocated when it is their turn.
        drop(memory::reserve(comm, &wanted, (longest * BYTES / size_of::<u64>()) as u64)?);
        let model = Model::new(session, arguments, &session.node_sizes()?)?;
        let place = job::place(session, 0)?;
        Ok(Self { session, arguments, present: None, worked: Worked::default(), model, place })
    }

    fn subject(&self, case: &Case) -> Subject {
        let Case { length, symbols, .. } = *case;
        Subject { place: self.place.clone(), length, symbols, common: self.arguments.in_common }
    }

    fn present(&self) -> &Present {
        self.present.as_ref().expect("made when the case was opened")
    }

    /// The length by the ranks that compute.
    fn run(&self, case: &Case) -> Result<usize> {
        let strings = &self.present().strings;
        let barriers = match case.variant.kind() {
            Kind::OneProcess { .. } => return self.worked.run(case.variant, strings),
            Kind::AllRanks { .. } => case.variant == Variant::Barriers,
        };
        let options = Options { alpha: case.alpha, barriers, ..Options::default() };
        match strings {
            Strings::Narrow(both) => on_all(&self.session.comm, &self.worked, both, &options),
            Strings::Wide(both) => on_all(&self.session.comm, &self.worked, both, &options),
        }
    }
}

impl System for Llcs<'_> {
    const NAME: &'static str = "llcs";
    type Case = Case;
    type Work = Work;
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Case>> {
        let variants = self.arguments.variants(self.place.ranks);
        let cases = |length: usize, symbols: u32| {
            let case = |&(variant, alpha)| Case { length, symbols: symbols as usize, variant, alpha };
            variants.iter().map(case).collect()
        };
        let of_alphabet =
            |&symbols: &u32| self.arguments.lengths.iter().map(move |&length| (length, symbols));
        let sizes = self.arguments.symbols.iter().flat_map(of_alphabet);
        sizes.map(|(length, symbols)| cases(length, symbols)).collect()
    }

    fn name(&self, case: &Case) -> String {
        let alpha = if case.alpha > 0 { format!(" {}", case.alpha) } else { String::new() };
        let strings = self.subject(case).strings();
        format!("{}{alpha}, length {}, {strings}", name(case.variant), case.length)
    }

    fn about(&self) -> String {
        let model = if self.place.ranks > 1 {
            format!("predictions: {}, and the rate of an entry measured before each size\n", self.model.name)
        } else {
            String::new()
        };
        format!("{}\n{model}", job::shape(&self.place))
    }

    /// The remaining time: all entries of the matrix, or the time of a batch.
    fn weight(&self, case: &Case) -> f64 {
        let entries = (case.length as f64).powi(2);
        let every_entry = matches!(case.variant.kind(), Kind::OneProcess { every_entry: true });
        1.0 + entries * if every_entry { EVERY_ENTRY } else { MANY_ENTRIES }
    }

    /// The strings of a case and the rate for them.
    fn open(&mut self, case: &Case) -> Result<Opened<Work>> {
        if let Some(reason) = left_out(case, self.arguments.max_standard) {
            return Ok(Err(reason));
        }
        let Case { length, symbols, .. } = *case;
        if self.present.as_ref().is_none_or(|one| (one.length, one.symbols) != (length, symbols)) {
            self.present = None;
            let strings = Strings::new(length, symbols, self.arguments.in_common);
            let entry = local::entry(&self.session.comm, symbols)?;
            self.present = Some(Present { length, symbols, strings, entry, expected: None });
        }
        Ok(Ok(Work::default()))
    }

    fn claim(&self, case: &Case, _: &Work) -> Result<Claim> {
        Ok(case.variant.claim())
    }

    fn counts(&self, _: &Work) -> Counts {
        self.worked.counts()
    }

    /// Also finds what all lines must find.
    fn warm_up(&mut self, comm: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        for line in &mut *lines {
            line.batch = timing::settled(|times| self.timed(comm, line, times))?;
        }
        let found: Vec<_> = lines.iter().map(|line| (line.case.variant, line.work.found)).collect();
        let own = expected(&found).filter(|_| verify);
        // Only rank 0 has the results of one process.
        let word = comm.all_gather(&[own.unwrap_or(0)])?[0];
        if let Some(present) = &mut self.present {
            present.expected = own.map(|_| word);
        }
        Ok(())
    }

    fn call(&mut self, line: &mut LineOf<Self>, times: u32) -> Result<()> {
        let case = line.case;
        let is_running =
            self.session.comm.rank() == 0 || matches!(case.variant.kind(), Kind::AllRanks { .. });
        let mut found = 0;
        for _ in 0..if is_running { times } else { 0 } {
            found = black_box(self.run(black_box(&case))?) as u64;
        }
        let expected = self.present().expected.filter(|_| is_running);
        line.work.wrong += u64::from(expected.is_some_and(|expected| expected != found));
        line.work.found = found;
        Ok(())
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let Case { length, symbols, variant, alpha } = line.case;
        let wrong = timing::sum(&self.session.comm, line.work.wrong)?;
        let &Present { entry, expected, .. } = self.present();
        let run = |running| Run {
            batch: line.batch,
            llcs: line.work.found,
            errors: expected.map(|_| wrong),
            ..Run::new(self.subject(&line.case), name(variant), running, timing)
        };
        Ok(match variant.kind() {
            Kind::OneProcess { .. } => run(1),
            Kind::AllRanks { .. } => {
                let (grid, predicted) = self.model.predict(length, symbols, (variant, alpha), entry);
                Run {
                    alpha: grid.alpha,
                    blocks: [grid.block_columns(), grid.block_rows],
                    predicted: Some(predicted),
                    ..run(self.place.ranks)
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(variant: Variant, length: usize, symbols: usize) -> Case {
        Case { length, symbols, variant, alpha: 0 }
    }

    #[test]
    fn the_competitor_decides_what_is_right() {
        let lines = [(Variant::Hcube, 7), (Variant::Words, 7), (Variant::Rapidfuzz, 6)];
        assert_eq!(expected(&lines), Some(6));
        assert_eq!((expected(&lines[..2]), expected(&lines[..1]), expected(&[])), (Some(7), None, None));
    }

    #[test]
    fn what_takes_too_long_or_does_not_exist_is_left_out() {
        assert_eq!(left_out(&case(Variant::Standard, 1000, 4), 1000), None);
        let reason = left_out(&case(Variant::PlainLoop, 1001, 4), 1000).expect("too long");
        assert!(reason.starts_with("plain-loop left out") && reason.contains("--max-standard"), "{reason}");
        assert!(left_out(&case(Variant::Planes, 10, 257), 1000).is_some());
        assert_eq!(left_out(&case(Variant::Rapidfuzz, 1 << 30, 257), 1000), None);
    }
}
