//! The memory-efficient product of McColl and Tiskin: C = A B in blocks, of which a process has at most three
//! in addition to its parts of the matrices.
//!
//! Idea: in each superstep a process gets block A_IJ and block B_JK, both unbuffered, and after the superstep
//! it adds their product to block C_IK ([`crate::plan`]). One barrier per superstep suffices: no process
//! writes A and B, so the gets of the next superstep may overlap with products of other processes, and each
//! process gets its blocks into private memory, after its own product. A local block is used in place, and a
//! block that was fetched in the previous superstep is reused. C_IK is accumulated in place if it is local.
//! Otherwise it is accumulated in the third block of temporary memory and then put to its location, in
//! pieces; no process reads this location, and the next product that writes the third block follows the end
//! of the superstep.
//!
//! Partial sums of the remaining columns are in the third block, except on the owner, which adds them to
//! C_IK. Other processes read them by buffered gets, which return the values at the end of the superstep and
//! therefore include everything that a process has added before it; one superstep per step suffices. The sums
//! are received in the second block, which is free then.
//!
//! Restrictions: all processes call with the same problem, and no process writes A or B, or accesses C,
//! during the call. An error after the first superstep ends the job, since other processes wait.
//!
//! Cost: the supersteps of [`crate::plan`] with products and with sums, and two to register memory and to
//! end. In a superstep with products a process reads at most 2 s^2 elements, in one message per block
//! (customized distribution) or one per column of a piece (static); in a superstep with sums s^2 elements.
//! Static: n^2 elements in total are written, each of them once. Memory: at most 3 s^2 elements per process;
//! BSP buffers gets and puts of less than `HCUBE_BSP_SINGLE_COPY` bytes, and all between nodes.
//! Source: McColl and Tiskin, "Memory-efficient matrix multiplication in the BSP model", Algorithmica 24,
//! 1999; Krusche 2005, §4.1 and §4.2.

use crate::block::{Block, Sizes};
use crate::distribution::{ELEMENT_BYTES, Layout, Piece, Problem, TEMPORARY_BLOCKS};
use crate::options::Distribution;
use crate::plan::{Plan, Product};
use hcube_bsp::Spmd;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree, bounds, check_bounds};
use hcube_core::error::Error;
use hcube_core::machine::work::Unit;
use hcube_core::memory::Region;
use hcube_core::options::Number;

/// Simulated work: a multiplication and an addition of real numbers.
pub const MULTIPLY_ADD: Unit = Unit::new("multiply-add");

/// The parts of the matrices that this process has, as [`crate::distribution`] describes; a part without
/// elements may have any address.
#[derive(Debug, Clone, Copy)]
pub struct Matrices {
    /// The first factor.
    pub a: Region<'static>,
    /// The second factor; it may be the same memory as `a`.
    pub b: Region<'static>,
    /// The product, which is overwritten.
    pub c: Region<'static>,
}

/// How far a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Supersteps that have ended.
    pub done: usize,
    /// All supersteps with products.
    pub total: usize,
}

/// The arguments of the caller.
pub struct Functions<'f> {
    /// Returns temporary memory of the given number of bytes, which stays until the call has returned, or an
    /// error.
    pub allocate: &'f mut dyn FnMut(usize) -> Result<Region<'static>>,
    /// C := A B for blocks, or C := C + A B if its last argument is true; see [`crate::plain::multiply`].
    pub multiply: &'f mut dyn FnMut(Sizes, Block, Block, Block, bool),
    /// Told how far the process is.
    pub progress: Option<&'f mut dyn FnMut(Progress)>,
}

/// Bytes of temporary memory that each process needs.
pub fn temporary_bytes(layout: &Layout) -> usize {
    let plan = Plan::of(layout);
    let blocks = if layout.processes() == 1 {
        0
    } else if layout.distribution() == Distribution::Customized && plan.remaining() == 0 {
        TEMPORARY_BLOCKS - 1
    } else {
        TEMPORARY_BLOCKS
    };
    blocks * layout.side() * layout.side() * ELEMENT_BYTES
}

/// Collective: computes C = A B. `matrices` is an error if this process could not provide them.
///
/// # Errors
/// On all processes, with nothing written: if the arguments of a process are not valid or differ, or if a
/// process has no temporary memory.
pub fn multiply<C: Comm>(
    spmd: &mut Spmd<C>,
    problem: &Problem,
    matrices: Result<Matrices>,
    functions: &mut Functions<'_>,
) -> Result<()> {
    let (layout, matrices, temporary) = prepare(spmd, problem, matrices, functions)?;
    if problem.n == 0 {
        return Ok(());
    }
    let mut run = Run::new(spmd, &layout, matrices, temporary, functions);
    if let Err(error) = run.run() {
        spmd.comm().abort(&error);
    }
    Ok(())
}

/// Collective: the layout, the memory of the matrices without padding after their elements, and temporary
/// memory.
fn prepare<C: Comm>(
    spmd: &Spmd<C>,
    problem: &Problem,
    matrices: Result<Matrices>,
    functions: &mut Functions<'_>,
) -> Result<(Layout, Matrices, Region<'static>)> {
    let comm = spmd.comm();
    let layout = agree(comm, Layout::new(problem, spmd.nprocs()))?;
    let bytes = layout.local_elements(spmd.pid()) * ELEMENT_BYTES;
    let is_one_array = matrices.as_ref().is_ok_and(|Matrices { a, b, .. }| a.address() == b.address());
    let values = [
        ("n", problem.n as i64),
        ("blocks", problem.blocks as i64),
        ("distribution", problem.distribution.number()),
    ];
    let mut words = bounds(&values);
    words.extend([is_one_array, !is_one_array].map(|is| i64::from(is && bytes > 0)));
    comm.all_reduce_max(&mut words)?;
    check_bounds(&words, &values)?;
    let checked = matrices.and_then(|matrices| check(matrices, bytes));
    let (matrices, temporary) = agree(
        comm,
        checked.and_then(|matrices| Ok((matrices, (functions.allocate)(temporary_bytes(&layout))?))),
    )?;
    // Memory is identified by its address: on each process, or on no process, A and B are the same array.
    if words.ends_with(&[1, 1]) {
        return Err(Error::Buffer(
            "b: the array of a on some ranks only: expected on all ranks or on none".into(),
        ));
    }
    Ok((layout, matrices, temporary))
}

/// Local: the matrices, each of `bytes` bytes.
fn check(Matrices { a, b, c }: Matrices, bytes: usize) -> Result<Matrices> {
    for (name, memory) in [("a", a), ("b", b), ("c", c)] {
        if memory.len() < bytes {
            return Err(Error::Buffer(format!("{name}: {} bytes: expected {bytes}", memory.len())));
        }
        if bytes > 0 && !memory.address().cast::<f64>().is_aligned() {
            return Err(Error::Buffer(format!("{name}: {:p}: expected a multiple of 8", memory.address())));
        }
    }
    let [a, b, c] = [a, b, c].map(|memory| memory.part(0..bytes));
    if bytes > 0 && (a.overlaps(c) || b.overlaps(c)) {
        return Err(Error::Buffer("c: overlaps a or b: expected memory of its own".into()));
    }
    Ok(Matrices { a, b, c })
}

/// One of the two factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factor {
    A = 0,
    B = 1,
}

/// A product under way.
struct Run<'r, 'f, C: Comm> {
    spmd: &'r mut Spmd<C>,
    layout: &'r Layout,
    plan: Plan,
    matrices: Matrices,
    /// Blocks of temporary memory: of A, of B, and of C. Without temporary memory they are empty.
    temporary: [Region<'static>; TEMPORARY_BLOCKS],
    /// The blocks of A and B that are in temporary memory.
    fetched: [Option<(usize, usize)>; 2],
    functions: &'r mut Functions<'f>,
}

impl<'r, 'f, C: Comm> Run<'r, 'f, C> {
    fn new(
        spmd: &'r mut Spmd<C>,
        layout: &'r Layout,
        matrices: Matrices,
        temporary: Region<'static>,
        functions: &'r mut Functions<'f>,
    ) -> Self {
        let block = layout.side() * layout.side() * ELEMENT_BYTES;
        let place = |number: usize| {
            let end = ((number + 1) * block).min(temporary.len());
            temporary.part((number * block).min(end)..end)
        };
        let temporary = [place(0), place(1), place(2)];
        let plan = Plan::of(layout);
        Self { spmd, layout, plan, matrices, temporary, fetched: [None; 2], functions }
    }

    fn run(&mut self) -> Result<()> {
        let registered = self.register()?;
        for superstep in 0..self.plan.products() {
            self.superstep(superstep)?;
            if let Some(progress) = &mut self.functions.progress {
                progress(Progress { done: superstep + 1, total: self.plan.products() });
            }
        }
        (0..self.plan.sums()).try_for_each(|step| self.add_sums(step))?;
        if let Some(block) = self.divided_block_of_owner() {
            self.put(block)?;
        }
        // Of two registrations of one address, the latest is removed first.
        let mut registered = registered.into_iter().rev();
        registered.try_for_each(|memory| self.spmd.pop_reg(memory.address().addr()))?;
        self.spmd.sync()
    }

    /// Collective: registers the matrices and the memory of partial sums. Processes identify memory of others
    /// by their own address, so memory without elements gets an address in the first block of temporary
    /// memory.
    fn register(&mut self) -> Result<Vec<Region<'static>>> {
        let Matrices { a, b, c } = &mut self.matrices;
        for (number, memory) in [a, b, c].into_iter().enumerate() {
            if memory.is_empty() {
                *memory = self.temporary[0].part(number + 1..number + 1);
            }
        }
        let Matrices { a, b, c } = self.matrices;
        let mut all = vec![a, b];
        if self.layout.distribution() == Distribution::Static {
            all.push(c);
        }
        if self.plan.sums() > 0 {
            all.push(self.temporary[2]);
        }
        all.iter().try_for_each(|&memory| self.spmd.push_reg(memory))?;
        self.spmd.sync()?;
        Ok(all)
    }

    /// Gets two blocks and multiplies them.
    fn superstep(&mut self, superstep: usize) -> Result<()> {
        let Some(product) = self.plan.product(self.spmd.pid(), superstep) else {
            return self.spmd.sync();
        };
        let a = self.get(Factor::A, (product.row, product.inner))?;
        let b = self.get(Factor::B, (product.inner, product.column))?;
        self.spmd.sync()?;
        let [rows, inner, columns] =
            [product.row, product.inner, product.column].map(|number| self.layout.range(number).len());
        let Product { row, column, begins, ends, is_owner, is_divided, .. } = product;
        let c = self.sum((row, column), is_owner);
        (self.functions.multiply)(Sizes { rows, columns, inner }, a, b, c, !begins);
        let work = rows.saturating_mul(columns).saturating_mul(inner);
        self.spmd.comm().charge(MULTIPLY_ADD.of(work));
        if ends && !is_divided { self.put((row, column)) } else { Ok(()) }
    }

    /// A block of a factor, from the end of the superstep on.
    fn get(&mut self, factor: Factor, (row, column): (usize, usize)) -> Result<Block> {
        let pieces = self.layout.pieces(row, column);
        let matrix = if factor == Factor::A { self.matrices.a } else { self.matrices.b };
        if let Some(block) = self.in_place(&pieces, matrix) {
            return Ok(block);
        }
        let leading = self.layout.range(row).len();
        let block = Block { memory: self.temporary[factor as usize], leading };
        let fetched = &mut self.fetched[factor as usize];
        if *fetched != Some((row, column)) {
            *fetched = Some((row, column));
            for piece in &pieces {
                for (offset, into) in messages(piece, block) {
                    if piece.process == self.spmd.pid() {
                        matrix.part(offset..offset + into.len()).copy_to(into);
                    } else {
                        self.spmd.hpget(piece.process, matrix.address().addr(), offset, into)?;
                    }
                }
            }
        }
        Ok(block)
    }

    /// A block in the memory of this process, if all of it lies there.
    fn in_place(&self, pieces: &[Piece], matrix: Region<'static>) -> Option<Block> {
        match pieces {
            &[Piece { process, offset, leading, .. }] if process == self.spmd.pid() => {
                let memory = matrix.part(offset * ELEMENT_BYTES..matrix.len());
                Some(Block { memory, leading })
            }
            _ => None,
        }
    }

    /// Where this process adds up a block of C.
    fn sum(&self, (row, column): (usize, usize), is_owner: bool) -> Block {
        let in_place =
            if is_owner { self.in_place(&self.layout.pieces(row, column), self.matrices.c) } else { None };
        in_place.unwrap_or(Block { memory: self.temporary[2], leading: self.layout.range(row).len() })
    }

    /// Puts a block of C that is in temporary memory to its place.
    fn put(&mut self, (row, column): (usize, usize)) -> Result<()> {
        let pieces = self.layout.pieces(row, column);
        let matrix = self.matrices.c;
        if self.in_place(&pieces, matrix).is_some() {
            return Ok(());
        }
        let block = Block { memory: self.temporary[2], leading: self.layout.range(row).len() };
        for piece in &pieces {
            for (offset, from) in messages(piece, block) {
                if piece.process == self.spmd.pid() {
                    from.copy_to(matrix.part(offset..offset + from.len()));
                } else {
                    self.spmd.hpput(piece.process, from, matrix.address().addr(), offset)?;
                }
            }
        }
        Ok(())
    }

    /// Gets a partial sum and adds it to the partial sum of this process.
    fn add_sums(&mut self, step: usize) -> Result<()> {
        let pid = self.spmd.pid();
        let (Some(process), Some(block)) = (self.plan.sum(pid, step), self.plan.divided_block(pid)) else {
            return self.spmd.sync();
        };
        let [rows, columns] = [block.0, block.1].map(|number| self.layout.range(number).len());
        let bytes = rows * columns * ELEMENT_BYTES;
        let [_, into, partial] = self.temporary;
        self.spmd.get(process, partial.address().addr(), 0, into.part(0..bytes))?;
        self.spmd.sync()?;
        let is_owner = pid < self.plan.remaining();
        self.sum(block, is_owner).add(Block { memory: into, leading: rows }, rows, columns);
        Ok(())
    }

    /// The block of C that this process ends with after the partial sums, if there are any.
    fn divided_block_of_owner(&self) -> Option<(usize, usize)> {
        let pid = self.spmd.pid();
        let is_owner = pid < self.plan.remaining() && self.plan.members(pid) > 1;
        self.plan.divided_block(pid).filter(|_| is_owner)
    }
}

/// The messages of a piece: where each begins in the memory of its process, in bytes, and its memory in the
/// block.
fn messages(piece: &Piece, block: Block) -> impl Iterator<Item = (usize, Region<'static>)> {
    let &Piece { offset, leading, row, column, rows, columns, .. } = piece;
    let is_one = piece.is_contiguous(block.leading);
    let (count, length) = if is_one { (1, rows * columns) } else { (columns, rows) };
    (0..count).map(move |number| {
        let begin = ((column + number) * block.leading + row) * ELEMENT_BYTES;
        let into = block.memory.part(begin..begin + length * ELEMENT_BYTES);
        ((offset + number * leading) * ELEMENT_BYTES, into)
    })
}
