//! Lengths of vectors and strings, as options give them.

/// Elements at most.
const MAX_LENGTH: usize = 1 << 40;

/// A product of numbers and powers: 3*2^20.
///
/// # Errors
/// What was expected.
pub fn length(text: &str) -> Result<usize, String> {
    let number = |text: &str| -> Option<usize> {
        // As numbers are written: no sign.
        text.starts_with(|first: char| first.is_ascii_digit()).then(|| text.parse().ok())?
    };
    let factor = |text: &str| match text.split_once('^') {
        Some((base, exponent)) => number(base)?.checked_pow(u32::try_from(number(exponent)?).ok()?),
        None => number(text),
    };
    let product = text.split('*').try_fold(1_usize, |product, text| product.checked_mul(factor(text)?));
    product.filter(|length| (1..=MAX_LENGTH).contains(length)).ok_or_else(|| {
        "expected a number from 1 to 2^40, or a product of numbers and powers such as 3*2^20".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_products_of_powers() {
        assert_eq!(length("1000"), Ok(1000));
        assert_eq!(length("2^20"), Ok(1 << 20));
        assert_eq!(length("3*2^18*5"), Ok(15 << 18));
        assert_eq!((length("2^0"), length("2^40")), (Ok(1), Ok(1 << 40)));
        for text in
            ["", "0", "2^41", "2^64", "2^99999999999", "-4", "+4", "2^", "^2", "2**3", "2^2^2", "1k", "1e6"]
        {
            assert!(length(text).is_err_and(|message| message.contains("3*2^20")), "{text}");
        }
    }
}
