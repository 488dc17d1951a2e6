//! Reductions: types and operations.

/// How the values of all ranks are combined, element by element.
///
/// Sums of integers are taken modulo 2^64. The order in which floating-point sums are rounded depends on the
/// back end, and so does the result of minimum and maximum if an element is NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `MPI_SUM`.
    Sum,
    /// `MPI_MIN`.
    Min,
    /// `MPI_MAX`.
    Max,
}

/// The type of an [`Element`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType {
    /// `f64`, `MPI_DOUBLE`.
    F64,
    /// `f32`, `MPI_FLOAT`.
    F32,
    /// `i64`, `MPI_INT64_T`.
    I64,
    /// `u64`, `MPI_UINT64_T`.
    U64,
}

mod sealed {
    /// Only the types of this file: back ends read memory as what [`super::Element::TYPE`] says.
    pub trait Sealed {}
}

/// A number that ranks can combine.
pub trait Element: Copy + sealed::Sealed {
    /// Which type this is.
    const TYPE: ElementType;
    /// Combines two values.
    fn combine(self, other: Self, operation: Operation) -> Self;
    /// The value as 64 bits, for back ends that carry words.
    fn to_word(self) -> u64;
    /// The value of [`Self::to_word`].
    fn from_word(word: u64) -> Self;
}

/// Implements [`Element`] for a type: its name in [`ElementType`], its sum, and how it becomes a word.
macro_rules! element {
    ($type:ident, $name:ident, $sum:expr, $to:expr, $from:expr) => {
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const TYPE: ElementType = ElementType::$name;
            fn combine(self, other: Self, operation: Operation) -> Self {
                match operation {
                    Operation::Sum => $sum(self, other),
                    Operation::Min => self.min(other),
                    Operation::Max => self.max(other),
                }
            }
            fn to_word(self) -> u64 {
                $to(self)
            }
            fn from_word(word: u64) -> Self {
                $from(word)
            }
        }
    };
}

element!(f64, F64, |a, b| a + b, f64::to_bits, f64::from_bits);
element!(f32, F32, |a, b| a + b, |value: f32| value.to_bits().into(), |word| f32::from_bits(word as u32));
element!(i64, I64, i64::wrapping_add, |value| value as u64, |word| word as i64);
element!(u64, U64, u64::wrapping_add, |value| value, |word| word);

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Element + PartialEq + std::fmt::Debug>(small: T, large: T, sum: T) {
        for (a, b) in [(small, large), (large, small)] {
            let combined = [Operation::Sum, Operation::Min, Operation::Max].map(|how| a.combine(b, how));
            assert_eq!(combined, [sum, small, large]);
            assert_eq!(T::from_word(a.to_word()), a);
        }
    }

    #[test]
    fn values_combine_and_survive_as_words() {
        check(-1.5, 2.25, 0.75);
        check(-1.5f32, 2.25, 0.75);
        check(-3i64, 5, 2);
        check(3u64, 5, 8);
        check(i64::MIN, i64::MAX, -1);
        check(2, u64::MAX, 1);
    }
}
