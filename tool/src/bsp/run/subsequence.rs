//! Lengths of longest common subsequences, in the supersteps of the thesis.

use super::{Arguments, Measured};
use crate::bench::timing::slowest;
use crate::bsp::program::{Case, SYMBOLS};
use hcube_bsp::Spmd;
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::instructions::Level;
use hcube_core::mpi::MpiComm;
use hcube_core::{Error, Result};
use hcube_lcs::rate::{Random, entry_seconds};
use hcube_lcs::supersteps::{SuperstepOptions, llcs_on_supersteps};
use hcube_lcs::{Kernel, serial};

/// A program with its strings.
pub struct Subsequence<'a> {
    comm: &'a MpiComm,
    kernel: Option<Kernel>,
    alpha: usize,
    strings: [Vec<u8>; 2],
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
        Self { comm, kernel, alpha: 1, strings: [(); 2].map(|()| Vec::new()), found: 0, expected: None }
    }

    /// The part of a string that this process has.
    fn part<'s>(&self, string: &'s [u8]) -> &'s [u8] {
        let (rank, size, length) = (self.comm.rank(), self.comm.size(), string.len());
        &string[length * rank / size..length * (rank + 1) / size]
    }
}

impl Measured for Subsequence<'_> {
    fn operation_seconds(&mut self, _: &Case) -> Result<f64> {
        let level = Level::detect();
        let kernel = self.kernel.unwrap_or_else(|| Kernel::choose(SYMBOLS, level));
        self.comm.barrier()?;
        slowest(self.comm, 1e6 * agree(self.comm, entry_seconds(SYMBOLS, kernel, level))?)
            .map(|seconds| 1e-6 * seconds)
    }

    fn prepare(&mut self, case: &Case) -> Result<()> {
        self.alpha = case.parameter;
        if self.strings[0].len() != case.size {
            self.strings = [1, 2].map(|seed| string(case.size, seed));
        }
        Ok(())
    }

    fn run(&mut self, spmd: &mut Spmd<MpiComm>) -> Result<()> {
        let options =
            SuperstepOptions { alpha: self.alpha, kernel: self.kernel, ..SuperstepOptions::default() };
        let [a, b] = [0, 1].map(|number| self.part(&self.strings[number]));
        let found = llcs_on_supersteps(spmd, a, b, &options)?;
        self.found = found;
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
