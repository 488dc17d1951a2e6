//! `hcube bench fft`: the Fourier transform of a distributed vector, by hcube and by FFTW.

mod arguments;
mod calls;
mod transposes;
mod vector;

pub use arguments::Arguments;

use super::footprint;
use super::frame::{LineOf, Opened, System};
use super::job;
use super::lengths::{chosen, name};
use super::memory::{self, Wanted};
use super::proof::{Claim, Counts};
use super::timing;
use crate::session::{self, Session};
use arguments::Algorithm;
use calls::Fftw;
use hcube_alltoall::Options;
use hcube_core::comm::{Comm, agree};
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::{Error, Result};
use hcube_fft::shape::Shape;
use hcube_fft::{Direction, Plan};
use hcube_results::fft::{Run, Stages, Subject};
use hcube_results::measured::{Place, Timing};
use hcube_results::numbers::length_name;
use std::process::ExitCode;
use vector::WORDS;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    if transposes::are_in(drawn.files()) {
        return session::without_mpi(|| transposes::compare(drawn, &common.json));
    }
    drawn.run::<Run>(&common.json, || {
        session::run(|session| drawn.start(session, common, || Fft::new(session, arguments)))
    })
}

/// Transforms in place without new data: each one multiplies the numbers by the root of the length, and the
/// product must stay below the largest number.
const MAX_GROWTH: f64 = 1e300;

/// What hcube counts.
const HCUBE: &str = "transforms of hcube";

/// Who transforms.
enum Transform {
    Hcube(Plan),
    Fftw(calls::Plan),
}

/// An algorithm at a length under way.
struct Work {
    transform: Transform,
    /// The largest error.
    error: Option<f64>,
}

/// The vectors, and the libraries that transform them.
struct Fft<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    lengths: Vec<usize>,
    /// Of hcube.
    options: Options,
    /// FFTW, or why it is not measured.
    fftw: Opened<Fftw>,
    /// The part of this rank, and where the transform is out of place the part of the result.
    words: Vec<u64>,
    place: Place,
}

/// Collective: FFTW on all ranks, or the reason of the first one that lacks it.
fn start_fftw(comm: &impl Comm, arguments: &Arguments) -> Result<Opened<Fftw>> {
    if !chosen(&arguments.algorithms).iter().any(|&one| one != Algorithm::SixStep) {
        return Ok(Err(String::new()));
    }
    let loaded = calls::load(arguments.fftw.as_deref()).map_err(Error::Unsupported);
    match agree(comm, loaded) {
        Ok(loaded) => Ok(Ok(Fftw::start(loaded))),
        Err(error @ Error::Mpi { .. }) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

impl<'a> Fft<'a> {
    /// Collective: checks the lengths, and allocates the largest vector.
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
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
        let place = job::place(session, options.ranks_per_node)?;
        let fftw = start_fftw(comm, arguments)?;
        Ok(Self { session, arguments, lengths, options, fftw, words, place })
    }

    /// Numbers of each rank, and the first one of this rank.
    fn part(&self, length: usize) -> (usize, usize) {
        let part = length / self.place.ranks;
        (self.session.comm.rank() * part, part)
    }

    /// Collective: a transform, or why it is left out.
    fn plan(&self, algorithm: Algorithm, length: usize) -> Result<Opened<Transform>> {
        let comm = &self.session.comm;
        let flags = match algorithm {
            Algorithm::SixStep => {
                let plan = Plan::new(comm, Ok((length, Direction::Forward)), &self.options)?;
                return Ok(Ok(Transform::Hcube(plan)));
            }
            Algorithm::FftwEstimate => calls::ESTIMATE,
            Algorithm::FftwMeasure => calls::MEASURE,
        };
        let fftw = match &self.fftw {
            Ok(fftw) => fftw,
            Err(reason) => return Ok(Err(reason.clone())),
        };
        let agreed = |good: bool| comm.all_gather(&[good.into()]).is_ok_and(|all| !all.contains(&0));
        let how = (flags, self.arguments.out_of_place);
        Ok(calls::Plan::new(fftw, length, self.part(length), how, agreed).map(Transform::Fftw))
    }

    fn fill(&mut self, line: &mut LineOf<Self>) {
        let (start, part) = self.part(line.case.0);
        match &mut line.work.transform {
            Transform::Hcube(_) => vector::fill(&mut self.words[..WORDS * part], start),
            Transform::Fftw(plan) => vector::fill(plan.input(), start),
        }
    }

    /// Collective: transforms.
    fn execute(&mut self, transform: &mut Transform, part: usize, times: u32) -> Result<()> {
        let (comm, words) = (&self.session.comm, WORDS * part);
        let (input, output) = self.words.split_at_mut(words);
        let input = Region::of(bytes_of_mut(input));
        let output = match self.arguments.out_of_place {
            true => Region::of(bytes_of_mut(&mut output[..words])),
            false => input,
        };
        for _ in 0..times {
            match transform {
                Transform::Hcube(plan) => plan.execute(comm, Ok((input, output)))?,
                Transform::Fftw(plan) => plan.execute(),
            }
        }
        Ok(())
    }

    /// Collective: the stages of the last transform, mean over all ranks; nothing for FFTW.
    fn stages(&self, transform: &Transform) -> Result<Option<Stages>> {
        let Transform::Hcube(plan) = transform else { return Ok(None) };
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
    fn extra_bytes(&mut self, line: &LineOf<Self>) -> Result<Option<u64>> {
        let (session, (_, part)) = (self.session, self.part(line.case.0));
        let added = footprint::added_by(&session.comm, || {
            let planned = self.plan(line.case.1, line.case.0)?;
            let mut transform = planned.map_err(Error::Unsupported)?;
            self.execute(&mut transform, part, 2)
        })?;
        // FFTW has its vectors itself.
        let vectors = match line.work.transform {
            Transform::Hcube(_) => 0,
            Transform::Fftw(_) => 16 * part * if self.arguments.out_of_place { 2 } else { 1 },
        };
        Ok(added.map(|added| added.peak.saturating_sub(vectors as u64)))
    }
}

/// Transforms of a length that follow one another in place.
fn max_batch(length: usize) -> u32 {
    let growth = 0.5 * (length as f64).log10();
    if growth > 0.0 { (MAX_GROWTH.log10() / growth) as u32 } else { u32::MAX }
}

impl System for Fft<'_> {
    const NAME: &'static str = "fft";
    type Case = (usize, Algorithm);
    type Work = Work;
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let algorithms = chosen(&self.arguments.algorithms);
        let cases = |&length: &usize| algorithms.iter().map(|&algorithm| (length, algorithm)).collect();
        self.lengths.iter().map(cases).collect()
    }

    fn name(&self, &(length, algorithm): &Self::Case) -> String {
        format!("{} of {}", name(algorithm), length_name(length))
    }

    fn about(&self) -> String {
        let fftw = self.fftw.as_ref().map_or_else(|_| String::new(), |fftw| format!("{}; ", fftw.file));
        format!("{}\n{fftw}", job::shape(&self.place))
    }

    fn open(&mut self, &(length, algorithm): &Self::Case) -> Result<Opened<Work>> {
        let work = self.plan(algorithm, length)?.map(|transform| Work { transform, error: None });
        Ok(work.map_err(|reason| format!("{} left out: {reason}", name(algorithm))))
    }

    fn claim(&self, _: &Self::Case, work: &Work) -> Result<Claim> {
        Ok(match (&work.transform, &self.fftw) {
            (Transform::Fftw(_), Ok(fftw)) => Claim::of(&fftw.origin),
            _ => Claim::counted(HCUBE),
        })
    }

    fn counts(&self, work: &Work) -> Counts {
        let executed = match &work.transform {
            Transform::Hcube(plan) => plan.executed(),
            Transform::Fftw(_) => 0,
        };
        vec![(HCUBE, executed)]
    }

    /// By the inverse transform of hcube.
    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let (session, length) = (self.session, line.case.0);
        let (comm, (start, part)) = (&session.comm, self.part(length));
        self.fill(line);
        let done = self.execute(&mut line.work.transform, part, 1);
        agree(comm, done)?;
        let mut inverse = Plan::new(comm, Ok((length, Direction::Backward)), &self.options)?;
        let words = WORDS * part;
        let place = if self.arguments.out_of_place { words..2 * words } else { 0..words };
        let result = match &mut line.work.transform {
            Transform::Hcube(_) => Region::of(bytes_of_mut(&mut self.words[place.clone()])),
            Transform::Fftw(plan) => plan.region(),
        };
        inverse.execute(comm, Ok((result, result)))?;
        let (largest, wrong) = match &mut line.work.transform {
            Transform::Hcube(_) => vector::errors(&self.words[place], start, length),
            Transform::Fftw(plan) => vector::errors(plan.output(), start, length),
        };
        let largest = comm.all_gather(&[largest.to_bits()])?.into_iter().map(f64::from_bits);
        line.work.error = Some(largest.fold(0.0, f64::max));
        timing::sum(comm, wrong).map(Some)
    }

    fn warm_up(&mut self, comm: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        for line in lines {
            if verify {
                line.errors = self.verify(line)?;
            }
            let most = max_batch(line.case.0);
            line.batch = timing::settled(|times| self.timed(comm, line, times.min(most)))?.min(most);
        }
        Ok(())
    }

    fn restore(&mut self, line: &mut LineOf<Self>) {
        self.fill(line);
    }

    fn call(&mut self, line: &mut LineOf<Self>, times: u32) -> Result<()> {
        let part = self.part(line.case.0).1;
        self.execute(&mut line.work.transform, part, times)
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let (place, out_of_place) = (self.place.clone(), self.arguments.out_of_place);
        let subject = Subject { place, length: line.case.0, out_of_place };
        Ok(Run {
            batch: line.batch,
            stages: self.stages(&line.work.transform)?,
            extra_bytes: self.extra_bytes(line)?,
            error: line.work.error,
            errors: line.errors,
            ..Run::new(subject, name(line.case.1), timing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_do_not_overflow() {
        assert_eq!((max_batch(1_000_000), max_batch(100), max_batch(1)), (100, 300, u32::MAX));
    }
}
