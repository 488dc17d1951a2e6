//! The measurements: libraries, memory, and supersteps.

use super::arguments::Arguments;
use super::calls::{BspLibrary, MpiFunctions};
use super::functions::Functions;
use super::step::{Areas, Step, WORD};
use crate::bench::library::mpi_name;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::Origin;
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_core::comm::{Comm, agree};
use hcube_core::{Error, Result};
use hcube_results::bsp::{HCUBE, MPI};
use hcube_results::numbers;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// Who carries out the supersteps.
enum Calls {
    Library(BspLibrary),
    Mpi(MpiFunctions),
    /// Nobody: MPI has no window here.
    Missing,
}

/// What is compared.
pub struct Variant {
    pub name: String,
    /// Of the library; empty for MPI.
    pub file: String,
    calls: Calls,
    /// That its functions are those of the library.
    pub origin: Origin,
}

impl Variant {
    pub fn is_missing(&self) -> bool {
        matches!(self.calls, Calls::Missing)
    }

    fn run(&mut self, step: &Step, times: u32) {
        match &mut self.calls {
            Calls::Library(library) => library.run(step, times),
            Calls::Mpi(functions) => functions.run(step, times),
            Calls::Missing => {}
        }
    }
}

/// A variant of the superstep under way.
pub struct Line {
    pub step: Step,
    /// Its number.
    pub variant: usize,
    /// Supersteps that are timed together.
    pub batch: u32,
    /// Words that were wrong on all ranks; `None` where not verified.
    pub errors: Option<u64>,
}

/// The benchmark.
pub struct Bsp<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    pub steps: Vec<Step>,
    /// They end in this order.
    pub variants: Vec<Variant>,
    areas: Rc<Areas>,
    pub mpi: String,
    /// Ranks of each node, largest first.
    pub node_sizes: Vec<usize>,
}

/// The name of a library: that of its file without `lib` and what follows the first point.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    name.strip_prefix("lib").unwrap_or(name).to_owned()
}

impl<'a> Bsp<'a> {
    /// Collective: loads the libraries and begins their SPMD parts.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let steps = agree(comm, arguments.steps(comm.size()).map_err(Error::Unsupported))?;
        let mpi = session::library();
        let load = || {
            let mut all =
                vec![(HCUBE.to_owned(), Functions::of_hcube(arguments.bsp.as_ref(), mpi_name(&mpi))?)];
            for file in &arguments.library {
                let loaded = Functions::load("--library", std::slice::from_ref(file))?;
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
        Ok(Self { session, arguments, steps, variants, areas, mpi, node_sizes: session.node_sizes()? })
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

    /// Collective: seconds of one superstep from a batch.
    pub fn timed(&mut self, line: &Line, supersteps: u32) -> Result<f64> {
        let variant = &mut self.variants[line.variant];
        let (seconds, ()) = timing::timed(&self.session.comm, || {
            variant.run(&line.step, supersteps);
            Ok(())
        })?;
        Ok(seconds / f64::from(supersteps))
    }

    /// Collective: verifies a variant, and finds how many supersteps are to be timed together.
    pub fn prepare(&mut self, line: &mut Line) -> Result<()> {
        let comm = &self.session.comm;
        if !self.arguments.common.no_verify {
            line.step.fill(&self.areas, comm.rank());
            comm.barrier()?;
            self.variants[line.variant].run(&line.step, 1);
            comm.barrier()?;
            let wrong = line.step.wrong(&self.areas, comm.rank(), comm.size());
            line.errors = Some(comm.all_gather(&[wrong])?.iter().sum());
        }
        line.batch = timing::settled(|supersteps| self.timed(line, supersteps))?;
        Ok(())
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
