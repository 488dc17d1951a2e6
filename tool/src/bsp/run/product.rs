//! Products of matrices, by hcube on BSP and by ScaLAPACK.
//!
//! The elements are small integers, so that sums are exact. Verification computes some elements of each block
//! again.

use super::arguments::Arguments;
use super::elements::elements;
use super::measured::Measured;
use super::scalapack::{self, ScaLapack};
use crate::bench::footprint::added_by;
use crate::bench::memory::{self, Wanted};
use crate::bench::timing::timed;
use crate::bsp::calls::blas::{Blas, Local};
use crate::bsp::program::Case;
use crate::session::Session;
use hcube_bsp::Spmd;
use hcube_core::comm::{Comm, agree};
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};
use hcube_core::mpi::MpiComm;
use hcube_core::{Error, Result};
use hcube_matmul::distribution::Piece;
use hcube_matmul::{
    Block, Distribution, Functions, Layout, Matrices, Problem, Sizes, multiply, temporary_bytes,
};
use hcube_results::bsp::prediction::Beside;

/// Elements of each piece that are verified.
const VERIFIED: usize = 16;

/// Memory that lasts until the process ends: the memory of the largest case so far is reused.
#[derive(Default)]
struct Arena(Option<Region<'static>>);

impl Arena {
    /// The given number of bytes.
    fn take(&mut self, bytes: usize) -> Result<Region<'static>> {
        if let Some(memory) = self.0.filter(|memory| memory.len() >= bytes) {
            return Ok(memory.part(0..bytes));
        }
        let mut words: Vec<u64> = Vec::new();
        let wanted = bytes.div_ceil(size_of::<u64>());
        words
            .try_reserve_exact(wanted)
            .map_err(|_| Error::Memory(format!("no memory for {bytes} bytes of matrices")))?;
        words.resize(wanted, 0);
        let memory = Region::of(bytes_of_mut(Box::leak(words.into_boxed_slice())));
        self.0 = Some(memory);
        Ok(memory.part(0..bytes))
    }
}

/// The program with its matrices.
pub struct Product<'a> {
    comm: &'a MpiComm,
    blas: Option<Blas>,
    distribution: Distribution,
    scalapack: Option<ScaLapack>,
    case: Option<Case>,
    matrices: [Region<'static>; 3],
    /// Blocks in this memory that fill their columns.
    blocks: [Block; 3],
    arenas: [Arena; 4],
}

/// A piece of a matrix in the memory of a process, and the place of its first element in the matrix.
struct Placed {
    piece: Piece,
    row: usize,
    column: usize,
}

impl<'a> Product<'a> {
    /// Collective: loads the BLAS and ScaLAPACK.
    pub fn new(session: &'a Session, arguments: &Arguments) -> Result<Self> {
        let comm = &session.comm;
        let load = match &arguments.blas {
            Some(file) => Blas::load(Some(file)).map(Some),
            None => Ok(Blas::load(None).ok()),
        };
        let blas = agree(comm, load)?;
        let scalapack = match &arguments.scalapack {
            Some(file) => Some(ScaLapack::begin(comm, file)?),
            None => None,
        };
        Ok(Self {
            comm,
            blas,
            distribution: arguments.program.distribution(),
            scalapack,
            case: None,
            matrices: [Region::of(&mut []); 3],
            blocks: [Block { memory: Region::of(&mut []), leading: 0 }; 3],
            arenas: Default::default(),
        })
    }

    fn case(&self) -> &Case {
        self.case.as_ref().expect("prepared")
    }

    fn problem(&self) -> Problem {
        let case = self.case();
        Problem { n: case.size, blocks: case.parameter, distribution: self.distribution }
    }

    /// What this process has of each matrix.
    fn placed(&self) -> Result<Vec<Placed>> {
        let layout = Layout::new(&self.problem(), self.comm.size())?;
        let blocks = 0..layout.blocks();
        let mut all = Vec::new();
        for (row, column) in blocks.clone().flat_map(|row| blocks.clone().map(move |column| (row, column))) {
            let block = layout.block(row, column);
            let own =
                layout.pieces(row, column).into_iter().filter(|piece| piece.process == self.comm.rank());
            all.extend(own.map(|piece| Placed {
                row: block.rows.start + piece.row,
                column: block.columns.start + piece.column,
                piece,
            }));
        }
        Ok(all)
    }

    /// Fills A and B.
    fn fill(&self) -> Result<()> {
        for Placed { piece, row, column } in self.placed()? {
            let mut values = vec![0_u64; piece.rows];
            for number in 0..piece.columns {
                let place = 8 * (piece.offset + number * piece.leading);
                for (matrix, memory) in self.matrices[..2].iter().enumerate() {
                    for (next, value) in values.iter_mut().enumerate() {
                        *value = elements(row + next, column + number)[matrix].to_bits();
                    }
                    memory.part(place..place + 8 * piece.rows).write(bytes_of::<u64>(&values));
                }
            }
        }
        Ok(())
    }

    /// Elements of C on this process that are wrong, of those that are verified.
    fn wrong(&self) -> Result<u64> {
        let n = self.case().size;
        let mut wrong = 0;
        for Placed { piece, row, column } in self.placed()? {
            for number in 0..VERIFIED {
                // Steps that are no divisors of usual sizes; the first is the first element and the last the
                // last one.
                let last = number + 1 == VERIFIED;
                let at = |step: usize, count: usize| if last { count - 1 } else { number * step % count };
                let (next_row, next_column) = (at(37, piece.rows), at(53, piece.columns));
                let mut found = [0_u64];
                let place = 8 * (piece.offset + next_column * piece.leading + next_row);
                self.matrices[2].part(place..place + 8).read(bytes_of_mut(&mut found));
                let (row, column) = (row + next_row, column + next_column);
                let expected: f64 =
                    (0..n).map(|inner| elements(row, inner)[0] * elements(inner, column)[1]).sum();
                wrong += u64::from(f64::from_bits(found[0]) != expected);
            }
        }
        Ok(wrong)
    }
}

impl Measured for Product<'_> {
    fn prepare(&mut self, case: &Case) -> Result<()> {
        self.case = Some(*case);
        let comm = self.comm;
        let layout = agree(comm, Layout::new(&self.problem(), comm.size()))?;
        let (own, block) = (8 * layout.local_elements(comm.rank()), 8 * layout.side() * layout.side());
        let competitor = self.scalapack.as_ref().map_or(0, |scalapack| scalapack.bytes(case.size));
        let bytes = 3 * own.max(block) + temporary_bytes(&layout) + competitor;
        let wanted = Wanted { what: "matrices", option: "--sizes", value: case.size.to_string() };
        // Only the check.
        drop(memory::reserve(comm, &wanted, bytes.div_ceil(8) as u64)?);
        let mut take = || -> Result<[Region<'static>; 3]> {
            let [a, b, c, _] = &mut self.arenas;
            let bytes = own.max(block);
            Ok([a.take(bytes)?, b.take(bytes)?, c.take(bytes)?])
        };
        let memory = agree(comm, take())?;
        self.matrices = memory.map(|memory| memory.part(0..own));
        self.blocks = memory.map(|memory| Block { memory: memory.part(0..block), leading: layout.side() });
        self.fill()?;
        if let Some(scalapack) = &mut self.scalapack {
            agree(comm, scalapack.prepare(case.size))?;
        }
        Ok(())
    }

    fn compute(&mut self) {
        let side = self.blocks[0].leading;
        let sizes = Sizes { rows: side, columns: side, inner: side };
        Local::new(self.blas.as_ref()).multiply(sizes, self.blocks, false);
    }

    fn operations(&self) -> f64 {
        (self.blocks[0].leading as f64).powi(3)
    }

    fn run(&mut self, spmd: &mut Spmd<MpiComm>) -> Result<()> {
        let problem = self.problem();
        let [a, b, c] = self.matrices;
        let local = Local::new(self.blas.as_ref());
        let temporary = &mut self.arenas[3];
        let mut product = |sizes: Sizes, a: Block, b: Block, c: Block, accumulate: bool| {
            local.multiply(sizes, [a, b, c], accumulate);
        };
        let mut functions = Functions {
            allocate: &mut |bytes| temporary.take(bytes),
            multiply: &mut product,
            progress: None,
        };
        multiply(spmd, &problem, Ok(Matrices { a, b, c }), &mut functions)
    }

    fn errors(&mut self) -> Result<u64> {
        let own = agree(self.comm, self.wrong())?;
        Ok(self.comm.all_gather(&[own])?.iter().sum())
    }

    fn competitor(&mut self) -> Result<Option<f64>> {
        let Some(scalapack) = &mut self.scalapack else { return Ok(None) };
        timed(self.comm, || scalapack.multiply()).map(|(seconds, ())| Some(seconds))
    }

    fn memory(&mut self, spmd: &mut Spmd<MpiComm>) -> Result<Option<Beside>> {
        if self.scalapack.is_none() {
            return Ok(None);
        }
        // As if it were the first product: its temporary memory is new.
        self.arenas[3] = Arena::default();
        let comm = self.comm;
        let own = added_by(comm, || self.run(spmd))?;
        let Some(scalapack) = &mut self.scalapack else { return Ok(None) };
        scalapack.multiply()?;
        let errors = comm.all_gather(&[scalapack.wrong()])?.iter().sum::<u64>();
        let other = added_by(comm, || scalapack.multiply())?;
        Ok(Some(Beside {
            name: scalapack::NAME.to_owned(),
            seconds: Vec::new(),
            added_bytes: other.map(|added| added.peak),
            own_added_bytes: own.map(|added| added.peak),
            errors,
        }))
    }
}
