//! Lengths of longest common subsequences, in the supersteps of the thesis. Symbols are coded before: only
//! the supersteps are timed.

use super::arguments::Arguments;
use super::measured::Measured;
use crate::bench::memory::{self, Wanted};
use crate::bsp::program::{Case, Costs, SYMBOLS};
use hcube_bsp::Spmd;
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::instructions::Level;
use hcube_core::mpi::MpiComm;
use hcube_core::{Error, Result};
use hcube_lcs::alphabet::Coded;
use hcube_lcs::cost::block_entries;
use hcube_lcs::distributed::alphabet;
use hcube_lcs::rate::{Random, SampleBlock};
use hcube_lcs::supersteps::{SuperstepOptions, llcs_of_coded};
use hcube_lcs::{Kernel, serial};

/// Bytes of a symbol of both strings on a process: as numbers, as bytes, as coded, and in the computation
/// without supersteps.
const SYMBOL_BYTES: usize = 12;

/// A program with its strings.
pub struct Subsequence<'a> {
    comm: &'a MpiComm,
    kernel: Option<Kernel>,
    costs: Costs,
    alpha: usize,
    /// Of each of the two strings.
    length: usize,
    strings: [Vec<u8>; 2],
    /// The parts of this process.
    coded: Option<Coded>,
    /// A block of the case.
    block: Option<SampleBlock>,
    found: usize,
    /// The length of the strings for which a length is known, and that length.
    expected: Option<(usize, usize)>,
}

fn string(length: usize, seed: u64) -> Vec<u8> {
    Random(seed).take(length, SYMBOLS).into_iter().map(|symbol| symbol as u8).collect()
}

impl<'a> Subsequence<'a> {
    pub fn new(comm: &'a MpiComm, arguments: &Arguments) -> Self {
        let kernel = arguments.program.lcs_kernel();
        Self {
            comm,
            kernel,
            costs: arguments.costs,
            alpha: 1,
            length: 0,
            strings: [Vec::new(), Vec::new()],
            coded: None,
            block: None,
            found: 0,
            expected: None,
        }
    }

    /// The part of a string that this process has.
    fn part<'s>(&self, string: &'s [u8]) -> &'s [u8] {
        let (rank, size, length) = (self.comm.rank(), self.comm.size(), string.len());
        &string[length * rank / size..length * (rank + 1) / size]
    }
}

impl Measured for Subsequence<'_> {
    fn prepare(&mut self, case: &Case) -> Result<()> {
        self.alpha = case.parameter;
        if self.coded.is_none() || self.length != case.size {
            self.length = case.size;
            let wanted = Wanted { what: "strings", option: "--sizes", value: case.size.to_string() };
            // Only the check.
            drop(memory::reserve(self.comm, &wanted, (case.size * SYMBOL_BYTES).div_ceil(8) as u64)?);
            let strings = [1, 2].map(|seed| string(case.size, seed));
            let [a, b] = [0, 1].map(|number| self.part(&strings[number]));
            self.coded = Some(alphabet::code(self.comm, a, b)?);
            self.strings = strings;
        }
        let level = Level::detect();
        let kernel = self.kernel.unwrap_or_else(|| Kernel::choose(SYMBOLS, level));
        let side = case.size.div_ceil(case.parameter * self.comm.size());
        let block = SampleBlock::new([side, side], SYMBOLS, kernel, level);
        self.block = Some(agree(self.comm, block)?);
        Ok(())
    }

    fn compute(&mut self) {
        self.block.as_mut().expect("prepared").compute();
    }

    fn operations(&self) -> f64 {
        let [columns, rows] = self.block.as_ref().expect("prepared").sizes().map(|size| size as f64);
        match self.costs {
            Costs::Schedule => block_entries(columns, rows),
            Costs::Corrected | Costs::Printed => columns * rows,
        }
    }

    fn run(&mut self, spmd: &mut Spmd<MpiComm>) -> Result<()> {
        let options =
            SuperstepOptions { alpha: self.alpha, kernel: self.kernel, ..SuperstepOptions::default() };
        let coded = self.coded.as_ref().expect("prepared");
        self.found = llcs_of_coded(spmd, coded, &options)?;
        Ok(())
    }

    fn errors(&mut self) -> Result<u64> {
        let length = self.strings[0].len();
        let expected = match self.expected {
            Some((known, expected)) if known == length => expected,
            _ => {
                let [a, b] = &self.strings;
                let local = if self.comm.rank() == 0 { serial::llcs(a, b) } else { Ok(0) };
                let expected = agree(self.comm, local)? as u64;
                self.comm.all_gather(&[expected])?[0] as usize
            }
        };
        self.expected = Some((length, expected));
        let wrong = self.comm.all_gather(&[u64::from(self.found != expected)])?;
        Ok::<u64, Error>(wrong.iter().sum())
    }
}
