//! `hcube bench stream`: the kernels of STREAM, by hcube and by loops that a C compiler translates.

mod arguments;
mod calls;

pub use arguments::Arguments;

use super::frame::{LineOf, Opened, System};
use super::job;
use super::lengths::{chosen, name};
use super::memory::{self, Wanted};
use super::proof::{Claim, Counts};
use super::timing;
use crate::session::{self, Session};
use arguments::{ELEMENT, Variant};
use calls::Plain;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::measured::{Place, Timing};
use hcube_results::numbers::whole_bytes;
use hcube_results::stream::{Run, Subject};
use hcube_stream::Stream;
use hcube_stream::kernels::Stores;
use hcube_stream::select::Kernel;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    drawn.run::<Run>(&common.json, || {
        session::run(|session| drawn.start(session, common, || StreamBench::new(session, arguments)))
    })
}

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
struct Case {
    kernel: Kernel,
    bytes: usize,
    /// Ranks that run it.
    running: usize,
    variant: Variant,
}

/// The vectors of the present size.
struct Vectors {
    bytes: usize,
    stream: Stream,
    plain: Plain,
}

/// The benchmark.
struct StreamBench<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    vectors: Option<Vectors>,
    place: Place,
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
    fn claim(self) -> Result<Claim> {
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
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let longest = arguments.sizes.iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "six vectors", option: "--sizes", value: whole_bytes(longest) };
        // Only the check: the vectors of each size are allocated when it is their turn.
        drop(memory::reserve(&session.comm, &wanted, (VECTORS * (longest / ELEMENT)) as u64)?);
        Ok(Self { session, arguments, vectors: None, place: job::place(session, 0)? })
    }

    fn subject(&self, case: &Case) -> Subject {
        let kernel = case.kernel.name().to_owned();
        Subject { place: self.place.clone(), kernel, bytes: case.bytes, running: case.running }
    }

    fn vectors(&mut self) -> &mut Vectors {
        self.vectors.as_mut().expect("prepared when the case was opened")
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

    fn elements(&mut self, variant: Variant) -> [&mut [f64]; 3] {
        let Vectors { stream, plain, .. } = self.vectors();
        match variant {
            Variant::PlainC | Variant::Memcpy => plain.all(),
            _ => stream.vectors().all(),
        }
    }
}

impl System for StreamBench<'_> {
    const NAME: &'static str = "stream";
    type Case = Case;
    type Work = ();
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Case>> {
        let cases = |&bytes: &usize| {
            let mut cases = Vec::new();
            for running in self.arguments.running(self.place.ranks) {
                for kernel in self.arguments.kernels() {
                    let variants = chosen(&self.arguments.variants).into_iter().filter(|one| one.has(kernel));
                    cases.extend(variants.map(|variant| Case { kernel, bytes, running, variant }));
                }
            }
            cases
        };
        self.arguments.sizes.iter().map(cases).collect()
    }

    fn name(&self, case: &Case) -> String {
        let (bytes, variant) = (whole_bytes(case.bytes), name(case.variant));
        format!("{} of {bytes} on {}, {variant}", case.kernel.name(), self.subject(case).who())
    }

    fn about(&self) -> String {
        job::shape(&self.place) + "\n"
    }

    /// Vectors of this size, and the trial of hcube, on all ranks at the same time.
    fn open(&mut self, case: &Case) -> Result<Opened<()>> {
        let (comm, bytes) = (&self.session.comm, case.bytes);
        if self.vectors.as_ref().is_none_or(|vectors| vectors.bytes != bytes) {
            self.vectors = None;
            let plain = agree(comm, Plain::new(bytes / ELEMENT))?;
            comm.barrier()?;
            let stream = agree(comm, Stream::new(bytes / ELEMENT))?;
            self.vectors = Some(Vectors { bytes, stream, plain });
        }
        Ok(Ok(()))
    }

    fn claim(&self, case: &Case, (): &()) -> Result<Claim> {
        case.variant.claim()
    }

    fn counts(&self, (): &()) -> Counts {
        let of_hcube =
            |count: fn(&Stream) -> u64| self.vectors.as_ref().map_or(0, |vectors| count(&vectors.stream));
        vec![
            (HCUBE, of_hcube(Stream::runs)),
            (ORDINARY, of_hcube(|stream| stream.runs_with(Stores::Ordinary))),
            (STREAMING, of_hcube(|stream| stream.runs_with(Stores::Streaming))),
            (PLAIN, Plain::runs()),
        ]
    }

    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let case = line.case;
        let mut own = 0;
        if self.is_running(&case) {
            for (number, vector) in self.elements(case.variant).into_iter().enumerate() {
                vector.iter_mut().enumerate().for_each(|(place, element)| *element = initial(number, place));
            }
            self.run(&case, 1);
            own = wrong(self.elements(case.variant), case.kernel);
        }
        timing::sum(&self.session.comm, own).map(Some)
    }

    fn call(&mut self, line: &mut LineOf<Self>, times: u32) -> Result<()> {
        if self.is_running(&line.case) {
            self.run(&line.case, times);
        }
        Ok(())
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let case = line.case;
        // Those that hcube has selected on this rank.
        let stores =
            (case.variant == Variant::Hcube).then(|| self.vectors().stream.stores(case.kernel).name());
        let run = Run::new(self.subject(&case), name(case.variant), timing);
        Ok(Run { batch: line.batch, errors: line.errors, stores: stores.map(str::to_owned), ..run })
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
