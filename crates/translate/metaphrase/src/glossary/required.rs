//! The terms of glossaries that a source sentence requires.

use super::find::FoundTerm;
use super::{Glossary, composed};
use crate::forms::{is_german_plural, plural_forms, without_region};
use crate::{Endings, Keep, RequiredTerm, TermForms};
use metaphrase_document::find;
use metaphrase_text::german::Verb;
use std::ops::Range;

/// The glossaries of a translation, the first of which counts where their terms overlap.
#[derive(Clone)]
pub(crate) struct GlossaryTerms<'g> {
    glossaries: Vec<&'g Glossary>,
    /// The languages between which terms have other forms.
    languages: Option<[&'g str; 2]>,
}

impl<'g> GlossaryTerms<'g> {
    /// `languages`: those of the source and of the translation, if they are known.
    pub(crate) fn new(glossaries: Vec<&'g Glossary>, languages: Option<&'g [String; 2]>, forms: TermForms) -> Self {
        let languages = languages.map(|[from, to]| [from.as_str(), to.as_str()]);
        let have_endings = |languages: &[&str; 2]| {
            languages.iter().all(|language| matches!(without_region(Some(*language)), Some("de" | "en")))
        };
        let languages = languages.filter(have_endings).filter(|_| forms == TermForms::Inflected);
        Self { glossaries, languages }
    }

    /// The required terms of a source sentence: its own, then those of the glossaries.
    pub(crate) fn with_own(&self, own: Vec<RequiredTerm>, source: &str) -> Vec<RequiredTerm> {
        required_terms(own, &self.glossaries, source, self.languages)
    }
}

/// The terms that a source sentence requires: its own, in their order, then those of the glossaries, from left to
/// right.
///
/// Where terms overlap in the source the sentence's own counts, then that of the first glossary. A term that stands
/// inside a thing that stays, as a word of a path or of an address, is none. Where a term of the sentence's own and one
/// of a glossary have alternatives in common, one word keeps both promises: the sentence's term keeps these
/// alternatives alone and gets the place, and the glossary's term is not added.
///
/// `languages`: those of the source and of the translation, if terms of glossaries are found in other forms, and may
/// have other forms in the translation.
#[must_use]
pub fn required_terms(
    own: Vec<RequiredTerm>,
    glossaries: &[&Glossary],
    source: &str,
    languages: Option<[&str; 2]>,
) -> Vec<RequiredTerm> {
    let mut found: Vec<FoundTerm<'_>> = Vec::new();
    for glossary in glossaries {
        for term in glossary.find_forms(source, languages.map(|[from, _]| from)) {
            let is_free = |known: &Range<usize>| known.end <= term.place.start || term.place.end <= known.start;
            if own.iter().all(|own| !own.overlaps(&term.place)) && found.iter().all(|known| is_free(&known.place)) {
                found.push(term);
            }
        }
    }
    if !found.is_empty() {
        // A part of a path or of an address is no word of the sentence.
        let things = find(source, Keep::default());
        let is_part = |place: &Range<usize>| {
            things.iter().any(|thing| thing.start <= place.start && place.end <= thing.end && thing != place)
        };
        found.retain(|term| !is_part(&term.place));
    }
    found.sort_by_key(|term| term.place.start);
    let count = own.len();
    let mut terms = own;
    for FoundTerm { place, targets, is_base } in found {
        let same = |a: &String| targets.iter().any(|b| composed(a) == composed(b));
        let shared = terms[..count].iter_mut().find(|term| term.source.is_none() && term.targets.iter().any(same));
        match shared {
            Some(term) => {
                term.targets.retain(same);
                term.source = Some(place);
            }
            None => {
                let endings = languages.map_or(Endings::Written, |languages| {
                    let written = source.get(place.clone()).unwrap_or_default();
                    endings(written, targets, is_base, languages)
                });
                let targets = targets.iter().map(|target| without_pronoun(target, endings)).collect();
                terms.push(RequiredTerm { source: Some(place), targets, endings });
            }
        }
    }
    terms
}

/// The endings that the targets of a term may have. `written`: the term in the source. `is_base`: whether it stands
/// there as in the glossary.
fn endings(written: &str, targets: &[String], is_base: bool, [from, to]: [&str; 2]) -> Endings {
    // A name that stays as it is has no other forms, and who lists forms lists all.
    let [target] = targets else { return Endings::Written };
    if written == target {
        return Endings::Written;
    }
    // An English noun without an "s" stands for one thing, and so do German ones whose plural has an ending.
    let has_plural_ending = || {
        let ends = ["er", "el", "en", "chen", "lein"].iter().any(|end| written.ends_with(end));
        written.starts_with(char::is_uppercase) && !ends
    };
    let is_english = from.starts_with("en");
    let is_one = if is_english { !may_be_plural(written) } else { has_plural_ending() };
    // "Apples" of a name that stays has the plural that the model gives it.
    let is_word = !written.starts_with(target.as_str());
    let is_noun = written.starts_with(char::is_uppercase);
    let is_several = || is_word && if is_english { !is_base } else { is_noun && is_german_plural(written) };
    match () {
        () if is_base && is_one => Endings::Singular,
        () if is_several() && !plural_forms(target, Some(to)).is_empty() => Endings::Plural,
        () => Endings::All,
    }
}

/// A term without the pronoun of its infinitive, which stands elsewhere in a sentence: `sich anmelden`.
fn without_pronoun(target: &str, endings: Endings) -> String {
    let verb = target.strip_prefix("sich ").filter(|verb| endings != Endings::Written && Verb::read(verb).is_some());
    verb.unwrap_or(target).to_owned()
}

/// Whether an English noun may stand for many things.
fn may_be_plural(noun: &str) -> bool {
    let noun = noun.to_lowercase();
    let has_ending = noun.ends_with('s') && !["ss", "us", "is"].iter().any(|end| noun.ends_with(end));
    let others = ["children", "criteria", "data", "feet", "geese", "media", "men", "mice", "people", "police", "teeth"];
    has_ending || others.iter().any(|other| noun.ends_with(other))
}
