//! The tables of simulated and published figures.

use super::arguments::{Section, System};
use super::bsp::{self, Superstep};
use super::bsp_programs::{self, BspProgram};
use super::caf::{self, Team, Updates};
use super::fft::{self, Transform};
use super::gemm::{Gemm, table};
use super::hpl::{self, Panels};
use super::lcs::{self, Subsequence};
use super::published;
use super::results::{Alltoall, RandomAccess, Results, links, of_driver};
use hcube_results::numbers::{bytes, significant, time};
use hcube_results::table::Table;

/// A published figure and the deviation of the simulated one.
fn beside(simulated: f64, published: Option<f64>) -> [String; 2] {
    let none = || "-".to_owned();
    published.map_or_else(
        || [none(), none()],
        |published| [significant(published), format!("{:+.0}%", 100.0 * (simulated / published - 1.0))],
    )
}

fn optimisations(bits: u32) -> String {
    let names = [(1, "Mod1"), (2, "Mod2"), (4, "Mod3"), (8, "Mod7")];
    let chosen: Vec<&str> = names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    if chosen.is_empty() { "none".to_owned() } else { chosen.join("+") }
}

fn random_access(section: Section, rows: &[&RandomAccess]) -> String {
    let table_3 = section == Section::Optimisations;
    let (published, model) = if table_3 { ("published/none", "time/none") } else { ("published", "model") };
    let mut table = Table::new([
        "ranks",
        "per node",
        "mode",
        "dimensions",
        "optimisations",
        "look-ahead",
        "values a round",
        "GUP/s",
        published,
        "deviation",
        model,
        "messages",
        "errors",
        "links",
    ]);
    for row in rows {
        let mut deviation = beside(row.gups, row.published_gups);
        let mut last = row.published_model_gups.map_or_else(|| "-".to_owned(), significant);
        if table_3 {
            let plain = rows.iter().find(|other| other.ranks == row.ranks && other.optimisations == 0);
            let relative = plain.map_or(1.0, |plain| plain.gups / row.gups);
            deviation = beside(relative, published::relative_time(row.ranks, row.optimisations));
            last = significant(relative);
        }
        let [published, deviation] = deviation;
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.mode.to_owned(),
            if row.dimensions == 0 { "log2".to_owned() } else { row.dimensions.to_string() },
            optimisations(row.optimisations),
            row.look_ahead.to_string(),
            if row.relaxed { row.look_ahead } else { row.look_ahead.div_ceil(2) }.to_string(),
            significant(row.gups),
            published,
            deviation,
            last,
            row.messages.to_string(),
            row.errors.to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

fn alltoall(rows: &[&Alltoall]) -> String {
    let mut table = Table::new([
        "ranks",
        "per node",
        "bytes per rank",
        "algorithm",
        "path",
        "memory",
        "time",
        "time/best",
        "errors",
        "links",
    ]);
    for row in rows {
        let same = rows
            .iter()
            .filter(|other| (other.ranks, other.bytes_per_rank) == (row.ranks, row.bytes_per_rank));
        let best = same.map(|other| other.seconds).fold(f64::INFINITY, f64::min);
        let library = of_driver(row.algorithm).starts_with("library");
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.bytes_per_rank.to_string(),
            row.algorithm.to_owned(),
            if library { "-".to_owned() } else { row.path.to_owned() },
            if library { "-".to_owned() } else { bytes(row.memory as f64) },
            time(row.seconds),
            if best > 0.0 { format!("{:.2}", row.seconds / best) } else { "-".to_owned() },
            row.errors.to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

/// A table for each machine of each section.
pub fn text(results: &Results, sections: &[Section]) -> String {
    let mut text = String::new();
    for &section in sections {
        for machine in &results.machines {
            let chosen = |name: &str, of: &str| name == section.name() && of == machine.name;
            let updates: Vec<_> =
                results.random_access.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let exchanges: Vec<_> =
                results.alltoall.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let title = |what: &str| {
                format!("\n{what}, {}: simulated on a model of {}\n\n", section.name(), machine.title)
            };
            let products: Vec<&Gemm> =
                results.gemm.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let supersteps: Vec<&Superstep> =
                results.bsp.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let teams: Vec<&Team> =
                results.teams.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let coarrays: Vec<&Updates> =
                results.coarray_updates.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let transforms: Vec<&Transform> =
                results.fft.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let panels: Vec<&Panels> =
                results.hpl.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let subsequences: Vec<&Subsequence> =
                results.lcs.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            let programs: Vec<&BspProgram> =
                results.bsp_programs.iter().filter(|row| chosen(row.section, &row.machine)).collect();
            match section.system() {
                System::RandomAccess if !updates.is_empty() => {
                    text += &(title("RandomAccess") + &random_access(section, &updates));
                }
                System::Alltoall if !exchanges.is_empty() => {
                    text += &(title("All-to-all") + &alltoall(&exchanges));
                }
                System::Gemm if !products.is_empty() => {
                    text += &(title("Matrix products") + &table::render(&products));
                }
                System::Bsp if !supersteps.is_empty() => {
                    text += &(title("BSP programs") + &bsp::table::render(&supersteps));
                }
                System::Caf if !teams.is_empty() => {
                    text += &(title("Coarrays") + &caf::table::teams(&teams));
                }
                System::Caf if !coarrays.is_empty() => {
                    text += &(title("RandomAccess on coarrays") + &caf::table::updates(&coarrays));
                }
                System::Fft if !transforms.is_empty() => {
                    text += &(title("Fourier transforms") + &fft::table::render(&transforms));
                }
                System::Hpl if !panels.is_empty() => {
                    text += &(title("LU factorisations") + &hpl::table::render(&panels));
                }
                System::BspPrograms if !programs.is_empty() => {
                    text += &(title("BSP programs") + &bsp_programs::table::render(&programs));
                }
                System::Lcs if !subsequences.is_empty() => {
                    text += &(title("Longest common subsequences") + &lcs::table::render(&subsequences));
                }
                _ => {}
            }
        }
        match section {
            Section::Schedules => text += published::SCHEDULES,
            Section::Memory => text += published::MEMORY,
            Section::Groups => text += published::GROUPS,
            Section::CoarrayUpdates | Section::CoarrayModes => text += published::COARRAYS,
            Section::Fft => text += published::FFT,
            Section::Hpl => text += published::HPL,
            _ => {}
        }
    }
    text
}
