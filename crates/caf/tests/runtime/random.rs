//! Pseudo-random numbers (Marsaglia 2003, "Xorshift RNGs").

/// The next number.
pub fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
