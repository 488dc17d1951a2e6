//! Which results make which lines of a plot.

use super::arguments::{Arguments, Over};
use super::report::Run;
use crate::numbers;

/// A plot: panels with the same lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Above all panels.
    pub title: String,
    /// What lies along the x axes.
    pub over: Over,
    /// Names of the lines.
    pub names: Vec<String>,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// One pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What the results in it have in common.
    pub title: String,
    /// For each name, points of ranks or bytes and seconds; none where there are no results.
    pub lines: Vec<Vec<(f64, f64)>>,
}

/// All values of a key, each once, in ascending order.
fn distinct(runs: &[&Run], key: impl Fn(&Run) -> usize) -> Vec<usize> {
    let mut values: Vec<usize> = runs.iter().map(|run| key(run)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The name of each run's line: the algorithm, and its additional memory where that varies.
fn names(runs: &[&Run]) -> Vec<String> {
    let name = |run: &&Run| {
        let swept =
            |other: &&Run| other.algorithm == run.algorithm && other.memory_name() != run.memory_name();
        match run.memory_name() {
            Some(memory) if runs.iter().any(swept) => format!("{}, {memory}", run.algorithm),
            _ => run.algorithm.clone(),
        }
    };
    runs.iter().map(name).collect()
}

/// The points of a line: medians where the same was measured several times.
fn points<'a>(runs: impl Iterator<Item = &'a Run> + Clone, x: impl Fn(&Run) -> usize) -> Vec<(f64, f64)> {
    let places = distinct(&runs.clone().collect::<Vec<_>>(), &x);
    let point = |place: usize| {
        let medians: Vec<f64> = runs.clone().filter(|run| x(run) == place).map(|run| run.median_us).collect();
        (place as f64, 1e-6 * numbers::median(&medians))
    };
    places.into_iter().map(point).collect()
}

/// The machine, as far as the results tell.
fn machine(runs: &[&Run]) -> String {
    let (nodes, cores) = (distinct(runs, |run| run.nodes), distinct(runs, |run| run.cores));
    match (nodes.last(), cores.last()) {
        (Some(&nodes), Some(&cores)) if nodes > 0 && cores > 0 => {
            let plural = if nodes == 1 { "node" } else { "nodes" };
            format!(", {nodes} {plural} of {cores} cores")
        }
        _ => String::new(),
    }
}

impl Figure {
    /// From the results of one MPI library, the first there is; nothing where there are no results.
    pub fn new(arguments: &Arguments, runs: &[Run]) -> Option<Self> {
        let mpi = &runs.first()?.mpi;
        // One rank alone exchanges nothing, in far less time than the others take.
        let alone = runs.iter().all(|run| run.ranks == 1);
        let runs: Vec<&Run> = runs.iter().filter(|run| &run.mpi == mpi && (alone || run.ranks > 1)).collect();
        let (ranks, sizes) = (distinct(&runs, |run| run.ranks), distinct(&runs, |run| run.bytes_per_rank));
        let over = arguments.over.unwrap_or(if ranks.len() > 1 { Over::Ranks } else { Over::Sizes });
        let of_each = names(&runs);
        let mut names: Vec<String> = Vec::new();
        for name in &of_each {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let panel = |value: usize| {
            let belongs = move |run: &Run| match over {
                Over::Ranks => run.bytes_per_rank == value,
                Over::Sizes => run.ranks == value,
            };
            let line = |name: &String| {
                let own = runs.iter().zip(&of_each).filter(move |(run, own)| belongs(run) && *own == name);
                points(own.map(|(run, _)| *run), |run| match over {
                    Over::Ranks => run.ranks,
                    Over::Sizes => run.bytes_per_rank,
                })
            };
            let title = match over {
                Over::Ranks => format!("{} per rank", numbers::whole_bytes(value)),
                Over::Sizes => format!("{value} rank{}", if value == 1 { "" } else { "s" }),
            };
            Panel { title, lines: names.iter().map(line).collect() }
        };
        let values = if over == Over::Ranks { sizes } else { ranks };
        let panels = values.into_iter().map(panel).collect();
        let title = format!("All-to-all exchange, {mpi}{}", machine(&runs));
        Some(Self { title, over, names, panels })
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::run;
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn one_rank_is_drawn_where_there_is_nothing_else() {
        let figure = figure("", &[run(1, 64, "auto", 1.0)]);
        assert_eq!((figure.panels.len(), figure.panels[0].title.as_str()), (1, "1 rank"));
    }

    fn figure(line: &str, runs: &[Run]) -> Figure {
        let line = std::iter::once("alltoall").chain(line.split_whitespace());
        Figure::new(&Line::try_parse_from(line).expect("valid").arguments, runs).expect("there are results")
    }

    #[test]
    fn ranks_are_the_axis_where_they_vary() {
        let runs = [
            run(4, 1 << 16, "auto", 40.0),
            run(2, 1 << 16, "auto", 20.0),
            run(2, 1 << 16, "auto", 30.0),
            run(2, 1 << 20, "library-in-place", 300.0),
            run(1, 1 << 20, "auto", 0.1),
        ];
        let figure = figure("", &runs);
        assert_eq!((figure.over, figure.panels.len()), (Over::Ranks, 2));
        assert_eq!(figure.names, ["auto", "library-in-place"]);
        assert_eq!(figure.panels[0].title, "64 KiB per rank");
        let line = &figure.panels[0].lines[0];
        let rounded: Vec<(f64, f64)> = line.iter().map(|&(x, y)| (x, (1e6 * y).round())).collect();
        assert_eq!(rounded, [(2.0, 25.0), (4.0, 40.0)]);
        assert!(figure.panels[0].lines[1].is_empty() && figure.panels[1].lines[0].is_empty());
    }

    #[test]
    fn memory_is_named_where_it_varies() {
        let mut runs = vec![run(2, 1 << 16, "shared", 1.0); 3];
        (runs[0].memory, runs[1].memory, runs[2].memory) = (Some(0), Some(65536), Some(70000));
        runs[2].everything = true;
        runs.push(run(2, 1 << 20, "auto", 1.0));
        (runs[0].nodes, runs[0].cores) = (1, 2);
        let figure = figure("--over sizes --plot a", &runs);
        assert_eq!(figure.names, ["shared, 0 B", "shared, 64 KiB", "shared, all", "auto"]);
        assert_eq!((figure.over, figure.panels[0].title.as_str()), (Over::Sizes, "2 ranks"));
        assert!(figure.title.ends_with("Some MPI 1.0, 1 node of 2 cores"), "{}", figure.title);
    }
}
