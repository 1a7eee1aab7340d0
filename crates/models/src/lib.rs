//! Neural translation models: architectures, weights, file formats.

mod buffer;
pub mod config;
mod error;
mod formats;
mod stored;
mod weights;

pub use config::{Architecture, Config};
pub use error::ModelError;
pub use formats::load;
pub use stored::Encoding;
pub use weights::{Tensor, TensorInfo, Weights};
