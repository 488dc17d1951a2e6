//! What README.md says of the all-to-all exchange, from its page and its pictures.

use super::markdown::{cell, row, table};
use super::picture::{point, points, value};
use crate::records::read;
use std::path::Path;

/// The size per rank at which README.md compares memory, as the picture has it.
const MEMORY_SIZE: &str = "32 MiB";

/// Memory beside the buffers.
pub fn memory(root: &Path) -> Result<String, String> {
    let memory = points(root, "alltoall-memory")?;
    let of = |series: &str| point(&memory, "", series, MEMORY_SIZE).map(|point| &point.text);
    Ok(format!(
        "For {MEMORY_SIZE} per rank, on 8 ranks, the library allocates {} in addition and hcube {}",
        of("MPI library, in place")?,
        of("hcube, in place")?
    ))
}

/// The row on exchanges in place: means of the page with random counts, and memory.
pub fn readme_in_place(root: &Path) -> Result<String, String> {
    let page = read(&root.join("doc/alltoall.md"))?;
    let means = table(&page, &["ranks", "counts", "in place over library in place"])?;
    let mut texts = Vec::new();
    for ranks in ["2", "4", "8"] {
        let mean = cell(row(&means, &[ranks, "random"])?, 2)?;
        texts.push(if texts.is_empty() {
            format!("{mean} on {ranks} ranks")
        } else {
            format!("{mean} on {ranks}")
        });
    }
    Ok(format!(
        "speed-ups over the MPI library's own function, geometric mean over 64 KiB to 32 MiB per rank with random counts: {}. {}",
        texts.join(", "),
        memory(root)?
    ))
}

/// The row on LAMMPS.
pub fn readme_lammps(root: &Path) -> Result<String, String> {
    let all = points(root, "programs")?;
    let of = |ranks: &str| value(&all, "", ranks, "LAMMPS");
    Ok(format!(
        "PPPM, `kspace_modify collective yes`, speed-up over the run without the preload library: {:.2} on 2 ranks, {:.2} on 4, with \
         identical results",
        of("2 ranks")?,
        of("4 ranks")?
    ))
}
