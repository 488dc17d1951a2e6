//! What the page of the all-to-all exchange says of memory, from its picture.

use super::picture::{point, points};
use std::path::Path;

/// The size per rank of the comparison, as the picture has it.
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
