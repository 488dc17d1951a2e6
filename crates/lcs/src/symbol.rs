//! The symbols of strings: symbols of callers, and symbols of kernels.

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

/// A symbol of a caller's string: 8, 16 or 32 bits, compared as a number.
pub trait Symbol: sealed::Sealed + Copy + Eq + Send + Sync {
    /// Bits of the type.
    const BITS: u32;

    /// The number.
    fn value(self) -> u32;

    /// The symbol of a number.
    ///
    /// # Panics
    /// Where the number has more bits.
    fn from_value(value: u32) -> Self;
}

/// Bits that hold the numbers below the size of an alphabet, at least one.
pub fn bits_for(alphabet: usize) -> usize {
    (alphabet.max(2) - 1).ilog2() as usize + 1
}

/// A symbol that kernels use: the position in an alphabet, one byte where the alphabet permits it.
pub trait Id: Symbol {
    /// The position in the alphabet.
    fn index(self) -> usize {
        self.value() as usize
    }
}

macro_rules! symbols {
    ($($symbol:ty)*) => {$(
        impl Symbol for $symbol {
            const BITS: u32 = <$symbol>::BITS;

            #[inline(always)]
            fn value(self) -> u32 {
                u32::from(self)
            }

            #[inline(always)]
            fn from_value(value: u32) -> Self {
                value.try_into().expect("a symbol of this type")
            }
        }
    )*};
}

symbols!(u8 u16 u32);

impl Id for u8 {}
impl Id for u32 {}
