//! The state of an image, and what it does for others while it waits.

use crate::coarray::{Addresses, Coarray};
use crate::collective::staging::Staging;
use crate::finish::Finishes;
use crate::handles::{Handle, Table};
use crate::lock::Locks;
use crate::mail::{self, Key, Letter, Mail};
use crate::operation::Operations;
use crate::options::Options;
use crate::others::Others;
use crate::participation::Participation;
use crate::spawn::Shipped;
use crate::statistics::Statistics;
use crate::team::Team;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, HCUBE_ERR_MEMORY, Result};
use hcube_core::node::processor::crowded;
use hcube_core::onesided::Onesided;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;

/// Active messages of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A step of a collective operation; see [`mail`].
    Mail = 1,
    /// A shipped function; see [`crate::spawn`].
    Spawn,
    /// Where a coarray lies: its identity, and the number of the question.
    Address,
    /// The answer.
    AddressIs,
    /// What an asynchronous copy asks another image for; see [`crate::copy`].
    Copy,
    /// An image has failed or stopped; see [`crate::others`].
    Status,
    /// How far an image that has stopped has come in a team; see [`crate::participation`].
    HowFar,
    /// The answer.
    SoFar,
}

const KINDS: [Kind; 8] = [
    Kind::Mail,
    Kind::Spawn,
    Kind::Address,
    Kind::AddressIs,
    Kind::Copy,
    Kind::Status,
    Kind::HowFar,
    Kind::SoFar,
];

/// Tag of a step of a collective operation whose receiver knows who sends it.
pub(crate) const NAMED: u64 = 1;

/// Looks for messages from one look at the operations to the next.
const MESSAGES_PER_ADVANCE: usize = 64;

/// What [`Image::progress`] has found.
pub(crate) enum Step {
    /// Nothing.
    Idle,
    /// Something that is done.
    Worked,
    /// Shipped functions have arrived, which the caller runs when it has let the image go.
    Run,
}

/// The state of an image.
pub struct Image<C: Comm> {
    pub(crate) comm: C,
    pub(crate) memory: Onesided<C>,
    pub(crate) patience: Patience,
    pub(crate) options: Options,
    pub(crate) mail: Mail,
    pub(crate) teams: Table<Team>,
    /// Teams that were formed with this image so far.
    pub(crate) formed: u64,
    /// The default teams, the current one last.
    pub(crate) stack: Vec<Handle>,
    pub(crate) coarrays: Table<Coarray>,
    pub(crate) addresses: Addresses,
    pub(crate) operations: Operations,
    /// Looks for messages since the operations were last looked at.
    received: usize,
    pub(crate) locks: Locks,
    /// What [`Runtime::wait_any`](crate::Runtime::wait_any) has found last.
    pub(crate) found_event: Option<(Handle, usize)>,
    /// Memory for blocks that collective operations lend.
    pub(crate) staging: Staging,
    pub(crate) finishes: Finishes,
    pub(crate) shipped: Shipped,
    /// Shipped functions that are running, one inside the other.
    pub(crate) depth: usize,
    pub(crate) others: Others,
    pub(crate) participation: Participation,
    pub(crate) statistics: Statistics,
}

impl<C: Comm> Image<C> {
    /// Collective over `comm`, whose messages are opened.
    ///
    /// # Errors
    /// On all images, where the options differ or one has no memory; those of MPI.
    pub fn new(comm: C, options: Options) -> Result<Self> {
        hcube_core::comm::agree_on(&comm, &options.agreement())?;
        let nodes = comm.node_numbers()?;
        let patience = Patience::new(crowded(&comm, &nodes)?, comm.simulated()).with_long_rests();
        let limit = (options.ranks_per_node != 0).then_some(options.ranks_per_node);
        let topology = Topology::from_node_numbers(&nodes, limit);
        let mut memory = match Onesided::share(&comm, &topology) {
            Ok(memory) => memory,
            // On all images alike, also where only another one has had it; messages instead.
            Err(error) if error.code() == HCUBE_ERR_MEMORY => {
                Onesided::share(&comm, &Topology::without_nodes(comm.size()))?
            }
            Err(error) => return Err(error),
        };
        let others = Others::new(&comm, &mut memory)?;
        let staging = Staging::new(&comm, &mut memory)?;
        let mut world = Team::world(comm.rank(), comm.size(), &mut memory)?;
        world.open_boards(patience.shares_cores(), &mut memory);
        let mut teams = Table::new("team", "a team that was not freed");
        let stack = vec![teams.add(world)];
        // From here on, others access this image.
        comm.barrier()?;
        Ok(Self {
            comm,
            memory,
            patience,
            options,
            mail: Mail::default(),
            teams,
            formed: 0,
            stack,
            coarrays: Table::new("coarray", "a coarray that was not freed"),
            addresses: Addresses::default(),
            operations: Operations::default(),
            received: 0,
            locks: Locks::default(),
            found_event: None,
            staging,
            finishes: Finishes::default(),
            shipped: Shipped::default(),
            depth: 0,
            others,
            participation: Participation::default(),
            statistics: Statistics::default(),
        })
    }

    /// The team of all images.
    pub fn world(&self) -> Handle {
        self.stack[0]
    }

    /// The default team.
    #[inline]
    pub fn team(&self) -> Handle {
        *self.stack.last().expect("the team of all images is never popped")
    }

    /// An error where the program cannot end.
    pub(crate) fn check_end(&self) -> Result<()> {
        if self.depth > 0 {
            return Err(Error::Usage("called in a shipped function".into()));
        }
        // Where an image has failed, no block ends any more.
        self.others.check_all()?;
        if self.finishes.is_inside() {
            return Err(Error::Usage(
                "called in a finish block: expected hcube_caf_finish_end before".into(),
            ));
        }
        Ok(())
    }

    /// Ends what others need of this image, when all have come here.
    pub(crate) fn leave(&mut self) -> Result<()> {
        // Acknowledgements may still be under way, and MPI ends with none: what was sent before the first barrier is taken
        // after it, with answers, and these after the second one.
        for _ in 0..2 {
            self.memory.flush(&self.comm)?;
            self.comm.barrier()?;
            while self.memory.receive(&self.comm)?.is_some() {}
        }
        self.others.end(&self.memory);
        Ok(())
    }

    /// Something has arrived in a wait; see [`Others::look_when_busy`].
    #[inline]
    pub(crate) fn look_when_busy(&mut self) {
        let Self { others, memory, .. } = self;
        others.look_when_busy(memory);
    }

    /// Sends to other nodes what somebody waits for there.
    #[inline]
    pub(crate) fn send_awaited(&mut self) -> Result<()> {
        self.memory.flush_awaited(&self.comm)
    }

    /// Looks once for what has arrived, and does it.
    pub(crate) fn progress(&mut self) -> Result<Step> {
        if self.shipped.is_ready() {
            return Ok(Step::Run);
        }
        self.take_short();
        let step = self.receive_one()?;
        Ok(if self.shipped.is_ready() { Step::Run } else { step })
    }

    fn receive_one(&mut self) -> Result<Step> {
        // Operations go on beside messages that arrive all the time.
        self.received += 1;
        if self.received >= MESSAGES_PER_ADVANCE && !self.operations.is_empty() {
            self.received = 0;
            self.advance();
        }
        match self.memory.receive(&self.comm)? {
            Some(message) => self.handle(message),
            None if self.operations.is_empty() => Ok(Step::Idle),
            None => Ok(self.advance()),
        }
    }

    fn handle(&mut self, message: Message) -> Result<Step> {
        let Message { from, kind, .. } = message;
        let broken = || Error::Internal(format!("image {from} has sent a message of kind {kind}"));
        match KINDS.into_iter().find(|&known| known as u8 == kind).ok_or_else(broken)? {
            Kind::Mail => {
                let from = (message.tag == NAMED).then_some(from);
                if !self.mail.put(from, message.payload) {
                    return Err(broken());
                }
            }
            Kind::Spawn if self.arrived(&message) => {}
            Kind::Spawn => return Err(broken()),
            Kind::Address => self.tell_address(&message),
            Kind::AddressIs => self.note_address(&message),
            Kind::Copy => self.take_copy(&message)?,
            Kind::Status => self.others.note_message(message.tag),
            Kind::HowFar => self.tell_how_far(&message),
            Kind::SoFar => self.note_how_far(&message),
        }
        Ok(Step::Worked)
    }

    /// Sends a step of a collective operation; `named`, the receiver knows who sends it.
    pub(crate) fn post(&mut self, to: usize, team: u64, step: u64, named: bool, bytes: &[u8]) {
        let tag = if named { NAMED } else { 0 };
        self.memory.send(to, Kind::Mail as u8, tag, [&mail::head(team, step), bytes]);
        self.memory.hurry();
    }

    /// A step of a collective operation that has arrived, from this image or one that is not known.
    pub(crate) fn letter(&mut self, from: Option<usize>, team: u64, step: u64) -> Option<Letter> {
        self.mail.take(Key { team, step, from })
    }
}
