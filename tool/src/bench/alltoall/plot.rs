//! The plot of `hcube bench alltoall`.

use super::arguments::Arguments;
use crate::output;
use crate::session::Failure;
use hcube_results::alltoall::{Results, figure};

/// Whether the plot that was asked for can be written.
pub fn check_plot(arguments: &Arguments) -> hcube_core::Result<()> {
    arguments.plot.as_deref().map_or(Ok(()), |path| output::check("--plot", path, &output::PLOT))
}

/// Writes the plot where it was asked for.
pub fn draw(arguments: &Arguments, results: &Results) -> Result<(), Failure> {
    let Some(path) = &arguments.plot else { return Ok(()) };
    let sheet = figure::sheet_of_all(arguments.over.map(Into::into), results)
        .ok_or("--plot: there are no results to draw")?;
    output::write("--plot", path, &output::PLOT, &sheet.svg())
}
