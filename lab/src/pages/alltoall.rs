//! What the page of the all-to-all exchange says of memory, from its picture.

use super::picture;
use std::path::Path;

/// The size per rank of the comparison, as the picture has it.
const MEMORY_SIZE: &str = "32 MiB";

/// Memory beside the buffers.
pub fn memory(root: &Path) -> Result<String, String> {
    let memory = picture::texts(root, "alltoall-memory")?;
    let of = |series: &str| {
        let point = memory.iter().find(|point| point.series == series && point.label == MEMORY_SIZE);
        point
            .map(|point| point.value.as_str())
            .ok_or_else(|| format!("alltoall-memory.svg: no {series} at {MEMORY_SIZE}"))
    };
    Ok(format!(
        "For {MEMORY_SIZE} per rank, on 8 ranks, the library allocates {} in addition and hcube {}",
        of("MPI library, in place")?,
        of("hcube, in place")?
    ))
}
