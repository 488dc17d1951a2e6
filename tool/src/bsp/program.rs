//! The programs that are predicted and run, with their costs.

use crate::choices::number;
use crate::list::{List, NONE, numbers};
use crate::machine;
use crate::machine::bsp::{self, Estimate};
use clap::ValueEnum;
use hcube_bsp::cost::{Cost, Model};
use hcube_lcs::Kernel;
use hcube_lcs::cost::{self as llcs};
use hcube_lcs::packed::Packing;
use hcube_matmul::cost::{self as matmul, Equation};
use hcube_matmul::{Distribution, Layout, Problem, default_blocks};
use hcube_results::bsp::prediction::{ByModel, Row};
use hcube_results::machine::Machine;
use hcube_results::machine::bsp::{GapOperation, Pattern};
use hcube_results::published::bsp as published;

/// Symbols of the alphabet of random strings, as in the thesis.
pub const SYMBOLS: usize = 8;
/// Blocks per side whose products are gone through in seconds.
const MAX_SCHEDULED_BLOCKS: usize = 512;
/// Block columns of all processes, as far.
const MAX_SCHEDULED_COLUMNS: usize = 1 << 14;
/// Blocks per side without `--blocks`, as far as there are enough for all processes.
const BLOCKS: std::ops::RangeInclusive<usize> = 2..=9;
/// Block columns of each process without `--alpha`, as in the thesis.
const ALPHA: std::ops::RangeInclusive<usize> = 1..=5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Program {
    /// Product of two matrices in blocks, with three blocks of temporary memory
    Matmul,
    /// Length of a longest common subsequence of two random strings
    Llcs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Matrices {
    /// In the blocks that the program uses, distributed cyclically over the processes
    Customized,
    /// One block per process
    Static,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Subsequence {
    /// Every entry of the matrix
    Standard,
    /// Many entries at a time, as bits
    BitParallel,
}

/// Whose costs are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Costs {
    /// Of the supersteps that hcube executes
    Schedule,
    /// By the equations of the thesis, with its errors corrected
    Corrected,
    /// By the equations and rates of the thesis as they are printed
    Printed,
}

/// What 'predict' and 'run' have in common.
#[derive(Debug, Clone, clap::Args)]
pub struct ProgramArguments {
    /// The program
    #[arg(value_name = "PROGRAM")]
    pub program: Program,
    /// The machine: a file of 'hcube bsp probe' or the name of a machine [default: calibration.json]
    #[arg(long, value_name = "FILE|NAME")]
    pub machine: Option<String>,
    #[arg(long, value_name = "N[,N...]", default_value = NONE, hide_default_value = true,
          value_parser = numbers(crate::bench::lengths::length), help = sizes_help())]
    pub sizes: List<usize>,
    /// Blocks per side of a matrix [default: 2 to 9, as far as each process has one]
    #[arg(long, value_name = "N[,N...]", default_value = NONE, hide_default_value = true, value_parser = numbers(number::<u32>(1..=10_000)))]
    pub blocks: List<u32>,
    /// How matrices are distributed [default: customized]
    #[arg(long)]
    pub distribution: Option<Matrices>,
    /// Block columns of each process of the matrix of a subsequence [default: 1 to 5]
    #[arg(long, value_name = "N[,N...]", default_value = NONE, hide_default_value = true, value_parser = numbers(number::<u32>(1..=1000)))]
    pub alpha: List<u32>,
    /// The algorithm for subsequences [default: standard]
    #[arg(long)]
    pub kernel: Option<Subsequence>,
    /// How the gaps of the machine file were estimated
    #[arg(long, default_value = "weighted")]
    pub estimate: Estimate,
    /// Nanoseconds of an operation: of a multiplication with its addition, or of an entry [default: from
    /// the machine file; with 'run', measured]
    #[arg(long, value_name = "NS", value_parser = positive)]
    pub operation_ns: Option<f64>,
}

/// With the sizes of the published tables as defaults.
fn sizes_help() -> String {
    use published::Program::{LlcsBitParallel, LlcsStandard, MatmulCustomized};
    let [matrices, standard, bits] =
        [MatmulCustomized, LlcsStandard, LlcsBitParallel].map(published::Program::size);
    format!("Rows of matrices or symbols of strings [default: {matrices}, {standard}, bit-parallel {bits}]")
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| (1e-9..=1e9).contains(value));
    value.ok_or_else(|| "expected a number from 1e-9 to 1e9".to_owned())
}

/// A program of a size, for a number of processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    pub processes: usize,
    pub size: usize,
    /// Blocks per side, or alpha.
    pub parameter: usize,
}

impl ProgramArguments {
    /// As it is called in results and in published tables.
    pub fn published(&self) -> published::Program {
        match (self.program, self.matrices(), self.kernel()) {
            (Program::Matmul, Matrices::Customized, _) => published::Program::MatmulCustomized,
            (Program::Matmul, Matrices::Static, _) => published::Program::MatmulStatic,
            (Program::Llcs, _, Subsequence::Standard) => published::Program::LlcsStandard,
            (Program::Llcs, _, Subsequence::BitParallel) => published::Program::LlcsBitParallel,
        }
    }

    /// What the parameter is called.
    pub fn parameter(&self) -> &'static str {
        if self.program == Program::Matmul { "blocks" } else { "alpha" }
    }

    fn matrices(&self) -> Matrices {
        self.distribution.unwrap_or(Matrices::Customized)
    }

    fn kernel(&self) -> Subsequence {
        self.kernel.unwrap_or(Subsequence::Standard)
    }

    pub fn distribution(&self) -> Distribution {
        match self.matrices() {
            Matrices::Customized => Distribution::Customized,
            Matrices::Static => Distribution::Static,
        }
    }

    pub fn lcs_kernel(&self) -> Option<Kernel> {
        (self.kernel() == Subsequence::Standard).then_some(Kernel::Standard)
    }

    fn sizes(&self) -> Vec<usize> {
        if self.sizes.is_empty() { vec![self.published().size()] } else { self.sizes.to_vec() }
    }

    /// Options of the other program are refused, since they would change nothing.
    fn refuse_others(&self) -> Result<(), String> {
        let (others, program, other) = match self.program {
            Program::Matmul => {
                ([("--alpha", !self.alpha.is_empty()), ("--kernel", self.kernel.is_some())], "matmul", "llcs")
            }
            Program::Llcs => {
                let blocks = ("--blocks", !self.blocks.is_empty());
                ([blocks, ("--distribution", self.distribution.is_some())], "llcs", "matmul")
            }
        };
        match others.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(format!("{option}: expected with {other}, not with {program}")),
            None => Ok(()),
        }
    }

    /// All sizes with all parameters.
    ///
    /// # Errors
    /// Names the option and the value that do not fit.
    pub fn cases(&self, processes: usize) -> Result<Vec<Case>, String> {
        self.refuse_others()?;
        let mut cases = Vec::new();
        for size in self.sizes() {
            let parameters: Vec<usize> = match self.program {
                Program::Llcs if self.alpha.is_empty() => ALPHA.collect(),
                Program::Llcs => self.alpha.iter().map(|&alpha| alpha as usize).collect(),
                Program::Matmul if self.blocks.is_empty() => {
                    let least = default_blocks(size, processes);
                    let usual: Vec<usize> =
                        BLOCKS.filter(|&blocks| blocks >= least && blocks <= size).collect();
                    if usual.is_empty() { vec![least] } else { usual }
                }
                Program::Matmul => self.blocks.iter().map(|&blocks| blocks as usize).collect(),
            };
            if let Some(blocks) =
                parameters.iter().find(|&&blocks| self.program == Program::Matmul && blocks > size)
            {
                return Err(format!("--blocks {blocks}: expected at most the {size} rows of a matrix"));
            }
            cases.extend(parameters.into_iter().map(|parameter| Case { processes, size, parameter }));
        }
        Ok(cases)
    }

    /// The pattern and operation by which it communicates: hcube's program, or the program of the thesis.
    pub fn kind(&self, costs: Costs) -> (Pattern, GapOperation) {
        match (self.program, costs) {
            (Program::Matmul, _) => (Pattern::AllToAll, GapOperation::HpGet),
            (Program::Llcs, Costs::Schedule) => (Pattern::RandomPermutation, GapOperation::HpPut),
            (Program::Llcs, _) => (Pattern::RandomPermutation, GapOperation::Put),
        }
    }

    /// Operations in machine files, the best first.
    fn operations(&self, costs: Costs) -> &'static [&'static str] {
        match (self.program, self.kernel(), costs) {
            (Program::Matmul, ..) => &["matmul", "matrix-product-double-blas", "matrix-product-double"],
            (Program::Llcs, Subsequence::Standard, Costs::Printed) => {
                &["llcs-standard-printed", "llcs-standard"]
            }
            (Program::Llcs, Subsequence::Standard, _) => &["llcs-standard"],
            (Program::Llcs, Subsequence::BitParallel, _) => &["llcs-bit-parallel"],
        }
    }

    /// Nanoseconds of an operation, by the option or the file.
    ///
    /// # Errors
    /// Where neither has it.
    pub fn operation_ns(&self, file: &Machine, processes: usize, costs: Costs) -> Result<f64, String> {
        if let Some(ns) = self.operation_ns {
            return Ok(ns);
        }
        let names = self.operations(costs);
        let found = names.iter().find_map(|name| file.bsp.as_ref()?.operation(name, processes));
        found.ok_or_else(|| {
            let name = &file.name;
            format!("machine {name}: no time of the operation '{}': expected --operation-ns", names[0])
        })
    }

    /// All operations on one process.
    fn serial_operations(&self, size: usize) -> f64 {
        (size as f64).powi(if self.program == Program::Matmul { 3 } else { 2 })
    }

    /// Whether the cost of a case can be found: all blocks are gone through for the costs of the supersteps
    /// that hcube executes.
    ///
    /// # Errors
    /// Names the option and the value.
    pub fn check(&self, case: &Case, costs: Costs) -> Result<(), String> {
        let &Case { processes, parameter, .. } = case;
        let (option, most) = match self.program {
            Program::Matmul => ("--blocks", MAX_SCHEDULED_BLOCKS),
            Program::Llcs => ("--alpha", MAX_SCHEDULED_COLUMNS / processes),
        };
        if costs != Costs::Schedule || parameter <= most {
            return Ok(());
        }
        Err(format!(
            "{option} {parameter}: expected at most {most} on {processes} processes, as the costs of the schedule go through all \
             blocks; --costs corrected has no such limit"
        ))
    }

    /// The cost of a case.
    ///
    /// # Errors
    /// Where the matrix cannot be divided so.
    pub fn cost(&self, case: &Case, costs: Costs) -> Result<Cost, String> {
        self.check(case, costs)?;
        let &Case { processes, size, parameter } = case;
        let equation = if costs == Costs::Printed { Equation::Printed } else { Equation::Corrected };
        match (self.program, costs) {
            (Program::Matmul, Costs::Schedule) => {
                let problem = Problem { n: size, blocks: parameter, distribution: self.distribution() };
                let layout =
                    Layout::new(&problem, processes).map_err(|error| format!("--sizes {size}: {error}"))?;
                Ok(matmul::scheduled(&layout))
            }
            (Program::Matmul, _) => {
                let by = match self.matrices() {
                    Matrices::Customized => matmul::customized,
                    Matrices::Static => matmul::static_grid,
                };
                Ok(by(size, parameter.saturating_pow(3), processes, equation))
            }
            (Program::Llcs, Costs::Schedule) => {
                let bits = 1 + Packing::new(SYMBOLS).bits();
                let problem = llcs::Problem { columns: size, rows: size, bits };
                Ok(llcs::supersteps(&problem, processes, parameter))
            }
            (Program::Llcs, _) => {
                // Entries of 32 bits or of one, and symbols of a byte or of as many bits as they need.
                let (bits, more) = match self.kernel() {
                    Subsequence::Standard => (32 + 8, 0),
                    Subsequence::BitParallel => (1 + 3, 1),
                };
                Ok(llcs::thesis(size, bits, processes, parameter, more))
            }
        }
    }

    /// The prediction for a case on a machine.
    ///
    /// # Errors
    /// Where the file has no figures for it.
    pub fn predict(
        &self,
        file: &Machine,
        case: &Case,
        costs: Costs,
        operation_ns: f64,
    ) -> Result<Row, String> {
        let processes = machine::supersteps(file, case.processes)?;
        let machine = bsp::parameters(processes, self.kind(costs), 1e-9 * operation_ns, self.estimate)
            .map_err(|problem| format!("machine {}: {problem}", file.name))?;
        let cost = self.cost(case, costs)?;
        let (pattern, operation) = self.kind(costs);
        let gap = processes.gap(pattern, operation);
        let seconds = ByModel::of(Model::ALL.map(|model| cost.seconds(model, &machine)));
        let serial = 1e-9 * operation_ns * self.serial_operations(case.size);
        Ok(Row {
            program: self.published().name().to_owned(),
            processes: case.processes,
            size: case.size,
            parameter: case.parameter,
            operation_ns,
            efficiency_percent: seconds.map(|seconds| 100.0 * serial / (seconds * case.processes as f64)),
            seconds,
            beyond_range: bsp::is_beyond_range(&cost, gap),
            measured: Vec::new(),
            errors: None,
            simulated_seconds: None,
            published_percent: None,
            beside: None,
        })
    }
}

#[cfg(test)]
mod tests;
