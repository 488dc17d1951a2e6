//! A plan of a transposition on a grid: the choice between both paths.

use super::memory::Memory;
use super::messages::Messages;
use super::on_node::OnNode;
use super::shape::Shape;
use super::tile::{Instructions, Matrix, Update, bytes};
use hcube_alltoall::{Options, Path};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::processor::crowded;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;
use std::sync::Arc;

/// The path, with what it keeps.
#[derive(Debug)]
enum PathState {
    Node(OnNode),
    Messages(Box<Messages>),
}

/// This rank's parts of both matrices, each with the numbers from column to column.
#[derive(Debug, Clone, Copy)]
pub struct Operands<'a> {
    /// The part of A.
    pub a: Region<'a>,
    /// Numbers from column to column of it.
    pub a_stride: usize,
    /// The part of C.
    pub c: Region<'a>,
    /// Numbers from column to column of it.
    pub c_stride: usize,
}

/// A transposition C = A' + beta C, as one rank sees it.
#[derive(Debug)]
pub struct Plan {
    shape: Shape,
    rank: usize,
    path: PathState,
    /// The memory of A on both paths, which exists as long as this: the program may have freed its handle.
    _memory: Option<Arc<Memory>>,
}

impl Plan {
    /// Collective: sets a transposition up. Every rank passes the same shape, and the memory of its part of A
    /// if all do; or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks: [`Error::Argument`], [`Error::Mismatch`], [`Error::Memory`].
    pub fn new<C: Comm>(
        comm: &C,
        wanted: Result<(Shape, Option<Arc<Memory>>)>,
        options: &Options,
    ) -> Result<Self> {
        let checked = wanted.and_then(|(shape, memory)| {
            shape.check(comm.size())?;
            Ok((shape, memory))
        });
        let (shape, memory) = agree(comm, checked)?;
        let given = [("memory", i64::from(memory.is_some()))];
        agree_on(comm, &[&shape.agreement()[..], &given, &options.agreement()[..]].concat())?;
        let numbers = comm.node_numbers()?;
        let patience = Patience::new(crowded(comm, &numbers)?, comm.simulated());
        let node = match &memory {
            _ if comm.size() == 1 => Some(OnNode::new(comm, shape, None, patience)),
            Some(memory) => shared(comm, &numbers, memory, options)?
                .map(|parts| OnNode::new(comm, shape, Some((Arc::clone(memory), parts)), patience)),
            None => None,
        };
        let path = match node {
            // Where ranks cannot share memory, all of them know.
            Some(Ok(node)) => PathState::Node(node),
            _ => PathState::Messages(Box::new(Messages::new(comm, shape, options)?)),
        };
        Ok(Self { shape, rank: comm.rank(), path, _memory: memory })
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Rows and columns of this rank's parts of A and of C.
    pub fn parts(&self) -> [[usize; 2]; 2] {
        [self.shape.part(self.rank), self.shape.result(self.rank)]
    }

    /// Bytes of this rank's parts of A and of C with these numbers from column to column.
    ///
    /// # Errors
    /// [`Error::Argument`] with the name of the argument.
    pub fn bytes(&self, strides: [i64; 2]) -> Result<[usize; 2]> {
        let of = |name, stride: i64, size: [usize; 2]| {
            let expected = || Error::argument(name, stride, format!("{} or more", size[0].max(1)));
            let stride = usize::try_from(stride).ok().filter(|&stride| stride >= size[0].max(1));
            bytes(size, stride.ok_or_else(expected)?).ok_or_else(expected)
        };
        let [part, result] = self.parts();
        Ok([of("lda", strides[0], part)?, of("ldc", strides[1], result)?])
    }

    /// Collective: C = A' + beta C. The operands of this rank, or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks, with nothing written: [`Error::Buffer`] for a part that is too short or not in the
    /// memory of the plan, and errors of the exchange.
    pub fn execute<C: Comm>(&mut self, comm: &C, operands: Result<Operands<'_>>, beta: f64) -> Result<()> {
        let update = Update::by(beta);
        let [part, result] = self.parts();
        let checked = operands.and_then(|given| {
            let needed = self.bytes([given.a_stride as i64, given.c_stride as i64])?;
            match [given.a, given.c].into_iter().zip(needed).find(|(region, bytes)| region.len() < *bytes) {
                Some((region, bytes)) => {
                    Err(Error::Buffer(format!("a part of {} bytes: expected {bytes}", region.len())))
                }
                None => Ok((given, needed)),
            }
        });
        let matrices = checked.map(|(given, needed)| {
            let a = given.a.part(0..needed[0]);
            (a, given.a_stride, Matrix::new(given.c, result, given.c_stride))
        });
        match &mut self.path {
            PathState::Node(node) => node.execute(comm, matrices, update),
            PathState::Messages(messages) => {
                let matrices = matrices.map(|(a, stride, c)| [Matrix::new(a, part, stride), c]);
                messages.execute(comm, matrices, update)
            }
        }
    }

    /// Whether ranks read each other's parts.
    pub fn shares_memory(&self) -> bool {
        matches!(self.path, PathState::Node(_))
    }

    /// The instructions of the inner loops.
    pub fn instructions(&self) -> Instructions {
        match &self.path {
            PathState::Node(node) => node.instructions(),
            PathState::Messages(messages) => messages.instructions(),
        }
    }
}

/// Collective: the numbers of all ranks in a memory, if all are on one node and have the same.
fn shared<C: Comm>(
    comm: &C,
    numbers: &[u32],
    memory: &Memory,
    options: &Options,
) -> Result<Option<Vec<usize>>> {
    let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
    let nodes = Topology::from_node_numbers(numbers, limit).nodes();
    let [process, address] = memory.identity();
    let all = comm.all_gather(&[process, address, memory.own_number() as u64])?;
    let ranks = all.chunks_exact(3);
    let same = ranks.clone().all(|rank| rank[..2] == all[..2]);
    let parts = ranks.map(|rank| rank[2] as usize).collect();
    Ok((nodes == 1 && same && options.path != Path::Message).then_some(parts))
}
