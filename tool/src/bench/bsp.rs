//! `hcube bench bsp`: supersteps of BSPlib by hcube, by other libraries, and by functions of MPI.

mod arguments;
pub mod calls;
mod step;

pub use arguments::Arguments;
pub use step::{Areas, WORD};

use super::frame::{LineOf, Opened, System};
use super::job;
use super::library::mpi_name;
use super::memory::{self, Wanted};
use super::proof::{Claim, Counts, Origin};
use super::timing;
use crate::session::{self, Session};
use calls::functions::Functions;
use calls::{BspLibrary, MpiFunctions};
use hcube_core::comm::{Comm, agree};
use hcube_core::{Error, Result};
use hcube_results::bsp::{HCUBE, MPI, Run};
use hcube_results::measured::{Place, Timing};
use hcube_results::numbers;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use step::Step;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    drawn.run::<Run>(&common.json, || {
        session::run(|session| drawn.start(session, common, || Bsp::new(session, arguments)))
    })
}

/// Who carries out the supersteps.
enum Calls {
    Library(BspLibrary),
    Mpi(MpiFunctions),
    /// Nobody: MPI has no window here.
    Missing,
}

/// What is compared.
struct Variant {
    name: String,
    /// Of the library; empty for MPI.
    file: String,
    calls: Calls,
    /// That its functions are in the library.
    origin: Origin,
}

impl Variant {
    fn run(&mut self, step: &Step, times: u32) {
        match &mut self.calls {
            Calls::Library(library) => library.run(step, times),
            Calls::Mpi(functions) => functions.run(step, times),
            Calls::Missing => {}
        }
    }
}

/// The benchmark.
struct Bsp<'a> {
    session: &'a Session,
    steps: Vec<Step>,
    /// They end in this order.
    variants: Vec<Variant>,
    areas: Rc<Areas>,
    place: Place,
    /// Ranks of each node, largest first.
    node_sizes: Vec<usize>,
}

/// The name of a library: the name of its file without `lib` and what follows the first point.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    name.strip_prefix("lib").unwrap_or(name).to_owned()
}

impl<'a> Bsp<'a> {
    /// Collective: loads the libraries and begins their SPMD parts.
    fn new(session: &'a Session, arguments: &Arguments) -> Result<Self> {
        let comm = &session.comm;
        let steps = agree(comm, arguments.steps(comm.size()).map_err(Error::Unsupported))?;
        let mpi = session::library();
        let load = || {
            let mut all =
                vec![(HCUBE.to_owned(), Functions::of_hcube(arguments.bsp.as_deref(), mpi_name(&mpi))?)];
            for file in &arguments.library {
                let loaded = Functions::of_file(file)?;
                if all.iter().any(|(_, (_, other, _))| *other == loaded.1) {
                    let expected = "a library that is not measured otherwise";
                    return Err(Error::argument("--library", file.display(), expected));
                }
                all.push((name_of(file), loaded));
            }
            Ok(all)
        };
        let libraries = agree(comm, load())?;
        let areas = Rc::new(Self::areas(session, &steps)?);
        let mut variants = Vec::new();
        for (name, (functions, file, origin)) in libraries {
            let begun = BspLibrary::begin(functions, Rc::clone(&areas));
            let Some(library) = begun else {
                return Err(Error::argument(
                    "--library",
                    file,
                    "a library that runs on all ranks of the job",
                ));
            };
            variants.push(Variant { name, file, calls: Calls::Library(library), origin });
        }
        if !arguments.no_mpi {
            let most = steps.iter().map(|step| step.messages).max().unwrap_or(0);
            let made = MpiFunctions::new(Rc::clone(&areas), most);
            let everywhere = !comm.all_gather(&[u64::from(made.is_none())])?.contains(&1);
            let calls = made.filter(|_| everywhere).map_or(Calls::Missing, Calls::Mpi);
            // After hcube in tables, and before libraries whose end may be that of MPI.
            let origin = agree(comm, MpiFunctions::origin())?;
            variants.insert(1, Variant { name: MPI.to_owned(), file: String::new(), calls, origin });
        }
        let (place, node_sizes) = (job::place(session, 0)?, session.node_sizes()?);
        Ok(Self { session, steps, variants, areas, place, node_sizes })
    }

    /// Collective: memory for the largest superstep.
    fn areas(session: &Session, steps: &[Step]) -> Result<Areas> {
        let largest = steps.iter().map(Step::words).max().unwrap_or(0).max(1);
        let value = numbers::whole_bytes(largest * WORD);
        let wanted = Wanted { what: "areas of memory", option: "--max-bytes", value };
        let area = || -> Result<Box<[AtomicU64]>> {
            let mut words = memory::reserve(&session.comm, &wanted, largest as u64)?;
            words.resize(largest, 0);
            Ok(words.into_iter().map(AtomicU64::new).collect())
        };
        Ok(Areas { own: area()?, shared: area()? })
    }
}

impl System for Bsp<'_> {
    const NAME: &'static str = "bsp";
    /// A superstep and the number of a variant.
    type Case = (Step, usize);
    type Work = ();
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let cases = |&step: &Step| (0..self.variants.len()).map(|variant| (step, variant)).collect();
        self.steps.iter().map(cases).collect()
    }

    fn name(&self, &(step, variant): &Self::Case) -> String {
        format!("{}, {}", step.described(Place::default()).name(), self.variants[variant].name)
    }

    fn about(&self) -> String {
        let files = self.variants.iter().map(|one| one.file.as_str()).filter(|file| !file.is_empty());
        let files: Vec<&str> = files.collect();
        format!("{}\n{}; ", session::shape(&self.node_sizes), files.join(", "))
    }

    fn open(&mut self, &(_, variant): &Self::Case) -> Result<Opened<()>> {
        Ok(match self.variants[variant].calls {
            Calls::Missing => Err("mpi left out: MPI_Win_create fails here".to_owned()),
            _ => Ok(()),
        })
    }

    fn claim(&self, &(_, variant): &Self::Case, (): &()) -> Result<Claim> {
        Ok(Claim::of(&self.variants[variant].origin))
    }

    /// None: a library of BSPlib has one implementation, and does not count its calls.
    fn counts(&self, (): &()) -> Counts {
        Counts::new()
    }

    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let (comm, (step, variant)) = (&self.session.comm, line.case);
        step.fill(&self.areas, comm.rank());
        comm.barrier()?;
        self.variants[variant].run(&step, 1);
        comm.barrier()?;
        timing::sum(comm, step.wrong(&self.areas, comm.rank(), comm.size())).map(Some)
    }

    fn call(&mut self, line: &mut LineOf<Self>, supersteps: u32) -> Result<()> {
        let (step, variant) = line.case;
        self.variants[variant].run(&step, supersteps);
        Ok(())
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let (step, variant) = line.case;
        let described = step.described(self.place.clone());
        let variant = &self.variants[variant];
        Ok(Run {
            library: variant.file.clone(),
            batch: line.batch,
            errors: line.errors,
            ..Run::new(described, &variant.name, timing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_named_by_their_files() {
        assert_eq!(name_of(Path::new("/opt/x/libbsponmpi.so.1.1")), "bsponmpi");
        assert_eq!(name_of(Path::new("other.so")), "other");
    }
}
