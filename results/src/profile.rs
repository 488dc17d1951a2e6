//! The profile of a BSP program, as libhcube_bsp.so writes it: tables and a picture.

use crate::json;
use crate::numbers;
use crate::plot::{Axis, Chart, Evidence, Format, Scale, Series, Sheet, looks};
use crate::table::Table;
use serde::Deserialize;

/// Supersteps that the table lists: those that take the longest.
const LISTED: usize = 10;
/// Points of a line in the picture; supersteps are added up to fit.
const POINTS: usize = 100;

/// A value of each superstep; times in seconds.
#[derive(Debug, Clone, Deserialize)]
pub struct Columns {
    /// From the end of the superstep before to the call that ends this one.
    pub compute: Vec<f64>,
    /// Waiting for other processes in that call.
    pub wait: Vec<f64>,
    /// The rest of that call.
    pub communicate: Vec<f64>,
    /// Bytes.
    pub sent: Vec<f64>,
    /// Bytes.
    pub received: Vec<f64>,
    /// Puts, gets and messages.
    pub operations: Vec<f64>,
}

/// The contents of the file.
#[derive(Debug, Clone, Deserialize)]
pub struct Profile {
    /// Number of processes.
    pub processes: usize,
    /// Means of all processes.
    pub mean: Columns,
    /// Largest values of all processes.
    pub max: Columns,
}

impl Profile {
    /// From the text of a file.
    ///
    /// # Errors
    /// Where it is not one of these, or damaged.
    pub fn parse(text: &str) -> Result<Self, String> {
        let profile: Self = json::parse(text)
            .map_err(|problem| format!("{problem}; expected the profile of a BSP program"))?;
        let count = profile.mean.compute.len();
        let columns = |columns: &Columns| {
            [
                &columns.compute,
                &columns.wait,
                &columns.communicate,
                &columns.sent,
                &columns.received,
                &columns.operations,
            ]
            .map(Vec::len)
        };
        let lengths = [columns(&profile.mean), columns(&profile.max)].concat();
        if lengths.iter().any(|&length| length != count) {
            return Err("columns of different lengths".into());
        }
        Ok(profile)
    }

    /// Number of supersteps.
    pub fn supersteps(&self) -> usize {
        self.mean.compute.len()
    }

    /// Mean seconds of a superstep.
    fn seconds(&self, superstep: usize) -> f64 {
        self.mean.compute[superstep] + self.mean.wait[superstep] + self.mean.communicate[superstep]
    }

    /// The h-relation: the most bytes that a process sends or receives.
    fn relation(&self, superstep: usize) -> f64 {
        self.max.sent[superstep].max(self.max.received[superstep])
    }

    /// Largest over mean computing time.
    fn imbalance(&self, superstep: usize) -> f64 {
        self.max.compute[superstep] / self.mean.compute[superstep]
    }

    /// What the program has cost, and its longest supersteps.
    pub fn text(&self) -> String {
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let parts = [&self.mean.compute, &self.mean.wait, &self.mean.communicate].map(|values| sum(values));
        let total: f64 = parts.iter().sum();
        let longest = sum(&self.max.compute) / parts[0];
        let plural =
            |count: usize, name: &str| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
        let share = |part: f64| format!("{:.1}", 100.0 * part / total);
        let mut table = Table::new(["mean of the processes", "seconds", "percent"]);
        for (name, part) in ["computing", "waiting for others", "communicating"].into_iter().zip(parts) {
            table.row([name.to_owned(), format!("{part:.6}"), share(part)]);
        }
        format!(
            "{} in {}, {total:.6} s\n\n{}\nimbalance {longest:.2}: the longest computation of each superstep over the mean\n\n\
             The longest supersteps, longest first, mean times of the processes in us:\n{}",
            plural(self.supersteps(), "superstep"),
            plural(self.processes, "process").replace("processs", "processes"),
            table.render(),
            self.longest()
        )
    }

    fn longest(&self) -> String {
        let mut order: Vec<usize> = (0..self.supersteps()).collect();
        order.sort_by(|&one, &other| self.seconds(other).total_cmp(&self.seconds(one)));
        let headings = [
            "superstep",
            "time",
            "computing",
            "waiting",
            "communicating",
            "imbalance",
            "h-relation, bytes",
            "operations",
        ];
        let mut table = Table::new(headings);
        for number in order.into_iter().take(LISTED) {
            let micro = |seconds: f64| format!("{:.2}", 1e6 * seconds);
            table.row([
                number.to_string(),
                micro(self.seconds(number)),
                micro(self.mean.compute[number]),
                micro(self.mean.wait[number]),
                micro(self.mean.communicate[number]),
                format!("{:.2}", self.imbalance(number)),
                format!("{:.0}", self.relation(number)),
                format!("{:.0}", self.max.operations[number]),
            ]);
        }
        table.render()
    }

    /// Sums of consecutive supersteps, as many points as a line may have: the first superstep of each, and
    /// its sum.
    fn points(&self, value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        let step = self.supersteps().div_ceil(POINTS).max(1);
        let sum = |begin: usize| (begin..(begin + step).min(self.supersteps())).map(&value).sum();
        (0..self.supersteps()).step_by(step).map(|begin| (begin as f64, sum(begin))).collect()
    }

    /// The picture: times and h-relations over the supersteps.
    pub fn sheet(&self) -> Sheet {
        let series = |name: &str, number, value: &dyn Fn(usize) -> f64| {
            Series::new(name, Evidence::Measured, looks::numbered(number), self.points(value))
        };
        let step = self.supersteps().div_ceil(POINTS).max(1);
        let of = if step == 1 { String::new() } else { format!(" of {step} supersteps") };
        let axis = || Axis::new("superstep", Scale::Linear, Format::Plain);
        let times = Chart::new(
            format!("Mean time of a process{of}"),
            axis(),
            Axis::new("microseconds", Scale::Linear, Format::Plain),
            vec![
                series("communicating", 2, &|number| 1e6 * self.mean.communicate[number]),
                series("waiting", 1, &|number| 1e6 * self.mean.wait[number]),
                series("computing", 0, &|number| 1e6 * self.mean.compute[number]),
            ],
        );
        let relations = Chart::new(
            format!("h-relation{of}"),
            axis(),
            Axis::new("bytes", Scale::Linear, Format::Plain),
            vec![series("h-relation", 3, &|number| self.relation(number))],
        );
        let panels = vec![times, relations];
        let subject = format!("BSP program in {} processes", self.processes);
        let sum = |seconds: &[f64]| seconds.iter().sum::<f64>();
        let parts = [&self.mean.compute, &self.mean.communicate, &self.mean.wait].map(|part| sum(part));
        let whole: f64 = parts.iter().sum();
        let [compute, communicate, wait] =
            parts.map(|part| numbers::percent(part / whole.max(f64::MIN_POSITIVE)));
        let message =
            format!("A process computes {compute} of the time, communicates {communicate} and waits {wait}");
        Sheet { name: "profile".to_owned(), title: Some(message), subject, panels, ..Sheet::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(supersteps: usize) -> Profile {
        let columns = |factor: f64| {
            let values =
                |base: f64| (0..supersteps).map(|number| factor * base * (number + 1) as f64).collect();
            Columns {
                compute: values(1e-6),
                wait: values(2e-6),
                communicate: values(1e-6),
                sent: values(8.0),
                received: values(4.0),
                operations: values(1.0),
            }
        };
        Profile { processes: 4, mean: columns(1.0), max: columns(1.5) }
    }

    #[test]
    fn the_longest_supersteps_come_first() {
        let text = profile(20).text();
        for words in
            ["20 supersteps in 4 processes, 0.000840 s", "waiting for others", "50.0", "imbalance 1.50"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        let listed: Vec<&str> =
            text.lines().skip_while(|line| !line.starts_with("superstep")).skip(1).collect();
        assert_eq!(listed.len(), LISTED);
        assert!(listed[0].trim().starts_with("19 ") && listed[0].contains("240"), "{text}");
        assert!(listed[9].trim().starts_with("10 ") && listed[9].contains(" 44.00 "), "{text}");
    }

    #[test]
    fn long_programs_have_few_points() {
        let points = profile(1000).points(|_| 1.0);
        assert_eq!((points.len(), points[1]), (100, (10.0, 10.0)));
        assert_eq!(profile(3).points(|_| 1.0).len(), 3);
        let svg = profile(250).sheet().svg();
        assert!(svg.contains("of 3 supersteps") && svg.contains("h-relation"));
    }

    #[test]
    fn damaged_files_are_refused() {
        let refused = |text: &str| Profile::parse(text).expect_err("not a profile");
        let expected = "line 1: the entry 'processes' is missing; expected the profile of a BSP program";
        assert_eq!(refused("{}"), expected);
        assert!(refused(">x\nACGT").starts_with("not JSON, from line 1"));
        let columns =
            r#"{"compute":[1],"wait":[1],"communicate":[1],"sent":[1],"received":[1],"operations":[]}"#;
        let text = format!(r#"{{"processes":1,"mean":{columns},"max":{columns}}}"#);
        assert_eq!(Profile::parse(&text).expect_err("lengths differ"), "columns of different lengths");
    }
}
