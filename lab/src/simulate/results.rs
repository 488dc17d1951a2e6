//! Cases of all kinds, and results of simulations: the rows of the JSON, which the report reads.
//!
//! A new kind is a row with its columns in a file of its own, a variant of [`Case`], a list of [`Results`]
//! and a section.

use super::alltoall::Alltoall;
use super::bsp::Superstep;
use super::bsp_programs::BspProgram;
use super::buckets::Buckets;
use super::caf::{Team, Updates};
use super::fft::Transform;
use super::gemm::Gemm;
use super::hosts::HostsTime;
use super::hpl::Panels;
use super::lcs::Subsequence;
use super::random_access::RandomAccess;
use super::row::Row;
use hcube_results::machine::Machine;
use serde::{Deserialize, Serialize};

/// A row without its figures.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    RandomAccess(RandomAccess),
    Buckets(Buckets),
    Alltoall(Alltoall),
    Gemm(Gemm),
    Bsp(Superstep),
    Team(Team),
    Updates(Updates),
    Fft(Transform),
    Hpl(Panels),
    Lcs(Subsequence),
    BspProgram(BspProgram),
    Hosts(HostsTime),
}

impl Case {
    /// What all kinds have in common.
    pub fn row(&self) -> &dyn Row {
        match self {
            Self::RandomAccess(row) => row,
            Self::Buckets(row) => row,
            Self::Alltoall(row) => row,
            Self::Gemm(row) => row,
            Self::Bsp(row) => row,
            Self::Team(row) => row,
            Self::Updates(row) => row,
            Self::Fft(row) => row,
            Self::Hpl(row) => row,
            Self::Lcs(row) => row,
            Self::BspProgram(row) => row,
            Self::Hosts(row) => row,
        }
    }

    /// As [`Self::row`], to be filled.
    pub fn row_mut(&mut self) -> &mut dyn Row {
        match self {
            Self::RandomAccess(row) => row,
            Self::Buckets(row) => row,
            Self::Alltoall(row) => row,
            Self::Gemm(row) => row,
            Self::Bsp(row) => row,
            Self::Team(row) => row,
            Self::Updates(row) => row,
            Self::Fft(row) => row,
            Self::Hpl(row) => row,
            Self::Lcs(row) => row,
            Self::BspProgram(row) => row,
            Self::Hosts(row) => row,
        }
    }
}

/// Results of `hcube-lab simulate --json`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Results {
    pub machines: Vec<Machine>,
    #[serde(default)]
    pub random_access: Vec<RandomAccess>,
    #[serde(default)]
    pub buckets: Vec<Buckets>,
    #[serde(default)]
    pub alltoall: Vec<Alltoall>,
    #[serde(default)]
    pub gemm: Vec<Gemm>,
    #[serde(default)]
    pub bsp: Vec<Superstep>,
    #[serde(default)]
    pub teams: Vec<Team>,
    #[serde(default)]
    pub coarray_updates: Vec<Updates>,
    #[serde(default)]
    pub fft: Vec<Transform>,
    #[serde(default)]
    pub hpl: Vec<Panels>,
    #[serde(default)]
    pub lcs: Vec<Subsequence>,
    #[serde(default)]
    pub bsp_programs: Vec<BspProgram>,
    #[serde(default)]
    pub hosts: Vec<HostsTime>,
    /// Failed simulations and the reasons.
    #[serde(default)]
    pub failures: Vec<String>,
}

fn rows<T: Row>(list: &[T]) -> Vec<&dyn Row> {
    list.iter().map(|row| row as &dyn Row).collect()
}

impl Results {
    /// Adds a row to the list of its kind.
    pub fn add(&mut self, case: Case) {
        match case {
            Case::RandomAccess(row) => self.random_access.push(row),
            Case::Buckets(row) => self.buckets.push(row),
            Case::Alltoall(row) => self.alltoall.push(row),
            Case::Gemm(row) => self.gemm.push(row),
            Case::Bsp(row) => self.bsp.push(row),
            Case::Team(row) => self.teams.push(row),
            Case::Updates(row) => self.coarray_updates.push(row),
            Case::Fft(row) => self.fft.push(row),
            Case::Hpl(row) => self.hpl.push(row),
            Case::Lcs(row) => self.lcs.push(row),
            Case::BspProgram(row) => self.bsp_programs.push(row),
            Case::Hosts(row) => self.hosts.push(row),
        }
    }

    /// The lists of rows, with their names.
    pub fn lists(&self) -> [(&'static str, Vec<&dyn Row>); 12] {
        [
            ("random_access", rows(&self.random_access)),
            ("buckets", rows(&self.buckets)),
            ("alltoall", rows(&self.alltoall)),
            ("gemm", rows(&self.gemm)),
            ("bsp", rows(&self.bsp)),
            ("teams", rows(&self.teams)),
            ("coarray_updates", rows(&self.coarray_updates)),
            ("fft", rows(&self.fft)),
            ("hpl", rows(&self.hpl)),
            ("lcs", rows(&self.lcs)),
            ("bsp_programs", rows(&self.bsp_programs)),
            ("hosts", rows(&self.hosts)),
        ]
    }
}
