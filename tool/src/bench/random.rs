//! Pseudorandom numbers, from which known data is generated.

/// The finaliser of SplitMix64 (Steele et al., Fast splittable pseudorandom number generators, OOPSLA 2014).
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// What consecutive values differ by before they are mixed.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
