//! What BSP programs have here: the library for this MPI library, and how it will work.

use super::finding::{Finding, Topic};
use super::own::Wanted;
use crate::machine::{DEFAULT_FILE, named, no_figures};
use hcube_bsp::Options;
use hcube_results::machine::Machine;

const LIBRARY: Wanted = Wanted {
    topic: Topic::Bsplib,
    name: "libhcube_bsp.so",
    // One of each dialect.
    functions: &[c"bsp_sync", c"mcbsp_sync", c"bsplibstd_sync"],
    what: "functions of BSPlib",
    advice: "only BSP programs need it; 'bspcc --show' prints the directory in which they search it",
};

/// What was found on this rank.
pub fn find() -> Finding {
    LIBRARY.find()
}

/// What the machine permits to processes of a node.
#[derive(Debug, Clone, Copy)]
pub struct Permitted {
    pub shared_memory: bool,
    pub single_copy: bool,
}

/// How supersteps work here, from the number of the node of each process.
pub fn describe(nodes: &[u32], options: &Options, permitted: Permitted) -> String {
    let mut distinct = nodes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let plural = |count: usize, one: &str, several: &str| {
        format!("{count} {}", if count == 1 { one } else { several })
    };
    let processes = plural(nodes.len(), "process", "processes");
    let who = format!("{processes}, {}", plural(distinct.len(), "node", "nodes"));
    if distinct.len() == nodes.len() || !permitted.shared_memory {
        return format!("{who}: messages of at most {} bytes", options.memory);
    }
    let copies = match options.single_copy {
        0 => "bsp_hpput and bsp_hpget through it as well (HCUBE_BSP_SINGLE_COPY=0)".to_owned(),
        _ if !permitted.single_copy => {
            "bsp_hpput and bsp_hpget through it as well, because single copy does not work".to_owned()
        }
        bytes => format!("bsp_hpput and bsp_hpget from {bytes} bytes by single copy"),
    };
    let between = match distinct.len() {
        1 => String::new(),
        _ => format!("; between nodes messages of at most {} bytes", options.memory),
    };
    format!("{who}: shared memory in a node, {copies}{between}")
}

/// Which predictions are possible here, from the machine file that `hcube bsp predict` reads without being
/// told another.
pub fn predictions(processes: usize) -> String {
    match named(None) {
        Some(file) => predictable(Machine::find(file), processes),
        None => format!("not possible: there is no {DEFAULT_FILE}, which 'hcube bsp probe' writes"),
    }
}

fn predictable(file: Result<Machine, String>, processes: usize) -> String {
    let found = file.and_then(|machine| {
        let bsp = machine.bsp.ok_or_else(|| no_figures(DEFAULT_FILE))?;
        bsp.for_processes(processes).map(|found| (bsp.library.clone(), found.noise_warning()))
    });
    match found {
        Ok((library, None)) => format!("possible by {DEFAULT_FILE}, for {processes} processes of {library}"),
        Ok((_, Some(warning))) => warning,
        Err(problem) => format!("not possible: {problem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_need_figures_for_the_processes() {
        let text = |name: &str, processes| predictable(Machine::find(name), processes);
        let possible = text("aracari-oxtool", 16);
        assert!(possible.contains("for 16 processes of Oxford BSP Toolset"), "{possible}");
        assert!(text("aracari-oxtool", 3).contains("no figures for 3 processes"));
        assert!(text("red-storm", 4).contains("hcube bsp probe"));
        assert!(text("/nowhere/none.json", 4).starts_with("not possible: machine /nowhere/none.json"));
    }

    #[test]
    fn paths_follow_from_nodes_options_and_the_machine() {
        let options = Options { single_copy: 100, memory: 200, ..Options::default() };
        let all = Permitted { shared_memory: true, single_copy: true };
        let text = |nodes: &[u32], permitted| describe(nodes, &options, permitted);
        assert_eq!(
            text(&[0, 0], all),
            "2 processes, 1 node: shared memory in a node, bsp_hpput and bsp_hpget from 100 bytes by single copy"
        );
        assert_eq!(text(&[0, 1], all), "2 processes, 2 nodes: messages of at most 200 bytes");
        assert!(text(&[0, 0, 1], all).ends_with("; between nodes messages of at most 200 bytes"));
        assert!(text(&[0, 0], Permitted { single_copy: false, ..all }).contains("single copy does not work"));
        let none = Permitted { shared_memory: false, ..all };
        assert_eq!(text(&[0, 0], none), "2 processes, 1 node: messages of at most 200 bytes");
        let off = Options { single_copy: 0, ..options };
        assert!(describe(&[0, 0], &off, all).contains("HCUBE_BSP_SINGLE_COPY=0"));
    }
}
