//! Products of distributed matrices.

pub mod arguments;
pub mod axis;
mod broadcasts;
pub mod describe;
mod domain;
pub mod element;
pub mod entrance;
mod factor;
mod fill;
pub mod local;
pub mod model;
mod network;
pub mod options;
mod panels;
mod partial;
pub mod pblas;
pub mod product;
pub mod report;
mod ring;
mod route;
mod runs;
mod scale;
pub mod schedule;
mod shares;
pub mod state;
mod stationary;
mod summa;
mod transit;
mod trials;

pub use options::Options;

pub use summa::MULTIPLY_ADD;
pub use transit::COPY_BYTE;
