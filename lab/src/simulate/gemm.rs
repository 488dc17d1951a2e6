//! Products of matrices by SUMMA and HSUMMA: the rows, and how a simulation of a smaller product is one of a larger.
//!
//! Matrices of the paper do not fit into the memory of one machine. A simulated product has `scale` times fewer rows
//! of A and columns of B, on a machine with `scale` times less bandwidth whose copies take `scale` times as long and
//! whose local products `scale`^2 times: all messages and local products take the time that they have in the large
//! product, and number and columns of panels are the same. Where `k` is less than the order, only the first `k`
//! inner indices are multiplied, with the distribution of the whole matrices. Data is real, and the corners of all
//! local matrices are compared.

pub mod cases;
pub mod table;

use crate::records::Record;
use serde::Serialize;

/// A product of square matrices.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gemm {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// Of the process grid.
    pub rows: usize,
    pub columns: usize,
    /// Order of the matrices.
    pub order: usize,
    /// Inner indices that are multiplied.
    pub k: usize,
    /// Rows and columns of the matrices in the simulation are those of the product divided by this.
    pub scale: usize,
    pub algorithm: &'static str,
    pub broadcast: &'static str,
    /// Groups in rows and columns of the grid; 0 for those that hcube chooses.
    pub group_rows: usize,
    pub group_columns: usize,
    /// 0 for the default.
    pub levels: usize,
    /// Columns of messages inside and between groups.
    pub inner_block: usize,
    pub outer_block: usize,
    /// Ranks that share panels at most; 1: all ranks send messages, 0: all ranks of a node share.
    pub ranks_sharing: usize,
    /// Simulated, with local products that take no time.
    pub communication_seconds: f64,
    /// Simulated, with local products.
    pub seconds: f64,
    pub errors: u64,
    pub path: String,
    pub links_shared: bool,
    /// Bytes of the whole product into the busiest node, counted from the schedules.
    pub port_bytes: Option<f64>,
    /// Time of a multiplication and an addition in the simulation; 0: local products take no time.
    #[serde(skip)]
    pub multiply_ns: f64,
}

impl Gemm {
    /// Number of groups; 0 where hcube chooses it.
    pub fn groups(&self) -> usize {
        self.group_rows * self.group_columns
    }

    /// In the form that the driver reads.
    pub fn text(&self) -> String {
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

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.communication_seconds = record.number("communication")?;
        self.seconds = record.number("seconds")?;
        self.errors = record.count("errors")?;
        record.text("path")?.clone_into(&mut self.path);
        Ok(())
    }

    /// Bytes of a simulation for the matrices and panels of a rank: two local factors, three panels of each, C.
    pub fn bytes_per_rank(&self) -> u64 {
        let (height, width) = (self.order / self.scale / self.rows, self.order / self.scale / self.columns);
        let panels = 3 * (height + width) * self.inner_block.max(self.outer_block);
        let factors = height * self.k.div_ceil(self.columns) + width * self.k.div_ceil(self.rows);
        8 * (panels + factors + height * width) as u64
    }
}
