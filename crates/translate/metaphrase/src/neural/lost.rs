//! Lines that are searched again, because their translations lack numbers or things that stay as they are.

use super::context::Context;
use super::job::{Job, SecondSearch};
use super::term_forms::Found;
use super::term_search::{Next, TermLine, TermQuestion, TermSearch, Written};
use crate::{Lost, Request, RequiredTerm, TranslateOptions};
use metaphrase_document::{Keep, find};
use metaphrase_search::Outcome;
use metaphrase_text::numbers::{Amount, amounts, missing_amounts, plain_numbers};
use std::ops::{ControlFlow, Range};

/// A translation is garbage if its log-probability is below this many times that of the free one, less the slack.
const LEAST: f32 = 1.5;
const SLACK: f32 = 3.0;

/// The most numbers that a line is searched again for: a translation that lacks more of them, mostly of the row of a
/// table, has lost its way, and the search would take long.
const MOST_NUMBERS: usize = 6;

/// The parts of a line that its translation may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LosableParts {
    /// Amounts of money and other numbers.
    amounts: bool,
    /// Addresses, placeholders, code, names of files.
    things: bool,
}

/// A free translation that lacks parts of its source.
pub(crate) struct FreeTranslation {
    found: Found,
    log_prob: f32,
    letters: usize,
    parts: LosableParts,
    /// The number of the parts that it lacks.
    lost: usize,
    /// Whether these are numbers alone. A thing may be shorter than the translation that stands in its place.
    lacks_numbers: bool,
}

/// The parts of a source that a translation lacks, as terms.
struct LostParts {
    money: Vec<RequiredTerm>,
    numbers: Vec<RequiredTerm>,
    things: Vec<RequiredTerm>,
}

impl LostParts {
    fn len(&self) -> usize {
        self.money.len() + self.numbers.len() + self.things.len()
    }
}

impl Context {
    /// The parts of a line that a translation may lack; `None` if there are none.
    pub(super) fn losable(&self, options: &TranslateOptions, request: &Request) -> Option<LosableParts> {
        let is_plain = request.terms.avoided.is_empty() && request.target.is_none() && request.prefix.is_empty();
        if !is_plain || self.inline_terms.is_none() {
            return None;
        }
        let source = &request.source;
        let has_digits = source.bytes().any(|byte| byte.is_ascii_digit());
        let languages = || self.model.config().languages.as_ref();
        let has_amounts = || {
            languages().is_some_and(|[from, to]| {
                [amounts, plain_numbers].iter().any(|numbers| !numbers(source, (from, to)).is_empty())
            })
        };
        let amounts = options.amounts == Lost::Keep && has_digits && has_amounts();
        let things = options.things == Lost::Keep && may_have_things(source) && !things(source).is_empty();
        (amounts || things).then_some(LosableParts { amounts, things })
    }

    /// The translation of a free search, if it has the parts; else a search with the missing ones as terms.
    pub(super) fn after_losing_search(
        &self,
        mut outcome: Outcome<Job>,
        written: &Written,
        parts: LosableParts,
        mut line: TermLine,
        mut second: SecondSearch,
    ) -> Next {
        let mut lost = self.lost_parts(parts, &line.request.source, &written.text);
        if lost.numbers.len() > MOST_NUMBERS {
            lost.numbers.clear();
        }
        let known = &mut line.request.terms.required;
        for lost in [&mut lost.money, &mut lost.numbers, &mut lost.things] {
            lost.retain(|lost| {
                known.iter().all(|known| !lost.source.as_ref().is_some_and(|place| known.overlaps(place)))
            });
        }
        let count = lost.len();
        if count == 0 {
            return ControlFlow::Break(outcome);
        }
        // A wrong amount of money is worse than any other fault; but next to terms it may lead to garbage.
        let may_be_garbage = lost.money.is_empty() || !known.is_empty();
        let lacks_numbers = lost.things.is_empty();
        for lost in [&mut lost.money, &mut lost.numbers, &mut lost.things] {
            known.append(lost);
        }
        let TermLine { request, words, .. } = &line;
        let Some(constraints) = self.segmented(request, &second).constraints else {
            return ControlFlow::Break(outcome);
        };
        second.constraints = Some(constraints);
        let found = Found::take(&mut outcome);
        let (log_prob, letters) = (found.log_prob(), written.text.chars().count());
        let job = &mut outcome.tag;
        // Things that are copied stand in the source as they are.
        if let Some(annotated) = self.annotate(request, words, &job.source_pieces) {
            (second.source, job.columns) = annotated.read_between(job.languages.before, job.languages.last);
        }
        if job.required.has_terms() {
            job.required.prefer(&self.target, &self.written);
        }
        let task = second.clone();
        if may_be_garbage {
            let free = FreeTranslation { found, log_prob, letters, parts, lost: count, lacks_numbers };
            let question = TermQuestion::LostFound(Box::new(free));
            job.term_search = Some(Box::new(TermSearch { question, line, second }));
        }
        ControlFlow::Continue(task.task(outcome.tag, outcome.counts))
    }

    /// The translation of a line with terms if it has the other parts of its source, too; else a search with those that
    /// it lacks.
    pub(super) fn keep_parts(&self, outcome: Outcome<Job>, mut line: TermLine, second: SecondSearch) -> Next {
        let (Some(parts), Some(best)) = (line.parts.take(), outcome.hypotheses.first()) else {
            return ControlFlow::Break(outcome);
        };
        let written = self.text_of(&best.words);
        self.after_losing_search(outcome, &written, parts, line, second)
    }

    /// The parts of a source that a translation lacks. If a thing is lost, the others are required, too: they might be
    /// lost in its place.
    fn lost_parts(&self, parts: LosableParts, source: &str, text: &str) -> LostParts {
        let languages = self.model.config().languages.as_ref().filter(|_| parts.amounts);
        let missing = languages.map(|[from, to]| missing_amounts(source, text, (from, to))).unwrap_or_default();
        let amount =
            |amount: Amount| RequiredTerm { source: Some(amount.range), ..RequiredTerm::new(amount.renderings) };
        let [money, numbers] =
            [missing.money, missing.plain].map(|amounts| amounts.into_iter().map(amount).collect::<Vec<_>>());
        let mut things = if parts.things { things(source) } else { Vec::new() };
        things.retain(|place| money.iter().chain(&numbers).all(|term| !term.overlaps(place)));
        if things.iter().all(|place| text.contains(&source[place.clone()])) {
            things.clear();
        }
        let thing = |place: Range<usize>| {
            let required = RequiredTerm::new([&source[place.clone()]]);
            RequiredTerm { source: Some(place), ..required }
        };
        LostParts { money, numbers, things: things.into_iter().map(thing).collect() }
    }

    /// The translation with the parts that the free one lacks, unless it is garbage or lacks others.
    pub(super) fn after_lost_search(
        &self,
        outcome: Outcome<Job>,
        written: &Written,
        source: &str,
        free: FreeTranslation,
    ) -> Outcome<Job> {
        let required = &outcome.tag.required;
        let log_prob = outcome.hypotheses[0].log_prob;
        let letters = written.text.chars().count();
        let is_long = 2 * letters > 3 * free.letters + 20;
        // It has something more than the free one: if it is shorter all the same, it lacks other words.
        let is_short = free.lacks_numbers && 10 * letters < 9 * free.letters;
        let has_terms = required.is_met_by(source, &written.text, &written.pieces);
        let lost = self.lost_parts(free.parts, source, &written.text);
        let lacks_others = lost.len() > lost.money.len() && lost.len() >= free.lost;
        if is_long || is_short || log_prob < LEAST * free.log_prob - SLACK || !has_terms || lacks_others {
            return free.found.into_outcome(outcome);
        }
        outcome
    }
}

/// The things of a line that stay as they are. Names of keys (`Ctrl+C`) are translated.
fn things(source: &str) -> Vec<Range<usize>> {
    let is_key =
        |thing: &str| thing.contains('+') && thing.split('+').all(|key| key.chars().all(char::is_alphanumeric));
    let mut found = find(source, Keep::default());
    found.retain(|place| !is_key(&source[place.clone()]));
    found
}

/// Whether a line has a sign that each thing has: most lines need no further look.
fn may_have_things(source: &str) -> bool {
    let bytes = source.as_bytes();
    let is_sign = |byte: u8| b"_/\\@{}$%<>=#`|&~".contains(&byte) || byte.is_ascii_digit();
    // `settings.ini`, `:smile:`, `-x`.
    let joins = |pair: &[u8]| matches!(pair[0], b'.' | b':' | b'-') && pair[1].is_ascii_alphabetic();
    bytes.iter().any(|&byte| is_sign(byte)) || bytes.windows(2).any(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_where_a_line_may_have_some() {
        for (line, expected) in [
            ("Set it in settings.ini.", &["settings.ini"][..]),
            ("Run `git push` now.", &["`git push`"]),
            ("Press Ctrl+C to stop.", &[]),
            ("The well-known man is old. He sleeps.", &[]),
            ("Write to info@example.org.", &["info@example.org"]),
            ("The option -x is new.", &["-x"]),
            ("Hello %s!", &["%s"]),
        ] {
            let places = if may_have_things(line) { things(line) } else { Vec::new() };
            assert_eq!(places.into_iter().map(|place| &line[place]).collect::<Vec<_>>(), expected, "{line}");
        }
    }
}
