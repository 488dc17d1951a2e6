//! The frame that the benchmarks of all systems fill.
//!
//! A system says what its cases are (variants and competitors, at each size), how one of them is measured once,
//! and what its results are; see [`System`]. The frame does the rest: it opens all cases of a size, warms
//! them up, measures them alternately in an order that rotates, shows progress with the remaining time, checks which
//! implementation has worked in each of them ([`proof`](super::proof)), prints the rows of a size as soon as it was measured
//! and the verdict of the verification at the end, writes JSON, and ends all ranks with the same status.

use super::proof::{Claim, Counts, Moved};
use crate::output::JsonOption;
use crate::progress::Progress;
use crate::session::{Failure, Session, Verdict};
use clap::value_parser;
use hcube_core::comm::{Comm, agree};
use hcube_results::table::{self, Growing, Table};
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
    type Row: Clone;
    /// All rows, as they are written in JSON.
    type Results: Results;

    /// The cases of each size.
    fn sizes(&self) -> Vec<Vec<Self::Case>>;
    /// A case in messages and in progress.
    fn name(&self, case: &Self::Case) -> String;
    /// The lines above the table.
    fn heading(&self) -> String;
    /// How long a case takes, compared with others of this system: the remaining time follows.
    fn weight(&self, _case: &Self::Case) -> f64 {
        1.0
    }
    /// The implementation that a line claims to measure, the same on all ranks.
    fn claim(&self, line: &Self::Line) -> Claim;
    /// Local: how often each implementation of this system has worked so far, as its own counters say.
    fn counts(&self, line: &Self::Line) -> Counts;
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
    /// The tables. Rows of further sizes follow those that were there.
    fn tables(&self) -> Vec<Table>;
    /// The lines below the tables.
    fn below(&self) -> String;
    /// What verification has found in each line of the table; nothing where it was not verified.
    fn errors(&self) -> Vec<Option<u64>>;

    /// The tables and the lines below them.
    fn text(&self) -> String {
        table::text(&self.tables(), &self.below())
    }

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
    let (results, proved) = run(session, common, &mut system)?;
    Ok(finish(session, common, &results, proved, || system.write(&results)))
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

/// Collective: measures a system, from its heading to the lines below its tables. Whether all claims have held.
pub fn run<S: System, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    system: &mut S,
) -> Result<(S::Results, Verdict), Failure> {
    let tables = session.speaks() && common.json.tables();
    if tables {
        print!("{}", system.heading());
    }
    let mut progress = Progress::new(S::NAME, session.speaks() && !common.no_progress);
    let mut growing = Growing::default();
    let show = |system: &S, rows: &[S::Row], progress: &Progress| {
        if tables {
            let text = growing.add(&system.results(rows.to_vec(), Vec::new()).tables());
            progress.print(&text);
        }
    };
    let measured = measure(&session.comm, system, common.repeat, &mut progress, show);
    let Measured { rows, left_out, refuted } = measured.map_err(|error| error.to_string())?;
    progress.finish();
    let results = system.results(rows, left_out);
    if tables {
        print!("{}{}", results.below(), verification(&results.errors()));
    }
    if session.speaks() {
        refuted.iter().for_each(|reason| eprintln!("hcube: {reason}"));
    }
    Ok((results, if refuted.is_empty() { Verdict::Good } else { Verdict::Wrong }))
}

/// Local: writes JSON, and by `write` what else was asked for. `proved` is what [`run`] has found.
pub fn finish<R: Results, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    results: &R,
    proved: Verdict,
    write: impl FnOnce() -> Result<(), Failure>,
) -> Verdict {
    if session.speaks() {
        // The other ranks do not know of it, so a file that cannot be written is reported but not agreed on.
        if let Err(failure) = common.json.write(results).and_then(|()| write()) {
            eprintln!("hcube: {failure}");
            return Verdict::Wrong;
        }
    }
    if proved == Verdict::Good { results.verdict() } else { proved }
}

/// What was measured.
struct Measured<R> {
    rows: Vec<R>,
    /// Why cases have no row.
    left_out: Vec<String>,
    /// Why lines are no results: another implementation has worked than they claim.
    refuted: Vec<String>,
}

/// Collective: all measurements of all cases. `show` gets the rows so far, whenever those of a size are added.
fn measure<S: System>(
    comm: &impl Comm,
    system: &mut S,
    repeat: u32,
    progress: &mut Progress,
    mut show: impl FnMut(&S, &[S::Row], &Progress),
) -> hcube_core::Result<Measured<S::Row>> {
    let sizes = system.sizes();
    let mut done = Measured { rows: Vec::new(), left_out: Vec::new(), refuted: Vec::new() };
    let weights = sizes.iter().flatten().map(|case| system.weight(case));
    progress.begin_weighted(weights.sum::<f64>() * f64::from(repeat));
    for cases in sizes {
        let (mut names, mut weights, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for case in &cases {
            progress.prepare(|| system.name(case));
            let weight = system.weight(case);
            match system.open(case)? {
                Opened::Ready(line) => {
                    names.push(system.name(case));
                    weights.push(weight);
                    lines.push(line);
                }
                Opened::LeftOut(reason) => {
                    progress.skip(weight * f64::from(repeat));
                    if !done.left_out.contains(&reason) {
                        done.left_out.push(reason);
                    }
                }
            }
        }
        system.warm_up(&mut lines)?;
        let mut samples: Vec<Vec<S::Sample>> = lines.iter().map(|_| Vec::new()).collect();
        let mut moved: Vec<Moved> = lines.iter().map(|_| Moved::default()).collect();
        for turn in 0..repeat as usize {
            for number in 0..lines.len() {
                // No case always runs after the same other case.
                let number = (number + turn) % lines.len();
                let name = || format!("{}, {} of {repeat}", names[number], turn + 1);
                progress.step_weighted(weights[number], name);
                let before = system.counts(&lines[number]);
                samples[number].push(system.measure(&mut lines[number], turn == 0, progress)?);
                moved[number].add(&before, &system.counts(&lines[number]));
            }
        }
        // Lines stay open until the last row: what one keeps would else be reused by the next.
        for (number, (line, samples)) in lines.iter_mut().zip(samples).enumerate() {
            let row = system.row(line, samples)?;
            match moved[number].refutes(comm, &system.claim(line))? {
                None => done.rows.push(row),
                Some(reason) => {
                    let reason = format!("{} left out: NOT MEASURED: {reason}", names[number]);
                    done.left_out.push(reason.clone());
                    done.refuted.push(reason);
                }
            }
        }
        show(system, &done.rows, progress);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sizes and three competitors; one competitor cannot exchange the larger size.
    #[derive(Default)]
    struct Toy {
        order: Vec<(usize, &'static str)>,
        open: usize,
        /// How often each competitor has worked.
        worked: [u64; 3],
        /// The competitor that calls the first one instead of working.
        deceives: Option<&'static str>,
    }

    const NAMES: [&str; 3] = ["a", "b", "c"];

    #[derive(Serialize)]
    struct Rows(Vec<(String, usize, Option<u64>)>);

    impl Results for Rows {
        fn tables(&self) -> Vec<Table> {
            let cells = |row: &(String, usize, Option<u64>)| vec![("case", row.0.clone())];
            vec![Table::of(self.0.iter().map(cells))]
        }
        fn below(&self) -> String {
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
            [8, 64].map(|size| NAMES.map(|name| (size, name)).to_vec()).to_vec()
        }
        fn name(&self, case: &Self::Case) -> String {
            format!("{} of {} B", case.1, case.0)
        }
        fn heading(&self) -> String {
            String::new()
        }
        fn claim(&self, line: &Self::Line) -> Claim {
            Claim::counted(line.1)
        }
        fn counts(&self, _: &Self::Line) -> Counts {
            NAMES.into_iter().zip(self.worked).collect()
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
            let number = NAMES.iter().position(|name| *name == line.1).expect("one of them");
            self.worked[if self.deceives == Some(line.1) { 0 } else { number }] += 1;
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

    type ToyRow = <Toy as System>::Row;

    /// Measures everything twice: what was found, the toy afterwards, and how many rows there were after each size.
    fn measured(deceives: Option<&'static str>) -> (Measured<ToyRow>, Toy, Vec<usize>) {
        let of_ranks = hcube_core::comm::threads::run(1, 1, |comm| {
            let (mut toy, mut shown) = (Toy { deceives, ..Toy::default() }, Vec::new());
            let show = |_: &Toy, rows: &[_], _: &Progress| shown.push(rows.len());
            let found = measure(comm, &mut toy, 2, &mut Progress::new("toy", false), show);
            (found.expect("measured"), toy, shown)
        });
        of_ranks.into_iter().next().expect("one rank")
    }

    #[test]
    fn cases_of_a_size_are_measured_alternately_in_an_order_that_rotates() {
        let (Measured { rows, left_out, refuted }, toy, shown) = measured(None);
        let order: Vec<_> = toy.order.iter().map(|&(size, name)| format!("{size}{name}")).collect();
        assert_eq!(order, ["8a", "8b", "8c", "8b", "8c", "8a", "64a", "64c", "64c", "64a"]);
        assert_eq!((left_out.as_slice(), refuted.len()), (&["b left out: too large".to_owned()][..], 0));
        assert_eq!(rows.len(), 5);
        // The rows of a size are there when it was measured.
        assert_eq!(shown, [3, 5]);
        assert!(rows.iter().all(|row| row.1 == 2), "{rows:?}");
        assert_eq!(toy.results(rows, left_out).verdict(), Verdict::Good);
    }

    #[test]
    fn a_line_in_which_another_implementation_has_worked_is_no_result() {
        let (Measured { rows, left_out, refuted }, ..) = measured(Some("c"));
        let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(names, ["a of 8 B", "b of 8 B", "a of 64 B"]);
        assert_eq!(refuted.len(), 2);
        assert!(refuted[0].starts_with("c of 8 B left out: NOT MEASURED: "), "{refuted:?}");
        assert!(refuted[0].contains("'a', has moved by 2"), "{refuted:?}");
        assert!(refuted.iter().all(|reason| left_out.contains(reason)), "{left_out:?}");
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
