//! The lookup of a member to which no link exists.
//!
//! Idea: the shortest chain of links leads to the member; the first link of the chain is this member's own,
//! and every further link is a word that is read at the member that the chain has reached. Results are
//! cached.
//!
//! Cost: at most log2 S reads of a word for the first access to a member of a team of size S, none
//! afterwards; the chain of [`crate::state::team::chain`] needs about half of that.
//! Source: Jin et al. 2011, §II-B.

use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::options::Status;
use crate::state::team::ring::{BACKWARD, FORWARD, Link, WORDS, jump, place};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::onesided::Atomic;
use std::collections::{BTreeSet, VecDeque};

impl<C: Comm> Runtime<C> {
    /// The image of a member of a team.
    ///
    /// # Errors
    /// [`Error::Argument`] for a team that was freed or a rank that no member has; if images that are gone
    /// prevent the lookup.
    #[inline]
    pub fn image_of(&self, team: Handle, rank: usize) -> Result<usize> {
        match self.with(|image| image.teams.get(team)?.known(rank))? {
            Some(image) => Ok(image),
            None => match self.look_up(team, rank) {
                // Along chains around images that are gone.
                Err(Error::FailedImage { .. } | Error::StoppedImage { .. }) => {
                    self.explore(team, Some(rank))?;
                    self.image_of(team, rank)
                }
                found => found,
            },
        }
    }

    /// Follows the chain of links.
    #[cold]
    fn look_up(&self, team: Handle, rank: usize) -> Result<usize> {
        let (chain, mut at) = self.with(|image| {
            let ring = image.teams.get(team)?.ring();
            let chain = ring.chain_to(rank);
            let first = chain.first().map(|&first| {
                let (power, direction) = jump(first);
                ring.link(power, direction)
            });
            Ok((chain, first.unwrap_or(Link { image: image.comm.rank(), block: 0 })))
        })?;
        for &distance in chain.iter().skip(1) {
            let (power, direction) = jump(distance);
            let request = self.with(|image| {
                image.statistics.link_reads += 1;
                Ok(image.memory.atomic(at.image, at.block + place(power, direction), Atomic::Load, 0))
            })?;
            let word = self.wait_for_image(at.image, |image| Ok(image.memory.is_finished(request)));
            at = Link::of(self.cancel_unless_done(request, word)?);
        }
        self.with(|image| {
            image.statistics.lookups += 1;
            image.teams.get_mut(team)?.remember(rank, at.image);
            Ok(at.image)
        })
    }

    /// Looks up a member, or all, along chains around images that are gone: reads the links of each member
    /// whose location is known, and of the members in these links, until the wanted ones are known. The
    /// neighbours of a member that is gone have links to it.
    ///
    /// # Errors
    /// As [`Self::image_of`]; if all members with a link to the wanted one are gone.
    pub(crate) fn explore(&self, team: Handle, wanted: Option<usize>) -> Result<()> {
        let (size, rank, links) = self.with(|image| {
            let own = image.comm.rank();
            let team = image.teams.get_mut(team)?;
            team.remember(team.rank(), own);
            Ok((team.size(), team.rank(), team.ring().links().to_vec()))
        })?;
        let is_known = || {
            self.with(|image| {
                let team = image.teams.get(team)?;
                wanted.map_or(Ok(team.are_all_known()), |rank| team.known(rank).map(|image| image.is_some()))
            })
        };
        let mut found = BTreeSet::from([rank]);
        let mut unread = VecDeque::from([(rank, links)]);
        while !is_known()? {
            let Some((from, links)) = unread.pop_front() else {
                return self.with(|image| image.others.check_all());
            };
            for (rank, link) in named(size, from, &links) {
                if found.insert(rank) {
                    self.with(|image| image.teams.get_mut(team).map(|team| team.remember(rank, link.image)))?;
                    if let Some(links) = self.read_links(link, links.len())? {
                        unread.push_back((rank, links));
                    }
                }
            }
        }
        Ok(())
    }

    /// The links of a member; `None` if it is gone.
    fn read_links(&self, of: Link, powers: usize) -> Result<Option<Vec<[Link; 2]>>> {
        let mut words = vec![0; powers * WORDS];
        let into = Region::of(bytes_of_mut(&mut words));
        let request = self.with(|image| {
            image.statistics.link_reads += 1;
            Ok(image.memory.get(&image.comm, of.image, of.block, into))
        })?;
        match self.wait_for_image(of.image, |image| Ok(image.memory.is_read(request, into).then_some(()))) {
            Ok(()) => {}
            Err(error) => {
                let is_gone = self.with(|image| {
                    image.memory.cancel(request);
                    Ok(image.others.status(of.image) != Status::Alive)
                })?;
                return if is_gone { Ok(None) } else { Err(error) };
            }
        }
        let links = words.chunks_exact(WORDS).map(|words| [FORWARD, BACKWARD].map(|at| Link::of(words[at])));
        Ok(Some(links.collect()))
    }
}

/// The members that the links of a member name.
fn named(size: usize, from: usize, links: &[[Link; 2]]) -> impl Iterator<Item = (usize, Link)> {
    links.iter().enumerate().flat_map(move |(power, pair)| {
        let distance = (1 << power) % size;
        [((from + distance) % size, pair[FORWARD]), ((from + size - distance) % size, pair[BACKWARD])]
    })
}
