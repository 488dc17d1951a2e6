//! The commands of hcube-lab, which the fuzz targets use as well.

#![expect(missing_docs, reason = "no public crate: only hcube-lab and the fuzz targets use it")]

pub mod collect;
pub mod hosts;
pub mod hpcc;
pub mod lines;
pub mod manual;
pub mod pages;
pub mod records;
pub mod report;
pub mod simulate;
