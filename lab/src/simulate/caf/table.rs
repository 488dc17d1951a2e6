//! The tables of coarrays.

use super::super::results::links;
use super::{Team, Updates};
use hcube_results::numbers::{significant, time};
use hcube_results::table::Table;

/// The teams of a section on a machine.
pub fn teams(rows: &[&Team]) -> String {
    let mut table = Table::new([
        "images", "per node", "team", "members", "words", "split", "barrier", "lookup", "again", "reads",
        "log2", "errors", "links",
    ]);
    for row in rows {
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.team.to_owned(),
            row.members.to_string(),
            row.words.to_string(),
            if row.team == "world" { "-".to_owned() } else { time(row.split_seconds) },
            time(row.barrier_seconds),
            time(row.lookup_seconds),
            time(row.access_seconds),
            row.reads.to_string(),
            row.members.next_power_of_two().ilog2().to_string(),
            row.errors.to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

/// The updates of a section on a machine.
pub fn updates(rows: &[&Updates]) -> String {
    let mut table = Table::new([
        "images",
        "per node",
        "by",
        "values",
        "GUP/s",
        "published",
        "reductions",
        "errors",
        "links",
    ]);
    for row in rows {
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.by.to_owned(),
            row.values.to_string(),
            significant(row.gups),
            row.published_gups.map_or_else(|| "-".to_owned(), significant),
            row.reductions.to_string(),
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

    fn place(ranks: &[usize]) -> Place<'_> {
        let machine = Machine::find("franklin").expect("valid");
        Place { section: Section::CoarrayUpdates, machine, ranks, ranks_per_node: 4 }
    }

    #[test]
    fn the_paper_has_a_rate_of_events_and_of_spawn_on_4096_images_only() {
        let batches = cases::updates(&place(&[3, 64, 4096]), false);
        let rows: Vec<_> = batches.iter().flat_map(|batch| &batch.cases).collect();
        let found: Vec<_> = rows
            .iter()
            .map(|case| match case {
                Case::Updates(row) => (row.by, row.ranks, row.published_gups),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, [("events", 64, None), ("events", 4096, Some(2.01)), ("spawn", 64, None)]);
        assert_eq!(cases::updates(&place(&[4096]), true).len(), 2);
        let text = rows[0].text();
        assert!(text.starts_with("what=events,values=1024,rounds=2,generate="), "{text}");
    }

    #[test]
    fn the_bound_of_reads_stands_beside_them() {
        assert_eq!(cases::teams(&place(&[8192]), false).len(), 1);
        let mut all = cases::teams(&place(&[8192]), true);
        let Some(Case::Team(mut row)) = all.remove(1).cases.pop() else { panic!("a team") };
        (row.members, row.reads, row.split_seconds) = (8192, 6, 1e-3);
        let text = teams(&[&row]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        assert_eq!((line[2], line[3], line[5]), ("all", "8192", "1.000"), "{text}");
        assert!(line.windows(2).any(|pair| pair == ["6", "13"]), "{text}");
    }
}
