//! The options of `hcube model`, and what cannot be predicted.

use super::gemm;
use crate::choices::{help, number, one_of, value};
use crate::list::{List, NONE, numbers};
use crate::machine;
use crate::output::JsonOption;
use crate::session::Failure;
use clap::Subcommand;
use hcube_alltoall::options::DEFAULT_MEMORY_BYTES;
use hcube_core::machine::Placement;
use hcube_random_access::options::DEFAULT_LOOK_AHEAD;
use hcube_random_access::{Mode, Options};
use hcube_results::machine::Machine;
use hcube_results::published::{self, TABLE_2};

/// More ranks than any machine has had cores for, and few enough to compute their plans.
const MAX_RANKS: u64 = 1 << 20;

/// Predicts RandomAccess and the exchange in place on machines of any size (not under mpirun)
///
/// The figures belong to a machine that comes with hcube (red-storm, juropa, juqueen, bluegene-p,
/// graphene: models with published figures) or to a file that `hcube probe` has written. Stages, messages and
/// bytes follow from the production plans; contention in the network and overlap are not modelled.
/// `hcube model gemm` predicts matrix multiplication.
///
/// Example: hcube model --machine red-storm --ranks 1,64,200,8192
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Name of a machine, or a file; without it calibration.json in the working directory
    #[arg(long, value_name = "NAME|FILE")]
    machine: Option<String>,
    /// Numbers of ranks; by default the numbers of Plimpton et al. 2006, Table 2, that fit on the machine
    #[arg(long, value_name = "P[,P...]", default_value = NONE, hide_default_value = true, value_parser = numbers(number::<u64>(1..=MAX_RANKS)))]
    ranks: List<u64>,
    /// Ranks on a node; without it one for each core
    #[arg(long, value_name = "K", value_parser = number::<u64>(1..=MAX_RANKS))]
    ranks_per_node: Option<u64>,
    #[arg(long, value_name = "Q", default_value_t = DEFAULT_LOOK_AHEAD, value_parser = value::<Options, usize>("look_ahead"),
          help = help::<Options>("look_ahead"))]
    look_ahead: usize,
    /// Rounds of Q values, as in Plimpton et al. 2006, and not of Q/2, as a strict look-ahead needs
    #[arg(long)]
    relaxed: bool,
    #[arg(long, value_name = "D", default_value_t = 0, value_parser = value::<Options, usize>("dimensions"),
          help = help::<Options>("dimensions"))]
    dimensions: usize,
    /// The route of values; without it every route that the placement permits
    #[arg(long, value_parser = one_of::<Mode>(&Mode::NAMES[..4]))]
    mode: Option<Mode>,
    /// Predict the exchange in place as well, with buffers of BYTES per rank
    #[arg(long, value_name = "BYTES", value_parser = value::<hcube_alltoall::Options, usize>("memory"))]
    bytes: Option<usize>,
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MEMORY_BYTES,
          value_parser = value::<hcube_alltoall::Options, usize>("memory"), help = help::<hcube_alltoall::Options>("memory"))]
    memory: usize,
    #[command(flatten)]
    pub json: JsonOption,
    #[command(subcommand)]
    pub system: Option<SystemArguments>,
}

/// Systems whose predictions have options of their own.
#[derive(Debug, Subcommand)]
pub enum SystemArguments {
    Gemm(Box<gemm::Arguments>),
}

impl Arguments {
    /// The machine that was named, or the one that was measured here, with figures for what is predicted.
    pub fn machine(&self) -> Result<Machine, Failure> {
        let machine = machine::find(self.machine.as_deref())?;
        if !machine.random_access_known() && self.bytes.is_none() {
            return Err(format!(
                "--machine {}: RandomAccess cannot be predicted, because the costs of local work are not known \
                 (generate_ns, update_ns, divide_ns and copy_ns are 0); --bytes predicts the exchange in place",
                machine.name
            ));
        }
        Ok(machine)
    }

    /// Ranks of a node.
    pub fn ranks_per_node(&self, machine: &Machine) -> usize {
        self.ranks_per_node.map_or(machine.cores, |ranks| ranks as usize)
    }

    /// The numbers of ranks to predict for; without --ranks those that the machine permits.
    pub fn ranks(&self, machine: &Machine) -> Result<Vec<usize>, Failure> {
        let asked: Vec<usize> = self.ranks.iter().map(|&ranks| ranks as usize).collect();
        if asked.is_empty() {
            let usual = TABLE_2.iter().map(|row| row.ranks);
            return Ok(usual.filter(|&ranks| self.check(machine, ranks).is_ok()).collect());
        }
        asked.iter().try_for_each(|&ranks| self.check(machine, ranks))?;
        Ok(asked)
    }

    /// Whether the machine has room for this number of ranks, with the other options.
    fn check(&self, machine: &Machine, ranks: usize) -> Result<(), Failure> {
        let per_node = self.ranks_per_node(machine);
        if let Some(topology) = &machine.topology {
            let most = topology.nodes().saturating_mul(per_node);
            if ranks > most {
                let (nodes, name) = (topology.nodes(), &machine.name);
                return Err(format!(
                    "--ranks = {ranks}: expected {most} or fewer, {name} has {nodes} nodes of {per_node} rank(s)"
                ));
            }
        }
        let dimensions = self.dimensions;
        let most = ranks.next_power_of_two().trailing_zeros() as usize;
        if ranks > 1 && dimensions > most {
            return Err(format!("--dimensions = {dimensions}: expected {most} or fewer for {ranks} ranks"));
        }
        match self.bytes {
            Some(bytes) if bytes < ranks => Err(format!(
                "--bytes = {bytes}: expected {ranks} or more, one byte for each of {ranks} ranks"
            )),
            _ => Ok(()),
        }
    }

    /// What the prediction does not know of.
    pub fn warning(&self, machine: &Machine) -> Option<String> {
        let (per_node, cores) = (self.ranks_per_node(machine), machine.cores);
        (per_node > cores).then(|| {
            format!(
                "--ranks-per-node {per_node} on {cores} core(s): waiting for a core is not predicted, unless the \
                 machine was measured with as many ranks"
            )
        })
    }

    /// How ranks are placed on nodes.
    pub fn placement(&self, machine: &Machine, ranks: usize) -> Placement {
        Placement { ranks, ranks_per_node: self.ranks_per_node(machine) }
    }

    /// The choices of RandomAccess.
    pub fn options(&self) -> Options {
        let Self { look_ahead, dimensions, relaxed, .. } = *self;
        Options { look_ahead, dimensions, relaxed, ..Options::default() }
    }

    /// The modes to predict, before they are resolved.
    pub fn modes(&self) -> Vec<Mode> {
        self.mode.map_or_else(|| vec![Mode::Message, Mode::Node, Mode::ThreeHop], |mode| vec![mode])
    }

    /// Bytes per rank and the memory bound of the exchange, where it was asked for.
    pub fn exchange(&self) -> Option<(usize, usize)> {
        self.bytes.map(|bytes| (bytes, self.memory))
    }

    /// Whether the published figures are shown in full: unless other ranks were asked for.
    pub fn compares(&self) -> bool {
        self.published() && self.ranks.is_empty()
    }

    /// Whether there are published figures: for the machine that they are of.
    pub fn published(&self) -> bool {
        self.machine.as_deref() == Some(published::MACHINE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;

    #[test]
    fn ranks_that_cannot_be_are_named() {
        for (line, message) in [
            (
                &["--machine", "red-storm", "--ranks", "4 20000"][..],
                "--ranks = 20000: expected 10368 or fewer",
            ),
            (
                &["--machine", "red-storm", "--ranks", "64 4", "--dimensions", "3"],
                "--dimensions = 3: expected 2",
            ),
            (&["--machine", "juropa", "--ranks", "64 512", "--bytes", "256"], "--bytes = 256: expected 512"),
        ] {
            let arguments: Arguments = parse(line.iter().copied());
            let machine = arguments.machine().expect("a machine that comes with hcube");
            let error = arguments.ranks(&machine).expect_err("refused");
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn unasked_ranks_are_those_that_can_be() {
        let arguments: Arguments = parse(["--machine", "red-storm", "--dimensions", "9"]);
        let machine = arguments.machine().expect("a machine");
        assert_eq!(arguments.ranks(&machine), Ok(vec![1, 300, 1024, 4096, 8192, 10240]));
        assert_eq!(arguments.warning(&machine), None);
        let arguments: Arguments = parse(["--machine", "juropa", "--ranks-per-node", "16"]);
        let machine = arguments.machine().expect("a machine");
        assert!(arguments.warning(&machine).is_some_and(|text| text.contains("16 on 8 core")));
    }

    #[test]
    fn random_access_needs_costs() {
        let machine = |line: &[&str]| parse::<Arguments>(line.iter().copied()).machine();
        let error = machine(&["--machine", "argus-mpi"]).expect_err("no costs");
        assert!(error.starts_with("--machine argus-mpi: RandomAccess cannot be predicted"), "{error}");
        assert!(error.contains("copy_ns are 0") && error.contains("--bytes"), "{error}");
        assert!(machine(&["--machine", "argus-mpi", "--bytes", "64k"]).is_ok());
    }

    #[test]
    fn a_machine_is_wanted() {
        // Tests run in the checkout, where nobody calibrates.
        let error = parse::<Arguments>([]).machine().expect_err("no machine");
        assert!(error.contains("hcube probe calibration.json") && error.contains("red-storm"), "{error}");
    }
}
