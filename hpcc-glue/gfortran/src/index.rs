//! Numbers of elements, and their distances in memory, for subscripts of any size.
//!
//! Idea: a program may pass any subscripts, and 64 bits do not count the bytes between all elements that
//! these select. A distance that exceeds the address space, of either sign, becomes [`FAR_BYTES`], and a
//! number of elements that exceeds 64 bits the largest number. The check of a section against its coarray
//! ([`crate::section`]) refuses them: the distances of all dimensions of an array cannot add up to a place in
//! a coarray if one of them is far. Everything that is computed after the check is exact.
//!
//! Cost: a few instructions per dimension.

/// No program has more memory.
const ADDRESS_SPACE_BYTES: isize = 1 << 56;
/// The distance of what lies outside of it: it exceeds 15 distances inside of it, and 15 times it is no sum
/// that returns to 0 in 64 bits.
pub const FAR_BYTES: isize = 1 << 60;

/// Bytes from the element with index `lower` to the element with another index, where successive elements are
/// `step` bytes apart.
pub fn distance(index: isize, lower: isize, step: isize) -> isize {
    let bytes = index.saturating_sub(lower).saturating_mul(step);
    if bytes.unsigned_abs() <= ADDRESS_SPACE_BYTES as usize { bytes } else { FAR_BYTES }
}

/// The number of indices from the first to a limit, and the last of these indices; none if there are no
/// indices. The stride is not 0.
pub fn steps(first: isize, limit: isize, stride: isize) -> Option<(usize, isize)> {
    let (low, high) = if stride > 0 { (first, limit) } else { (limit, first) };
    let strides = (low <= high).then(|| high.abs_diff(low) / stride.unsigned_abs())?;
    // The result is between the first index and the limit, so an overflow on the way does not matter.
    let last = first.wrapping_add((strides as isize).wrapping_mul(stride));
    Some((strides.saturating_add(1), last))
}

/// Elements of an array with these extents: none if one of the extents is 0, however large others are.
pub fn elements(extents: impl Iterator<Item = usize>) -> usize {
    extents.fold(1, usize::saturating_mul)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::distances;
    use proptest::prelude::*;

    /// What [`distance`] promises, in 128 bits.
    fn exact(number: i128) -> i128 {
        if number.abs() <= 1 << 56 { number } else { 1 << 60 }
    }

    proptest! {
        #[test]
        fn distances_of_any_size_are_exact_or_far(
            [index, lower, stride, unit] in [distances(), distances(), distances(), distances()],
        ) {
            let step = exact(stride as i128 * unit as i128);
            prop_assert_eq!(distance(stride, 0, unit) as i128, step);
            let expected = exact((index as i128 - lower as i128) * step);
            prop_assert_eq!(distance(index, lower, step as isize) as i128, expected);
        }

        #[test]
        fn triplets_of_any_size_have_exact_numbers_of_elements(
            [first, limit, stride] in [distances(), distances(), distances()],
        ) {
            let stride = if stride == 0 { 1 } else { stride };
            let [from, to, by] = [first, limit, stride].map(|number| number as i128);
            // Fortran 2018, 10.1.2.4: the number of elements of a triplet.
            let count = ((to - from + by) / by).max(0);
            let expected = (count > 0).then(|| (count.min(usize::MAX as i128), from + (count - 1) * by));
            let found = steps(first, limit, stride).map(|(count, last)| (count as i128, last as i128));
            prop_assert_eq!(found, expected);
        }
    }
}
