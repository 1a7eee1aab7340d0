//! What a translation is told.

use metaphrase_search::Options as Search;
use metaphrase_text::vocab::Vocabulary;

/// How lines are translated. [`Translator::options`](crate::Translator::options) gives a model's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslateOptions {
    /// The search. Its `excluded` words come on top of those that the two switches below exclude.
    pub search: Search,
    /// Whether translations may contain the unknown word.
    pub allow_unk: bool,
    /// Whether translations may contain control characters, which byte fallback would make possible.
    pub allow_special: bool,
    /// Longer sources are cut off after this many pieces, with a note on the line: time and memory of a search
    /// grow with the square of the length.
    pub max_source_length: usize,
    /// What draws start from, when sampling; each line also counts, so that equal lines give different draws.
    pub seed: u64,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self { search: Search::default(), allow_unk: false, allow_special: false, max_source_length: 1000, seed: 1 }
    }
}

impl TranslateOptions {
    /// The search's options with all words that must not appear.
    pub(crate) fn search(&self, target: &Vocabulary) -> Search {
        let mut search = self.search.clone();
        if !self.allow_unk {
            search.excluded.extend(target.unk());
        }
        if !self.allow_special {
            search.excluded.extend(target.special_words());
        }
        search.excluded.sort_unstable();
        search.excluded.dedup();
        search
    }
}
