//! The end of a superstep.
//!
//! Idea: the processes of a node meet at a barrier, which publishes their lists and their votes. Then the
//! data for other nodes is forwarded ([`crate::forwarding`]), and the processes of a node meet again. If any
//! process reads remote memory, every process answers the requests for its own memory before it writes
//! anything, the replies are forwarded in the same manner, and the values are written to their destinations,
//! in the order of the calls. Then every process performs the puts to its memory, in the order of the
//! processes and their calls, and queues its messages. The result therefore does not depend on which
//! processes share memory, even if several operations write the same bytes.
//!
//! This function does not access memory of another process, so no barrier is needed at its end. Unbuffered
//! operations of the next superstep, which do, wait until the other process has finished this function.
//!
//! Cost on one node: one barrier, with gets two. Between nodes: the messages of a plan, with gets twice.
//! Source: Hill et al. 1998, §3.2 for the order of gets and puts; everything else is our own.

#[cfg(hcube_model)]
pub mod model;

use crate::agreement::{self, Calls, Flag, Votes};
use crate::mates::{Place, exceeded};
use crate::messages::{Message, padded};
use crate::record::{self, Kind, Source, label};
use crate::spmd::Spmd;
use hcube_core::Result;
use hcube_core::atomic;
use hcube_core::comm::Comm;
use hcube_core::error::Error;
use hcube_core::machine::work::COPY;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::node::lists::Record;

/// Words of a registration in a record.
const PLACE_WORDS: usize = 2;

/// Which of [`Spmd::incoming`].
const DATA: usize = 0;
const REQUESTS: usize = 1;
const REGISTRATIONS: usize = 2;

impl<C: Comm> Spmd<C> {
    /// Collective: ends the superstep (`bsp_sync`).
    ///
    /// # Errors
    /// On all processes, if they have not made the same calls. Only on this one, if no memory is available,
    /// or if data for this process exceeds its registered memory: the caller then ends the job, because other
    /// processes wait.
    pub fn sync(&mut self) -> Result<()> {
        self.end_superstep(false)
    }

    /// Collective: ends the SPMD part (`bsp_end`). Communication requested since the last superstep is not
    /// performed.
    ///
    /// # Errors
    /// As [`Self::sync`].
    pub fn end(&mut self) -> Result<()> {
        self.end_superstep(true)
    }

    fn end_superstep(&mut self, ending: bool) -> Result<()> {
        if self.profile.is_none() {
            return self.end_unnoted(ending);
        }
        let entered = self.comm.seconds();
        self.end_unnoted(ending)?;
        let now = self.comm.seconds();
        if let Some(profile) = &mut self.profile {
            profile.end_superstep(entered, now);
        }
        Ok(())
    }

    fn end_unnoted(&mut self, ending: bool) -> Result<()> {
        self.announce_registrations()?;
        let calls = Calls {
            ending,
            pushes: self.registry.pushed().len(),
            pops: self.registry.pops().len(),
            tag_sizes: self.tags.calls,
            tag_bytes: self.tags.announced,
        };
        let reads_directly = self.direct.as_ref().is_some_and(|direct| !direct.reads.is_empty());
        let gets = reads_directly || !self.pending.is_empty();
        let votes = self.exchange(Votes::new(&calls, self.registry.pops(), gets))?;
        if !votes.agree() {
            return Err(agreement::difference(&self.comm, &calls, self.registry.pops()));
        }
        if ending {
            return Ok(());
        }
        if calls.pushes > 0 {
            self.note_registrations()?;
        }
        let data = std::mem::take(&mut self.incoming[DATA]);
        if votes.has(Flag::Gets) {
            self.answer_requests()?;
            self.read_directly()?;
            self.exchange(votes)?;
            self.take_replies()?;
        }
        self.queue.clear();
        self.take_data(&data)?;
        self.incoming[DATA] = data;
        if votes.has(Flag::NullPopped) {
            agreement::resolve_null(&self.comm, &mut self.registry)?;
        }
        let kept = self.registry.settle();
        self.mates.settle(kept.as_deref(), self.registry.count());
        self.tags.settle();
        self.records.turn();
        self.records.finish();
        Ok(())
    }

    /// Tells the processes of the node what this one registers.
    fn announce_registrations(&mut self) -> Result<()> {
        let pushed = self.registry.pushed();
        if pushed.len() == 0 {
            return Ok(());
        }
        let mut words: Vec<u64> =
            pushed.flat_map(|memory| [memory.address().addr() as u64, memory.len() as u64]).collect();
        let bytes = bytes_of_mut(&mut words);
        let (list, label) = (self.lists.everyone(), label(Kind::Registration, 0));
        self.records.record(list, 0, label, bytes.len())?.write(bytes);
        Ok(())
    }

    /// Collective with several nodes: takes note of what the processes of the node have registered, and of
    /// the largest sizes of all processes.
    fn note_registrations(&mut self) -> Result<()> {
        for &(process, list) in &self.incoming[REGISTRATIONS] {
            let mate =
                process.and_then(|process| self.mates.number(process)).expect("a process of this node");
            // SAFETY: located in this turn, and used immediately.
            for record in unsafe { self.records.records(list) } {
                let mut words = vec![0; record.payload.len() / size_of::<u64>()];
                record.payload.read(bytes_of_mut(&mut words));
                let place = |words: &[u64]| Place { address: words[0], size: words[1] };
                self.mates.add(mate, words.chunks_exact(PLACE_WORDS).map(place));
            }
        }
        if self.forwarding.is_some() {
            let mut sizes: Vec<u64> = self.registry.pushed().map(|memory| memory.len() as u64).collect();
            self.comm.all_reduce_max(&mut sizes)?;
            self.mates.add_largest(sizes.into_iter());
        }
        Ok(())
    }

    /// Collective: fills [`Spmd::incoming`] with the lists of all processes for this one, and combines the
    /// votes of all.
    fn exchange(&mut self, votes: Votes) -> Result<Votes> {
        self.incoming.iter_mut().for_each(Vec::clear);
        let lists = self.lists;
        if let Some(forwarding) = &mut self.forwarding {
            forwarding.collect(&mut self.records, |mate| lists.requests(mate))?;
        }
        let mut votes = self.meet(votes);
        self.locate(|mates, mate| Some(mates[mate]));
        if self.forwarding.is_some() {
            votes = self.travel(votes)?;
        }
        Ok(votes)
    }

    /// The barrier of the node; combines the votes of its processes.
    fn meet(&mut self, votes: Votes) -> Votes {
        let comm = &self.comm;
        let begin = self.profile.as_ref().map(|_| comm.seconds());
        self.records.meet(comm, self.patience, || comm.settle(), votes.words());
        if let (Some(profile), Some(begin)) = (&mut self.profile, begin) {
            profile.waited(comm.seconds() - begin);
        }
        (0..self.records.ranks())
            .fold(votes, |all, mate| all.and(Votes::from_words(self.records.notice(mate))))
    }

    /// Finds the lists for this process, before the node meets again, in the order of the processes.
    fn locate(&mut self, origin: impl Fn(&[usize], usize) -> Option<usize>) {
        let own = self.records.own_number();
        let numbers = [self.lists.data(own), self.lists.requests(own), self.lists.everyone()];
        for (kind, number) in numbers.into_iter().enumerate() {
            for mate in 0..self.records.ranks() {
                let list = self.records.list(mate, number);
                if !list.is_empty() {
                    self.incoming[kind].push((origin(&self.mates.processes, mate), list));
                }
            }
        }
    }

    /// Collective, with several nodes: the transport of records between them.
    fn travel(&mut self, votes: Votes) -> Result<Votes> {
        let forwarding = self.forwarding.as_mut().expect("several nodes");
        for &(_, list) in &self.incoming[REQUESTS] {
            // SAFETY: located in this turn, and used immediately.
            for record in unsafe { self.records.records(list) } {
                if record::parts(record.label).0 == Kind::Forwarded {
                    forwarding.add_passed(record);
                }
            }
        }
        let votes = forwarding.travel(&self.comm, votes)?;
        let (records, mates, lists) = (&mut self.records, &self.mates, self.lists);
        // The records that follow the last record of each list.
        let mut next: Vec<Option<Source>> = vec![None; 2 * mates.processes.len()];
        forwarding.deliver(|arrived| {
            let mate = mates.number(arrived.destination).expect("the plan ends on its node");
            let is_request = record::parts(arrived.label).0 == Kind::Get;
            let list = if is_request { lists.requests(mate) } else { lists.data(mate) };
            let (process, number) = arrived.source;
            if next[list] != Some(arrived.source) {
                records.record(list, record::origin(arrived.source), label(Kind::Origin, 0), 0)?;
            }
            next[list] = Some((process, number.wrapping_add(1)));
            records
                .record(list, arrived.value, arrived.label, arrived.payload.len())?
                .copy_from(arrived.payload);
            Ok(())
        })?;
        let votes = self.meet(votes);
        self.locate(|_, _| None);
        Ok(votes)
    }

    /// Reads lists record by record, with the source of each.
    fn read(
        &mut self,
        lists: &[(Option<usize>, hcube_core::node::lists::List)],
        mut work: impl FnMut(&mut Self, Source, Record<'static>) -> Result<()>,
    ) -> Result<()> {
        let mut copied = 0;
        for &(process, list) in lists {
            let mut source = (process.unwrap_or_default(), 0);
            // SAFETY: located in this superstep; messages in it are used until the end of the next one, when
            // this process enters its first barrier.
            let records = unsafe { self.records.records(list) };
            for record in records {
                copied += record.payload.len();
                match record::parts(record.label).0 {
                    Kind::Origin => source = record::source(record.value),
                    Kind::Forwarded => {}
                    Kind::Copied => self.note_copied(&record),
                    _ => {
                        work(self, source, record)?;
                        source.1 = source.1.wrapping_add(1);
                    }
                }
            }
        }
        // By the writer and by this process.
        self.comm.charge(COPY.of(2 * copied));
        Ok(())
    }

    /// For the profile: notes bytes that have arrived.
    #[inline]
    fn note_received(&mut self, bytes: usize) {
        if let Some(profile) = &mut self.profile {
            profile.received(bytes);
        }
    }

    /// For the profile: notes what another process has copied directly.
    fn note_copied(&mut self, record: &Record<'_>) {
        let Some(profile) = &mut self.profile else { return };
        match record::parts(record.label).1 {
            0 => profile.answered(record.value as usize),
            _ => profile.received(record.value as usize),
        }
    }

    /// Copies what others read of this process into replies.
    fn answer_requests(&mut self) -> Result<()> {
        let requests = std::mem::take(&mut self.incoming[REQUESTS]);
        self.read(&requests, |spmd, (origin, _), record| {
            let mut words = [0; 2];
            record.payload.read(bytes_of_mut(&mut words));
            let [request, bytes] = words;
            let memory = spmd.own_memory("bsp_get or bsp_hpget", origin, &record, bytes as usize)?;
            atomic::read(memory.address());
            if let Some(profile) = &mut spmd.profile {
                profile.answered(memory.len());
            }
            let label = label(Kind::Reply, 0);
            match spmd.mates.number(origin) {
                Some(mate) => {
                    let list = spmd.lists.data(mate);
                    spmd.records.record(list, request, label, memory.len())?.copy_from(memory);
                }
                None => spmd.pass_on(origin, request, label, memory)?,
            }
            Ok(())
        })
    }

    /// Writes the data that this process has read from others, in the order of the calls; data of one process
    /// of the node is in its replies.
    fn take_replies(&mut self) -> Result<()> {
        let replies = std::mem::take(&mut self.incoming[DATA]);
        let pending = std::mem::take(&mut self.pending);
        let is_in_order = replies.len() == 1 && self.forwarding.is_none();
        let mut values = vec![None; if is_in_order { 0 } else { pending.len() }];
        self.read(&replies, |spmd, _, record| {
            spmd.note_received(record.payload.len());
            let number = record.value as usize;
            if is_in_order {
                record.payload.copy_to(pending[number]);
            } else {
                values[number] = Some(record.payload);
            }
            Ok(())
        })?;
        for (value, into) in values.into_iter().zip(&pending) {
            value.expect("every request is answered").copy_to(*into);
        }
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    /// Carries out puts and queues messages.
    fn take_data(&mut self, data: &[(Option<usize>, hcube_core::node::lists::List)]) -> Result<()> {
        // Records from other nodes come in the order of the plan.
        let mut unordered = self.forwarding.is_some().then(Vec::new);
        self.read(data, |spmd, source, record| match &mut unordered {
            Some(all) => {
                all.push((source, record));
                Ok(())
            }
            None => spmd.take_record(source.0, record),
        })?;
        if let Some(mut all) = unordered {
            all.sort_by_key(|&(source, _)| source);
            all.into_iter().try_for_each(|(source, record)| self.take_record(source.0, record))?;
        }
        self.queue.open();
        Ok(())
    }

    #[inline(always)]
    fn take_record(&mut self, origin: usize, record: Record<'static>) -> Result<()> {
        match record::parts(record.label).0 {
            Kind::Put => {
                self.note_received(record.payload.len());
                let memory =
                    self.own_memory("bsp_put or bsp_hpput", origin, &record, record.payload.len())?;
                record.payload.copy_to(memory);
                // Others may read or write it directly in the next superstep.
                atomic::written(memory.address());
            }
            Kind::Message => {
                let (tag, bytes) = (self.tags.sent, record.value as usize);
                self.note_received(tag + bytes);
                let begin = padded(tag);
                let message = Message {
                    tag: record.payload.part(0..tag),
                    payload: record.payload.part(begin..begin + bytes),
                };
                self.queue.push(origin, message);
            }
            other => return Err(Error::Internal(format!("a record of kind {other:?} among data"))),
        }
        Ok(())
    }

    /// The memory of this process to which a record of another one refers.
    #[inline(always)]
    fn own_memory(
        &self,
        function: &str,
        origin: usize,
        record: &Record<'_>,
        bytes: usize,
    ) -> Result<Region<'static>> {
        let (memory, offset) = (self.registry.memory(record::parts(record.label).1), record.value as usize);
        match memory {
            Some(memory) if bytes <= memory.len() && offset <= memory.len() - bytes => {
                Ok(memory.part(offset..offset + bytes))
            }
            _ => {
                let size = memory.map_or(0, Region::len) as u64;
                let error = exceeded(offset, bytes, size, memory.is_none(), self.pid());
                Err(Error::Usage(format!("{function} by process {origin}: {error}")))
            }
        }
    }
}
