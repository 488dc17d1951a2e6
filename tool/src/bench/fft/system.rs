//! `hcube bench fft` as a system of the bench frame.

use super::arguments::Algorithm;
use super::measure::{Fft, Line};
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session::{self, Failure};
use hcube_core::Result;
use hcube_results::fft::{Results, Run, length_name};
use hcube_results::measured::Timing;

impl System for Fft<'_> {
    const NAME: &'static str = "fft";
    type Case = (usize, Algorithm);
    type Line = Line;
    /// Seconds of a transform.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let algorithms = self.arguments.algorithms();
        let cases = |&length: &usize| algorithms.iter().map(|&algorithm| (length, algorithm)).collect();
        self.lengths.iter().map(cases).collect()
    }

    fn name(&self, &(length, algorithm): &Self::Case) -> String {
        format!("{} of {}", algorithm.name(), length_name(length))
    }

    fn heading(&self) -> String {
        let fftw = self.fftw.as_ref().map_or_else(|_| String::new(), |fftw| format!("{}; ", fftw.file));
        let nodes = match self.place.ranks_per_node {
            0 => String::new(),
            count => format!("; hcube takes each {count} rank(s) for a node"),
        };
        format!(
            "hcube {} fft: {} rank(s) on {} node(s), {}{nodes}\n{fftw}medians of {} alternating measurements\n\n",
            env!("CARGO_PKG_VERSION"),
            self.place.ranks,
            self.place.nodes,
            session::library(),
            self.arguments.common.repeat,
        )
    }

    fn claim(&self, line: &Line) -> Claim {
        Fft::claim(self, line)
    }

    fn counts(&self, line: &Line) -> Counts {
        Fft::counts(line)
    }

    fn open(&mut self, &(length, algorithm): &Self::Case) -> Result<Opened<Line>> {
        Ok(match self.line(algorithm, length)? {
            Ok(line) => Opened::Ready(line),
            Err(reason) => Opened::LeftOut(format!("{} left out: {reason}", algorithm.name())),
        })
    }

    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        lines.iter_mut().try_for_each(|line| self.prepare(line))
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(line, line.batch)
    }

    fn row(&mut self, line: &mut Line, seconds: Vec<f64>) -> Result<Run> {
        let run = Run::new(self.place.clone(), line.length, line.algorithm.name(), Timing::new(&seconds));
        Ok(Run {
            out_of_place: self.arguments.out_of_place,
            batch: line.batch,
            stages: self.stages(line)?,
            extra_bytes: self.extra_bytes(line)?,
            error: line.errors.map(|(largest, _)| largest),
            errors: line.errors.map(|(_, wrong)| wrong),
            ..run
        })
    }

    fn results(&self, rows: Vec<Run>, left_out: Vec<String>) -> Results {
        Results::new(rows, left_out)
    }

    fn write(&self, results: &Results) -> std::result::Result<(), Failure> {
        self.arguments.drawn.draw(results)
    }
}
