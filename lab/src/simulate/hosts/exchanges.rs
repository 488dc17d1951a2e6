//! Exchanges: `hcube bench alltoall`, with all ranks and within rows and columns of a grid of them.
//!
//! hcube is the preload library, as in the measurements: it compares algorithms in exchanges that precede
//! those that are timed, and an exchange that it forwards is made by the algorithm of the MPI library.

use super::run::{Hosts, Run, of_hcube, of_library};
use hcube_results::alltoall::{COLUMNS, ROWS};
use hcube_results::numbers::whole_bytes;
use hcube_tool::grids::nearest_square;

/// Bytes of a pair of ranks, as `hcube-lab hosts bench` measures them.
const BLOCKS: [u64; 5] = [8, 128, 1 << 10, 16 << 10, 128 << 10];

/// Exchanges before the timed ones, as `hcube bench alltoall` makes them between nodes.
const BEFORE: u32 = 100;
/// Where only the first dozen compare algorithms: if all ranks together send more than hcube's memory, and
/// inside a host.
const FEW_BEFORE: u32 = 20;
/// hcube's additional memory by default.
const MEMORY: u64 = 1 << 20;
/// Microseconds of exchanges that are timed together, as there.
const TOGETHER_US: u32 = 1000;
/// Timed several times: hcube uses slower algorithms again from time to time.
const REPEAT: u32 = 5;
/// The driver.
pub const DRIVER: &str = "alltoall";

/// An exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// In the form that the driver reads.
    function: &'static str,
    is_in_place: bool,
    is_uniform: bool,
    communicators: Option<&'static str>,
}

const fn exchange(function: &'static str, [is_in_place, is_uniform]: [bool; 2]) -> Exchange {
    Exchange { function, is_in_place, is_uniform, communicators: None }
}

pub const ALLTOALL: Exchange = exchange("alltoall", [false, true]);
pub const ALLTOALL_IN_PLACE: Exchange = exchange("alltoall", [true, true]);
pub const ALLTOALLV: Exchange = exchange("alltoallv", [false, false]);
pub const ALLTOALLV_IN_PLACE: Exchange = exchange("alltoallv", [true, false]);
pub const ALLTOALLW: Exchange = exchange("alltoallw", [false, false]);
pub const OF_ROWS: Exchange = Exchange { communicators: Some(ROWS), ..ALLTOALL };
pub const OF_COLUMNS: Exchange = Exchange { communicators: Some(COLUMNS), ..ALLTOALL };

impl Exchange {
    /// By hcube and by the MPI library, for all blocks.
    pub fn runs(self, hosts: &Hosts<'_>) -> Vec<Run> {
        let both = |block: u64| {
            let own = of_hcube(whole_bytes(block as usize), self.hcube(hosts, block));
            [with_memory(own, hosts, block), self.by_library(hosts, block)]
        };
        BLOCKS.into_iter().flat_map(both).collect()
    }

    /// By the MPI library.
    pub fn by_library(self, hosts: &Hosts<'_>, block: u64) -> Run {
        let run = of_library(whole_bytes(block as usize), self.library(hosts, block));
        with_memory(run, hosts, block)
    }

    /// The ranks of each communicator.
    fn members(self, ranks: usize) -> usize {
        let (rows, columns) = nearest_square(ranks);
        match self.communicators {
            Some(ROWS) => columns,
            Some(_) => rows,
            None => ranks,
        }
    }

    /// Exchanges before the timed ones.
    fn before(self, hosts: &Hosts<'_>, block: u64) -> u32 {
        let members = self.members(hosts.ranks);
        let is_inside_a_host = self.communicators == Some(ROWS) && members <= hosts.ranks_per_host;
        let is_long = (members * (members - 1)) as u64 * block > MEMORY;
        if is_inside_a_host || is_long { FEW_BEFORE } else { BEFORE }
    }

    /// The library's algorithm, as the driver knows it.
    fn algorithm_of(self, mpi: &str) -> &'static str {
        match (self.is_in_place, mpi) {
            (false, mpi) if mpi.starts_with("mpich") => "mpich-out-of-place",
            (false, _) => "ompi-out-of-place",
            (true, "mpich") => "mpich4-in-place",
            (true, "mpich5") => "mpich5-in-place",
            (true, _) => "ompi-in-place",
        }
    }

    fn hcube(self, hosts: &Hosts<'_>, block: u64) -> String {
        let forwards = self.algorithm_of(hosts.mpi);
        // The simulator has no variable for MPI_Alltoallw, which the C interface forwards as well.
        let preload = u8::from(self.function != "alltoallw");
        let warm = self.before(hosts, block);
        let text = format!("algorithm=auto,forwards={forwards},preload={preload},warm={warm}");
        text + &self.common(hosts, block)
    }

    fn library(self, hosts: &Hosts<'_>, block: u64) -> String {
        format!("algorithm={}{}", self.algorithm_of(hosts.mpi), self.common(hosts, block))
    }

    fn common(self, hosts: &Hosts<'_>, block: u64) -> String {
        let counts = if self.is_uniform { "equal" } else { "random" };
        let in_place = u8::from(self.is_in_place);
        let mut text = format!(",function={},in-place={in_place},counts={counts}", self.function);
        if let Some(communicators) = self.communicators {
            text += &format!(",{communicators}={}", self.members(hosts.ranks));
        }
        let node = hosts.ranks_per_host;
        text + &format!(",block={block},node={node},together-us={TOGETHER_US},repeat={REPEAT}")
    }
}

/// With the data, and a second buffer or copies; a detached message is copied too.
fn with_memory(run: Run, hosts: &Hosts<'_>, block: u64) -> Run {
    Run { driver: DRIVER, bytes_per_rank: 3 * block * hosts.ranks as u64, ..run }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::machine::Machine;

    fn texts(exchange: Exchange, mpi: &str, ranks: usize) -> Vec<String> {
        let machine = &Machine::find("hosts-mpich").expect("valid");
        let runs = exchange.runs(&Hosts { machine, mpi, ranks, ranks_per_host: 4 });
        runs.into_iter().map(|run| run.text).collect()
    }

    #[test]
    fn cases_name_the_library_of_their_machine() {
        let texts = |exchange, mpi| texts(exchange, mpi, 16);
        let text = &texts(ALLTOALLV_IN_PLACE, "mpich5")[5];
        assert!(text.contains("algorithm=mpich5-in-place") && text.contains("counts=random"), "{text}");
        assert!(text.contains("in-place=1") && !text.contains("warm="), "{text}");
        let text = &texts(ALLTOALL, "openmpi")[4];
        assert!(text.contains("algorithm=auto,forwards=ompi-out-of-place,preload=1,warm=100"), "{text}");
        let long = &texts(ALLTOALL, "openmpi")[8];
        assert!(long.contains("warm=20"), "{long}");
        let text = &texts(ALLTOALLW, "openmpi")[0];
        assert!(text.contains("preload=0") && text.contains("function=alltoallw"), "{text}");
    }

    /// The measurements have the same communicators.
    #[test]
    fn rows_and_columns_are_those_of_the_benchmark() {
        for (exchange, ranks, expected) in
            [(OF_ROWS, 16, ",rows=4"), (OF_ROWS, 32, ",rows=8"), (OF_COLUMNS, 32, ",columns=4")]
        {
            let text = &texts(exchange, "mpich", ranks)[1];
            assert!(text.contains(expected), "{text}");
        }
        assert!(!texts(ALLTOALL, "mpich", 16)[1].contains("rows"));
    }
}
