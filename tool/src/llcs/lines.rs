//! Lines as symbols: equal lines have equal numbers.

use hcube_core::memory::reserve;
use hcube_core::{Error, Result};
use std::collections::HashMap;

/// The lines of both files as numbers, and how many different lines both have. A line ends with a newline
/// character; the last one need not.
pub fn numbers(files: [&[u8]; 2]) -> Result<([Vec<u32>; 2], usize)> {
    let mut known = HashMap::new();
    let [a, b] = files;
    let a = number(a, &mut known)?;
    let in_a = known.len();
    let b = number(b, &mut known)?;
    let mut common: Vec<u32> = reserve::with_room(b.len(), "numbers of lines")?;
    common.extend(b.iter().filter(|&&number| (number as usize) < in_a));
    common.sort_unstable();
    common.dedup();
    let common = common.len();
    Ok(([a, b], common))
}

fn number<'a>(file: &'a [u8], known: &mut HashMap<&'a [u8], u32>) -> Result<Vec<u32>> {
    let lines = || file.split_inclusive(|&byte| byte == b'\n');
    let mut numbers = reserve::with_room(lines().count(), "numbers of lines")?;
    for line in lines() {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let new = known.len();
        let number = *known.entry(line).or_insert(new as u32);
        if new > u32::MAX as usize {
            return Err(Error::Count(format!("{new} different lines: expected fewer than 2^32")));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn equal_lines_have_equal_numbers() {
        let found = numbers([b"a\nb\n\na", b"b\r\nb\n\n"]).expect("few lines");
        assert_eq!(found, ([vec![0, 1, 2, 0], vec![3, 1, 2]], 2));
        assert_eq!(numbers([b"", b""]), Ok(([vec![], vec![]], 0)));
        // A line without characters is a line.
        assert_eq!(numbers([b"\n", b""]), Ok(([vec![0], vec![]], 0)));
    }
}
