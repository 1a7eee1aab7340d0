//! A model with the options of its searches.

use crate::candidates::TableOptions;
use crate::error::Error;
use crate::model::PhraseModel;
use crate::options::SearchOptions;
use std::f32::consts::LN_10;
use std::sync;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Translates with a model. A decoder never changes; a sentence changes its [`Workspace`](crate::Workspace) alone.
#[derive(Debug)]
pub struct Decoder<'m> {
    pub(crate) model: &'m PhraseModel,
    pub(crate) options: SearchOptions,
    /// Scored options of an in-memory table; a mapped table is scored on demand.
    pub(crate) prepared: Option<sync::Arc<TableOptions>>,
    /// The weight of a log10 probability.
    pub(crate) lm_weight: f32,
    /// Identifies the decoder, from 1: a workspace may serve several, one after the other.
    pub(crate) number: u64,
}

/// The number of the last decoder.
static DECODERS: AtomicU64 = AtomicU64::new(0);

impl<'m> Decoder<'m> {
    /// Makes a model ready for searches with these options.
    pub fn new(model: &'m PhraseModel, options: SearchOptions) -> Result<Self, Error> {
        options.check()?;
        let lm_weight = model.weights.language_model * LN_10;
        if !(lm_weight >= 0.0 && model.weights.iter().all(f32::is_finite)) {
            let sentence =
                "all weights have to be numbers, and the language model's not negative; tune the model again";
            return Err(Error::Options(sentence.into()));
        }
        let prepared = (!model.table().is_mapped()).then(|| sync::Arc::new(TableOptions::new(model, &options)));
        let number = DECODERS.fetch_add(1, Relaxed) + 1;
        Ok(Self { model, options, prepared, lm_weight, number })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m PhraseModel {
        self.model
    }

    /// The options of the search.
    #[must_use]
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }
}
