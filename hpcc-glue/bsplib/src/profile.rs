//! `HCUBE_BSP_PROFILE`: the file to which the profile of the program is written; `hcube profile` prints it.

use hcube_bsp::process;
use hcube_bsp::profile::{Figures, Summary};
use hcube_core::error::{Result, reason};
use hcube_core::options;
use serde::Serialize;

/// The name of the file, if a profile is requested.
fn file() -> Option<String> {
    options::value("HCUBE_BSP_PROFILE").filter(|name| !name.is_empty())
}

/// The file; times in seconds, one value per superstep.
#[derive(Serialize)]
struct File {
    hcube: &'static str,
    processes: usize,
    mean: Columns,
    max: Columns,
}

#[derive(Serialize)]
struct Columns {
    compute: Vec<f64>,
    wait: Vec<f64>,
    communicate: Vec<f64>,
    sent: Vec<f64>,
    received: Vec<f64>,
    operations: Vec<f64>,
}

impl Columns {
    fn new(figures: &[Figures]) -> Self {
        let column = |value: fn(&Figures) -> f64| figures.iter().map(value).collect();
        Self {
            compute: column(|figures| figures.compute),
            wait: column(|figures| figures.wait),
            communicate: column(|figures| figures.communicate),
            sent: column(|figures| figures.sent),
            received: column(|figures| figures.received),
            operations: column(|figures| figures.operations),
        }
    }
}

/// Begins the SPMD part.
///
/// # Errors
/// Errors of [`process::begin`].
pub fn begin(limit: i64) -> Result<()> {
    process::begin(limit, file().is_some())
}

/// Ends the SPMD part; process 0 writes the profile.
///
/// # Errors
/// Errors of [`process::end`].
pub fn end() -> Result<()> {
    if let Some(Summary { processes, supersteps }) = process::end()? {
        let [mean, max] = [
            supersteps.iter().map(|superstep| superstep.mean).collect::<Vec<_>>(),
            supersteps.iter().map(|superstep| superstep.max).collect(),
        ];
        let (mean, max) = (Columns::new(&mean), Columns::new(&max));
        write(&File { hcube: env!("CARGO_PKG_VERSION"), processes, mean, max });
    }
    Ok(())
}

/// A file that cannot be written does not end the program: its results are not affected.
fn write(contents: &File) {
    let Some(name) = file() else { return };
    let written = serde_json::to_string(contents)
        .map_err(|error| error.to_string())
        .and_then(|text| std::fs::write(&name, text + "\n").map_err(|error| reason(&error)));
    if let Err(error) = written {
        eprintln!("hcube: HCUBE_BSP_PROFILE={name}: {error}");
    }
}
