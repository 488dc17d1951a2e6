//! Values that the programs in lab/preload and scripts/bench.sh have written with and without the preload
//! library.
//!
//! A record has the fields benchmark, case, ranks, variant, unit (s or B) and values, and may have bound (the
//! largest accepted ratio to the variant `stock`) and result (what a program has computed, as text). A record
//! with the field skipped has no other: it says what was left out, and why.

use crate::records::{self, Record, read_json};
use hcube_results::alltoall;
use hcube_results::preload::{Results, Row, STOCK, Unit, Values, plot};
use hcube_tool::choices::number;
use hcube_tool::output::{self, JsonOption};
use std::path::{Path, PathBuf};

/// Output of the benchmarks of the preload library
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of records
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The MPI library
    #[arg(long)]
    mpi: String,
    /// Cores of the machine
    #[arg(long, value_parser = number::<usize>(1..))]
    cores: usize,
    /// Also compare the extra memory in these results of `hcube bench alltoall` with the documented bound
    #[arg(long, value_name = "FILE")]
    alltoall: Option<PathBuf>,
    /// Draw the speed-ups of programs
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

/// Bytes that the documentation allows beside HCUBE_MEMORY.
const BYTES_BESIDE_MEMORY: usize = 64 << 10;

/// Values of one case by one variant, from any number of runs.
struct Sample {
    benchmark: String,
    case: String,
    ranks: usize,
    variant: String,
    unit: Unit,
    bound: Option<f64>,
    values: Vec<f64>,
    /// One for each run that has reported it.
    results: Vec<String>,
}

impl Sample {
    fn is_case_of(&self, other: &Self) -> bool {
        (&self.benchmark, &self.case, self.ranks) == (&other.benchmark, &other.case, other.ranks)
    }
}

pub fn collect(arguments: &Arguments) -> Result<(), String> {
    let (samples, skipped) = samples(&records::of_files(&arguments.files, |record| Ok(record.clone()))?)?;
    let mut rows = rows(&samples)?;
    if let Some(path) = &arguments.alltoall {
        rows.extend(extra_memory(path)?);
    }
    let results = Results { mpi: arguments.mpi.clone(), cores: arguments.cores, rows, skipped };
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    arguments.json.write(&results)?;
    if let (Some(path), Some(sheet)) = (&arguments.plot, plot::sheet(&results.rows, &results.mpi)) {
        output::write("--plot", path, &output::PLOT, &sheet.svg())?;
    }
    if results.is_wrong() { Err("a program has other results with hcube".to_owned()) } else { Ok(()) }
}

/// Joins the values of all runs, in the order of the first; and what was skipped.
fn samples(records: &[Record]) -> Result<(Vec<Sample>, Vec<String>), String> {
    let (mut samples, mut skipped): (Vec<Sample>, _) = (Vec::new(), Vec::new());
    for record in records {
        if let Ok(reason) = record.text("skipped") {
            skipped.push(reason.to_owned());
            continue;
        }
        let new = sample(record)?;
        let known = samples.iter_mut().find(|known| known.is_case_of(&new) && known.variant == new.variant);
        if let Some(known) = known {
            known.values.extend(new.values);
            known.results.extend(new.results);
        } else {
            samples.push(new);
        }
    }
    Ok((samples, skipped))
}

fn sample(record: &Record) -> Result<Sample, String> {
    let text = |name| record.text(name).map(str::to_owned);
    let ranks = record.count("ranks")? as usize;
    if ranks == 0 {
        return Err("ranks = 0: expected 1 or more".to_owned());
    }
    Ok(Sample {
        benchmark: text("benchmark")?,
        case: text("case")?,
        ranks,
        variant: text("variant")?,
        unit: Unit::from_name(record.text("unit")?)?,
        bound: text("bound").is_ok().then(|| record.number("bound")).transpose()?,
        values: record.numbers("values")?,
        results: text("result").into_iter().collect(),
    })
}

/// A row for each variant other than stock.
fn rows(samples: &[Sample]) -> Result<Vec<Row>, String> {
    let row = |sample: &Sample| {
        let stock = samples.iter().find(|other| other.variant == STOCK && other.is_case_of(sample));
        let stock = stock.ok_or_else(|| {
            format!("{}, {}, {} ranks: no values of stock", sample.benchmark, sample.case, sample.ranks)
        })?;
        if stock.values.is_empty() || sample.values.is_empty() {
            return Err(format!("{}, {}: no values", sample.benchmark, sample.case));
        }
        let mut all = stock.results.iter().chain(&sample.results);
        let first = all.next();
        let same = all.all(|result| Some(result) == first);
        Ok(Row {
            benchmark: sample.benchmark.clone(),
            case: sample.case.clone(),
            ranks: sample.ranks,
            unit: sample.unit,
            variant: sample.variant.clone(),
            against: STOCK.to_owned(),
            reference: Values::new(stock.values.clone()),
            measured: Values::new(sample.values.clone()),
            bound: sample.bound,
            same_results: first.map(|_| same),
        })
    };
    samples.iter().filter(|sample| sample.variant != STOCK).map(row).collect()
}

/// The largest extra memory of hcube's defaults over all sizes, for each number of ranks.
fn extra_memory(path: &Path) -> Result<Vec<Row>, String> {
    let results: alltoall::Results = read_json(path)?;
    let mut rows: Vec<Row> = Vec::new();
    for run in results.runs.iter().filter(|run| run.algorithm.starts_with("auto") && !run.everything) {
        let (Some(memory), Some(extra)) = (run.memory, run.extra_bytes) else { continue };
        let case = format!("{} of {}", run.algorithm, run.place.mpi);
        let known = rows.iter_mut().find(|row| row.case == case && row.ranks == run.place.ranks);
        if let Some(row) = known {
            row.measured.all.push(extra as f64);
        } else {
            rows.push(Row {
                benchmark: "extra memory".to_owned(),
                case,
                ranks: run.place.ranks,
                unit: Unit::Bytes,
                variant: "largest of all sizes".to_owned(),
                against: "documented bound".to_owned(),
                reference: Values::new(vec![(memory + BYTES_BESIDE_MEMORY) as f64]),
                measured: Values::new(vec![extra as f64]),
                bound: Some(1.0),
                same_results: None,
            });
        }
    }
    for row in &mut rows {
        let largest = row.measured.all.iter().copied().fold(0.0, f64::max);
        row.measured = Values::new(vec![largest]);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "benchmark\tchurn\ncase\tone\nranks\t2\nvariant\tstock\nunit\ts\nbound\t2\nvalues\t1 3\n\n\
                          benchmark\tchurn\ncase\tone\nranks\t2\nvariant\tpreload\nunit\ts\nbound\t2\nvalues\t6\n\n\
                          skipped\tpw.x: not installed\n\n\
                          benchmark\tchurn\ncase\tone\nranks\t2\nvariant\tstock\nunit\ts\nbound\t2\nvalues\t2\n\n";

    fn found(output: &str) -> Result<(Vec<Row>, Vec<String>), String> {
        let (samples, skipped) = samples(&records::parse(output)?)?;
        Ok((rows(&samples)?, skipped))
    }

    #[test]
    fn runs_are_joined_and_compared() {
        let (rows, skipped) = found(OUTPUT).expect("complete");
        assert_eq!(skipped, ["pw.x: not installed"]);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].ratio(), rows[0].bound, rows[0].same_results), (Some(3.0), Some(2.0), None));
        assert_eq!(rows[0].reference.all, [1.0, 3.0, 2.0]);
    }

    #[test]
    fn results_of_all_runs_must_be_the_same() {
        let with = |first: &str, second: &str| {
            let text = OUTPUT.replace("values\t1 3", &format!("values\t1\nresult\t{first}"));
            found(&text.replace("values\t6", &format!("values\t6\nresult\t{second}")))
        };
        let same = |first, second| with(first, second).expect("complete").0[0].same_results;
        assert_eq!((same("0.5", "0.5"), same("0.5", "0.6")), (Some(true), Some(false)));
    }

    #[test]
    fn extra_memory_is_compared_with_its_bound() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/alltoall.json");
        let rows = extra_memory(&path).expect("a fixture");
        let row = rows.iter().find(|row| row.ranks == 4 && row.case.starts_with("auto of")).expect("4 ranks");
        assert_eq!((row.reference.median, row.measured.median), (1_114_112.0, 65536.0));
        assert_eq!((row.bound, row.measured.all.len()), (Some(1.0), 1));
    }

    #[test]
    fn incomplete_output_is_refused() {
        for (from, to, message) in [
            ("unit\ts", "unit\tx", "unit = 'x': expected s or B"),
            ("ranks\t2", "ranks\t0", "ranks = 0"),
            ("variant\tstock", "variant\tother", "no values of stock"),
            ("values\t6\n", "", "the field values is missing"),
            ("bound\t2", "bound\ttwo", "bound = 'two'"),
        ] {
            let error = found(&OUTPUT.replace(from, to)).expect_err("refused");
            assert!(error.contains(message), "{error}");
        }
    }
}
