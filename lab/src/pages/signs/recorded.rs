//! Figures of simulations: what `hcube-lab simulate --json` has written to `doc/results/simulate`, and the
//! tables of doc/simulation.md where a section has no kept results.

use crate::pages::markdown::{cell, row, table};
use crate::records::{read, read_json};
use crate::simulate::alltoall::{SCALED_BYTES, SCALED_MEMORY};
use crate::simulate::arguments::Section;
use crate::simulate::results::Results;
use crate::simulate::{Alltoall, RandomAccess};
use hcube_results::alltoall::FFTW_IN_PLACE;
use hcube_results::published::bsp::Program;
use hcube_tool::output;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Seconds of the work of a rank in a transform of 64 Mi real numbers per rank, in which two transpositions
/// exchange them: 2.5 n log2 n operations, at a tenth of the 12.8 GFLOP/s of a core of Juqueen, which is an
/// estimate.
fn transform_work(ranks: usize) -> f64 {
    const OWN: usize = 64 << 20;
    let operations = 2.5 * OWN as f64 * f64::from((OWN * ranks).ilog2());
    operations / 1.28e9
}

/// Their rows.
#[derive(Debug)]
pub struct Recorded {
    all: Vec<Results>,
    /// doc/simulation.md.
    page: String,
}

/// What a row is called in a message.
fn missing(what: &str) -> String {
    format!("doc/results/simulate has no {what}")
}

/// Matrix products without groups and with.
#[derive(Debug)]
pub struct Groups {
    /// Speed-up of the communication over SUMMA with each number of groups.
    gains: Vec<f64>,
}

impl Groups {
    /// The largest speed-up.
    pub fn best(&self) -> f64 {
        self.gains.iter().copied().fold(0.0, f64::max)
    }

    /// The smallest.
    pub fn worst(&self) -> f64 {
        self.gains.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

impl Recorded {
    /// All files.
    ///
    /// # Errors
    /// Where one cannot be read, or has failed simulations or errors in its data.
    pub fn of(root: &Path) -> Result<Self, String> {
        let folder = root.join("doc/results/simulate");
        let entries = fs::read_dir(&folder).map_err(output::failure(&folder))?;
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut all = Vec::new();
        for file in files {
            let results: Results = read_json(&file)?;
            let errors: u64 =
                results.lists().iter().flat_map(|list| &list.1).map(|row| row.place().1.errors).sum();
            if errors > 0 || !results.failures.is_empty() {
                return Err(format!("{}: errors or failed simulations", file.display()));
            }
            all.push(results);
        }
        Ok(Self { all, page: read(&root.join("doc/simulation.md"))? })
    }

    /// GUP/s in the mode `events` on coarrays of Franklin.
    pub fn coarrays(&self, images: usize) -> Result<f64, String> {
        self.cell(&["machine, images"], &format!("Franklin, {images}"), 2)
    }

    /// The simulated figure in a cell of a table of the page.
    fn cell(&self, headings: &[&str], name: &str, column: usize) -> Result<f64, String> {
        let table = table(&self.page, headings)?;
        let text = cell(row(&table, &[name])?, column)?;
        // Simulated figures are the first of several.
        text.split(", ")
            .next()
            .unwrap_or(text)
            .parse()
            .map_err(|_| format!("doc/simulation.md, {name}: '{text}' is not a number"))
    }

    /// GUP/s of the update that HPCC ships.
    pub fn stock(&self, ranks: usize) -> Result<f64, String> {
        let rows = self.all.iter().flat_map(|one| &one.buckets);
        let found = rows.into_iter().find(|row| row.site.ranks == ranks).map(|row| row.gups);
        found.ok_or_else(|| missing(&format!("RandomAccess by buckets on {ranks} ranks")))
    }

    /// GUP/s of the hypercube on a number of ranks, in rounds of Q values, with these optimisations.
    pub fn hypercube(&self, ranks: usize, optimisations: u32) -> Result<f64, String> {
        let rows = self.all.iter().flat_map(|one| &one.random_access);
        let own = |row: &&RandomAccess| {
            (row.site.ranks, row.optimisations, row.relaxed) == (ranks, optimisations, true)
        };
        let found = rows.into_iter().find(own).map(|row| row.gups);
        found.ok_or_else(|| {
            missing(&format!("RandomAccess with optimisations {optimisations} on {ranks} ranks"))
        })
    }

    /// Seconds of the exchange of a transposition on Juqueen.
    fn transposition(&self, ranks: usize, algorithm: &str) -> Result<f64, String> {
        self.exchange([&Section::Transpositions.name(), "juqueen", algorithm], ranks, None)
    }

    /// Time of the exchange of a transposition over FFTW's own.
    pub fn over_fftw(&self, ranks: usize, algorithm: &str) -> Result<f64, String> {
        Ok(self.transposition(ranks, algorithm)? / self.transposition(ranks, FFTW_IN_PLACE)?)
    }

    /// The largest time of a transform with a schedule over the time with FFTW's own exchange.
    pub fn transform_over_fftw(&self, algorithm: &str) -> Result<f64, String> {
        let seconds = |ranks, algorithm| {
            Ok::<_, String>(transform_work(ranks) + 2.0 * self.transposition(ranks, algorithm)?)
        };
        [2, 16, 128].into_iter().try_fold(0.0, |max: f64, ranks| {
            Ok(max.max(seconds(ranks, algorithm)? / seconds(ranks, FFTW_IN_PLACE)?))
        })
    }

    /// Seconds of an exchange in a section with this much additional memory, where it matters.
    pub fn exchange(
        &self,
        [section, machine, algorithm]: [&str; 3],
        ranks: usize,
        memory: Option<u64>,
    ) -> Result<f64, String> {
        let rows = self.all.iter().flat_map(|one| &one.alltoall);
        let own = |row: &&Alltoall| {
            (&*row.site.section, &*row.site.machine, row.site.ranks) == (section, machine, ranks)
                && row.algorithm == algorithm
                && (memory.is_none() || row.memory == memory)
        };
        let found = rows.into_iter().find(own).map(|row| row.seconds);
        found.ok_or_else(|| {
            missing(&format!("exchange by {algorithm} of section {section} on {ranks} ranks of {machine}"))
        })
    }

    /// Time of an algorithm over the time of hierarchical sets, both with the same memory.
    pub fn over_sets(&self, machine: &str, ranks: usize, algorithm: &str) -> Result<f64, String> {
        let of = |algorithm| self.exchange(["schedules", machine, algorithm], ranks, None);
        Ok(of(algorithm)? / of("hierarchical-sets")?)
    }

    /// Time of hierarchical sets on JuRoPA with memory for all data over the time with the least memory.
    pub fn with_memory(&self, ranks: usize) -> Result<f64, String> {
        let of = |memory| self.exchange(["memory", "juropa", "hierarchical-sets"], ranks, Some(memory));
        Ok(of(SCALED_BYTES)? / of(SCALED_MEMORY)?)
    }

    /// The largest time of linear shift over the time of hierarchical sets.
    pub fn linear_shift(&self, machine: &str, ranks: &[usize]) -> Result<f64, String> {
        let of = |&ranks: &usize| self.over_sets(machine, ranks, "linear-shift");
        ranks.iter().try_fold(0.0, |most: f64, ranks| Ok(most.max(of(ranks)?)))
    }

    /// Products on Graphene, by the row of their table: speed-ups of the communication over SUMMA.
    pub fn graphene(&self, name: &str) -> Result<Groups, String> {
        // Column 8 is a group for each rank, which is SUMMA.
        self.groups(["groups", "1", "2"], name, 2..8)
    }

    /// A panel on 2048 ranks of BlueGene/P.
    pub fn blue_gene(&self) -> Result<Groups, String> {
        self.groups(["groups", "1", "8 (2x4)"], "communication, 1 of 256 panels", 2..9)
    }

    /// A row of a table whose column 1 is SUMMA.
    fn groups(&self, headings: [&str; 3], name: &str, columns: Range<usize>) -> Result<Groups, String> {
        let summa = self.cell(&headings, name, 1)?;
        let gains = columns.map(|column| Ok(summa / self.cell(&headings, name, column)?));
        Ok(Groups { gains: gains.collect::<Result<_, String>>()? })
    }

    /// Speed-up of the communication of a single panel with 16 groups over SUMMA, on 512 ranks, without the
    /// time of a call that has no panel.
    pub fn single_panel(&self) -> Result<f64, String> {
        let of = |name, column| self.cell(&["groups", "1", "16"], name, column);
        let call = of("communication, no panel", 1)?;
        let panel = |column| Ok::<_, String>(of("communication, 1 panel", column)? - call);
        Ok(panel(1)? / panel(2)?)
    }

    /// The mean efficiency on 4 processes of a machine, in per cent.
    pub fn mean_efficiency(&self, machine: &str, program: Program) -> Result<f64, String> {
        let rows = self.all.iter().flat_map(|one| &one.bsp_programs);
        let own = rows.filter(|row| {
            (&*row.site.machine, &*row.row.program, row.row.processes) == (machine, program.name(), 4)
        });
        let own: Vec<f64> = own.map(|row| row.simulated_percent).collect();
        if own.is_empty() {
            return Err(missing(&format!("{} on {machine}", program.name())));
        }
        Ok(own.iter().sum::<f64>() / own.len() as f64)
    }

    /// Efficiency of a product with the Oxford BSP Toolset, in per cent: `aracari, 4`, and the column.
    pub fn product(&self, place: &str, column: usize) -> Result<f64, String> {
        self.cell(&["machine, processes", "4 blocks per side"], place, column)
    }
}
