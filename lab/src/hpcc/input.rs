//! HPCC's input file. HPCC reads the first words of each line by position; the words after them are comments.

/// The process grid with P <= Q that is nearest to a square.
pub fn process_grid(ranks: usize) -> (usize, usize) {
    let rows = (1..=ranks.isqrt()).rev().find(|rows| ranks.is_multiple_of(*rows)).unwrap_or(1);
    (rows, ranks / rows)
}

/// The text of `hpccinf.txt` for one problem of size `n`.
pub fn text(n: u32, ranks: usize) -> String {
    let (rows, columns) = process_grid(ranks);
    let lines = [
        "input of HPCC, written by hcube-lab hpcc".to_owned(),
        "one problem, of which RandomAccess takes the size of its table".to_owned(),
        "hpl.out   file for HPL, not used".to_owned(),
        "8   where HPL reports: a file".to_owned(),
        "1   number of problem sizes".to_owned(),
        format!("{n}   problem sizes"),
        "1   number of block sizes".to_owned(),
        "80   block sizes".to_owned(),
        "0   process mapping by rows".to_owned(),
        "1   number of process grids".to_owned(),
        format!("{rows}   rows of the grids"),
        format!("{columns}   columns of the grids"),
        "16.0   threshold of the residual".to_owned(),
        "1   number of panel factorisations".to_owned(),
        "2   right-looking".to_owned(),
        "1   number of recursive stops".to_owned(),
        "4   columns at which recursion stops".to_owned(),
        "1   number of panel divisions".to_owned(),
        "2   panels in recursion".to_owned(),
        "1   number of recursive factorisations".to_owned(),
        "1   Crout".to_owned(),
        "1   number of broadcasts".to_owned(),
        "1   modified ring".to_owned(),
        "1   number of look-ahead depths".to_owned(),
        "1   depth".to_owned(),
        "2   row swaps: mixed".to_owned(),
        "64   threshold of the swaps".to_owned(),
        "0   L1 transposed".to_owned(),
        "0   U transposed".to_owned(),
        "1   equilibration".to_owned(),
        "8   alignment in doubles".to_owned(),
        "# a line that HPCC skips".to_owned(),
        "0   further problem sizes of PTRANS".to_owned(),
        "0   none".to_owned(),
        "0   further block sizes of PTRANS".to_owned(),
        "0   none".to_owned(),
    ];
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_nearly_square() {
        let grids = [1, 2, 3, 4, 6, 8, 12, 13, 36].map(process_grid);
        assert_eq!(grids, [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (3, 4), (1, 13), (6, 6)]);
    }

    #[test]
    fn what_hpcc_reads_by_position() {
        let text = text(6000, 8);
        let first = |line: usize| text.lines().nth(line - 1).and_then(|line| line.split_whitespace().next());
        assert_eq!(
            (first(6), first(8), first(11), first(12)),
            (Some("6000"), Some("80"), Some("2"), Some("4"))
        );
        assert_eq!((first(31), first(32), first(33)), (Some("8"), Some("#"), Some("0")));
    }
}
