//! Pivot translation through a third language: a translation of a translation, as one translation.

use crate::engine::{AlignmentUnit, Engine, EngineFacts, Plan, Session};
use crate::linked::LinkedTexts;
use crate::reply::Reply;
use crate::{Attention, Error, Hypothesis, Request, RequiredTerm, TranslateOptions, Translation, Translator};
use metaphrase_text::spans;
use std::ops::Range;
use std::sync::Arc;

/// Two translators; the second translates the translations of the first.
pub(crate) struct Pivot {
    first: Arc<Translator>,
    last: Arc<Translator>,
}

/// Lines with one set of options.
struct PivotSession<'e> {
    pivot: &'e Pivot,
    first_options: TranslateOptions,
    last_options: TranslateOptions,
}

impl Pivot {
    pub(crate) fn new(first: Arc<Translator>, last: Arc<Translator>) -> Self {
        Self { first, last }
    }

    /// Whether translations can have word alignments: those of both legs, one after the other.
    fn has_alignment(&self) -> bool {
        [&self.first, &self.last].iter().all(|leg| leg.aligns_pieces())
    }
}

impl Engine for Pivot {
    fn facts(&self) -> EngineFacts {
        let (first, last) = (self.first.facts(), self.last.facts());
        let languages = first.languages.as_ref().zip(last.languages.as_ref());
        EngineFacts {
            languages: languages.map(|([source, _], [_, target])| [source.clone(), target.clone()]),
            source_languages: first.source_languages.clone(),
            target_languages: last.target_languages.clone(),
            source_vocabulary: first.source_vocabulary.clone(),
            target_vocabulary: last.target_vocabulary.clone(),
            alignment: self.has_alignment().then_some(AlignmentUnit::Pieces),
            evidence_counter: last.evidence_counter.clone(),
            // Each leg deals with its own.
            unlearned_letters: String::new(),
            takes_whole_lines: true,
        }
    }

    fn options(&self) -> TranslateOptions {
        self.last.options()
    }

    fn session<'e>(&'e self, options: &TranslateOptions) -> Result<Box<dyn Session + 'e>, Error> {
        if options.pieces {
            return Err(Error::Pivot { what: "words of the vocabularies in place of text" });
        }
        let mut first_options = self.first.options();
        first_options.source_language = options.source_language.clone().or(first_options.source_language);
        let options = &TranslateOptions { source_language: self.last.options().source_language, ..options.clone() };
        self.first.check(&first_options)?;
        self.last.check(options)?;
        first_options.search.attention |= options.search.attention && self.has_alignment();
        first_options.max_source_length = options.max_source_length;
        Ok(Box::new(PivotSession { pivot: self, first_options, last_options: options.clone() }))
    }
}

impl Session for PivotSession<'_> {
    fn submit(&self, plan: Plan, reply: Reply) {
        let request = Request { attached: 0, ..plan.request };
        if request.target.is_some() {
            let error = "two models, one after the other, do not score given translations; use one model";
            return reply.finish(Translation::failed(error, request.terms.required.len()));
        }
        let (to_first, cancel) = (first_leg(&request), reply.cancel().clone());
        let has_places = request.terms.required.iter().any(|term| term.source.is_some());
        let mut first_options = self.first_options.clone();
        first_options.search.attention |= has_places && self.pivot.first.has_alignment();
        let (last, options, last_cancel) = (Arc::clone(&self.pivot.last), self.last_options.clone(), cancel.clone());
        // If either leg loses a translation, the reply is dropped, which reports the error to its caller.
        let onwards = move |between: Result<Translation, Error>| {
            let Ok(between) = between else { return };
            if between.error.is_some() {
                return reply.finish(first_failed(between, request.terms.required.len()));
            }
            let first_source = request.source.clone();
            let mut onwards = Request { source: between.text().to_owned(), source_language: None, ..request };
            place_terms(&mut onwards.terms.required, &first_source, &between);
            let joined = move |end: Result<Translation, Error>| {
                if let Ok(end) = end {
                    reply.finish(join(between, end));
                }
            };
            let _ = last.submit(&options, onwards, &last_cancel, joined);
        };
        let _ = self.pivot.first.submit(&first_options, to_first, &cancel, onwards);
    }

    fn weight(&self, plan: &Plan) -> usize {
        let source = plan.request.source.len() + plan.request.prefix.len();
        let attention = if self.last_options.search.attention { source * size_of::<f32>() } else { 0 };
        let translations = 1 + self.last_options.search.n_best;
        plan.request.size().saturating_add(translations.saturating_mul(source.saturating_mul(64 + attention)))
    }
}

/// The request of the first leg. A term that stands in the source as it must stand in the translation, as a name or a
/// placeholder, is required of the first leg, too; other terms are words of the last leg's language.
fn first_leg(request: &Request) -> Request {
    let stays = |term: &&RequiredTerm| matches!(&term.targets[..], [target] if request.source.contains(&**target));
    let required = request.terms.required.iter().filter(stays).cloned().collect();
    let terms = crate::Terms { required, avoided: Vec::new() };
    Request { terms, source_language: request.source_language.clone(), ..Request::translate(&*request.source) }
}

/// Gives terms the places of their words in the first leg's translation of `source`, in place of those in the source
/// itself.
fn place_terms(terms: &mut [RequiredTerm], source: &str, between: &Translation) {
    let best = between.hypotheses.first();
    let linked = best.and_then(|best| {
        let attention = best.attention.as_ref()?;
        Some(LinkedTexts::new(source, &between.source_pieces, &best.text, &best.pieces, attention))
    });
    for term in terms {
        term.source = term.source.take().and_then(|place| {
            let words = linked.as_ref()?.words_for(&place);
            // Words that are far apart are not the term.
            let (first, last) = (words.first()?, words.last()?);
            (words.len() <= 4).then_some(first.start..last.end)
        });
    }
}

/// The translation of a line with this number of required terms, whose first leg has no translation.
fn first_failed(failed: Translation, terms: usize) -> Translation {
    let error = format!("first leg: {}", failed.error.unwrap_or_default());
    Translation { source_pieces: failed.source_pieces, ..Translation::failed(&error, terms) }
}

/// The last leg's translation of the text between, as a translation of the first leg's source.
fn join(between: Translation, mut end: Translation) -> Translation {
    let best = between.hypotheses.first().cloned().unwrap_or_default();
    for hypothesis in &mut end.hypotheses {
        hypothesis.attention = through(&best, &end.source_pieces, hypothesis);
        hypothesis.links.clear();
    }
    let legs = [("first", between.notes), ("last", end.notes)];
    let note = |(leg, notes): (&str, Vec<String>)| {
        notes.into_iter().map(move |note| format!("{leg} leg: {note}")).collect::<Vec<_>>()
    };
    let mut notes: Vec<String> = legs.into_iter().flat_map(note).collect();
    if best.text.trim().is_empty() && !between.source_pieces.is_empty() {
        notes.push("first leg: the translation is empty, and so is the last leg's".into());
    }
    let mut counts = between.counts;
    counts += end.counts;
    Translation { source_pieces: between.source_pieces, notes, counts, ..end }
}

/// The attention of the last leg over the source of the first. Each piece of the text between, as the last leg reads
/// it, passes its weight on to the pieces of the first leg that share bytes with it. `pieces` are those that the last
/// leg reads.
fn through(between: &Hypothesis, pieces: &[String], end: &Hypothesis) -> Option<Attention> {
    let (first, last) = (between.attention.as_ref()?, end.attention.as_ref()?);
    let written = spans(&between.pieces, &between.text);
    let read = spans(pieces, &between.text);
    let rows: Vec<&[f32]> = first.weights.chunks_exact(first.source_len).collect();
    // By piece that the last leg reads, the end of sentence included: weights of the first leg's source, which sum to
    // one.
    let mut sources = vec![vec![0.0; first.source_len]; last.source_len];
    for (number, source) in sources.iter_mut().enumerate() {
        let mut shares = shares(read.get(number), &written, rows.len());
        let sum: f32 = shares.iter().map(|(_, share)| share).sum();
        shares.retain(|(row, _)| *row < rows.len());
        for (row, share) in shares {
            source.iter_mut().zip(rows[row]).for_each(|(sum_of, weight)| *sum_of += weight * share / sum);
        }
    }
    let mut weights = Vec::with_capacity(last.weights.len() / last.source_len.max(1) * first.source_len);
    for row in last.weights.chunks_exact(last.source_len) {
        let at = weights.len();
        weights.resize(at + first.source_len, 0.0);
        for (weight, source) in row.iter().zip(&sources) {
            weights[at..].iter_mut().zip(source).for_each(|(sum, share)| *sum += weight * share);
        }
    }
    Some(Attention { source_len: first.source_len, weights })
}

/// The pieces of the first leg that share bytes with a piece, with the number of these bytes. A piece that shares none
/// maps to the next piece, and the end of sentence to the last row.
fn shares(piece: Option<&Range<usize>>, written: &[Range<usize>], rows: usize) -> Vec<(usize, f32)> {
    let end = || vec![(rows.saturating_sub(1), 1.0)];
    let Some(piece) = piece else { return end() };
    let common = |other: &Range<usize>| piece.end.min(other.end).saturating_sub(piece.start.max(other.start));
    let found: Vec<(usize, f32)> = written
        .iter()
        .enumerate()
        .map(|(row, other)| (row, common(other) as f32))
        .filter(|&(_, bytes)| bytes > 0.0)
        .collect();
    if !found.is_empty() {
        return found;
    }
    let next = written.iter().position(|other| other.start >= piece.start);
    next.map_or_else(end, |row| vec![(row, 1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hypothesis(text: &str, pieces: &[&str], source_len: usize, weights: &[f32]) -> Hypothesis {
        Hypothesis {
            text: text.into(),
            pieces: pieces.iter().map(|&piece| piece.into()).collect(),
            attention: Some(Attention { source_len, weights: weights.into() }),
            ..Hypothesis::default()
        }
    }

    #[test]
    fn attention_goes_through_the_text_between() {
        // "B A" was read as three pieces and the end; the last leg reads it as "B", " A" and the end.
        let between =
            hypothesis("Bb Aa", &["▁B", "b", "▁Aa"], 3, &[0.0, 1.0, 0.0, 0.2, 0.8, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let end = hypothesis("x y", &["▁x", "▁y"], 3, &[1.0, 0.0, 0.0, 0.0, 0.5, 0.5]);
        let read = ["▁Bb".to_owned(), "▁Aa".to_owned()];
        let found = through(&between, &read, &end).map(|attention| attention.weights);
        // The first piece stands for half of each of the first two rows.
        let expected = [0.1, 0.9, 0.0, 0.5, 0.0, 0.5];
        assert!(found.is_some_and(|found| found.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6)));
    }

    #[test]
    fn the_first_leg_keeps_what_stands_in_the_source() {
        let request =
            Request::translate("Hello {name}!").require(["{name}"]).require(["Hallo"]).avoid("Tag").prefix("O");
        let first = first_leg(&request);
        assert_eq!(
            (first.terms.required, first.terms.avoided, first.prefix),
            (vec![RequiredTerm::new(["{name}"])], vec![], String::new())
        );
    }
}
