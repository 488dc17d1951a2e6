//! `hcube gups --calibrate`: the figures of the machine at hand for the cost model.
//!
//! Parts are measured alone (generating, dividing, copying, updates without communication, messages of a
//! pair of ranks), then whole rounds of RandomAccess with many look-aheads. One set of figures is fitted to
//! all of them, so that the model agrees with runs and not with parts alone, and the file says how well.

mod fit;
mod links;
mod local;
mod rounds;

use super::arguments::Arguments;
use super::bench::Bench;
use crate::machine::{Costs, Fit, Link, Machine};
use crate::model::{fit_line, fit_warning, parameters};
use crate::numbers;
use crate::output;
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use crate::table::Table;
use fit::{Quantity, Sample};
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::Parameters;
use hcube_core::mpi::handle::library_version;
use hcube_core::node::processor;
use links::Pairs;
use std::path::Path;

/// The option's name.
const OPTION: &str = "--calibrate";

/// Collective: measures, fits, prints, writes.
pub fn run(session: &Session, arguments: &Arguments, path: &Path) -> Result<Verdict, Failure> {
    let failure = |error: hcube_core::Error| error.to_string();
    let comm = &session.comm;
    let writable = if session.speaks() { output::check(OPTION, path) } else { Ok(()) };
    agree(comm, writable).map_err(failure)?;
    let nodes = comm.node_numbers().map_err(failure)?;
    let crowded = processor::crowded(comm, &nodes).map_err(failure)?;
    if session.speaks() && crowded {
        warn(&crowded_warning(&library_version()));
    }
    let mut bench = Bench::new(session, arguments).map_err(failure)?;
    let mut progress = Progress::new("gups", session.speaks() && !arguments.no_progress);
    let pairs = Pairs::new(&nodes);
    let cases = rounds::cases(comm, &nodes);
    progress.begin(local::STEPS + pairs.steps() + rounds::steps(&cases));
    let mut samples = local::measure(comm, &mut bench, &mut progress).map_err(failure)?;
    samples.extend(links::measure(comm, &pairs, &mut progress).map_err(failure)?);
    let (whole, errors) = rounds::measure(comm, &mut bench, &cases, &mut progress).map_err(failure)?;
    samples.extend(whole);
    progress.finish();
    let verdict = if errors > 0 { Verdict::Wrong } else { Verdict::Good };
    if !session.speaks() {
        return Ok(verdict);
    }
    let fitted = pairs.complete(fit::fit(&samples));
    let place = format!("{}, table of 2^{} words", session::shape(&bench.node_sizes), arguments.table_size);
    let machine = machine(&fitted, &samples, (&place, crowded), &pairs);
    print!("{}", text(&machine, &samples, errors));
    if let Some(warning) = machine.fit.as_ref().and_then(fit_warning) {
        warn(&warning);
    }
    // The other ranks do not know of it, so a file that cannot be written is told but not agreed on.
    let json = serde_json::to_string_pretty(&machine).map_err(|error| format!("JSON: {error}"));
    match json.and_then(|json| output::write(OPTION, path, &(json + "\n"))) {
        Ok(()) => {
            println!("written to {}; hcube model --machine {0} predicts with it", path.display());
            Ok(verdict)
        }
        Err(failure) => {
            eprintln!("hcube: {failure}");
            Ok(Verdict::Wrong)
        }
    }
}

fn warn(warning: &str) {
    eprintln!("hcube gups: warning: {warning}");
}

/// What to expect where ranks wait for cores, by the version of the MPI library.
fn crowded_warning(library: &str) -> String {
    let mut text =
        "more ranks than cores: waiting for a core is part of all figures, and predictions hold for as \
                    many ranks per node"
            .to_owned();
    if library.starts_with("MPICH") {
        text.push_str(
            "; MPICH's ranks do not give their core away while they wait, so a message may last milliseconds, as long \
             as the scheduler leaves the core to another rank: expect a fit so bad that predictions mean little, and \
             use at most as many ranks as cores",
        );
    }
    text
}

/// Processors that the node has online. What this process may use is less where a launcher binds.
fn cores() -> usize {
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
    (place, crowded): (&str, bool),
    pairs: &Pairs,
) -> Machine {
    let link = |link: &hcube_core::machine::Link| Link {
        latency_us: 1e6 * link.latency,
        hop_latency_us: 0.0,
        bandwidth_gb_s: 1e-9 * link.bandwidth,
    };
    let mut sources = vec![
        format!("Measured by hcube gups --calibrate: {place}."),
        format!(
            "All figures were fitted together to {} measurements, each the shortest of several: local work, messages, and rounds of RandomAccess. Large errors count in proportion and small ones as squares, of logarithms; local work has a weight of {}.",
            samples.len(),
            fit::LOCAL
        ),
    ];
    sources.extend(pairs.sources());
    if crowded {
        sources.push("More ranks than cores: waiting for a core is part of the figures.".to_owned());
    }
    let errors: Vec<f64> = samples.iter().map(|sample| 100.0 * sample.error(parameters).abs()).collect();
    Machine {
        name: "calibrated".to_owned(),
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
        },
        fit: Some(Fit {
            largest_error_percent: errors.iter().copied().fold(0.0, f64::max),
            mean_error_percent: errors.iter().sum::<f64>() / errors.len() as f64,
            samples: errors.len(),
        }),
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
    let Costs { generate_ns, update_ns, divide_ns, copy_ns } = *costs;
    let [generate, update, divide, copy] =
        [generate_ns, update_ns, divide_ns, copy_ns].map(numbers::significant);
    let fit = machine.fit.as_ref().map(fit_line).unwrap_or_default();
    let verified = if errors == 0 {
        "verified: 0 errors".to_owned()
    } else {
        format!("VERIFICATION FAILED: {errors} errors")
    };
    format!(
        "hcube {} gups: {}\n\n{}\nfitted: between nodes {}; inside a node {}\nfitted: generate {generate} ns, update {update} ns, \
         divide {divide} ns per value; copy {copy} ns per byte\n{fit}\n{verified}\n",
        env!("CARGO_PKG_VERSION"),
        machine.title,
        table.render(),
        if *network_assumed { "not measured, taken as inside a node".to_owned() } else { link(network) },
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
    fn what_to_expect_depends_on_the_library() {
        let [mpich, open] = ["MPICH Version:\t4.0.2", "Open MPI v4.1.4"].map(crowded_warning);
        assert!(
            mpich.starts_with(&open) && mpich.contains("milliseconds") && open.ends_with("per node"),
            "{mpich}"
        );
    }
}
