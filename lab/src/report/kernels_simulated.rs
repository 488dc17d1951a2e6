//! HPCC's kernels on simulated machines: Fourier transforms, and LU factorisations by their broadcasts of panels.

use super::inputs::{Inputs, Panels, Source, Transform};
use super::section::Section;
use super::shared::{distinct, machine_title};
use super::table::{Table, cell};
use hcube_results::factorisation::{gflops, whole};
use hcube_results::numbers::{significant, time};
use hcube_results::plot::Evidence::{Published, Simulated};
use hcube_results::plot::{Axis, Chart, Scale, Series, looks, plain};
use hcube_results::published::{COARRAY_FFT, COARRAY_MACHINE};

/// A rate of a kernel on a machine.
struct Rate<'a> {
    machine: &'a str,
    ranks: usize,
    /// Algorithm or broadcast, in words.
    by: String,
    gflops: f64,
}

/// A whole factorisation.
struct Factorisation<'a> {
    first: &'a Panels,
    seconds: f64,
    /// The same if panels took no time to travel.
    bound_seconds: f64,
    errors: u64,
}

fn transforms(inputs: &Inputs) -> &[Transform] {
    inputs.simulated.as_ref().map_or(&[], |simulated| &simulated.fft)
}

/// The factorisations for which all places were simulated.
fn factorisations(inputs: &Inputs) -> Vec<Factorisation<'_>> {
    let panels: &[Panels] = inputs.simulated.as_ref().map_or(&[], |simulated| &simulated.hpl);
    let wholes = panels.chunk_by(|one, other| one.whole() == other.whole());
    wholes
        .filter_map(|places| {
            let first = places.first()?;
            let all = |of: fn(&Panels) -> f64| whole(first.order, &places.iter().map(of).collect::<Vec<_>>());
            Some(Factorisation {
                first,
                seconds: all(|row| row.seconds)?,
                bound_seconds: all(|row| row.bound_seconds)?,
                errors: places.iter().map(|row| row.errors).sum(),
            })
        })
        .collect()
}

/// Errors of all simulated transforms and panels.
pub fn errors(inputs: &Inputs) -> Vec<u64> {
    let transforms = transforms(inputs).iter().map(|row| row.errors);
    transforms.chain(factorisations(inputs).iter().map(|one| one.errors)).collect()
}

/// The name of an algorithm.
fn algorithm(name: &str) -> &str {
    match name {
        "six-step" => "six steps",
        "binary-exchange" => "binary exchange",
        other => other,
    }
}

/// A kernel of the paper.
struct Kernel {
    title: &'static str,
    /// Of its chart.
    file: &'static str,
    /// Ranks and GFLOP/s, and where the paper says so; none where the machine is fitted to the figure.
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
    let settings = distinct(rates.iter().map(|rate| (rate.machine, rate.by.as_str())));
    let line = |(number, &(machine, by)): (usize, &(&str, &str))| {
        let own = rates.iter().filter(|rate| (rate.machine, rate.by.as_str()) == (machine, by));
        let mut points: Vec<_> = own.map(|rate| (rate.ranks as f64, rate.gflops)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::new(
            format!("{by}, {}", machine_title(inputs, machine)),
            Simulated,
            looks::numbered(number),
            points,
        )
    };
    let mut series: Vec<Series> = settings.iter().enumerate().map(line).collect();
    let of_paper = kernel.published.filter(|_| rates.iter().any(|rate| rate.machine == COARRAY_MACHINE));
    if let Some((ranks, published, source)) = of_paper {
        let name = format!("Coarray Fortran 2.0 on Franklin ({source})");
        series.push(Series::new(name, Published, looks::PAPER, [(ranks as f64, published)]));
    }
    Chart {
        title: kernel.title.to_owned(),
        x: Axis::new("ranks", Scale::Log2, plain),
        y: Axis::new("GFLOP/s, higher is better", Scale::Log10, plain),
        series,
        reference: None,
        file: Some(kernel.file),
    }
}

/// The published rate of a transform beside a simulated one of the same machine and number of ranks.
fn beside(machine: &str, ranks: usize) -> Option<f64> {
    let (of, rate) = COARRAY_FFT;
    (machine == COARRAY_MACHINE && ranks == of).then_some(rate)
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
    let all = transforms(inputs);
    let rates: Vec<Rate<'_>> = all
        .iter()
        .map(|row| {
            let by = algorithm(&row.algorithm).to_owned();
            Rate { machine: &row.machine, ranks: row.ranks, by, gflops: row.gflops }
        })
        .collect();
    section.chart(chart(inputs, &FFT, &rates));
    let mut table = Table::new(
        "Times and rates of transforms",
        [
            ("machine", None),
            ("ranks", None),
            ("per node", None),
            ("algorithm", None),
            ("length", None),
            ("time", Some(Simulated)),
            ("exchanges", Some(Simulated)),
            ("GFLOP/s", Some(Simulated)),
            ("Jin et al. 2011", Some(Published)),
        ],
    );
    for row in all {
        table.row([
            machine_title(inputs, &row.machine).to_owned(),
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            algorithm(&row.algorithm).to_owned(),
            format!("2^{}", (row.ranks * row.part).ilog2()),
            time(row.seconds),
            time(row.exchange_seconds),
            significant(row.gflops),
            cell(beside(&row.machine, row.ranks), significant),
        ]);
    }
    section.table(table);
    section.lacks(all.is_empty(), "Fourier transforms on large machines, simulated", Source::Simulate);
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
    let all = factorisations(inputs);
    let rates: Vec<Rate<'_>> = all
        .iter()
        .map(|one| {
            let Panels { machine, ranks, topology, order, .. } = one.first;
            Rate { machine, ranks: *ranks, by: topology.clone(), gflops: gflops(*order, one.seconds) }
        })
        .collect();
    section.chart(chart(inputs, &HPL, &rates));
    let mut table = Table::new(
        "Times and rates of factorisations",
        [
            ("machine", None),
            ("grid", None),
            ("per node", None),
            ("order", None),
            ("broadcast", None),
            ("time", Some(Simulated)),
            ("GFLOP/s", Some(Simulated)),
            ("of bound", Some(Simulated)),
        ],
    );
    for one in &all {
        let row = one.first;
        table.row([
            machine_title(inputs, &row.machine).to_owned(),
            format!("{} x {}", row.rows, row.columns),
            row.ranks_per_node.to_string(),
            row.order.to_string(),
            row.topology.clone(),
            time(one.seconds),
            significant(gflops(row.order, one.seconds)),
            format!("{:.0} %", 100.0 * one.bound_seconds / one.seconds),
        ]);
    }
    section.table(table);
    section.lacks(all.is_empty(), "HPL on large machines, simulated", Source::Simulate);
    section
}
