//! The table of factorisations: rates of the whole, from the panels at all places.

use super::super::results::links;
use super::Panels;
use hcube_results::factorisation::{gflops, whole};
use hcube_results::numbers::{significant, time};
use hcube_results::table::Table;

/// The factorisations of a section on a machine.
pub fn render(rows: &[&Panels]) -> String {
    let mut table = Table::new([
        "ranks",
        "per node",
        "grid",
        "order",
        "broadcast",
        "time",
        "GFLOP/s",
        "of bound",
        "errors",
        "links",
    ]);
    for places in rows.chunk_by(|one, other| one.whole() == other.whole()) {
        let Some(row) = places.first() else { continue };
        let all = |of: fn(&Panels) -> f64| {
            let seconds: Vec<f64> = places.iter().map(|row| of(row)).collect();
            whole(row.order, &seconds)
        };
        let Some((seconds, bound)) = all(|row| row.seconds).zip(all(|row| row.bound_seconds)) else {
            continue;
        };
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            format!("{}x{}", row.rows, row.columns),
            row.order.to_string(),
            row.topology.to_owned(),
            time(seconds),
            significant(gflops(row.order, seconds)),
            format!("{:.0}%", 100.0 * bound / seconds),
            places.iter().map(|row| row.errors).sum::<u64>().to_string(),
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
    use hcube_results::factorisation::PLACES;
    use hcube_results::machine::Machine;

    fn panels(ranks: &[usize], full: bool) -> Vec<Panels> {
        let machine = Machine::find("franklin").expect("valid");
        let place = Place { section: Section::Hpl, machine, ranks, ranks_per_node: 4 };
        let cases = cases::batches(&place, full).into_iter().flat_map(|batch| batch.cases);
        cases
            .map(|case| match case {
                Case::Hpl(row) => row,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_rank_alone_reaches_the_rate_of_its_products() {
        let mut rows = panels(&[1], false);
        rows.retain(|row| row.topology == "ring");
        rows.iter_mut().for_each(|row| row.seconds = row.bound_seconds);
        let text = render(&rows.iter().collect::<Vec<_>>());
        let machine = Machine::find("franklin").expect("valid");
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        let rate: f64 = line[line.len() - 4].parse().expect("a rate");
        assert!((0.9..=1.0).contains(&(rate * machine.costs.multiply_ns / 2.0)), "{text}");
    }

    /// The published rate is what the local products of the machine are fitted to: no column compares with it.
    #[test]
    fn rates_do_not_stand_beside_what_they_are_fitted_to() {
        let rows = panels(&[64, 4096], false);
        assert_eq!(rows.len(), (6 + 2) * (PLACES + 1));
        assert_eq!(panels(&[4096], true).len(), 6 * (PLACES + 1));
        let text = render(&rows.iter().collect::<Vec<_>>());
        assert!(!text.contains("published") && text.contains("of bound"), "{text}");
        let said = crate::simulate::published::HPL;
        assert!(said.contains("fitted to it") && said.contains("18.3 TFLOP/s"), "{said}");
        assert!(rows[0].text().starts_with("rows=8,topology=ring,bytes="), "{}", rows[0].text());
    }
}
