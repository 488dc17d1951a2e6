//! `hcube model gemm`: predicted communication time of SUMMA and HSUMMA, and the predictions and
//! measurements of Quintin et al. 2013.

mod arguments;
mod multiplication;
mod paper;
mod report;

pub use arguments::Arguments;
pub use paper::{Figures, Predicted};

use crate::session::Failure;

/// Predicts, prints, writes.
pub fn predict(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check().map_err(|error| error.to_string())?;
    if arguments.paper {
        let figures = Figures::of_the_paper();
        if arguments.json.tables() {
            print!("{}", report::paper(&figures));
        }
        return arguments.json.write(&figures);
    }
    let results = multiplication::Results::new(&arguments.case()?);
    if arguments.json.tables() {
        print!("{}", report::multiplication(&results));
    }
    arguments.json.write(&results)
}
