//! Whether free translations have the required terms.

use super::{Segmented, inflected};
use crate::Endings;
use crate::compounds::{parts_of_compounds, with_hyphens};
use crate::forms::{GERMAN_ENDINGS, with_capital};
use std::collections::HashMap;
use std::ops::Range;

/// The most ways to write a translation with hyphens.
const MOST_WAYS: usize = 4;

impl Segmented {
    /// Whether a free translation of a source has all terms as they are required, and what is copied as often as the
    /// source has it.
    pub(crate) fn is_met_by(&self, source: &str, text: &str, pieces: &[String]) -> bool {
        self.is_met_in(source, text) && self.has_all(text, pieces)
    }

    /// Whether each term has a word of its own in a text, which may have an ending or be a compound.
    pub(crate) fn has_all(&self, text: &str, pieces: &[String]) -> bool {
        self.met_in_text(text, pieces).len() == self.numbers.len()
    }

    fn is_met_in(&self, source: &str, text: &str) -> bool {
        // By forms, how many terms have them: each needs a word of its own.
        let mut wanted: HashMap<&[String], Vec<usize>> = HashMap::new();
        let others = self.numbers.iter().filter(|&&number| self.given.required[number].copied_from(source).is_none());
        others.for_each(|&number| wanted.entry(self.forms[number].as_slice()).or_default().push(number));
        self.has_copies(source, text) && wanted.values().all(|same| self.words_of(same[0], text) >= same.len())
    }

    /// Whether a text has what is copied as often as the source has it.
    pub(crate) fn has_copies(&self, source: &str, text: &str) -> bool {
        let required = self.numbers.iter().map(|&number| &self.given.required[number]);
        required.filter(|term| term.copied_from(source).is_some()).all(|term| {
            let copy = term.targets.first().map(String::as_str).unwrap_or_default();
            !copy.is_empty() && text.matches(copy).count() == source.matches(copy).count()
        })
    }

    /// Whether a translation writes a term of small letters with a capital where no sentence begins, and nowhere else.
    pub(crate) fn has_stray_capital(&self, text: &str) -> bool {
        let anywhere = |number: &usize| self.forms[*number].iter().any(|form| text.contains(form.as_str()));
        self.numbers.iter().any(|number| anywhere(number) && whole_words(&self.forms[*number], text) == 0)
    }

    /// The numbers of the terms that a free translation lacks. Terms with the same forms are all missing if the
    /// translation has the forms less often than there are such terms.
    pub(crate) fn missing_in(&self, text: &str) -> Vec<usize> {
        let lacks = |number: &usize| {
            let same = self.numbers.iter().filter(|&&other| self.forms[other] == self.forms[*number]).count();
            self.words_of(*number, text) < same
        };
        self.numbers.iter().copied().filter(lacks).collect()
    }

    /// How often a text has a term in one of its forms.
    fn words_of(&self, number: usize, text: &str) -> usize {
        whole_words(&self.forms[number], text) + usize::from(self.separate(number, text).is_some())
    }

    /// The place of a verb whose particle stands apart.
    pub(crate) fn separate(&self, number: usize, text: &str) -> Option<Range<usize>> {
        self.verbs[number].as_ref()?.separate(text)
    }

    /// The places of a term that may have endings in compounds.
    pub(crate) fn in_compounds<'t>(&'t self, number: usize, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let may_change = self.given.required[number].endings != Endings::Written;
        self.forms[number].iter().filter(move |_| may_change).flat_map(|form| parts_of_compounds(text, form))
    }

    /// The places of the words that are a term with an ending that German words may have, if it may have endings. A
    /// search can not require all of them: which one a word has is not known.
    pub(crate) fn with_endings<'t>(&'t self, number: usize, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let may_change = self.given.required[number].endings != Endings::Written;
        let forms = self.forms[number].iter().filter(move |_| may_change);
        forms.flat_map(|form| {
            inflected(form, text).filter(|place| GERMAN_ENDINGS.contains(&&text[place.start + form.len()..place.end]))
        })
    }

    /// A free translation in which compounds with the missing terms are written with hyphens, so that the terms are
    /// words, in the ways that German may write them; none if terms are missing for another reason.
    pub(crate) fn with_hyphens(&self, source: &str, text: &str) -> Vec<String> {
        let mut texts = vec![text.to_owned()];
        for &number in &self.numbers {
            let forms = &self.forms[number];
            let same = self.numbers.iter().filter(|&&other| self.forms[other] == *forms).count();
            let mended = |text: String| {
                if whole_words(forms, &text) >= same {
                    return vec![text];
                }
                // The first word of a sentence has a capital, which does not make it a noun.
                let mut nouns = forms.iter().filter(|form| !is_capital(form, forms));
                nouns
                    .find_map(|form| Some(with_hyphens(&text, form)).filter(|texts| !texts.is_empty()))
                    .unwrap_or_default()
            };
            texts = texts.into_iter().flat_map(mended).take(MOST_WAYS).collect();
        }
        texts.retain(|mended| self.is_met_in(source, mended));
        texts
    }
}

/// How often a text has one of these forms as whole words. Those that differ from another one by a capital count at the
/// start of a sentence.
fn whole_words(forms: &[String], text: &str) -> usize {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let found = |form: &String| {
        let is_capital = is_capital(form, forms);
        let places = text.match_indices(form.as_str());
        let whole = places.filter(|(at, found)| {
            is_end(text[..*at].chars().next_back())
                && is_end(text[at + found.len()..].chars().next())
                && (!is_capital || begins_sentence(&text[..*at]))
        });
        if form.is_empty() { 0 } else { whole.count() }
    };
    forms.iter().map(found).sum()
}

/// Whether a form is another one with the capital of a sentence's first word.
fn is_capital(form: &String, forms: &[String]) -> bool {
    forms.iter().any(|other| with_capital(other).as_ref() == Some(form))
}

/// Whether a sentence may begin after this text.
fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| !c.is_alphanumeric() && !".!?:…–".contains(c));
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '…', '–'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_stand_where_sentences_begin() {
        let forms = ["alt", "Alt"].map(str::to_owned);
        for (text, expected) in [
            ("Das Haus ist alt.", 1),
            ("Alt ist das Haus.", 1),
            ("Er sagte: „Alt ist es.“ Alt war es.", 2),
            ("Er wohnt im Alt Haus.", 0),
            ("Der Altbau", 0),
        ] {
            assert_eq!(whole_words(&forms, text), expected, "{text}");
        }
        assert_eq!(whole_words(&["Haus".to_owned()], "Das Haus"), 1);
    }
}
