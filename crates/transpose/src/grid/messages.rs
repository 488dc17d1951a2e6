//! Ranks that do not share the memory of their matrices: one exchange of blocks.
//!
//! Idea: a rank packs the blocks of its part of A by destination, exchanges them all-to-all, and transposes
//! the received blocks into its part of C. Blocks are packed untransposed, so that whole rows are copied, and
//! transposed once, when they are added; the rank's own blocks are not packed.
//!
//! Restrictions: as for [`hcube_alltoall`].
//! Cost: for an m x n matrix on P x Q processes, one message to each of (P / g) (Q / g) ranks, itself among
//! them, with g = gcd(P, Q), of 8 m n / P Q bytes in total, and the votes of the exchange; a rank copies its
//! part once in addition to the exchange. Memory: a part of A and a part of C.
//! Source: the messages follow J. Choi, J. Dongarra, D. Walker, Parallel matrix transpose algorithms on
//! distributed memory concurrent computers, Parallel Computing 21 (1995); the exchange follows M. Hofmann and
//! G. Ruenger, EuroMPI 2013.

use super::shape::{Piece, Shape};
use super::tile::{Instructions, Matrix, Update};
use crate::exchange::{exchange_all, fingerprint};
use hcube_alltoall::{ExchangeState, Options, Task};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use std::ops::Range;

/// Bytes of a number.
const NUMBER: usize = size_of::<f64>();

/// The state of a rank between transpositions.
#[derive(Debug)]
pub struct Messages {
    shape: Shape,
    rank: usize,
    instructions: Instructions,
    exchange: ExchangeState,
    /// The location of the data to and from each rank, in bytes.
    places: [Vec<Range<usize>>; 2],
    memory: [Vec<u8>; 2],
}

impl Messages {
    /// Collective: sets a transposition up.
    ///
    /// # Errors
    /// Errors of [`ExchangeState::new`]; on all ranks, where one has no memory.
    pub fn new<C: Comm>(comm: &C, shape: Shape, options: &Options) -> Result<Self> {
        let exchange = ExchangeState::new(comm, options)?;
        let (rank, ranks) = (comm.rank(), comm.size());
        let places = [places(ranks, rank, shape.outgoing(rank)), places(ranks, rank, shape.incoming(rank))];
        let zeros = |places: &[Range<usize>]| {
            let bytes = places.last().map_or(0, |last| last.end);
            let mut memory = Vec::new();
            memory.try_reserve_exact(bytes).map_err(|_| Error::Memory(format!("{bytes} bytes of memory")))?;
            memory.resize(bytes, 0);
            Ok(memory)
        };
        let memory = zeros(&places[0]).and_then(|first| Ok([first, zeros(&places[1])?]));
        let memory = agree(comm, memory)?;
        Ok(Self { shape, rank, instructions: Instructions::detect(), exchange, places, memory })
    }

    /// Collective: C = A' + beta C, of A and C; or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks, errors of the exchange; nothing is written then.
    pub fn execute<C: Comm>(
        &mut self,
        comm: &C,
        operands: Result<[Matrix<'_>; 2]>,
        update: Update,
    ) -> Result<()> {
        let mut memory = std::mem::take(&mut self.memory);
        let [out, into] = memory.each_mut().map(|memory| Region::of(memory));
        let result = self.exchange(comm, operands, [out, into]).map(|[a, c]| self.add(a, into, c, update));
        self.memory = memory;
        result
    }

    fn exchange<'a, C: Comm>(
        &mut self,
        comm: &C,
        operands: Result<[Matrix<'a>; 2]>,
        sides: [Region<'_>; 2],
    ) -> Result<[Matrix<'a>; 2]> {
        let task = operands.as_ref().map_err(Clone::clone).map(|[a, _]| {
            self.pack(*a, sides[0]);
            let [send, receive] = [0, 1].map(|side| {
                let parts = self.places[side].iter().map(|range| sides[side].part(range.clone()));
                Blocks::listed(parts.map(Block::contiguous).collect())
            });
            Task::between(send, receive)
        });
        let agreement = self.fingerprint();
        exchange_all(comm, &mut self.exchange, agreement, &task)?;
        operands
    }

    /// A number, not 0, that identifies a shape.
    fn fingerprint(&self) -> u64 {
        // Not the start of other transpositions.
        fingerprint(2, self.shape.agreement().into_iter().map(|(_, value)| value as u64))
    }

    fn pack(&self, a: Matrix<'_>, to: Region<'_>) {
        let mut next = self.starts(0);
        for piece in self.shape.outgoing(self.rank).filter(|piece| piece.other != self.rank) {
            let block = a.part(piece.from, piece.size);
            let [rows, columns] = piece.size;
            let length = rows * NUMBER;
            for column in 0..columns {
                let start = next[piece.other];
                block.copy_column(column, to.part(start..start + length));
                next[piece.other] += length;
            }
        }
    }

    /// Where the bytes of each rank begin.
    fn starts(&self, side: usize) -> Vec<usize> {
        self.places[side].iter().map(|range| range.start).collect()
    }

    fn add(&self, a: Matrix<'_>, received: Region<'_>, c: Matrix<'_>, update: Update) {
        let mut next = self.starts(1);
        for piece in self.shape.incoming(self.rank) {
            let [rows, columns] = piece.size;
            let from = if piece.other == self.rank {
                a.part(piece.from, piece.size)
            } else {
                let start = next[piece.other];
                next[piece.other] += rows * columns * NUMBER;
                Matrix::new(received.part(start..next[piece.other]), piece.size, rows)
            };
            self.instructions.transpose(from, c.part(piece.to, [columns, rows]), update);
        }
    }

    /// The instructions of this processor.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }
}

/// The location of the bytes of each rank, contiguous, except the rank itself.
fn places(ranks: usize, own: usize, pieces: impl Iterator<Item = Piece>) -> Vec<Range<usize>> {
    let mut bytes = vec![0; ranks];
    for piece in pieces.filter(|piece| piece.other != own) {
        bytes[piece.other] += piece.size[0] * piece.size[1] * NUMBER;
    }
    let mut end = 0;
    let range = |bytes| {
        let start = end;
        end += bytes;
        start..end
    };
    bytes.into_iter().map(range).collect()
}
