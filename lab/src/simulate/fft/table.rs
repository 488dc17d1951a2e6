//! The table of transforms.

use super::super::results::links;
use super::Transform;
use hcube_results::numbers::{significant, time};
use hcube_results::table::Table;

/// The transforms of a section on a machine.
pub fn render(rows: &[&Transform]) -> String {
    let mut table = Table::new([
        "ranks",
        "per node",
        "algorithm",
        "length",
        "time",
        "exchanges",
        "GFLOP/s",
        "published",
        "errors",
        "links",
    ]);
    for row in rows {
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.algorithm.to_owned(),
            format!("2^{}", (row.ranks * row.part).ilog2()),
            time(row.seconds),
            time(row.exchange_seconds),
            significant(row.gflops),
            row.published_gflops.map_or_else(|| "-".to_owned(), significant),
            row.errors.to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::super::super::arguments::Section;
    use super::super::super::place::Place;
    use super::super::super::results::Case;
    use super::super::cases;
    use super::*;
    use hcube_results::machine::Machine;

    fn transforms(machine: &str, ranks: &[usize], full: bool) -> Vec<Transform> {
        let machine = Machine::find(machine).expect("valid");
        let place = Place { section: Section::Fft, machine, ranks, ranks_per_node: 4 };
        let cases = cases::batches(&place, full).into_iter().flat_map(|batch| batch.cases);
        cases
            .map(|case| match case {
                Case::Fft(row) => row,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_part_and_the_levels_that_it_lacks_are_those_of_the_long_vector() {
        for row in transforms("franklin", &[3, 4, 256, 4096], true) {
            assert_eq!(row.part, 1 << 24);
            let text = row.text();
            let level = |name: &str| {
                let value = text.split(',').find_map(|part| part.strip_prefix(name)).expect("a pair");
                value.parse::<u32>().expect("a number")
            };
            assert_eq!(1 << (24 - level("levels=")), level("part="), "{text}");
            assert!(level("part=") as usize >= row.ranks, "{text}");
        }
    }

    #[test]
    fn the_paper_has_one_rate_by_binary_exchange() {
        let found = transforms("franklin", &[256, 4096], false);
        let found: Vec<_> =
            found.iter().map(|row| (row.algorithm, row.ranks, row.published_gflops)).collect();
        let expected =
            [("six-step", 256, None), ("binary-exchange", 256, None), ("binary-exchange", 4096, Some(125.0))];
        assert_eq!(found, expected);
        assert!(transforms("fat-nodes", &[4096], false).iter().all(|row| row.published_gflops.is_none()));
    }

    #[test]
    fn rows_are_rendered() {
        let mut row = transforms("franklin", &[4096], false).remove(0);
        (row.seconds, row.gflops) = (0.5, 100.0);
        let text = render(&[&row]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        assert!(line.contains(&"2^36") && line.contains(&"125.0"), "{text}");
    }
}
