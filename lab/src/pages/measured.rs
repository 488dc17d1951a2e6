//! What pages say of measurements whose results are kept in `doc/results`: the official HPCC and FFTW.

use crate::hpcc::Results as Hpcc;
use crate::records::read_json;
use hcube_results::fftw;
use hcube_results::hpcc::control::{self, Finding};
use hcube_results::hpcc::{self, Compared, figure};
use hcube_results::numbers::{bytes, percent, significant};
use hcube_results::plot::Sheet;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A file of results in `doc/results`.
fn results<T: DeserializeOwned>(root: &Path, name: &str) -> Result<T, String> {
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

    /// The figures on the most ranks, and how many these are.
    fn on_most_ranks(&self) -> (usize, Vec<&Compared>) {
        let figures = &self.file.figures;
        let ranks = figures.iter().map(|one| one.ranks).max().unwrap_or(0);
        (ranks, figures.iter().filter(|one| one.ranks == ranks).collect())
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

/// The row of README.md on the official HPCC, on the most ranks.
pub fn readme_official(root: &Path) -> Result<String, String> {
    let results = Official::of(root)?;
    let (ranks, own) = results.on_most_ranks();
    let all = &results.file.figures;
    let titles = |finding: Finding| {
        let alike = own.iter().filter(|one| Finding::of(one, all) == finding);
        alike.filter_map(|one| Some((one.merit()?.title, one.speed_up()?))).collect::<Vec<_>>()
    };
    let mut faster = titles(Finding::Faster);
    faster.sort_by(|a, b| b.1.total_cmp(&a.1));
    let list = |all: &[(&str, f64)], digits: usize| {
        all.iter()
            .map(|(title, speed_up)| format!("{title} {speed_up:.digits$}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let no_gain = [titles(Finding::WithinControl), titles(Finding::WithinSpread)].concat();
    let mut text = format!(
        "speed-ups over HPCC as shipped on {ranks} ranks (`make run`, HPL size {}, medians over {} pairs of runs): {}",
        results.n,
        own.iter().map(|one| one.pairs().len()).min().unwrap_or(0),
        list(&faster, 1)
    );
    for (end, figures) in
        [("no gain beyond what the control moved", no_gain), ("slower", titles(Finding::Slower))]
    {
        if !figures.is_empty() {
            text += &format!("; {end}: {}", list(&figures, 2));
        }
    }
    let ours = results.file.runs.iter().filter(|run| run.variant == "hcube");
    let errors = ours.map(|run| run.errors.max(run.errors_lcg)).max().ok_or("no run with hcube")?;
    Ok(format!("{text}. Errors of RandomAccess: {errors}"))
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

/// Problems of the row of README.md on FFTW: the benchmark's names, and those of the row.
const FFTW_PROBLEMS: [(&str, &str); 2] = [
    ("4096x4096 in place", "4096 x 4096 doubles transposed in place"),
    ("c2c 128x128x128 in place", "complex FFT 128 x 128 x 128"),
];

/// The row of README.md on FFTW, on the fewest ranks.
pub fn readme_transposition(root: &Path) -> Result<String, String> {
    let results = transposes(root)?;
    let all = results.comparisons();
    let ranks = all.iter().map(|one| one.own.ranks).min().ok_or("no comparison in doc/results/fftw.json")?;
    let mut texts = Vec::new();
    for (problem, title) in FFTW_PROBLEMS {
        let found = all.iter().find(|one| one.own.problem == problem && one.own.ranks == ranks);
        let one = found.ok_or_else(|| format!("doc/results/fftw.json: no comparison of {problem}"))?;
        texts.push(format!("{title} {:.1}", one.gain()));
    }
    Ok(format!("speed-ups over its own plan on {ranks} ranks: {}", texts.join(", ")))
}

/// The picture of FFTW.
pub fn transposition_picture(root: &Path) -> Result<Sheet, String> {
    let results = transposes(root)?;
    let sheet = fftw::plot::sheet(&results.comparisons(), &results.taken);
    sheet.ok_or_else(|| "no comparison in doc/results/fftw.json".to_owned())
}
