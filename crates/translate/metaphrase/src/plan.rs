//! From a request to what engines get: the only place that applies glossaries and divides long lines.

use crate::capitals::{better, small};
use crate::carried::{CarriedLine, Lacking};
use crate::check::NumberCheck;
use crate::engine::{Engine, EngineFacts, Plan, Session};
use crate::glossary::GlossaryTerms;
use crate::parts::{Divider, Gaps, PartCollector};
use crate::reply::{AnswerFn, Cancel, Reply};
use crate::spelling::SourceSpelling;
use crate::{
    Error, Glossary, Lost, Request, RequiredTerm, SearchOptions, TranslateOptions, Translation, UnknownCharacters,
};
use metaphrase_document::Splitter;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An engine that is ready for requests with one set of options, and how their lines are planned.
pub(crate) struct Planner<'t> {
    session: Box<dyn Session + 't>,
    /// For lines in which alignments determine places, if the other session has none.
    aligned: Option<Box<dyn Session + 't>>,
    glossaries: GlossaryTerms<'t>,
    divider: Option<Divider<'t>>,
    check: Option<NumberCheck>,
    lacking: Option<Lacking<'t>>,
    /// Whether lines in capitals are translated in small letters, too.
    small_letters: bool,
    /// Whether requests have text, not pieces.
    is_text: bool,
    /// Whether lines without letters and digits stay as they are, and runs of signs and names keep their length.
    keeps_signs: bool,
}

/// A request as an engine gets it.
pub(crate) struct PlannedLine {
    /// The line, or its parts in their order.
    parts: Vec<PlannedPart>,
    /// The text between the parts.
    gaps: Gaps,
    /// The whole source, if its numbers are to be checked.
    source: Option<String>,
}

/// A line, or a part of one.
struct PlannedPart {
    /// The byte of the line at which it begins.
    start: usize,
    /// Its required terms.
    terms: Vec<RequiredTerm>,
    /// As the engine reads it.
    whole: Reading,
    /// If it is in capitals.
    small: Option<SmallLetters>,
    /// The runs of signs and the names in its source, if there are some.
    spelling: Option<SourceSpelling>,
}

/// A line in capitals.
struct SmallLetters {
    request: Request,
    /// In small letters, as the engine reads it.
    reading: Reading,
}

/// What the engine reads.
struct Reading {
    plan: Plan,
    carried: Option<CarriedLine>,
}

impl<'t> Planner<'t> {
    /// Checks the options; the engine is ready then.
    pub(crate) fn new(
        engine: &'t dyn Engine,
        facts: &'t EngineFacts,
        glossary: Option<&'t Glossary>,
        splitter: &'t OnceLock<Splitter>,
        options: &'t TranslateOptions,
    ) -> Result<Self, Error> {
        let languages = facts.languages.as_ref();
        let check = NumberCheck::new(options, languages);
        // An engine that calls translators does not have them do once more what is done here.
        let of_engine = TranslateOptions { check_numbers: false, glossaries: Vec::new(), ..options.clone() };
        let session = engine.session(&of_engine)?;
        let lacking = Self::lacking(facts, options);
        let aligned = match &lacking {
            Some(_) if !options.search.attention => {
                let search = SearchOptions { attention: true, ..of_engine.search.clone() };
                Some(engine.session(&TranslateOptions { search, ..of_engine.clone() })?)
            }
            _ => None,
        };
        let glossaries: Vec<&Glossary> = options.glossaries.iter().map(Arc::as_ref).chain(glossary).collect();
        let splitter = || {
            let language = languages.map_or("en", |[source, _]| source);
            splitter.get_or_init(|| Splitter::new(language))
        };
        let glossaries = GlossaryTerms::new(glossaries, languages, options.term_forms);
        let divider = if facts.takes_whole_lines { None } else { Divider::new(options, splitter, glossaries.clone()) };
        let draws = options.search.sampling.is_some() || options.search_graph.is_some() || options.search.explored;
        let small_letters = facts.target_vocabulary.is_some() && !facts.takes_whole_lines && !draws && !options.pieces;
        let is_text = !options.pieces;
        let keeps_signs = is_text && options.unknown == UnknownCharacters::Keep;
        Ok(Self { session, aligned, glossaries, divider, check, lacking, small_letters, is_text, keeps_signs })
    }

    /// What the vocabulary lacks, unless the caller deals with unknown words in another way.
    fn lacking(facts: &'t EngineFacts, options: &TranslateOptions) -> Option<Lacking<'t>> {
        if options.pieces || options.allow_unk || options.replace_unknown.is_some() || facts.takes_whole_lines {
            return None;
        }
        let (source, target) = (facts.source_vocabulary.as_ref()?, facts.target_vocabulary.as_ref()?);
        let lacking = Lacking::new(source, target, &facts.unlearned_letters, options.unknown)?;
        let languages = facts.languages.as_ref().filter(|_| options.amounts == Lost::Keep);
        Some(lacking.with_languages(languages.map(|[source, target]| [source.as_str(), target.as_str()])))
    }

    /// The plan of a request. `number`: the next line's; each part counts.
    pub(crate) fn plan(&self, mut request: Request, number: &mut usize) -> PlannedLine {
        if self.is_text {
            request.drop_invisible();
        }
        let source = self.check.as_ref().map(|_| request.source.clone());
        let (parts, gaps) = match &self.divider {
            Some(divider) => divider.divide(request),
            None => (vec![(0, request)], Gaps::new()),
        };
        let plan = |(start, mut request): (usize, Request)| {
            // A translation that is given has the terms that it has.
            if request.target.is_none() {
                let own = std::mem::take(&mut request.terms.required);
                request.terms.required = self.glossaries.with_own(own, &request.source);
            }
            *number += 1;
            self.part(start, request, *number - 1)
        };
        PlannedLine { parts: parts.into_iter().map(plan).collect(), gaps, source }
    }

    fn part(&self, start: usize, request: Request, number: usize) -> PlannedPart {
        let searches = request.target.is_none() && request.prefix.is_empty() && request.evidence.is_none();
        let small = if self.small_letters && searches { small(&request) } else { None };
        let small = small.map(|small| SmallLetters { request: request.clone(), reading: self.reading(small, number) });
        let terms = request.terms.required.clone();
        let spelling = if self.keeps_signs && request.target.is_none() { SourceSpelling::of(&request) } else { None };
        let has_words = request.source.contains(char::is_alphanumeric) || !terms.is_empty();
        let whole = if self.keeps_signs && searches && !has_words {
            Reading { carried: CarriedLine::whole(&request.source), plan: Plan { request, number } }
        } else {
            self.reading(request, number)
        };
        PlannedPart { start, terms, whole, small, spelling }
    }

    fn reading(&self, mut request: Request, number: usize) -> Reading {
        let lacking = self.lacking.as_ref().filter(|_| request.target.is_none());
        let carried = lacking.and_then(|lacking| lacking.carry(&mut request));
        Reading { plan: Plan { request, number }, carried }
    }

    /// The bytes that a line and its translation take, about.
    pub(crate) fn weight(&self, line: &PlannedLine) -> usize {
        let readings = line.parts.iter().flat_map(|part| {
            let small = part.small.as_ref().map(|small| &small.reading);
            std::iter::once(&part.whole).chain(small)
        });
        readings.map(|reading| self.session.weight(&reading.plan)).fold(0, usize::saturating_add)
    }

    /// Gives the engine lines with what is called with their translations, the longest first: long lines make a batch
    /// together.
    pub(crate) fn submit(&self, lines: impl IntoIterator<Item = (PlannedLine, AnswerFn)>, cancel: &Cancel) {
        let mut readings = Vec::new();
        for (line, answer) in lines {
            let answer = self.checked(line.source, answer);
            let answers: Vec<AnswerFn> = if line.gaps.is_empty() {
                vec![answer]
            } else {
                PartCollector::answers(line.parts.len(), line.gaps, answer).collect()
            };
            for (part, answer) in line.parts.into_iter().zip(answers) {
                let answer = with_terms(part.terms, part.start, with_spelling(part.spelling, answer));
                match part.small {
                    None => readings.push((part.whole, answer)),
                    Some(SmallLetters { request, reading }) => {
                        let [first, second] = better_of(request, answer);
                        readings.extend([(part.whole, first), (reading, second)]);
                    }
                }
            }
        }
        readings.sort_by_key(|(reading, _)| Reverse(reading.plan.request.source.len()));
        for (reading, answer) in readings {
            self.read(reading, answer, cancel);
        }
    }

    /// Gives the engine what it reads, and the caller the line that is made of its translation.
    fn read(&self, Reading { plan, carried }: Reading, answer: AnswerFn, cancel: &Cancel) {
        let Some(carried) = carried else { return self.session.submit(plan, Reply::new(cancel.clone(), answer)) };
        if carried.is_copied() {
            return answer(Ok(carried.copied(&plan.request.terms.required)));
        }
        let aligned = self.aligned.as_ref().filter(|_| carried.aligned);
        let drops = aligned.is_some();
        let put_together = move |found: Result<Translation, Error>| {
            answer(found.map(|translation| {
                let mut whole = carried.finish(translation);
                if drops {
                    whole.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.attention = None);
                }
                whole
            }));
        };
        aligned.unwrap_or(&self.session).submit(plan, Reply::new(cancel.clone(), Box::new(put_together)));
    }

    /// What is called with a translation, after the translation's numbers were compared with those of `source`.
    fn checked(&self, source: Option<String>, answer: AnswerFn) -> AnswerFn {
        match (&self.check, source) {
            (Some(check), Some(source)) => {
                let check = check.clone();
                Box::new(move |found| answer(found.map(|translation| check.checked(&source, translation))))
            }
            _ => answer,
        }
    }
}

/// What is called with a translation, after the translation got its terms. Their places are those in the line, in which
/// the part begins at byte `start`.
fn with_terms(mut terms: Vec<RequiredTerm>, start: usize, answer: AnswerFn) -> AnswerFn {
    if terms.is_empty() {
        return answer;
    }
    for place in terms.iter_mut().filter_map(|term| term.source.as_mut()) {
        *place = place.start + start..place.end + start;
    }
    Box::new(move |found| {
        answer(found.map(|translation| {
            // A later leg of a way by a third language may have terms of its own, which come after these.
            let more = translation.terms.iter().skip(terms.len()).cloned();
            Translation { terms: terms.into_iter().chain(more).collect(), ..translation }
        }));
    })
}

/// What is called with a translation, after its runs of signs and its names are written as in the source.
fn with_spelling(spelling: Option<SourceSpelling>, answer: AnswerFn) -> AnswerFn {
    let Some(spelling) = spelling else { return answer };
    Box::new(move |found| {
        answer(found.map(|mut translation| {
            translation
                .hypotheses
                .iter_mut()
                .for_each(|hypothesis| hypothesis.text = spelling.restored(&hypothesis.text));
            translation
        }));
    })
}

/// What is called with the translations of a request as it is and in small letters, so that `answer` is called with the
/// better one.
fn better_of(request: Request, answer: AnswerFn) -> [AnswerFn; 2] {
    type Held = ([Option<Translation>; 2], Option<(Request, AnswerFn)>);
    let held: Arc<Mutex<Held>> = Arc::new(Mutex::new(([None, None], Some((request, answer)))));
    [0, 1].map(|which| {
        let held = Arc::clone(&held);
        let take = move |found: Result<Translation, Error>| {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            let call = match found {
                Err(error) => held.1.take().map(|(_, answer)| (answer, Err(error))),
                Ok(translation) => {
                    held.0[which] = Some(translation);
                    let both = held.0.each_mut().map(Option::take);
                    match (both, held.1.take()) {
                        ([Some(whole), Some(small)], Some((request, answer))) => {
                            Some((answer, Ok(better(whole, small, &request))))
                        }
                        (one, waiting) => {
                            *held = (one, waiting);
                            None
                        }
                    }
                }
            };
            drop(held);
            if let Some((answer, found)) = call {
                answer(found);
            }
        };
        Box::new(take) as AnswerFn
    })
}
