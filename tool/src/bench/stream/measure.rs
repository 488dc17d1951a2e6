//! The measurements: vectors, and kernels on them.

use super::arguments::{Arguments, ELEMENT, Variant};
use super::plain::Plain;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::measured::Place;
use hcube_results::numbers;
use hcube_results::stream::Subject;
use hcube_stream::Stream;
use hcube_stream::kernels::Stores;
use hcube_stream::select::Kernel;

/// What has run, by its counter.
const HCUBE: &str = "hcube's selection";
const ORDINARY: &str = "ordinary stores";
const STREAMING: &str = "streaming stores";
const PLAIN: &str = "loops in C";

/// The factor of scale and triad; with it and small numbers all results are exact.
const SCALAR: f64 = 3.0;
/// Vectors of hcube, and of the plain loops.
const VECTORS: usize = 6;

/// A variant of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub kernel: Kernel,
    pub bytes: usize,
    /// Ranks that run it.
    pub running: usize,
    pub variant: Variant,
}

/// A case under way.
pub struct Line {
    pub case: Case,
    /// What has to run.
    pub claim: Claim,
    /// Runs that are timed together.
    pub batch: u32,
    /// Wrong elements on all ranks; `None` where not verified.
    pub errors: Option<u64>,
}

/// The vectors of the present size.
struct Vectors {
    bytes: usize,
    stream: Stream,
    plain: Plain,
}

/// The benchmark.
pub struct StreamBench<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    vectors: Option<Vectors>,
    pub place: Place,
}

/// What elements are after a kernel, from what they were.
fn wrong([a, b, c]: [&mut [f64]; 3], kernel: Kernel) -> u64 {
    let is_wrong = |&place: &usize| match kernel {
        Kernel::Copy => c[place] != initial(0, place),
        Kernel::Scale => b[place] != SCALAR * initial(2, place),
        Kernel::Add => c[place] != initial(0, place) + initial(1, place),
        Kernel::Triad => a[place] != initial(1, place) + SCALAR * initial(2, place),
    };
    (0..a.len()).filter(is_wrong).count() as u64
}

/// An element of a vector before the kernel.
fn initial(vector: usize, place: usize) -> f64 {
    (1 + (place + 3 * vector) % 101) as f64
}

impl Variant {
    /// What has to run.
    ///
    /// # Errors
    /// Where the C library's memcpy was replaced; ranks may differ.
    pub fn claim(self) -> Result<Claim> {
        Ok(match self {
            Self::Hcube => Claim::counted(HCUBE).with(&[ORDINARY, STREAMING]),
            Self::Ordinary => Claim::counted(ORDINARY),
            Self::Streaming => Claim::counted(STREAMING),
            Self::PlainC => Claim::counted(PLAIN),
            Self::Memcpy => Claim::of(&Plain::memcpy_origin()?),
        })
    }
}

impl<'a> StreamBench<'a> {
    /// Collective: checks that nodes have memory for the longest vectors.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let longest = arguments.sizes.iter().copied().max().unwrap_or(0);
        let value = numbers::whole_bytes(longest);
        let wanted = Wanted { what: "six vectors", option: "--sizes", value };
        // Only the check: the vectors of each size are allocated when it is their turn.
        drop(memory::reserve(comm, &wanted, (VECTORS * (longest / ELEMENT)) as u64)?);
        let place = Place {
            mpi: session::library(),
            ranks: comm.size(),
            ranks_per_node: 0,
            nodes: session.node_sizes()?.len(),
            cores: hcube_core::node::processor::cores(),
        };
        Ok(Self { session, arguments, vectors: None, place })
    }

    /// Collective: what all ranks have, or the error of one.
    pub fn agree<T>(&self, local: Result<T>) -> Result<T> {
        agree(&self.session.comm, local)
    }

    /// All cases of a size.
    pub fn cases(&self, bytes: usize) -> Vec<Case> {
        let mut cases = Vec::new();
        for running in self.arguments.running(self.place.ranks) {
            for kernel in self.arguments.kernels() {
                let variants = self.arguments.variants().into_iter().filter(|one| one.has(kernel));
                cases.extend(variants.map(|variant| Case { kernel, bytes, running, variant }));
            }
        }
        cases
    }

    pub fn subject(&self, case: &Case) -> Subject {
        let kernel = case.kernel.name().to_owned();
        Subject { place: self.place.clone(), kernel, bytes: case.bytes, running: case.running }
    }

    /// Collective: vectors of this size, and the trial of hcube, on all ranks at the same time.
    pub fn prepare_vectors(&mut self, bytes: usize) -> Result<()> {
        if self.vectors.as_ref().is_some_and(|vectors| vectors.bytes == bytes) {
            return Ok(());
        }
        let comm = &self.session.comm;
        self.vectors = None;
        let plain = agree(comm, Plain::new(bytes / ELEMENT))?;
        comm.barrier()?;
        let stream = agree(comm, Stream::new(bytes / ELEMENT))?;
        self.vectors = Some(Vectors { bytes, stream, plain });
        Ok(())
    }

    fn vectors(&mut self) -> &mut Vectors {
        self.vectors.as_mut().expect("prepared when the case was opened")
    }

    /// Stores that hcube has selected on this rank.
    pub fn stores(&mut self, case: &Case) -> Option<&'static str> {
        let stream = &self.vectors().stream;
        (case.variant == Variant::Hcube).then(|| stream.stores(case.kernel).name())
    }

    /// What has run on the present vectors.
    pub fn counts(&self) -> Counts {
        let of_hcube =
            |count: fn(&Stream) -> u64| self.vectors.as_ref().map_or(0, |vectors| count(&vectors.stream));
        vec![
            (HCUBE, of_hcube(Stream::runs)),
            (ORDINARY, of_hcube(|stream| stream.runs_with(Stores::Ordinary))),
            (STREAMING, of_hcube(|stream| stream.runs_with(Stores::Streaming))),
            (PLAIN, Plain::runs()),
        ]
    }

    fn is_running(&self, case: &Case) -> bool {
        self.session.comm.rank() < case.running
    }

    /// Runs the kernel on this rank.
    fn run(&mut self, case: &Case, times: u32) {
        let Vectors { stream, plain, .. } = self.vectors();
        for _ in 0..times {
            match case.variant {
                Variant::Hcube => stream.run(case.kernel, SCALAR),
                Variant::Ordinary => case.kernel.run(Stores::Ordinary, stream.vectors(), SCALAR),
                Variant::Streaming => case.kernel.run(Stores::Streaming, stream.vectors(), SCALAR),
                Variant::PlainC => plain.run(case.kernel, SCALAR),
                Variant::Memcpy => plain.memcpy(),
            }
        }
    }

    /// Collective: seconds of a kernel from a batch.
    pub fn timed(&mut self, case: &Case, times: u32) -> Result<f64> {
        let session = self.session;
        let running = self.is_running(case);
        let (seconds, ()) = timing::timed(&session.comm, || {
            if running {
                self.run(case, times);
            }
            Ok(())
        })?;
        Ok(seconds / f64::from(times))
    }

    /// Collective: verifies a line, and finds how many runs are to be timed together.
    pub fn prepare(&mut self, line: &mut Line) -> Result<()> {
        let case = line.case;
        if !self.arguments.common.no_verify {
            let own = if self.is_running(&case) { self.verify(&case) } else { 0 };
            line.errors = Some(self.session.comm.all_gather(&[own])?.iter().sum());
        }
        line.batch = timing::settled(|times| self.timed(&case, times))?;
        Ok(())
    }

    fn elements(&mut self, variant: Variant) -> [&mut [f64]; 3] {
        let Vectors { stream, plain, .. } = self.vectors();
        match variant {
            Variant::PlainC | Variant::Memcpy => plain.all(),
            _ => stream.vectors().all(),
        }
    }

    /// Wrong elements of this rank after the kernel.
    fn verify(&mut self, case: &Case) -> u64 {
        for (number, vector) in self.elements(case.variant).into_iter().enumerate() {
            for (place, element) in vector.iter_mut().enumerate() {
                *element = initial(number, place);
            }
        }
        self.run(case, 1);
        wrong(self.elements(case.variant), case.kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_loops_compute_the_kernels() {
        for kernel in Kernel::ALL {
            let mut plain = Plain::new(1000).expect("memory");
            for (number, vector) in plain.all().into_iter().enumerate() {
                vector.iter_mut().enumerate().for_each(|(place, element)| *element = initial(number, place));
            }
            assert!(wrong(plain.all(), kernel) > 900, "{kernel:?} has not run yet");
            plain.run(kernel, SCALAR);
            assert_eq!(wrong(plain.all(), kernel), 0, "{kernel:?}");
        }
    }
}
