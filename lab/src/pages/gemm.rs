//! The model of HSUMMA beside the measurements of Quintin, Hasanov and Lastovetsky 2013.

use super::table::table;
use hcube_gemm::model::paper::{MEASURED, SETTINGS};
use hcube_tool::model::{GemmFigures, GemmPredicted};

/// Gains on BlueGene/P.
pub fn hsumma() -> String {
    let heading =
        ["ranks", "alpha / beta", "2nb/p", "model, beta per element", "model, beta per byte", "measured"];
    let figures = GemmFigures::of_the_paper();
    let rows = MEASURED.map(|measured| {
        let setting = SETTINGS
            .iter()
            .position(|one| one.ranks == measured.ranks as f64)
            .map(|at| &figures.settings[at]);
        let of = |pick: &dyn Fn(&GemmPredicted) -> f64, decimals: usize| {
            setting.map_or_else(String::new, |one| format!("{:.decimals$}", pick(one)))
        };
        vec![
            measured.ranks.to_string(),
            of(&|one| one.alpha_over_beta, 0),
            of(&|one| one.threshold, 0),
            of(&|one| one.gain, 2),
            of(&|one| one.gain_per_byte.unwrap_or_default(), 2),
            format!("{:.2}", measured.gain),
        ]
    });
    table(heading.map(str::to_owned).into(), rows.into())
}
