//! `hcube probe`: the figures of this machine, which all predictions read from one file.
//!
//! | part of the file | measured by | what |
//! |---|---|---|
//! | all except `bsp` | `hcube probe` | parts of RandomAccess separately (generating, dividing, copying, updates without communication, messages of a pair of ranks), then whole rounds with many look-aheads |
//! | `bsp` | `hcube bsp probe` | [`supersteps`] |
//!
//! One set of figures is fitted to the parts and to the rounds, so that the model agrees with whole runs and
//! not only with parts; the file says how well.

mod fit;
pub mod links;
pub mod local;
mod rounds;
pub mod supersteps;

use crate::bench::random_access::{DEFAULT_TABLE_SIZE, MAX_TABLE_SIZE, UpdateBench};
use crate::choices::number;
use crate::machine::{self, CALIBRATED, DEFAULT_FILE, parameters};
use crate::output::{self, ForceOption};
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use fit::{Quantity, Sample};
use hcube_core::comm::Comm;
use hcube_core::machine::Parameters;
use hcube_core::mpi::handle::library_version;
use hcube_core::node::processor;
use hcube_random_access::Options;
use hcube_results::machine::{Costs, Fit, Link, Machine};
use hcube_results::numbers;
use hcube_results::table::Table;
use links::Pairs;
use std::path::PathBuf;

/// What all parts of a probe have.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub force: ForceOption,
    /// The machine file to write
    #[arg(value_name = "FILE", default_value = DEFAULT_FILE)]
    pub file: PathBuf,
}

/// Measures this machine for the predictions of `hcube model` (run it under mpirun)
///
/// Measures local work, messages, and rounds of RandomAccess of many lengths on the ranks of the job, fits
/// the cost model to them and writes its parameters to a file. Use at most as many ranks as cores.
///
/// Example: mpirun -np 2 hcube probe && hcube model --ranks 1,2,64
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    pub table: TableArguments,
    #[command(flatten)]
    pub target: Target,
}

/// The table of RandomAccess.
#[derive(Debug, clap::Args)]
pub struct TableArguments {
    /// Words of the whole table of RandomAccess, as a power of two; a word has 8 bytes
    #[arg(long, value_name = "LOG2", default_value_t = DEFAULT_TABLE_SIZE,
          value_parser = number::<u32>(0..=MAX_TABLE_SIZE))]
    pub table_size: u32,
    /// Leave the table on 4 KiB pages
    #[arg(long)]
    pub no_huge_pages: bool,
}

/// Collective: measures, fits, prints, writes.
pub fn run(session: &Session, arguments: &Arguments) -> Result<Verdict, Failure> {
    let Arguments { table, target: Target { no_progress, file, .. } } = arguments;
    session.checked(|| output::check("FILE", file, &output::MACHINE))?;
    let Measured { machine, samples, errors } = measured(session, table, !no_progress)?;
    let verdict = if errors > 0 { Verdict::Wrong } else { Verdict::Good };
    Ok(session.conclude(verdict, || {
        print!("{}", text(&machine, &samples, errors));
        if let Some(warning) = machine.fit.as_ref().and_then(Fit::warning) {
            warn(&warning);
        }
        // Figures of supersteps stay, unless the file cannot be read.
        let former = machine::former(file).ok().flatten();
        machine::write("FILE", file, &Machine { bsp: former.and_then(|former| former.bsp), ..machine })?;
        println!("written to {}; hcube model --machine {0} predicts with it", file.display());
        Ok(verdict)
    }))
}

/// The figures, and what they follow from.
struct Measured {
    machine: Machine,
    samples: Vec<Sample>,
    /// Words that verification has found wrong.
    errors: u64,
}

/// Collective: measures and fits.
fn measured(session: &Session, table: &TableArguments, shows_progress: bool) -> Result<Measured, Failure> {
    let failure = |error: hcube_core::Error| error.to_string();
    let comm = &session.comm;
    let nodes = comm.node_numbers().map_err(failure)?;
    let oversubscribed = processor::crowded(comm, &nodes).map_err(failure)?;
    if session.speaks() && oversubscribed {
        warn(&oversubscription_warning(&library_version()));
    }
    let mut progress = Progress::new("probe", session.speaks() && shows_progress);
    let (pairs, mut bench) =
        (Pairs::new(&nodes), UpdateBench::new(session, table.table_size, 0).map_err(failure)?);
    if !table.no_huge_pages && Options::from_environment().is_ok_and(|options| options.huge_pages) {
        bench.use_huge_pages().map_err(failure)?;
    }
    let (samples, errors) = measure(comm, &nodes, &pairs, &mut bench, &mut progress).map_err(failure)?;
    let entry = local::entry(comm, local::BYTES).map_err(failure)?;
    progress.finish();
    let fitted = pairs.complete(fit::fit(&samples));
    let place = format!("{}, table of 2^{} words", session::shape(&bench.node_sizes), table.table_size);
    let machine = machine(&fitted, &samples, entry, (&place, oversubscribed), &pairs);
    Ok(Measured { machine, samples, errors })
}

/// Collective: all samples, and how many words verification has found wrong.
fn measure(
    comm: &impl Comm,
    nodes: &[u32],
    pairs: &Pairs,
    bench: &mut UpdateBench,
    progress: &mut Progress,
) -> hcube_core::Result<(Vec<Sample>, u64)> {
    let cases = rounds::cases(comm, nodes);
    progress.begin(local::STEPS + pairs.steps() + rounds::steps(&cases));
    let mut samples = local::measure(comm, bench, progress)?;
    samples.extend(links::measure(comm, pairs, progress)?);
    let (whole, errors) = rounds::measure(comm, bench, &cases, progress)?;
    samples.extend(whole);
    Ok((samples, errors))
}

fn warn(warning: &str) {
    eprintln!("hcube probe: warning: {warning}");
}

/// What to expect of an oversubscribed node, by the version of the MPI library.
fn oversubscription_warning(library: &str) -> String {
    let mut text = "oversubscribed: waiting for a core is part of all figures, and predictions hold only \
                    for as many ranks per node"
        .to_owned();
    if library.starts_with("MPICH") {
        text.push_str(
            "; MPICH's ranks busy-wait and never yield, so a message may take milliseconds, as long as a time slice \
             of the scheduler: expect a bad fit and predictions that mean little, and use at most as many ranks \
             as cores",
        );
    }
    text
}

/// Processors that the node has online. What this process may use is less where a launcher binds.
pub fn cores() -> usize {
    let list = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    count(&list).unwrap_or_else(processor::cores)
}

/// How many numbers a list such as `0-3,8` has.
fn count(list: &str) -> Option<usize> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some((last + 1).saturating_sub(first))
    };
    list.trim().split(',').map(range).sum()
}

/// The file's contents.
fn machine(
    parameters: &Parameters,
    samples: &[Sample],
    entry: f64,
    (place, oversubscribed): (&str, bool),
    pairs: &Pairs,
) -> Machine {
    let link = |link: &hcube_core::machine::Link| Link {
        latency_us: 1e6 * link.latency,
        hop_latency_us: 0.0,
        bandwidth_gb_s: 1e-9 * link.bandwidth,
    };
    let mut sources = vec![
        format!("Measured by hcube probe: {place}."),
        format!(
            "All figures were fitted together to {} measurements, each the shortest of several: local work, messages, and rounds of RandomAccess. Large errors count linearly and small errors as squares, of logarithms; local work has a weight of {}.",
            samples.len(),
            fit::LOCAL
        ),
    ];
    sources.extend(pairs.sources());
    if oversubscribed {
        sources.push("Oversubscribed: waiting for a core is part of the figures.".to_owned());
    }
    let errors: Vec<f64> = samples.iter().map(|sample| 100.0 * sample.error(parameters).abs()).collect();
    Machine {
        name: CALIBRATED.to_owned(),
        title: format!("machine as measured ({place})"),
        sources,
        topology: None,
        cores: cores(),
        network: link(&parameters.network),
        network_assumed: pairs.within_a_node(),
        node: link(&parameters.node),
        costs: Costs {
            generate_ns: 1e9 * parameters.generate,
            update_ns: 1e9 * parameters.update,
            divide_ns: 1e9 * parameters.divide,
            copy_ns: 1e9 * parameters.copy,
            entry_ns: 1e9 * entry,
            ..Costs::default()
        },
        fit: Some(Fit {
            largest_error_percent: errors.iter().copied().fold(0.0, f64::max),
            mean_error_percent: errors.iter().sum::<f64>() / errors.len() as f64,
            samples: errors.len(),
        }),
        bsp: None,
        messages: None,
    }
}

/// Measured and fitted side by side, and the figures.
fn text(machine: &Machine, samples: &[Sample], errors: u64) -> String {
    let parameters = parameters(machine);
    let mut table =
        Table::new(["measurement", "measured", "model", "error", "GUP/s measured", "GUP/s model"]);
    for sample in samples {
        let model = sample.quantity.seconds(&parameters);
        let rate = |seconds: f64| match &sample.quantity {
            Quantity::Round { updates, .. } => numbers::significant(numbers::gups(*updates, seconds)),
            _ => "-".to_owned(),
        };
        table.row([
            sample.name.clone(),
            small_time(sample.seconds),
            small_time(model),
            format!("{:.1}%", 100.0 * sample.error(&parameters).abs()),
            rate(sample.seconds),
            rate(model),
        ]);
    }
    let Machine { network, network_assumed, node, costs, .. } = machine;
    let link = |link: &Link| {
        let (latency, bandwidth) =
            (numbers::significant(link.latency_us), numbers::significant(link.bandwidth_gb_s));
        format!("{latency} us, {bandwidth} GB/s")
    };
    let Costs { generate_ns, update_ns, divide_ns, copy_ns, entry_ns, .. } = *costs;
    let [generate, update, divide, copy, entry] =
        [generate_ns, update_ns, divide_ns, copy_ns, entry_ns].map(numbers::significant);
    let fit = machine.fit.as_ref().map(Fit::line).unwrap_or_default();
    let verified = if errors == 0 {
        "verified: 0 errors".to_owned()
    } else {
        format!("VERIFICATION FAILED: {errors} errors")
    };
    format!(
        "hcube {} probe: {}\n\n{}\nfitted: between nodes {}; inside a node {}\nfitted: generate {generate} ns, update {update} ns, \
         divide {divide} ns per value; copy {copy} ns per byte\nmeasured: {entry} ns per entry of the matrix of a longest common subsequence of bytes\n{fit}\n{verified}\n",
        env!("CARGO_PKG_VERSION"),
        machine.title,
        table.render(),
        if *network_assumed { "not measured, assumed as inside a node".to_owned() } else { link(network) },
        link(node),
    )
}

/// A time that may be far below a microsecond.
fn small_time(seconds: f64) -> String {
    if seconds < 1e-6 {
        format!("{} ns", numbers::significant(1e9 * seconds))
    } else {
        numbers::time(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted() {
        assert_eq!(["0-3,8\n", "0", "2-2,5-6"].map(count), [Some(5), Some(1), Some(3)]);
        assert_eq!(["", "x", "0-"].map(count), [None; 3]);
    }

    #[test]
    fn the_warning_depends_on_the_library() {
        let [mpich, open] = ["MPICH Version:\t4.0.2", "Open MPI v4.1.4"].map(oversubscription_warning);
        assert!(
            mpich.starts_with(&open) && mpich.contains("milliseconds") && open.ends_with("per node"),
            "{mpich}"
        );
    }
}
