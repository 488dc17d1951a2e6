//! A transform that was set up.

use crate::kernel::transform::Transform;
use crate::messages::Messages;
use crate::on_node::OnNode;
use crate::shape::Shape;
use crate::stages::Stages;
use hcube_alltoall::{Options, Path};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::processor::crowded;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;

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
}

impl Plan {
    /// Collective: sets a transform up. Every rank passes the same length and direction, or the error that all ranks are to
    /// report. The options are those of the all-to-all exchange.
    ///
    /// # Errors
    /// On all ranks: [`Error::Argument`] and [`Error::Communicator`] for lengths and numbers of ranks that are not possible,
    /// [`Error::Mismatch`], [`Error::Memory`].
    pub fn new<C: Comm>(comm: &C, wanted: Result<(usize, Direction)>, options: &Options) -> Result<Self> {
        let checked = wanted.and_then(|(length, direction)| {
            let shape = Shape::new(length, comm.rank(), comm.size())?;
            let transforms = [shape.rows, shape.columns].map(|side| Transform::new(side).expect("2, 3, 5"));
            Ok((shape, transforms, direction == Direction::Backward))
        });
        let (shape, transforms, backward) = agree(comm, checked)?;
        let same = [("length", shape.length() as i64), ("direction", backward.into())];
        agree_on(comm, &[&same[..], &options.agreement()[..]].concat())?;
        let numbers = comm.node_numbers()?;
        let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
        let nodes = Topology::from_node_numbers(&numbers, limit).nodes();
        let patience = Patience::new(crowded(comm, &numbers)?, comm.simulated());
        let mut way = None;
        if shape.ranks == 1 || (nodes == 1 && options.path != Path::Message) {
            let created = OnNode::new(comm, shape.clone(), transforms.clone(), backward, patience);
            // Where ranks cannot share memory, all of them know.
            way = created.ok().map(|node| Way::Node(Box::new(node)));
        }
        let way = match way {
            Some(way) => way,
            None => {
                Way::Messages(Box::new(Messages::new(comm, shape.clone(), transforms, backward, options)?))
            }
        };
        Ok(Self { shape, way, last: Stages::default() })
    }

    /// Complex numbers of each rank.
    pub fn part(&self) -> usize {
        self.shape.part()
    }

    /// The number in the vector of this rank's first one.
    pub fn start(&self) -> usize {
        self.shape.part() * self.shape.rank
    }

    /// Collective: transforms. `input` is this rank's part of the vector and `output` that of the result, which may be the
    /// same memory; or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks: [`Error::Buffer`] for parts of another size; those of the exchanges.
    pub fn execute<'a, C: Comm>(&mut self, comm: &C, parts: Result<(Region<'a>, Region<'a>)>) -> Result<()> {
        let bytes = 16 * self.part();
        let checked = parts.and_then(|(input, output)| {
            match [input, output].into_iter().find(|part| part.len() != bytes) {
                Some(part) => Err(Error::Buffer(format!("{} bytes: expected {bytes}", part.len()))),
                None => Ok((input, output)),
            }
        });
        self.last = match &mut self.way {
            Way::Node(node) => node.execute(comm, checked),
            Way::Messages(messages) => messages.execute(comm, checked),
        }?;
        Ok(())
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
