//! Formation of teams.
//!
//! Idea: the members of the parent sort their colours and keys along its ring by a network whose partners are
//! at distances of powers of two, so that each partner is one link away (`network`). Afterwards the members
//! of a new team are neighbours. Two scans determine the first and the last member of each team, hence the
//! new rank, the size and the neighbours, which are sent back to the members that contributed the keys. Links
//! of distance 2^(i+1) are built from links of distance 2^i: the member at distance 2^i forwards its link of
//! that distance.
//!
//! Restrictions: members with a negative colour, which are in no team, take part only in the sorting.
//! Cost: O(log² P) steps of one short message, O(log P) words; no image ever holds a list of members.
//! Source: Jin et al. 2011, §II-A, for the cost and the links; the construction of the links is our own.

use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::participation::Series;
use crate::state::steps::step;
use crate::state::team::network::{Comparison, STEPS, comparisons};
use crate::state::team::ring::{BACKWARD, FORWARD, Link, Ring};
use crate::state::team::{Team, board, chain};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

/// An entry that is sorted: a member of the parent and its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    colour: i64,
    key: i64,
    /// The rank in the parent.
    rank: i64,
    image: i64,
    /// The identity of the new team, if this is its first member.
    id: i64,
}

impl Entry {
    fn words(self) -> [i64; 5] {
        [self.colour, self.key, self.rank, self.image, self.id]
    }

    fn of([colour, key, rank, image, id]: [i64; 5]) -> Self {
        Self { colour, key, rank, image, id }
    }
}

/// A position and the entry there: one end of a new team.
#[derive(Debug, Clone, Copy)]
struct End {
    position: usize,
    entry: Entry,
}

/// Steps after the network: the scans, and the notification of the owner of an entry.
const SCANS: usize = STEPS;
const RESULT: usize = 1 << 13;

/// A split, seen from a member of the parent.
struct Split<'a, C: Comm> {
    runtime: &'a Runtime<C>,
    parent: Handle,
    /// The identity of the parent and the number of the operation.
    id: u64,
    operation: u64,
    rank: usize,
    size: usize,
}

impl<C: Comm> Split<'_, C> {
    /// The image at a position whose distance is a power of two, which a link gives.
    fn linked(&self, position: usize) -> Result<usize> {
        let power = position.abs_diff(self.rank).trailing_zeros() as usize;
        let direction = if position > self.rank { FORWARD } else { BACKWARD };
        self.runtime.with(|image| Ok(image.teams.get(self.parent)?.ring().link(power, direction).image))
    }

    fn send(&self, to: usize, round: usize, words: &[i64]) -> Result<()> {
        self.runtime.send_words(to, self.id, step(self.operation, round), words)
    }

    fn receive<const N: usize>(&self, from: Option<usize>, round: usize) -> Result<[i64; N]> {
        self.runtime.receive_words(from, self.id, step(self.operation, round))
    }

    /// Sorts the entries of all members: the one at this position.
    fn sort(&self, own: Entry) -> Result<Entry> {
        let mut entry = own;
        for Comparison { round, partner, keeps_smaller } in comparisons(self.rank, self.size) {
            let image = self.linked(partner)?;
            self.send(image, round, &entry.words())?;
            let other = Entry::of(self.receive(Some(image), round)?);
            entry = if keeps_smaller { entry.min(other) } else { entry.max(other) };
        }
        Ok(entry)
    }

    /// The end of the positions of the own colour in a direction, and the adjacent entry there.
    fn end(&self, entry: Entry, direction: usize) -> Result<(End, Option<Entry>)> {
        let (mut end, mut beside) = (End { position: self.rank, entry }, None);
        for power in 0..chain::links(self.size) as usize {
            let round = SCANS + 2 * power + direction;
            let distance = 1 << power;
            let (above, below) = (self.rank + distance, self.rank.checked_sub(distance));
            let above = (above < self.size).then_some(above);
            // To learn of what lies backward, every position sends forward.
            let (to, from) = if direction == BACKWARD { (above, below) } else { (below, above) };
            if let Some(to) = to {
                let words = [&[end.position as i64], &end.entry.words()[..], &entry.words()].concat();
                self.send(self.linked(to)?, round, &words)?;
            }
            if let Some(from) = from {
                let [position, its_end @ .., a, b, c, d, e] =
                    self.receive::<11>(Some(self.linked(from)?), round)?;
                let there = Entry::of([a, b, c, d, e]);
                if power == 0 {
                    beside = Some(there);
                }
                if there.colour == entry.colour {
                    end = End { position: position as usize, entry: Entry::of(its_end) };
                }
            }
        }
        Ok((end, beside))
    }

    /// Tells the owner of an entry its place: rank, size, identity, and the images of both neighbours.
    fn tell_owner(&self, entry: Entry) -> Result<()> {
        let (first, before) = self.end(entry, BACKWARD)?;
        let (last, after) = self.end(entry, FORWARD)?;
        let beside = |entry: Option<Entry>, is_end: bool, end: Entry| match entry {
            Some(entry) if !is_end => entry.image,
            _ => end.image,
        };
        let backward = beside(before, first.position == self.rank, last.entry);
        let forward = beside(after, last.position == self.rank, first.entry);
        let (rank, size) = (self.rank - first.position, last.position + 1 - first.position);
        let words = [rank as i64, size as i64, first.entry.id, forward, backward];
        let to = usize::try_from(entry.image).expect("an image");
        self.runtime.send_words_openly(to, self.id, step(self.operation, RESULT), &words)
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the parent: a new team for each colour of its members, ordered by key and then by
    /// their rank in the parent. None for members with a negative colour.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function; if this image has no memory, which ends the job
    /// because others wait; if an image has failed.
    pub fn split(&self, parent: Handle, colour: i64, key: i64) -> Result<Option<Handle>> {
        let (split, own) = self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            let (this, proposal) = (image.comm.rank(), image.teams.next_number());
            let team = image.teams.get_mut(parent)?;
            let (id, operation) = (team.identity(), team.next_operation());
            let (rank, size) = (team.rank(), team.size());
            image.participation.begin(id, Series::Operations, operation, &image.others);
            let id_of_new = (this as i64) << 32 | proposal as i64;
            let own =
                Entry { colour: colour.max(-1), key, rank: rank as i64, image: this as i64, id: id_of_new };
            Ok((Split { runtime: self, parent, id, operation, rank, size }, own))
        })?;
        let entry = split.sort(own)?;
        split.tell_owner(entry)?;
        let [rank, size, id, forward, backward] = split.receive(None, RESULT)?;
        if colour < 0 {
            return Ok(None);
        }
        let place = [rank, size, forward, backward].map(|word| usize::try_from(word).expect("a rank"));
        self.form(parent, id as u64, place).map(Some)
    }

    /// A team of which the neighbours of this member are known.
    fn form(&self, parent: Handle, id: u64, [rank, size, forward, backward]: [usize; 4]) -> Result<Handle> {
        // The others wait for this member, which cannot take part.
        let block = self.with(|image| {
            let block = Ring::allocate(size, &mut image.memory);
            Ok(block.unwrap_or_else(|error| image.comm.abort(&error)))
        })?;
        let mut links = Vec::new();
        if size > 1 {
            // By direction of the message: a member's block is the forward link of the member behind it.
            let pair = self.pass(id, 0, [backward, forward], [block as i64; 2])?;
            links.push([
                Link { image: forward, block: pair[FORWARD].0 },
                Link { image: backward, block: pair[BACKWARD].0 },
            ]);
        }
        for power in 1..chain::links(size) as usize {
            let [ahead, behind]: [Link; 2] = links[power - 1];
            // The member behind gets this one's link ahead, and has it as its next one.
            let words = [ahead.word() as i64, behind.word() as i64];
            let pair = self.pass(id, power, [behind.image, ahead.image], words)?;
            links.push([FORWARD, BACKWARD].map(|direction| Link::of(pair[direction].1)));
        }
        let (team, board) = self.with(|image| {
            let ring = Ring::new(rank, size, block, links, &image.memory);
            let board = board::offer(&ring, image.patience.shares_cores(), &mut image.memory);
            let team = Team::new(id, ring).descend_from(image.teams.get(parent)?);
            Ok((image.teams.add(team), board))
        })?;
        // Others may read the links of a member as soon as they have the team.
        self.barrier(team)?;
        self.with(|image| {
            let new = image.teams.get_mut(team)?;
            new.set_board(board::take(new.ring(), image.comm.rank(), board, &mut image.memory)?);
            Ok(team)
        })
    }

    /// Sends a word to the member behind and one to the member ahead, and receives the words of both, as
    /// offset and as word: first from the member ahead, then from the member behind.
    fn pass(&self, id: u64, power: usize, to: [usize; 2], words: [i64; 2]) -> Result<[(usize, u64); 2]> {
        for direction in [FORWARD, BACKWARD] {
            // The value for the member behind becomes its forward link.
            self.send_words(
                to[direction],
                id,
                step(0, 2 * power + direction),
                &words[direction..=direction],
            )?;
        }
        let mut received = [(0, 0); 2];
        for direction in [FORWARD, BACKWARD] {
            let from = to[1 - direction];
            let [word] = self.receive_words(Some(from), id, step(0, 2 * power + direction))?;
            received[direction] = (word as usize, word as u64);
        }
        Ok(received)
    }

    /// Collective over the team: frees it.
    ///
    /// # Errors
    /// [`Error::Argument`] for the team of all images, a default team, a team that has coarrays or was freed;
    /// in a shipped function; if an image has failed.
    pub fn free_team(&self, team: Handle) -> Result<()> {
        self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            image.teams.get(team)?;
            let coarrays = image.coarrays.count(team);
            if coarrays > 0 {
                let expected = format!("one without coarrays: it has {coarrays}");
                return Err(Error::argument("team", format_args!("{:#x}", team.number()), expected));
            }
            if image.teams.is_default(team) {
                let expected = "a team other than the team of all images and the default teams";
                return Err(Error::argument("team", format_args!("{:#x}", team.number()), expected));
            }
            if image.finishes.is_inside_block_of(team) {
                let expected = "a team without an open finish block";
                return Err(Error::argument("team", format_args!("{:#x}", team.number()), expected));
            }
            Ok(())
        })?;
        // No member reads its links any more.
        self.barrier(team)?;
        self.with(|image| {
            // Barriers before that one have ended with it, and their events are to be notified.
            image.advance_pending();
            image.teams.remove(team)?.release(&mut image.memory)
        })
    }
}
