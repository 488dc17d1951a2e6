//! The levels whose butterflies span two images, Figure 7 of Jin et al. 2011.
//!
//! Idea: in level l an image and its partner, whose ranks differ in bit l, have the two numbers of each
//! butterfly. Each of the two computes half of the butterflies: it fetches that half of the partner's
//! numbers, strip by strip, and sends the partner's results back. All transfers are asynchronous copies: a
//! fetch begins when the partner has notified that the strip is complete (`ready`), its end is notified to
//! this image (`prefetch`), and the end of a send to the partner (`copied`). The first strip is therefore
//! computed while the others are transferred. An image notifies the strips of its partner's half before it
//! computes its own, and waits for results of the previous level only when it needs them.
//!
//! Restrictions: a power of two of images.
//! Cost per level: half of the part is fetched and half of it sent, 16 n / P bytes together, in a copy per
//! strip; two notifications per strip of a half. Memory: two columns of 16 n / P bytes, between which levels
//! alternate, and half a column for fetched strips; log2 P + 2 events of 64 bytes per strip; for each level,
//! 16 bytes per number of a strip for factors.
//! Source: Jin et al. 2011, §III-D, §IV-B4 and Figure 7.

use super::bits::Bits;
use super::images::{Images, strip};
use super::local::factors;
use hcube_caf::Runtime;
use hcube_caf::copy::Side;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::instructions::Level;
use hcube_core::memory::Region;
use hcube_fft::kernel::LANES;
use hcube_fft::kernel::dispatch::{Work, dispatch};
use hcube_fft::kernel::transform::root;
use hcube_fft::kernel::vector::{Complex, Row, Vector};
use hcube_fft::kernel::view::View;
use hcube_fft::stages::Laps;
use hcube_fft::work::LEVEL;
use hcube_fft::{COMPLEX, Stages};
use std::ops::Range;

/// The remote levels of an image.
#[derive(Debug, Clone)]
pub struct Remote {
    level: Level,
    bits: Bits,
    own: usize,
    /// Numbers of a strip.
    strip: usize,
    /// For each level, the factors of a strip from its first one.
    factors: Vec<Vec<Row>>,
}

/// A level, seen from an image.
struct Round {
    level: usize,
    partner: usize,
    /// The columns before and after it.
    columns: [usize; 2],
    /// The strips that this image computes, and the strips of its partner.
    halves: [Range<usize>; 2],
}

impl Remote {
    /// For an image of a distributed vector.
    pub fn new(bits: Bits, own: usize, level: Level) -> Self {
        let strip = strip(bits.part());
        let whole = |level: u32| 2_usize << (bits.part + level);
        let factors = (0..bits.images).map(|level| factors(strip, whole(level))).collect();
        Self { level, bits, own, strip, factors }
    }

    fn strips(&self) -> usize {
        self.bits.part() / self.strip
    }

    fn round(&self, level: usize) -> Round {
        let half = self.strips() / 2;
        let (partner, lower, upper) = (self.own ^ (1 << level), 0..half, half..2 * half);
        let halves = if self.own < partner { [lower, upper] } else { [upper, lower] };
        Round { level, partner, columns: [level % 2, 1 - level % 2], halves }
    }

    /// Runs all levels, from column 0 of the coarray on: the column that has the result then.
    pub fn run<C: Comm>(
        &self,
        comm: &C,
        runtime: &Runtime<C>,
        images: &Images,
        stages: &mut Stages,
    ) -> Result<usize> {
        let exchange = Exchange { remote: self, runtime, images, memory: images.memory(runtime)? };
        let mut laps = Laps::start(|| comm.seconds());
        // The strips of the level before that its partner computes.
        let mut awaited = 0..0;
        for level in 0..self.bits.images as usize {
            let round = self.round(level);
            exchange.prefetch(&round)?;
            let [own, partners] = round.halves.clone();
            for strip in partners {
                exchange.wait_for(strip, &awaited)?;
                runtime.notify(images.ready, self.ready(level, strip), round.partner)?;
            }
            for strip in own {
                exchange.wait_for(strip, &awaited)?;
                runtime.wait_event(images.prefetch, strip)?;
                stages.second_exchange += laps.lap();
                dispatch(self.level, exchange.strip(&round, strip));
                // The butterflies of a strip have the numbers of both images.
                comm.charge(LEVEL.of(2 * self.strip));
                stages.rows += laps.lap();
                exchange.send(&round, strip)?;
            }
            awaited = round.halves[1].clone();
        }
        for strip in awaited.clone() {
            exchange.wait_for(strip, &awaited)?;
        }
        stages.second_exchange += laps.lap();
        Ok(self.bits.images as usize % 2)
    }

    /// The event for a strip of a level: the partner of the next level may be early.
    fn ready(&self, level: usize, strip: usize) -> usize {
        level * self.strips() + strip
    }

    /// Bytes of a strip in a column.
    fn place(&self, column: usize, strip: usize) -> Range<usize> {
        let begin = COMPLEX * (column * self.bits.part() + strip * self.strip);
        begin..begin + COMPLEX * self.strip
    }

    /// Bytes of a strip of this image's half that was fetched.
    fn fetched(&self, round: &Round, strip: usize) -> Range<usize> {
        self.place(2, strip - round.halves[0].start)
    }
}

/// The remote levels of a transform.
struct Exchange<'a, C: Comm> {
    remote: &'a Remote,
    runtime: &'a Runtime<C>,
    images: &'a Images,
    /// This image's part of the coarray.
    memory: Region<'static>,
}

impl<C: Comm> Exchange<'_, C> {
    /// Waits for the partner's result for a strip, if it is among those that the partner computes.
    fn wait_for(&self, strip: usize, awaited: &Range<usize>) -> Result<()> {
        if awaited.contains(&strip) { self.runtime.wait_event(self.images.copied, strip) } else { Ok(()) }
    }

    /// Starts all fetches of a level.
    fn prefetch(&self, round: &Round) -> Result<()> {
        // Results of the level before have left the memory that is fetched to.
        self.runtime.cofence()?;
        let own = self.remote.own;
        for strip in round.halves[0].clone() {
            let from = self.remote.place(round.columns[0], strip);
            self.runtime.copy_async(
                Side::Memory(self.memory.part(self.remote.fetched(round, strip))),
                Side::Coarray(self.images.columns, round.partner, from.start),
                from.len(),
                Some((self.images.prefetch, strip, own)),
                Some((self.images.ready, self.remote.ready(round.level, strip), own)),
            )?;
        }
        Ok(())
    }

    /// Sends the results of a strip that are the partner's.
    fn send(&self, round: &Round, strip: usize) -> Result<()> {
        let to = self.remote.place(round.columns[1], strip);
        self.runtime.copy_async(
            Side::Coarray(self.images.columns, round.partner, to.start),
            Side::Memory(self.memory.part(self.remote.fetched(round, strip))),
            to.len(),
            Some((self.images.copied, strip, round.partner)),
            None,
        )
    }

    /// The butterflies of a strip.
    fn strip(&self, round: &Round, strip: usize) -> Strip<'_> {
        let remote = self.remote;
        let [before, after] = round.columns.map(|column| self.memory.part(remote.place(column, strip)));
        let fetched = self.memory.part(remote.fetched(round, strip));
        // The number of the first butterfly, among the numbers of the images below the distance.
        let first = (remote.own % (1 << round.level)) * remote.bits.part() + strip * remote.strip;
        Strip {
            own: View::of(before),
            result: View::of(after),
            fetched: View::of(fetched),
            first: root(first as u64, 2 << (remote.bits.part as usize + round.level)),
            factors: &remote.factors[round.level],
            is_lower: remote.own < round.partner,
        }
    }
}

/// The butterflies of a strip: this image's results are written to a column, the partner's results replace
/// the fetched numbers.
struct Strip<'a> {
    own: View<'a>,
    result: View<'a>,
    fetched: View<'a>,
    /// Factor of the first butterfly.
    first: [f64; 2],
    /// Factors of the others, relative to it.
    factors: &'a [Row],
    is_lower: bool,
}

#[inline(always)]
fn load<V: Vector>(proof: V::Proof, from: View<'_>, at: usize) -> Complex<V> {
    Complex { re: V::load(proof, &from.read(at)), im: V::load(proof, &from.read(at + LANES)) }
}

#[inline(always)]
fn store<V: Vector>(number: Complex<V>, to: View<'_>, at: usize) {
    let mut row = Row::default();
    number.store(&mut row);
    to.write(at, row.re);
    to.write(at + LANES, row.im);
}

impl Work for Strip<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, proof: V::Proof) {
        let first = Complex::<V>::all(proof, self.first);
        for (number, factor) in self.factors.iter().enumerate() {
            let at = 2 * LANES * number;
            let (own, fetched) = (load::<V>(proof, self.own, at), load::<V>(proof, self.fetched, at));
            let (one, other) = if self.is_lower { (own, fetched) } else { (fetched, own) };
            let other = other.times(Complex::load(proof, factor).times(first));
            let (sum, difference) = (one.plus(other), one.minus(other));
            let (own, partners) = if self.is_lower { (sum, difference) } else { (difference, sum) };
            store(own, self.result, at);
            store(partners, self.fetched, at);
        }
    }
}
