//! HPCC's input file. HPCC reads the first words of each line by position; the words after them are comments.

/// What HPCC solves in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Size of HPL's matrix, from which HPCC derives the other sizes.
    pub n: u32,
    /// Columns of a block.
    pub block: u32,
    /// Process grids, rows and columns, one after the other.
    pub grids: Vec<(usize, usize)>,
    /// HPL's broadcasts, 0 to 5, one after the other.
    pub broadcasts: Vec<usize>,
    /// Look-ahead depth of HPL, in panels.
    pub depth: u32,
}

impl Problem {
    /// Columns of the widest grid.
    pub fn columns(&self) -> usize {
        self.grids.iter().map(|grid| grid.1).max().unwrap_or(1)
    }

    /// The text of `hpccinf.txt`.
    pub fn text(&self) -> String {
        let list = |values: Vec<usize>| values.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let lines = [
            "input of HPCC, written by hcube-lab hpcc".to_owned(),
            "one problem, of which RandomAccess takes the size of its table".to_owned(),
            "hpl.out   file for HPL, not used".to_owned(),
            "8   where HPL reports: a file".to_owned(),
            "1   number of problem sizes".to_owned(),
            format!("{}   problem sizes", self.n),
            "1   number of block sizes".to_owned(),
            format!("{}   block sizes", self.block),
            "0   process mapping by rows".to_owned(),
            format!("{}   number of process grids", self.grids.len()),
            format!("{}   rows of the grids", list(self.grids.iter().map(|grid| grid.0).collect())),
            format!("{}   columns of the grids", list(self.grids.iter().map(|grid| grid.1).collect())),
            "16.0   threshold of the residual".to_owned(),
            "1   number of panel factorisations".to_owned(),
            "2   right-looking".to_owned(),
            "1   number of recursive stops".to_owned(),
            "4   columns at which recursion stops".to_owned(),
            "1   number of panel divisions".to_owned(),
            "2   panels in recursion".to_owned(),
            "1   number of recursive factorisations".to_owned(),
            "1   Crout".to_owned(),
            format!("{}   number of broadcasts", self.broadcasts.len()),
            format!("{}   broadcasts", list(self.broadcasts.clone())),
            "1   number of look-ahead depths".to_owned(),
            format!("{}   depth", self.depth),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_tool::grids::nearest_square;

    #[test]
    fn grids_are_nearly_square() {
        let grids = [1, 2, 3, 4, 6, 8, 12, 13, 36].map(nearest_square);
        assert_eq!(grids, [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (3, 4), (1, 13), (6, 6)]);
    }

    #[test]
    fn what_hpcc_reads_by_position() {
        let grids = vec![(2, 4), (1, 8)];
        let problem = Problem { n: 6000, block: 168, grids, broadcasts: vec![0, 3, 5], depth: 2 };
        let text = problem.text();
        let line = |number: usize| text.lines().nth(number - 1).expect("a line");
        let begins = [
            (6, "6000 "),
            (8, "168 "),
            (10, "2 "),
            (11, "2 1 "),
            (12, "4 8 "),
            (22, "3 "),
            (23, "0 3 5 "),
            (25, "2 "),
            (31, "8 "),
            (32, "# "),
            (33, "0 "),
        ];
        for (number, begin) in begins {
            assert!(line(number).starts_with(begin), "line {number}: {}", line(number));
        }
        assert_eq!(problem.columns(), 8);
    }
}
