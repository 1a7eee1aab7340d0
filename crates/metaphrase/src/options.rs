//! How lines are translated.

use crate::{Dictionary, EvidenceOptions, Glossary, GraphUnits, SearchOptions};
use metaphrase_search::ByteWords;
use metaphrase_text::vocab::Vocabulary;
use std::sync::Arc;

/// How lines are translated. [`Translator::options`](crate::Translator::options) gives a model's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslateOptions {
    /// The search. Its `excluded` words are left out in addition to those that the next switches leave out, and its `bytes` are those of the
    /// target vocabulary unless `allow_special`.
    pub search: SearchOptions,
    /// How evidence of other systems counts, for requests that have some, or if the translator has a phrase-based model for it.
    pub evidence: EvidenceOptions,
    /// Keeps the hypotheses of a neural search: [`Translation::search_graph`](crate::Translation::search_graph).
    pub search_graph: Option<GraphUnits>,
    /// Whether translations may contain the unknown word.
    pub allow_unk: bool,
    /// Replaces each unknown word of a translation by the source word that the attention points to or, if the dictionary has
    /// this word, by its translation there. Translations may contain the unknown word then, and the search keeps the attention.
    pub replace_unknown: Option<Dictionary>,
    /// Whether requests have words of the vocabularies, mostly sub-word pieces, with spaces between them instead of text: source,
    /// prefix and given target. Terms are text all the same.
    pub pieces: bool,
    /// Whether translations may contain control characters and broken characters, both of which byte fallback would make possible.
    pub allow_special: bool,
    /// A source, a prefix and a target to score are each cut off after this many pieces, with a note on the line: time
    /// and memory of a search grow with the square of the length.
    pub max_source_length: usize,
    /// The longest sentence that the model translates well, in letters; a character of a script without spaces counts as three. A line
    /// of more than half of it is translated sentence by sentence, and a longer sentence is cut: behind punctuation if there is some,
    /// else between words. `None`: lines stay whole. Lists, alignments, draws, search graphs and pieces are of whole lines in
    /// any case, and so are requests with terms, a prefix, a target or evidence, and lines in which a cut would part a term of the glossary.
    pub longest_sentence: Option<usize>,
    /// Glossaries of these lines, in addition to that of the translator. Where their terms overlap in a source, the first counts.
    pub glossaries: Vec<Arc<Glossary>>,
    /// Whether [`Translation::missing_numbers`](crate::Translation::missing_numbers) reports the numbers that a translation lacks.
    /// Words for numbers are read in the languages that the model names. A line takes microseconds.
    pub check_numbers: bool,
    /// The seed of the draws, when sampling. The number of the line counts too, so that equal lines give different draws.
    pub seed: u64,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self {
            search: SearchOptions::default(),
            evidence: EvidenceOptions::default(),
            search_graph: None,
            allow_unk: false,
            replace_unknown: None,
            pieces: false,
            allow_special: false,
            max_source_length: 1000,
            longest_sentence: None,
            glossaries: Vec::new(),
            check_numbers: false,
            seed: 1,
        }
    }
}

impl TranslateOptions {
    /// The options of the search, with all words that must not appear.
    pub(crate) fn search(&self, target: &Vocabulary) -> SearchOptions {
        let mut search = self.search.clone();
        search.attention |= self.replace_unknown.is_some();
        search.explored |= self.search_graph.is_some();
        if !self.allow_unk && self.replace_unknown.is_none() {
            search.excluded.extend(target.unk());
        }
        if !self.allow_special {
            search.excluded.extend(target.special_words());
            search.bytes = ByteWords::new(target.bytes());
        }
        search.excluded.sort_unstable();
        search.excluded.dedup();
        search
    }
}
