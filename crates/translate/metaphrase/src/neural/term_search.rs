//! Lines that are searched twice: a first search shows whether the free translation has the terms and the amounts of
//! money, or where the terms or their free translations stand.

use super::context::{Context, pieces};
use super::inline_terms::line_attention;
use super::job::{Job, SecondSearch};
use crate::constraints::Segmented;
use crate::forms::forms;
use crate::linked::{LinkedTexts, written_words};
use crate::{Amounts, Error, Met, Request, RequiredTerm, SearchOptions, TermPlaces, TermUse, TranslateOptions};
use metaphrase_base::{StepModel, WordId};
use metaphrase_models::Model;
use metaphrase_search::{CheckedOptions, Outcome, Task};
use metaphrase_text::WholeWords;
use metaphrase_text::numbers::{Amount, amounts, missing_amounts};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

/// Words of up to this number of letters are ignored if they may be articles: in lower case, or the first word of all.
const SHORT: usize = 3;

/// The options of first searches.
pub(super) struct FirstSearches {
    /// For the places of terms: the requested search, with attention.
    places: CheckedOptions,
    /// For the words that stand for a term's source in a free translation: the best hypothesis alone.
    renderings: CheckedOptions,
}

/// Whether free translations may have the terms of lines by themselves: models copy most things, and write most terms
/// that they read in the source, and what they write freely around them is better.
pub(super) fn may_search_freely(options: &TranslateOptions, search: &SearchOptions) -> bool {
    let is_plain = search.sampling.is_none() && search.n_best == 1 && !search.explored && !options.pieces;
    is_plain
        && options.evidence.own.is_none()
        && options.search_graph.is_none()
        && options.term_use == TermUse::Required
}

impl FirstSearches {
    /// `None` if lines with terms are searched once.
    pub(super) fn new(
        options: &TranslateOptions,
        search: &SearchOptions,
        model: &Model,
    ) -> Result<Option<Self>, Error> {
        let is_possible = model.facts().attention && search.sampling.is_none() && !options.pieces;
        if options.term_places == TermPlaces::Given || !is_possible || options.evidence.own.is_some() {
            return Ok(None);
        }
        let places = SearchOptions { attention: true, explored: false, ..search.clone() };
        let renderings = SearchOptions { beam_size: 1, beam_size_constrained: None, n_best: 1, ..places.clone() };
        Ok(Some(Self { places: places.check(model)?, renderings: renderings.check(model)? }))
    }
}

/// The question that the first search of a line answers.
pub(crate) enum TermQuestion {
    /// Whether a free translation has all terms by itself.
    Free,
    /// The places of terms that have none.
    Places,
    /// The words of a free translation for the source of the terms.
    Renderings,
    /// Whether a free translation of a line without terms has the amounts of money of its source.
    Amounts,
}

/// A line that is searched a second time.
pub(crate) struct TermSearch {
    question: TermQuestion,
    request: Request,
    /// The source without terms in it, with the end of sentence.
    words: Vec<WordId>,
    second: SecondSearch,
    term_use: TermUse,
}

impl Context {
    /// Makes the search of a line a first one, if a place or a free translation of its terms is still to be found.
    /// `words`: the source without terms in it. `freely`: whether a free translation may have the terms.
    pub(super) fn add_term_search(
        &self,
        task: &mut Task<Job>,
        options: &TranslateOptions,
        request: &Request,
        words: Vec<WordId>,
        first: Option<&FirstSearches>,
        freely: bool,
    ) {
        if task.tag.evidence.is_some() {
            return;
        }
        if !task.tag.required.has_terms() {
            if freely && options.amounts == Amounts::Keep && self.may_lack_amounts(request) {
                let second = SecondSearch::after(task, task.options.clone());
                let (question, term_use) = (TermQuestion::Amounts, TermUse::Required);
                let term_search = TermSearch { question, request: request.clone(), words, second, term_use };
                task.tag.term_search = Some(Box::new(term_search));
            }
            return;
        }
        let is_read = |term: &RequiredTerm| match self.inline_terms {
            Some(_) => term.source.is_some(),
            None => term.copied_from(&request.source).is_some(),
        };
        let are_read = || request.terms.required.iter().all(is_read);
        let (question, options_of_first) =
            if freely && request.terms.avoided.is_empty() && request.prefix.is_empty() && are_read() {
                (TermQuestion::Free, task.options.clone())
            } else {
                let Some(first) = first else { return };
                let is_copy = |target: &String| request.source.contains(&**target);
                let mut terms = request.terms.required.iter().filter(|term| !term.targets.first().is_some_and(is_copy));
                match self.inline_terms {
                    Some(_) if terms.any(|term| term.source.is_none()) => (TermQuestion::Places, first.places.clone()),
                    None if terms.any(|term| term.source.is_some()) => {
                        (TermQuestion::Renderings, first.renderings.clone())
                    }
                    _ => return,
                }
            };
        let second = SecondSearch::after(task, options_of_first);
        if !matches!(question, TermQuestion::Places) {
            task.constraints = None;
        }
        let term_search = TermSearch { question, request: request.clone(), words, second, term_use: options.term_use };
        task.tag.term_search = Some(Box::new(term_search));
    }

    /// The second search of a line; if the first one found nothing new, its outcome comes back.
    pub(super) fn second_term_search(
        &self,
        mut outcome: Outcome<Job>,
        search: TermSearch,
    ) -> ControlFlow<Outcome<Job>, Task<Job>> {
        let TermSearch { question, mut request, words, mut second, term_use } = search;
        let Some(best) = outcome.hypotheses.first() else { return ControlFlow::Break(outcome) };
        let job = &mut outcome.tag;
        let (text, target_pieces) = (self.target.decode(&best.words), pieces(&self.target, &best.words));
        if let TermQuestion::Free = question {
            if job.required.is_met_by(&request.source, &text, &target_pieces) {
                job.required.prefer(&self.target, &self.written);
                return ControlFlow::Break(outcome);
            }
            // Scores and attention are those of the text with hyphens.
            if let Some(words) = self.with_hyphens(&request.source, &text, job) {
                job.required.prefer(&self.target, &self.written);
                (second.prefix, second.constraints) = (words, None);
            }
            return ControlFlow::Continue(second.task(outcome.tag, outcome.counts));
        }
        if let TermQuestion::Amounts = question {
            let Some(search) = self.with_amounts(request, &words, &text, job, second) else {
                return ControlFlow::Break(outcome);
            };
            return ControlFlow::Continue(search.task(outcome.tag, outcome.counts));
        }
        let attention = line_attention(best.attention.clone(), outcome.source_len, job.columns.as_deref());
        let linked = LinkedTexts::new(&request.source, &job.source_pieces, &text, &target_pieces, &attention);
        if let TermQuestion::Renderings = question {
            let avoided = renderings(&linked, &text, &request);
            second.constraints = self.avoiding(&request, avoided, job, &second);
            return ControlFlow::Continue(second.task(outcome.tag, outcome.counts));
        }
        let met = job.required.met(&best.words, &text, &target_pieces);
        let found = find_places(&linked, &met, &mut request);
        for met in &met {
            let written = self.target.decode(&best.words[met.first..met.first + met.pieces]);
            let alternatives = &mut request.terms.required[met.term].targets;
            chosen_first(alternatives, written.trim(), self.target_language());
        }
        let annotated = if found { self.annotate(&request, &words, &job.source_pieces) } else { None };
        let Some(annotated) = annotated else {
            if !second.search.attention {
                outcome.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.attention.clear());
            }
            return ControlFlow::Break(outcome);
        };
        (second.source, job.columns) = annotated.read_between(job.languages.before, job.languages.last);
        if term_use == TermUse::Preferred {
            job.required.prefer(&self.target, &self.written);
            second.constraints = job.required.constraints.clone();
        }
        ControlFlow::Continue(second.task(outcome.tag, outcome.counts))
    }

    /// Whether a line has amounts of money that its translation may lack.
    fn may_lack_amounts(&self, request: &Request) -> bool {
        let is_plain = request.terms.is_empty() && request.target.is_none() && request.prefix.is_empty();
        let has_digits = || request.source.bytes().any(|byte| byte.is_ascii_digit());
        let languages = self.model.config().languages.as_ref().filter(|_| self.inline_terms.is_some() && is_plain);
        languages.is_some_and(|[from, to]| has_digits() && !amounts(&request.source, (from, to)).is_empty())
    }

    /// The search of a line with the amounts that a translation lacks as terms; `None` if it has them all.
    fn with_amounts(
        &self,
        mut request: Request,
        words: &[WordId],
        text: &str,
        job: &mut Job,
        mut second: SecondSearch,
    ) -> Option<SecondSearch> {
        let [from, to] = self.model.config().languages.as_ref()?;
        let missing = missing_amounts(&request.source, text, (from, to));
        if missing.is_empty() {
            return None;
        }
        let term = |amount: Amount| RequiredTerm { source: Some(amount.range), targets: amount.renderings };
        request.terms.required = missing.into_iter().map(term).collect();
        let excluded = &second.search.excluded;
        let terms = Segmented::new(&request.source, &request.terms, &self.target, &self.written, excluded, Some(to));
        let annotated = self.annotate(&request, words, &job.source_pieces)?;
        second.constraints = Some(terms.constraints?);
        (second.source, job.columns) = annotated.read_between(job.languages.before, job.languages.last);
        Some(second)
    }

    /// A free translation into German with hyphens in compounds that have terms, as words with the end of the sentence.
    fn with_hyphens(&self, source: &str, text: &str, job: &Job) -> Option<Vec<WordId>> {
        if self.inline_terms.is_none() || self.target_language() != Some("de") {
            return None;
        }
        let mended = job.required.with_hyphens(source, text)?;
        let mut words = Vec::new();
        self.target.encode(&mended, &mut words);
        (self.target.decode(&words) == mended).then_some(words)
    }

    /// The constraints of the second search, which avoids these words, too.
    fn avoiding(
        &self,
        request: &Request,
        words: Vec<String>,
        job: &Job,
        second: &SecondSearch,
    ) -> Option<metaphrase_search::Constraints> {
        let own = second.constraints.clone();
        if words.is_empty() {
            return own;
        }
        let mut terms = request.terms.clone();
        terms.avoided.extend(words);
        let segmented = Segmented::new(
            &request.source,
            &terms,
            &self.target,
            &self.written,
            &second.search.excluded,
            self.target_language(),
        );
        // A term that can not be met without these words has priority over avoiding them.
        if segmented.numbers == job.required.numbers { segmented.constraints } else { own }
    }
}

/// Gives each term without a place the place that its words attend to. Returns whether one was found.
fn find_places(linked: &LinkedTexts<'_>, met: &[Met], request: &mut Request) -> bool {
    let terms = &mut request.terms.required;
    let mut found = false;
    for met in met {
        let place = linked.place_of(met.first..met.first + met.pieces);
        let is_free = |place: &Range<usize>| !terms.iter().any(|term| term.overlaps(place));
        if let Some(place) = place.filter(is_free)
            && terms[met.term].source.is_none()
        {
            terms[met.term].source = Some(place);
            found = true;
        }
    }
    found
}

/// Moves the alternative that a translation has to the front: the marks in the source name the first one.
fn chosen_first(alternatives: &mut [String], written: &str, language: Option<&str>) {
    let is_written = |alternative: &String| forms(alternative, language).iter().any(|form| form == written);
    if let Some(chosen) = alternatives.iter().position(is_written) {
        alternatives[..=chosen].rotate_right(1);
    }
}

/// The words that a free translation has for the source of the terms, and nowhere else.
fn renderings(linked: &LinkedTexts<'_>, text: &str, request: &Request) -> Vec<String> {
    let sources = request.terms.required.iter().filter_map(|term| term.source.as_ref());
    let places: Vec<_> = sources.flat_map(|place| linked.words_for(place)).collect();
    let starts: HashSet<usize> = places.iter().map(|place| place.start).collect();
    let others = written_words(text).into_iter().filter(|word| !starts.contains(&word.start));
    let elsewhere: HashSet<&str> = others.map(|word| &text[word]).collect();
    let mut found: Vec<&str> = Vec::new();
    let mut known = HashSet::new();
    for place in places {
        let word = &text[place.clone()];
        let is_small = place.start == 0 || word.chars().all(char::is_lowercase);
        let is_word = word.contains(char::is_alphabetic) && !(is_small && word.chars().count() <= SHORT);
        if is_word && !elsewhere.contains(word) && known.insert(word) {
            found.push(word);
        }
    }
    let words = WholeWords::new(&found);
    let of_terms: HashSet<usize> = request.terms.phrases().flat_map(|phrase| words.numbers_in(phrase)).collect();
    let kept = found.iter().enumerate().filter(|(number, _)| !of_terms.contains(number));
    kept.map(|(_, word)| (*word).to_owned()).collect()
}
