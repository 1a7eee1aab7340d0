//! By way of a third language: a translation of a translation, as one translation.

use crate::reply::{Answer, Call, Reply};
use crate::spans::spans;
use crate::stream::answered;
use crate::{Attention, Cancel, Error, Hypothesis, Request, TranslateOptions, Translation, Translator};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Two translators, the second of which translates on from what the first one gives.
pub(crate) struct Pivot {
    pub(crate) first: Arc<Translator>,
    pub(crate) last: Arc<Translator>,
    /// The codes of the source of the first and of the target of the second.
    pub(crate) languages: Option<[String; 2]>,
}

impl Pivot {
    pub(crate) fn new(first: Arc<Translator>, last: Arc<Translator>) -> Self {
        let languages = first.languages().zip(last.languages());
        let languages = languages.map(|([source, _], [_, target])| [source.clone(), target.clone()]);
        Self { first, last, languages }
    }

    /// Whether translations can have word alignments: those of both legs, one behind the other.
    pub(crate) fn has_alignment(&self) -> bool {
        [&self.first, &self.last].iter().all(|leg| leg.aligns_pieces())
    }

    /// Whether requests with these options can be answered.
    pub(crate) fn ready(&self, options: &TranslateOptions) -> Result<(), Error> {
        if options.pieces {
            return Err(Error::Pivot { what: "words of the vocabularies in place of text" });
        }
        self.first.ready(&self.first.options())?;
        self.last.ready(options)
    }

    /// See [`Translator::stream`].
    pub(crate) fn stream(
        &self,
        options: &TranslateOptions,
        chunks: impl Iterator<Item = Vec<Request>> + Send,
        sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.ready(options)?;
        let cancel = Cancel::new();
        let answered = answered(
            |mut tickets| {
                for mut request in chunks.flatten() {
                    let Some(mut ticket) = tickets.take() else { return };
                    ticket.weigh(weight(&request, options));
                    request.attached = 0;
                    let answer: Answer = Box::new(move |answer| {
                        if let Ok(translation) = answer {
                            ticket.finish(translation);
                        }
                    });
                    if self.submit(options, request, &cancel, answer).is_err() {
                        return;
                    }
                }
            },
            sink,
        );
        // Nobody reads the answers of lines that are still on their way.
        cancel.cancel();
        answered
    }

    /// See [`Translator::submit`].
    pub(crate) fn submit(
        &self,
        options: &TranslateOptions,
        request: Request,
        cancel: &Cancel,
        answer: Answer,
    ) -> Result<(), Error> {
        self.ready(options)?;
        if request.target.is_some() {
            let error = "two models, one behind the other, do not score given translations; use one model";
            answer(Ok(Translation::failed(error, request.terms.required.len())));
            return Ok(());
        }
        // An answer that gets lost on either leg tells its caller.
        let reply = Reply::Call(Call::new(cancel.clone(), answer));
        let mut first = self.first.options();
        first.search.attention |= options.search.attention && self.has_alignment();
        first.max_source_length = options.max_source_length;
        let to_first = first_leg(&request);
        let (last, options, cancelled) = (Arc::clone(&self.last), options.clone(), cancel.clone());
        let onwards = move |between: Result<Translation, Error>| {
            let Ok(between) = between else { return };
            if between.error.is_some() {
                return reply.finish(first_failed(between, request.terms.required.len()));
            }
            let onwards = Request { source: between.text().to_owned(), ..request };
            let joined = move |end: Result<Translation, Error>| {
                if let Ok(end) = end {
                    reply.finish(join(between, end));
                }
            };
            let _ = last.submit(&options, onwards, &cancelled, joined);
        };
        self.first.submit(&first, to_first, cancel, onwards)
    }
}

/// Bytes of a request and of its answers, about and at most.
fn weight(request: &Request, options: &TranslateOptions) -> usize {
    let source = request.source.len() + request.prefix.len();
    let attention = if options.search.attention { source * size_of::<f32>() } else { 0 };
    let answers = (1 + options.search.n_best).saturating_mul(source.saturating_mul(64 + attention));
    (1024 + request.attached + source).saturating_add(answers)
}

/// The request of the first leg. What stands in the source as it has to stand in the translation, as a name or a placeholder, stays on
/// the first leg, too; other terms are words of the last leg's language.
fn first_leg(request: &Request) -> Request {
    let stays = |alternatives: &&Vec<String>| matches!(&alternatives[..], [term] if request.source.contains(&**term));
    let required = request.terms.required.iter().filter(stays).cloned().collect();
    let terms = crate::Terms { required, avoided: Vec::new() };
    Request { terms, ..Request::translate(&*request.source) }
}

/// The answer to a request with so many terms, whose first leg has no translation.
fn first_failed(failed: Translation, terms: usize) -> Translation {
    let error = format!("first leg: {}", failed.error.unwrap_or_default());
    Translation { source_pieces: failed.source_pieces, ..Translation::failed(&error, terms) }
}

/// The translation of a translation, as one of the first one's source.
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

/// The attention of the last leg over the source of the first: the attention over the text between, each of whose pieces stands for the
/// pieces of the first leg that share bytes with it. `pieces`: those that the last leg reads the text between as.
fn through(between: &Hypothesis, pieces: &[String], end: &Hypothesis) -> Option<Attention> {
    let (first, last) = (between.attention.as_ref()?, end.attention.as_ref()?);
    let written = spans(&between.pieces, &between.text);
    let read = spans(pieces, &between.text);
    let rows: Vec<&[f32]> = first.weights.chunks_exact(first.source_len).collect();
    // By piece that the last leg reads, the end of sentence included: weights of the source, of sum one.
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

/// The pieces of the first leg that a piece stands for, with the bytes that they share; the end of sentence, and a piece that shares
/// none, stands for the one behind its place.
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
    let behind = written.iter().position(|other| other.start >= piece.start);
    behind.map_or_else(end, |row| vec![(row, 1.0)])
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
            (vec![vec!["{name}".into()]], vec![], String::new())
        );
    }
}
