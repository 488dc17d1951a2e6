//! Times and plans that the benchmark of FFTW, hpcc-glue/fftw/bench, has written.

use crate::records::{self, Record};
use hcube_results::fftw::{Results, Run, Solver};
use hcube_results::usage::Usage;
use hcube_tool::output::JsonOption;
use std::path::PathBuf;

/// Output of the benchmark of FFTW
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files that the benchmark has written
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

pub fn collect(arguments: &Arguments) -> Result<(), String> {
    let mut results = Results { runs: runs(&arguments.files)?, ..Results::default() };
    results.summarise()?;
    arguments.json.write(&results)
}

/// All runs of the benchmark that these files hold.
///
/// # Errors
/// Names the file that cannot be read, or whose records are refused.
pub fn runs(files: &[PathBuf]) -> Result<Vec<Run>, String> {
    records::of_files(files, run)
}

fn run(record: &Record) -> Result<Run, String> {
    let text = |name| record.text(name);
    let run = Run::new(
        text("problem")?.to_owned(),
        record.count("ranks")? as usize,
        Solver::from_name(text("solver")?)?,
        record.numbers("times_ms")?,
        text("plan")?.to_owned(),
    );
    Ok(Run {
        exchange_ms: record.numbers("exchange_ms")?,
        data_bytes: Some(record.count("data_bytes")?),
        extra_bytes: Some(record.count("extra_bytes")?),
        usage: Usage::of_counters(&record.numbers("used")?),
        ..run
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(output: &str) -> Result<Vec<Run>, String> {
        records::parse(output)?.iter().map(run).collect()
    }

    const OUTPUT: &str = "problem\t1024x1024 in place\nranks\t2\nsolver\tpairwise\ntimes_ms\t2.500000 1.500000 2.000000\n\
                          exchange_ms\t1.000000 0.500000 0.250000\ndata_bytes\t4194304\nextra_bytes\t0\n\
                          used\t20 10 4 6 600 2\nplan\t(mpi-transpose-pairwise\nplan\t  (rdft-rank0 \"x\"))\n\n";

    #[test]
    fn runs_have_the_declared_form() {
        let mut results = Results { runs: parsed(OUTPUT).expect("complete"), ..Results::default() };
        results.summarise().expect("there are times");
        let expected = json!({"runs": [{
            "problem": "1024x1024 in place", "ranks": 2, "solver": "pairwise",
            "median_ms": 2.0, "spread": 0.5, "median_exchange_ms": 0.5,
            "extra_bytes": 0, "data_bytes": 4_194_304,
            "plan": "(mpi-transpose-pairwise\n  (rdft-rank0 \"x\"))",
            "times_ms": [2.5, 1.5, 2.0], "exchange_ms": [1.0, 0.5, 0.25],
            "usage": {"processor_us": 20.0, "kernel_us": 10.0, "switches": 4.0, "sent_packets": 6.0, "sent_bytes": 600.0},
        }]});
        assert_eq!(serde_json::to_value(&results).expect("valid"), expected);
    }

    #[test]
    fn incomplete_output_is_refused() {
        for (from, to, message) in [
            ("solver\tpairwise", "solver\tother", "`other`, expected `pairwise` or `hcube`"),
            ("extra_bytes\t0\n", "", "the field extra_bytes is missing"),
            ("\n\n", "\n", "ends inside a record"),
        ] {
            let error = parsed(&OUTPUT.replace(from, to)).expect_err("refused");
            assert!(error.contains(message), "{error}");
        }
    }
}
