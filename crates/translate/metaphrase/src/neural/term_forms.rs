//! Which of its forms a term has. A model writes the form that it reads between the marks, mostly also where another
//! one is right: "eine zügig Antwort". So the forms of a term are compared where the translation has it, by their
//! probability without the term in the source, and the line is searched again with those forms between the marks that
//! fit better.

use super::context::Context;
use super::job::{Job, SecondSearch};
use super::term_search::{Next, TermLine, TermQuestion, TermSearch, Written};
use crate::forms::without_region;
use crate::{Endings, RequiredTerm};
use metaphrase_base::WordId;
use metaphrase_search::{Hypothesis, Outcome};
use metaphrase_text::german::{adjective_stems, is_wrong_genitive};
use std::cmp::Reverse;
use std::ops::{ControlFlow, Range};

/// The most forms of a line that are compared; each costs about as much as a greedy search of half a line.
const MOST: usize = 24;

/// Another form is better if it is about three times as probable; this is a natural logarithm.
const MARGIN: f32 = 1.0;

/// A translation with a term that stands for several things may be less probable by this than the one with the same
/// term as one thing; a natural logarithm.
const MOST_LOST: f32 = 7.0;

/// The least probability that a word ends with a form.
const LEAST: f32 = 1e-3;

/// The comparison of the forms of a line's terms.
pub(super) struct FormSearch {
    /// The translation that was found.
    found: Found,
    candidates: Vec<Candidate>,
    /// How many of them have their probabilities.
    scored: usize,
}

/// The search with better forms of the terms in the source.
pub(super) struct BetterForms {
    /// The translation with the forms before.
    found: Found,
    /// The words of that translation with the better forms in the places of the others, if it can be written.
    replaced: Option<Vec<WordId>>,
}

/// A translation as a search found it.
pub(super) struct Found {
    pub(super) hypotheses: Vec<Hypothesis>,
    pub(super) source_len: usize,
    pub(super) columns: Option<Vec<usize>>,
}

/// A form of a term.
#[derive(Clone)]
struct Candidate {
    term: usize,
    form: String,
    /// Where the translation has the term.
    place: Range<usize>,
    /// The translation up to the form, and with it.
    words: Vec<WordId>,
    /// Natural logarithms, one for each of these words and the end of sentence; empty before they are known.
    log_probs: Vec<f32>,
}

impl Context {
    /// The translation with the forms of its terms that fit best. First those that should stand for several things, and
    /// stand for one, are avoided.
    pub(super) fn choose_forms(
        &self,
        mut outcome: Outcome<Job>,
        written: &Written,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let singular = self.singular_forms(&line, &outcome.tag, &written.text);
        if singular.is_empty() {
            return self.compare_forms(outcome, written, line, second);
        }
        let mut task = second.clone();
        let avoided = line.avoided.iter().chain(&singular).cloned().collect();
        task.constraints = self.avoiding_only(&line.request.source, avoided, &second);
        let found = Found::take(&mut outcome);
        let question = TermQuestion::Several(Box::new(found));
        outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
        ControlFlow::Continue(task.task(outcome.tag, outcome.counts))
    }

    /// The translation without forms of one thing, if it has the terms and is not much less probable.
    pub(super) fn after_several(
        &self,
        mut outcome: Outcome<Job>,
        found: Found,
        written: Written,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let Written { text, pieces } = &written;
        let is_met = outcome.tag.required.is_met_by(&line.request.source, text, pieces);
        let is_likely = outcome.hypotheses[0].log_prob > found.log_prob() - MOST_LOST;
        if is_met && is_likely && self.singular_forms(&line, &outcome.tag, text).is_empty() {
            outcome.tag.required.prefer(&self.target, &self.written);
            return self.compare_forms(outcome, &written, line, second);
        }
        let outcome = found.into_outcome(outcome);
        let written = self.text_of(&outcome.hypotheses[0].words);
        self.compare_forms(outcome, &written, line, second)
    }

    /// The forms of one thing that a text has of terms that stand for several.
    fn singular_forms(&self, line: &TermLine, job: &Job, text: &str) -> Vec<String> {
        let language = self.target_language();
        let terms = line.request.terms.required.iter().enumerate().filter(|_| self.inline_terms.is_some());
        let several =
            terms.filter(|(number, term)| term.endings == Endings::Plural && job.required.numbers.contains(number));
        let mut singular = Vec::new();
        for (_, term) in several {
            let plural = term.likely_forms(language);
            if place_of(&plural, text, &[]).is_none() {
                let others = term.forms(language).into_iter().filter(|form| !plural.contains(form));
                singular.extend(others.filter(|form| place_of(std::slice::from_ref(form), text, &[]).is_some()));
            }
        }
        singular
    }

    /// Compares the forms of the terms of a translation; if none has other forms, the translation comes back.
    fn compare_forms(
        &self,
        mut outcome: Outcome<Job>,
        written: &Written,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let candidates = self.candidates(written, &line, &outcome.tag);
        if candidates.is_empty() {
            return self.agree(outcome, line, second);
        }
        let found = Found::take(&mut outcome);
        self.next_form(outcome, FormSearch { found, candidates, scored: 0 }, line, second)
    }

    /// The forms of each term that may stand in its place in the translation, that of the translation first.
    fn candidates(&self, written: &Written, line: &TermLine, job: &Job) -> Vec<Candidate> {
        let (mut candidates, mut taken) = (Vec::new(), Vec::new());
        let terms = line.request.terms.required.iter().enumerate().filter(|_| self.inline_terms.is_some());
        for (number, term) in terms.filter(|(number, _)| job.required.numbers.contains(number)) {
            let mut forms: Vec<String> = Vec::new();
            for form in term.likely_forms(self.target_language()) {
                if !forms.contains(&form) {
                    forms.push(form);
                }
            }
            let Some((place, found)) = place_of(&forms, &written.text, &taken) else { continue };
            taken.push(place.clone());
            forms.swap(0, found);
            if term.endings == Endings::Singular && without_region(self.target_language()) == Some("de") {
                let (before, written) = (&written.text[..place.start], forms[0].clone());
                let is_wrong = |form: &String| term.targets.iter().any(|base| is_wrong_genitive(form, base, before));
                forms.retain(|form| *form == written || !is_wrong(form));
            }
            if forms.len() == 1 || candidates.len() + forms.len() > MOST {
                continue;
            }
            for form in forms {
                let text = format!("{}{form}", &written.text[..place.start]);
                let mut words = Vec::new();
                self.target.encode(&text, &mut words);
                words.pop();
                if self.target.decode(&words) == text {
                    candidates.push(Candidate {
                        term: number,
                        form,
                        place: place.clone(),
                        words,
                        log_probs: Vec::new(),
                    });
                }
            }
        }
        candidates
    }

    /// The probabilities of a form are known.
    pub(super) fn after_form(
        &self,
        mut outcome: Outcome<Job>,
        mut search: FormSearch,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        if let (Some(candidate), Some(scored)) = (search.candidates.get_mut(search.scored), outcome.hypotheses.pop()) {
            candidate.log_probs = scored.word_log_probs;
        }
        search.scored += 1;
        self.next_form(outcome, search, line, second)
    }

    /// The next form, or the search with the best ones.
    fn next_form(
        &self,
        mut outcome: Outcome<Job>,
        search: FormSearch,
        mut line: TermLine,
        mut second: SecondSearch,
    ) -> Next {
        if let Some(candidate) = search.candidates.get(search.scored) {
            let mut task = second.of_words(&candidate.words);
            task.prefix.push(self.target.eos());
            (task.source, _) = self.plain_source(&line, &outcome.tag);
            let question = TermQuestion::Form(Box::new(search));
            outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
            return ControlFlow::Continue(task.task(outcome.tag, outcome.counts));
        }
        let FormSearch { found, candidates, .. } = search;
        let mut better = put_best_first(&candidates, &mut line.request.terms.required, self.target_language());
        let annotate = || self.annotate(&line.request, &line.words, &outcome.tag.source_pieces);
        let Some(annotated) = (!better.is_empty()).then(annotate).flatten() else {
            return self.agree(found.into_outcome(outcome), line, second);
        };
        let languages = outcome.tag.languages;
        (second.source, outcome.tag.columns) = annotated.read_between(languages.before, languages.last);
        let constraints = self.avoiding_only(&line.request.source, line.avoided.clone(), &second);
        let task = SecondSearch { constraints, ..second.clone() };
        let mut replaced = found.hypotheses.first().map_or_else(String::new, |best| self.text_of(&best.words).text);
        // From right to left, so that a change does not move the rest.
        better.sort_by_key(|better| Reverse(better.place.start));
        for better in better {
            replaced.replace_range(better.place.clone(), &better.form);
        }
        let replaced = self.words_of(&replaced);
        let question = TermQuestion::BetterForms(Box::new(BetterForms { found, replaced }));
        outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
        ControlFlow::Continue(task.task(outcome.tag, outcome.counts))
    }

    /// The translation with other forms if it has all terms, else the one before with these forms in their places.
    pub(super) fn after_better_forms(
        &self,
        mut outcome: Outcome<Job>,
        BetterForms { found, replaced }: BetterForms,
        written: &Written,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let required = &mut outcome.tag.required;
        if required.is_met_by(&line.request.source, &written.text, &written.pieces) {
            required.prefer(&self.target, &self.written);
            return self.agree(outcome, line, second);
        }
        let Some(words) = replaced else { return self.agree(found.into_outcome(outcome), line, second) };
        let task = second.of_words(&words);
        let question = TermQuestion::BetterForms(Box::new(BetterForms { found, replaced: None }));
        outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
        ControlFlow::Continue(task.task(outcome.tag, outcome.counts))
    }
}

impl Found {
    /// The translation of a search, taken out of its outcome.
    pub(super) fn take(outcome: &mut Outcome<Job>) -> Self {
        let hypotheses = std::mem::take(&mut outcome.hypotheses);
        Self { hypotheses, source_len: outcome.source_len, columns: outcome.tag.columns.clone() }
    }

    /// The log-probability of the best hypothesis.
    pub(super) fn log_prob(&self) -> f32 {
        self.hypotheses.first().map_or(f32::NEG_INFINITY, |best| best.log_prob)
    }

    /// The outcome of the line's last search, with this translation.
    pub(super) fn into_outcome(self, outcome: Outcome<Job>) -> Outcome<Job> {
        let Self { hypotheses, source_len, columns } = self;
        let tag = Job { columns, ..outcome.tag };
        Outcome { tag, hypotheses, source_len, ..outcome }
    }
}

/// The first place of a form in a text as whole words that is not taken, and the number of the form.
fn place_of(forms: &[String], text: &str, taken: &[Range<usize>]) -> Option<(Range<usize>, usize)> {
    let is_free = |place: &Range<usize>| taken.iter().all(|other| place.end <= other.start || other.end <= place.start);
    let places = forms.iter().enumerate().flat_map(|(number, form)| {
        let found = text.match_indices(form.as_str()).filter(|(_, found)| !found.is_empty());
        found.map(move |(at, found)| (at..at + found.len(), number))
    });
    places.filter(|(place, _)| is_whole(text, place) && is_free(place)).min_by_key(|(place, _)| place.start)
}

/// Whether no letter or digit stands next to a place.
pub(super) fn is_whole(text: &str, place: &Range<usize>) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    is_end(text[..place.start].chars().next_back()) && is_end(text[place.end..].chars().next())
}

/// Puts the best form of each term before its targets. Returns those that differ from the form of the translation.
fn put_best_first<'c>(
    candidates: &'c [Candidate],
    terms: &mut [RequiredTerm],
    language: Option<&str>,
) -> Vec<&'c Candidate> {
    let mut changed = Vec::new();
    for (number, term) in terms.iter_mut().enumerate() {
        let forms: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.term == number).collect();
        let Some((first, others)) = forms.split_first() else { continue };
        let best = others.iter().max_by(|a, b| log_prob(a, &forms).total_cmp(&log_prob(b, &forms)));
        // Models know endings of adjectives better than which noun form fits.
        let margin = if adjective_stems(&first.form).is_some() { 0.0 } else { MARGIN };
        let better = best.filter(|best| log_prob(best, &forms) > log_prob(first, &forms) + margin);
        changed.extend(better.copied());
        if term.endings != Endings::Written {
            term.targets = term.forms(language);
            term.endings = Endings::Written;
        }
        term.targets.insert(0, better.unwrap_or(first).form.clone());
    }
    changed
}

/// The log-probability of a form: of its pieces, and of no other form's going on from there.
fn log_prob(form: &Candidate, forms: &[&Candidate]) -> f32 {
    let length = form.words.len();
    if form.log_probs.len() < length {
        return f32::NEG_INFINITY;
    }
    let mut next: Vec<(WordId, f32)> = Vec::new();
    for other in forms.iter().filter(|other| other.words.len() > length && other.words.starts_with(&form.words)) {
        let word = other.words[length];
        if let Some(&log_prob) = other.log_probs.get(length)
            && next.iter().all(|(known, _)| *known != word)
        {
            next.push((word, log_prob));
        }
    }
    let goes_on: f32 = next.iter().map(|(_, log_prob)| log_prob.exp()).sum();
    form.log_probs[..length].iter().sum::<f32>() + (1.0 - goes_on).max(LEAST).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(words: &[u32], log_probs: &[f32], form: &str) -> Candidate {
        let words = words.iter().map(|&word| WordId(word)).collect();
        Candidate { term: 0, form: form.to_owned(), place: 0..0, words, log_probs: log_probs.to_vec() }
    }

    #[test]
    fn a_form_that_goes_on_is_another_form() {
        // "house" as a piece has the probability 1/2; after it, "s" has 3/4. The end of sentence does not count.
        let (half, most) = (0.5f32.ln(), 0.75f32.ln());
        let forms = [candidate(&[1], &[half, -9.0], "house"), candidate(&[1, 2], &[half, most, -9.0], "houses")];
        let all: Vec<&Candidate> = forms.iter().collect();
        assert!((log_prob(all[0], &all) - 0.125f32.ln()).abs() < 1e-6);
        assert!((log_prob(all[1], &all) - 0.375f32.ln()).abs() < 1e-6);
        let mut terms = [RequiredTerm::new(["house*"])];
        assert_eq!(put_best_first(&forms, &mut terms, None).len(), 1);
        assert_eq!(terms[0].targets, ["houses", "house*"]);
        assert!(put_best_first(&[forms[1].clone(), forms[0].clone()], &mut terms, None).is_empty());
    }

    #[test]
    fn forms_stand_as_whole_words() {
        let forms = ["Haus".to_owned(), "Hauses".to_owned()];
        let text = "Haustür des Hauses, Haus";
        assert_eq!(place_of(&forms, text, &[]), Some((13..19, 1)));
        assert_eq!(place_of(&forms, text, std::slice::from_ref(&(13..19))), Some((21..25, 0)));
        assert_eq!(place_of(&forms, text, &[13..19, 21..25]), None);
    }
}
