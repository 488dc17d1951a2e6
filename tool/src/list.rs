//! Lists of numbers on the command line, in one form for all options: `1,2,4`, and ranges in it:
//! `512:4096:2x` multiplies, `8:64:8` and `1:4` add. Blanks separate as well as commas: scripts have lists of
//! words.

use std::ops::Deref;

/// Values that a range may have.
const MAX_VALUES: usize = 1000;
/// The value of an option without one: no values, for which the command has its own.
pub const NONE: &str = "";
/// The values of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(values: Vec<T>) -> Self {
        Self(values)
    }
}

/// How a range goes on.
#[derive(Clone, Copy)]
enum Step {
    Times(u64),
    Plus(u64),
}

/// A parser of lists of numbers, from the parser of one.
pub fn numbers<T, P>(one: P) -> impl Fn(&str) -> Result<List<T>, String> + Clone
where
    T: Copy + TryInto<u64>,
    P: Fn(&str) -> Result<T, String> + Clone,
{
    move |text| {
        let mut values = Vec::new();
        for item in text.split(',').flat_map(words).filter(|_| text != NONE) {
            let named = |expected: String| format!("'{item}': {expected}");
            match item.split_once(':') {
                None => values.push(one(item).map_err(named)?),
                Some((first, rest)) => values.extend(range(first, rest, &one).map_err(named)?),
            }
        }
        Ok(List(values))
    }
}

/// The words between two commas; one empty word where no word stands between them.
fn words(part: &str) -> Vec<&str> {
    let words: Vec<&str> = part.split_whitespace().collect();
    if words.is_empty() { vec![""] } else { words }
}

/// The values of a range.
fn range<T: Copy + TryInto<u64>>(
    first: &str,
    rest: &str,
    one: &impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let number = |text: &str| one(text)?.try_into().map_err(|_| "expected a smaller number".to_owned());
    let (mut value, last): (u64, u64) = (number(first)?, number(last)?);
    let factor = step.strip_suffix('x').map(|factor| factor.parse().ok().filter(|&factor| factor > 1));
    let step = match factor {
        Some(factor) => factor.map(Step::Times),
        None => hcube_alltoall::options::parse_bytes(step)
            .filter(|&step| step > 0)
            .map(|step| Step::Plus(step as u64)),
    };
    let step = step.filter(|step| value <= last && !(value == 0 && matches!(step, Step::Times(_))));
    let step = step.ok_or("expected MIN:MAX:STEP or MIN:MAX:FACTORx, as 8:64:8 or 512:4096:2x")?;
    let mut values = Vec::new();
    while value <= last {
        if values.len() == MAX_VALUES {
            return Err(format!("expected a range of at most {MAX_VALUES} values"));
        }
        values.push(one(&value.to_string())?);
        let next = match step {
            Step::Times(factor) => value.checked_mul(factor),
            Step::Plus(step) => value.checked_add(step),
        };
        let Some(next) = next else { break };
        value = next;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::{length, words};
    use crate::choices::number;

    fn parsed(text: &str) -> Result<Vec<u32>, String> {
        numbers(number(0..=1 << 20))(text).map(|list| list.to_vec())
    }

    #[test]
    fn lists_have_values_and_ranges() {
        assert_eq!(parsed("1,2,4"), Ok(vec![1, 2, 4]));
        assert_eq!(parsed("1 2  4, 8"), Ok(vec![1, 2, 4, 8]));
        assert_eq!(parsed("512:4096:2x"), Ok(vec![512, 1024, 2048, 4096]));
        assert_eq!(parsed("1,8:20:4,3:5"), Ok(vec![1, 8, 12, 16, 20, 3, 4, 5]));
        assert_eq!(parsed("1:20:3x"), Ok(vec![1, 3, 9]));
        assert_eq!(parsed(NONE), Ok(vec![]));
        let sizes = numbers(words(1 << 30, "up to 1G"));
        assert_eq!(sizes("8:64k:64x,1M").expect("sizes").to_vec(), [8, 512, 32 << 10, 1 << 20]);
        assert_eq!(sizes("1M:3M:1M").expect("sizes").to_vec(), [1 << 20, 2 << 20, 3 << 20]);
        assert_eq!(numbers(length)("2^10:2^12:2x").expect("lengths").to_vec(), [1024, 2048, 4096]);
    }

    #[test]
    fn what_is_no_list_is_named() {
        for (text, item) in [
            ("1,x", "'x'"),
            ("1,,2", "''"),
            ("4:2:2x", "'4:2:2x'"),
            ("1:8:0", "'1:8:0'"),
            ("1:8:1x", "'1:8:1x'"),
            ("0:8:2x", "'0:8:2x'"),
            ("1:2:3:4", "'1:2:3:4'"),
            ("1:y", "'1:y'"),
            ("0:1000000", "'0:1000000'"),
            ("9999999", "'9999999'"),
        ] {
            let message = parsed(text).expect_err("refused");
            assert!(message.starts_with(item) && message.contains("expected"), "{text}: {message}");
        }
        // Each value is checked as if it were given.
        let message = numbers(words(1 << 30, "up to 1G"))("8:32:4").expect_err("12 is refused");
        assert!(message.starts_with("'8:32:4': ") && message.contains("a multiple of 8"), "{message}");
    }
}
