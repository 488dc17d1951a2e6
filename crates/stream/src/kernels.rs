//! The four kernels, with the kind of stores as a parameter.
//!
//! A streaming store writes whole cache lines directly to memory, without the read by which an ordinary store
//! fetches the line first. It is faster for vectors that do not fit in the cache, and much slower for vectors
//! that do: [`select`](super::select) times both.

use hcube_core::memory::streaming;

/// How results are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stores {
    /// Through the cache.
    Ordinary,
    /// Past the cache.
    Streaming,
}

impl Stores {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary stores",
            Self::Streaming => "streaming stores",
        }
    }

    /// `to[i] = value(from[i], other[i])`.
    #[inline(always)]
    fn write(self, to: &mut [f64], from: &[f64], other: &[f64], value: impl Fn(f64, f64) -> f64 + Copy) {
        match self {
            Self::Ordinary => {
                for ((to, &from), &other) in to.iter_mut().zip(from).zip(other) {
                    *to = value(from, other);
                }
            }
            Self::Streaming => streaming::write_values(to, from, other, value),
        }
    }
}

/// `to = from`.
pub fn copy(stores: Stores, to: &mut [f64], from: &[f64]) {
    match stores {
        // A library's copy may be faster than a loop.
        Stores::Ordinary => to.copy_from_slice(from),
        Stores::Streaming => stores.write(to, from, from, |from, _| from),
    }
}

/// `to = scalar * from`.
pub fn scale(stores: Stores, to: &mut [f64], from: &[f64], scalar: f64) {
    match stores {
        // With one input, which the compiler would otherwise read twice.
        Stores::Ordinary => {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = scalar * from;
            }
        }
        Stores::Streaming => stores.write(to, from, from, |from, _| scalar * from),
    }
}

/// `to = from + other`.
pub fn add(stores: Stores, to: &mut [f64], from: &[f64], other: &[f64]) {
    stores.write(to, from, other, |from, other| from + other);
}

/// `to = from + scalar * other`.
pub fn triad(stores: Stores, to: &mut [f64], from: &[f64], other: &[f64], scalar: f64) {
    stores.write(to, from, other, |from, other| from + scalar * other);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_stores_compute_the_same() {
        for length in [0, 1, 3, 7, 8, 9, 15, 16, 17, 64, 100, 1001] {
            for start in 0..9 {
                let from: Vec<f64> = (0..length).map(|index| index as f64 * 0.37).collect();
                let other: Vec<f64> = (0..length).map(|index| 3.0 - index as f64).collect();
                for stores in [Stores::Ordinary, Stores::Streaming] {
                    let check = |kernel: &dyn Fn(&mut [f64]), expected: &dyn Fn(usize) -> f64| {
                        let mut memory = vec![-1.0; start + length + 9];
                        kernel(&mut memory[start..start + length]);
                        for (index, &value) in memory.iter().enumerate() {
                            let inside = (start..start + length).contains(&index);
                            assert_eq!(value, if inside { expected(index - start) } else { -1.0 });
                        }
                    };
                    check(&|to| copy(stores, to, &from), &|index| from[index]);
                    check(&|to| scale(stores, to, &from, 0.42), &|index| 0.42 * from[index]);
                    check(&|to| add(stores, to, &from, &other), &|index| from[index] + other[index]);
                    check(&|to| triad(stores, to, &from, &other, 0.42), &|index| {
                        from[index] + 0.42 * other[index]
                    });
                }
            }
        }
    }
}
