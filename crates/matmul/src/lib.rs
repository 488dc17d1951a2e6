//! Memory-efficient products of matrices as bulk-synchronous programs.
//!
//! C = A B for dense n x n matrices of doubles, computed in blocks whose size determines the temporary memory
//! of a process: three blocks. The product runs on the processes of an [`Spmd`](hcube_bsp::Spmd).
//!
//! ```
//! use hcube_matmul::{Distribution, Layout, Problem, temporary_bytes};
//!
//! // The smallest number of blocks for four processes: one for each of them.
//! let problem = Problem { n: 100, blocks: 0, distribution: Distribution::Customized };
//! let layout = Layout::new(&problem, 4)?;
//! assert_eq!((layout.blocks(), layout.local_elements(3)), (2, 50 * 50));
//! // No column remains, for which a process would need a third block.
//! assert_eq!(temporary_bytes(&layout), 2 * 50 * 50 * size_of::<f64>());
//! # Ok::<(), hcube_core::Error>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`product`] | the algorithm |
//! | [`distribution`] | the location of the elements of the matrices |
//! | [`plan`] | which product a process computes in which superstep |
//! | [`block`] | blocks in memory |
//! | [`plain`] | the product of two blocks, without BLAS |
//! | [`cost`] | the cost in the BSP model |
//! | [`options`] | options of users |

pub mod block;
pub mod cost;
pub mod distribution;
pub mod options;
pub mod plain;
pub mod plan;
pub mod product;

pub use block::{Block, Sizes};
pub use distribution::{Layout, Problem, blocks_within, default_blocks};
pub use options::Distribution;
pub use product::{Functions, MULTIPLY_ADD, Matrices, Progress, multiply, temporary_bytes};
