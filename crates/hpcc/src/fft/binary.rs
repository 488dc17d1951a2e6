//! The transform by binary exchange: bit reversal, local levels, remote levels.
//!
//! Idea: with its numbers in bit-reversed order, a vector is transformed by log2 n levels of butterflies,
//! whose distance doubles from level to level; the result is in natural order. All except the last log2 P
//! levels are local. The bit reversal is one all-to-all exchange between two local permutations (`pack`).
//!
//! Restrictions: 2^a images, which are all processes of the job; 2^b numbers, at least 64 and at least P on
//! each image. One rank needs no coarray runtime.
//! Cost: (P - 1) / P 16 n / P bytes for the exchange, then log2 P levels (`exchange`). Memory: 40 bytes per
//! local number for all transforms of a process together, on one rank 32 for each transform; tables and
//! batches of each transform (`local`, `exchange`).
//! Source: Jin et al. 2011, §III-D.

use super::bits::Bits;
use super::exchange::Remote;
use super::images::Images;
use super::local::{Local, MIN_PART};
use super::pack::gather;
use hcube_caf::Runtime;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::machine::instructions::Level;
use hcube_core::machine::work::COPY;
use hcube_core::memory::Region;
use hcube_fft::kernel::LANES;
use hcube_fft::kernel::dispatch::{Work, dispatch};
use hcube_fft::kernel::vector::{Complex, Vector};
use hcube_fft::kernel::view::View;
use hcube_fft::options::Radix;
use hcube_fft::stages::Laps;
use hcube_fft::work::levels;
use hcube_fft::{COMPLEX, Direction, Stages};

/// A transform of one length in one direction, as one rank sees it.
#[derive(Debug)]
pub struct BinaryExchange {
    bits: Bits,
    own: usize,
    backward: bool,
    level: Level,
    local: Local,
    remote: Remote,
    /// Two columns, for the only rank.
    alone: Vec<u8>,
}

/// The binary logarithms of a vector.
fn bits(length: usize, ranks: usize) -> Result<Bits> {
    if !ranks.is_power_of_two() {
        let text = format!("{ranks} ranks: expected 2^a ranks for a Fourier transform by binary exchange");
        return Err(Error::Communicator(text));
    }
    let least = ranks.saturating_mul(ranks.max(MIN_PART));
    if !length.is_power_of_two() || length < least || length > (isize::MAX as usize) / 64 {
        let expected = format!("2^b, at least {least} on {ranks} ranks, for a transform by binary exchange");
        return Err(Error::argument("length", length, expected));
    }
    let images = ranks.ilog2();
    Ok(Bits { images, part: length.ilog2() - images })
}

impl BinaryExchange {
    /// Collective: sets a transform up. Every rank passes the same length, direction and radix, or the error
    /// that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks: [`Error::Argument`] and [`Error::Communicator`] for lengths and numbers of ranks that
    /// are not possible, [`Error::Mismatch`], [`Error::Memory`].
    pub fn new<C: Comm>(comm: &C, wanted: Result<(usize, Direction)>, radix: Radix) -> Result<Self> {
        let checked = wanted.and_then(|(length, direction)| {
            Ok((bits(length, comm.size())?, direction == Direction::Backward))
        });
        let (bits, backward) = agree(comm, checked)?;
        let length = bits.part() * bits.images();
        agree_on(comm, &[("length", length as i64), ("direction", backward.into())])?;
        let (own, level) = (comm.rank(), Level::detect());
        let mut alone = Vec::new();
        if comm.size() == 1 {
            let bytes = 2 * COMPLEX * bits.part();
            alone.try_reserve_exact(bytes).map_err(|_| Error::Memory(format!("{bytes} bytes of memory")))?;
            alone.resize(bytes, 0);
        }
        let (local, remote) = (Local::new(bits, backward, radix, level), Remote::new(bits, own, level));
        Ok(Self { bits, own, backward, level, local, remote, alone })
    }

    /// The binary logarithms of the vector.
    pub fn bits(&self) -> Bits {
        self.bits
    }

    /// Number of this rank in the communicator.
    pub fn rank(&self) -> usize {
        self.own
    }

    /// Transforms the vector of one rank: from the first part to the second part, which may be the same
    /// memory.
    pub fn execute_alone<C: Comm>(&mut self, comm: &C, (input, output): (Region<'_>, Region<'_>)) -> Stages {
        let mut alone = std::mem::take(&mut self.alone);
        let [result, blocks] = columns(self.bits, Region::of(&mut alone));
        let mut laps = Laps::start(|| comm.seconds());
        let mut stages = Stages::default();
        self.read(comm, input, blocks);
        stages.first_exchange = laps.lap();
        self.local_levels(comm, blocks, result);
        stages.columns = laps.lap();
        self.write(comm, result, output);
        stages.last_exchange = laps.lap();
        self.alone = alone;
        stages
    }

    /// Collective over all images: transforms the vector, from the first parts to the second parts, which may
    /// be the same memory.
    ///
    /// # Errors
    /// Where an image has failed; other images may wait for this one then.
    pub fn execute<C: Comm>(
        &mut self,
        comm: &C,
        runtime: &Runtime<C>,
        images: &Images,
        (input, output): (Region<'_>, Region<'_>),
    ) -> Result<Stages> {
        let columns = columns(self.bits, images.memory(runtime)?);
        let mut laps = Laps::start(|| comm.seconds());
        let mut stages = Stages::default();
        self.read(comm, input, columns[0]);
        runtime.alltoall(runtime.world(), columns[0], columns[1])?;
        stages.first_exchange = laps.lap();
        self.local_levels(comm, columns[1], columns[0]);
        stages.columns = laps.lap();
        let last = self.remote.run(comm, runtime, images, &mut stages)?;
        laps.lap();
        self.write(comm, columns[last], output);
        runtime.cofence()?;
        if (0..self.bits.images()).any(|image| !runtime.is_on_node(image)) {
            // Messages with results of others go out while this image waits.
            runtime.barrier(runtime.world())?;
        }
        stages.last_exchange = laps.lap();
        Ok(stages)
    }

    /// From pairs to a block for each image, the first half of the bit reversal.
    fn read<C: Comm>(&self, comm: &C, input: Region<'_>, blocks: Region<'_>) {
        gather(self.bits, input, blocks);
        comm.charge(COPY.of(blocks.len()));
    }

    /// From the blocks of all images to a column, through the second half of the bit reversal and the local
    /// levels.
    fn local_levels<C: Comm>(&mut self, comm: &C, blocks: Region<'_>, column: Region<'_>) {
        self.local.run(blocks, column);
        comm.charge(COPY.of(column.len()));
        comm.charge(levels(self.bits.part(), self.bits.part()));
    }

    /// From a column to pairs.
    fn write<C: Comm>(&self, comm: &C, column: Region<'_>, output: Region<'_>) {
        comm.charge(COPY.of(output.len()));
        let (from, to) = (View::of(column), View::of(output));
        dispatch(self.level, Output { from, to, count: self.bits.part(), backward: self.backward });
    }
}

/// The two columns of a part each.
fn columns(bits: Bits, memory: Region<'_>) -> [Region<'_>; 2] {
    let bytes = COMPLEX * bits.part();
    [memory.part(0..bytes), memory.part(bytes..2 * bytes)]
}

/// From rows to pairs.
struct Output<'a> {
    from: View<'a>,
    to: View<'a>,
    count: usize,
    backward: bool,
}

impl Work for Output<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, proof: V::Proof) {
        for at in (0..2 * self.count).step_by(2 * LANES) {
            let re = V::load(proof, &self.from.read(at));
            let im = V::load(proof, &self.from.read(at + LANES));
            let number = Complex { re, im }.swap_if(self.backward);
            let [low, high] = V::pair([number.re, number.im]);
            self.to.stream(at, low);
            self.to.stream(at + LANES, high);
        }
        V::fence();
    }
}
