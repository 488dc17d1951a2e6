//! HPCC's results, section by section, so that a stopped run can be read, too.

use std::collections::BTreeMap;

/// Section of the polynomial stream.
pub const POLYNOMIAL: &str = "MPIRandomAccess";
/// Section of the LCG stream, which comes later.
pub const LCG: &str = "MPIRandomAccess_LCG";

/// The results of one RandomAccess section.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Section {
    /// Billions of updates per second, of all ranks.
    pub gups: f64,
    /// Words found wrong.
    pub errors: u64,
    /// HPCC's own verdict.
    pub passed: bool,
    /// Words of the table, as a power of two.
    pub log2_table: u32,
}

/// The section that HPCC runs.
pub fn current_section(text: &str) -> Option<&str> {
    let begun =
        text.lines().rev().find_map(|line| line.strip_prefix("Begin of ")?.strip_suffix(" section."))?;
    (!has_ended(text, begun)).then_some(begun)
}

/// Whether a section is complete.
pub fn has_ended(text: &str, name: &str) -> bool {
    let end = format!("End of {name} section.");
    text.lines().any(|line| line == end)
}

/// Whether HPCC's summary reports success.
pub fn success(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "Success=1")
}

/// The figures of HPCC's summary, at its end; empty for a run that was stopped.
pub fn summary(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().skip_while(|line| *line != "Begin of Summary section.");
    let lines = lines.take_while(|line| *line != "End of Summary section.");
    let figure = |line: &str| {
        let (name, value) = line.trim().split_once('=')?;
        Some((name.to_owned(), value.parse().ok().filter(|value: &f64| value.is_finite())?))
    };
    lines.filter_map(figure).collect()
}

/// The results of a complete section.
pub fn section(text: &str, name: &str) -> Option<Section> {
    let begin = format!("Begin of {name} section.");
    let end = format!("End of {name} section.");
    let lines = || text.lines().skip_while(|line| *line != begin).take_while(|line| *line != end);
    let (errors, passed) = lines().find_map(found)?;
    Some(Section { gups: lines().find_map(rate)?, errors, passed, log2_table: lines().find_map(table_size)? })
}

/// Seconds in which a section has made its updates. HPCC makes fewer of them where it expects that all would
/// take longer than a minute.
pub fn real_time(text: &str, name: &str) -> Option<f64> {
    let begin = format!("Begin of {name} section.");
    let mut lines = text.lines().skip_while(|line| *line != begin);
    let time = lines.find_map(|line| line.strip_prefix("Real time used = ")?.strip_suffix(" seconds"))?;
    time.parse().ok().filter(|time: &f64| time.is_finite() && *time > 0.0)
}

/// From `0.15 Billion(10^9) Updates    per second [GUP/s]`; not from the line of one process.
fn rate(line: &str) -> Option<f64> {
    let (number, rest) = line.trim().split_once(char::is_whitespace)?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    // The standard library parses nan and inf as numbers.
    let rate = number.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    words.starts_with(&["Billion(10^9)", "Updates", "per", "second"]).then_some(rate)?
}

/// From `Found 3 errors in 1024 locations (passed).`
fn found(line: &str) -> Option<(u64, bool)> {
    let (errors, rest) = line.trim().strip_prefix("Found ")?.split_once(" errors in ")?;
    Some((errors.parse().ok()?, rest.contains("(passed)")))
}

/// From `Total Main table size = 2^25 = 33554432 words`; if the number of ranks is not a power of
/// two, the line may lack the exponent.
fn table_size(line: &str) -> Option<u32> {
    let size = line.trim().strip_prefix("Total Main table size = ")?;
    let power = size.strip_prefix("2^").and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    power.filter(|&power| power < u64::BITS).or_else(|| {
        size.split_whitespace().next()?.parse::<u64>().ok().filter(|&words| words > 0).map(u64::ilog2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
a heading
Begin of MPIRandomAccess section.
Total Main table size = 2^12 = 4096 words
  0.250000 Billion(10^9) Updates    per second [GUP/s]
  0.125000 Billion(10^9) Updates/PE per second [GUP/s]
Found 7 errors in 4096 locations (passed).
End of MPIRandomAccess section.
Begin of StarRandomAccess section.
  9.000000 Billion(10^9) Updates    per second [GUP/s]
Found 0 errors in 2048 locations (passed).
End of StarRandomAccess section.
Begin of MPIRandomAccess_LCG section.
Total Main table size = 4096 words
  0.500000 Billion(10^9) Updates    per second [GUP/s]
";

    #[test]
    fn a_section_is_read_from_its_own_lines() {
        let expected = Section { gups: 0.25, errors: 7, passed: true, log2_table: 12 };
        assert_eq!(section(TEXT, POLYNOMIAL), Some(expected));
    }

    #[test]
    fn an_unfinished_section_has_no_result() {
        assert_eq!(section(TEXT, LCG), None);
        assert_eq!((has_ended(TEXT, LCG), has_ended(TEXT, POLYNOMIAL)), (false, true));
        let failed = format!("{TEXT}Found 300 errors in 4096 locations (failed).\n");
        let expected = Section { gups: 0.5, errors: 300, passed: false, log2_table: 12 };
        assert_eq!(section(&failed, LCG), Some(expected));
    }

    #[test]
    fn what_is_no_rate_and_no_size_is_not_read() {
        for (old, new) in [
            ("0.250000 Billion", "nan Billion"),
            ("0.250000 Billion", "inf Billion"),
            ("0.250000 Billion", "-0.25 Billion"),
            ("= 2^12 =", "= 2^64 ="),
        ] {
            assert!(TEXT.contains(old));
            assert_eq!(section(&TEXT.replace(old, new), POLYNOMIAL), None, "{new}");
        }
    }

    #[test]
    fn the_summary_holds_figures() {
        let summary_text = format!(
            "{TEXT}Begin of Summary section.\nLanguage=C\nHPL_Tflops=0.05\nMPIFFT_Gflops= nan\nSuccess=1\nEnd of Summary section.\nN=3\n"
        );
        let expected = [("HPL_Tflops".to_owned(), 0.05), ("Success".to_owned(), 1.0)];
        assert_eq!(summary(&summary_text), BTreeMap::from(expected));
        assert!(summary(TEXT).is_empty());
    }

    #[test]
    fn where_it_is() {
        assert_eq!(current_section(TEXT), Some(LCG));
        assert_eq!(current_section(&format!("{TEXT}End of {LCG} section.\n")), None);
        assert_eq!(current_section(""), None);
        assert!(success("x\nSuccess=1\n") && !success("Success=0\n"));
    }
}
