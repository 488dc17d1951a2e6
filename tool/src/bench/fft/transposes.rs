//! What the benchmark of FFTW's transposes has measured: `hcube bench fft --from` prints and draws it.
//!
//! The benchmark itself, hpcc-glue/fftw/bench, is a program that uses FFTW, whose licence the tool does not
//! have.

use crate::bench::drawn::{self, Drawn};
use crate::output::JsonOption;
use crate::session::Failure;
use hcube_results::fftw::{Results, plot};
use hcube_results::json;
use hcube_results::taken::Taken;
use std::fs;
use std::path::PathBuf;

const EXPECTED: &str = "times of FFTW's transposes, as in the other files";

fn parse(text: &str) -> Result<Results, String> {
    let results: Results = json::parse(text)?;
    if results.runs.is_empty() { Err("it has no times".to_owned()) } else { Ok(results) }
}

/// Whether one of these files holds times of FFTW's transposes, which are of no vector.
pub fn are_in(files: &[PathBuf]) -> bool {
    let holds = |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| parse(&text).is_ok());
    files.iter().any(holds)
}

/// Reads, prints, writes, draws.
pub fn compare(drawn: &Drawn, json: &JsonOption) -> Result<(), Failure> {
    json.check().and_then(|()| drawn.check()).map_err(|error| error.to_string())?;
    let mut results = Results::default();
    for read in drawn::read(drawn.files(), EXPECTED, parse)? {
        results.taken = if drawn.files().len() == 1 { read.taken } else { Taken::default() };
        results.runs.extend(read.runs);
    }
    results.summarise().map_err(|error| format!("--from: {error}"))?;
    if json.tables() {
        print!("{}", results.text());
    }
    json.write(&results)?;
    let undrawn = "no problem was measured by FFTW's own plan and by hcube";
    drawn::draw(drawn.plot(), || plot::sheet(&results.comparisons(), &results.taken), undrawn)
}
