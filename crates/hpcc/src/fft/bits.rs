//! The bit reversal of the locations in a distributed vector, as pure functions.
//!
//! Image r of P has the numbers from r * 2^n on, in local slots. The number in slot s of image r moves to the
//! location whose bits are the bits of r and s in reverse order. It therefore moves to the image given by the
//! lowest bits of s, and the images exchange blocks of equal size.

/// The lowest bits of a number in reverse order.
#[inline(always)]
pub const fn reversed(number: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { number.reverse_bits() >> (usize::BITS - bits) }
}

/// Binary logarithms of a distributed vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// Of the number of images.
    pub images: u32,
    /// Of the numbers of each image, at least `images`.
    pub part: u32,
}

impl Bits {
    /// Number of images.
    pub const fn images(self) -> usize {
        1 << self.images
    }

    /// Numbers of each image.
    pub const fn part(self) -> usize {
        1 << self.part
    }

    /// Numbers that an image sends to each image.
    pub const fn block(self) -> usize {
        1 << (self.part - self.images)
    }

    /// Image and slot to which a number moves. The same function leads back.
    pub const fn moved(self, image: usize, slot: usize) -> (usize, usize) {
        let row = reversed(slot >> self.images, self.part - self.images);
        (self.image_of(slot), (row << self.images) + reversed(image, self.images))
    }

    /// Image to which the number in a slot moves.
    #[inline(always)]
    pub const fn image_of(self, slot: usize) -> usize {
        reversed(slot & (self.images() - 1), self.images)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_move_to_the_reverse_of_their_places() {
        for images in 0..=6 {
            for part in images..=20 - images {
                let bits = Bits { images, part };
                // All slots of short vectors, some of long ones.
                let step = (bits.part() >> 8).max(1) | 1;
                for image in 0..bits.images() {
                    for slot in (0..bits.part()).step_by(step) {
                        let (to, there) = bits.moved(image, slot);
                        let place = image * bits.part() + slot;
                        assert_eq!(reversed(place, images + part), to * bits.part() + there);
                        assert_eq!(bits.moved(to, there), (image, slot));
                    }
                }
            }
        }
    }

    #[test]
    fn images_exchange_blocks_of_equal_size() {
        for images in 0..=4 {
            for part in images..=10 {
                let bits = Bits { images, part };
                let mut counts = vec![0; bits.images()];
                (0..bits.part()).for_each(|slot| counts[bits.image_of(slot)] += 1);
                assert_eq!(counts, vec![bits.block(); bits.images()]);
            }
        }
    }
}
