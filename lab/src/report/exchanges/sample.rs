//! Measured and simulated exchanges in one form.

use crate::report::shared::{distinct, machine_title};
use crate::report::sources::Inputs;
use hcube_results::alltoall::Run;
use hcube_results::measured;
use hcube_results::numbers;
use hcube_results::plot::Evidence::{self, Measured, Simulated};
use hcube_results::plot::{Look, Point, Series};

/// One exchange, measured or simulated.
#[derive(Debug, Clone)]
pub struct Sample {
    pub evidence: Evidence,
    /// The section of a simulation; empty if measured.
    pub section: String,
    /// Machine and MPI library, in words.
    pub place: String,
    pub ranks: usize,
    /// Data of each rank.
    pub bytes: usize,
    /// As in `hcube bench alltoall`.
    pub algorithm: String,
    /// As in `hcube bench alltoall`.
    pub path: String,
    /// Additional memory and its name; `None` for the library.
    pub memory: Option<(u64, String)>,
    /// Time of one exchange; the median if measured.
    pub seconds: f64,
    /// Smallest and largest time.
    pub range: Option<(f64, f64)>,
}

impl Sample {
    /// Bytes of additional memory; none for the library.
    pub fn additional(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.0)
    }

    fn measured(run: &Run) -> Self {
        let seconds = run.timing.point(0.0, |us| 1e-6 * us);
        Self {
            evidence: Measured,
            section: String::new(),
            place: format!("this machine, {}", run.place.mpi),
            ranks: run.place.ranks,
            bytes: run.bytes_per_rank,
            algorithm: run.algorithm.clone(),
            path: run.path.clone().unwrap_or_default(),
            memory: run.memory_name().map(|name| (run.memory.unwrap_or_default() as u64, name)),
            seconds: seconds.y,
            range: seconds.range.or(Some((seconds.y, seconds.y))),
        }
    }
}

/// All samples of several ranks.
pub fn samples(inputs: &Inputs) -> Vec<Sample> {
    let runs = inputs.alltoall.iter().flat_map(|results| &results.runs);
    // One rank exchanges nothing.
    let measured = runs.filter(|run| run.place.ranks > 1).map(Sample::measured);
    let exchanges = inputs.simulated.iter().flat_map(|simulated| &simulated.alltoall);
    let simulated = exchanges.filter(|exchange| exchange.site.ranks > 1).map(|exchange| Sample {
        evidence: Simulated,
        section: exchange.site.section.clone(),
        place: machine_title(inputs, &exchange.site.machine).to_owned(),
        ranks: exchange.site.ranks,
        bytes: exchange.bytes_per_rank as usize,
        algorithm: exchange.algorithm.clone(),
        path: exchange.path.clone().unwrap_or_default(),
        // Several amounts may hold all data.
        memory: exchange.memory.map(|bytes| (bytes, numbers::whole_bytes(bytes as usize))),
        seconds: exchange.seconds,
        range: None,
    });
    measured.chain(simulated).collect()
}

/// The simulated samples of a section, or those measured with hcube's default memory.
pub fn part<'a>(all: &'a [Sample], evidence: Evidence, section: &str) -> Vec<&'a Sample> {
    let usual = all.iter().find(|sample| sample.evidence == Measured && sample.algorithm == "auto");
    let usual = usual.and_then(|sample| sample.memory.as_ref());
    let chosen = |sample: &&Sample| match evidence {
        Measured => sample.memory.is_none() || sample.memory.as_ref() == usual,
        _ => sample.section == section,
    };
    all.iter().filter(|sample| sample.evidence == evidence).filter(chosen).collect()
}

/// A series of medians.
pub fn line(
    name: String,
    look: Look,
    samples: &[&Sample],
    x: impl Fn(&Sample) -> usize,
    y: impl Fn(&Sample, f64) -> f64,
) -> Option<Series> {
    let evidence = samples.first()?.evidence;
    let point = |place: usize| {
        let own: Vec<&&Sample> = samples.iter().filter(|sample| x(sample) == place).collect();
        let seconds = numbers::median(&own.iter().map(|sample| sample.seconds).collect::<Vec<_>>());
        let range = own[0].range.map(|(low, high)| (y(own[0], low), y(own[0], high)));
        // The range of one of several measurements is not the range of their median.
        Point { x: place as f64, y: y(own[0], seconds), range: range.filter(|_| own.len() == 1) }
    };
    let points = distinct(samples.iter().map(|sample| x(sample))).into_iter().map(point).collect();
    Some(Series { name, evidence, look, points })
}

/// Places of the samples, in the order of their first occurrence.
pub fn places<'a>(samples: &[&'a Sample]) -> Vec<&'a str> {
    measured::distinct(samples.iter().map(|sample| sample.place.as_str()))
}

/// The samples that match.
pub fn at<'a>(samples: &[&'a Sample], wanted: impl Fn(&Sample) -> bool) -> Vec<&'a Sample> {
    samples.iter().copied().filter(|sample| wanted(sample)).collect()
}

/// The size with the most numbers of ranks (the largest if several), and its samples.
pub fn main_size<'a>(samples: &[&'a Sample]) -> (usize, Vec<&'a Sample>) {
    let ranks =
        |bytes: usize| distinct(at(samples, |one| one.bytes == bytes).iter().map(|one| one.ranks)).len();
    let sizes = distinct(samples.iter().map(|sample| sample.bytes));
    let size = sizes.into_iter().max_by_key(|&bytes| (ranks(bytes), bytes)).unwrap_or_default();
    (size, at(samples, |sample| sample.bytes == size))
}
