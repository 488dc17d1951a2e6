//! The frame that the benchmarks of all systems fill.
//!
//! A system says what its cases are (variants and competitors, at each size), how one of them is measured once,
//! and what its results are; see [`System`]. The frame does the rest: it opens all cases of a size, warms
//! them up, measures them alternately in an order that rotates, shows progress with the remaining time, prints
//! the table and the verdict of the verification, writes JSON, and ends all ranks with the same status.

use crate::output::JsonOption;
use crate::progress::Progress;
use crate::session::{Failure, Session, Verdict};
use clap::value_parser;
use hcube_core::comm::agree;
use serde::Serialize;

/// A number for the life of the process. (`default_value_t` keeps its text in a static variable, which all systems
/// would share.)
fn text(number: u32) -> &'static str {
    number.to_string().leak()
}

/// The options that all systems have which measure under MPI.
#[derive(Debug, Clone, clap::Args)]
pub struct Common<const REPEAT: u32> {
    /// Measurements of each case, alternating; the table shows the median and (largest - smallest) / median
    #[arg(long, value_name = "TIMES", default_value = text(REPEAT), value_parser = value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Do not verify (by default each case is verified once for each size)
    #[arg(long)]
    pub no_verify: bool,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub json: JsonOption,
}

/// A system with its competitors. All methods but [`System::name`] are collective, and what they return is the
/// same on all ranks where it decides what happens next.
pub trait System {
    /// The name in `hcube bench`.
    const NAME: &'static str;
    /// What is measured: a variant or a competitor at one size. A line of the table.
    type Case;
    /// What a case needs while it is measured.
    type Line;
    /// One measurement.
    type Sample;
    /// All measurements of a case.
    type Row;
    /// All rows, as they are written in JSON.
    type Results: Results;

    /// The cases of each size.
    fn sizes(&self) -> Vec<Vec<Self::Case>>;
    /// A case in messages and in progress.
    fn name(&self, case: &Self::Case) -> String;
    /// The lines above the table.
    fn heading(&self) -> String;
    /// Prepares a case, or says why it is left out.
    fn open(&mut self, case: &Self::Case) -> hcube_core::Result<Opened<Self::Line>>;
    /// Runs all cases of a size without measuring them.
    fn warm_up(&mut self, _lines: &mut [Self::Line]) -> hcube_core::Result<()> {
        Ok(())
    }
    /// Measures a case once; `first` in the first turn.
    fn measure(
        &mut self,
        line: &mut Self::Line,
        first: bool,
        progress: &mut Progress,
    ) -> hcube_core::Result<Self::Sample>;
    /// The row of a case, after the last measurement of its size.
    fn row(&mut self, line: &mut Self::Line, samples: Vec<Self::Sample>) -> hcube_core::Result<Self::Row>;
    /// All rows, and which cases were left out.
    fn results(&self, rows: Vec<Self::Row>, left_out: Vec<String>) -> Self::Results;
    /// Writes what was asked for besides JSON.
    fn write(&self, _results: &Self::Results) -> Result<(), Failure> {
        Ok(())
    }
}

/// Whether a case can be measured here.
pub enum Opened<L> {
    Ready(L),
    LeftOut(String),
}

/// Results of a system.
pub trait Results: Serialize {
    /// The tables and the lines below them.
    fn text(&self) -> String;
    /// What verification has found in each line of the table; nothing where it was not verified.
    fn errors(&self) -> Vec<Option<u64>>;

    /// Whether nothing is wrong.
    fn verdict(&self) -> Verdict {
        let wrong = self.errors().into_iter().flatten().any(|errors| errors > 0);
        if wrong { Verdict::Wrong } else { Verdict::Good }
    }
}

/// The last line below the table.
pub fn verification(errors: &[Option<u64>]) -> String {
    match errors.iter().flatten().filter(|&&errors| errors > 0).count() {
        0 if errors.iter().all(Option::is_none) => "not verified\n".to_owned(),
        0 => "verified: 0 errors\n".to_owned(),
        wrong => format!("VERIFICATION FAILED in {wrong} line(s)\n"),
    }
}

/// Collective: a benchmark from the check of the files that it is to write to its results. `new` makes the
/// system.
pub fn start<S: System, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    check: impl FnOnce() -> hcube_core::Result<()>,
    new: impl FnOnce() -> hcube_core::Result<S>,
) -> Result<Verdict, Failure> {
    begin(session, common, check)?;
    let mut system = new().map_err(|error| error.to_string())?;
    let results = run(session, common, &mut system)?;
    Ok(finish(session, common, &results, || system.write(&results)))
}

/// Collective: checks the files that a benchmark is to write.
pub fn begin<const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    check: impl FnOnce() -> hcube_core::Result<()>,
) -> Result<(), Failure> {
    let files = if session.speaks() { common.json.check().and_then(|()| check()) } else { Ok(()) };
    agree(&session.comm, files).map_err(|error| error.to_string())
}

/// Collective: measures a system, between its heading and its tables.
pub fn run<S: System, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    system: &mut S,
) -> Result<S::Results, Failure> {
    let tables = session.speaks() && common.json.tables();
    if tables {
        print!("{}", system.heading());
    }
    let mut progress = Progress::new(S::NAME, session.speaks() && !common.no_progress);
    let (rows, left_out) =
        measure(system, common.repeat, &mut progress).map_err(|error| error.to_string())?;
    progress.finish();
    let results = system.results(rows, left_out);
    if tables {
        print!("{}{}", results.text(), verification(&results.errors()));
    }
    Ok(results)
}

/// Local: writes JSON, and by `write` what else was asked for.
pub fn finish<R: Results, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    results: &R,
    write: impl FnOnce() -> Result<(), Failure>,
) -> Verdict {
    if session.speaks() {
        // The other ranks do not know of it, so a file that cannot be written is reported but not agreed on.
        if let Err(failure) = common.json.write(results).and_then(|()| write()) {
            eprintln!("hcube: {failure}");
            return Verdict::Wrong;
        }
    }
    results.verdict()
}

/// Rows, and what was left out.
type Measured<R> = hcube_core::Result<(Vec<R>, Vec<String>)>;

/// Collective: all measurements of all cases.
fn measure<S: System>(system: &mut S, repeat: u32, progress: &mut Progress) -> Measured<S::Row> {
    let sizes = system.sizes();
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    progress.begin(sizes.iter().map(Vec::len).sum::<usize>() * repeat as usize);
    for cases in sizes {
        let (mut names, mut lines) = (Vec::new(), Vec::new());
        for case in &cases {
            progress.prepare(|| system.name(case));
            match system.open(case)? {
                Opened::Ready(line) => {
                    names.push(system.name(case));
                    lines.push(line);
                }
                Opened::LeftOut(reason) => {
                    progress.skip(repeat as usize);
                    if !left_out.contains(&reason) {
                        left_out.push(reason);
                    }
                }
            }
        }
        system.warm_up(&mut lines)?;
        let mut samples: Vec<Vec<S::Sample>> = lines.iter().map(|_| Vec::new()).collect();
        for turn in 0..repeat as usize {
            for number in 0..lines.len() {
                // No case always runs after the same other case.
                let number = (number + turn) % lines.len();
                progress.step(|| format!("{}, {} of {repeat}", names[number], turn + 1));
                samples[number].push(system.measure(&mut lines[number], turn == 0, progress)?);
            }
        }
        // Lines stay open until the last row: what one keeps would else be reused by the next.
        for (line, samples) in lines.iter_mut().zip(samples) {
            rows.push(system.row(line, samples)?);
        }
    }
    Ok((rows, left_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sizes and three competitors; one competitor cannot exchange the larger size.
    #[derive(Default)]
    struct Toy {
        order: Vec<(usize, &'static str)>,
        open: usize,
    }

    #[derive(Serialize)]
    struct Rows(Vec<(String, usize, Option<u64>)>);

    impl Results for Rows {
        fn text(&self) -> String {
            String::new()
        }
        fn errors(&self) -> Vec<Option<u64>> {
            self.0.iter().map(|row| row.2).collect()
        }
    }

    impl System for Toy {
        const NAME: &'static str = "toy";
        type Case = (usize, &'static str);
        type Line = (usize, &'static str);
        type Sample = f64;
        type Row = (String, usize, Option<u64>);
        type Results = Rows;

        fn sizes(&self) -> Vec<Vec<Self::Case>> {
            [8, 64].map(|size| ["a", "b", "c"].map(|name| (size, name)).to_vec()).to_vec()
        }
        fn name(&self, case: &Self::Case) -> String {
            format!("{} of {} B", case.1, case.0)
        }
        fn heading(&self) -> String {
            String::new()
        }
        fn open(&mut self, &case: &Self::Case) -> hcube_core::Result<Opened<Self::Line>> {
            self.open += 1;
            if case == (64, "b") {
                return Ok(Opened::LeftOut("b left out: too large".to_owned()));
            }
            Ok(Opened::Ready(case))
        }
        fn measure(
            &mut self,
            line: &mut Self::Line,
            _: bool,
            _: &mut Progress,
        ) -> hcube_core::Result<Self::Sample> {
            assert_eq!(self.open, if line.0 == 8 { 3 } else { 6 }, "all cases of a size are open");
            self.order.push(*line);
            Ok(1.0)
        }
        fn row(
            &mut self,
            line: &mut Self::Line,
            samples: Vec<Self::Sample>,
        ) -> hcube_core::Result<Self::Row> {
            Ok((self.name(line), samples.len(), (line.0 == 8).then_some(0)))
        }
        fn results(&self, rows: Vec<Self::Row>, _: Vec<String>) -> Rows {
            Rows(rows)
        }
    }

    #[test]
    fn cases_of_a_size_are_measured_alternately_in_an_order_that_rotates() {
        let mut toy = Toy::default();
        let (rows, left_out) = measure(&mut toy, 2, &mut Progress::new("toy", false)).expect("measured");
        let order: Vec<_> = toy.order.iter().map(|&(size, name)| format!("{size}{name}")).collect();
        assert_eq!(order, ["8a", "8b", "8c", "8b", "8c", "8a", "64a", "64c", "64c", "64a"]);
        assert_eq!(left_out, ["b left out: too large"]);
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|row| row.1 == 2), "{rows:?}");
        assert_eq!(toy.results(rows, left_out).verdict(), Verdict::Good);
    }

    #[test]
    fn every_system_has_its_own_number_of_measurements() {
        #[derive(clap::Parser)]
        struct Line<const REPEAT: u32> {
            #[command(flatten)]
            common: Common<REPEAT>,
        }
        assert_eq!(<Line<3> as clap::Parser>::parse_from(["x"]).common.repeat, 3);
        assert_eq!(<Line<21> as clap::Parser>::parse_from(["x"]).common.repeat, 21);
    }

    #[test]
    fn errors_are_counted_by_line() {
        assert_eq!(verification(&[None, None]), "not verified\n");
        assert_eq!(verification(&[None, Some(0)]), "verified: 0 errors\n");
        assert_eq!(verification(&[Some(7), None, Some(0)]), "VERIFICATION FAILED in 1 line(s)\n");
        assert_eq!(Rows(vec![(String::new(), 1, Some(7))]).verdict(), Verdict::Wrong);
    }
}
