//! A language model over a model's target pieces.

use crate::Error;
use metaphrase_base::WordId;
use metaphrase_ngram::{AllWords, END, Model, UNKNOWN};
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

/// The number of symbols that come before the words of the text in a language model: `<unk>`, `<s>` and `</s>`.
const SYMBOLS: usize = 3;

/// Opens a language model for the `words` target words of a neural model. A piece that the language model lacks is
/// `<unk>`.
pub(crate) fn open(path: &Path, weight: f32, target: &Vocabulary, words: usize) -> Result<AllWords, Error> {
    if !(0.0..f32::INFINITY).contains(&weight) {
        return Err(Error::LanguageModelWeight(weight));
    }
    let model = Model::open(path)?;
    let text_words = model.vocabulary().words().skip(SYMBOLS);
    let known = text_words.filter(|word| target.id(word).is_some()).count();
    let all = model.vocabulary().len() - SYMBOLS;
    // A model over whole words has some words that are pieces by chance; a model over other pieces may have some of
    // ours.
    if 2 * known < all {
        return Err(Error::LanguageModelWords { path: path.to_owned(), known, words: all });
    }
    let id = |word: WordId| match word {
        end if end == target.eos() => END,
        // Some models are padded beyond their vocabulary.
        padding if padding.index() >= target.len() => UNKNOWN,
        piece => model.vocabulary().id(target.word(piece)),
    };
    let ids = (0..words).map(WordId::new).map(id).collect();
    Ok(AllWords::new(model, ids))
}
