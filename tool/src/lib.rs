//! The command `hcube`, with the parts that the lab and the fuzz targets use as well.

#![expect(missing_docs, reason = "no public crate: only the tool, the lab and the fuzz targets use it")]

pub mod bench;
pub mod bsp;
pub mod choices;
pub mod command_line;
pub mod doctor;
pub mod grids;
pub mod help;
pub mod info;
pub mod interrupt;
pub mod launched;
pub mod launcher;
pub mod list;
pub mod llcs;
pub mod machine;
pub mod model;
pub mod output;
pub mod probe;
pub mod profile;
pub mod progress;
pub mod session;
pub mod variables;
pub mod version;
