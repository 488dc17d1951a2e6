//! What ranks do with a panel: its root writes it, and all read it.

/// What the root of a panel has computed, except the first word, which is the number of the panel.
pub fn contents(words: usize) -> Vec<u64> {
    (0..words as u64).map(|place| place.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
}

/// What a reader makes of a panel.
pub fn sum(panel: &[u64]) -> u64 {
    panel.iter().fold(0, |sum, &word| sum.wrapping_add(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_differ_by_their_number() {
        let mut panel = contents(100);
        let sums: Vec<u64> = (0..3)
            .map(|number| {
                panel[0] = number;
                sum(&panel)
            })
            .collect();
        assert_eq!((sums[1], sums[2]), (sums[0] + 1, sums[0] + 2));
    }
}
