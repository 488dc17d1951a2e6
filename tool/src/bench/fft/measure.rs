//! The measurements: vectors, and transforms of them.

use super::arguments::{Algorithm, Arguments};
use super::fftw::{self, Fftw};
use super::vector::{self, WORDS};
use crate::bench::footprint;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_alltoall::Options;
use hcube_core::comm::{Comm, agree};
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::{Error, Result};
use hcube_fft::shape::Shape;
use hcube_fft::{Direction, Plan};
use hcube_results::fft::{Stages, length_name};
use hcube_results::measured::Place;

/// Transforms in place without new data: each one multiplies the numbers by the root of the length, and the product must stay
/// below the largest number.
const MAX_GROWTH: f64 = 1e300;

/// What hcube counts.
const HCUBE: &str = "transforms of hcube";

/// Who transforms.
pub enum Work {
    Hcube(Plan),
    Fftw(fftw::Plan),
}

/// An algorithm at a length under way.
pub struct Line {
    pub algorithm: Algorithm,
    pub length: usize,
    work: Work,
    /// Transforms that are timed together.
    pub batch: u32,
    /// The largest error, and how many numbers are wrong on all ranks; `None` where not verified.
    pub errors: Option<(f64, u64)>,
}

/// The vectors, and the libraries that transform them.
pub struct Fft<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    pub lengths: Vec<usize>,
    /// Of hcube.
    options: Options,
    /// FFTW, or why it is not measured.
    pub fftw: std::result::Result<Fftw, String>,
    /// The part of this rank, and where the transform is out of place that of the result.
    words: Vec<u64>,
    pub place: Place,
}

/// Collective: FFTW on all ranks, or the reason of the first one that lacks it.
fn start_fftw(comm: &impl Comm, arguments: &Arguments) -> Result<std::result::Result<Fftw, String>> {
    if !arguments.algorithms().iter().any(|&one| one != Algorithm::SixStep) {
        return Ok(Err(String::new()));
    }
    let loaded = fftw::load(arguments.fftw.as_deref()).map_err(Error::Unsupported);
    match agree(comm, loaded) {
        Ok(loaded) => Ok(Ok(Fftw::start(loaded))),
        Err(error @ Error::Mpi { .. }) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

impl<'a> Fft<'a> {
    /// Collective: checks the lengths, and allocates the largest vector.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let ranks = comm.size();
        let mut options = agree(comm, Options::from_environment())?;
        if let Some(count) = arguments.ranks_per_node {
            options.ranks_per_node = count as usize;
        }
        let lengths = arguments.lengths(ranks);
        for &length in &lengths {
            Shape::new(length, comm.rank(), ranks).map_err(|error| match error {
                Error::Argument { expected, .. } => Error::argument("--lengths", length, expected),
                other => other,
            })?;
        }
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "a vector", option: "--lengths", value: length_name(longest) };
        let vectors = if arguments.out_of_place { 2 } else { 1 };
        let length = vectors * WORDS * (longest / ranks);
        let mut words = memory::reserve(comm, &wanted, length as u64)?;
        words.resize(length, 0);
        let nodes = session.node_sizes()?.len();
        let place = Place {
            mpi: session::library(),
            ranks,
            ranks_per_node: options.ranks_per_node,
            nodes,
            cores: hcube_core::node::processor::cores(),
        };
        let fftw = start_fftw(comm, arguments)?;
        Ok(Self { session, arguments, lengths, options, fftw, words, place })
    }

    /// Numbers of each rank, and the first one of this rank.
    fn part(&self, length: usize) -> (usize, usize) {
        let part = length / self.place.ranks;
        (self.session.comm.rank() * part, part)
    }

    /// Collective: a transform, or why it is left out.
    fn plan(&self, algorithm: Algorithm, length: usize) -> Result<std::result::Result<Work, String>> {
        let comm = &self.session.comm;
        let flags = match algorithm {
            Algorithm::SixStep => {
                let plan = Plan::new(comm, Ok((length, Direction::Forward)), &self.options)?;
                return Ok(Ok(Work::Hcube(plan)));
            }
            Algorithm::FftwEstimate => fftw::ESTIMATE,
            Algorithm::FftwMeasure => fftw::MEASURE,
        };
        let fftw = match &self.fftw {
            Ok(fftw) => fftw,
            Err(reason) => return Ok(Err(reason.clone())),
        };
        let agreed = |good: bool| comm.all_gather(&[good.into()]).is_ok_and(|all| !all.contains(&0));
        let how = (flags, self.arguments.out_of_place);
        Ok(fftw::Plan::new(fftw, length, self.part(length), how, agreed).map(Work::Fftw))
    }

    /// Who has to have worked for a line.
    pub fn claim(&self, line: &Line) -> Claim {
        match (&line.work, &self.fftw) {
            (Work::Fftw(_), Ok(fftw)) => Claim::of(&fftw.origin),
            _ => Claim::counted(HCUBE),
        }
    }

    /// What hcube has counted for a line.
    pub fn counts(line: &Line) -> Counts {
        let executed = match &line.work {
            Work::Hcube(plan) => plan.executed(),
            Work::Fftw(_) => 0,
        };
        vec![(HCUBE, executed)]
    }

    /// Collective: a line, or why it is left out.
    pub fn line(&self, algorithm: Algorithm, length: usize) -> Result<std::result::Result<Line, String>> {
        let work = self.plan(algorithm, length)?;
        Ok(work.map(|work| Line { algorithm, length, work, batch: 1, errors: None }))
    }

    fn fill(&mut self, line: &mut Line) {
        let (start, part) = self.part(line.length);
        match &mut line.work {
            Work::Hcube(_) => vector::fill(&mut self.words[..WORDS * part], start),
            Work::Fftw(plan) => vector::fill(plan.input(), start),
        }
    }

    /// Collective: transforms.
    fn execute(&mut self, work: &mut Work, part: usize, times: u32) -> Result<()> {
        let (comm, words) = (&self.session.comm, WORDS * part);
        let (input, output) = self.words.split_at_mut(words);
        let input = Region::of(bytes_of_mut(input));
        let output = match self.arguments.out_of_place {
            true => Region::of(bytes_of_mut(&mut output[..words])),
            false => input,
        };
        for _ in 0..times {
            match work {
                Work::Hcube(plan) => plan.execute(comm, Ok((input, output)))?,
                Work::Fftw(plan) => plan.execute(),
            }
        }
        Ok(())
    }

    /// Collective: seconds of one transform from a batch.
    pub fn timed(&mut self, line: &mut Line, times: u32) -> Result<f64> {
        self.fill(line);
        let (session, part) = (self.session, self.part(line.length).1);
        let (seconds, ()) = timing::timed(&session.comm, || self.execute(&mut line.work, part, times))?;
        Ok(seconds / f64::from(times))
    }

    /// Collective: verifies a line by the inverse transform of hcube, and finds how many transforms are to be timed together.
    pub fn prepare(&mut self, line: &mut Line) -> Result<()> {
        if !self.arguments.common.no_verify {
            line.errors = Some(self.verify(line)?);
        }
        let most = max_batch(line.length);
        line.batch = timing::settled(|times| self.timed(line, times.min(most)))?.min(most);
        Ok(())
    }

    fn verify(&mut self, line: &mut Line) -> Result<(f64, u64)> {
        let (session, (start, part)) = (self.session, self.part(line.length));
        let comm = &session.comm;
        self.fill(line);
        let done = self.execute(&mut line.work, part, 1);
        agree(comm, done)?;
        let mut inverse = Plan::new(comm, Ok((line.length, Direction::Backward)), &self.options)?;
        let words = WORDS * part;
        let place = if self.arguments.out_of_place { words..2 * words } else { 0..words };
        let result = match &mut line.work {
            Work::Hcube(_) => Region::of(bytes_of_mut(&mut self.words[place.clone()])),
            Work::Fftw(plan) => plan.region(),
        };
        inverse.execute(comm, Ok((result, result)))?;
        let (largest, wrong) = match &mut line.work {
            Work::Hcube(_) => vector::errors(&self.words[place], start, line.length),
            Work::Fftw(plan) => vector::errors(plan.output(), start, line.length),
        };
        let all = comm.all_gather(&[largest.to_bits(), wrong])?;
        let largest = all.iter().step_by(2).map(|&bits| f64::from_bits(bits)).fold(0.0, f64::max);
        Ok((largest, all.iter().skip(1).step_by(2).sum()))
    }

    /// Collective: the stages of the last transform, mean over all ranks; nothing for FFTW.
    pub fn stages(&self, line: &Line) -> Result<Option<Stages>> {
        let Work::Hcube(plan) = &line.work else { return Ok(None) };
        let own = plan.stages();
        // In shared memory ranks only wait between columns and rows.
        let between = own.second_exchange;
        let (moved, waited) = if plan.shares_memory() { (0.0, between) } else { (between, 0.0) };
        let values = [
            own.first_exchange + own.last_exchange + moved,
            own.first_wait + own.last_wait + waited,
            own.columns,
            own.rows,
        ];
        let all = self.session.comm.all_gather(&values.map(f64::to_bits))?;
        let mean = |stage: usize| {
            let of_ranks = all.iter().skip(stage).step_by(values.len()).map(|&bits| f64::from_bits(bits));
            of_ranks.sum::<f64>() / self.place.ranks as f64
        };
        Ok(Some(Stages { exchange: mean(0), wait: mean(1), columns: mean(2), rows: mean(3) }))
    }

    /// Collective: memory that a transform adds to the vectors, from its plan to its second execution.
    pub fn extra_bytes(&mut self, line: &Line) -> Result<Option<u64>> {
        let (session, (_, part)) = (self.session, self.part(line.length));
        let added = footprint::added_by(&session.comm, || {
            let planned = self.plan(line.algorithm, line.length)?;
            let mut work = planned.map_err(Error::Unsupported)?;
            self.execute(&mut work, part, 2)
        })?;
        // FFTW has its vectors itself.
        let vectors = match line.work {
            Work::Hcube(_) => 0,
            Work::Fftw(_) => 16 * part * if self.arguments.out_of_place { 2 } else { 1 },
        };
        Ok(added.map(|added| added.peak.saturating_sub(vectors as u64)))
    }
}

/// Transforms of a length that follow one another in place.
fn max_batch(length: usize) -> u32 {
    let growth = 0.5 * (length as f64).log10();
    if growth > 0.0 { (MAX_GROWTH.log10() / growth) as u32 } else { u32::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_do_not_overflow() {
        assert_eq!((max_batch(1_000_000), max_batch(100), max_batch(1)), (100, 300, u32::MAX));
    }
}
