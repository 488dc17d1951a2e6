//! Lengths of vectors and strings, sizes, and choices, as options give them.

use clap::ValueEnum;
use hcube_alltoall::options::parse_bytes;

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

/// A parser of sizes in bytes that are words of 64 bits, up to a bound and its name.
pub fn words(bound: usize, name: &'static str) -> impl Fn(&str) -> Result<usize, String> + Clone {
    const WORD: usize = size_of::<u64>();
    move |text| {
        let valid = |&bytes: &usize| bytes > 0 && bytes.is_multiple_of(WORD) && bytes <= bound;
        parse_bytes(text).filter(valid).ok_or_else(|| {
            format!("expected bytes, a multiple of {WORD} {name}; k, M and G stand for powers of 1024")
        })
    }
}

/// What was chosen, in the order of the list; all without a choice.
pub fn chosen<T: ValueEnum + PartialEq>(chosen: &[T]) -> Vec<T> {
    let all = T::value_variants().iter().cloned();
    all.filter(|one| chosen.is_empty() || chosen.contains(one)).collect()
}

/// The name of a value in options, which is that in results.
pub fn name<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or_else(String::new, |shown| shown.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_words_up_to_a_bound() {
        let size = words(4 << 20, "up to 4M");
        assert_eq!([size("8"), size("64k"), size("4M")], [Ok(8), Ok(65536), Ok(4 << 20)]);
        for text in ["0", "12", "8M", "x", "-8", "1.5M"] {
            assert!(size(text).is_err_and(|text| text.contains("a multiple of 8 up to 4M")), "{text}");
        }
    }

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
