//! BSP programs on simulated machines: matrix products and longest common subsequences of Krusche 2005,
//! beside their predicted and published efficiencies.
//!
//! Predictions are made as by `hcube bsp predict --costs corrected`, with the gaps and latencies that the
//! thesis has measured for its machines. Their network in the simulation is derived from these figures. Other
//! machines have no such figures; [`figures`] derives them from their links. All operations are computed,
//! also where the simulation charges another time for them. The grid of a subsequence has a barrier after
//! each block, as in the thesis, and an entry takes the time of the thesis' algorithm, although it is
//! computed, and travels, as a bit.

pub mod figures;

use super::columns::{Layout, both, deviation, maybe, percent, printed, shown};
use super::place::Place;
use super::platform::Sharing;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use figures::with_figures;
use hcube_core::machine::Placement;
use hcube_core::machine::work::{REST, Unit};
use hcube_lcs::work::ENTRY;
use hcube_matmul::{MULTIPLY_ADD, default_blocks};
use hcube_results::bsp::prediction;
use hcube_results::machine::Machine;
use hcube_results::numbers::{significant, time};
use hcube_results::plot::Evidence::{Predicted, Published, Simulated};
use hcube_results::published::bsp::{self as published, KRUSCHE, Program as Kind};
use hcube_tool::bsp::predict;
use hcube_tool::bsp::program::{Costs, Matrices, Program, ProgramArguments, SYMBOLS, Subsequence};
use hcube_tool::machine::bsp::Estimate;
use serde::{Deserialize, Serialize};

/// Ranks from which problems are larger than in the thesis, and the polling interval of waiting ranks is
/// longer.
const MIN_RANKS_LARGE: usize = 256;
/// Ranks up to which subsequences are simulated by default: the ranks wait in each of their many supersteps,
/// which takes the simulator a time that grows with the square of their number.
const MAX_RANKS_LLCS: usize = 256;
/// Rows of a matrix and symbols of a string on many ranks. All operations are computed on a core: 9 10^9 and
/// 10^12.
const LARGE_MATRIX: usize = 2048;
const LARGE_STRING: usize = 1 << 20;

/// The programs of the thesis, in the order of its appendices, and the ones that are simulated by default.
const KINDS: [Kind; 4] = Kind::ALL;
const IN_DEFAULT: [Kind; 2] = [Kind::MatmulCustomized, Kind::LlcsStandard];

fn program_of(kind: Kind) -> Program {
    match kind {
        Kind::MatmulCustomized | Kind::MatmulStatic => Program::Matmul,
        Kind::LlcsStandard | Kind::LlcsBitParallel => Program::Llcs,
    }
}

/// A program with its prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BspProgram {
    /// Without ranks, which are the processes of the row.
    #[serde(flatten)]
    pub site: Site,
    // Before the row, which has errors of its own.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Whether gaps and latencies are in the machine's file; otherwise they follow from its links.
    pub figures_published: bool,
    #[serde(flatten)]
    pub row: prediction::Row,
    /// Per cent.
    pub simulated_percent: f64,
}

impl BspProgram {
    fn kind(&self) -> Kind {
        KINDS.into_iter().find(|kind| kind.name() == self.row.program).unwrap_or(Kind::LlcsStandard)
    }

    fn program(&self) -> Program {
        program_of(self.kind())
    }

    /// Nanoseconds that a rank adds to its pauses: a sixteenth of the time that a block takes out of a node
    /// of this bandwidth while all of its ranks send, or a microsecond, which is a small part of a superstep.
    fn rest_ns(&self, bandwidth_gb_s: f64) -> f64 {
        let &prediction::Row { processes, size, parameter, .. } = &self.row;
        match self.program() {
            _ if processes < MIN_RANKS_LARGE => 0.0,
            Program::Matmul => {
                let bytes = size_of::<f64>() * size.div_ceil(parameter).pow(2) * self.site.ranks_per_node;
                bytes as f64 / bandwidth_gb_s / 16.0
            }
            Program::Llcs => 1000.0,
        }
    }
}

impl Row for BspProgram {
    fn driver(&self) -> (&'static str, Option<String>) {
        match self.program() {
            Program::Matmul => ("matmul", None),
            Program::Llcs => ("lcs", None),
        }
    }

    fn text(&self) -> String {
        let &prediction::Row { processes, size, parameter, .. } = &self.row;
        match self.program() {
            Program::Matmul if self.kind() == Kind::MatmulStatic => {
                format!("n={size},blocks={parameter},distribution=static")
            }
            Program::Matmul => format!("n={size},blocks={parameter}"),
            Program::Llcs => {
                let block_rows = parameter * processes;
                format!(
                    "length={size},symbols={SYMBOLS},alpha={parameter},block_rows={block_rows},barriers=1"
                )
            }
        }
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        let seconds = record.number("seconds")?;
        self.row.simulated_seconds = Some(seconds);
        self.simulated_percent = self.row.efficiency_percent.constant * self.row.seconds.constant / seconds;
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        let row = &self.row;
        vec![
            ("processes", row.processes as f64),
            ("ranks_per_node", self.site.ranks_per_node as f64),
            ("size", row.size as f64),
            ("parameter", row.parameter as f64),
            ("seconds.constant", row.seconds.constant),
            ("efficiency_percent.constant", row.efficiency_percent.constant),
            ("simulated_seconds", row.simulated_seconds.unwrap_or_default()),
            ("simulated_percent", self.simulated_percent),
        ]
    }

    /// Three matrices and three blocks; or the strings, their symbols and bits in block columns, and both
    /// strings on the rank that computes the length without a grid.
    fn bytes_per_rank(&self) -> u64 {
        let &prediction::Row { processes, size, parameter, .. } = &self.row;
        let bytes = match self.program() {
            Program::Matmul => {
                let block = size.div_ceil(parameter).pow(2);
                3 * size_of::<f64>() * block * (1 + parameter.pow(2).div_ceil(processes))
            }
            Program::Llcs => (16 * size).div_ceil(processes),
        };
        bytes as u64
    }

    /// Gets of large blocks, by which nodes receive as much as they send.
    fn sharing(&self) -> Sharing {
        if self.program() == Program::Matmul && self.row.processes >= MIN_RANKS_LARGE {
            Sharing::SendingPorts
        } else {
            Sharing::Links
        }
    }

    fn costs(&self, machine: &Machine, _scale: f64) -> Vec<(Unit, f64)> {
        let unit = match self.program() {
            Program::Matmul => MULTIPLY_ADD,
            Program::Llcs => ENTRY,
        };
        vec![(REST, self.rest_ns(machine.network.bandwidth_gb_s)), (unit, self.row.operation_ns)]
    }
}

/// The simulations of a place: one for each program and number of ranks. Static distributions and the
/// bit-parallel algorithm take as long again as all others.
pub fn batches(place: &Place<'_>, full: bool) -> Result<Vec<Batch<BspProgram>>, String> {
    let mut batches = Vec::new();
    for kind in KINDS.into_iter().filter(|kind| full || IN_DEFAULT.contains(kind)) {
        let most = if full || program_of(kind) == Program::Matmul { usize::MAX } else { MAX_RANKS_LLCS };
        for &ranks in place.ranks.iter().filter(|&&ranks| ranks <= most) {
            batches.push(place.batch(ranks, cases(place, kind, ranks)?));
        }
    }
    batches.retain(|batch| !batch.cases.is_empty());
    Ok(batches)
}

/// Blocks per side or alpha of the published runs.
fn published_parameters(machine: &str, kind: Kind, ranks: usize) -> Vec<u32> {
    let own = |row: &published::Row| row.machine_file() == machine && row.processes == ranks;
    let rows = published::rows().into_iter().filter(|row| own(row) && row.program == kind);
    rows.map(|row| predict::parameter_of(&row) as u32).collect()
}

/// Blocks per side or alpha: those that were published, otherwise those that the programs permit which are
/// simulated by default.
fn parameters(machine: &str, kind: Kind, ranks: usize) -> Vec<u32> {
    let published = |kind| published_parameters(machine, kind, ranks);
    let is_of_the_thesis = KINDS.into_iter().any(|kind| !published(kind).is_empty());
    if is_of_the_thesis {
        return published(kind);
    }
    match kind {
        Kind::MatmulCustomized => {
            let least = default_blocks(LARGE_MATRIX, ranks) as u32;
            vec![least, least + least.div_ceil(4)]
        }
        Kind::LlcsStandard if ranks >= MIN_RANKS_LARGE => vec![1],
        Kind::LlcsStandard => (1..=5).collect(),
        Kind::MatmulStatic | Kind::LlcsBitParallel => Vec::new(),
    }
}

/// As on the command line of `hcube bsp predict`.
fn arguments(kind: Kind, ranks: usize, parameters: Vec<u32>) -> ProgramArguments {
    let program = program_of(kind);
    let (blocks, alpha, large) = match program {
        Program::Matmul => (parameters, Vec::new(), LARGE_MATRIX),
        Program::Llcs => (Vec::new(), parameters, LARGE_STRING),
    };
    ProgramArguments {
        program,
        machine: None,
        // Without sizes they are those of the thesis, and what it has published stands beside them.
        sizes: if ranks >= MIN_RANKS_LARGE { vec![large] } else { Vec::new() }.into(),
        blocks: blocks.into(),
        distribution: (kind == Kind::MatmulStatic).then_some(Matrices::Static),
        alpha: alpha.into(),
        kernel: (kind == Kind::LlcsBitParallel).then_some(Subsequence::BitParallel),
        estimate: Estimate::Weighted,
        operation_ns: None,
    }
}

fn cases(place: &Place<'_>, kind: Kind, ranks: usize) -> Result<Vec<BspProgram>, String> {
    let parameters = parameters(&place.machine.name, kind, ranks);
    if parameters.is_empty() {
        return Ok(Vec::new());
    }
    let placement = Placement { ranks, ranks_per_node: place.ranks_per_node };
    let (machine, figures_published) = with_figures(&place.machine, &placement);
    let rows = predict::rows(&arguments(kind, ranks, parameters), &machine, ranks, Costs::Corrected)?;
    let site = Site { ranks: 0, ..place.site(ranks) };
    let case = |row| BspProgram {
        site: site.clone(),
        figures_published,
        row,
        simulated_percent: 0.0,
        outcome: Outcome::default(),
    };
    Ok(rows.into_iter().map(case).collect())
}

/// Predicted, simulated and published efficiencies.
pub const LAYOUT: Layout<BspProgram> = Layout {
    title: "BSP programs",
    columns: &[
        both(["program", "program"], None, |line| line.row.row.program.clone()),
        both(["processes", "processes"], None, |line| line.row.row.processes.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        both(["size", "size"], None, |line| line.row.row.size.to_string()),
        both(["blocks or alpha", "blocks or alpha"], None, |line| line.row.row.parameter.to_string()),
        shown("figures", None, |line| if line.row.figures_published { KRUSCHE } else { "links" }.to_owned()),
        printed("f ns", |line| significant(line.row.row.operation_ns)),
        both(["time", "time"], Some(Simulated), |line| maybe(line.row.row.simulated_seconds, time)),
        both(["predicted", "time"], Some(Predicted), |line| time(line.row.row.seconds.constant)),
        printed("deviation", |line| {
            let row = &line.row.row;
            maybe(row.simulated_seconds, |seconds| deviation(seconds, row.seconds.constant))
        }),
        both(["efficiency", "efficiency"], Some(Simulated), |line| percent(line.row.simulated_percent)),
        both(["predicted", "efficiency"], Some(Predicted), |line| {
            percent(line.row.row.efficiency_percent.constant)
        }),
        printed("g(h,h*)", |line| percent(line.row.row.efficiency_percent.messages)),
        both(["published", "efficiency"], Some(Published), |line| {
            maybe(line.row.row.published_percent, percent)
        }),
        printed("figures", |line| if line.row.figures_published { "published" } else { "links" }.to_owned()),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};

#[cfg(test)]
mod tests {
    use super::super::arguments::Section;
    use super::super::row::take;
    use super::*;
    use crate::records;
    use hcube_results::bsp::prediction::ByModel;

    fn programs(machine: &str, ranks: &[usize], ranks_per_node: usize) -> Vec<BspProgram> {
        let machine = Machine::find(machine).expect("it comes with hcube");
        let place = Place { section: Section::BspPrograms, machine, ranks, ranks_per_node };
        batches(&place, true).expect("predicted").into_iter().flat_map(|batch| batch.cases).collect()
    }

    #[test]
    fn published_runs_have_a_row_each() {
        // Products on 4, 16 and 32 processes and subsequences on 4, 8, 16 and 32.
        let all = programs("aracari-oxtool", &[4, 8, 16, 32], 1);
        assert!(all.iter().all(|one| one.row.published_percent.is_some() && one.figures_published));
        for (kind, expected, text) in [
            (Kind::MatmulCustomized, 7 + 6 + 5, "n=2000,blocks=9"),
            (Kind::MatmulStatic, 7 + 6 + 5, "n=2000,blocks=9,distribution=static"),
            (Kind::LlcsStandard, 4 * 5, "length=65536,symbols=8,alpha=5,block_rows=160,barriers=1"),
            (Kind::LlcsBitParallel, 4 * 5, "length=524288,symbols=8,alpha=5,block_rows=160,barriers=1"),
        ] {
            let own: Vec<_> = all.iter().filter(|one| one.kind() == kind).collect();
            assert_eq!(own.len(), expected, "{kind:?}");
            assert!(own.iter().any(|one| one.text() == text), "{text}");
        }
    }

    #[test]
    fn many_ranks_have_larger_problems_and_derived_figures() {
        let all = programs("fat-nodes", &[1024], 64);
        assert_eq!(all.len(), 3);
        for one in &all {
            assert!(!one.figures_published && one.row.published_percent.is_none(), "{one:?}");
            let least = if one.program() == Program::Matmul { LARGE_MATRIX } else { LARGE_STRING };
            assert!(one.row.size == least && one.row.efficiency_percent.constant < 100.0, "{one:?}");
        }
        assert!(all.iter().any(|one| one.text() == "n=2048,blocks=32"));
    }
    #[test]
    fn efficiencies_stand_beside_each_other() {
        let mut program = BspProgram {
            site: Site { ranks_per_node: 1, ..Site::default() },
            figures_published: true,
            row: prediction::Row {
                program: "matmul-customized".to_owned(),
                processes: 16,
                size: 2000,
                parameter: 4,
                operation_ns: 2.5,
                seconds: ByModel::of([2.0, 2.1, 2.5]),
                efficiency_percent: ByModel::of([62.5, 59.5, 50.0]),
                beyond_range: false,
                measured: Vec::new(),
                errors: None,
                simulated_seconds: None,
                published_percent: Some(66.39),
                beside: None,
            },
            simulated_percent: 0.0,
            outcome: Outcome::default(),
        };
        let text = format!("case\t{}\nranks\t16\nseconds\t2.5\nerrors\t0\n\n", program.text());
        take(&mut program, &records::parse(&text).expect("records")[0], true).expect("figures");
        assert_eq!((program.simulated_percent, program.outcome.errors), (50.0, 0));
        let text = LAYOUT.render(&[&program]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        for figure in ["+25.0%", "50.0%", "62.5%", "66.4%", "published", "2000"] {
            assert!(line.contains(&figure), "{figure} expected: {text}");
        }
    }
}
