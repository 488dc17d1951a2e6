//! The programs of a place.

use super::super::place::Place;
use super::super::results::{Batch, Case};
use super::figures::with_figures;
use super::{BspProgram, MIN_RANKS_LARGE};
use hcube_core::machine::Placement;
use hcube_matmul::default_blocks;
use hcube_results::published::bsp as published;
use hcube_tool::bsp::machine::Estimate;
use hcube_tool::bsp::predict;
use hcube_tool::bsp::program::{Costs, Program, ProgramArguments};
use hcube_tool::session::Failure;

/// Ranks up to which subsequences are simulated by default: the ranks wait in each of their many supersteps,
/// which takes the simulator a time that grows with the square of their number.
const MAX_RANKS_LLCS: usize = 256;
/// Rows of a matrix and symbols of a string on many ranks. All operations are computed on a core: 9 10^9 and
/// 10^12.
const LARGE_MATRIX: usize = 2048;
const LARGE_STRING: usize = 1 << 20;

/// The simulations of a place: one for each program and number of ranks.
pub fn batches(place: &Place<'_>, full: bool) -> Result<Vec<Batch>, Failure> {
    let mut batches = Vec::new();
    for program in [Program::Matmul, Program::Llcs] {
        for &ranks in place.ranks {
            if program == Program::Llcs && ranks > MAX_RANKS_LLCS && !full {
                continue;
            }
            let cases = cases(place, program, ranks)?;
            if !cases.is_empty() {
                let ranks_per_node = place.ranks_per_node;
                batches.push(Batch {
                    machine: place.machine.clone(),
                    ranks,
                    ranks_per_node,
                    scale: 1,
                    cases,
                });
            }
        }
    }
    Ok(batches)
}

/// Blocks per side or alpha of the published runs.
fn published_parameters(machine: &str, program: Program, ranks: usize) -> Vec<u32> {
    let kind = arguments(program, ranks, vec![1]).published();
    let own = |row: &published::Row| row.machine_file() == machine && row.processes == ranks;
    let rows = published::rows().into_iter().filter(|row| own(row) && row.program == kind);
    rows.map(|row| predict::parameter_of(&row) as u32).collect()
}

/// Blocks per side or alpha: those that were published, otherwise those that both programs permit.
fn parameters(machine: &str, program: Program, ranks: usize) -> Vec<u32> {
    let published = |program| published_parameters(machine, program, ranks);
    let own = published(program);
    let is_of_the_thesis = !published(Program::Matmul).is_empty() || !published(Program::Llcs).is_empty();
    if is_of_the_thesis {
        return own;
    }
    match program {
        Program::Matmul => {
            let least = default_blocks(LARGE_MATRIX, ranks) as u32;
            vec![least, least + least.div_ceil(4)]
        }
        Program::Llcs if ranks >= MIN_RANKS_LARGE => vec![1],
        Program::Llcs => (1..=5).collect(),
    }
}

/// As on the command line of `hcube bsp predict`.
fn arguments(program: Program, ranks: usize, parameters: Vec<u32>) -> ProgramArguments {
    let (blocks, alpha, large) = match program {
        Program::Matmul => (parameters, Vec::new(), LARGE_MATRIX),
        Program::Llcs => (Vec::new(), parameters, LARGE_STRING),
    };
    ProgramArguments {
        program,
        machine: None,
        // Without sizes they are those of the thesis, and what it has published stands beside them.
        sizes: if ranks >= MIN_RANKS_LARGE { vec![large] } else { Vec::new() },
        blocks,
        distribution: None,
        alpha,
        kernel: None,
        estimate: Estimate::Weighted,
        operation_ns: None,
    }
}

fn cases(place: &Place<'_>, program: Program, ranks: usize) -> Result<Vec<Case>, Failure> {
    let parameters = parameters(&place.machine.name, program, ranks);
    if parameters.is_empty() {
        return Ok(Vec::new());
    }
    let placement = Placement { ranks, ranks_per_node: place.ranks_per_node };
    let (machine, figures_published) = with_figures(&place.machine, &placement);
    let rows = predict::rows(&arguments(program, ranks, parameters), &machine, ranks, Costs::Corrected)?;
    let case = |row| {
        Case::BspProgram(BspProgram {
            section: place.section.name(),
            machine: place.machine.name.clone(),
            ranks_per_node: place.ranks_per_node,
            figures_published,
            row,
            simulated_percent: 0.0,
            links_shared: true,
            program,
        })
    };
    Ok(rows.into_iter().map(case).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::arguments::Section;
    use hcube_results::machine::Machine;

    fn programs(machine: &str, ranks: &[usize], ranks_per_node: usize) -> Vec<BspProgram> {
        let machine = Machine::find(machine).expect("it comes with hcube");
        let place = Place { section: Section::BspPrograms, machine, ranks, ranks_per_node };
        let cases = batches(&place, true).expect("predicted").into_iter().flat_map(|batch| batch.cases);
        cases
            .map(|case| match case {
                Case::BspProgram(program) => program,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn published_runs_have_a_row_each() {
        // Products on 4, 16 and 32 processes and subsequences on 4, 8, 16 and 32.
        let all = programs("aracari-oxtool", &[4, 8, 16, 32], 1);
        let of = |program| all.iter().filter(|one| one.program == program).collect::<Vec<_>>();
        assert_eq!((of(Program::Matmul).len(), of(Program::Llcs).len()), (7 + 6 + 5, 4 * 5));
        assert!(all.iter().all(|one| one.row.published_percent.is_some() && one.figures_published));
        assert!(of(Program::Matmul).iter().any(|one| one.text() == "n=2000,blocks=9"));
        let text = "length=65536,symbols=8,alpha=5,block_rows=160,barriers=1";
        assert!(of(Program::Llcs).iter().any(|one| one.text() == text));
    }

    #[test]
    fn many_ranks_have_larger_problems_and_derived_figures() {
        let all = programs("fat-nodes", &[1024], 64);
        assert_eq!(all.len(), 3);
        for one in &all {
            assert!(!one.figures_published && one.row.published_percent.is_none(), "{one:?}");
            let least = if one.program == Program::Matmul { LARGE_MATRIX } else { LARGE_STRING };
            assert!(one.row.size == least && one.row.efficiency_percent.constant < 100.0, "{one:?}");
        }
        assert!(all.iter().any(|one| one.text() == "n=2048,blocks=32"));
    }
}
