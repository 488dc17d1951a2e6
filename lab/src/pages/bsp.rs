//! What pages say of BSP programs and their predictions.

use super::picture::{points, value};
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
