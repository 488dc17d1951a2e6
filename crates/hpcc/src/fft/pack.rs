//! The two local permutations of the bit reversal, blocked for the cache.
//!
//! Idea: an image gathers the numbers for each image into a block, in the order of the destination; the
//! images exchange blocks; each scatters the received numbers. Elementwise loops access a cache line for
//! every number. The gather therefore moves tiles of 32 x 32 numbers, whose rows are contiguous in the source
//! and whose columns are contiguous in the destination, for all images before the next tile; the scatter
//! reads eight consecutive numbers of each image, into a batch that fits in the cache.
//!
//! Cost: each number is read and written once, in pieces of 512 and 128 bytes.
//! Source: Jin et al. 2011, §IV-B4: "pack a subset of the data for a subset of the processors"; tiles of bit
//! reversals: Carter and Gatlin 1998, "Towards an optimal bit-reversal permutation program".

use super::bits::{Bits, reversed};
use hcube_core::memory::Region;
use hcube_fft::kernel::LANES;
use hcube_fft::kernel::vector::Row;
use hcube_fft::kernel::view::View;

/// Gathers the numbers of this image, as pairs, into a block for each image.
pub fn gather(bits: Bits, input: Region<'_>, blocks: Region<'_>) {
    let (input, blocks) = (View::of(input), View::of(blocks));
    match bits.part - bits.images {
        0..=5 => tiles::<1>(bits, input, blocks),
        6..=9 => tiles::<8>(bits, input, blocks),
        _ => tiles::<32>(bits, input, blocks),
    }
}

/// By tiles of `SIDE` rows, each of as many numbers of every image.
fn tiles<const SIDE: usize>(bits: Bits, input: View<'_>, blocks: View<'_>) {
    let (rows, side) = (bits.part - bits.images, SIDE.ilog2());
    let high = rows - side;
    let mut tile = [[[0.0; 2]; SIDE]; SIDE];
    for middle in 0..1 << (rows - 2 * side) {
        let source = reversed(middle, rows - 2 * side) << side;
        for image in 0..bits.images() {
            let own = reversed(image, bits.images);
            for line in 0..SIDE {
                let first = (reversed(line, side) << high) + source;
                for (column, numbers) in tile.iter_mut().enumerate() {
                    let slot = ((first + column) << bits.images) + own;
                    numbers[line] = input.read::<2>(2 * slot);
                }
            }
            for (column, numbers) in tile.iter().enumerate() {
                let place = image * bits.block() + (reversed(column, side) << high) + (middle << side);
                for (line, &number) in numbers.iter().enumerate() {
                    blocks.write(2 * (place + line), number);
                }
            }
        }
    }
}

/// Scatters what this image has received from all to a batch of consecutive slots, a multiple of the number
/// of images. `swap`: real and imaginary parts change places.
pub fn scatter(bits: Bits, swap: bool, blocks: Region<'_>, first: usize, batch: &mut [Row]) {
    let blocks = View::of(blocks);
    let rows = (batch.len() * LANES) >> bits.images;
    let (begin, width) = (first >> bits.images, LANES.min(rows));
    for row in (0..rows).step_by(width) {
        for image in 0..bits.images() {
            let at = 2 * (image * bits.block() + begin + row);
            let own = reversed(image, bits.images);
            for number in 0..width {
                let [one, other] = blocks.read::<2>(at + 2 * number);
                let (re, im) = if swap { (other, one) } else { (one, other) };
                let slot = ((row + number) << bits.images) + own;
                let place = &mut batch[slot / LANES];
                (place.re[slot % LANES], place.im[slot % LANES]) = (re, im);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that name their places.
    fn part(bits: Bits, image: usize) -> Vec<u8> {
        let pair = |slot: usize| [image as f64, slot as f64];
        (0..bits.part()).flat_map(pair).flat_map(f64::to_ne_bytes).collect()
    }

    #[test]
    fn both_permutations_are_the_bit_reversal() {
        for images in 0..=4 {
            for part_bits in images.max(6)..=12 {
                let bits = Bits { images, part: part_bits };
                let bytes = 16 * bits.block();
                let gathered = |image: usize| {
                    let (mut input, mut blocks) = (part(bits, image), vec![0; 16 * bits.part()]);
                    gather(bits, Region::of(&mut input), Region::of(&mut blocks));
                    blocks
                };
                let all: Vec<Vec<u8>> = (0..bits.images()).map(gathered).collect();
                for image in 0..bits.images() {
                    let mut received: Vec<u8> = Vec::new();
                    all.iter().for_each(|blocks| received.extend(&blocks[image * bytes..][..bytes]));
                    for batch in [bits.part(), bits.images().max(2 * LANES)] {
                        for first in (0..bits.part()).step_by(batch) {
                            let mut rows = vec![Row::default(); batch / LANES];
                            scatter(bits, false, Region::of(&mut received), first, &mut rows);
                            for at in 0..batch {
                                let row = &rows[at / LANES];
                                let found = (row.re[at % LANES] as usize, row.im[at % LANES] as usize);
                                assert_eq!(found, bits.moved(image, first + at), "{bits:?}, {image}");
                            }
                        }
                    }
                }
            }
        }
    }
}
