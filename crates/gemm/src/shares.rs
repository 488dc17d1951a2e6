//! Shares of a panel that are sent to the line that needs them, if C has a different distribution than a
//! factor.
//!
//! Idea: a panel of a line is sent along the line, from the positions that distribute its columns. If the
//! elements are on other lines (another block size, another source, a transpose), each owner first sends its
//! share of a column to the rank of the needed line at the position that the column starts from. Inside a
//! domain it writes the share directly into the panel. Schedules therefore involve only lines.
//!
//! Restrictions: none. Cost: one message per panel for each pair of an owner and a rank that needs some of
//! its elements; each element whose owner is in another domain is packed, sent and unpacked once. Memory: the
//! outstanding shares.
//! Source: our own.

use crate::domain::Domains;
use crate::factor::Factor;
use crate::fill::{Target, copy_block};
use crate::panels::PANEL_TAGS;
use crate::product::Grid;
use crate::runs::{Run, count, runs};
use hcube_core::comm::Comm;
use hcube_core::comm::owned::Owned;
use hcube_core::comm::tags::GEMM_SHARES;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use std::ops::Range;

/// The shares of a factor, seen from one rank: who sends to whom does not change from panel to panel.
#[derive(Debug)]
pub struct Sharing {
    side: usize,
    /// Ranks of other domains that need something of this rank, with the outer indices.
    receivers: Vec<(usize, Vec<Run>)>,
    /// Ranks of other domains that this rank needs something of, with outer and inner indices.
    senders: Vec<(usize, Vec<Run>, Vec<Run>)>,
    /// Lines with ranks of this domain to which this rank writes.
    lines: Vec<usize>,
}

/// Outstanding shares of one panel.
pub struct Shares<C: Comm> {
    sends: Vec<Owned<C>>,
    receives: Vec<(usize, Owned<C>)>,
}

impl Sharing {
    /// Of a factor that is not aligned.
    pub fn new(factor: &Factor<'_>, side: usize, grid: Grid, domains: &Domains) -> Self {
        let lines = factor.lines;
        let positions = grid.processes(lines.other());
        let (outer, inner) = (factor.outer_dimension, factor.outer_dimension.other());
        let own = grid.row * grid.columns + grid.column;
        let here = |rank: usize| domains.of[rank] == domains.of[own];
        let mut sharing = Self { side, receivers: Vec::new(), senders: Vec::new(), lines: Vec::new() };
        // Runs of one line are not contiguous if a line recurs after others.
        let mut by_line: Vec<Run> = factor.outer_runs.clone();
        by_line.sort_by_key(|run| run.process);
        for runs in by_line.chunk_by(|one, other| one.process == other.process) {
            let line = runs[0].process;
            let rank = grid.rank_at(lines, line, grid.own(inner) % positions);
            if here(rank) {
                sharing.lines.push(line);
            } else {
                sharing.receivers.push((rank, runs.to_vec()));
            }
        }
        let position = grid.own(lines.other());
        for process in 0..grid.processes(outer) {
            let mut needed = runs(factor.outer, factor.outer_shares(), process, Some(factor.target));
            needed.retain(|run| run.process == grid.own(lines));
            for other in (position..grid.processes(inner)).step_by(positions) {
                let rank = grid.rank_at(outer, process, other);
                if !here(rank) && !needed.is_empty() {
                    let columns = runs(factor.inner, factor.inner_shares(), other, None);
                    sharing.senders.push((rank, needed.clone(), columns));
                }
            }
        }
        sharing
    }

    /// Whether this rank writes to the panel of a line itself.
    pub fn writes_to(&self, line: usize) -> bool {
        self.lines.binary_search(&line).is_ok()
    }

    /// Starts the messages of a panel; returns the bytes that this rank sends as well.
    ///
    /// # Errors
    /// Of MPI.
    pub fn begin<C: Comm>(
        &self,
        comm: &C,
        factor: &Factor<'_>,
        panel: usize,
        inner: &Range<usize>,
    ) -> Result<(Shares<C>, u64)> {
        let tag = GEMM_SHARES.tag(panel % PANEL_TAGS * 2 + self.side);
        let mut shares = Shares { sends: Vec::new(), receives: Vec::new() };
        for (number, (rank, outer, columns)) in self.senders.iter().enumerate() {
            let bytes = count(outer) * count(&within(columns, inner)) * factor.size;
            if bytes > 0 {
                shares.receives.push((number, Owned::receive(comm, vec![0; bytes], *rank, tag)?));
            }
        }
        let (columns, mut sent) = (within(&factor.inner_runs, inner), 0);
        for (rank, outer) in &self.receivers {
            let bytes = pack(factor, outer, &columns);
            if !bytes.is_empty() {
                sent += bytes.len() as u64;
                shares.sends.push(Owned::send(comm, bytes, *rank, tag)?);
            }
        }
        Ok((shares, sent))
    }

    /// Copies what has arrived into this rank's panel. Returns whether nothing is missing.
    ///
    /// # Errors
    /// Of MPI.
    pub fn take<C: Comm>(
        &self,
        comm: &C,
        shares: &mut Shares<C>,
        factor: &Factor<'_>,
        inner: &Range<usize>,
        target: Option<Target<'_>>,
    ) -> Result<bool> {
        let mut number = 0;
        while number < shares.receives.len() {
            if !shares.receives[number].1.has_finished(comm)? {
                number += 1;
                continue;
            }
            let (sender, transfer) = shares.receives.swap_remove(number);
            let (_, outer, columns) = &self.senders[sender];
            let target = target.expect("a line with shares has a panel");
            unpack(factor, outer, &within(columns, inner), inner.start, &transfer.into_buffer(), target);
        }
        Ok(shares.receives.is_empty())
    }
}

impl<C: Comm> Shares<C> {
    /// Whether all messages that this rank has sent have left.
    ///
    /// # Errors
    /// Of MPI.
    pub fn have_left(&mut self, comm: &C) -> Result<bool> {
        while let Some(last) = self.sends.last_mut() {
            if !last.has_finished(comm)? {
                return Ok(false);
            }
            self.sends.pop();
        }
        Ok(true)
    }
}

fn within(runs: &[Run], inner: &Range<usize>) -> Vec<Run> {
    let first = runs.partition_point(|run| run.number + run.length <= inner.start);
    runs[first..].iter().map_while(|run| run.within(inner.start, inner.end)).collect()
}

/// The elements of outer times inner indices, column after column of outer ones.
fn pack(factor: &Factor<'_>, outer: &[Run], columns: &[Run]) -> Vec<u8> {
    let height = count(outer);
    let mut bytes = vec![0; height * count(columns) * factor.size];
    let mut places = Vec::with_capacity(outer.len());
    let mut place = 0;
    for run in outer {
        places.push(Run { place, ..*run });
        place += run.length;
    }
    let memory = Region::of(&mut bytes);
    let target = Target { memory, leading: height, by_outer: true };
    let mut column = 0;
    for run in columns {
        for rows in &places {
            copy_block(factor, rows, run, column, target);
        }
        column += run.length;
    }
    bytes
}

/// The inverse of [`pack`] at the receiver.
fn unpack(
    factor: &Factor<'_>,
    outer: &[Run],
    columns: &[Run],
    first: usize,
    bytes: &[u8],
    target: Target<'_>,
) {
    let size = factor.size;
    let mut rest = bytes;
    for run in columns {
        for number in 0..run.length {
            let column = run.number - first + number;
            for rows in outer {
                let (part, after) = rest.split_at(rows.length * size);
                let start = (column * target.leading + rows.place) * size;
                target.memory.part(start..start + part.len()).write(part);
                rest = after;
            }
        }
    }
}
