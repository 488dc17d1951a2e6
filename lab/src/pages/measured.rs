//! What pages say of measurements whose results are kept in `doc/results`: the official HPCC and FFTW.

use crate::hpcc::Results as Hpcc;
use crate::records::read_json;
use hcube_results::fftw;
use hcube_results::hpcc::control::{self, Finding};
use hcube_results::hpcc::{self, figure};
use hcube_results::numbers::{bytes, percent, significant};
use hcube_results::plot::Sheet;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A file of results in `doc/results`.
pub fn results<T: DeserializeOwned>(root: &Path, name: &str) -> Result<T, String> {
    read_json(&root.join("doc/results").join(name).with_extension("json"))
}

/// Results of `make run`, and the order of HPL's matrix.
struct Official {
    n: u32,
    file: Hpcc,
}

impl Official {
    fn of(root: &Path) -> Result<Self, String> {
        let file: Hpcc = results(root, "hpcc")?;
        Ok(Self { n: file.n.ok_or("doc/results/hpcc.json: no order of HPL's matrix")?, file })
    }

    fn title(&self) -> String {
        format!("HPCC 1.5.0, Open MPI, N = {}", self.n)
    }

    /// What the picture is of; its machine names the MPI library.
    fn subject(&self) -> String {
        format!("HPCC 1.5.0, N = {}", self.n)
    }

    /// Titles and speed-ups on the most ranks with one of these findings.
    fn on_most_ranks_with(&self, findings: &[Finding]) -> Vec<(String, f64)> {
        let figures = &self.file.figures;
        let ranks = figures.iter().map(|one| one.ranks).max().unwrap_or(0);
        let own =
            figures.iter().filter(|one| one.ranks == ranks && findings.contains(&Finding::of(one, figures)));
        own.filter_map(|one| Some((one.merit()?.title.to_owned(), one.speed_up()?))).collect()
    }
}

/// The table of `make run`, and what its control has moved.
pub fn official(root: &Path) -> Result<String, String> {
    let results = Official::of(root)?;
    let log2 = results.file.runs.iter().map(|run| run.log2_table).max().ok_or("no run of RandomAccess")?;
    Ok(format!(
        "```\n{}, table of 2^{log2} words\n\n{}\n{}\n```\n",
        results.title(),
        hpcc::text(&results.file.figures),
        control::sentences(&results.file.figures).join("\n")
    ))
}

/// The benchmark of the official HPCC with the largest speed-up on the most ranks.
pub fn largest_official_gain(root: &Path) -> Result<(String, f64), String> {
    let results = Official::of(root)?;
    let faster = results.on_most_ranks_with(&[Finding::Faster]);
    let largest = faster.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    largest.ok_or_else(|| "doc/results/hpcc.json: no benchmark is faster".to_owned())
}

/// The benchmarks of the official HPCC that hcube serves and that are not faster on the most ranks.
pub fn official_without_gain(root: &Path) -> Result<String, String> {
    let others = [Finding::WithinControl, Finding::WithinSpread, Finding::Slower];
    let all = Official::of(root)?.on_most_ranks_with(&others);
    let texts: Vec<String> = all.iter().map(|(title, speed_up)| format!("{title}: {speed_up:.2}")).collect();
    Ok(texts.join(", "))
}

/// The picture of the official HPCC.
pub fn official_picture(root: &Path) -> Result<Sheet, String> {
    let results = Official::of(root)?;
    let sheet = figure::sheet(&results.file.figures, &results.subject(), &results.file.taken);
    sheet.ok_or_else(|| "no speed-up in doc/results/hpcc.json".to_owned())
}

fn transposes(root: &Path) -> Result<fftw::Results, String> {
    let mut all: fftw::Results = results(root, "fftw")?;
    all.summarise()?;
    Ok(all)
}

/// The table of speed-ups over FFTW, a row for each problem and number of ranks.
pub fn transposition(root: &Path) -> Result<String, String> {
    let results = transposes(root)?;
    let extra = |run: &fftw::Run| run.extra_bytes.map_or("-".to_owned(), |count| bytes(count as f64));
    let mut text = String::from(
        "| problem | ranks | FFTW, ms | hcube, ms | speed-up | spread, FFTW | hcube | extra memory, FFTW | hcube |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for one in results.comparisons() {
        let cells = [
            one.own.problem.replace('|', "\\|"),
            one.own.ranks.to_string(),
            significant(one.own.median_ms),
            significant(one.hcube.median_ms),
            format!("{:.2}", one.gain()),
            percent(one.own.spread),
            percent(one.hcube.spread),
            extra(one.own),
            extra(one.hcube),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// The speed-up over FFTW's own plan on the fewest ranks.
pub fn transposition_gain(root: &Path, problem: &str) -> Result<f64, String> {
    let results = transposes(root)?;
    let all = results.comparisons();
    let alike = all.iter().filter(|one| one.own.problem == problem);
    let fewest = alike.min_by_key(|one| one.own.ranks);
    fewest.map(|one| one.gain()).ok_or_else(|| format!("doc/results/fftw.json: no comparison of {problem}"))
}

/// The picture of FFTW.
pub fn transposition_picture(root: &Path) -> Result<Sheet, String> {
    let results = transposes(root)?;
    let sheet = fftw::plot::sheet(&results.comparisons(), &results.taken);
    sheet.ok_or_else(|| "no comparison in doc/results/fftw.json".to_owned())
}
