//! The mean of the parameters of several models, as of the last checkpoints of a run.

use crate::data::DataError;
use metaphrase_models::{ModelError, ModelFiles, StoredPrecision, Weights, save};
use std::path::{Path, PathBuf};

/// Models that can not be averaged.
#[derive(Debug, thiserror::Error)]
pub enum AverageError {
    /// A model can not be read, or the mean can not be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The text over which neurons are chosen can not be read.
    #[error(transparent)]
    Text(#[from] DataError),
    /// There is nothing to average.
    #[error("no models are given")]
    None,
    /// Models that can not become one network.
    #[error("{model} and the other models can not become one network: {problem}")]
    Unfold {
        /// The first model.
        model: PathBuf,
        /// The reason.
        problem: String,
    },
    /// Two models are not of one kind.
    #[error("{other} can not be averaged with {first}: {problem}")]
    Unlike {
        /// The first model.
        first: PathBuf,
        /// The one that differs.
        other: PathBuf,
        /// The difference.
        problem: String,
    },
}

/// Writes at `to` a model directory whose parameters are the means of those of `models`, with the vocabularies of the
/// first.
///
/// # Errors
/// If models differ in settings, tensors or shapes, with the first difference; if a file can not be read or written.
pub fn average(models: &[PathBuf], to: &Path, precision: StoredPrecision) -> Result<(), AverageError> {
    let (first, others) = models.split_first().ok_or(AverageError::None)?;
    let files = ModelFiles::find(first)?;
    let (config, weights) = files.load()?;
    let names: Vec<String> = weights.names().map(str::to_owned).collect();
    let mut sums = Vec::new();
    for name in &names {
        let tensor = weights.tensor(name)?;
        // In f64, so that the order of the models does not matter to the result.
        sums.push((tensor.shape.to_vec(), tensor.data.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>()));
    }
    for other in others {
        let unlike = |problem: String| AverageError::Unlike { first: first.clone(), other: other.clone(), problem };
        let (other_config, other_weights) = ModelFiles::find(other)?.load()?;
        if other_config.architecture != config.architecture {
            return Err(unlike("their settings differ".into()));
        }
        if let Some(extra) = other_weights.names().find(|name| !weights.contains(name)) {
            return Err(unlike(format!("only it has a tensor `{extra}`")));
        }
        for (name, (shape, sum)) in names.iter().zip(&mut sums) {
            let tensor = other_weights.find(name).ok_or_else(|| unlike(format!("it has no tensor `{name}`")))?;
            if tensor.shape != &shape[..] {
                return Err(unlike(format!("tensor `{name}` is {:?}, not {shape:?}", tensor.shape)));
            }
            sum.iter_mut().zip(tensor.data.iter()).for_each(|(sum, &v)| *sum += f64::from(v));
        }
    }
    let count = models.len() as f64;
    let mean = |sum: Vec<f64>| sum.into_iter().map(|v| (v / count) as f32).collect();
    let tensors = names.into_iter().zip(sums).map(|(name, (shape, sum))| (name, shape, mean(sum)));
    let weights = Weights::from_tensors(to, tensors)?;
    Ok(save(&config, &weights, &files.vocabularies()?, to, precision)?)
}
