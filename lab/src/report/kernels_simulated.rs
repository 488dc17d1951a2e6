//! HPCC's kernels on simulated machines: Fourier transforms, and LU factorisations by their broadcasts of
//! panels.

use super::section::Section;
use super::shared::{distinct, machine_title};
use super::simulated::{lines, rows, table};
use super::sources::{Inputs, SIMULATE};
use crate::simulate::columns::Line;
use crate::simulate::fft::{self, in_words};
use crate::simulate::hpl::{self, Factorisation, Panels};
use hcube_results::factorisation::gflops;
use hcube_results::plot::Evidence::Published;
use hcube_results::plot::{Axis, Chart, Format, Scale, Series, looks};
use hcube_results::published::{COARRAY_FFT, COARRAY_MACHINE};

/// A rate of a kernel on a machine.
struct Rate<'a> {
    machine: &'a str,
    ranks: usize,
    /// Algorithm or broadcast, in words.
    by: &'a str,
    gflops: f64,
}

/// The factorisations for which all places were simulated, with the row of their first.
fn factorisations<'a>(panels: &'a [&'a Panels]) -> Vec<(&'a Panels, Factorisation)> {
    let whole = |line: Line<'a, Panels>| Some((line.row, Factorisation::of(&line)?));
    hpl::LAYOUT.lines(panels).into_iter().filter_map(whole).collect()
}

/// Errors of all simulated factorisations.
pub fn errors(inputs: &Inputs) -> Vec<u64> {
    factorisations(&rows(inputs, |all| &all.hpl)).iter().map(|(_, one)| one.errors).collect()
}

/// A kernel of Jin et al. 2011.
struct Kernel {
    title: &'static str,
    /// Of its chart.
    file: &'static str,
    /// Ranks and GFLOP/s, and the section of Jin et al. 2011 that states them; `None` where the machine is
    /// fitted to the figure.
    published: Option<(usize, f64, &'static str)>,
}

const FFT: Kernel = Kernel {
    title: "Fourier transforms by the number of ranks",
    file: "fft-simulated",
    published: Some((COARRAY_FFT.0, COARRAY_FFT.1, "section I")),
};

const HPL: Kernel = Kernel { title: "HPL by the number of ranks", file: "hpl-simulated", published: None };

/// A line for each machine and algorithm, and the published point.
fn chart(inputs: &Inputs, kernel: &Kernel, rates: &[Rate<'_>]) -> Chart {
    let settings = distinct(rates.iter().map(|rate| (rate.machine, rate.by)));
    let all: Vec<&Rate<'_>> = rates.iter().collect();
    let mut series = lines(
        &all,
        &settings,
        |rate| (rate.machine, rate.by),
        |(machine, by)| format!("{by}, {}", machine_title(inputs, machine)),
        |rate| (rate.ranks as f64, rate.gflops),
    );
    let of_paper = kernel.published.filter(|_| rates.iter().any(|rate| rate.machine == COARRAY_MACHINE));
    if let Some((ranks, published, source)) = of_paper {
        let name = format!("Coarray Fortran 2.0 on Franklin ({source})");
        series.push(Series::new(name, Published, looks::PAPER, [(ranks as f64, published)]));
    }
    Chart::new(
        kernel.title.to_owned(),
        Axis::new("ranks", Scale::Log2, Format::Plain),
        Axis::new("GFLOP/s, higher is better", Scale::Log10, Format::Plain),
        series,
    )
    .named(Some(kernel.file))
}

/// Fourier transforms.
pub fn fft(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "fft-machines",
        "Fourier transforms on large machines",
        "Rate of the transform of a vector with 2^24 complex numbers on each rank, on models of machines. The simulated vector is \
         shorter by a factor that the bandwidth of the machine is divided by. The length of the published transform is not \
         published.",
    );
    let all = rows(inputs, |all| &all.fft);
    let rates: Vec<Rate<'_>> = all
        .iter()
        .map(|row| {
            let (machine, by) = (row.site.machine.as_str(), in_words(&row.algorithm));
            Rate { machine, ranks: row.site.ranks, by, gflops: row.gflops }
        })
        .collect();
    section.chart(chart(inputs, &FFT, &rates));
    section.table(table(inputs, "Times and rates of transforms", &fft::LAYOUT, &all, 0));
    section.lacks(all.is_empty(), "Fourier transforms on large machines, simulated", SIMULATE);
    section
}

/// LU factorisations.
pub fn hpl(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "hpl-machines",
        "HPL on large machines",
        "Rate of a factorisation by HPL's algorithm with hcube's broadcasts of panels, on models of machines. Panels at five places \
         of the factorisation are simulated, and the whole is the integral over them. The bound is the rate if panels took no time \
         to travel. The rate of local products of Franklin is fitted to the rate that Jin et al. 2011 have published for 4096 \
         cores: its rates here are no prediction and have no published one beside them; the share of the bound is predicted.",
    );
    let panels = rows(inputs, |all| &all.hpl);
    let all = factorisations(&panels);
    let rates: Vec<Rate<'_>> = all
        .iter()
        .map(|(row, one)| {
            let (machine, by) = (row.site.machine.as_str(), row.topology.as_str());
            Rate { machine, ranks: row.site.ranks, by, gflops: gflops(row.order, one.seconds) }
        })
        .collect();
    section.chart(chart(inputs, &HPL, &rates));
    section.table(table(inputs, "Times and rates of factorisations", &hpl::LAYOUT, &panels, 0));
    section.lacks(all.is_empty(), "HPL on large machines, simulated", SIMULATE);
    section
}
