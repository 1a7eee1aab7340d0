//! The error of a training run.

use crate::UpdateError;
use crate::checkpoint::CheckpointError;
use crate::data::DataError;
use crate::networks::NetworkError;
use crate::recipe::RecipeError;
use crate::trial::DeviceError;
use crate::validation::ValidationError;
use crate::vocabulary::VocabularyTrainingError;
use metaphrase_models::ModelError;
use metaphrase_text::vocab::VocabularyError;
use std::path::PathBuf;

/// The reason why a run ended.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The training data.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A vocabulary.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The training of a vocabulary.
    #[error(transparent)]
    VocabularyTraining(#[from] VocabularyTrainingError),
    /// The network's settings.
    #[error("the network can not be trained: {0}")]
    Network(#[from] NetworkError),
    /// An update.
    #[error("{0}; the last good checkpoint is kept")]
    Update(#[from] UpdateError),
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A validation.
    #[error(transparent)]
    Validation(#[from] ValidationError),
    /// A model that could not be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model from which the run should start.
    #[error("{path}: the run can not start from this model: {problem}")]
    Start {
        /// The model.
        path: PathBuf,
        /// The fault.
        problem: String,
    },
    /// The directory of the run.
    #[error("{path}: {problem}")]
    Output {
        /// The directory.
        path: PathBuf,
        /// The fault.
        problem: String,
    },
}
