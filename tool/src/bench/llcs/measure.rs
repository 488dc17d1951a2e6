//! The measurements: strings, and computations of one process or all ranks.

use super::algorithms::Worked;
use super::arguments::{Arguments, Kind, Variant};
use super::model::Model;
use super::strings::{Strings, part};
use crate::bench::memory::{self, Wanted};
use crate::bench::timing;
use crate::probe::local;
use crate::session::{self, Session};
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_lcs::Symbol;
use hcube_lcs::distributed::Options;
use hcube_results::llcs::Subject;
use hcube_results::measured::Place;
use std::hint::black_box;

/// Bytes per symbol of a string that a rank needs: two strings of two bytes, the numbers from which they are made, ids.
const BYTES: usize = 16;

/// The largest alphabet of the kernel planes.
const MAX_PLANES: usize = 256;

/// A variant for a pair of strings.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub length: usize,
    pub symbols: usize,
    pub variant: Variant,
    /// Of square grids; else 0.
    pub alpha: usize,
}

/// A case under way.
pub struct Line {
    pub case: Case,
    /// Computations that are timed together.
    pub batch: u32,
    /// What it has found last.
    pub found: u64,
    /// How often it has found something else than it must.
    pub wrong: u64,
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
pub struct Llcs<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    present: Option<Present>,
    pub worked: Worked,
    pub model: Model,
    pub place: Place,
}

/// Why a case is not measured.
fn left_out(case: &Case, max_standard: usize) -> Option<String> {
    let name = case.variant.name();
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

/// What all lines must find: that of rapidfuzz, which shares no code with the others, or of the first one. Nothing where there is
/// nobody to compare with.
fn expected(lines: &[Line]) -> Option<u64> {
    let competitor = lines.iter().find(|line| line.case.variant == Variant::Rapidfuzz);
    competitor.or(lines.first()).filter(|_| lines.len() > 1).map(|line| line.found)
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
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let longest = arguments.lengths.iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "strings", option: "--lengths", value: longest.to_string() };
        // Only the check: the strings of each size are allocated when it is their turn.
        drop(memory::reserve(comm, &wanted, (longest * BYTES / size_of::<u64>()) as u64)?);
        let node_sizes = session.node_sizes()?;
        let place = Place {
            mpi: session::library(),
            ranks: comm.size(),
            ranks_per_node: 0,
            nodes: node_sizes.len(),
            cores: hcube_core::node::processor::cores(),
        };
        let model = Model::new(session, arguments, &node_sizes)?;
        Ok(Self { session, arguments, present: None, worked: Worked::default(), model, place })
    }

    pub fn subject(&self, case: &Case) -> Subject {
        let Case { length, symbols, .. } = *case;
        Subject { place: self.place.clone(), length, symbols, common: self.arguments.in_common }
    }

    /// Collective: the strings of a case and the rate for them, or why it is left out.
    pub fn open(&mut self, case: &Case) -> Result<std::result::Result<Line, String>> {
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
        Ok(Ok(Line { case: *case, batch: 1, found: 0, wrong: 0 }))
    }

    fn present(&self) -> &Present {
        self.present.as_ref().expect("made when the case was opened")
    }

    /// Seconds of an entry for the present strings.
    pub fn entry(&self) -> f64 {
        self.present().entry
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

    /// Collective: seconds of a computation from a batch; what was found goes into the line.
    pub fn timed(&self, line: &mut Line, times: u32) -> Result<f64> {
        let (comm, case) = (&self.session.comm, line.case);
        let is_running = comm.rank() == 0 || matches!(case.variant.kind(), Kind::AllRanks { .. });
        let (seconds, found) = timing::timed(comm, || {
            let mut found = 0;
            for _ in 0..if is_running { times } else { 0 } {
                found = black_box(self.run(black_box(&case))?);
            }
            Ok(found as u64)
        })?;
        line.found = found;
        let expected = self.present().expected.filter(|_| is_running);
        line.wrong += u64::from(expected.is_some_and(|expected| expected != found));
        Ok(seconds / f64::from(times))
    }

    /// Collective: finds how many computations are to be timed together, and what all lines must find.
    pub fn prepare(&mut self, lines: &mut [Line]) -> Result<()> {
        for line in &mut *lines {
            line.batch = timing::settled(|times| self.timed(line, times))?;
        }
        let own = expected(lines).filter(|_| !self.arguments.common.no_verify);
        // Only rank 0 has the results of one process.
        let word = self.session.comm.all_gather(&[own.unwrap_or(0)])?[0];
        if let Some(present) = &mut self.present {
            present.expected = own.map(|_| word);
        }
        Ok(())
    }

    /// Collective: how often all ranks have found something wrong; nothing where not verified.
    pub fn errors(&self, line: &Line) -> Result<Option<u64>> {
        let all = self.session.comm.all_gather(&[line.wrong])?;
        Ok(self.present().expected.map(|_| all.iter().sum()))
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
        let line = |variant, found| Line { case: case(variant, 10, 4), batch: 1, found, wrong: 0 };
        let lines = [line(Variant::Hcube, 7), line(Variant::Words, 7), line(Variant::Rapidfuzz, 6)];
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
