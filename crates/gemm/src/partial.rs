//! Partial products: which ranks compute parts of this rank's part of C, and their sum.
//!
//! Idea: if A or B is stationary, a rank computes the partial sums over its own inner indices, for all
//! columns of C that have its rows (A stationary), or all rows that have its columns (B stationary). The
//! owner of an element adds these partial sums in the order of the processes that have computed them, so that
//! the same call always gives the same bits.
//!
//! On a node the owner reads the partial sums where they were computed; between nodes they are sent in
//! separate messages.
//!
//! Restrictions: neither C nor the stationary matrix is replicated.
//! Cost: with P processes along the inner indices, P m n elements in total, each written once and read once.
//! Between nodes they are sent in messages, one per panel for each pair of a computing rank and an owner on
//! another node. Memory: copies of the partial products that are sent and received for one panel.
//! Source: as [`crate::stationary`].

use crate::axis::Section;
use crate::domain::Domains;
use crate::panels::PANEL_TAGS;
use crate::product::{Dimension, Grid, Product};
use crate::runs::{Run, count, runs};
use hcube_core::comm::Comm;
use hcube_core::comm::owned::Owned;
use hcube_core::comm::tags::GEMM_PARTIALS;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use std::ops::Range;

/// Indices of C along one dimension that one process has computed and another one owns. `local` and `place`
/// count from the first one of each.
#[derive(Debug, Clone)]
struct Shared {
    process: usize,
    runs: Vec<Run>,
}

/// A partial product in columns of C.
#[derive(Debug, Clone, Copy)]
pub struct Partial<'a> {
    /// Its memory.
    pub memory: Region<'a>,
    /// Elements from one column to the next.
    pub leading: usize,
}

/// How partial products are put together: the same for all panels.
#[derive(Debug)]
pub struct Partials {
    grid: Grid,
    /// The dimension of C along which the matrix that stays has its outer indices: rows for A.
    fixed: Dimension,
    /// The dimension of the grid along which the stationary matrix has its outer indices.
    outer: Dimension,
    /// This rank's indices of C along `fixed`, by the process that computes them.
    needed: Vec<Shared>,
    /// The partial sums of this rank, by the process that owns the elements.
    computed: Vec<Shared>,
    /// The other dimension of C.
    other: Section,
    /// The domain of every rank, and this rank's.
    domains: Vec<u32>,
    own_domain: u32,
}

/// Messages of one panel.
pub struct Messages<C: Comm> {
    sends: Vec<Owned<C>>,
    receives: Vec<(usize, Owned<C>)>,
    received: Vec<(usize, Vec<u8>)>,
}

impl Partials {
    /// Of a product in which the matrix with these outer indices stays. Its outer indices are rows of C
    /// (`fixed` is `Rows`) or columns, and lie along `outer` of the grid.
    pub fn new(
        product: &Product<'_>,
        (section, outer): (Section, Dimension),
        fixed: Dimension,
        domains: &Domains,
    ) -> Self {
        let grid = product.grid;
        let (target, other) = match fixed {
            Dimension::Rows => (product.c.rows, product.c.columns),
            Dimension::Columns => (product.c.columns, product.c.rows),
        };
        let relative = |process: usize, mut found: Vec<Run>| {
            let first = section.first_local(process);
            found.iter_mut().for_each(|run| run.local -= first);
            found
        };
        let own = grid.own(fixed);
        let of_process = |process: usize| {
            let mut found = relative(process, runs(section, section, process, Some(target)));
            found.retain(|run| run.process == own);
            Shared { process, runs: found }
        };
        let needed =
            (0..grid.processes(outer)).map(of_process).filter(|shared| !shared.runs.is_empty()).collect();
        let mut mine = relative(grid.own(outer), runs(section, section, grid.own(outer), Some(target)));
        mine.sort_by_key(|run| run.process);
        let computed = mine.chunk_by(|one, other| one.process == other.process);
        let computed =
            computed.map(|runs| Shared { process: runs[0].process, runs: runs.to_vec() }).collect();
        let rank = grid.row * grid.columns + grid.column;
        let own_domain = domains.of[rank];
        Self { grid, fixed, outer, needed, computed, other, domains: domains.of.clone(), own_domain }
    }

    /// The rank that computes: with an outer and an inner process number.
    fn computing(&self, outer: usize, inner: usize) -> usize {
        self.grid.rank_at(self.outer, outer, inner)
    }

    /// The rank that owns a part of C, by its numbers along `fixed` and along the other dimension.
    fn owning(&self, fixed: usize, other: usize) -> usize {
        self.grid.rank_at(self.fixed, fixed, other)
    }

    fn is_here(&self, rank: usize) -> bool {
        self.domains[rank] == self.own_domain
    }

    /// Indices of a panel that a process of the other dimension owns, with local indices of C.
    fn owned(&self, process: usize, panel: &Range<usize>) -> Vec<Run> {
        let section = Section { start: self.other.start + panel.start, length: panel.len(), ..self.other };
        let mut owned = runs(section, section, process, None);
        owned.iter_mut().for_each(|run| run.number += panel.start);
        owned
    }

    /// Posts the receives of a panel. Ranks that compute have numbers outer x processes + inner.
    ///
    /// # Errors
    /// Of MPI.
    pub fn begin<C: Comm>(
        &self,
        comm: &C,
        panel: usize,
        indices: &Range<usize>,
        size: usize,
    ) -> Result<Messages<C>> {
        let mut messages = Messages { sends: Vec::new(), receives: Vec::new(), received: Vec::new() };
        let own = self.owned(self.grid.own(self.fixed.other()), indices);
        for shared in &self.needed {
            for inner in 0..self.grid.processes(self.outer.other()) {
                let rank = self.computing(shared.process, inner);
                let bytes = count(&shared.runs) * count(&own) * size;
                if !self.is_here(rank) && bytes > 0 {
                    let tag = GEMM_PARTIALS.tag(panel % PANEL_TAGS);
                    messages.receives.push((rank, Owned::receive(comm, vec![0; bytes], rank, tag)?));
                }
            }
        }
        Ok(messages)
    }

    /// Sends this rank's partial product of a panel to the owners on other nodes; returns the bytes.
    ///
    /// # Errors
    /// Of MPI.
    pub fn send<C: Comm>(
        &self,
        comm: &C,
        messages: &mut Messages<C>,
        (panel, indices): (usize, &Range<usize>),
        (partial, size): (Partial<'_>, usize),
    ) -> Result<u64> {
        let mut sent = 0;
        for shared in &self.computed {
            for other in 0..self.grid.processes(self.fixed.other()) {
                let rank = self.owning(shared.process, other);
                if self.is_here(rank) {
                    continue;
                }
                let owned = self.owned(other, indices);
                let bytes = count(&shared.runs) * count(&owned) * size;
                if bytes > 0 {
                    let mut packed = Vec::with_capacity(bytes);
                    for (block, _) in self.blocks(&shared.runs, &owned, indices.start) {
                        read(partial, block, size, &mut packed);
                    }
                    let tag = GEMM_PARTIALS.tag(panel % PANEL_TAGS);
                    sent += bytes as u64;
                    messages.sends.push(Owned::send(comm, packed, rank, tag)?);
                }
            }
        }
        Ok(sent)
    }

    /// Blocks of C (first row, rows, first column, columns) that runs along both dimensions make: in a
    /// partial product, and in this rank's part of C.
    fn blocks<'r>(
        &self,
        fixed: &'r [Run],
        other: &'r [Run],
        first: usize,
    ) -> impl Iterator<Item = (Block, Block)> + 'r + use<'r> {
        let rows_are_fixed = self.fixed == Dimension::Rows;
        other.iter().flat_map(move |other| {
            fixed.iter().map(move |fixed| {
                let (inside, in_c) = ((fixed.local, fixed.length), (fixed.place, fixed.length));
                let (panel, local) = ((other.number - first, other.length), (other.local, other.length));
                if rows_are_fixed {
                    (Block { rows: inside, columns: panel }, Block { rows: in_c, columns: local })
                } else {
                    (Block { rows: panel, columns: inside }, Block { rows: local, columns: in_c })
                }
            })
        })
    }

    /// Whether all messages of a panel for this rank have arrived.
    ///
    /// # Errors
    /// Of MPI.
    pub fn have_arrived<C: Comm>(&self, comm: &C, messages: &mut Messages<C>) -> Result<bool> {
        let mut number = 0;
        while number < messages.receives.len() {
            if messages.receives[number].1.has_finished(comm)? {
                let (rank, transfer) = messages.receives.swap_remove(number);
                messages.received.push((rank, transfer.into_buffer()));
            } else {
                number += 1;
            }
        }
        Ok(messages.receives.is_empty())
    }

    /// Ranks of this domain that compute something of this rank's part of C.
    pub fn computing_here(&self) -> Vec<usize> {
        let inner = self.grid.processes(self.outer.other());
        let all = self
            .needed
            .iter()
            .flat_map(|shared| (0..inner).map(|inner| self.computing(shared.process, inner)));
        all.filter(|&rank| self.is_here(rank)).collect()
    }

    /// Sums this rank's part of a panel: `C := beta C + sum of the parts`. `partial` returns the partial
    /// product of a rank of this domain.
    pub fn sum<'m, C: Comm>(
        &self,
        product: &Product<'_>,
        messages: &Messages<C>,
        indices: &Range<usize>,
        partial: impl Fn(usize) -> Partial<'m>,
    ) {
        let size = product.element.bytes();
        let own = self.owned(self.grid.own(self.fixed.other()), indices);
        let inner = self.grid.processes(self.outer.other());
        for shared in &self.needed {
            let mut offset = 0;
            for (inside, in_c) in self.blocks(&shared.runs, &own, indices.start) {
                let bytes = inside.rows.1 * inside.columns.1 * size;
                let mut sum = vec![0; bytes];
                for number in 0..inner {
                    let rank = self.computing(shared.process, number);
                    let mut part = Vec::with_capacity(bytes);
                    if self.is_here(rank) {
                        read(partial(rank), inside, size, &mut part);
                    } else {
                        let (_, received) =
                            messages.received.iter().find(|(from, _)| *from == rank).expect("it has arrived");
                        part.extend_from_slice(&received[offset..offset + bytes]);
                    }
                    if number == 0 { sum = part } else { product.element.add(&mut sum, &part) }
                }
                offset += bytes;
                self.add_to_c(product, in_c, &sum);
            }
        }
    }

    /// `C := beta C + sum` for a block.
    fn add_to_c(&self, product: &Product<'_>, block: Block, sum: &[u8]) {
        let (c, size) = (&product.c, product.element.bytes());
        // Positions of runs count from the first run of this rank; local indices of the other dimension are
        // indices of C.
        let first = match self.fixed {
            Dimension::Rows => c.rows.first_local(self.grid.row),
            Dimension::Columns => c.columns.first_local(self.grid.column),
        };
        let (row, column) = match self.fixed {
            Dimension::Rows => (block.rows.0 + first, block.columns.0),
            Dimension::Columns => (block.rows.0, block.columns.0 + first),
        };
        let length = block.rows.1 * size;
        let mut old = vec![0; length];
        for (number, new) in sum.chunks_exact(length).enumerate() {
            let start = ((column + number) * c.leading + row) * size;
            let memory = c.memory.part(start..start + length);
            if product.beta.is_zero() {
                memory.write(new);
                continue;
            }
            memory.read(&mut old);
            if !product.beta.is_one() {
                product.beta.scale(&mut old);
            }
            product.element.add(&mut old, new);
            memory.write(&old);
        }
    }
}

impl<C: Comm> Messages<C> {
    /// Whether all messages that this rank has sent have left.
    ///
    /// # Errors
    /// Of MPI.
    pub fn have_left(&mut self, comm: &C) -> Result<bool> {
        while let Some(last) = self.sends.last_mut() {
            if !last.has_finished(comm)? {
                return Ok(false);
            }
            self.sends.pop();
        }
        Ok(true)
    }
}

/// First row and number of rows, first column and number of columns.
#[derive(Debug, Clone, Copy)]
struct Block {
    rows: (usize, usize),
    columns: (usize, usize),
}

/// Appends the elements of a block, column after column.
fn read(partial: Partial<'_>, block: Block, size: usize, into: &mut Vec<u8>) {
    let length = block.rows.1 * size;
    for column in block.columns.0..block.columns.0 + block.columns.1 {
        let start = (column * partial.leading + block.rows.0) * size;
        let old = into.len();
        into.resize(old + length, 0);
        partial.memory.part(start..start + length).read(&mut into[old..]);
    }
}
