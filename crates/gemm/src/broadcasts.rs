//! Outstanding panels of a line between domains: executes the schedules of [`crate::schedule`].
//!
//! Idea: the columns of a panel that one position of the line distributes are a *piece*. It is sent directly
//! from one panel to the other, in which its columns are contiguous, so that nothing is packed. All receives
//! of a panel are posted when its memory is free; a send starts when its columns are available, in the order
//! of the schedule. Nothing here blocks: a rank that waits or multiplies calls [`Broadcasts::advance`] from
//! time to time.

use crate::factor::Factor;
use crate::model::hockney::Hockney;
use crate::panels::PANEL_TAGS;
use crate::product::{Dimension, Grid};
use crate::schedule::{Broadcast, Hierarchy, Level, Plan};
use hcube_core::comm::Comm;
use hcube_core::comm::requests::Requests;
use hcube_core::comm::tags::GEMM_PANELS;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of pieces of a panel: each has its own tag, because the messages of a pair of ranks are not
/// sent in the order of the pieces.
const MAX_PIECES: usize = 128;

/// Columns that a panel may have, for factors whose inner indices are distributed in blocks of `block`: the
/// first and the last piece may be shorter.
pub const fn max_width(block: usize) -> usize {
    block.saturating_mul(MAX_PIECES - 2)
}

/// A process row or column as the schedules see it.
#[derive(Debug, Clone)]
pub struct Line {
    /// Positions and groups; the innermost groups are domains.
    pub hierarchy: Hierarchy,
    /// The broadcast of all levels of messages.
    broadcast: Broadcast,
    /// Columns of a message inside a group, if that is fixed.
    inner_block: Option<usize>,
    /// Time of a message and of a byte.
    network: Hockney,
    /// This rank's position.
    pub position: usize,
    /// The rank at the first position, and the distance to the next.
    ranks: (usize, usize),
}

impl Line {
    /// The line of this rank along which panels of a side are sent: its process row for op(A), for lines
    /// counted along `Rows`. The last of the partitions is the partition into domains.
    pub fn new(
        lines: Dimension,
        grid: Grid,
        partitions: &[Vec<usize>],
        (broadcast, inner_block, network): (Broadcast, Option<usize>, Hockney),
    ) -> Self {
        let positions = grid.processes(lines.other());
        let ranks = match lines {
            Dimension::Rows => (grid.row * grid.columns, 1),
            Dimension::Columns => (grid.column, grid.columns),
        };
        let position = grid.own(lines.other());
        let hierarchy = Hierarchy::new(positions, partitions);
        Self { hierarchy, broadcast, inner_block, network, position, ranks }
    }

    /// The path of a piece on each level: messages, or shared memory in a domain.
    fn levels(&self, columns: usize, column_bytes: usize) -> Vec<Level> {
        let count = self.hierarchy.levels();
        // A level of equal groups; exact numbers do not matter for the length of a ring's messages.
        let members = (self.hierarchy.positions() as f64).powf(1.0 / (count - 1).max(1) as f64);
        let level = |number: usize| {
            let mut cut = match self.broadcast {
                Broadcast::Ring => {
                    let bytes = (columns * column_bytes) as f64;
                    columns.div_ceil(self.network.ring_blocks(members, bytes, columns)).max(1)
                }
                Broadcast::Binomial | Broadcast::ScatterAllgather => columns.max(1),
            };
            if let (Some(inner), true) = (self.inner_block, number > 0) {
                cut = cut.min(inner);
            }
            Level::Messages { algorithm: self.broadcast, cut }
        };
        (0..count - 1).map(level).chain([Level::Shared]).collect()
    }

    fn rank(&self, position: usize) -> usize {
        self.ranks.0 + position * self.ranks.1
    }
}

/// Columns of a panel from one position, as this rank forwards them.
#[derive(Debug)]
struct Piece<'env> {
    plan: Rc<Plan>,
    /// Its memory: column after column.
    memory: Region<'env>,
    column_bytes: usize,
    tag: i32,
    /// Which columns are there.
    present: Vec<bool>,
    next_send: usize,
    sends_under_way: usize,
    receives_under_way: usize,
}

/// The outstanding transfers of one panel.
#[derive(Debug, Default)]
struct Traffic<'env> {
    pieces: Vec<Piece<'env>>,
}

/// An outstanding transfer.
#[derive(Debug, Clone)]
struct Transfer {
    panel: u64,
    piece: usize,
    /// Columns of a receive; a send has none.
    received: Option<Range<usize>>,
}

/// All outstanding pieces of a rank.
#[derive(Debug)]
pub struct Broadcasts<'env> {
    lines: [Line; 2],
    /// Outstanding panels, the first of which has number `first`.
    panels: VecDeque<Traffic<'env>>,
    first: u64,
    transfers: Vec<Option<Transfer>>,
    free: Vec<usize>,
    plans: HashMap<(usize, usize, usize), Rc<Plan>>,
    /// Bytes that messages have carried.
    sent: u64,
}

impl<'env> Broadcasts<'env> {
    /// Nothing is outstanding; panels are numbered from 0.
    pub fn new(lines: [Line; 2]) -> Self {
        Self {
            lines,
            panels: VecDeque::new(),
            first: 0,
            transfers: Vec::new(),
            free: Vec::new(),
            plans: HashMap::new(),
            sent: 0,
        }
    }

    /// Bytes that this rank has sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The pieces of a factor in a panel: inner indices by the position of their line that hands them out.
    fn pieces(&self, side: usize, factor: &Factor<'_>, inner: &Range<usize>) -> Vec<(usize, Range<usize>)> {
        let (shares, positions) = (factor.inner_shares(), self.lines[side].hierarchy.positions());
        let mut pieces: Vec<(usize, Range<usize>)> = Vec::new();
        let mut number = inner.start;
        while number < inner.end {
            let place = shares.axis.place(shares.start + number);
            let end = number.saturating_add(place.left).min(inner.end);
            pieces.push((place.process % positions, number - inner.start..end - inner.start));
            number = end;
        }
        pieces
    }

    fn plan(&mut self, side: usize, root: usize, columns: usize, column_bytes: usize) -> Rc<Plan> {
        let line = &self.lines[side];
        let make = || {
            let levels = line.levels(columns, column_bytes);
            Rc::new(line.hierarchy.plan(root, line.position, columns, &levels))
        };
        Rc::clone(self.plans.entry((side, root, columns)).or_insert_with(make))
    }

    /// Begins with the next panel: posts its receives. `memory` belongs to this rank's own line for each side
    /// that has panels, with the bytes of a column.
    ///
    /// # Errors
    /// Of MPI.
    pub fn begin<C: Comm>(
        &mut self,
        requests: &mut Requests<'env, C>,
        factors: [Option<&Factor<'_>>; 2],
        inner: &Range<usize>,
        memory: [Option<(Region<'env>, usize)>; 2],
    ) -> Result<()> {
        let panel = self.first + self.panels.len() as u64;
        let mut traffic = Traffic::default();
        for side in 0..2 {
            let (Some((memory, column_bytes)), Some(factor)) = (memory[side], factors[side]) else {
                continue;
            };
            for (number, (root, columns)) in self.pieces(side, factor, inner).into_iter().enumerate() {
                let plan = self.plan(side, root, columns.len(), column_bytes);
                if plan.receives.is_empty() && plan.sends.is_empty() {
                    continue;
                }
                assert!(number < MAX_PIECES, "panels are not wider than `max_width`");
                let tag = (panel as usize % PANEL_TAGS) * 2 * MAX_PIECES + number * 2 + side;
                let mine = root == self.lines[side].position;
                traffic.pieces.push(Piece {
                    plan,
                    memory: memory.part(columns.start * column_bytes..columns.end * column_bytes),
                    column_bytes,
                    tag: GEMM_PANELS.tag(tag),
                    // The root sends when its columns are there: `supply`.
                    present: vec![false; columns.len()],
                    next_send: 0,
                    sends_under_way: 0,
                    receives_under_way: 0,
                });
                if !mine {
                    let piece = traffic.pieces.len() - 1;
                    self.post(requests, &mut traffic.pieces[piece], (panel, piece), side)?;
                }
            }
        }
        self.panels.push_back(traffic);
        Ok(())
    }

    fn post<C: Comm>(
        &mut self,
        requests: &mut Requests<'env, C>,
        piece: &mut Piece<'env>,
        (panel, number): (u64, usize),
        side: usize,
    ) -> Result<()> {
        let plan = Rc::clone(&piece.plan);
        for message in &plan.receives {
            let bytes = message.parts.start * piece.column_bytes..message.parts.end * piece.column_bytes;
            let label = self.label(Transfer { panel, piece: number, received: Some(message.parts.clone()) });
            let from = self.lines[side].rank(message.partner);
            requests.receive_region(label, piece.memory.part(bytes), from, piece.tag)?;
            piece.receives_under_way += 1;
        }
        Ok(())
    }

    fn label(&mut self, transfer: Transfer) -> usize {
        let label = self.free.pop().unwrap_or_else(|| {
            self.transfers.push(None);
            self.transfers.len() - 1
        });
        self.transfers[label] = Some(transfer);
        label
    }

    /// This rank's own columns of a panel are in its memory: sends them.
    ///
    /// # Errors
    /// Of MPI.
    pub fn supply<C: Comm>(&mut self, requests: &mut Requests<'env, C>, panel: u64) -> Result<()> {
        let traffic = (panel - self.first) as usize;
        for number in 0..self.panels[traffic].pieces.len() {
            let piece = &mut self.panels[traffic].pieces[number];
            // A position that receives nothing of a piece is its root.
            if piece.plan.receives.is_empty() {
                piece.present.fill(true);
                self.send(requests, panel, number)?;
            }
        }
        Ok(())
    }

    /// Starts the sends of a piece that can be started.
    fn send<C: Comm>(&mut self, requests: &mut Requests<'env, C>, panel: u64, number: usize) -> Result<()> {
        loop {
            let piece = &mut self.panels[(panel - self.first) as usize].pieces[number];
            let Some(message) = piece.plan.sends.get(piece.next_send) else { return Ok(()) };
            if !piece.present[message.parts.clone()].iter().all(|&present| present) {
                return Ok(());
            }
            let bytes = message.parts.start * piece.column_bytes..message.parts.end * piece.column_bytes;
            let (memory, partner, tag) = (piece.memory.part(bytes), message.partner, piece.tag);
            piece.next_send += 1;
            piece.sends_under_way += 1;
            // The lowest bit of a tag is the side.
            let to = self.lines[(tag - GEMM_PANELS.tag(0)) as usize & 1].rank(partner);
            self.sent += memory.len() as u64;
            let label = self.label(Transfer { panel, piece: number, received: None });
            requests.send_region(label, memory, to, tag)?;
        }
    }

    /// Goes on with what has finished; lets MPI make progress.
    ///
    /// # Errors
    /// Of MPI.
    pub fn advance<C: Comm>(&mut self, requests: &mut Requests<'env, C>) -> Result<()> {
        while let Some(finished) = requests.test_any()? {
            self.finish(requests, finished.label)?;
        }
        Ok(())
    }

    /// Waits for a transfer, if any is outstanding.
    ///
    /// # Errors
    /// Of MPI.
    pub fn wait<C: Comm>(&mut self, requests: &mut Requests<'env, C>) -> Result<()> {
        requests.wait_any()?.map_or(Ok(()), |finished| self.finish(requests, finished.label))
    }

    fn finish<C: Comm>(&mut self, requests: &mut Requests<'env, C>, label: usize) -> Result<()> {
        let Transfer { panel, piece: number, received } =
            self.transfers[label].take().expect("a transfer under way");
        self.free.push(label);
        let piece = &mut self.panels[(panel - self.first) as usize].pieces[number];
        match received {
            Some(columns) => {
                piece.present[columns].fill(true);
                piece.receives_under_way -= 1;
                self.send(requests, panel, number)
            }
            None => {
                piece.sends_under_way -= 1;
                Ok(())
            }
        }
    }

    /// Whether all of a panel that this rank receives has arrived.
    pub fn has_arrived(&self, panel: u64) -> bool {
        let Some(index) = panel.checked_sub(self.first) else { return true };
        self.panels[index as usize].pieces.iter().all(|piece| piece.receives_under_way == 0)
    }

    /// Whether no transfer of a panel is outstanding any more.
    pub fn is_done(&self, panel: u64) -> bool {
        let Some(index) = panel.checked_sub(self.first) else { return true };
        let done = |piece: &Piece<'_>| {
            piece.receives_under_way == 0
                && piece.sends_under_way == 0
                && piece.next_send == piece.plan.sends.len()
        };
        self.panels[index as usize].pieces.iter().all(done)
    }

    /// Forgets the first outstanding panel.
    pub fn drop_first(&mut self) {
        self.panels.pop_front();
        self.first += 1;
    }
}
