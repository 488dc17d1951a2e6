//! Solutions in HPL's section of HPCC's result file.
//!
//! HPL writes a line for each: its variant (`WR11C2R4`), N, NB, P, Q, seconds, GFLOP/s. In the variant follow
//! each other the mapping of processes (R by rows, C by columns), the look-ahead, the broadcast (one digit),
//! and how panels are factored. Below the line stands whether the residual is small enough.

/// A solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution {
    /// The broadcast, 0 to 5.
    pub broadcast: usize,
    /// Panels looked ahead.
    pub depth: u32,
    pub n: u32,
    /// Columns of a block.
    pub block: u32,
    /// Rows of the process grid.
    pub rows: usize,
    /// Columns of the process grid.
    pub columns: usize,
    pub seconds: f64,
    pub gflops: f64,
}

/// All solutions whose residual HPL has found to be small enough.
pub fn solutions(text: &str) -> Vec<Solution> {
    let mut found = Vec::new();
    let mut pending = None;
    for line in text.lines() {
        if let Some(one) = solution(line) {
            pending = Some(one);
        } else if line.contains("PASSED") {
            found.extend(pending.take());
        } else if line.contains("FAILED") {
            pending = None;
        }
    }
    found
}

fn solution(line: &str) -> Option<Solution> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[variant, n, block, rows, columns, seconds, gflops] = &words[..] else { return None };
    let (depth, broadcast) = variant_of(variant)?;
    let positive = |word: &str| word.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
    Some(Solution {
        broadcast,
        depth,
        n: n.parse().ok()?,
        block: block.parse().ok()?,
        rows: rows.parse().ok()?,
        columns: columns.parse().ok()?,
        seconds: positive(seconds)?,
        gflops: positive(gflops)?,
    })
}

/// Look-ahead and broadcast: the digits behind the first two letters, of which the last one is the broadcast.
fn variant_of(word: &str) -> Option<(u32, usize)> {
    let rest = word.strip_prefix("WR").or_else(|| word.strip_prefix("WC"))?;
    let digits = &rest[..rest.find(|letter: char| !letter.is_ascii_digit())?];
    let (depth, broadcast) = digits.split_at(digits.len().checked_sub(1)?);
    let broadcast = broadcast.parse().ok().filter(|&broadcast| broadcast < 6)?;
    Some((depth.parse().ok()?, broadcast))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Begin of HPL section.
T/V                N    NB     P     Q               Time                 Gflops
WR03C2R4        4096   128     2     4              10.00              4.582e+00
a row of the residual ......  0.0041 ...... PASSED
WC125L4C2       4096   128     4     2               5.00              9.160e+00
a row of the residual ......  0.0042 ...... PASSED
WR11C2R4        4096   128     2     4               4.00              1.145e+01
a row of the residual ......  99.9 ...... FAILED
WR10C2R4        4096   128     2     4               8.00              nan
a row of the residual ......  0.0042 ...... PASSED
WR19C2R4        4096   128     2     4               8.00              1.0
a row of the residual ......  0.0042 ...... PASSED
WR14C2R4        4096   128     1     8               2.00              2.291e+01
";

    #[test]
    fn solutions_that_passed() {
        let first = Solution {
            broadcast: 3,
            depth: 0,
            n: 4096,
            block: 128,
            rows: 2,
            columns: 4,
            seconds: 10.0,
            gflops: 4.582,
        };
        let second =
            Solution { broadcast: 5, depth: 12, rows: 4, columns: 2, seconds: 5.0, gflops: 9.16, ..first };
        assert_eq!(solutions(TEXT), [first, second]);
    }

    #[test]
    fn what_is_no_solution() {
        for line in [
            "",
            "WR",
            "WR11",
            "W 1 2 3 4 5 6",
            "WR1C2R4 1 2 3 4 5",
            "XR11C2R4 1 2 3 4 5 6",
            "WRC2R4 1 2 3 4 5 6",
        ] {
            assert_eq!(solution(line), None, "{line}");
        }
        assert!(solution("WR11C2R4 1 2 3 4 5 6").is_some());
    }
}
