//! Neural translation models: architectures, weights, file formats.

mod buffer;
pub mod config;
mod convert;
mod embedding;
mod error;
mod files;
mod formats;
pub mod from_bytes;
mod inspect;
mod model;
mod output;
mod recurrent;
mod scores;
mod stored;
mod transformer;
mod weights;

pub use config::{Architecture, Config, DecoderDefaults};
pub use convert::convert;
pub use error::ModelError;
pub use files::{ModelFiles, Vocabularies, VocabularyFiles};
pub use formats::directory::Precision;
pub use formats::{Format, load, load_static};
pub use inspect::{Report, TensorReport, inspect};
pub use model::{Model, State};
pub use recurrent::{Recurrent, RecurrentState};
pub use scores::Scores;
pub use stored::Encoding;
pub use transformer::{Transformer, TransformerState};
pub use weights::{Tensor, TensorInfo, Weights};
