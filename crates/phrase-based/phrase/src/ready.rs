//! A model that is ready for searches, for programs that own both.

use crate::candidates::TableOptions;
use crate::decoder::Decoder;
use crate::error::Error;
use crate::model::PhraseModel;
use crate::options::SearchOptions;
use std::sync::Arc;

/// The translations of a sentence that a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// The best one.
    Best,
    /// An n-best list or a lattice, for which recombined hypotheses are kept.
    Many,
}

/// A model with everything that its searches compute in advance. A [`Decoder`] borrows its model; this type owns the
/// model, so that a program can keep it and make decoders at no cost.
#[derive(Debug)]
pub struct ReadyModel {
    model: PhraseModel,
    options: SearchOptions,
    prepared: Option<Arc<TableOptions>>,
    lm_weight: f32,
    /// The number of its decoders, which share their options of the table.
    number: u64,
}

impl ReadyModel {
    /// Makes a model ready for searches with these options.
    ///
    /// # Errors
    /// As [`Decoder::new`].
    pub fn new(model: PhraseModel, options: SearchOptions) -> Result<Self, Error> {
        let Decoder { options, prepared, lm_weight, number, .. } = Decoder::new(&model, options)?;
        Ok(Self { model, options, prepared, lm_weight, number })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &PhraseModel {
        &self.model
    }

    /// A decoder with the options that were given, for these results.
    #[must_use]
    pub fn decoder(&self, results: Results) -> Decoder<'_> {
        let keep_recombined = results == Results::Many;
        let options = SearchOptions { keep_recombined, ..self.options.clone() };
        let Self { model, lm_weight, number, .. } = self;
        Decoder { model, options, prepared: self.prepared.clone(), lm_weight: *lm_weight, number: *number }
    }
}
