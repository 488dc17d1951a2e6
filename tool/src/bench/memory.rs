//! Buffers of benchmarks, refused with a message before a node runs out of memory.

use hcube_core::comm::{Comm, agree};
use hcube_core::{Error, Result};
use hcube_results::numbers;

/// Memory of a node that is left to the kernel and other programs.
const RESERVED_BYTES: u64 = 64 << 20;

/// Bytes that programs can still obtain, as the kernel says; `None` where it does not.
pub fn available() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// What the memory is for, and the option that has requested it.
pub struct Wanted {
    /// With its article, if any.
    pub what: &'static str,
    pub option: &'static str,
    pub value: String,
}

fn check(wanted: &Wanted, on_node: u64, ranks_on_node: usize, available: Option<u64>) -> Result<()> {
    let expected = |available: u64| {
        let (needed, available) = (numbers::bytes(on_node as f64), numbers::bytes(available as f64));
        format!(
            "{} that can fit: {ranks_on_node} ranks of a node need {needed} of {available} available",
            wanted.what
        )
    };
    match available {
        Some(available) if on_node.saturating_add(RESERVED_BYTES) > available => {
            Err(Error::argument(wanted.option, &wanted.value, expected(available)))
        }
        _ => Ok(()),
    }
}

/// Collective: memory of this rank, with room for `words`.
///
/// # Errors
/// On all ranks where a node does not have the memory of its ranks.
pub fn reserve(comm: &impl Comm, wanted: &Wanted, words: u64) -> Result<Vec<u64>> {
    let (nodes, bytes) = (comm.node_numbers()?, words.saturating_mul(8));
    let everybody = comm.all_gather(&[bytes])?;
    let own = nodes[comm.rank()];
    let on_node: Vec<u64> =
        everybody.iter().zip(&nodes).filter(|&(_, &node)| node == own).map(|(&b, _)| b).collect();
    let total = on_node.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
    agree(comm, check(wanted, total, on_node.len(), available()))?;
    let mut memory = Vec::new();
    let reserved =
        usize::try_from(words).map_or(Ok(false), |words| memory.try_reserve_exact(words).map(|()| true));
    let local = match reserved {
        Ok(true) => Ok(()),
        _ => Err(Error::argument(
            wanted.option,
            &wanted.value,
            format!("{} of which {} can be obtained", wanted.what, numbers::bytes(bytes as f64)),
        )),
    };
    agree(comm, local)?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read() {
        let text = "MemTotal:  100 kB\nMemAvailable:      2048 kB\nBuffers: 1 kB\n";
        assert_eq!((available_in(text), available_in("MemTotal: 100 kB\n")), (Some(2 << 20), None));
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let table = Wanted { what: "a table", option: "--table-size", value: "30".into() };
        let message = check(&table, 8 << 30, 4, Some(4 << 30)).expect_err("refused").to_string();
        assert!(
            message.starts_with("--table-size = 30: expected") && message.contains("4 ranks"),
            "{message}"
        );
        assert_eq!(check(&table, 8 << 20, 1, Some(4 << 30)), Ok(()));
        assert_eq!(check(&table, 8 << 20, 1, None), Ok(()));
    }
}
