//! A model that is ready for searches, for programs that own both.

use crate::candidates::TableOptions;
use crate::error::Error;
use crate::model::PhraseModel;
use crate::options::SearchOptions;
use crate::search::Decoder;
use std::sync::Arc;

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

    /// A decoder with the options that were given, which keeps recombined hypotheses if n-best lists or lattices are
    /// wanted.
    #[must_use]
    pub fn decoder(&self, keep_recombined: bool) -> Decoder<'_> {
        let options = SearchOptions { keep_recombined, ..self.options.clone() };
        let Self { model, lm_weight, number, .. } = self;
        Decoder { model, options, prepared: self.prepared.clone(), lm_weight: *lm_weight, number: *number }
    }
}
