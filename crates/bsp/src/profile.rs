//! The profile of a program: the cost of each superstep.
//!
//! Idea: a process records when it enters and leaves the end of a superstep, how long it has waited for the
//! others there, and the bytes and messages that it sends and receives. At the end of the SPMD part the
//! maximum and the mean over all processes are computed for each superstep.
//!
//! The h-relation of a superstep is the maximum number of bytes that a process sends or receives in it. The
//! imbalance is the maximum computing time divided by the mean: further waiting is not caused by the
//! computation.
//!
//! Cost: three readings of the clock and 56 bytes per superstep; two reductions at the end.
//! Source: Valiant's cost model as in Krusche 2005, §2.2; the profile is our own.

use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::comm::reduction::Operation;

/// Supersteps with separate statistics; later supersteps are accumulated.
pub const MAX_SUPERSTEPS: usize = 1 << 16;

/// Figures of a superstep on one process, or combined.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Seconds from the end of the last superstep to the call that ends this one.
    pub compute: f64,
    /// Seconds in which the process has waited for others there.
    pub wait: f64,
    /// Seconds of the rest of that call.
    pub communicate: f64,
    /// Bytes that the process has put, sent, or answered.
    pub sent: f64,
    /// Bytes that have come to it.
    pub received: f64,
    /// Operations and messages that it has requested.
    pub operations: f64,
}

impl Figures {
    /// Number of values.
    const COUNT: usize = 6;

    fn values(self) -> [f64; Self::COUNT] {
        [self.compute, self.wait, self.communicate, self.sent, self.received, self.operations]
    }

    fn from_values([compute, wait, communicate, sent, received, operations]: [f64; Self::COUNT]) -> Self {
        Self { compute, wait, communicate, sent, received, operations }
    }
}

/// The records of a process.
#[derive(Debug)]
pub struct Profile {
    supersteps: Vec<Figures>,
    /// Of the superstep that runs.
    now: Figures,
    /// When it began.
    begin: f64,
}

/// A superstep over all processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Superstep {
    /// Means of all processes.
    pub mean: Figures,
    /// Largest values of all processes.
    pub max: Figures,
}

/// The profile of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of processes.
    pub processes: usize,
    /// In their order. The last one holds all from [`MAX_SUPERSTEPS`] on.
    pub supersteps: Vec<Superstep>,
}

impl Profile {
    /// From now on.
    pub fn new(now: f64) -> Self {
        Self { supersteps: Vec::new(), now: Figures::default(), begin: now }
    }

    /// Records what a process requests: bytes that it sends.
    pub fn asked(&mut self, bytes: usize) {
        self.now.operations += 1.0;
        self.now.sent += bytes as f64;
    }

    /// Records bytes that it sends for purposes other than requests of the program.
    pub fn answered(&mut self, bytes: usize) {
        self.now.sent += bytes as f64;
    }

    /// Notes bytes that come to it.
    pub fn received(&mut self, bytes: usize) {
        self.now.received += bytes as f64;
    }

    /// Notes seconds in which it has waited for others.
    pub fn waited(&mut self, seconds: f64) {
        self.now.wait += seconds;
    }

    /// Ends a superstep, at whose end the process has been since `entered`.
    pub fn end_superstep(&mut self, entered: f64, now: f64) {
        self.now.compute = entered - self.begin;
        self.now.communicate = (now - entered - self.now.wait).max(0.0);
        let figures = std::mem::take(&mut self.now);
        self.begin = now;
        if self.supersteps.len() < MAX_SUPERSTEPS {
            self.supersteps.push(figures);
        } else if let Some(last) = self.supersteps.last_mut() {
            let (one, other) = (last.values(), figures.values());
            *last = Figures::from_values(std::array::from_fn(|number| one[number] + other[number]));
        }
    }

    /// Collective: the profile of all processes, which have ended as many supersteps.
    ///
    /// # Errors
    /// Of MPI.
    pub fn summary<C: Comm>(&self, comm: &C) -> Result<Summary> {
        let own: Vec<f64> = self.supersteps.iter().flat_map(|figures| figures.values()).collect();
        let (mut sums, mut maxima) = (own.clone(), own);
        comm.all_reduce(&mut sums, Operation::Sum)?;
        comm.all_reduce(&mut maxima, Operation::Max)?;
        let processes = comm.size();
        let figures =
            |values: &[f64]| Figures::from_values(values.try_into().expect("the figures of a superstep"));
        let mean = |values: &[f64]| {
            let means: Vec<f64> = values.iter().map(|value| value / processes as f64).collect();
            figures(&means)
        };
        let rows = sums.chunks_exact(Figures::COUNT).zip(maxima.chunks_exact(Figures::COUNT));
        Ok(Summary {
            processes,
            supersteps: rows.map(|(sum, max)| Superstep { mean: mean(sum), max: figures(max) }).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    #[test]
    fn figures_of_all_processes_are_combined_by_superstep() {
        let all = threads::run(2, 2, |comm| {
            let own = comm.rank() as f64;
            let mut profile = Profile::new(10.0);
            profile.asked(100 * comm.rank());
            profile.received(8);
            profile.waited(0.5);
            profile.end_superstep(11.0 + own, 13.0);
            profile.answered(4);
            profile.end_superstep(14.0, 14.5);
            profile.summary(comm).expect("no error")
        });
        assert_eq!(all[0], all[1]);
        let Summary { processes, supersteps } = &all[0];
        assert_eq!((*processes, supersteps.len()), (2, 2));
        let Superstep { mean, max } = supersteps[0];
        let expected = |compute, communicate, sent| Figures {
            compute,
            wait: 0.5,
            communicate,
            sent,
            received: 8.0,
            operations: 1.0,
        };
        assert_eq!((mean, max), (expected(1.5, 1.0, 50.0), expected(2.0, 1.5, 100.0)));
        assert_eq!(
            (supersteps[1].max.compute, supersteps[1].max.communicate, supersteps[1].max.sent),
            (1.0, 0.5, 4.0)
        );
    }

    #[test]
    fn long_programs_have_a_bounded_profile() {
        let mut profile = Profile::new(0.0);
        for step in 0..MAX_SUPERSTEPS + 10 {
            profile.asked(1);
            profile.end_superstep(step as f64, step as f64);
        }
        assert_eq!(profile.supersteps.len(), MAX_SUPERSTEPS);
        assert_eq!(profile.supersteps[MAX_SUPERSTEPS - 1].sent, 11.0);
    }
}
