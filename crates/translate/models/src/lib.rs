//! Neural translation models: architectures, weights, file formats.
//!
//! ```text
//! file or directory ──▶ load ──▶ Config, Weights ──▶ Model ──▶ step by step: Scores
//!      formats/                  config, weights     model       transformer/, recurrent/
//! ```
//!
//! * [`Model`] is any of the architectures; [`Model::load`] reads it from any of the formats. It is a
//!   [`StepModel`](metaphrase_base::StepModel): search encodes sentences, asks for a step of some rows, and puts its
//!   questions to the [`Scores`].
//! * [`Config`] and [`Weights`] are what all formats become: settings, and tensors under Marian's names.
//!
//! ```no_run
//! use metaphrase_base::{SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
//! use metaphrase_models::Model;
//!
//! # fn main() -> Result<(), metaphrase_models::ModelError> {
//! let model = Model::load("en-de".as_ref())?;
//! let (mut state, mut scores) = (model.new_state(), model.new_scores());
//! model.encode(&[Sentence::new(SentId(0), &[WordId(513), WordId(2), WordId(0)])], &mut state);
//! let row = StepRow { sentence: SentId(0), parent: None };
//! model.step(Step::New, StepDemand::ANYTHING, &[row], &mut state, &mut scores);
//! let mut best = Vec::new();
//! scores.top(0..1, &[0.0], 5, &[], &mut best); // the five most probable first words
//! # Ok(())
//! # }
//! ```

mod buffer;
mod comparison;
pub mod config;
mod convert;
pub mod device;
mod embedding;
mod ensemble;
mod error;
mod export;
mod files;
mod formats;
pub mod from_bytes;
mod inspect;
mod linear;
mod model;
mod on_device;
mod output;
pub mod parts;
mod ragged;
mod recurrent;
mod scores;
mod stored;
mod transformer;
mod weights;

pub use comparison::Comparison;
pub use config::{Architecture, Config, DecoderDefaults};
pub use convert::{PreparePieces, check_free, convert, convert_prepared, replace, save};
pub use ensemble::EnsembleState;
pub use error::ModelError;
pub use export::{ExportedModel, ForeignFormat, ModelWords, export};
pub use files::{
    ModelFiles, MosesScripts, NamedLanguages, Numbering, PreparedPieces, ShortlistFile, Vocabularies, VocabularyFiles,
};
pub use formats::directory::{MANIFEST, StoredPrecision};
pub use formats::{Format, load, load_static};
pub use inspect::{Report, TensorReport, inspect};
pub use metaphrase_kernels::{Precision, with_team};
pub use model::{Model, State};
pub use recurrent::{Optimizations, RecurrentState};
pub use scores::Scores;
pub use stored::Encoding;
pub use transformer::{TransformerState, position_vectors};
pub use weights::{Tensor, Weights};
