//! The products of each section.

use super::super::arguments::{Arguments, Section};
use super::super::place::Place;
use super::super::row::Batch;
use super::Gemm;
use hcube_gemm::model::Problem;
use hcube_gemm::model::port::{self, Line};
use hcube_gemm::schedule::{Broadcast, Hierarchy, Level, groups};

/// Rows or columns of the simulated matrices that a rank has at least.
const MIN_LOCAL: usize = 8;

/// A product: grid, order, block, and panels that are simulated by default and with --full.
#[derive(Debug, Clone, Copy)]
struct Product {
    machine: &'static str,
    grid: (usize, usize),
    order: usize,
    block: usize,
    panels: (usize, usize),
}

const fn product(
    machine: &'static str,
    grid: (usize, usize),
    (order, block): (usize, usize),
    panels: (usize, usize),
) -> Product {
    Product { machine, grid, order, block, panels }
}

/// Figures 5 and 6 of Quintin et al. 2013, then 9. A simulated panel of SUMMA takes a minute or two of a core
/// on 2048 ranks.
const GROUPS: [Product; 3] = [
    product("graphene", (8, 16), (8192, 64), (16, 128)),
    product("graphene", (8, 16), (8192, 512), (16, 16)),
    product("bluegene-p", (32, 64), (65536, 256), (0, 1)),
];
/// Ranks up to which all numbers of groups are simulated, and local products.
const MAX_RANKS_OF_ALL: usize = 512;
/// Where latency dominates: a call without a panel, which only compares the arguments of all ranks; a single
/// panel, as in the model of Quintin et al. 2013; and several, three of which are under way.
const LATENCY: [Product; 3] = [
    product("crossbar", (16, 32), (4096, 16), (0, 0)),
    product("crossbar", (16, 32), (4096, 16), (1, 1)),
    product("crossbar", (16, 32), (4096, 16), (8, 64)),
];
/// Where alpha / beta > 2nb/p holds and where it fails.
const CHOSEN: [Product; 4] = [
    product("crossbar", (8, 16), (2048, 16), (32, 128)),
    product("crossbar", (8, 8), (8192, 256), (32, 32)),
    product("graphene", (8, 16), (8192, 64), (16, 128)),
    product("graphene", (8, 16), (8192, 512), (16, 16)),
];
const FAT_NODES: [Product; 2] = [
    product("fat-nodes", (16, 32), (16384, 256), (16, 64)),
    product("fat-nodes", (64, 64), (65536, 256), (0, 8)),
];

/// Numbers of groups by which rows and columns of a grid are divided: each twice as many as the one before.
fn divisions((rows, columns): (usize, usize)) -> Vec<(usize, usize)> {
    let mut all = vec![(1, 1)];
    let (mut group_rows, mut group_columns) = (1, 1);
    while (group_rows, group_columns) != (rows, columns) {
        // Groups as square as the grid.
        if group_columns * rows <= group_rows * columns && group_columns < columns {
            group_columns *= 2;
        } else {
            group_rows *= 2;
        }
        all.push((group_rows, group_columns));
    }
    all
}

/// The grid of a number of ranks that is nearest to a square one, with fewer rows than columns.
fn grid(ranks: usize) -> (usize, usize) {
    let rows = (1..=ranks.isqrt()).rev().find(|rows| ranks.is_multiple_of(*rows)).unwrap_or(1);
    (rows, ranks / rows)
}

/// All products of a section. Each has a simulation for each number of groups, as each may take
/// minutes.
pub fn batches(section: Section, arguments: &Arguments) -> Result<Vec<Batch<Gemm>>, String> {
    let products: &[Product] = match section {
        Section::Groups => &GROUPS,
        Section::Latency => &LATENCY,
        Section::Chosen => &CHOSEN,
        Section::FatNodes => &FAT_NODES,
        _ => &[],
    };
    let mut batches = Vec::new();
    for product in products {
        let panels = if arguments.full { product.panels.1 } else { product.panels.0 };
        let place = Place::new(section, arguments, (product.machine, &[], 0))?;
        let grids = match place.ranks {
            [] => vec![product.grid],
            ranks => ranks.iter().map(|&ranks| grid(ranks)).collect(),
        };
        for grid in grids.into_iter().filter(|_| panels > 0 || section == Section::Latency) {
            let plain = plain(&place, &Product { grid, ..*product }, panels);
            let cases = cases(section, &plain, arguments.full);
            batches.extend(cases.into_iter().map(|case| place.batch(plain.site.ranks, vec![case])));
        }
    }
    Ok(batches)
}

/// SUMMA in which all ranks send messages, as in a program without shared memory.
fn plain(place: &Place<'_>, product: &Product, panels: usize) -> Gemm {
    let &Product { grid: (rows, columns), order, block, .. } = product;
    let local = order / rows.max(columns);
    Gemm {
        site: place.site(rows * columns),
        rows,
        columns,
        order,
        k: (panels * block).min(order),
        scale: if local < MIN_LOCAL { 1 } else { 1 << (local / MIN_LOCAL).ilog2() },
        algorithm: "summa".to_owned(),
        broadcast: "scatter-allgather".to_owned(),
        inner_block: block,
        outer_block: block,
        ranks_sharing: 1,
        // A run with local products takes as long again.
        multiply_ns: if rows * columns > MAX_RANKS_OF_ALL { 0.0 } else { place.machine.costs.multiply_ns },
        ..Gemm::default()
    }
}

fn cases(section: Section, plain: &Gemm, full: bool) -> Vec<Gemm> {
    let grid = (plain.rows, plain.columns);
    let by_groups = |(group_rows, group_columns): (usize, usize)| Gemm {
        algorithm: if group_rows * group_columns == 1 { "summa" } else { "hsumma" }.to_owned(),
        group_rows,
        group_columns,
        ..plain.clone()
    };
    match section {
        Section::Groups if plain.site.ranks > MAX_RANKS_OF_ALL => {
            let some = divisions(grid).into_iter().filter(|(rows, columns)| {
                let groups = rows * columns;
                groups == 1 || (8..=512).contains(&groups) && (full || groups == 64)
            });
            some.map(by_groups).collect()
        }
        Section::Groups => divisions(grid).into_iter().map(by_groups).collect(),
        Section::Latency => {
            let some = divisions(grid).into_iter().filter(|(rows, columns)| {
                let groups = rows * columns;
                groups == 1 || plain.k > 0 && (if full { 4..=128 } else { 16..=32 }).contains(&groups)
            });
            some.map(by_groups).collect()
        }
        Section::Chosen => {
            let case = |algorithm: &str, broadcast: &str| Gemm {
                algorithm: algorithm.to_owned(),
                broadcast: broadcast.to_owned(),
                ..plain.clone()
            };
            let of = |broadcast| ["summa", "auto"].map(|algorithm| case(algorithm, broadcast));
            ["scatter-allgather", "auto"].into_iter().flat_map(of).collect()
        }
        _ => fat_nodes(plain),
    }
}

/// SUMMA and groups that are nodes, by binomial trees; ranks of a node share panels or send messages.
fn fat_nodes(plain: &Gemm) -> Vec<Gemm> {
    let binomial = Gemm { broadcast: "binomial".to_owned(), ..plain.clone() };
    let nodes_on_columns = (plain.site.ranks / plain.site.ranks_per_node).clamp(1, plain.rows);
    let flat = |nodes: &[u32]| Hierarchy::flat(nodes.len());
    let by_node = |nodes: &[u32]| Hierarchy::new(nodes.len(), &[groups::by_number(nodes)]);
    let counted = |hierarchy: &dyn Fn(&[u32]) -> Hierarchy| {
        let problem = Problem {
            rows: plain.rows as f64,
            columns: plain.columns as f64,
            ..Problem::square(plain.order as f64, 1.0)
        };
        let node =
            |row: usize, column: usize| ((row * plain.columns + column) / plain.site.ranks_per_node) as u32;
        let line = |nodes: &[u32]| {
            let hierarchy = hierarchy(nodes);
            let levels = vec![Level::whole(Broadcast::Binomial); hierarchy.levels()];
            Line { hierarchy, levels, units: 1 }
        };
        Some(8.0 * port::busiest(&problem, node, line))
    };
    vec![
        Gemm { port_bytes: counted(&flat), ..binomial.clone() },
        Gemm {
            algorithm: "hsumma".to_owned(),
            group_rows: nodes_on_columns,
            group_columns: 1,
            port_bytes: counted(&by_node),
            ..binomial.clone()
        },
        // Nodes are what SUMMA sends between.
        Gemm { ranks_sharing: 0, port_bytes: counted(&by_node), ..binomial },
    ]
}

#[cfg(test)]
mod tests {
    use super::super::super::row::Row;
    use super::*;
    use hcube_results::machine::Machine;

    /// On all cores of nodes.
    fn place(section: Section, machine: &str) -> Place<'static> {
        let machine = Machine::find(machine).expect("a machine of hcube");
        Place { section, ranks: &[], ranks_per_node: machine.cores, machine }
    }

    #[test]
    fn divisions_double_the_groups() {
        assert_eq!(divisions((2, 4)), [(1, 1), (1, 2), (1, 4), (2, 4)]);
        for grid in [(8, 16), (32, 64), (128, 128), (16, 32)] {
            let all = divisions(grid);
            assert_eq!((all[0], all.last()), ((1, 1), Some(&grid)));
            let groups: Vec<usize> = all.iter().map(|(rows, columns)| rows * columns).collect();
            assert!(groups.windows(2).all(|pair| pair[1] == 2 * pair[0]), "{groups:?}");
        }
        assert_eq!((grid(128), grid(64), grid(7)), ((8, 16), (8, 8), (1, 7)));
    }

    #[test]
    fn products_fit_into_simulations() {
        for product in GROUPS.iter().chain(&LATENCY).chain(&CHOSEN).chain(&FAT_NODES) {
            let gemm = plain(&place(Section::Groups, product.machine), product, product.panels.1);
            let (rows, columns) = product.grid;
            assert!(gemm.order.is_multiple_of(gemm.scale * rows * columns / rows.min(columns)), "{gemm:?}");
            assert!(gemm.order.is_multiple_of(gemm.inner_block * rows.max(columns)), "{gemm:?}");
            assert!(gemm.bytes_per_rank() < 4 << 20, "{gemm:?}");
        }
    }

    /// The figures of the prototype for 64 x 64 ranks, and of nodes that have two process rows each.
    #[test]
    fn bytes_into_a_node_are_counted() {
        let place = place(Section::FatNodes, "fat-nodes");
        assert_eq!(place.ranks_per_node, 64);
        let bytes = |product| {
            let cases = fat_nodes(&plain(&place, product, 1));
            cases
                .iter()
                .map(|case| case.port_bytes.map_or(0.0, |bytes| (bytes / 1e8).round() / 10.0))
                .collect::<Vec<_>>()
        };
        assert_eq!(bytes(&FAT_NODES[1]), [33.8, 33.8, 33.8]);
        let [flat, by_node, shared] = bytes(&FAT_NODES[0])[..] else { panic!("three cases") };
        assert!(flat > by_node && by_node == shared, "{flat} {by_node}");
    }
}
