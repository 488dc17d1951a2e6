//! Broadcast: a block of one member on all members, blocking or asynchronous.
//!
//! Idea: a state machine on each member of a binomial tree, for all images on several nodes with one edge to
//! each node (`node_tree`). It waits for the block from its parent, sends it to its children, waits for
//! their replies, and replies to its parent. A long block is exposed (`rendezvous`): a member forwards the
//! reference to its children on the same node before it copies the block itself, so all of them copy from the
//! first location on their node. The event is notified when the program may use the memory again: the block
//! has arrived, and no image reads it there any more.
//!
//! A blocking broadcast compares the arguments in advance. An asynchronous broadcast compares them
//! concurrently: data does not wait for late members, and arguments that differ are an error of the wait that
//! detects it, on all members.
//!
//! With boards, a short block is published with the arguments; see `pieces`. Without boards, the arguments
//! carry a block of up to `MAX_CARRIED_BYTES` (`agreement`).
//!
//! Restrictions: none. Cost: a block per member, and a reply if it was exposed; ⌈log2 S⌉ edges from the root
//! to the farthest member, in a tree of N nodes with at most M members up to ⌈log2 N⌉ + ⌈log2 M⌉. Memory:
//! a copy on the first member of a node if a long block is not in the heap.
//! Source: Jin et al. 2011, §II-E, where children send the addresses of their memory first.

use super::agreement::{Agreement, MAX_CARRIED_BYTES, check_rank};
use super::members::{ANSWER, BROADCAST, Members};
use super::node_tree::NodeTree;
use super::rendezvous::Reference;
use super::tree::Tree;
use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::event::EventAt;
use crate::state::handles::Handle;
use crate::state::pending::Operation;
use crate::state::place::Place;
use crate::state::team::Team;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;

/// A pending broadcast, as seen by a member.
#[derive(Debug)]
struct Broadcast<'a> {
    members: Members,
    buffer: Region<'a>,
    parent: Option<usize>,
    /// Children to which nothing was sent yet.
    children: Vec<usize>,
    /// Whether the block is in the buffer.
    is_here: bool,
    /// The block that the parent has exposed.
    from_parent: Option<Reference>,
    /// The block that is exposed to children, and its copy.
    exposed: Option<(Reference, Option<usize>)>,
    /// Children that will answer.
    readers: Vec<usize>,
    /// Notified when the buffer belongs to the program again.
    done: Option<Place>,
    is_settled: bool,
}

/// A nonblocking one: arguments are compared concurrently.
#[derive(Debug)]
struct Unattended {
    /// None when it has ended, and on a member that has refused its arguments.
    broadcast: Option<Broadcast<'static>>,
    agreement: Option<Agreement>,
}

impl<C: Comm> Operation<Image<C>> for Unattended {
    fn advance(&mut self, image: &mut Image<C>) -> Result<bool> {
        if let Some(agreement) = &mut self.agreement
            && let Some(words) = image.advance_reduction(&mut agreement.reduction)?
        {
            let verdict = agreement.verdict(words);
            // A member's own error was returned immediately.
            let is_known = agreement.has_refused();
            self.agreement = None;
            if !is_known {
                verdict?;
            }
        }
        if let Some(broadcast) = &mut self.broadcast
            && image.advance_broadcast(broadcast)?
        {
            self.broadcast = None;
        }
        Ok(self.agreement.is_none() && self.broadcast.is_none())
    }

    fn uses_memory(&self) -> bool {
        self.broadcast.as_ref().is_some_and(|broadcast| !broadcast.is_settled)
    }
}

impl<'a> Broadcast<'a> {
    fn new(members: Members, root: usize, buffer: Region<'a>, done: Option<Place>) -> Self {
        let NodeTree { parent, children } = members.node_tree(root).unwrap_or_else(|| {
            let tree = Tree::new(members.rank, members.size, root);
            let parent = tree.parent().map(|power| members.backward(power));
            // The largest subtree first.
            let children = tree.children().rev().map(|power| members.forward(power)).collect();
            NodeTree { parent, children }
        });
        let is_here = parent.is_none();
        let (from_parent, exposed, readers, is_settled) = (None, None, Vec::new(), false);
        Self { members, buffer, parent, children, is_here, from_parent, exposed, readers, done, is_settled }
    }
}

impl<C: Comm> Image<C> {
    /// Goes on with a broadcast. Whether it has ended.
    fn advance_broadcast(&mut self, broadcast: &mut Broadcast<'_>) -> Result<bool> {
        if !broadcast.is_here && !self.receive_broadcast(broadcast)? {
            return Ok(false);
        }
        self.relay(broadcast);
        for index in (0..broadcast.readers.len()).rev() {
            let reader = broadcast.readers[index];
            let (gone, step) = (self.others.check(reader), broadcast.members.step(BROADCAST + ANSWER));
            match self.step_message(Some(reader), broadcast.members.team, step) {
                Some(_) => drop(broadcast.readers.swap_remove(index)),
                None => gone?,
            }
        }
        let is_sent = broadcast.children.is_empty();
        let is_read = is_sent && broadcast.readers.is_empty();
        let is_buffer_exposed =
            broadcast.from_parent.is_none() && matches!(broadcast.exposed, Some((_, None)));
        if !broadcast.is_settled && if is_buffer_exposed { is_read } else { is_sent } {
            broadcast.is_settled = true;
            if let Some(Place { image, offset }) = broadcast.done {
                self.memory.notify(image, offset, 1);
            }
        }
        if is_read {
            if let Some(reference) = broadcast.from_parent {
                self.answer(&broadcast.members, BROADCAST, reference);
            } else if let Some((_, Some(copy))) = broadcast.exposed {
                self.free_copy(copy)?;
            }
        }
        Ok(is_read)
    }

    /// Takes the block, if it has come.
    fn receive_broadcast(&mut self, broadcast: &mut Broadcast<'_>) -> Result<bool> {
        let Broadcast { members, buffer, .. } = broadcast;
        let (parent, step) = (broadcast.parent.expect("only the root has none"), members.step(BROADCAST));
        let gone = self.others.check(parent);
        let Some(message) = self.step_message(Some(parent), members.team, step) else {
            return gone.map(|()| false);
        };
        if message.bytes().len() == buffer.len() {
            buffer.write(message.bytes());
        } else {
            match Reference::of(&message) {
                Some(reference) if reference.bytes == buffer.len() => {
                    broadcast.from_parent = Some(reference);
                    broadcast.exposed = Some((reference, None));
                    // Others copy at the same time.
                    self.relay(broadcast);
                    self.copy_lent(reference, broadcast.buffer)?;
                }
                // The arguments differ, as all members are about to find.
                _ => return Ok(false),
            }
        }
        broadcast.is_here = true;
        Ok(true)
    }

    /// Sends the block to children for which there is room; to children on other nodes when it has arrived.
    fn relay(&mut self, broadcast: &mut Broadcast<'_>) {
        let Broadcast { members, buffer, children, is_here, exposed, readers, .. } = broadcast;
        children.retain(|&child| {
            if !self.memory.has_room(child) {
                return true;
            }
            if self.exposes_to(child, buffer.len()) {
                if exposed.is_none() {
                    *exposed = self.expose(*buffer, true);
                }
                if let Some((reference, _)) = *exposed {
                    self.post_reference(members, child, BROADCAST, reference);
                    readers.push(child);
                    return false;
                }
            }
            if *is_here {
                self.post_block(members, child, BROADCAST, *buffer);
            }
            !*is_here
        });
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the buffer of the member `root` on all members.
    ///
    /// # Errors
    /// On all members, for a root that does not exist, or if roots or lengths differ; for a team that was
    /// freed; if an image has failed.
    pub fn broadcast(&self, team: Handle, root: usize, buffer: Region<'_>) -> Result<()> {
        let alike = [("root", root as i64), ("bytes", buffer.len() as i64)];
        let check = |members: &Members| check_rank("root", root, members);
        let pieces = self.pieces(team, buffer.len(), buffer.len())?;
        let own = self.look_at_team(team, Team::rank)?;
        if pieces.is_none() && buffer.len() <= MAX_CARRIED_BYTES {
            return self.agree_and_carry(team, check, alike, (buffer, own == root));
        }
        let published = if own == root { Self::first_piece(pieces, buffer) } else { buffer.part(0..0) };
        let members = self.agree_with(team, check, alike, published)?;
        if pieces.is_some() {
            return if own == root { Ok(()) } else { self.take_piece(team, root, buffer) };
        }
        self.broadcast_agreed(members, root, buffer)
    }

    /// As [`Self::broadcast`], when the arguments have been compared.
    pub(super) fn broadcast_agreed(&self, members: Members, root: usize, buffer: Region<'_>) -> Result<()> {
        let mut broadcast = Broadcast::new(members, root, buffer, None);
        self.wait(|image| Ok(image.advance_broadcast(&mut broadcast)?.then_some(())))
    }

    /// Collective over the team: starts a broadcast of the buffer of the member `root` to all members. An
    /// event, on any member of its team, is notified when this image's buffer belongs to the program again:
    /// it is complete, and at the root may be written.
    ///
    /// # Errors
    /// For a root or an event that there is not; for a team that was freed. Then, and where roots or lengths
    /// differ, other members find an error in the next wait for an event, fence or end of a finish block.
    pub fn broadcast_async(
        &self,
        team: Handle,
        root: usize,
        buffer: Region<'static>,
        done: Option<EventAt>,
    ) -> Result<()> {
        let members = self.with(|image| image.begin(team))?;
        let done = self.place_of_optional("done", done);
        let (done, checked) = match (check_rank("root", root, &members), done) {
            (Ok(()), Ok(done)) => (done, Ok(())),
            (Err(error), _) | (_, Err(error)) => (None, Err(error)),
        };
        let broadcast = checked.is_ok().then(|| Broadcast::new(members.clone(), root, buffer, done));
        let alike = [("root", root as i64), ("bytes", buffer.len() as i64)];
        self.start_unattended(broadcast, Agreement::new(members, checked.clone(), alike))?;
        checked
    }

    /// Collective over the team: takes part in [`Self::broadcast_async`] with arguments of this member that
    /// are not valid, which is an error on all members. Returns this member's.
    pub fn refuse_broadcast_async(&self, team: Handle, error: Error) -> Error {
        let started = self.with(|image| image.begin(team)).and_then(|members| {
            self.start_unattended(None, Agreement::new(members, Err(error.clone()), [("", 0); 2]))
        });
        started.err().unwrap_or(error)
    }

    fn start_unattended(&self, broadcast: Option<Broadcast<'static>>, agreement: Agreement) -> Result<()> {
        let mut unattended = Unattended { broadcast, agreement: Some(agreement) };
        self.with(|image| {
            if !unattended.advance(image)? {
                image.pending.add(image.finishes.scope(), unattended);
            }
            Ok(())
        })
    }
}
