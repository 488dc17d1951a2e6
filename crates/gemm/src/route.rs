//! The route of panels between domains: the number of groups, the broadcast, and the number of columns of a
//! message.
//!
//! Idea: HSUMMA divides process rows and columns into groups; a domain is never divided, and is the innermost
//! group. The model gives the time of a panel for every number of groups and every broadcast; SUMMA is one
//! group, and is selected unless groups are faster. Options override the model.
//!
//! Restrictions: the model has two levels; more levels are used only on request. Cost: for each product, the
//! time of each arrangement of groups with each broadcast, a few operations each; no messages.
//!
//! Source: Quintin, Hasanov and Lastovetsky, ICPP 2013, §III and §IV.

use crate::broadcasts::Line;
use crate::domain::Domains;
use crate::model::choice::{Choice, choose_by};
use crate::model::hockney::Hockney;
use crate::options::{Algorithm, BroadcastChoice, Options};
use crate::panels::LINES;
use crate::product::{Dimension, Grid};
use crate::schedule::Broadcast;
use crate::schedule::groups::intervals;

/// The route of panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The broadcast of all levels.
    pub broadcast: Broadcast,
    /// Groups into which process columns and process rows are divided: 1 x 1 is SUMMA.
    pub groups: [usize; 2],
    /// Levels of groups, 1 for SUMMA.
    pub levels: usize,
    /// Columns of a message inside a group; `None` selects the best number by the model.
    pub inner_block: Option<usize>,
}

/// Numbers of the domains on a line, in the order of their first positions.
fn ordered(domains: &[u32]) -> (Vec<usize>, usize) {
    let mut known = Vec::new();
    let number = |domain: &u32| {
        known.iter().position(|other| other == domain).unwrap_or_else(|| {
            known.push(*domain);
            known.len() - 1
        })
    };
    let numbers = domains.iter().map(number).collect();
    (numbers, known.len())
}

/// Partitions of a line from the outside to the inside: `count` groups of domains, further levels, and the
/// domains.
fn partitions(domains: &[u32], count: usize, levels: usize) -> Vec<Vec<usize>> {
    let (numbers, length) = ordered(domains);
    let mut partitions = Vec::new();
    for level in 1..levels {
        // Level 1 has `count` groups, and each level divides the groups of the previous level by the same
        // factor.
        let inside = (length as f64 / count as f64).powf((level - 1) as f64 / (levels - 1) as f64);
        let count = ((count as f64 * inside).round() as usize).clamp(1, length);
        let of_domain = intervals(length, count);
        partitions.push(numbers.iter().map(|&number| of_domain[number]).collect());
    }
    partitions.push(numbers);
    partitions
}

/// The largest numbers of domains on a process column and on a process row.
pub fn domains_on_lines(domains: &Domains, grid: Grid) -> [usize; 2] {
    let distinct = |mut line: Vec<u32>| {
        line.sort_unstable();
        line.dedup();
        line.len()
    };
    let row = |row: usize| domains.of[row * grid.columns..][..grid.columns].to_vec();
    let column = |column: usize| (0..grid.rows).map(|row| domains.of[row * grid.columns + column]).collect();
    let on_rows = (0..grid.rows).map(|number| distinct(row(number))).max().unwrap_or(1);
    let on_columns = (0..grid.columns).map(|number| distinct(column(number))).max().unwrap_or(1);
    [on_columns, on_rows]
}

/// The key of the selection of a route: the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Domains on a process column and on a process row.
    pub domains: [usize; 2],
    /// Bytes of a column of a panel of op(A) and of op(B).
    pub column_bytes: [usize; 2],
    /// Columns of a piece.
    pub columns: usize,
}

impl Demand {
    /// Seconds for a panel by the model.
    fn seconds(&self, broadcast: Broadcast, groups: [usize; 2], network: &Hockney) -> f64 {
        // op(A) is sent along process rows, op(B) along process columns.
        [(1, self.column_bytes[0]), (0, self.column_bytes[1])]
            .into_iter()
            .map(|(line, bytes)| {
                let (between, all) = (groups[line].min(self.domains[line]), self.domains[line]);
                let bytes = (bytes * self.columns) as f64;
                let level = |members: f64| network.broadcast(broadcast, members, bytes, self.columns);
                level(between as f64) + level(all.div_ceil(between) as f64)
            })
            .sum()
    }
}

/// The route that is fastest by the model, and others that are about as fast.
pub fn candidates(options: &Options, demand: &Demand, network: &Hockney) -> Vec<Route> {
    let broadcasts = match options.broadcast {
        BroadcastChoice::Auto => &Broadcast::ALL[..],
        BroadcastChoice::Binomial => &[Broadcast::Binomial],
        BroadcastChoice::Ring => &[Broadcast::Ring],
        BroadcastChoice::ScatterAllgather => &[Broadcast::ScatterAllgather],
    };
    let mut routes: Vec<(f64, Route)> = Vec::new();
    for &broadcast in broadcasts {
        let groups = groups(options, demand, network, broadcast);
        // SUMMA as an alternative to groups, if hcube selects groups.
        let free = matches!(options.algorithm, Algorithm::Auto | Algorithm::Library)
            && options.levels < 2
            && [options.group_rows, options.group_columns] == [0, 0];
        for groups in [groups, if free { [1, 1] } else { groups }] {
            let levels = match (groups, options.levels) {
                ([1, 1], _) => 1,
                (_, 0 | 1) => 2,
                (_, levels) => levels,
            };
            let inner_block = Some(options.inner_block).filter(|&columns| columns > 0);
            let route = Route { broadcast, groups, levels, inner_block };
            routes.push((demand.seconds(broadcast, groups, network), route));
        }
    }
    routes.sort_by(|one, other| one.0.total_cmp(&other.0));
    routes.dedup_by_key(|(_, route)| *route);
    let fastest = routes[0].0;
    let near = routes.iter().take_while(|(seconds, _)| *seconds <= fastest * NEAR_RATIO);
    near.take(MAX_CANDIDATES).map(|(_, route)| *route).collect()
}

/// Times by the model that are too close to decide which is shorter.
const NEAR_RATIO: f64 = 1.2;
/// Routes that are tried at most.
const MAX_CANDIDATES: usize = 3;

/// Groups into which process columns and process rows are divided.
fn groups(options: &Options, demand: &Demand, network: &Hockney, broadcast: Broadcast) -> [usize; 2] {
    let [rows, columns] = demand.domains;
    let given = [options.group_rows, options.group_columns];
    if given != [0, 0] && options.algorithm != Algorithm::Summa {
        return [given[0].clamp(1, rows), given[1].clamp(1, columns)];
    }
    let hierarchical = options.algorithm == Algorithm::Hsumma || options.levels > 1;
    let powers = (0..usize::BITS).map(|power| 1usize << power).take_while(|&groups| groups <= rows * columns);
    let candidates: Vec<usize> = match options.algorithm {
        Algorithm::Summa => vec![1],
        _ if options.levels == 1 => vec![1],
        _ if hierarchical => powers.filter(|&groups| groups > 1).collect(),
        _ => powers.collect(),
    };
    let seconds = |broadcast, (rows, columns)| demand.seconds(broadcast, [rows, columns], network);
    let Choice { group_rows, group_columns, .. } =
        choose_by((rows, columns), &candidates, &[broadcast], seconds);
    let is_summa = options.algorithm == Algorithm::Summa || options.levels == 1;
    if hierarchical && !is_summa && group_rows * group_columns == 1 {
        // Asked for, where the model would not take it.
        return [rows.div_ceil(2), columns.div_ceil(2)];
    }
    [group_rows, group_columns]
}

impl Route {
    /// The lines of a rank.
    pub fn lines(&self, grid: Grid, domains: &Domains, network: &Hockney) -> [Line; 2] {
        LINES.map(|dimension| {
            let on_line = domains.on_line(dimension, grid);
            let count = match dimension {
                Dimension::Rows => self.groups[1],
                Dimension::Columns => self.groups[0],
            };
            let partitions = partitions(&on_line, count, self.levels);
            Line::new(dimension, grid, &partitions, (self.broadcast, self.inner_block, *network))
        })
    }

    /// Whether panels are sent in more than one level of messages.
    pub fn has_groups(&self) -> bool {
        self.levels > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_never_divided() {
        let domains = [0, 0, 7, 7, 7, 3, 9, 9];
        let made = partitions(&domains, 2, 2);
        assert_eq!(made, [vec![0, 0, 0, 0, 0, 1, 1, 1], vec![0, 0, 1, 1, 1, 2, 3, 3]]);
        assert_eq!(partitions(&domains, 1, 1), [vec![0, 0, 1, 1, 1, 2, 3, 3]]);
        for count in 1..5 {
            for levels in 1..5 {
                let made = partitions(&domains, count, levels);
                assert_eq!(made.len(), levels);
                let same =
                    |partition: &Vec<usize>| partition[0] == partition[1] && partition[6] == partition[7];
                assert!(made.iter().all(same));
            }
        }
    }

    fn choose(options: &Options, demand: &Demand, network: &Hockney) -> Route {
        candidates(options, demand, network)[0]
    }

    #[test]
    fn groups_are_taken_where_the_model_says_so() {
        let demand = Demand { domains: [16, 32], column_bytes: [2048, 1024], columns: 16 };
        let network = Hockney { alpha: 10e-6, beta: 1e-9 };
        let options = Options { broadcast: BroadcastChoice::ScatterAllgather, ..Options::default() };
        let route = choose(&options, &demand, &network);
        assert!([16, 32].contains(&(route.groups[0] * route.groups[1])), "{route:?}");
        let far_bandwidth = Hockney { alpha: 1e-8, beta: 1e-7 };
        let route = choose(&options, &demand, &far_bandwidth);
        assert_eq!((route.groups, route.levels), ([1, 1], 1));
        let asked = Options { algorithm: Algorithm::Hsumma, ..options };
        assert!(choose(&asked, &demand, &far_bandwidth).has_groups());
        let given = Options { group_rows: 3, group_columns: 64, levels: 3, ..options };
        let route = choose(&given, &demand, &network);
        assert_eq!((route.groups, route.levels), ([3, 32], 3));
        let levels = Options { levels: 3, ..options };
        let route = choose(&levels, &demand, &far_bandwidth);
        assert!(route.has_groups() && route.levels == 3, "{route:?}");
        let summa = Options { algorithm: Algorithm::Summa, ..given };
        assert_eq!(choose(&summa, &demand, &network).groups, [1, 1]);
    }
}
