//! Terms next to quotation marks, brackets and punctuation.

use metaphrase_base::WordId;
use metaphrase_text::vocab::Vocabulary;
use std::collections::HashSet;
use std::ops::Range;

/// The signs that touch a term in the source, as they may in the translation: models write a word after a quotation
/// mark or a bracket with other pieces than a word after a blank, and some write a sign and the end of a word as one
/// piece.
pub(super) struct SignsAround<'s> {
    before: bool,
    after: &'s str,
}

/// Signs before a word.
const OPENING: &[char] = &['(', '[', '{', '"', '“', '„', '”', '‘', '‚', '«', '»', '‹', '›', '<', '/'];

impl<'s> SignsAround<'s> {
    /// `place`: the bytes of the term in the source, if they are known.
    pub(super) fn new(source: &'s str, place: Option<&Range<usize>>) -> Self {
        let around = place.and_then(|place| source.get(..place.start).zip(source.get(place.end..)));
        let Some((before, after)) = around else { return Self { before: source.contains(OPENING), after: "" } };
        let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let end = after.char_indices().take(2).take_while(|(_, c)| is_sign(*c)).map(|(at, c)| at + c.len_utf8()).last();
        Self { before: before.ends_with(is_sign), after: &after[..end.unwrap_or(0)] }
    }

    /// The alternatives of a term, and the same ones as the vocabulary writes them next to signs.
    pub(super) fn with_joined(&self, alternatives: Vec<Vec<WordId>>, target: &Vocabulary) -> Vec<Vec<WordId>> {
        let mut all = alternatives.clone();
        if self.before {
            all.extend(alternatives.iter().filter_map(|words| after_sign(words, target)));
        }
        let first = self.after.chars().next().map_or(0, char::len_utf8);
        for sign in [self.after, &self.after[..first], ",", "."].into_iter().filter(|sign| !sign.is_empty()) {
            let joined: Vec<Vec<WordId>> = all.iter().filter_map(|words| with_sign(words, sign, target)).collect();
            all.extend(joined);
        }
        let mut known = HashSet::new();
        all.retain(|words| known.insert(words.clone()));
        all
    }
}

/// A phrase as the vocabulary writes it right after a bracket, if that differs.
pub(crate) fn after_sign(words: &[WordId], target: &Vocabulary) -> Option<Vec<WordId>> {
    let phrase = target.decode(words);
    let mut joined = Vec::new();
    target.encode(&format!("({phrase}"), &mut joined);
    joined.pop();
    let mut spelled = Vec::new();
    let sign = joined.iter().position(|&word| {
        target.spell(word, &mut spelled);
        spelled.ends_with(b"(")
    })?;
    let joined = joined.split_off(sign + 1);
    let is_same = target.decode(&joined) == phrase && !joined.iter().any(|&word| target.is_unknown(word));
    (is_same && joined != words).then_some(joined)
}

/// A phrase whose last piece has a sign at its end, if the vocabulary has such a piece.
fn with_sign(words: &[WordId], sign: &str, target: &Vocabulary) -> Option<Vec<WordId>> {
    let (&last, before) = words.split_last()?;
    let joined = target.id(&format!("{}{sign}", target.word(last)))?;
    Some(before.iter().copied().chain([joined]).collect())
}
