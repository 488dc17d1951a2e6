//! A plan of a transform.

use crate::COMPLEX;
use crate::memory::Memory;
use crate::messages::Messages;
use crate::on_node::OnNode;
use crate::shape::Shape;
use crate::stages::Stages;
use hcube_alltoall::{Options, Path};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, HCUBE_ERR_MEMORY, Result};
use hcube_core::memory::Region;
use hcube_core::node::processor::crowded;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;
use std::sync::Arc;

/// The sign of the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// -1.
    Forward,
    /// +1; the transform of a transform is the vector times its length.
    Backward,
}

#[derive(Debug)]
enum Way {
    Node(Box<OnNode>),
    Messages(Box<Messages>),
}

/// A transform of one length in one direction, as one rank sees it.
#[derive(Debug)]
pub struct Plan {
    shape: Shape,
    way: Way,
    last: Stages,
    executed: u64,
}

/// Collective: `None` on all ranks if they cannot share memory, so that they exchange messages.
///
/// # Errors
/// On all ranks: other errors, and too little memory for one rank, which has no other path.
fn unless_unshared<C: Comm, T>(comm: &C, created: Result<T>) -> Result<Option<T>> {
    let is_final = |error: &Error| comm.size() == 1 || error.code() != HCUBE_ERR_MEMORY;
    let mut worst = [created.as_ref().err().map_or(0, |error| 1 + i64::from(is_final(error)))];
    comm.all_reduce_max(&mut worst)?;
    match worst[0] {
        0 => created.map(Some),
        1 => Ok(None),
        _ => agree(comm, created.map(Some)),
    }
}

/// Local: parts of the vector that have this many complex numbers.
///
/// # Errors
/// [`Error::Buffer`] for others.
pub fn check_parts<'a>(
    count: usize,
    parts: Result<(Region<'a>, Region<'a>)>,
) -> Result<(Region<'a>, Region<'a>)> {
    let (input, output) = parts?;
    let bytes = COMPLEX * count;
    match [input, output].into_iter().find(|part| part.len() != bytes) {
        Some(part) => Err(Error::Buffer(format!("{} bytes: expected {bytes}", part.len()))),
        None => Ok((input, output)),
    }
}

impl Plan {
    /// Collective: creates a plan. Every rank passes the same length and direction, or the error that all
    /// ranks are to report. The options of the all-to-all exchange apply.
    ///
    /// # Errors
    /// On all ranks: [`Error::Argument`] and [`Error::Communicator`] for lengths and numbers of ranks that
    /// are not possible, [`Error::Mismatch`], [`Error::Memory`].
    pub fn new<C: Comm>(comm: &C, wanted: Result<(usize, Direction)>, options: &Options) -> Result<Self> {
        let checked = wanted.and_then(|(length, direction)| {
            Ok((Shape::new(length, comm.rank(), comm.size())?, direction == Direction::Backward))
        });
        let (shape, backward) = agree(comm, checked)?;
        let same = [("length", shape.length() as i64), ("direction", backward.into())];
        agree_on(comm, &[&same[..], &options.agreement()[..]].concat())?;
        let numbers = comm.node_numbers()?;
        let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
        let nodes = Topology::from_node_numbers(&numbers, limit).nodes();
        let patience = Patience::new(crowded(comm, &numbers)?, comm.simulated());
        if shape.ranks == 1 || (nodes == 1 && options.path != Path::Message) {
            let created = OnNode::new(comm, shape.clone(), backward, patience);
            if let Some(node) = unless_unshared(comm, created)? {
                return Ok(Self {
                    shape,
                    way: Way::Node(Box::new(node)),
                    last: Stages::default(),
                    executed: 0,
                });
            }
        }
        let messages = Messages::new(comm, shape.clone(), backward, options)?;
        Ok(Self { shape, way: Way::Messages(Box::new(messages)), last: Stages::default(), executed: 0 })
    }

    /// Collective: memory for two parts of the vector on each rank, which [`execute`](Self::execute) need not
    /// copy where ranks share memory; always the same, and valid after this plan.
    ///
    /// # Errors
    /// [`Error::Memory`] on all ranks.
    pub fn memory<C: Comm>(&mut self, comm: &C) -> Result<Arc<Memory>> {
        match &mut self.way {
            Way::Node(node) => node.parts(comm),
            Way::Messages(messages) => messages.parts(comm),
        }
    }

    /// Complex numbers of each rank.
    pub fn part(&self) -> usize {
        self.shape.part()
    }

    /// The number in the vector of this rank's first one.
    pub fn start(&self) -> usize {
        self.shape.part() * self.shape.rank
    }

    /// Collective: executes the transform. `input` is this rank's block of the vector and `output` its block
    /// of the result, which may be the same memory; or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks: [`Error::Buffer`] for blocks of another size; errors of the exchanges.
    pub fn execute<'a, C: Comm>(&mut self, comm: &C, parts: Result<(Region<'a>, Region<'a>)>) -> Result<()> {
        let checked = check_parts(self.part(), parts);
        self.last = match &mut self.way {
            Way::Node(node) => node.execute(comm, checked),
            Way::Messages(messages) => messages.execute(comm, checked),
        }?;
        self.executed += 1;
        Ok(())
    }

    /// Transforms so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// The times of the last transform.
    pub fn stages(&self) -> Stages {
        self.last
    }

    /// Whether all ranks share memory.
    pub fn shares_memory(&self) -> bool {
        matches!(self.way, Way::Node(_))
    }
}
