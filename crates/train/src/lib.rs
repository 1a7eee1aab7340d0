//! Training of the neural models: gradients, data, recipes.
//!
//! ```text
//! corpus ──▶ data: batches ──▶ Trainer: networks on a tape ──▶ gradients ──▶ optimizer ──▶ Parameters ──▶ model directory
//! ```

pub mod data;
pub mod networks;
pub mod optimizer;
pub mod parameters;
mod products;
pub mod tape;
mod trainer;

pub use products::Precision;
pub use trainer::{Trainer, TrainerSettings, Update, UpdateError};
