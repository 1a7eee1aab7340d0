//! Whether free translations have the required terms.

use super::Segmented;
use crate::compounds::with_hyphen;
use std::collections::HashMap;

impl Segmented {
    /// Whether a free translation of a source has all terms as they are required, and what is copied as often as the
    /// source has it.
    pub(crate) fn is_met_by(&self, source: &str, text: &str, pieces: &[String]) -> bool {
        self.is_met_in(source, text) && self.met_in_text(text, pieces).len() == self.numbers.len()
    }

    fn is_met_in(&self, source: &str, text: &str) -> bool {
        let required = |number: &usize| &self.given.required[*number];
        let (copies, others): (Vec<&usize>, Vec<&usize>) =
            self.numbers.iter().partition(|number| required(number).copied_from(source).is_some());
        let is_copied = |number: &&usize| {
            let copy = required(number).targets.first().map(String::as_str).unwrap_or_default();
            !copy.is_empty() && text.matches(copy).count() == source.matches(copy).count()
        };
        // By forms, how many terms have them: each needs a word of its own.
        let mut wanted: HashMap<&[String], usize> = HashMap::new();
        others.iter().for_each(|&&number| *wanted.entry(self.forms[number].as_slice()).or_default() += 1);
        copies.iter().all(is_copied) && wanted.iter().all(|(forms, &count)| whole_words(forms, text) >= count)
    }

    /// The numbers of the terms that a free translation lacks. Where it has some of several terms with the same forms,
    /// all of these.
    pub(crate) fn missing_in(&self, text: &str) -> Vec<usize> {
        let lacks = |number: &usize| {
            let same = self.numbers.iter().filter(|&&other| self.forms[other] == self.forms[*number]).count();
            whole_words(&self.forms[*number], text) < same
        };
        self.numbers.iter().copied().filter(lacks).collect()
    }

    /// A free translation in which compounds with the missing terms are written with hyphens, so that the terms are
    /// words: `None` if terms are missing for another reason.
    pub(crate) fn with_hyphens(&self, source: &str, text: &str) -> Option<String> {
        let mut mended = text.to_owned();
        for &number in &self.numbers {
            let forms = &self.forms[number];
            let same = self.numbers.iter().filter(|&&other| self.forms[other] == *forms).count();
            if whole_words(forms, &mended) < same {
                mended = forms.iter().find_map(|form| with_hyphen(&mended, form))?;
            }
        }
        self.is_met_in(source, &mended).then_some(mended)
    }
}

/// How often a text has one of these phrases as whole words.
fn whole_words(phrases: &[String], text: &str) -> usize {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let found = |phrase: &String| {
        let places = text.match_indices(phrase.as_str());
        let whole = places.filter(|(at, found)| {
            is_end(text[..*at].chars().next_back()) && is_end(text[at + found.len()..].chars().next())
        });
        if phrase.is_empty() { 0 } else { whole.count() }
    };
    phrases.iter().map(found).sum()
}
