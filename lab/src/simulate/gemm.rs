//! Products of matrices by SUMMA and HSUMMA, and how a simulation of a smaller product is one of a larger.
//!
//! Matrices of Quintin et al. 2013 do not fit into the memory of one machine. A simulated product has `scale`
//! times fewer rows of A and columns of B, on a machine with `scale` times less bandwidth whose copies take
//! `scale` times as long and whose local products `scale`^2 times: all messages and local products take the
//! time that they have in the large product, and number and columns of panels are the same. Where `k` is less
//! than the order, only the first `k` inner indices are multiplied, with the distribution of the whole
//! matrices. Data is real, and the corners of all local matrices are compared.

pub mod cases;

use super::columns::{Layout, Line, NONE, both, maybe, printed, shown};
use super::row::{Outcome, Row, Site};
use crate::records::Record;
use hcube_gemm::model::paper::{MEASURED, ORDER};
use hcube_results::numbers::{bytes, time};
use hcube_results::plot::Evidence::{Published, Simulated};
use hcube_results::table::SPEED_UP;
use serde::{Deserialize, Serialize};

/// A product of square matrices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Gemm {
    #[serde(flatten)]
    pub site: Site,
    /// Of the process grid.
    #[serde(default)]
    pub rows: usize,
    #[serde(default)]
    pub columns: usize,
    /// Order of the matrices.
    pub order: usize,
    /// Inner indices that are multiplied.
    pub k: usize,
    /// Rows and columns of the matrices in the simulation are the rows and columns of the product divided by
    /// this.
    #[serde(default)]
    pub scale: usize,
    /// The name in `HCUBE_GEMM`.
    pub algorithm: String,
    /// The name in `HCUBE_GEMM_BROADCAST`.
    pub broadcast: String,
    /// Groups in rows and columns of the grid; 0 for those that hcube chooses.
    pub group_rows: usize,
    pub group_columns: usize,
    /// 0 for the default.
    #[serde(default)]
    pub levels: usize,
    /// Columns of messages inside and between groups.
    pub inner_block: usize,
    #[serde(default)]
    pub outer_block: usize,
    /// Ranks that share panels at most; 1: all ranks send messages, 0: all ranks of a node share.
    pub ranks_sharing: usize,
    /// Simulated, with local products that take no time.
    pub communication_seconds: f64,
    /// Simulated, with local products.
    pub seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    #[serde(default)]
    pub path: String,
    /// Bytes of the whole product into the busiest node, counted from the schedules.
    pub port_bytes: Option<f64>,
    /// Time of a multiplication and an addition in the simulation; 0: local products take no time.
    #[serde(skip)]
    multiply_ns: f64,
}

impl Gemm {
    /// Number of groups; 0 where hcube chooses it.
    pub fn groups(&self) -> usize {
        self.group_rows * self.group_columns
    }

    /// Panels that are multiplied.
    pub fn panels(&self) -> usize {
        self.k.div_ceil(self.inner_block)
    }
}

impl Row for Gemm {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("gemm", None)
    }

    fn text(&self) -> String {
        let Self { rows, columns, order, k, group_rows, group_columns, levels, .. } = self;
        let size = order / self.scale;
        let mut text = format!(
            "grid={rows}x{columns},m={size},n={size},k={k},order={order},algorithm={},broadcast={},levels={levels},\
             inner={},outer={},ranks_per_node={},multiply={},check=corners",
            self.algorithm,
            self.broadcast,
            self.inner_block,
            self.outer_block,
            self.ranks_sharing,
            self.multiply_ns * (self.scale * self.scale) as f64
        );
        if self.groups() > 0 {
            text += &format!(",groups={group_rows}x{group_columns}");
        }
        text
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.communication_seconds = record.number("communication")?;
        self.seconds = record.number("seconds")?;
        record.text("path")?.clone_into(&mut self.path);
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("ranks", self.site.ranks as f64),
            ("order", self.order as f64),
            ("inner_block", self.inner_block as f64),
            ("communication_seconds", self.communication_seconds),
            ("seconds", self.seconds),
        ]
    }

    fn scale(&self) -> usize {
        self.scale
    }

    /// Two local factors, three panels of each, C.
    fn bytes_per_rank(&self) -> u64 {
        let (height, width) = (self.order / self.scale / self.rows, self.order / self.scale / self.columns);
        let panels = 3 * (height + width) * self.inner_block.max(self.outer_block);
        let factors = height * self.k.div_ceil(self.columns) + width * self.k.div_ceil(self.rows);
        8 * (panels + factors + height * width) as u64
    }
}

/// The measurement of Quintin et al. 2013 with the best number of groups, for the machine and the matrices of
/// their Figure 9.
fn published(row: &Gemm) -> Option<f64> {
    let of_paper = row.site.machine == "bluegene-p" && row.order == ORDER;
    let measured = MEASURED.iter().find(|measured| of_paper && measured.ranks == row.site.ranks)?;
    Some(measured.gain)
}

/// Speed-up of the communication of a row over SUMMA: SUMMA with the same matrices and the same broadcast,
/// without shared panels.
pub fn gain(line: &Line<'_, Gemm>) -> Option<f64> {
    let same = |one: &Gemm| (one.site.clone(), one.order, one.k, one.inner_block, one.broadcast.clone());
    let is_summa =
        |one: &&&Gemm| one.algorithm == "summa" && one.ranks_sharing == 1 && same(one) == same(line.row);
    let summa = line.all.iter().find(is_summa)?;
    Some(summa.communication_seconds / line.row.communication_seconds)
}

fn groups(row: &Gemm) -> String {
    match (row.groups(), row.algorithm.as_str()) {
        (0, "auto") if row.path == "summa" => "chosen: 1".to_owned(),
        (0, "auto") => "chosen".to_owned(),
        (0, _) => "1".to_owned(),
        (groups, _) => format!("{groups} ({}x{})", row.group_rows, row.group_columns),
    }
}

fn ratio(value: Option<f64>) -> String {
    maybe(value, |value| format!("{value:.2}"))
}

/// Speed-up of the communication over SUMMA, beside the published one.
pub const LAYOUT: Layout<Gemm> = Layout {
    title: "Matrix products",
    columns: &[
        both(["ranks", "ranks"], None, |line| line.row.site.ranks.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        printed("grid", |line| format!("{}x{}", line.row.rows, line.row.columns)),
        both(["n", "n"], None, |line| line.row.order.to_string()),
        both(["b", "b"], None, |line| line.row.inner_block.to_string()),
        printed("panels", |line| {
            format!("{} of {}", line.row.panels(), line.row.order.div_ceil(line.row.inner_block))
        }),
        shown("panels", None, |line| line.row.panels().to_string()),
        printed("broadcast", |line| line.row.broadcast.clone()),
        printed("groups", |line| groups(line.row)),
        shown("groups", None, |line| {
            format!("{}×{}", line.row.group_rows.max(1), line.row.group_columns.max(1))
        }),
        printed("panels of", |line| if line.row.ranks_sharing == 1 { "a rank" } else { "a node" }.to_owned()),
        both(["communication", "communication"], Some(Simulated), |line| {
            time(line.row.communication_seconds)
        }),
        printed(
            "total",
            |line| {
                if line.row.multiply_ns > 0.0 { time(line.row.seconds) } else { NONE.to_owned() }
            },
        ),
        shown("total", Some(Simulated), |line| time(line.row.seconds)),
        both([SPEED_UP, SPEED_UP], Some(Simulated), |line| ratio(gain(line))),
        printed("published", |line| ratio(published(line.row).filter(|_| line.row.inner_block == 256))),
        shown("best speed-up", Some(Published), |line| ratio(published(line.row))),
        printed("into a port", |line| maybe(line.row.port_bytes, bytes)),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};
