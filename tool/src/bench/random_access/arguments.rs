//! The options of `hcube bench random-access`, and the cases that they select.

use crate::bench::job::Common;
use crate::choices::{help, help_and, number, one_of, value};
use crate::list::{List, NONE, numbers};
use clap::ValueEnum;
use hcube_random_access::{Mode, Optimisations, Options, StreamKind};

/// The steps of Table 3 of Plimpton et al. 2006 that concern the algorithm.
pub const LADDER: [&str; 5] = ["none", "1", "1,2", "1,2,3", "1,2,3,7"];

/// Which random values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Streams {
    /// HPCC's MPIRandomAccess
    Polynomial,
    /// HPCC's MPIRandomAccess_LCG
    Lcg,
    /// One after the other
    Both,
}

/// Measurements of each case without `--repeat`.
const REPEAT: u32 = 3;

/// Words of the whole table, as a power of two.
pub const DEFAULT_TABLE_SIZE: u32 = 24;
pub const MAX_TABLE_SIZE: u32 = 40;

/// The stand-alone RandomAccess benchmark (run it under mpirun)
///
/// Updates random words of a table that is distributed over all ranks and reports billions of updates
/// per second (GUP/s). The environment variables HCUBE_* set the defaults; options have precedence.
///
/// Columns: generate, route, wait and update are shares of the time of all ranks; messages and bytes are
/// means per rank; excess counts the values above Q that ranks held for others while routing; of bound is
/// relative to the local bound (--local-bound).
///
/// Example: mpirun -np 4 hcube bench random-access --table-size 25 --mode auto,events
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Words of the whole table, as a power of two; a word has 8 bytes
    #[arg(long, value_name = "LOG2", default_value_t = DEFAULT_TABLE_SIZE,
          value_parser = number::<u32>(0..=MAX_TABLE_SIZE))]
    pub table_size: u32,
    /// Updates of all ranks together; default is four per word
    #[arg(long, value_name = "N", value_parser = number::<u64>(0..=1 << 59))]
    pub updates: Option<u64>,
    #[arg(long, value_name = "Q[,Q...]", default_value = NONE, hide_default_value = true, value_parser = numbers(value::<Options, usize>("look_ahead")),
          help = help_and::<Options>("look_ahead", "A list is a sweep, as in Plimpton et al. 2006, Table 4: 1,4,16,64,256,1024"))]
    pub look_ahead: List<usize>,
    /// The stream of random values
    #[arg(long, value_enum, default_value_t = Streams::Polynomial)]
    pub stream: Streams,
    #[arg(long, value_name = "MODE[,MODE...]", value_delimiter = ',', value_parser = one_of::<Mode>(Mode::NAMES),
          help = help_and::<Options>("mode", "A list compares modes"))]
    pub mode: Vec<Mode>,
    #[arg(long, value_name = "D[,D...]", default_value = NONE, hide_default_value = true, value_parser = numbers(value::<Options, usize>("dimensions")),
          help = help_and::<Options>("dimensions", "A list is a sweep"))]
    pub dimensions: List<usize>,
    #[arg(long, value_name = "LIST", value_parser = value::<Options, Optimisations>("optimisations"),
          help = help_and::<Options>("optimisations", "all, none, or a list such as 1,2"))]
    pub optimisations: Option<Optimisations>,
    /// Measure Table 3 of Plimpton et al. 2006: no optimisation, then 1, 1+2, 1+2+3 and 1+2+3+7
    #[arg(long, conflicts_with = "optimisations")]
    pub ladder: bool,
    #[arg(long, help = help::<Options>("relaxed"))]
    pub relaxed: bool,
    /// Leave the table on 4 KiB pages
    #[arg(long)]
    pub no_huge_pages: bool,
    #[arg(long, value_name = "K", value_parser = value::<Options, usize>("ranks_per_node"),
          help = help::<Options>("ranks_per_node"))]
    pub ranks_per_node: Option<usize>,
    /// Also measure messages only, alternating with the chosen mode
    #[arg(long)]
    pub compare: bool,
    /// Also measure the bound: every rank updates a private table with hcube's inner loop and does
    /// not communicate
    #[arg(long)]
    pub local_bound: bool,
    #[command(flatten)]
    pub common: Common<REPEAT>,
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    pub stream: StreamKind,
    pub options: Options,
}

impl Case {
    /// For progress.
    pub fn name(&self) -> String {
        let options = &self.options;
        format!("{}, Q = {}, mode {}", self.stream.name(), options.look_ahead, options.mode.name())
    }
}

impl Arguments {
    /// Updates of all ranks together.
    pub fn total_updates(&self) -> u64 {
        self.updates.unwrap_or(4 << self.table_size)
    }

    /// The defaults changed by the options that have one value.
    fn options(&self, defaults: &Options) -> Options {
        let mut options = *defaults;
        options.mode = self.mode.first().copied().unwrap_or(options.mode);
        options.optimisations = self.optimisations.unwrap_or(options.optimisations);
        options.relaxed |= self.relaxed;
        options.huge_pages &= !self.no_huge_pages;
        options.ranks_per_node = self.ranks_per_node.unwrap_or(options.ranks_per_node);
        options
    }

    /// All cases, in the order of the table: streams, then dimensions, look-aheads, optimisations and
    /// modes.
    pub fn cases(&self, defaults: &Options) -> Vec<Case> {
        let base = self.options(defaults);
        let mut choices = vec![base];
        if !self.dimensions.is_empty() {
            choices = vary(&choices, &self.dimensions, |options, &value| options.dimensions = value);
        }
        if !self.look_ahead.is_empty() {
            choices = vary(&choices, &self.look_ahead, |options, &value| options.look_ahead = value);
        }
        if self.ladder {
            let steps = LADDER.map(|list| Optimisations::from_list(list).expect("valid"));
            choices = vary(&choices, &steps, |options, &step| options.optimisations = step);
        }
        let mut modes = if self.mode.is_empty() { vec![base.mode] } else { self.mode.clone() };
        if self.compare && !modes.contains(&Mode::Message) {
            modes.push(Mode::Message);
        }
        choices = vary(&choices, &modes, |options, &mode| options.mode = mode);
        let streams: &[StreamKind] = match self.stream {
            Streams::Polynomial => &[StreamKind::Polynomial],
            Streams::Lcg => &[StreamKind::Lcg],
            Streams::Both => &[StreamKind::Polynomial, StreamKind::Lcg],
        };
        let case = |&stream: &StreamKind| choices.iter().map(move |&options| Case { stream, options });
        streams.iter().flat_map(case).collect()
    }
}

/// Each of the choices with each of the values.
fn vary<T>(choices: &[Options], values: &[T], set: impl Fn(&mut Options, &T)) -> Vec<Options> {
    let with = |choice: Options, value: &T| {
        let mut changed = choice;
        set(&mut changed, value);
        changed
    };
    choices
        .iter()
        .flat_map(|&choice| values.iter().map(move |value| (choice, value)))
        .map(|(c, v)| with(c, v))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;

    #[test]
    fn nothing_chosen_is_one_case_with_the_defaults() {
        let defaults = Options { look_ahead: 64, relaxed: true, ..Options::default() };
        let arguments: Arguments = parse("".split_whitespace());
        assert_eq!(arguments.cases(&defaults), [Case { stream: StreamKind::Polynomial, options: defaults }]);
        assert_eq!(arguments.total_updates(), 4 << 24);
    }

    #[test]
    fn sweeps_multiply() {
        let cases =
            parse::<Arguments>("--look-ahead 1,4,16 --stream both --ladder --compare".split_whitespace())
                .cases(&Options::default());
        assert_eq!(cases.len(), 3 * 2 * 5 * 2);
        assert_eq!((cases[0].options.mode, cases[1].options.mode), (Mode::Auto, Mode::Message));
        assert_eq!(cases.last().map(|case| case.options.look_ahead), Some(16));
    }

    #[test]
    fn modes_are_compared() {
        let modes = |line: &str| {
            let cases = parse::<Arguments>(line.split_whitespace()).cases(&Options::default());
            cases.iter().map(|case| case.options.mode).collect::<Vec<_>>()
        };
        assert_eq!(modes("--mode auto,events,spawn"), [Mode::Auto, Mode::Events, Mode::Spawn]);
        assert_eq!(modes("--mode message,events --compare"), [Mode::Message, Mode::Events]);
        assert_eq!(modes("--mode spawn --compare"), [Mode::Spawn, Mode::Message]);
    }

    #[test]
    fn the_command_line_wins() {
        let defaults = Options { mode: Mode::Node, ranks_per_node: 3, ..Options::default() };
        let arguments: Arguments =
            parse("--mode message --ranks-per-node 0 --optimisations 1,7 --no-huge-pages".split_whitespace());
        let options = arguments.options(&defaults);
        assert_eq!((options.mode, options.ranks_per_node, options.huge_pages), (Mode::Message, 0, false));
        assert_eq!(options.optimisations.to_list(), "1,7");
    }
}
