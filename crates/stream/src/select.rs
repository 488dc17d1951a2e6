//! Selects the faster kind of stores by timing: it depends on the machine, the length of the vectors, and the
//! other ranks.

use super::kernels::{self, Stores};
use super::vectors::Vectors;
use std::time::{Duration, Instant};

/// Trials of each kind of stores, alternating; the first pair also touches the memory and does not count.
const TRIALS: usize = 4;

/// A kernel of STREAM on its vectors a, b and c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// c = a.
    Copy,
    /// b = scalar * c.
    Scale,
    /// c = a + b.
    Add,
    /// a = b + scalar * c.
    Triad,
}

impl Kernel {
    /// In the order in which STREAM runs them.
    pub const ALL: [Self; 4] = [Self::Copy, Self::Scale, Self::Add, Self::Triad];

    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Scale => "scale",
            Self::Add => "add",
            Self::Triad => "triad",
        }
    }

    /// Runs it.
    pub fn run(self, stores: Stores, vectors: &mut Vectors, scalar: f64) {
        vectors.count(stores);
        let [a, b, c] = vectors.all();
        match self {
            Self::Copy => kernels::copy(stores, c, a),
            Self::Scale => kernels::scale(stores, b, c, scalar),
            Self::Add => kernels::add(stores, c, a, b),
            Self::Triad => kernels::triad(stores, a, b, c, scalar),
        }
    }
}

/// The faster stores for each kernel. The vectors hold zeros, and still do afterwards.
pub(crate) fn fastest(vectors: &mut Vectors) -> [Stores; Kernel::ALL.len()] {
    Kernel::ALL.map(|kernel| {
        let mut best = [Duration::MAX; 2];
        for trial in 0..TRIALS {
            for (stores, best) in [Stores::Ordinary, Stores::Streaming].into_iter().zip(&mut best) {
                let begin = Instant::now();
                kernel.run(stores, vectors, 0.0);
                if trial > 0 {
                    *best = begin.elapsed().min(*best);
                }
            }
        }
        if best[1] < best[0] { Stores::Streaming } else { Stores::Ordinary }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn a_run_of_all_kernels_gives_what_stream_checks() {
        for length in [0, 1, 13, 5000, 300_000] {
            let mut stream = Stream::new(length).expect("memory");
            let (scalar, mut expected) = (0.42, [2.0, 2.0, 0.0]);
            for (vector, value) in stream.vectors().all().into_iter().zip(expected) {
                vector.fill(value);
            }
            for _ in 0..10 {
                for kernel in Kernel::ALL {
                    stream.run(kernel, scalar);
                }
                let [a, b, c] = &mut expected;
                *c = *a;
                *b = scalar * *c;
                *c = *a + *b;
                *a = *b + scalar * *c;
            }
            for (vector, expected) in stream.vectors().all().into_iter().zip(expected) {
                assert!(vector.iter().all(|&value| (value / expected - 1.0).abs() < 1e-13));
            }
        }
    }

    #[test]
    fn trials_leave_zeros() {
        let mut vectors = Vectors::new(3000).expect("memory");
        fastest(&mut vectors);
        assert!(vectors.all().iter().all(|vector| vector.iter().all(|&value| value == 0.0)));
    }
}
