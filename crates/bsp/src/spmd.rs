//! The SPMD part of a program, from the view of one of its processes: the requests of a superstep.
//!
//! Idea: `bsp_put` and `bsp_send` copy their data immediately into the record lists of this process, in the
//! list for the destination, and `bsp_get` appends a request there. At the end of the superstep
//! ([`crate::sync`]) every process reads the lists of the others for it. Large unbuffered operations are
//! single copies at the time of the call, if the kernel permits them.
//!
//! Cost: a put is copied twice, with a header of 16 bytes; a superstep without gets has one barrier. Memory:
//! twice the bytes that a superstep puts and sends.
//! Source: Hill et al. 1998, "BSPlib: the BSP programming library"; Krusche 2005, §2.6 and appendix A.

use crate::direct::{Direct, Read};
use crate::forwarding::Forwarding;
use crate::mates::Mates;
use crate::messages::{Message, Queue, TagSizes, padded};
use crate::options::Options;
use crate::profile::{Profile, Summary};
use crate::record::{Kind, label};
use crate::registry::Registry;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::Error;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::node::lists::{self, List, RecordLists};
use hcube_core::node::processor::crowded;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;

/// The lists of a process: data for each process of its node, then requests, then data for all of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lists {
    mates: usize,
}

impl Lists {
    /// Of a process whose node has this number of processes.
    pub fn of(mates: usize) -> Self {
        Self { mates }
    }

    /// Puts, messages and replies.
    #[inline]
    pub fn data(self, mate: usize) -> usize {
        mate
    }

    /// Gets, and records that are forwarded.
    #[inline]
    pub fn requests(self, mate: usize) -> usize {
        self.mates + mate
    }

    /// Registrations.
    pub fn everyone(self) -> usize {
        2 * self.mates
    }

    pub fn count(self) -> usize {
        2 * self.mates + 1
    }
}

/// A list for this process, and the process that has written it; none if its records name their origins.
pub(crate) type Incoming = (Option<usize>, List);

/// One process of the SPMD part.
#[derive(Debug)]
pub struct Spmd<C: Comm> {
    pub(crate) comm: C,
    pub(crate) patience: Patience,
    pub(crate) mates: Mates,
    pub(crate) lists: Lists,
    pub(crate) records: RecordLists,
    pub(crate) forwarding: Option<Forwarding>,
    pub(crate) direct: Option<Direct>,
    pub(crate) registry: Registry,
    pub(crate) tags: TagSizes,
    pub(crate) queue: Queue,
    /// Where gets of this superstep write, by the numbers of their requests.
    pub(crate) pending: Vec<Region<'static>>,
    /// Lists for this process: data, requests, and registrations.
    pub(crate) incoming: [Vec<Incoming>; 3],
    pub(crate) profile: Option<Box<Profile>>,
    begin: f64,
}

/// Which processes share memory, and how all of them lie on nodes.
fn share_memory<C: Comm>(comm: &C, options: &Options) -> Result<(Topology, RecordLists)> {
    let limit = (options.ranks_per_node != 0).then_some(options.ranks_per_node);
    let topology = Topology::from_node_numbers(&comm.node_numbers()?, limit);
    let ranks = mates(&topology, comm.rank());
    let processes = if comm.simulated() { comm.size() } else { 1 };
    let mut reserve = [-(lists::reserve(ranks.len(), processes) as i64)];
    comm.all_reduce_max(&mut reserve)?;
    let lists = Lists::of(ranks.len()).count();
    match RecordLists::share(comm, &ranks, lists, -reserve[0] as usize) {
        Ok(records) => Ok((topology, records)),
        // On all processes alike; messages instead.
        Err(_) => {
            let records = agree(comm, RecordLists::own(Lists::of(1).count()))?;
            Ok((Topology::without_nodes(comm.size()), records))
        }
    }
}

/// The processes of the node of a process.
fn mates(topology: &Topology, process: usize) -> Vec<usize> {
    let node = topology.node_of(topology.position(process));
    let mut mates: Vec<usize> =
        topology.positions(node..node + 1).map(|position| topology.rank(position)).collect();
    mates.sort_unstable();
    mates
}

impl<C: Comm> Spmd<C> {
    /// Collective: begins the SPMD part of the processes of `comm`, whose messages are open.
    ///
    /// # Errors
    /// On all processes, if the options differ; errors of MPI.
    pub fn begin(comm: C, options: &Options) -> Result<Self> {
        hcube_core::comm::agree_on(&comm, &options.agreement())?;
        let nodes = comm.node_numbers()?;
        let patience = Patience::new(crowded(&comm, &nodes)?, comm.simulated());
        let (topology, records) = share_memory(&comm, options)?;
        let own = comm.rank();
        let mates = Mates::new(mates(&topology, own), comm.size());
        let forwarding = (topology.nodes() > 1).then(|| Forwarding::new(&topology, own, options.memory));
        let direct = Direct::prove(&comm, &mates.processes, options.single_copy)?;
        comm.barrier()?;
        Ok(Self { forwarding, direct, ..Self::on(comm, patience, mates, records) })
    }

    /// The process whose node has these processes and lists, before its first superstep.
    pub(crate) fn on(comm: C, patience: Patience, mates: Mates, records: RecordLists) -> Self {
        Self {
            begin: comm.seconds(),
            patience,
            lists: Lists::of(mates.processes.len()),
            mates,
            records,
            forwarding: None,
            direct: None,
            registry: Registry::default(),
            tags: TagSizes::default(),
            queue: Queue::default(),
            pending: Vec::new(),
            incoming: Default::default(),
            profile: None,
            comm,
        }
    }

    /// This process.
    #[inline]
    pub fn pid(&self) -> usize {
        self.comm.rank()
    }

    /// Number of processes.
    #[inline]
    pub fn nprocs(&self) -> usize {
        self.mates.all()
    }

    /// Seconds since the SPMD part began.
    pub fn time(&self) -> f64 {
        self.comm.seconds() - self.begin
    }

    /// From now on the cost of each superstep is noted; on all processes.
    pub fn start_profile(&mut self) {
        self.profile = Some(Box::new(Profile::new(self.comm.seconds())));
    }

    /// Collective: the cost of the supersteps, if it was recorded.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn profile(&self) -> Result<Option<Summary>> {
        self.profile.as_ref().map(|profile| profile.summary(&self.comm)).transpose()
    }

    /// Notes an operation and the bytes that it sends.
    #[inline]
    pub(crate) fn note(&mut self, bytes: usize) {
        if let Some(profile) = &mut self.profile {
            profile.asked(bytes);
        }
    }

    /// The communication between the processes.
    pub fn comm(&self) -> &C {
        &self.comm
    }

    /// Registers memory from the next superstep on; all processes do, in the same order. NULL of length 0:
    /// this process has no memory to register.
    ///
    /// # Errors
    /// See [`Registry::push`].
    pub fn push_reg(&mut self, memory: Region<'static>) -> Result<()> {
        self.registry.push(memory)
    }

    /// Removes the latest registration of an address at the end of the superstep.
    ///
    /// # Errors
    /// See [`Registry::pop`].
    pub fn pop_reg(&mut self, address: usize) -> Result<()> {
        self.registry.pop(address)
    }

    #[inline]
    pub(crate) fn check_process(&self, process: usize) -> Result<()> {
        if process < self.nprocs() { Ok(()) } else { Err(self.no_process(process)) }
    }

    #[cold]
    fn no_process(&self, process: usize) -> Error {
        Error::argument("pid", process, format!("0 to {}", self.nprocs() - 1))
    }

    /// Writes at `offset` in the memory that `process` has registered by the call in which this one has
    /// registered `target`, at the end of the superstep, after all gets. The data is copied before the
    /// function returns.
    ///
    /// # Errors
    /// Names the argument that is not valid.
    #[inline]
    pub fn put(&mut self, process: usize, data: Region<'_>, target: usize, offset: usize) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        self.check_process(process)?;
        let registration = self.registry.find("dst", target)?;
        self.note(data.len());
        let label = label(Kind::Put, registration);
        match self.mates.number(process) {
            Some(mate) => {
                self.mates.check(mate, registration, offset, data.len())?;
                let list = self.lists.data(mate);
                self.records.record(list, offset as u64, label, data.len())?.copy_from(data);
            }
            None => {
                self.mates.check_elsewhere(registration, offset, data.len())?;
                self.pass_on(process, offset as u64, label, data)?;
            }
        }
        Ok(())
    }

    /// Reads at `offset` in the memory that `process` has registered by the call in which this one has
    /// registered `source`, with the values at the end of the superstep before any put; `into` is written at
    /// the end of the superstep.
    ///
    /// # Errors
    /// Names the argument that is not valid.
    #[inline]
    pub fn get(&mut self, process: usize, source: usize, offset: usize, into: Region<'static>) -> Result<()> {
        if into.is_empty() {
            return Ok(());
        }
        self.check_process(process)?;
        let registration = self.registry.find("src", source)?;
        self.note(0);
        let label = label(Kind::Get, registration);
        let mut request = [self.pending.len() as u64, into.len() as u64];
        let request = Region::of(bytes_of_mut(&mut request));
        match self.mates.number(process) {
            Some(mate) => {
                let address = self.mates.check(mate, registration, offset, into.len())?;
                if self.reads_directly(mate, into) {
                    let direct = self.direct.as_mut().expect("it reads");
                    direct.reads.push(Read { mate, address, into });
                    return Ok(());
                }
                let list = self.lists.requests(mate);
                self.records.record(list, offset as u64, label, request.len())?.copy_from(request);
            }
            None => {
                self.mates.check_elsewhere(registration, offset, into.len())?;
                self.pass_on(process, offset as u64, label, request)?;
            }
        }
        self.pending.push(into);
        Ok(())
    }

    /// Sends a message, which is in the queue of `process` in the next superstep. Tag and payload are copied
    /// before the function returns; the tag has [`Self::tag_bytes`].
    ///
    /// # Errors
    /// Names the argument that is not valid.
    #[inline]
    pub fn send(&mut self, process: usize, tag: Region<'_>, payload: Region<'_>) -> Result<()> {
        self.check_process(process)?;
        self.note(tag.len() + payload.len());
        let length = padded(tag.len()) + payload.len();
        let (value, label) = (payload.len() as u64, label(Kind::Message, 0));
        let record = match self.mates.number(process) {
            Some(mate) => self.records.record(self.lists.data(mate), value, label, length)?,
            None => self.record_elsewhere(process, value, label, length)?,
        };
        record.part(0..tag.len()).copy_from(tag);
        record.part(length - payload.len()..length).copy_from(payload);
        Ok(())
    }

    /// A record for a process of another node, whose payload is to be filled.
    fn record_elsewhere(
        &mut self,
        process: usize,
        value: u64,
        label: u32,
        length: usize,
    ) -> Result<Region<'_>> {
        let origin = self.pid();
        self.forwarding
            .as_mut()
            .expect("a process of another node")
            .record(process, origin, value, label, length)
    }

    /// Takes a record for a process of another node.
    pub(crate) fn pass_on(
        &mut self,
        process: usize,
        value: u64,
        label: u32,
        payload: Region<'_>,
    ) -> Result<()> {
        self.record_elsewhere(process, value, label, payload.len())?.copy_from(payload);
        Ok(())
    }

    /// Bytes of the tags of messages that are sent in this superstep.
    #[inline]
    pub fn tag_bytes(&self) -> usize {
        self.tags.sent
    }

    /// Announces the size of tags from the next superstep on; returns the one announced before.
    ///
    /// # Errors
    /// If it is too large.
    pub fn set_tag_bytes(&mut self, bytes: usize) -> Result<usize> {
        self.tags.announce(bytes)
    }

    /// Number of messages left, and bytes of their payloads.
    pub fn queue_size(&self) -> (usize, usize) {
        self.queue.size()
    }

    /// The first message, which stays in the queue.
    #[inline]
    pub fn first_message(&self) -> Option<Message<'_>> {
        self.queue.first()
    }

    /// Takes the first message; its memory stays until the end of the superstep.
    #[inline]
    pub fn take_message(&mut self) -> Option<Message<'_>> {
        self.queue.take()
    }
}
