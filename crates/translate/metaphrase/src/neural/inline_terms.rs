//! Terms in the source, for models that were trained with them: a term of the source stands between two marks, with its
//! translation after it, as in `the <begin> house <middle> Gebäude <end> is old`. The model then puts the translation
//! where the term's own would stand, and in the right form.

use super::context::Context;
use crate::constraints::after_sign;
use crate::{Attention, Request};
use metaphrase_base::WordId;
use metaphrase_text::{MarkedSource, pieces_of_words, spans};
use std::ops::Range;

/// The most terms in one line. Models saw one to three; measured on lines with seven to nine, twelve read better than
/// six.
const MOST: usize = 12;

impl Context {
    /// The source with the required terms of the request that have a place in it; `None` without any.
    ///
    /// `words`: the source with the end of sentence; `pieces`: the same without it, as they are written.
    pub(crate) fn annotate(&self, request: &Request, words: &[WordId], pieces: &[String]) -> Option<MarkedSource> {
        let marks = self.inline_terms?;
        // A term that is copied stands in the source as it is.
        let is_copy = |place: &Range<usize>, target: &String| request.source.get(place.clone()) == Some(target);
        let terms = request.terms.required.iter();
        let placed = terms.filter_map(|term| {
            let place = term.source.as_ref()?;
            Some((place, term.first_form(request.source.get(place.clone())?, self.target_language())?))
        });
        let mut placed = placed.filter(|(place, target)| !is_copy(place, target)).peekable();
        placed.peek()?;
        let spans = spans(pieces, &request.source);
        let mut terms: Vec<(Range<usize>, Vec<WordId>)> = Vec::new();
        for (place, target) in placed {
            let words = pieces_of_words(&spans, place);
            if !words.is_empty() {
                let mut translation = Vec::new();
                self.source.encode(&target, &mut translation);
                translation.pop();
                // After a sign, the model writes the translation as it is written after one here.
                let follows_sign = place.start > 0 && !pieces[words.start].starts_with('\u{2581}');
                let translation =
                    if follows_sign { after_sign(&translation, &self.source) } else { None }.unwrap_or(translation);
                terms.push((words, translation));
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
        (!terms.is_empty()).then(|| marks.insert(words, &terms))
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
