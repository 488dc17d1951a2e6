//! Grids of processes on the command line.

/// More ranks than any machine has had cores for.
pub const MAX_RANKS: usize = 1 << 20;

/// Rows and columns from `PxQ`.
pub fn parse(text: &str) -> Result<(usize, usize), String> {
    let sides =
        text.split_once('x').and_then(|(rows, columns)| Some((rows.parse().ok()?, columns.parse().ok()?)));
    let fits = |&(rows, columns): &(usize, usize)| {
        rows.checked_mul(columns).is_some_and(|ranks| (1..=MAX_RANKS).contains(&ranks))
    };
    sides
        .filter(fits)
        .ok_or_else(|| format!("expected rows and columns, such as 8x16, of at most {MAX_RANKS} ranks"))
}

/// The factors of a number that are nearest to each other, the smaller first.
pub fn nearest_square(ranks: usize) -> (usize, usize) {
    let rows = (1..=ranks.isqrt()).rev().find(|&rows| ranks.is_multiple_of(rows)).unwrap_or(1);
    (rows, ranks / rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_rows_and_columns() {
        assert_eq!((parse("2x4"), parse("1x1")), (Ok((2, 4)), Ok((1, 1))));
        let wrong = ["0x4", "4", "x", "4x", "2000x2000", "99999999999999x99999999999"];
        assert!(wrong.iter().all(|text| parse(text).is_err()));
        assert_eq!([1, 12, 13, 512].map(nearest_square), [(1, 1), (3, 4), (1, 13), (16, 32)]);
    }
}
