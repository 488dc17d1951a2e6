//! The vector instructions of inner loops, selected at run time.
//!
//! Idea: one list of levels for all systems, so that a report names one level per rank. A level above the
//! portable one contains a token that only [`Level::available`] creates, after it has detected the
//! instructions: code that has the token may execute them.
//!
//! Restrictions: x86-64; other architectures have the portable level. The level AVX-512 needs 512-bit vectors
//! and 64-bit multiplication, which every processor with AVX-512 since Skylake-SP (2017) has; Knights Landing
//! lacks the multiplication and uses AVX2. The level AVX2 needs fused multiply-add, as in Haswell (2013) and
//! Zen.

/// The proof that this processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Avx2(());

/// The proof that this processor has AVX-512F and AVX-512DQ, and what [`Avx2`] proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Avx512(());

impl Avx512 {
    /// The proof of the level below, for loops without code of this level.
    pub fn avx2(self) -> Avx2 {
        Avx2(())
    }
}

/// The instructions that inner loops use, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The instructions that every processor of the architecture has.
    Portable,
    /// Vectors of 256 bits.
    Avx2(Avx2),
    /// Vectors of 512 bits.
    Avx512(Avx512),
}

impl Level {
    /// The best level of this processor.
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// All levels of this processor, slowest first.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "one level there"))]
        let mut levels = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                levels.push(Self::Avx2(Avx2(())));
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                    levels.push(Self::Avx512(Avx512(())));
                }
            }
        }
        levels
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2(_) => "AVX2",
            Self::Avx512(_) => "AVX-512",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_in_order_and_the_last_is_selected() {
        let levels = Level::available();
        assert!(levels[0] == Level::Portable && levels.is_sorted());
        assert_eq!(levels.last(), Some(&Level::detect()));
    }
}
