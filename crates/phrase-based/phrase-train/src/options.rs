//! How to train.

use crate::tuning::TuneOptions;
use metaphrase_align::ExtractOptions;
use metaphrase_ngram::{Discounts, EstimateOptions};
use std::path::PathBuf;

/// How to train.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// How words are aligned.
    pub align: metaphrase_align::Options,
    /// Whether they are aligned in lower case; the tables keep the case.
    pub lowercase: bool,
    /// How tables are made.
    pub extract: ExtractOptions,
    /// The file of a language model; `None`: one is estimated from the target text.
    pub language_model: Option<PathBuf>,
    /// How the language model is estimated.
    pub estimate: EstimateOptions,
    /// Whether tables and language model are compiled: `moses.ini` then names the compiled files. They give the same
    /// translations as the text, and are read at once.
    pub compile: bool,
    /// How many source words a jump may pass.
    pub distortion_limit: usize,
    /// How weights are tuned; the distortion limit is the one above.
    pub tune: TuneOptions,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            align: metaphrase_align::Options::default(),
            lowercase: true,
            extract: ExtractOptions::default(),
            language_model: None,
            // Texts of a few thousand sentences may have no n-gram that occurs a certain number of times.
            estimate: EstimateOptions { fallback: Some(Discounts([0.5, 1.0, 1.5])), ..EstimateOptions::default() },
            compile: true,
            distortion_limit: 6,
            tune: TuneOptions::default(),
        }
    }
}
