//! Whether the figures of supersteps are possible. Messages name the field.

use super::{
    BLAS, Bsp, Gap, Interval, Latency, LeastSquares, OPERATIONS, Operation, PROGRAMS, Processes, Range,
    VERSION,
};
use serde_json::Value;
use std::fmt::Display;

/// The smallest h_half and o in words; slightly negative values result from noise.
const MIN_WORDS: f64 = -1e9;

/// More processes than any machine has.
pub(crate) const MAX_PROCESSES: usize = 1 << 24;

impl Bsp {
    /// Whether the figures are possible. The message of a failure names the field.
    pub fn check(&self) -> Result<(), String> {
        check_version(&self.version.into())?;
        check_operations("bsp", &self.operations)?;
        let mut before = 0;
        for (at, entry) in self.processes.iter().enumerate() {
            let number = entry.processes;
            if number <= before {
                return Err(format!("bsp.processes[{at}].processes = {number}: expected more than {before}"));
            }
            if number > MAX_PROCESSES {
                return Err(format!(
                    "bsp.processes[{at}].processes = {number}: expected at most {MAX_PROCESSES}"
                ));
            }
            before = number;
            entry.check(&format!("bsp.processes[{at}]"))?;
        }
        Ok(())
    }
}

/// Whether operations are known, and named once.
fn check_operations(place: &str, operations: &[Operation]) -> Result<(), String> {
    for (at, Operation { name, ns }) in operations.iter().enumerate() {
        let place = format!("{place}.operations[{at}]");
        let plain = name.strip_suffix(BLAS).unwrap_or(name);
        if !OPERATIONS.contains(&plain) && !PROGRAMS.contains(&name.as_str()) {
            let (operations, programs) = (OPERATIONS.join(", "), PROGRAMS.join(", "));
            return Err(format!(
                "{place}.name = '{name}': expected one of {operations}, each with or without '{BLAS}', {programs}"
            ));
        }
        if operations[..at].iter().any(|before| before.name == *name) {
            return Err(format!("{place}.name = '{name}': expected each name once"));
        }
        positive(&place, "ns", *ns)?;
    }
    Ok(())
}

impl Processes {
    fn check(&self, place: &str) -> Result<(), String> {
        let Self { per_core, latency_us, noise_percent, latency_spread_percent, gaps, operations, .. } = self;
        positive(place, "per_core", *per_core)?;
        check_operations(place, operations)?;
        let Latency { empty, shift, all_to_all } = *latency_us;
        for (name, value) in [("empty", empty), ("shift", shift), ("all_to_all", all_to_all)] {
            not_negative(place, &format!("latency_us.{name}"), value)?;
        }
        for (at, gap) in gaps.iter().enumerate() {
            gap.check(&format!("{place}.gaps[{at}]"))?;
            let same = |before: &Gap| (before.pattern, before.operation) == (gap.pattern, gap.operation);
            if let Some(before) = gaps[..at].iter().position(same) {
                let (pattern, operation) = (gap.pattern.name(), gap.operation.name());
                return Err(format!(
                    "{place}.gaps[{at}]: {operation}, {pattern}: expected once, it is also gaps[{before}]"
                ));
            }
        }
        for (name, percent) in
            [("noise_percent", noise_percent), ("latency_spread_percent", latency_spread_percent)]
        {
            if let Some(percent) = percent {
                not_negative(place, name, *percent)?;
            }
        }
        Ok(())
    }
}

impl Gap {
    fn check(&self, place: &str) -> Result<(), String> {
        positive(place, "g_us", self.g_us)?;
        for (name, value) in [("half_words", self.half_words), ("overhead_words", self.overhead_words)] {
            let holds = value.is_finite() && value >= MIN_WORDS;
            check(holds, place, name, value, format_args!("{MIN_WORDS:e} or more"))?;
        }
        for (name, error) in [("error_message", self.error_message), ("error_words", self.error_words)] {
            not_negative(place, name, error.unwrap_or(0.0))?;
        }
        if let Some(Range { min_words, max_words, min_message_words, max_message_words }) = self.range {
            for (least, name, min, max) in [
                ("min_words", "max_words", min_words, max_words),
                ("min_message_words", "max_message_words", min_message_words, max_message_words),
            ] {
                positive(place, &format!("range.{least}"), min)?;
                let holds = max.is_finite() && max >= min;
                check(holds, place, &format!("range.{name}"), max, format_args!("{min} or more, {least}"))?;
            }
        }
        let Some(LeastSquares { g_us, half_words, overhead_words }) = self.least_squares else {
            return Ok(());
        };
        for (name, Interval { value, low, high }) in
            [("g_us", g_us), ("half_words", half_words), ("overhead_words", overhead_words)]
        {
            let holds =
                [value, low, high].iter().all(|bound| bound.is_finite()) && (low..=high).contains(&value);
            let expected = format_args!("finite numbers with low <= value <= high, [{low}, {high}]");
            check(holds, place, &format!("least_squares.{name}.value"), value, expected)?;
        }
        Ok(())
    }
}

/// Refuses a file of another version, which may have other fields. Passes what has no version.
pub fn check_version(version: &Value) -> Result<(), String> {
    if version.is_number() && *version != VERSION {
        return Err(format!(
            "bsp.version = {version}: expected {VERSION}; measure again with 'hcube bsp probe'"
        ));
    }
    Ok(())
}

fn check(holds: bool, place: &str, name: &str, value: f64, expected: impl Display) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{place}.{name} = {value}: expected {expected}")) }
}

pub fn positive(place: &str, name: &str, value: f64) -> Result<(), String> {
    check(value.is_finite() && value > 0.0, place, name, value, "more than 0")
}

pub fn not_negative(place: &str, name: &str, value: f64) -> Result<(), String> {
    check(value.is_finite() && value >= 0.0, place, name, value, "0 or more")
}

#[cfg(test)]
mod tests {
    use super::super::{Gap, GapOperation, Pattern, tests::example};
    use super::*;

    /// The message of the example with a change.
    fn refused(change: impl FnOnce(&mut Bsp)) -> String {
        let mut bsp = example();
        assert_eq!(bsp.check(), Ok(()));
        change(&mut bsp);
        bsp.check().expect_err("refused")
    }

    #[test]
    fn other_versions_are_refused() {
        let message = "bsp.version = 2: expected 1; measure again with 'hcube bsp probe'";
        assert_eq!(refused(|bsp| bsp.version = 2), message);
        assert_eq!(check_version(&Value::from(2)), Err(message.to_owned()));
        assert_eq!(check_version(&Value::Null), Ok(()));
    }

    #[test]
    fn operations_are_known_and_named_once() {
        let error = refused(|bsp| bsp.operations[1].name = "matmul-blas".to_owned());
        assert!(
            error.starts_with("bsp.operations[1].name = 'matmul-blas': expected one of dot-product-double, "),
            "{error}"
        );
        assert!(error.contains("with or without '-blas', llcs-standard,"), "{error}");
        assert_eq!(
            refused(|bsp| bsp.operations[1] = bsp.operations[0].clone()),
            "bsp.operations[1].name = 'dot-product-double-blas': expected each name once"
        );
        assert_eq!(
            refused(|bsp| bsp.operations[0].ns = 0.0),
            "bsp.operations[0].ns = 0: expected more than 0"
        );
    }

    #[test]
    fn processes_ascend() {
        assert_eq!(
            refused(|bsp| bsp.processes[0].processes = 0),
            "bsp.processes[0].processes = 0: expected more than 0"
        );
        for number in [1, 4] {
            let error = refused(|bsp| {
                bsp.processes[0].processes = 4;
                bsp.processes[1].processes = number;
            });
            assert_eq!(error, format!("bsp.processes[1].processes = {number}: expected more than 4"));
        }
    }

    /// A change of the figures of 4 processes, and the end of the message.
    type Wrong = (fn(&mut Processes), &'static str);

    #[test]
    fn figures_of_processes_are_in_range() {
        let wrong: [Wrong; 9] = [
            (|four| four.per_core = 0.0, "per_core = 0: expected more than 0"),
            (|four| four.latency_us.empty = -1.0, "latency_us.empty = -1: expected 0 or more"),
            (|four| four.latency_us.shift = f64::NAN, "latency_us.shift = NaN: expected 0 or more"),
            (
                |four| four.latency_us.all_to_all = f64::INFINITY,
                "latency_us.all_to_all = inf: expected 0 or more",
            ),
            (|four| four.noise_percent = Some(-3.0), "noise_percent = -3: expected 0 or more"),
            (|four| range(four).min_words = 0.0, "gaps[1].range.min_words = 0: expected more than 0"),
            (
                |four| range(four).max_words = 0.5,
                "gaps[1].range.max_words = 0.5: expected 1 or more, min_words",
            ),
            (
                |four| range(four).min_message_words = -1.0,
                "gaps[1].range.min_message_words = -1: expected more than 0",
            ),
            (
                |four| range(four).max_message_words = f64::NAN,
                "gaps[1].range.max_message_words = NaN: expected 1 or more, min_message_words",
            ),
        ];
        for (change, message) in wrong {
            assert_eq!(refused(|bsp| change(&mut bsp.processes[1])), format!("bsp.processes[1].{message}"));
        }
    }

    fn range(processes: &mut Processes) -> &mut Range {
        processes.gaps[1].range.as_mut().expect("in the example")
    }

    /// A change of a gap, and the end of the message.
    type WrongGap = (fn(&mut Gap), &'static str);

    #[test]
    fn gaps_are_in_range_and_there_once() {
        let wrong: [WrongGap; 8] = [
            (|gap| gap.g_us = -1.0, "g_us = -1: expected more than 0"),
            (|gap| gap.g_us = f64::NAN, "g_us = NaN: expected more than 0"),
            (|gap| gap.half_words = -2e9, "half_words = -2000000000: expected -1e9 or more"),
            (|gap| gap.overhead_words = f64::NAN, "overhead_words = NaN: expected -1e9 or more"),
            (|gap| gap.error_message = Some(-1.0), "error_message = -1: expected 0 or more"),
            (|gap| gap.error_words = Some(f64::NAN), "error_words = NaN: expected 0 or more"),
            (
                |gap| least_squares(gap).g_us.value = 0.125,
                "least_squares.g_us.value = 0.125: expected finite numbers with low <= value <= high, [0.25, 0.75]",
            ),
            (
                |gap| least_squares(gap).half_words = Interval { value: 7.0, low: 1.0, high: f64::INFINITY },
                "least_squares.half_words.value = 7: expected finite numbers with low <= value <= high, [1, inf]",
            ),
        ];
        for (change, message) in wrong {
            let error = refused(|bsp| change(&mut bsp.processes[1].gaps[1]));
            assert!(error.starts_with("bsp.processes[1].gaps[1]."), "{error}");
            assert!(error.ends_with(message), "{error}");
        }
        let error = refused(|bsp| {
            let gap = &mut bsp.processes[1].gaps[1];
            (gap.pattern, gap.operation) = (Pattern::AllToAll, GapOperation::HpGet);
        });
        assert_eq!(error, "bsp.processes[1].gaps[1]: hp-get, all-to-all: expected once, it is also gaps[0]");
        // Of noise, and published: an overhead of -0.
        let mut bsp = example();
        bsp.processes[1].gaps[0].overhead_words = -0.4;
        assert_eq!(bsp.check(), Ok(()));
    }

    fn least_squares(gap: &mut Gap) -> &mut LeastSquares {
        gap.least_squares.as_mut().expect("in the example")
    }
}
