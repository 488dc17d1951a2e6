//! `hcube bench gemm`: distributed matrix multiplication by hcube and by ScaLAPACK.

mod arguments;
pub mod calls;
mod data;
mod matrices;
mod problem;

pub use arguments::Arguments;

use super::frame::{self, LineOf, Opened, System};
use super::job;
use super::lengths::{chosen, name};
use super::library::mpi_name;
use super::proof::{Claim, Counts};
use super::timing;
use crate::session::{self, Session};
use arguments::Variant;
use calls::Grid;
use calls::functions::Functions;
use hcube_core::comm::{Comm, agree};
use hcube_core::{Error, Result};
use hcube_results::gemm::Run;
use hcube_results::measured::{Place, Timing};
use matrices::Matrices;
use problem::{Problem, Routine};
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    drawn.run::<Run>(&common.json, || {
        session::run(|session| drawn.start(session, common, || Gemm::new(session, arguments)))
    })
}

/// Variables with which users set the threads of a BLAS.
const THREAD_VARIABLES: [&str; 4] =
    ["OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"];

/// Operations that take as long as a batch of small products with its verification.
const SMALL_FLOPS: f64 = 1e9;

/// The benchmark.
struct Gemm<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    grid: Grid,
    problems: Vec<Problem>,
    place: Place,
    threads: Option<usize>,
    /// Ranks of each node, largest first.
    node_sizes: Vec<usize>,
    /// Whether the width of ScaLAPACK's panels can be replaced, which also shows what ScaLAPACK computes.
    replaceable: bool,
    /// The matrices of the problem whose lines are open, and the number of this problem.
    matrices: Option<(usize, Matrices)>,
}

impl<'a> Gemm<'a> {
    /// Collective: loads the libraries and makes the grid.
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let problems = agree(comm, arguments.problems().map_err(Error::Unsupported))?;
        let sides = agree(comm, arguments.grid(comm.size()).map_err(Error::Unsupported))?;
        let place = job::place(session, 0)?;
        let functions = agree(comm, Functions::load(arguments, mpi_name(&place.mpi)))?;
        let grid = Grid::new(functions, arguments, sides);
        let chosen = THREAD_VARIABLES.iter().any(|name| std::env::var_os(name).is_some());
        let usual = (comm.size() > 1 && !chosen).then_some(1);
        let threads = grid.threads(arguments.threads.map(usize::from).or(usual));
        let node_sizes = session.node_sizes()?;
        let mut made = Self {
            session,
            arguments,
            grid,
            problems,
            place,
            threads,
            node_sizes,
            replaceable: false,
            matrices: None,
        };
        made.replaceable = made.asks_for_panels()?;
        Ok(made)
    }

    /// Collective: whether ScaLAPACK calls the function for the width of its panels that this program
    /// defines.
    fn asks_for_panels(&self) -> Result<bool> {
        let problem = Problem { size: [16; 3], blocks: [4; 3], ..self.problems[0] };
        let problem = Problem { routine: Routine::Gemm, ..problem };
        let mut small = self.memory(problem)?;
        small.fill(&self.grid);
        self.grid.select(Variant::Scalapack);
        let before = self.grid.scalapack_counts();
        small.call(&self.grid)?;
        let [_, panels] = self.counted_since(before)?;
        Ok(panels > 0)
    }

    /// Collective: products that ScaLAPACK's functions were called for and panels that it has asked for,
    /// since then.
    fn counted_since(&self, before: [u64; 2]) -> Result<[u64; 2]> {
        let now = self.grid.scalapack_counts();
        Ok([self.sum(now[0] - before[0])?, self.sum(now[1] - before[1])?])
    }

    /// Collective.
    fn sum(&self, number: u64) -> Result<u64> {
        timing::sum(&self.session.comm, number)
    }

    /// Collective: memory for the matrices of a problem.
    fn memory(&self, problem: Problem) -> Result<Matrices> {
        let bound = chosen(&self.arguments.variants).contains(&Variant::Bound);
        Matrices::new(&self.session.comm, self.grid.place, bound, problem)
    }

    fn matrices(&mut self) -> (&Grid, &mut Matrices) {
        let (_, matrices) = self.matrices.as_mut().expect("the problem of the lines that are open");
        (&self.grid, matrices)
    }

    /// Collective: a call of a variant from the beginning, and the products and panels that were counted in
    /// it.
    fn once(&mut self, variant: Variant) -> Result<[u64; 2]> {
        let (grid, matrices) = self.matrices();
        matrices.restore();
        grid.select(variant);
        let before = grid.scalapack_counts();
        let done = matrices.call(grid);
        agree(&self.session.comm, done)?;
        self.counted_since(before)
    }
}

impl System for Gemm<'_> {
    const NAME: &'static str = "gemm";
    /// The number of a problem, and a variant.
    type Case = (usize, Variant);
    type Work = ();
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let variants = chosen(&self.arguments.variants);
        let cases = |number| variants.iter().map(|&variant| (number, variant)).collect();
        (0..self.problems.len()).map(cases).collect()
    }

    fn name(&self, &(number, variant): &Self::Case) -> String {
        let problem = self.problems[number].described(Place::default(), self.grid.place.sides);
        format!("{}, {}", problem.name(), name(variant))
    }

    fn about(&self) -> String {
        let [rows, columns] = self.grid.place.sides;
        let threads = match self.threads {
            Some(1) => "1 thread of the BLAS in each rank".to_owned(),
            Some(threads) => format!("{threads} threads of the BLAS in each rank"),
            None => "threads of the BLAS as it chooses".to_owned(),
        };
        let (shape, file) = (session::shape(&self.node_sizes), self.grid.file());
        format!("{shape}\ngrid {rows}x{columns}, {threads}, {file}; ")
    }

    fn weight(&self, &(number, _): &Self::Case) -> f64 {
        SMALL_FLOPS + self.problems[number].flops()
    }

    /// Makes the matrices of its problem, which replace the matrices of the previous one.
    fn open(&mut self, &(number, variant): &Self::Case) -> Result<Opened<()>> {
        if variant == Variant::Bound && self.problems[number].routine != Routine::Gemm {
            return Ok(Err("local-bound left out: only products have it".to_owned()));
        }
        if variant == Variant::Raised && !self.replaceable {
            let reason = format!("{} does not call the pilaenv_ of programs", self.grid.file());
            return Ok(Err(format!("scalapack-raised left out: {reason}")));
        }
        if self.matrices.as_ref().is_none_or(|matrices| matrices.0 != number) {
            self.matrices = None;
            let mut matrices = self.memory(self.problems[number])?;
            matrices.fill(&self.grid);
            self.matrices = Some((number, matrices));
        }
        Ok(Ok(()))
    }

    /// Until it is known what the products of the problem count.
    fn claim(&self, &(_, variant): &Self::Case, (): &()) -> Result<Claim> {
        Ok(self.grid.claim(variant, [1, 1]))
    }

    fn counts(&self, (): &()) -> Counts {
        self.grid.counts()
    }

    /// Compares with ScaLAPACK.
    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        if line.case.1 == Variant::Bound {
            return Ok(None);
        }
        self.once(line.case.1)?;
        let wrong = self.matrices().1.wrong();
        self.sum(wrong).map(Some)
    }

    /// Verifies each variant, where the call of ScaLAPACK also shows what the products of this problem count.
    fn warm_up(&mut self, comm: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let counted = self.once(Variant::Scalapack)?;
        self.matrices().1.keep();
        for line in &mut *lines {
            line.claim = self.grid.claim(line.case.1, counted);
            line.errors = if verify { self.verify(line)? } else { None };
        }
        frame::settle_together(self, comm, lines, timing::TRIAL_SECONDS)?;
        // A call may follow another one without new matrices only if it is a product.
        if self.matrices().1.problem.routine != Routine::Gemm {
            lines.iter_mut().for_each(|line| line.batch = 1);
        }
        Ok(())
    }

    fn restore(&mut self, line: &mut LineOf<Self>) {
        let (grid, matrices) = self.matrices();
        // A factorisation replaces the matrix; products may go on from what the last one has left.
        if matrices.problem.routine == Routine::Getrf {
            matrices.restore();
        }
        grid.select(line.case.1);
    }

    fn call(&mut self, line: &mut LineOf<Self>, calls: u32) -> Result<()> {
        let (grid, matrices) = self.matrices();
        for _ in 0..calls {
            match line.case.1 {
                Variant::Bound => matrices.call_locally(grid),
                _ => matrices.call(grid)?,
            }
        }
        Ok(())
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let (number, variant) = line.case;
        let problem = self.problems[number];
        let described = problem.described(self.place.clone(), self.grid.place.sides);
        let measured_ms = timing.measured_us.iter().map(|us| 1e-3 * us).collect();
        Ok(Run {
            threads: self.threads,
            scalapack: self.grid.file().to_owned(),
            panel: (variant == Variant::Raised).then_some(self.arguments.panel.into()),
            batch: line.batch,
            usage: timing.usage,
            errors: line.errors,
            ..Run::new(described, &name(variant), measured_ms, problem.flops())
        })
    }
}
