//! Lines that are too long for a model: they are translated in parts, and the translations are put together.

use crate::glossary::GlossaryTerms;
use crate::reply::AnswerFn;
use crate::{Error, Hypothesis, Met, Request, Terms, TranslateOptions, Translation};
use metaphrase_document::{Splitter, cut, space_between, weight};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Divides the requests of one caller.
pub(crate) struct Divider<'t> {
    longest: usize,
    splitter: &'t Splitter,
    glossaries: GlossaryTerms<'t>,
}

/// The gaps of a divided line: one after each part but the last. A line that stays whole has none.
pub(crate) type Gaps = Vec<Gap>;

/// The text between two parts, and the characters around it: white space or nothing, or words too long to translate
/// with the white space around them.
pub(crate) struct Gap {
    text: String,
    around: (Option<char>, Option<char>),
}

impl<'t> Divider<'t> {
    /// `None`: all lines stay whole. N-best lists, alignments, search graphs and the length limit are those of a whole
    /// line; the draws of a line depend on its number, which parts would change.
    pub(crate) fn new(
        options: &TranslateOptions,
        splitter: impl FnOnce() -> &'t Splitter,
        glossaries: GlossaryTerms<'t>,
    ) -> Option<Self> {
        let longest = options.longest_sentence.filter(|&longest| longest > 0)?;
        let search = &options.search;
        let wholes = search.n_best > 1 || search.attention || search.explored || search.sampling.is_some();
        let limited = search.max_target_length != usize::MAX;
        if wholes || limited || options.search_graph.is_some() || options.pieces {
            return None;
        }
        Some(Self { longest, splitter: splitter(), glossaries })
    }

    /// The parts of a request, each with the byte of the line at which it begins, and the gaps between them. A request
    /// with terms, a prefix, a target or evidence stays whole, and so does a line in which a cut would split a term of
    /// a glossary.
    pub(crate) fn divide(&self, request: Request) -> (Vec<(usize, Request)>, Gaps) {
        let has_more = request.terms != Terms::default() || request.target.is_some() || request.evidence.is_some();
        let parts = if has_more || !request.prefix.is_empty() { Vec::new() } else { self.parts(&request.source) };
        let line = &request.source;
        if parts.len() < 2 || parts.iter().map(|part| self.terms(&line[part.clone()])).sum::<usize>() < self.terms(line)
        {
            return (vec![(0, request)], Gaps::new());
        }
        let gap = |pair: &[Range<usize>]| {
            let (end, start) = (pair[0].end, pair[1].start);
            let around = (line[..end].chars().next_back(), line[start..].chars().next());
            Gap { text: line[end..start].to_owned(), around }
        };
        let gaps = parts.windows(2).map(gap).collect();
        let mut attached = request.attached;
        let Request { source_language, target_language, .. } = &request;
        let part = |part: Range<usize>| {
            let attached = std::mem::take(&mut attached);
            (
                part.start,
                Request {
                    attached,
                    source_language: source_language.clone(),
                    target_language: target_language.clone(),
                    ..Request::translate(&line[part])
                },
            )
        };
        (parts.into_iter().map(part).collect(), gaps)
    }

    /// A line of more than a quarter of the longest sentence is divided into its sentences, and a longer sentence is
    /// cut. A word at the start of the line that belongs to no part has an empty part before it, and such a word at its
    /// end has one after it: all text is in a part or between two parts.
    fn parts(&self, line: &str) -> Vec<Range<usize>> {
        // A character has a byte at least, and the weight of three only if it has three bytes.
        if line.len() <= self.longest / 4 || weight(line) <= self.longest / 4 {
            return Vec::new();
        }
        let sentences = self.splitter.sentences(line).into_iter();
        let mut parts: Vec<_> = sentences.flat_map(|sentence| cut(line, sentence, self.longest)).collect();
        let first = parts.first().map_or(line.len(), |part| part.start);
        if !line[..first].trim().is_empty() {
            parts.insert(0, 0..0);
        }
        let last = parts.last().map_or(line.len(), |part| part.end);
        if !line[last..].trim().is_empty() {
            parts.push(line.len()..line.len());
        }
        parts
    }

    /// The number of terms of the glossaries in a text.
    fn terms(&self, text: &str) -> usize {
        self.glossaries.with_own(Vec::new(), text).len()
    }
}

/// Collects the answers to the parts of one line, which come in any order.
pub(crate) struct PartCollector {
    /// By part: its translation so far; and the function that gets the translation of the line.
    parts: Mutex<(Vec<Option<Translation>>, Option<AnswerFn>)>,
    gaps: Gaps,
}

impl PartCollector {
    /// The functions that get the translations of the parts, one each. They call `answer` once, with the translation of
    /// the line or with the first error.
    pub(crate) fn answers(parts: usize, gaps: Gaps, answer: AnswerFn) -> impl Iterator<Item = AnswerFn> {
        let collector = Arc::new(Self { parts: Mutex::new((vec![None; parts], Some(answer))), gaps });
        (0..parts).map(move |part| {
            let collector = Arc::clone(&collector);
            Box::new(move |answer| collector.put(part, answer)) as AnswerFn
        })
    }

    fn put(&self, part: usize, answer: Result<Translation, Error>) {
        let mut held = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answer.map(|translation| {
            held.0[part] = Some(translation);
            held.0.iter().all(Option::is_some).then(|| std::mem::take(&mut held.0).into_iter().flatten().collect())
        });
        let answer = match answer {
            Ok(None) => return,
            Ok(Some(parts)) => Ok(join(parts, &self.gaps)),
            Err(error) => Err(error),
        };
        let call = held.1.take();
        drop(held);
        if let Some(call) = call {
            call(answer);
        }
    }
}

/// The translation of a line whose parts these are, with the gaps between them.
fn join(parts: Vec<Translation>, gaps: &[Gap]) -> Translation {
    let mut parts = parts.into_iter();
    let mut whole = parts.next().unwrap_or_default();
    for (before, (part, gap)) in parts.zip(gaps).enumerate() {
        append(&mut whole, part, gap, before + 1);
    }
    whole
}

/// Appends a part after the `parts` parts before it.
fn append(whole: &mut Translation, part: Translation, gap: &Gap, parts: usize) {
    let (before, sources) = (whole.terms.len(), whole.source_pieces.len());
    whole.terms.extend(part.terms);
    whole.counts += part.counts;
    whole.source_pieces.extend(part.source_pieces);
    let kept = |word: &str| {
        format!("a word of {} letters is kept as it is: it is too long for a sentence", word.chars().count())
    };
    for note in part.notes.into_iter().chain(gap.text.split_whitespace().map(kept)) {
        if !whole.notes.contains(&note) {
            whole.notes.push(note);
        }
    }
    let error = whole.error.take().or(part.error);
    if error.is_some() {
        whole.error = error;
        whole.hypotheses.clear();
        whole.missing = (0..whole.terms.len()).collect();
        return;
    }
    whole.missing.extend(part.missing.iter().map(|term| term + before));
    if let (Some(best), Some(next)) = (whole.hypotheses.first_mut(), part.hypotheses.into_iter().next()) {
        let length = (best.pieces.len() + parts) as f32;
        let added = (next.pieces.len() + 1) as f32;
        best.score = (best.score * length + next.score * added) / (length + added);
        append_hypothesis(best, next, gap, before, sources);
    }
}

/// Appends a part's translation, except its score, after the `terms` terms and `sources` source pieces of the line
/// before it. The log-probability of the end of sentence before it, which is no piece of the line, is added to that of
/// the piece before: the sum is still that of the line.
fn append_hypothesis(best: &mut Hypothesis, next: Hypothesis, gap: &Gap, terms: usize, sources: usize) {
    let first = best.pieces.len();
    best.log_prob += next.log_prob;
    best.complete &= next.complete;
    best.met.extend(next.met.iter().map(|met| Met { term: met.term + terms, first: met.first + first, ..*met }));
    best.links.extend(next.links.iter().map(|(from, to)| (from + sources, to + first)));
    let around = (best.text.chars().next_back(), next.text.chars().next());
    best.text.push_str(match around {
        (Some(_), Some(_)) => space_between(&gap.text, gap.around, around),
        // White space stands between two texts only; a word is kept in any case.
        (None, Some(_)) => gap.text.trim_start(),
        (Some(_), None) => gap.text.trim_end(),
        (None, None) => gap.text.trim(),
    });
    best.text.push_str(&next.text);
    // An empty line has no end of sentence.
    let ended = !next.piece_log_probs.is_empty();
    let mut log_probs = next.piece_log_probs.into_iter();
    if ended && best.piece_log_probs.len() > first {
        let end = best.piece_log_probs.pop().unwrap_or_default();
        match best.piece_log_probs.last_mut() {
            Some(last) => *last += end,
            None => best.piece_log_probs.extend(log_probs.next().map(|next| next + end)),
        }
    }
    best.piece_log_probs.extend(log_probs);
    best.pieces.extend(next.pieces);
}
