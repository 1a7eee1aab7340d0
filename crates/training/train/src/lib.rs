//! Training of the neural models: gradients, data, recipes.
//!
//! ```text
//! corpus ──▶ data: batches ──▶ Trainer: networks on a tape ──▶ gradients
//! gradients ──▶ optimizer ──▶ Parameters ──▶ model directory
//! ```

mod average;
mod checkpoint;
mod curves;
pub mod data;
mod error;
pub mod log;
pub mod networks;
mod new_words;
mod observer;
pub mod optimizer;
mod output;
mod own_files;
pub mod parameters;
pub mod recipe;
mod run;
mod run_vocabularies;
mod shrink;
mod start;
pub mod tape;
mod text_lines;
mod trainer;
mod trial;
mod unfold;
mod validation;
mod vocabulary;

pub use average::{AverageError, average};
pub use checkpoint::{CheckpointError, check as check_checkpoint, is_checkpoint};
pub use curves::{curves, curves_table};
pub use error::TrainError;
pub use metaphrase_device::{Device, Host, TrainingPrecision};
pub use observer::{Observer, Progress, ValidationReport};
pub use recipe::{Recipe, RecipeError};
pub use run::{Execution, train, train_on_cpu};
pub use shrink::{Shrunk, shrink};
pub use trainer::{Trainer, TrainerSettings, Update, UpdateError};
pub use trial::{DeviceError, trial};
pub use unfold::unfold;
pub use validation::ValidationError;
pub use vocabulary::{VocabularyKind, VocabularyTraining, VocabularyTrainingError, extend_vocabulary};
