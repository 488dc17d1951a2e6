//! Operations that copy directly between the memory of two processes of a node: unbuffered operations at the
//! time of the call, large gets at the end of the superstep.
//!
//! Idea: a get must not write before all other processes have read, since its destination may be memory that
//! others read. If the destination is not registered, no other process can read it, so data is read directly
//! into the destination once all processes have met, and before they meet again and write, unless an earlier
//! get through the record lists has the same destination. Otherwise, and if a copy is refused, data is passed
//! through the record lists as in [`crate::spmd`].
//!
//! Cost: one copy by the kernel instead of two; for a large get a comparison with every registration of this
//! process.
//! Source: our own.

use crate::direct::Read;
use crate::record::{Kind, label};
use crate::spmd::Spmd;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::error::Error;
use hcube_core::memory::Region;

impl<C: Comm> Spmd<C> {
    /// Whether a get from a process of this node is a direct copy.
    #[inline]
    pub(crate) fn reads_directly(&self, mate: usize, into: Region<'_>) -> bool {
        self.direct.as_ref().is_some_and(|direct| direct.is_worthwhile(into.len()))
            && mate != self.records.own_number()
            && !self.registry.may_overlap(into)
            && !self.pending.iter().any(|earlier| earlier.overlaps(into))
    }

    /// Between two meetings of the node, while no process writes memory that others have registered: performs
    /// the gets that are direct copies.
    pub(crate) fn read_directly(&mut self) -> Result<()> {
        let reads = self.direct.as_mut().map(|direct| std::mem::take(&mut direct.reads));
        for Read { mate, address, into } in reads.into_iter().flatten() {
            if !self.direct.as_mut().is_some_and(|direct| direct.read(mate, address, into)) {
                return Err(Error::Usage(format!(
                    "bsp_get: the kernel has refused to read the memory of process {}, which it has permitted before: set \
                     HCUBE_BSP_SINGLE_COPY=0",
                    self.mates.processes[mate]
                )));
            }
            self.note_copy(mate, into.len(), false)?;
        }
        Ok(())
    }

    /// For the profile: notes bytes that this process has copied to a process of this node, or from it, on
    /// both sides.
    fn note_copy(&mut self, mate: usize, bytes: usize, to_mate: bool) -> Result<()> {
        let Some(profile) = &mut self.profile else { return Ok(()) };
        if to_mate {
            profile.answered(bytes);
        } else {
            profile.received(bytes);
        }
        let (list, label) = (self.lists.data(mate), label(Kind::Copied, u32::from(to_mate)));
        self.records.record(list, bytes as u64, label, 0).map(drop)
    }

    /// As [`Self::put`], but at any time until the end of the superstep: until then, the memory on both sides
    /// is not used otherwise.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub fn hpput(&mut self, process: usize, data: Region<'_>, target: usize, offset: usize) -> Result<()> {
        let is_large = self.direct.as_ref().is_some_and(|direct| direct.is_worthwhile(data.len()));
        if is_large
            && self.check_process(process).is_ok()
            && let Some(mate) = self.mates.number(process)
        {
            let registration = self.registry.find("dst", target)?;
            let address = self.mates.check(mate, registration, offset, data.len())?;
            if self.put_directly(mate, registration, offset, address, data)? {
                self.note(0);
                return self.note_copy(mate, data.len(), true);
            }
        }
        self.put(process, data, target, offset)
    }

    /// Whether the data was copied to a process of this node.
    fn put_directly(
        &mut self,
        mate: usize,
        registration: u32,
        offset: usize,
        address: u64,
        data: Region<'_>,
    ) -> Result<bool> {
        if mate == self.records.own_number() {
            let memory = self.registry.memory(registration).expect("it was checked");
            data.copy_to(memory.part(offset..offset + data.len()));
            return Ok(true);
        }
        // Before, that process may still write what the last superstep has put there.
        self.records.wait_for(mate, &self.comm, self.patience);
        Ok(self.direct.as_mut().is_some_and(|direct| direct.write(mate, address, data)))
    }

    /// As [`Self::get`], but at any time until the end of the superstep: until then, the memory on both sides
    /// is not used otherwise.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn hpget(
        &mut self,
        process: usize,
        source: usize,
        offset: usize,
        into: Region<'static>,
    ) -> Result<()> {
        let is_large = self.direct.as_ref().is_some_and(|direct| direct.is_worthwhile(into.len()));
        if is_large
            && self.check_process(process).is_ok()
            && let Some(mate) = self.mates.number(process)
        {
            let registration = self.registry.find("src", source)?;
            let address = self.mates.check(mate, registration, offset, into.len())?;
            if mate == self.records.own_number() {
                let memory = self.registry.memory(registration).expect("it was checked");
                memory.part(offset..offset + into.len()).copy_to(into);
                self.note(0);
                return self.note_copy(mate, into.len(), false);
            }
            self.records.wait_for(mate, &self.comm, self.patience);
            if self.direct.as_mut().is_some_and(|direct| direct.read(mate, address, into)) {
                self.note(0);
                return self.note_copy(mate, into.len(), false);
            }
        }
        self.get(process, source, offset, into)
    }

    /// Reads memory of a process of this node immediately.
    ///
    /// # Errors
    /// Names the argument that is not valid; also if the process is on another node, or if the system does
    /// not permit access to its memory.
    pub fn direct_get(
        &mut self,
        process: usize,
        source: usize,
        offset: usize,
        into: Region<'_>,
    ) -> Result<()> {
        if into.is_empty() {
            return Ok(());
        }
        self.check_process(process)?;
        let registration = self.registry.find("src", source)?;
        if let Some(mate) = self.mates.number(process) {
            let address = self.mates.check(mate, registration, offset, into.len())?;
            if mate == self.records.own_number() {
                let memory = self.registry.memory(registration).expect("it was checked");
                memory.part(offset..offset + into.len()).copy_to(into);
                self.note(0);
                return self.note_copy(mate, into.len(), false);
            }
            self.records.wait_for(mate, &self.comm, self.patience);
            if self.direct.as_mut().is_some_and(|direct| direct.read(mate, address, into)) {
                self.note(0);
                return self.note_copy(mate, into.len(), false);
            }
        }
        Err(Error::Usage(format!(
            "pid = {process}: expected a process of the same node whose memory the kernel permits to read; bsp_get reads \
             the memory of all processes"
        )))
    }
}
