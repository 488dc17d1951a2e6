//! Reproducible random numbers.

/// Marsaglia's xorshift, multiplied (Vigna 2016).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        let mut chance = Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..8 {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    /// A number from one to another one, both included.
    pub fn from(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "{low} to {high}");
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.from(0, limit as i64 - 1) as usize
    }

    /// Whether it is one of these cases in a hundred.
    pub fn is(&mut self, percent: i64) -> bool {
        self.from(1, 100) <= percent
    }

    /// One of several.
    pub fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Some of these numbers, in order.
    pub fn choose(&mut self, count: usize, of: usize) -> Vec<usize> {
        let mut left = count;
        (0..of)
            .filter(|&number| {
                let is_chosen = self.below(of - number) < left;
                left -= usize::from(is_chosen);
                is_chosen
            })
            .collect()
    }

    /// Puts them into another order.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }
}
