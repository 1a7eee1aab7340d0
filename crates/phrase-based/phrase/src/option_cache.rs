//! The options of source phrases that earlier sentences needed, where the table is used from a file.

use crate::candidates::{Candidates, Choice};
use crate::model::PhraseModel;
use crate::options::SearchOptions;
use crate::table::SourceNode;
use foldhash::HashMap;

/// With this many options or more, a new sentence begins anew: some 8 MB.
const MOST_OPTIONS: usize = 1 << 16;

/// Options of a table are scored when a sentence first needs them. All translations of a source phrase have to be
/// scored to find the best ones, and frequent words, which are in most sentences, have hundreds. So the best ones are
/// kept for the next sentences.
#[derive(Debug, Default)]
pub(crate) struct OptionCache {
    /// The number of the decoder whose options these are; none has number 0.
    decoder: u64,
    candidates: Candidates,
    choices: HashMap<SourceNode, Choice>,
}

impl OptionCache {
    /// Begins a sentence of the decoder with this number. Options of another decoder are forgotten.
    pub(crate) fn start(&mut self, decoder: u64) {
        if self.decoder != decoder || self.candidates.list().len() >= MOST_OPTIONS {
            self.decoder = decoder;
            self.candidates.clear();
            self.choices.clear();
        }
    }

    /// The options of a source phrase.
    pub(crate) fn choice(&mut self, model: &PhraseModel, node: SourceNode, options: &SearchOptions) -> Choice {
        *self.choices.entry(node).or_insert_with(|| self.candidates.add_pairs(model, node, options))
    }

    /// All options of this and of earlier sentences.
    pub(crate) fn candidates(&self) -> &Candidates {
        &self.candidates
    }
}
