//! Training of the neural models: gradients, data, recipes.
//!
//! ```text
//! corpus ──▶ data: batches ──▶ Trainer: networks on a tape ──▶ gradients ──▶ optimizer ──▶ Parameters ──▶ model directory
//! ```

mod average;
mod checkpoint;
mod curves;
pub mod data;
pub mod log;
pub mod networks;
mod on_cuda;
pub mod optimizer;
pub mod parameters;
pub mod recipe;
mod run;
pub mod tape;
mod text_lines;
mod trainer;
mod validation;
mod vocabulary;

pub use average::{AverageError, average};
pub use checkpoint::CheckpointError;
pub use curves::curves;
pub use metaphrase_cuda::{Cuda, CudaError};
pub use metaphrase_device::Precision;
pub use on_cuda::DeviceError;
pub use recipe::Recipe;
pub use run::{Execution, Observer, Progress, TrainError, Validated, train};
pub use trainer::{Trainer, TrainerSettings, Update, UpdateError};
pub use validation::ValidationError;
