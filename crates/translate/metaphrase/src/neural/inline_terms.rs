//! Terms in the source, for models that were trained with them: a term of the source stands between two marks, with its
//! translation after it, as in `the <begin> house <middle> Gebäude <end> is old`. The model then puts the translation
//! where the term's own would stand, and in the right form.

use super::context::Context;
use crate::forms::without_endings;
use crate::spans::{pieces_in, spans};
use crate::{Attention, Request};
use metaphrase_base::WordId;
use metaphrase_models::Config;
use metaphrase_text::vocab::Vocabulary;
use std::ops::Range;

/// The most terms in one line: models saw one to three.
const MOST: usize = 6;

/// The words that mark terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InlineTerms {
    begin: WordId,
    middle: WordId,
    end: WordId,
}

/// A source with its terms.
pub(crate) struct Annotated {
    /// The words, the end of sentence included.
    pub(crate) words: Vec<WordId>,
    /// By word: the number of the source word that it stands for. Marks and translations stand for the term's first
    /// word.
    pub(crate) columns: Vec<usize>,
}

impl InlineTerms {
    /// The marks that the model's config names; `None` if it names none, or pieces that the vocabulary lacks.
    pub(crate) fn from_config(config: &Config, source: &Vocabulary) -> Option<Self> {
        let [begin, middle, end] = config.inline_terms.as_ref()?.each_ref().map(|mark| source.id(mark));
        Some(Self { begin: begin?, middle: middle?, end: end? })
    }
}

impl Context {
    /// The source with the required terms of the request that have a place in it; `None` without any.
    ///
    /// `words`: the source with the end of sentence; `pieces`: the same without it, as they are written.
    pub(crate) fn annotate(&self, request: &Request, words: &[WordId], pieces: &[String]) -> Option<Annotated> {
        let marks = self.inline_terms?;
        // A term that is copied stands in the source as it is.
        let is_copy = |place: &Range<usize>, target: &String| request.source.get(place.clone()) == Some(target);
        let placed = request.terms.required.iter().filter_map(|term| term.source.as_ref().zip(term.targets.first()));
        let mut placed = placed.filter(|(place, target)| !is_copy(place, target)).peekable();
        placed.peek()?;
        let spans = spans(pieces, &request.source);
        let mut terms: Vec<(Range<usize>, &String)> = Vec::new();
        for (place, target) in placed {
            let words = pieces_in(&spans, place);
            if !words.is_empty() {
                terms.push((words, target));
            }
        }
        terms.sort_by_key(|(place, _)| place.start);
        let mut end = 0;
        terms.retain(|(place, _)| {
            let is_free = place.start >= end;
            end = end.max(place.end);
            is_free
        });
        terms.truncate(MOST);
        (!terms.is_empty()).then(|| self.with_marks(marks, words, &terms))
    }

    /// The words with these terms. `terms` are the places of their source words and their translations; they are in
    /// order and do not overlap.
    fn with_marks(&self, marks: InlineTerms, words: &[WordId], terms: &[(Range<usize>, &String)]) -> Annotated {
        let mut annotated = Annotated { words: Vec::new(), columns: Vec::new() };
        let mut target_words = Vec::new();
        let mut next = 0;
        for (place, target) in terms {
            annotated.extend(words[next..place.start].iter().copied(), next..place.start);
            self.source.encode(&without_endings(target), &mut target_words);
            target_words.pop();
            annotated.push(marks.begin, place.start);
            annotated.extend(words[place.clone()].iter().copied(), place.clone());
            annotated.push(marks.middle, place.start);
            for &word in &target_words {
                annotated.push(word, place.start);
            }
            annotated.push(marks.end, place.start);
            next = place.end;
        }
        annotated.extend(words[next..].iter().copied(), next..words.len());
        annotated
    }
}

impl Annotated {
    /// A source without terms.
    pub(crate) fn plain(words: &[WordId]) -> Self {
        Self { words: words.to_vec(), columns: (0..words.len()).collect() }
    }

    /// The words as the model reads them, after the word that chooses the target language, which stands for the first
    /// word of the source; and the columns, if the words are not those of the source.
    pub(crate) fn read_after(mut self, language: Option<WordId>) -> (Vec<WordId>, Option<Vec<usize>>) {
        if let Some(language) = language {
            self.words.insert(0, language);
            self.columns.insert(0, 0);
        }
        let is_source = self.columns.iter().enumerate().all(|(at, column)| at == *column);
        (self.words, (!is_source).then_some(self.columns))
    }

    fn push(&mut self, word: WordId, column: usize) {
        self.words.push(word);
        self.columns.push(column);
    }

    fn extend(&mut self, words: impl Iterator<Item = WordId>, columns: Range<usize>) {
        self.words.extend(words);
        self.columns.extend(columns);
    }
}

/// The attention of a translation to the words of the source that the caller knows. `weights`: the attention to the
/// `source_len` words that were searched with. `columns`: what these stand for, if there are terms among them.
pub(crate) fn line_attention(weights: Vec<f32>, source_len: usize, columns: Option<&[usize]>) -> Attention {
    let attention = Attention { source_len, weights };
    match columns {
        Some(columns) => without_marks(&attention, columns),
        None => attention,
    }
}

/// Attention over the caller's source, from attention over the source with its terms: the weights of the words that
/// stand for one source word are summed.
fn without_marks(attention: &Attention, columns: &[usize]) -> Attention {
    let source_len = columns.last().map_or(0, |last| last + 1);
    let mut weights = Vec::with_capacity(attention.weights.len() / columns.len().max(1) * source_len);
    for row in attention.weights.chunks_exact(columns.len()) {
        let first = weights.len();
        weights.resize(first + source_len, 0.0);
        for (weight, column) in row.iter().zip(columns) {
            weights[first + column] += weight;
        }
    }
    Attention { source_len, weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_to_a_term_is_attention_to_its_first_word() {
        // A word, a term of two words with its marks and a translation of one word, the end.
        let columns = [0, 1, 1, 2, 1, 1, 1, 3];
        let weights = vec![0.5, 0.0, 0.125, 0.0, 0.125, 0.0, 0.0, 0.25];
        let found = without_marks(&Attention { source_len: 8, weights }, &columns);
        assert_eq!((found.source_len, &found.weights[..]), (4, &[0.5, 0.25, 0.0, 0.25][..]));
    }
}
