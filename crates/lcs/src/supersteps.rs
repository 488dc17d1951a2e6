//! The length for two strings that the processes of a BSP program have together, in the supersteps of the
//! thesis.
//!
//! Idea: the matrix is a square [`grid`](crate::grid) of G x G blocks, G = alpha p. The blocks of a diagonal
//! take alpha supersteps, in each of which a process computes at most one block and puts the carries of its
//! rows and their symbols into memory of the process of the next block column: a bit and a symbol per row.
//! The symbols of columns are read in one superstep at the beginning, the text of a block of the first column
//! in the superstep before the block is computed.
//!
//! Memory for messages is double: what arrives is for the next diagonal, and the message for this one may
//! still be needed.
//!
//! Restrictions: it is a program to compare predictions with. It takes off no common ends, has no bound of
//! interest, and cannot be interrupted; [`distributed`](crate::distributed) is faster. In contrast to the
//! thesis, text travels from block to block like the carries, and is read from the processes that have it
//! only for the first block column. The alphabet is determined beforehand, without supersteps.
//!
//! Cost: [`cost::supersteps`](crate::cost::supersteps). Memory per process: its packed parts, its packed and
//! coded columns, and two messages per block column.
//!
//! Source: Krusche 2005, §5.1 and §5.2, figure 5.4.

use crate::alphabet::{Coded, Strings};
use crate::band::Band;
use crate::columns::words;
use crate::distributed::parts::Parts;
use crate::distributed::{MAX_LENGTH, alphabet};
use crate::grid::{Block, Grid};
use crate::kernel::Kernel;
use crate::layout::{Areas, COLUMNS, Layout, TEXT};
use crate::options::MAX_BLOCKS;
use crate::packed::Packing;
use crate::stored::Stored;
use crate::symbol::{Id, Symbol};
use crate::work::ENTRY;
use hcube_bsp::Spmd;
use hcube_bsp::memory::Shared;
use hcube_core::Error;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::machine::instructions::Level;
use hcube_core::memory::reserve;
use std::ops::{ControlFlow, Range};

/// How to compute; the same on all processes, except the level.
#[derive(Debug, Clone, Copy)]
pub struct SuperstepOptions {
    /// Block columns per process, 1 or more.
    pub alpha: usize,
    /// The algorithm; `None` selects the fastest.
    pub kernel: Option<Kernel>,
    /// Instructions that kernels of this process may use.
    pub level: Level,
}

impl Default for SuperstepOptions {
    fn default() -> Self {
        Self { alpha: 1, kernel: None, level: Level::detect() }
    }
}

/// Collective: the length of a longest common subsequence of two strings, on all processes. Each string
/// consists of all processes' parts in their order; parts may have any length. What was requested before in
/// this superstep is carried out in the first superstep, and no message stays in the queue.
///
/// # Errors
/// The same on all processes: [`Error::Argument`] or [`Error::Remote`] for options out of range,
/// [`Error::Mismatch`] for options or types of symbols that differ, [`Error::Count`] for strings of 2^40
/// symbols and more, [`Error::Memory`] or [`Error::Remote`] where a process has no room. An error in a
/// superstep ends the job.
pub fn llcs_on_supersteps<C: Comm, S: Symbol>(
    spmd: &mut Spmd<C>,
    a: &[S],
    b: &[S],
    options: &SuperstepOptions,
) -> Result<usize, Error> {
    check(spmd.comm(), S::BITS, options)?;
    llcs_of_coded(spmd, &alphabet::code(spmd.comm(), a, b)?, options)
}

/// Collective: the same for strings whose symbols are coded by [`alphabet::code`], which all processes have
/// called: only the supersteps.
///
/// # Errors
/// As [`llcs_on_supersteps`].
pub fn llcs_of_coded<C: Comm>(
    spmd: &mut Spmd<C>,
    coded: &Coded,
    options: &SuperstepOptions,
) -> Result<usize, Error> {
    check(spmd.comm(), 0, options)?;
    let Coded { strings, size, .. } = coded;
    match strings {
        Strings::Narrow(a, b) => Program::begin(spmd, [a, b], *size, options.alpha)?.run(*size, options),
        Strings::Wide(a, b) => Program::begin(spmd, [a, b], *size, options.alpha)?.run(*size, options),
    }
}

/// Ends the job where an error of one process would leave the others waiting in the superstep.
fn only_together<C: Comm, T>(spmd: &Spmd<C>, result: Result<T, Error>) -> Result<T, Error> {
    result.inspect_err(|error| spmd.comm().abort(error))
}

/// Collective: checks what must be the same on all processes.
fn check<C: Comm>(comm: &C, bits: u32, options: &SuperstepOptions) -> Result<(), Error> {
    let local = match options.alpha {
        1..=MAX_BLOCKS => Ok(()),
        alpha => Err(Error::argument("alpha", alpha, format!("1 to {MAX_BLOCKS}"))),
    };
    agree(comm, local)?;
    let kernel = Kernel::ALL.iter().position(|&(kernel, _)| Some(kernel) == options.kernel);
    agree_on(
        comm,
        &[
            ("bits of a symbol", bits.into()),
            ("alpha", options.alpha as i64),
            ("kernel", kernel.map_or(-1, |kernel| kernel as i64)),
        ],
    )
}

/// The index of the receive buffer, after the strings.
const RECEIVED: usize = 2;

/// What a process has.
struct Program<'s, C: Comm, I> {
    spmd: &'s mut Spmd<C>,
    layout: Layout,
    areas: Areas,
    /// The parts of this process, and its receive buffer.
    memory: [Shared<u64>; 3],
    /// The last message that was sent: it stays until the superstep ends.
    message: Vec<u64>,
    /// The text of a block.
    text: Vec<I>,
}

/// Collective: the layout, and the parts of this process in its order.
fn layout<'i, C: Comm, I>(
    comm: &C,
    [a, b]: [&'i [I]; 2],
    alphabet: usize,
    alpha: usize,
) -> Result<(Layout, [&'i [I]; 2]), Error> {
    let lengths = comm.all_gather(&[a.len() as u64, b.len() as u64])?;
    let stored = |number: usize| {
        let lengths = lengths.iter().skip(number).step_by(2).map(|&length| length as usize);
        Stored { parts: Parts::new(lengths), packing: Packing::new(alphabet) }
    };
    let (stored_a, stored_b) = (stored(0), stored(1));
    let length = |stored: &Stored| stored.parts.length();
    let longer = length(&stored_a).max(length(&stored_b));
    if longer as u64 >= MAX_LENGTH {
        return Err(Error::Count(format!("a string of {longer} symbols: expected fewer than 2^40")));
    }
    let grid = Grid { ranks: comm.size(), alpha, block_rows: alpha * comm.size() };
    // The longer string gives columns, so that messages are short.
    Ok(if length(&stored_a) < length(&stored_b) {
        (Layout { grid, strings: [stored_b, stored_a] }, [b, a])
    } else {
        (Layout { grid, strings: [stored_a, stored_b] }, [a, b])
    })
}

impl<'s, C: Comm, I: Id> Program<'s, C, I> {
    /// Collective: registers memory, and ends the superstep.
    fn begin(
        spmd: &'s mut Spmd<C>,
        strings: [&[I]; 2],
        alphabet: usize,
        alpha: usize,
    ) -> Result<Self, Error> {
        let (layout, parts) = layout(spmd.comm(), strings, alphabet, alpha)?;
        let own = spmd.pid();
        let areas = layout.areas(own);
        let room = || {
            let [columns, text] =
                [COLUMNS, TEXT].map(|string| layout.strings[string].pack(own, parts[string]));
            let memory = [columns?, text?, reserve::filled(0, areas.end, "messages and columns")?];
            let text = reserve::with_room(layout.strings[TEXT].room(layout.height()), "the text of a block")?;
            Ok((memory, reserve::with_room(areas.message, "a message")?, text))
        };
        let ([columns, rows, receive_buffer], message, text) = agree(spmd.comm(), room())?;
        let memory = [
            Shared::register(spmd, columns)?,
            Shared::register(spmd, rows)?,
            Shared::register(spmd, receive_buffer)?,
        ];
        let ended = spmd.sync();
        only_together(spmd, ended)?;
        Ok(Self { spmd, layout, areas, memory, message, text })
    }

    /// Collective: computes the length.
    fn run(mut self, alphabet: usize, options: &SuperstepOptions) -> Result<usize, Error> {
        let asked = self.ask_for_columns().and_then(|()| self.ask_for_text(0));
        let ended = self.spmd.sync();
        only_together(self.spmd, ended)?;
        let bands = asked.and_then(|()| self.bands(alphabet, options));
        let computed = match agree(self.spmd.comm(), bands) {
            Ok(mut bands) => self.compute_all(&mut bands)?,
            Err(error) => Err(error),
        };
        // Ends the last superstep.
        let released = Shared::release(self.memory, self.spmd);
        let [_, _, receive_buffer] = only_together(self.spmd, released)?;
        agree(self.spmd.comm(), computed)?;
        Ok(receive_buffer[..self.layout.grid.ranks].iter().sum::<u64>() as usize)
    }

    /// Reads the symbols of this process' columns, until the superstep ends.
    fn ask_for_columns(&mut self) -> Result<(), Error> {
        let (grid, mut at) = (self.layout.grid, self.areas.columns);
        for x in grid.columns_of(self.spmd.pid()) {
            let columns = self.layout.columns(x);
            self.ask(COLUMNS, &columns, at)?;
            at += self.layout.strings[COLUMNS].words(&columns);
        }
        Ok(())
    }

    /// Reads the text of a block of the first block column, if this process has that, until the superstep
    /// ends.
    fn ask_for_text(&mut self, y: usize) -> Result<(), Error> {
        if self.spmd.pid() == 0 && y < self.layout.grid.block_rows {
            self.ask(TEXT, &self.layout.rows(y), self.areas.text)?;
        }
        Ok(())
    }

    /// Reads a range of a string to a place in the receive buffer; what this process has itself stays where
    /// it is.
    fn ask(&mut self, string: usize, range: &Range<usize>, mut at: usize) -> Result<(), Error> {
        for piece in self.layout.strings[string].pieces(range) {
            let count = piece.words.len();
            if piece.from != self.spmd.pid() {
                self.memory[string].hpget(self.spmd, piece.from, piece.words, &self.memory[RECEIVED], at)?;
            }
            at += count;
        }
        Ok(())
    }

    /// Appends the symbols of a range that was read to a place in the receive buffer.
    fn take(
        &self,
        string: usize,
        range: &Range<usize>,
        mut at: usize,
        into: &mut Vec<I>,
    ) -> Result<(), Error> {
        for piece in self.layout.strings[string].pieces(range) {
            let mut words = reserve::filled(0, piece.words.len(), "packed symbols")?;
            if piece.from == self.spmd.pid() {
                self.memory[string].read(piece.words.start, &mut words);
            } else {
                self.memory[RECEIVED].read(at, &mut words);
            }
            self.layout.strings[string].unpack(&piece, &words, into);
            at += words.len();
        }
        Ok(())
    }

    /// The columns of this process, in row 0.
    fn bands(&self, alphabet: usize, options: &SuperstepOptions) -> Result<Vec<Band<I>>, Error> {
        let kernel = options.kernel.unwrap_or(Kernel::choose(alphabet, options.level));
        let stored = &self.layout.strings[COLUMNS];
        let mut at = self.areas.columns;
        let columns = self.layout.grid.columns_of(self.spmd.pid()).map(|x| {
            let columns = self.layout.columns(x);
            let mut symbols = reserve::with_room(stored.room(columns.len()), "symbols of columns")?;
            self.take(COLUMNS, &columns, at, &mut symbols)?;
            at += stored.words(&columns);
            Band::new(symbols, alphabet, kernel, options.level)
        });
        columns.collect()
    }

    /// Collective: all supersteps; ends each superstep except the last. Where this process has an error, it
    /// goes on without computing, as others wait for it.
    fn compute_all(&mut self, bands: &mut [Band<I>]) -> Result<Result<(), Error>, Error> {
        let Grid { alpha, .. } = self.layout.grid;
        let (last, mut computed) = (self.layout.grid.supersteps() * alpha - 1, Ok(()));
        for superstep in 0..=last {
            computed = computed.and_then(|()| self.compute(superstep / alpha, superstep % alpha, bands));
            if superstep < last {
                let ended = self.spmd.sync();
                only_together(self.spmd, ended)?;
            }
        }
        Ok(computed.and_then(|()| self.tell_growth(bands)))
    }

    /// A superstep: the block of a diagonal in one of this process' block columns.
    fn compute(&mut self, diagonal: usize, number: usize, bands: &mut [Band<I>]) -> Result<(), Error> {
        if let Some(block) = self.layout.block(self.spmd.pid(), diagonal, number) {
            self.start(block)?;
            self.finish(block, &mut bands[number])?;
        }
        if number + 1 == self.layout.grid.alpha { self.ask_for_text(diagonal + 1) } else { Ok(()) }
    }

    /// The message and the text for a block.
    fn start(&mut self, block: Block) -> Result<(), Error> {
        let (rows, packing) = (self.layout.rows(block.y), self.layout.strings[TEXT].packing);
        let carries = self.layout.carry_words();
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        self.message.clear();
        if block.x == 0 {
            self.take(TEXT, &rows, self.areas.text, &mut text)?;
            self.message.resize(carries, 0);
            packing.pack(&text, &mut self.message);
        } else {
            self.message.resize(self.layout.message_words(rows.len()), 0);
            let at = self.areas.message_for(block, &self.layout.grid);
            self.memory[RECEIVED].read(at, &mut self.message);
            packing.unpack(&self.message[carries..], rows.len(), &mut text);
        }
        self.text = text;
        Ok(())
    }

    /// Computes a block, and puts the message for the next one.
    fn finish(&mut self, block: Block, band: &mut Band<I>) -> Result<(), Error> {
        let rows = self.text.len();
        let carries = &mut self.message[..words(rows)];
        // Never ended: there is nobody to end it.
        let _ = band.advance(&self.text, carries, &mut |_| ControlFlow::Continue(()));
        self.spmd.comm().charge(ENTRY.of(band.width() * rows));
        let next = Block { x: block.x + 1, ..block };
        let grid = &self.layout.grid;
        if next.x == grid.block_columns() {
            return Ok(());
        }
        let at = self.areas.message_for(next, grid);
        self.memory[RECEIVED].hpput(self.spmd, grid.owner(next.x), &mut self.message, at)
    }

    /// Puts how much the length grows over the columns of this process into the memory of all.
    fn tell_growth(&mut self, bands: &[Band<I>]) -> Result<(), Error> {
        let growth = &mut [bands.iter().map(Band::growth).sum::<usize>() as u64];
        let own = self.spmd.pid();
        self.memory[RECEIVED].write(own, growth);
        let mut others = (0..self.spmd.nprocs()).filter(|&process| process != own);
        others.try_for_each(|process| self.memory[RECEIVED].put(self.spmd, process, growth, own))
    }
}
