//! The official HPCC, and the benchmarks of its kernels: Fourier transforms, STREAM, broadcasts of panels.

use super::section::Section;
use super::sources::{BENCH, Inputs, RUN, runs};
use super::table::{Table, cell, times};
use hcube_results::fft::figure as transforms;
use hcube_results::hpcc::{Compared, control, figure::speed_ups, rows};
use hcube_results::numbers::length_name;
use hcube_results::numbers::{bytes, percent, significant, whole_bytes};
use hcube_results::panels::figure as broadcasts;
use hcube_results::plot::Evidence::Measured;
use hcube_results::stream::figure as loops;
use hcube_results::table::SPEED_UP;

/// Figures of merit of the official HPCC.
pub fn figures(inputs: &Inputs) -> &[Compared] {
    inputs.run.as_ref().map_or(&[], |hpcc| &hpcc.figures)
}

/// Figures of merit as shipped and with hcube.
pub fn hpcc(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "hpcc",
        "The official HPCC",
        "Figures of merit of HPCC 1.5.0 with hcube over HPCC as shipped, in alternating runs: right of 1 hcube is \
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
    let titles = rows.first().into_iter().flatten().map(|(title, _)| *title);
    // The first two name the subject.
    let columns = titles.enumerate().map(|(place, title)| (title, (place >= 2).then_some(Measured)));
    let mut table = Table::new("Figures of merit, medians", columns);
    for row in &rows {
        table.row(row.iter().map(|(_, text)| text.clone()));
    }
    section.table(table);
    section.lacks(all.is_empty(), "figures of merit of the official HPCC, measured", RUN);
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
    let runs = runs(&inputs.fft);
    for (number, place) in transforms::places(runs).into_iter().enumerate() {
        section.chart(transforms::rates(runs, place, (number == 0).then_some("fft")));
    }
    section.table(Table::of(
        "Times and rates, and memory beside the vector",
        runs,
        &[
            ("ranks", None, &|run| run.subject.place.ranks()),
            ("length", None, &|run| length_name(run.subject.length)),
            ("place", None, &|run| {
                if run.subject.out_of_place { "out of place" } else { "in place" }.to_owned()
            }),
            ("algorithm", None, &|run| run.algorithm.clone()),
            ("ms", Some(Measured), &|run| significant(1e-3 * run.timing.median_us)),
            ("GFLOP/s", Some(Measured), &|run| significant(run.gflop_s)),
            ("spread", Some(Measured), &|run| percent(run.timing.spread)),
            ("speed-up over FFTW", Some(Measured), &|run| times(run.over_fftw)),
            ("extra memory of a rank", Some(Measured), &|run| {
                cell(run.extra_bytes, |count| bytes(count as f64))
            }),
        ],
    ));
    section.lacks(runs.is_empty(), "Fourier transforms, measured", BENCH);
    section
}

/// STREAM beside plain loops.
pub fn stream(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "stream",
        "STREAM",
        "Rate of a rank that runs a kernel of STREAM on vectors of its own, by itself or at the same time as all others: hcube with \
         the stores that its trial has selected, both kinds of stores, and plain loops in C compiled with -O3. memcpy is a \
         bound for copy, not a competitor.",
    );
    let runs = runs(&inputs.stream);
    for (number, place) in loops::places(runs).into_iter().enumerate() {
        let file = |name| (number == 0).then_some(name);
        section.chart(loops::kernels(runs, place, file("stream")));
        section.chart(loops::over_sizes(runs, place, file("stream-sizes")));
    }
    section.table(Table::of(
        "Rates of a rank",
        runs,
        &[
            ("ranks", None, &|run| run.subject.running.to_string()),
            ("kernel", None, &|run| run.subject.kernel.clone()),
            ("vector", None, &|run| whole_bytes(run.subject.bytes)),
            ("variant", None, &|run| run.variant.clone()),
            ("GB/s", Some(Measured), &|run| significant(run.gb_s)),
            ("spread", Some(Measured), &|run| percent(run.timing.spread)),
            ("speed-up over plain C", Some(Measured), &|run| times(run.over_plain)),
            ("stores", Some(Measured), &|run| cell(run.stores.clone(), |stores| stores)),
        ],
    ));
    section.lacks(runs.is_empty(), "STREAM, measured", BENCH);
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
    let runs = runs(&inputs.panels);
    for (number, setting) in broadcasts::settings(runs).into_iter().enumerate() {
        section.chart(broadcasts::times(runs, setting, (number == 0).then_some("panels")));
    }
    section.table(Table::of(
        "Times of a panel",
        runs,
        &[
            ("ranks", None, &|run| run.subject.place.ranks()),
            ("panel", None, &|run| whole_bytes(run.subject.bytes)),
            ("work, µs", None, &|run| run.subject.work_us.to_string()),
            ("variant", None, &|run| run.variant.clone()),
            ("µs", Some(Measured), &|run| significant(run.timing.median_us)),
            ("spread", Some(Measured), &|run| percent(run.timing.spread)),
            (SPEED_UP, Some(Measured), &|run| times(run.hcube_speedup)),
        ],
    ));
    section.lacks(runs.is_empty(), "broadcasts of panels, measured", BENCH);
    section
}
