//! Lines that are searched twice: a first search shows whether the free translation has the terms, the amounts of
//! money and the things that stay, or where the terms or their free translations stand.

use super::context::{Context, pieces};
use super::free_search::{NextQuestion, SearchWithSomeTerms, SearchWithTerms};
use super::inline_terms::line_attention;
use super::job::{Job, SecondSearch};
use super::lost::{FreeTranslation, LosableParts};
use super::plain_words::plain_words;
use super::term_agreement::AgreementSearch;
use super::term_attempts::Attempts;
use super::term_forms::{BetterForms, FormSearch, Found};
use crate::constraints::Segmented;
use crate::forms::{forms, plural_forms};
use crate::linked::LinkedTexts;
use crate::{Endings, Error, Met, Request, RequiredTerm, SearchOptions, TermPlaces, TermUse, TranslateOptions};
use metaphrase_base::{StepModel, WordId};
use metaphrase_models::Model;
use metaphrase_search::{CheckedOptions, Constraints, Outcome, Task};
use metaphrase_text::MarkedSource;
use metaphrase_text::german::Verb;
use std::ops::{ControlFlow, Range};

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
    /// Whether the translation that the line has without its terms has them all the same.
    Plain(Box<SearchWithTerms>),
    /// Whether a free translation has all terms if the model reads those that this one lacks.
    Lacking(Box<SearchWithSomeTerms>),
    /// Whether a free translation has all terms by itself.
    Free,
    /// The places of terms that have none.
    Places,
    /// The words of a free translation for the source of the terms.
    Renderings,
    /// Whether a free translation of a line without terms has these parts of its source.
    Lost(LosableParts),
    /// Whether a translation that is made to have them is no garbage.
    LostFound(Box<FreeTranslation>),
    /// Whether one of several further searches finds a likely translation that has them.
    Attempt(Box<Attempts>),
    /// Whether a translation is likely in which terms stand for several things.
    Several(Box<Found>),
    /// How probable a form is.
    Form(Box<FormSearch>),
    /// Whether a free translation has the terms in better forms.
    BetterForms(Box<BetterForms>),
    /// Which case an article has that agrees with its term.
    Agreement(Box<AgreementSearch>),
}

/// A line that is searched a second time.
pub(crate) struct TermSearch {
    pub(super) question: TermQuestion,
    pub(super) line: TermLine,
    pub(super) second: SecondSearch,
}

/// A line with terms.
pub(super) struct TermLine {
    pub(super) request: Request,
    /// The source without terms in it, with the end of sentence.
    pub(super) words: Vec<WordId>,
    term_use: TermUse,
    /// The other parts of the source that a translation may lack.
    pub(super) parts: Option<LosableParts>,
    /// By required term, whether it stands for one thing.
    pub(super) are_one: Vec<bool>,
    /// The nominative and the dative of terms that stand for several things.
    pub(super) plurals: Vec<[String; 2]>,
    /// The terms that are German verbs.
    pub(super) verbs: Vec<Verb>,
    /// The words that free searches avoid.
    pub(super) avoided: Vec<String>,
}

impl TermLine {
    fn new(
        request: &Request,
        words: Vec<WordId>,
        term_use: TermUse,
        parts: Option<LosableParts>,
        language: Option<&str>,
    ) -> Self {
        let are_one = request.terms.required.iter().map(|term| term.endings == Endings::Singular).collect();
        let verbs = request.terms.required.iter().filter_map(|term| term.verb(language)).collect();
        let several = request.terms.required.iter().filter(|term| term.endings == Endings::Plural);
        let plurals =
            several.filter_map(|term| plural_forms(term.targets.first()?, language).try_into().ok()).collect();
        Self { request: request.clone(), words, term_use, parts, are_one, plurals, verbs, avoided: Vec::new() }
    }
}

/// A translation as text.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) pieces: Vec<String>,
}

/// What follows a first search.
pub(super) type Next = ControlFlow<Outcome<Job>, Task<Job>>;

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
        let parts = if freely { self.losable(options, request) } else { None };
        if !task.tag.required.has_terms() {
            let parts = if request.terms.is_empty() { parts } else { None };
            if let Some(parts) = parts {
                let second = SecondSearch::after(task, task.options.clone());
                let line = TermLine::new(request, words, TermUse::Required, None, None);
                task.tag.term_search = Some(Box::new(TermSearch { question: TermQuestion::Lost(parts), line, second }));
            }
            return;
        }
        let may_be_free = freely && request.terms.avoided.is_empty() && request.prefix.is_empty();
        if may_be_free && let Some(words) = self.translation_of_term(request) {
            task.prefix.truncate(task.language_words);
            task.prefix.extend(words);
            task.constraints = None;
            task.tag.required.prefer(&self.target, &self.written);
            return;
        }
        let line = TermLine::new(request, words, options.term_use, parts, self.target_language());
        let next = self.question_about_terms(task, &line, first, may_be_free);
        let (source, columns) = self.plain_source(&line, &task.tag);
        let is_plain = task.constraints.is_none() && task.source == source;
        let search = if may_be_free && options.term_places == TermPlaces::Found && !is_plain {
            let second =
                SecondSearch::after(task, first.map_or_else(|| task.options.clone(), |first| first.places.clone()));
            (task.source, task.constraints) = (source, None);
            let columns = std::mem::replace(&mut task.tag.columns, columns);
            let question = TermQuestion::Plain(Box::new(SearchWithTerms { columns, next }));
            Some(NextQuestion { question, second })
        } else {
            next
        };
        task.tag.term_search =
            search.map(|NextQuestion { question, second }| Box::new(TermSearch { question, line, second }));
    }

    /// Makes the search of a line one that answers a question about its terms, if there is one.
    fn question_about_terms(
        &self,
        task: &mut Task<Job>,
        line: &TermLine,
        first: Option<&FirstSearches>,
        may_be_free: bool,
    ) -> Option<NextQuestion> {
        let request = &line.request;
        let is_read = |term: &RequiredTerm| match self.inline_terms {
            Some(_) => term.source.is_some(),
            None => term.copied_from(&request.source).is_some(),
        };
        let (question, options) = if may_be_free && request.terms.required.iter().all(is_read) {
            // The attention shows which words stand for the source of a term.
            (TermQuestion::Free, first.map_or_else(|| task.options.clone(), |first| first.places.clone()))
        } else {
            let first = first?;
            let is_copy = |target: &String| request.source.contains(&**target);
            let mut terms = request.terms.required.iter().filter(|term| !term.targets.first().is_some_and(is_copy));
            match self.inline_terms {
                Some(_) if terms.any(|term| term.source.is_none()) => (TermQuestion::Places, first.places.clone()),
                None if terms.any(|term| term.source.is_some()) => (TermQuestion::Renderings, first.renderings.clone()),
                _ => return None,
            }
        };
        let second = SecondSearch::after(task, options);
        if !matches!(question, TermQuestion::Places) {
            task.constraints = None;
        }
        Some(NextQuestion { question, second })
    }

    /// The second search of a line; if the first one found nothing new, its outcome comes back.
    pub(super) fn second_term_search(&self, outcome: Outcome<Job>, search: TermSearch) -> Next {
        let TermSearch { question, line, second } = search;
        let Some(best) = outcome.hypotheses.first() else { return ControlFlow::Break(outcome) };
        let written = self.text_of(&best.words);
        match question {
            TermQuestion::Plain(search) => self.after_plain_search(outcome, &written, *search, line, second),
            TermQuestion::Free => self.after_free_search(outcome, &written, line, second),
            TermQuestion::Lacking(search) => self.after_lacking_search(outcome, &written, *search, line, second),
            TermQuestion::Attempt(attempts) => self.after_attempt(outcome, written, *attempts, line, second),
            TermQuestion::Several(found) => self.after_several(outcome, *found, written, line, second),
            TermQuestion::Form(search) => self.after_form(outcome, *search, line, second),
            TermQuestion::BetterForms(search) => self.after_better_forms(outcome, *search, &written, line, second),
            TermQuestion::Agreement(search) => self.after_agreement(outcome, *search, line, second),
            TermQuestion::Lost(parts) => self.after_losing_search(outcome, &written, parts, line, second),
            TermQuestion::LostFound(free) => {
                ControlFlow::Break(self.after_lost_search(outcome, &written, &line.request.source, *free))
            }
            TermQuestion::Places => self.after_place_search(outcome, &written, line, second),
            TermQuestion::Renderings => {
                let (request, all) = (&line.request, Vec::from_iter(0..line.request.terms.required.len()));
                let plain = |linked: &LinkedTexts<'_>, text: &str, language: Option<&str>| {
                    plain_words(linked, text, request, &all, language)
                };
                let avoided = self.linked(&outcome, &written, request, plain);
                let constraints = self.avoiding(&line.request, avoided, &outcome.tag, &second);
                ControlFlow::Continue(SecondSearch { constraints, ..second }.task(outcome.tag, outcome.counts))
            }
        }
    }

    /// The source of a line without terms in it, and what its words stand for.
    pub(super) fn plain_source(&self, line: &TermLine, job: &Job) -> (Vec<WordId>, Option<Vec<usize>>) {
        MarkedSource::plain(&line.words).read_between(job.languages.before, job.languages.last)
    }

    /// The search with the terms in the places that the first one found.
    fn after_place_search(
        &self,
        mut outcome: Outcome<Job>,
        written: &Written,
        line: TermLine,
        mut second: SecondSearch,
    ) -> Next {
        let TermLine { mut request, words, term_use, .. } = line;
        let (job, best) = (&mut outcome.tag, &outcome.hypotheses[0]);
        let attention = line_attention(best.attention.clone(), outcome.source_len, job.columns.as_deref());
        let Written { text, pieces } = written;
        let linked = LinkedTexts::new(&request.source, &job.source_pieces, text, pieces, &attention);
        let met = job.required.met(&best.words, text, pieces);
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

    /// A translation as text.
    pub(super) fn text_of(&self, words: &[WordId]) -> Written {
        Written { text: self.target.decode(words), pieces: pieces(&self.target, words) }
    }

    /// What becomes of a translation and of the links between its words and those of the source.
    pub(super) fn linked<T>(
        &self,
        outcome: &Outcome<Job>,
        written: &Written,
        request: &Request,
        read: impl FnOnce(&LinkedTexts<'_>, &str, Option<&str>) -> T,
    ) -> T {
        let job = &outcome.tag;
        let attention = outcome.hypotheses[0].attention.clone();
        let attention = line_attention(attention, outcome.source_len, job.columns.as_deref());
        let Written { text, pieces } = written;
        let linked = LinkedTexts::new(&request.source, &job.source_pieces, text, pieces, &attention);
        read(&linked, text, self.target_language())
    }

    /// The terms of a request, as the second search reads them.
    pub(super) fn segmented(&self, request: &Request, second: &SecondSearch) -> Segmented {
        let (target, language) = (&self.target, self.target_language());
        Segmented::new(&request.source, &request.terms, target, &self.written, &second.search.excluded, language)
    }

    /// The constraints of a search that avoids these words and requires none.
    pub(super) fn avoiding_only(&self, source: &str, words: Vec<String>, second: &SecondSearch) -> Option<Constraints> {
        let mut request = Request::translate(source);
        request.terms.avoided = words;
        self.segmented(&request, second).constraints
    }

    /// The constraints of the second search, which avoids these words, too.
    pub(super) fn avoiding(
        &self,
        request: &Request,
        words: Vec<String>,
        job: &Job,
        second: &SecondSearch,
    ) -> Option<Constraints> {
        let own = second.constraints.clone();
        if words.is_empty() {
            return own;
        }
        let mut request = request.clone();
        request.terms.avoided.extend(words);
        let segmented = self.segmented(&request, second);
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
