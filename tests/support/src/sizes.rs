//! Numbers for properties of index arithmetic: most are where a sum or a product of sizes leaves 31, 32, 62,
//! 63 or 64 bits. A property compares a function with the same formula in 128 bits: the result is exact, or
//! the function reports the error that it promises.

use proptest::prelude::*;
use proptest::sample::select;

/// The numbers around which most sizes lie.
const EDGES: [u64; 6] = [0, 1 << 31, 1 << 32, 1 << 62, 1 << 63, u64::MAX];

/// Sizes: small ones, those around an edge or any power of two, and any.
pub fn sizes() -> impl Strategy<Value = usize> {
    let near = |(middle, by): (u64, i64)| middle.wrapping_add_signed(by);
    let size = prop_oneof![
        3 => 0..10_u64,
        4 => (select(&EDGES[..]), -3..=3_i64).prop_map(near),
        3 => ((0..u64::BITS).prop_map(|power| 1 << power), -1..=1_i64).prop_map(near),
        1 => any::<u64>(),
    ];
    size.prop_map(|size| size as usize)
}

/// As [`sizes`], from `least` to `most`; larger ones become the largest or a little less.
pub fn sizes_within(least: usize, most: usize) -> impl Strategy<Value = usize> {
    sizes().prop_map(move |size| if size <= most { size } else { most - size % 4 }.clamp(least, most))
}

/// Distances of both signs, with sizes as in [`sizes`].
pub fn distances() -> impl Strategy<Value = isize> {
    (sizes(), any::<bool>()).prop_map(|(size, is_negative)| {
        let distance = size as isize;
        if is_negative { distance.wrapping_neg() } else { distance }
    })
}
