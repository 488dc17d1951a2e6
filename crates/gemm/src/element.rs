//! Elements of matrices and the two scalars of a product.

pub use crate::options::Element;

/// Bytes of the largest element.
pub const MAX_BYTES: usize = 16;

impl Element {
    /// Size of an element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double | Self::Complex => 8,
            Self::DoubleComplex => 16,
        }
    }

    /// Whether elements have an imaginary part.
    pub const fn is_complex(self) -> bool {
        matches!(self, Self::Complex | Self::DoubleComplex)
    }

    /// The letter in names of BLAS.
    pub const fn letter(self) -> char {
        match self {
            Self::Single => 's',
            Self::Double => 'd',
            Self::Complex => 'c',
            Self::DoubleComplex => 'z',
        }
    }

    /// Floating-point operations of a multiplication and an addition.
    pub const fn flops(self) -> u64 {
        if self.is_complex() { 8 } else { 2 }
    }

    /// Adds elements in memory to others.
    ///
    /// # Panics
    /// Where their numbers differ.
    pub fn add(self, to: &mut [u8], from: &[u8]) {
        /// Adds numbers of one size, whether they are real or parts of complex ones.
        macro_rules! add {
            ($number:ty) => {
                for (to, from) in
                    to.chunks_exact_mut(size_of::<$number>()).zip(from.chunks_exact(size_of::<$number>()))
                {
                    let [one, other] = [&*to, from]
                        .map(|bytes| <$number>::from_ne_bytes(bytes.try_into().expect("a number")));
                    to.copy_from_slice(&(one + other).to_ne_bytes());
                }
            };
        }
        assert_eq!(to.len(), from.len(), "bytes of elements that are added");
        match self.real_bytes() {
            4 => add!(f32),
            _ => add!(f64),
        }
    }

    /// Bytes of a real number of it.
    const fn real_bytes(self) -> usize {
        match self {
            Self::Single | Self::Complex => 4,
            Self::Double | Self::DoubleComplex => 8,
        }
    }
}

/// A number of a type of elements, as in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(16))]
pub struct Scalar {
    bytes: [u8; 16],
    element: Element,
}

impl Scalar {
    /// The number with these bytes, of which the first [`Element::bytes`] count.
    pub const fn new(element: Element, bytes: [u8; 16]) -> Self {
        Self { bytes, element }
    }

    /// A real number.
    pub fn real(element: Element, value: f64) -> Self {
        let mut bytes = [0; 16];
        match element.real_bytes() {
            4 => bytes[..4].copy_from_slice(&(value as f32).to_ne_bytes()),
            _ => bytes[..8].copy_from_slice(&value.to_ne_bytes()),
        }
        Self { bytes, element }
    }

    /// Real and imaginary part, as far as the type has them.
    fn parts(&self) -> [f64; 2] {
        let word =
            |start: usize| f64::from_ne_bytes(self.bytes[start..start + 8].try_into().expect("8 bytes"));
        let half =
            |start: usize| f32::from_ne_bytes(self.bytes[start..start + 4].try_into().expect("4 bytes"));
        match self.element {
            Element::Single => [half(0).into(), 0.0],
            Element::Double => [word(0), 0.0],
            Element::Complex => [half(0).into(), half(4).into()],
            Element::DoubleComplex => [word(0), word(8)],
        }
    }

    /// Whether it is 0; NaN is not.
    pub fn is_zero(&self) -> bool {
        self.parts() == [0.0, 0.0]
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        self.parts() == [1.0, 0.0]
    }

    /// Its first byte, aligned as numbers are.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.bytes
    }

    /// This number times elements in memory.
    pub fn scale(&self, elements: &mut [u8]) {
        /// Multiplies real numbers, or pairs of them.
        macro_rules! scale {
            ($number:ty, $size:literal, complex: $complex:literal) => {{
                let [re, im] = self.parts().map(|part| part as $number);
                let read = |bytes: &[u8]| <$number>::from_ne_bytes(bytes.try_into().expect("a number"));
                if $complex {
                    for pair in elements.chunks_exact_mut(2 * $size) {
                        let (x, y) = (read(&pair[..$size]), read(&pair[$size..]));
                        pair[..$size].copy_from_slice(&(re * x - im * y).to_ne_bytes());
                        pair[$size..].copy_from_slice(&(re * y + im * x).to_ne_bytes());
                    }
                } else {
                    for number in elements.chunks_exact_mut($size) {
                        let product = re * read(number);
                        number.copy_from_slice(&product.to_ne_bytes());
                    }
                }
            }};
        }
        match self.element {
            Element::Single => scale!(f32, 4, complex: false),
            Element::Double => scale!(f64, 8, complex: false),
            Element::Complex => scale!(f32, 4, complex: true),
            Element::DoubleComplex => scale!(f64, 8, complex: true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_their_value() {
        for &element in Element::ALL {
            assert!(Scalar::real(element, 0.0).is_zero() && Scalar::real(element, -0.0).is_zero());
            assert!(Scalar::real(element, 1.0).is_one());
            assert!(!Scalar::real(element, f64::NAN).is_zero() && !Scalar::real(element, 2.0).is_one());
        }
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&1.0f64.to_ne_bytes());
        let imaginary = Scalar::new(Element::DoubleComplex, bytes);
        assert!(!imaginary.is_zero() && !imaginary.is_one());
        assert!(Scalar::new(Element::Double, bytes).is_zero(), "the rest does not count");
    }

    #[test]
    fn elements_are_scaled() {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&2.0f64.to_ne_bytes());
        bytes[8..].copy_from_slice(&1.0f64.to_ne_bytes());
        let factor = Scalar::new(Element::DoubleComplex, bytes);
        let mut elements: Vec<u8> = [3.0f64, 4.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
        factor.scale(&mut elements);
        // (2 + i)(3 + 4i) = 2 + 11i
        assert_eq!(elements[..8], 2.0f64.to_ne_bytes());
        assert_eq!(elements[8..], 11.0f64.to_ne_bytes());
        let mut singles = 3.0f32.to_ne_bytes();
        Scalar::real(Element::Single, 0.5).scale(&mut singles);
        assert_eq!(singles, 1.5f32.to_ne_bytes());
    }
}
