//! The official HPCC, and the benchmarks of its kernels: Fourier transforms, STREAM, broadcasts of panels.

use super::inputs::{Inputs, Source};
use super::section::Section;
use super::table::{Table, cell};
use hcube_results::fft::{self, figure as transforms, length_name};
use hcube_results::hpcc::{Compared, control, figure::speed_ups, rows};
use hcube_results::numbers::{bytes, percent, significant, whole_bytes};
use hcube_results::panels::{self, figure as broadcasts};
use hcube_results::plot::Evidence::Measured;
use hcube_results::stream::{self, figure as loops};

/// Figures of merit of the official HPCC.
pub fn figures(inputs: &Inputs) -> &[Compared] {
    inputs.run.as_ref().map_or(&[], |hpcc| &hpcc.figures)
}

/// The runs of transforms.
pub fn fft_runs(inputs: &Inputs) -> &[fft::Run] {
    inputs.fft.as_ref().map_or(&[], |results| &results.runs)
}

/// The runs of STREAM.
pub fn stream_runs(inputs: &Inputs) -> &[stream::Run] {
    inputs.stream.as_ref().map_or(&[], |results| &results.runs)
}

/// The runs of broadcasts of panels.
pub fn panel_runs(inputs: &Inputs) -> &[panels::Run] {
    inputs.panels.as_ref().map_or(&[], |results| &results.runs)
}

/// A ratio in a cell.
fn times(ratio: Option<f64>) -> String {
    cell(ratio, |ratio| format!("×{ratio:.2}"))
}

/// Columns: those that name the subject, and those that were measured.
fn columns(subject: &[&str], measured: &[&str]) -> Vec<(String, Option<hcube_results::plot::Evidence>)> {
    let named = subject.iter().map(|&title| (title.to_owned(), None));
    named.chain(measured.iter().map(|&title| (title.to_owned(), Some(Measured)))).collect()
}

/// Figures of merit as shipped and with hcube.
pub fn hpcc(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "hpcc",
        "The official HPCC",
        "Figures of merit of HPCC 1.5.0 with hcube over those of HPCC as shipped, in alternating runs: right of 1 hcube is \
         faster. Rows that hcube does not replace are the control.",
    );
    let all = figures(inputs);
    if let Some(n) = inputs.run.as_ref().and_then(|hpcc| hpcc.n) {
        section.say(&format!("HPL's matrix has order {n}, from which HPCC derives the other sizes."));
    }
    section.chart(speed_ups(all, Some("hpcc")));
    for sentence in control::sentences(all) {
        section.say(&sentence);
    }
    let rows = rows(all);
    let titles: Vec<&str> = rows.first().into_iter().flatten().map(|(title, _)| *title).collect();
    let mut table = Table::new(
        "Figures of merit, medians",
        columns(&titles[..titles.len().min(2)], titles.get(2..).unwrap_or(&[])),
    );
    for row in rows {
        table.row(row.into_iter().map(|(_, text)| text));
    }
    section.table(table);
    section.lacks(all.is_empty(), "figures of merit of the official HPCC, measured", Source::Run);
    section
}

/// Fourier transforms beside FFTW's.
pub fn fft(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "fft",
        "Fourier transforms",
        "Rate of the transform of a vector that is distributed over the ranks, by hcube and by FFTW's MPI library with plans of \
         FFTW_ESTIMATE and FFTW_MEASURE, in natural order before and after; 5 n log2 n operations.",
    );
    let runs = fft_runs(inputs);
    for (number, place) in transforms::places(runs).into_iter().enumerate() {
        section.chart(transforms::rates(runs, place, (number == 0).then_some("fft")));
    }
    let measured = ["ms", "GFLOP/s", "spread", "over FFTW", "extra memory of a rank"];
    let subject = ["ranks", "length", "place", "algorithm"];
    let mut table = Table::new("Times and rates, and memory beside the vector", columns(&subject, &measured));
    for run in runs {
        table.row([
            run.subject.place.ranks(),
            length_name(run.subject.length),
            if run.subject.out_of_place { "out of place" } else { "in place" }.to_owned(),
            run.algorithm.clone(),
            significant(1e-3 * run.timing.median_us),
            significant(run.gflop_s),
            percent(run.timing.spread),
            times(run.over_fftw),
            cell(run.extra_bytes, |count| bytes(count as f64)),
        ]);
    }
    section.table(table);
    section.lacks(runs.is_empty(), "Fourier transforms, measured", Source::BenchFft);
    section
}

/// STREAM beside plain loops.
pub fn stream(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "stream",
        "STREAM",
        "Rate of a rank that runs a kernel of STREAM on vectors of its own, alone or at the same time as all others: hcube with \
         the stores that its trial has selected, both kinds of stores, and plain loops in C compiled with -O3. memcpy is a \
         bound for copy, not a competitor.",
    );
    let runs = stream_runs(inputs);
    for (number, place) in loops::places(runs).into_iter().enumerate() {
        let file = |name| (number == 0).then_some(name);
        section.chart(loops::kernels(runs, place, file("stream")));
        section.chart(loops::over_sizes(runs, place, file("stream-sizes")));
    }
    let subject = ["ranks", "kernel", "vector", "variant"];
    let measured = ["GB/s", "spread", "over plain C", "stores"];
    let mut table = Table::new("Rates of a rank", columns(&subject, &measured));
    for run in runs {
        table.row([
            run.subject.running.to_string(),
            run.subject.kernel.clone(),
            whole_bytes(run.subject.bytes),
            run.variant.clone(),
            significant(run.gb_s),
            percent(run.timing.spread),
            times(run.over_plain),
            cell(run.stores.clone(), |stores| stores),
        ]);
    }
    section.table(table);
    section.lacks(runs.is_empty(), "STREAM, measured", Source::BenchStream);
    section
}

/// Broadcasts of panels.
pub fn panels(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "panels",
        "Broadcasts of panels",
        "Time of a panel on the slowest rank, as in a row of HPL's process grid with a look-ahead of one panel: its root writes \
         it, all ranks compute for the given time, and read it.",
    );
    let runs = panel_runs(inputs);
    for (number, setting) in broadcasts::settings(runs).into_iter().enumerate() {
        section.chart(broadcasts::times(runs, setting, (number == 0).then_some("panels")));
    }
    let subject = ["ranks", "panel", "work, µs", "variant"];
    let mut table = Table::new("Times of a panel", columns(&subject, &["µs", "spread", "speed-up of hcube"]));
    for run in runs {
        table.row([
            run.subject.place.ranks(),
            whole_bytes(run.subject.bytes),
            run.subject.work_us.to_string(),
            run.variant.clone(),
            significant(run.timing.median_us),
            percent(run.timing.spread),
            times(run.hcube_speedup),
        ]);
    }
    section.table(table);
    section.lacks(runs.is_empty(), "broadcasts of panels, measured", Source::BenchPanels);
    section
}
