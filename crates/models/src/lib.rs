//! Neural translation models: architectures, weights, file formats.

mod buffer;
pub mod config;
mod embedding;
mod error;
mod formats;
mod model;
mod output;
mod scores;
mod stored;
mod transformer;
mod weights;

pub use config::{Architecture, Config};
pub use error::ModelError;
pub use formats::load;
pub use model::{Model, State};
pub use scores::Scores;
pub use stored::Encoding;
pub use transformer::{Transformer, TransformerState};
pub use weights::{Tensor, TensorInfo, Weights};
