//! An image: the parts of its state, and the message handlers of the layer above.

use crate::state::coarray::Coarrays;
use crate::state::finish::Finishes;
use crate::state::handles::Handle;
use crate::state::locks::Locks;
use crate::state::messages::Kind;
use crate::state::notices::Notices;
use crate::state::options::Options;
use crate::state::others::Others;
use crate::state::participation::Participation;
use crate::state::pending::Pending;
use crate::state::shipped::Shipped;
use crate::state::staging::Staging;
use crate::state::statistics::Statistics;
use crate::state::steps::Steps;
use crate::state::team::Team;
use crate::state::team::teams::Teams;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{HCUBE_ERR_MEMORY, Result};
use hcube_core::node::processor::crowded;
use hcube_core::onesided::Onesided;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;

/// The handler of a message of a kind, by an image of the type `I`. Returns whether it is such a message.
pub(crate) type Handler<I> = fn(&mut I, Message) -> Result<bool>;

/// The handlers of all kinds, in the order of [`Kind::ALL`].
pub(crate) type Handlers<I> = [Handler<I>; Kind::ALL.len()];

/// An image. Each part of its state keeps its fields to itself.
pub struct Image<C: Comm> {
    pub(crate) comm: C,
    pub(crate) memory: Onesided<C>,
    pub(crate) patience: Patience,
    pub(crate) teams: Teams,
    pub(crate) coarrays: Coarrays,
    pub(crate) steps: Steps,
    /// Memory for blocks that collective operations expose.
    pub(crate) staging: Staging,
    pub(crate) locks: Locks,
    pub(crate) notices: Notices,
    /// The event that [`Runtime::wait_any`](crate::Runtime::wait_any) has found last.
    pub(crate) last_event: Option<(Handle, usize)>,
    pub(crate) finishes: Finishes,
    pub(crate) shipped: Shipped,
    pub(crate) pending: Pending<Self>,
    pub(crate) others: Others,
    pub(crate) participation: Participation,
    pub(crate) statistics: Statistics,
    pub(super) handlers: Handlers<Self>,
    /// Number of polls since the pending operations were last advanced.
    pub(super) polls: usize,
}

impl<C: Comm> Image<C> {
    /// Collective over `comm`, whose messages are opened.
    ///
    /// # Errors
    /// On all images, if the options differ or one has no memory; errors of MPI.
    pub(super) fn new(comm: C, options: &Options, handlers: Handlers<Self>) -> Result<Self> {
        hcube_core::comm::agree_on(&comm, &options.agreement())?;
        let nodes = comm.node_numbers()?;
        let patience = Patience::new(crowded(&comm, &nodes)?, comm.simulated()).with_long_rests();
        let limit = (options.ranks_per_node != 0).then_some(options.ranks_per_node);
        let topology = Topology::from_node_numbers(&nodes, limit);
        let (memory, topology) = match Onesided::share(&comm, &topology) {
            Ok(memory) => (memory, topology),
            // On all images alike, also where only another one has had it; messages instead.
            Err(error) if error.code() == HCUBE_ERR_MEMORY => {
                let topology = Topology::without_nodes(comm.size());
                (Onesided::share(&comm, &topology)?, topology)
            }
            Err(error) => return Err(error),
        };
        Self::on((memory, &topology), patience, comm, options, handlers)
    }

    /// Collective over `comm`: as [`Self::new`], in memory that the images of each node share.
    pub(super) fn on(
        (mut memory, topology): (Onesided<C>, &Topology),
        patience: Patience,
        comm: C,
        options: &Options,
        handlers: Handlers<Self>,
    ) -> Result<Self> {
        // Every step is one that its receiver waits for.
        memory.expect_no_receipts(Kind::Step as u8);
        let others = Others::new(&comm, &mut memory)?;
        let staging = Staging::new(&comm, &mut memory)?;
        let mut world = Team::world(comm.rank(), comm.size(), &mut memory)?;
        world.open_boards(patience.shares_cores(), &mut memory);
        hcube_core::comm::agree(&comm, world.open_nodes(topology, &mut memory))?;
        // From here on, others access this image.
        comm.barrier()?;
        Ok(Self {
            teams: Teams::new(world),
            coarrays: Coarrays::default(),
            steps: Steps::default(),
            staging,
            locks: Locks::new(comm.rank()),
            notices: Notices::default(),
            last_event: None,
            finishes: Finishes::default(),
            shipped: Shipped::new(options.look),
            pending: Pending::default(),
            others,
            participation: Participation::default(),
            statistics: Statistics::default(),
            handlers,
            polls: 0,
            comm,
            memory,
            patience,
        })
    }
}
