//! What pages say of BSP programs, their predictions and longest common subsequences.

use super::markdown::{cell, row, table};
use super::picture::{points, value};
use crate::records::read;
use clap::Parser;
use hcube_results::published::bsp::Program;
use hcube_tool::bsp::{predict, published as tool};
use std::path::Path;

/// The table of all published runs.
pub fn published(_: &Path) -> Result<String, String> {
    Ok(tool::compare(Program::size)?.markdown())
}

/// The example of a prediction.
const PREDICTION: &str = "hcube bsp predict llcs --machine aracari-oxtool --processes 16";

#[derive(Debug, Parser)]
struct Prediction {
    #[command(flatten)]
    arguments: predict::Arguments,
}

/// The example with its output.
pub fn prediction(_: &Path) -> Result<String, String> {
    let words = PREDICTION.split(' ').skip("hcube bsp".split(' ').count());
    let line = Prediction::try_parse_from(words).map_err(|error| error.to_string())?;
    let output = predict::results(&line.arguments)?.text();
    Ok(format!("```\n{PREDICTION}\n```\n\n```\n{output}```\n"))
}

/// The cases of the picture of puts, a line each: how many messages, over the sizes.
const PUTS: [&str; 2] = ["up to 4096 messages", "1 message"];

/// How many times as long as `MPI_Put` a put takes where that is most, and its size.
pub fn largest_put(root: &Path) -> Result<String, String> {
    let points = points(root, "bsp-put")?;
    let mut worst = (0.0, "", "");
    for count in PUTS {
        let own = format!("hcube, {count}");
        for point in points.iter().filter(|point| point.series == own) {
            let ratio = point.value / value(&points, "", &format!("MPI, {count}"), &point.label)?;
            if ratio > worst.0 {
                worst = (ratio, count, &point.label);
            }
        }
    }
    Ok(format!("{:.1} times as long ({} of {} in a superstep)", worst.0, worst.1, worst.2))
}

/// A cell with a time and a speed-up.
fn time_and_speedup<'a>(row: &[&'a str], column: usize) -> Result<(&'a str, &'a str), String> {
    let cell = cell(row, column)?;
    cell.split_once(", ").ok_or_else(|| format!("'{cell}': expected a time and a speed-up"))
}

/// The row of README.md on BSPlib programs: the measured ranges of doc/bsp.md, and the slowest put of its
/// picture.
pub fn readme_programs(root: &Path) -> Result<String, String> {
    let page = read(&root.join("doc/bsp.md"))?;
    let supersteps = table(&page, &["processes", "no data"])?;
    let [(two, two_speedup), (eight, eight_speedup)] =
        [time_and_speedup(row(&supersteps, &["2"])?, 1)?, time_and_speedup(row(&supersteps, &["8"])?, 1)?];
    let messages = table(&page, &["bytes x messages", "put"])?;
    let (put, put_speedup) = time_and_speedup(row(&messages, &["8 x 4096"])?, 1)?;
    Ok(format!(
        "a superstep without data takes {two} on 2 processes and {eight} on 8, speed-ups of {two_speedup} and {eight_speedup} \
         over `MPI_Barrier`; a put of 8 bytes, 4096 in a superstep, {put}, a speed-up of {put_speedup} over `MPI_Put`; large \
         buffered puts take up to {}",
        largest_put(root)?
    ))
}

/// The row of README.md on predictions: the means of the table of doc/bsp-model.md.
pub fn readme_predictions(root: &Path) -> Result<String, String> {
    let page = read(&root.join("doc/bsp-model.md"))?;
    let accuracy = table(&page, &["program", "processes", "constant g"])?;
    // The mean stands before the range.
    let mean = |program: &str| -> Result<&str, String> {
        let cell = cell(row(&accuracy, &[program, "2"])?, 3)?;
        cell.split(' ').next().ok_or_else(|| format!("{program}: no error"))
    };
    Ok(format!(
        "mean errors of times predicted with g(h) on 2 processes: matrix product {} % with customized and {} % with static \
         distribution, longest common subsequence {} % by the standard and {} % by the bit-parallel algorithm",
        mean("`matmul`, customized")?,
        mean("`matmul`, static")?,
        mean("`llcs`, standard")?,
        mean("`llcs`, bit-parallel")?
    ))
}

/// Lengths in the picture of rates that the row of README.md is about.
const LENGTHS: [&str; 3] = ["10^4", "10^5", "10^6"];

/// The row of README.md on subsequences: the pictures of doc/llcs.md.
pub fn readme_subsequences(root: &Path) -> Result<String, String> {
    let rates = points(root, "llcs")?;
    let speedups = |symbols: usize| -> Result<String, String> {
        let chart = format!("LLCS, 1 process, {symbols} symbols");
        let mut all = Vec::new();
        for length in LENGTHS {
            all.push(value(&rates, &chart, "hcube", length)? / value(&rates, &chart, "rapidfuzz", length)?);
        }
        all.sort_by(f64::total_cmp);
        Ok(format!("{:.1} to {:.1}", all[0], all[LENGTHS.len() - 1]))
    };
    let chart = "LLCS, 2 ranks, 4 symbols, without barriers";
    let efficiency = value(&points(root, "llcs-ranks")?, chart, "selected grid", "300000")?;
    Ok(format!(
        "of random strings on one core with AVX-512, speed-ups over the crate `rapidfuzz` at 10^4 to 10^6 symbols: {} for 4 \
         different symbols, {} for bytes; two processes over one: {} at 3 x 10^5 symbols",
        speedups(4)?,
        speedups(256)?,
        format_args!("{:.2}", 2.0 * efficiency)
    ))
}
