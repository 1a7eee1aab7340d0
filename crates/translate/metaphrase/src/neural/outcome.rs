//! From the outcome of a search to the translation that the caller gets: words become text again.

use super::context::{Context, pieces};
use super::inline_terms::line_attention;
use super::job::Job;
use crate::lengths::repetition;
use crate::{Hypothesis, SearchGraph, Translation};
use metaphrase_base::Unit;
use metaphrase_search::Outcome;

impl Context {
    /// Gives the caller an outcome, as text.
    pub(crate) fn reply(&self, outcome: Outcome<Job>) {
        let _unit = Unit::Text.timed();
        let Outcome { tag: mut job, source_len, mut hypotheses, explored, mut counts } = outcome;
        counts += job.earlier_counts;
        let required = &job.required;
        hypotheses.retain(|found| found.score.is_finite() && found.log_prob.is_finite());
        if hypotheses.is_empty() {
            let problem =
                self.models.iter().find_map(|model| model.device_failure()).unwrap_or_else(|| NOT_FINITE.to_owned());
            let failed = Translation::failed(&problem, job.terms);
            job.notes.push(problem);
            let (source_pieces, notes) = (job.source_pieces, job.notes);
            return job.reply.finish(Translation { source_pieces, notes, counts, ..failed });
        }
        let graph = |units| SearchGraph::new(&explored, &self.target, self.written.continuing(), units);
        let search_graph = job.graph.map(graph);
        let mut missing = required.impossible.clone();
        let complete = hypotheses.iter().all(|found| found.complete);
        let mut texts = Vec::with_capacity(hypotheses.len());
        for found in hypotheses {
            let text = self.text(found, source_len, &job);
            let lacking = required.numbers.iter().filter(|number| !text.met.iter().any(|met| met.term == **number));
            missing.extend(lacking);
            texts.push(text);
        }
        missing.sort_unstable();
        missing.dedup();
        let present = required.present(&texts);
        let late = missing.iter().filter(|number| !required.impossible.contains(number));
        job.notes.extend(late.map(|&number| required.lacks(number, complete)));
        job.notes.extend(present.iter().map(|&number| required.contains(number, &job.prefix)));
        job.notes.extend(texts.first().and_then(|best| repetition(&job.source_pieces, &best.pieces)));
        let Job { reply, source_pieces, notes, .. } = job;
        reply.finish(Translation {
            hypotheses: texts,
            error: None,
            missing,
            present,
            search_graph,
            counts,
            source_pieces,
            notes,
            ..Translation::default()
        });
    }

    /// A hypothesis as text.
    fn text(&self, found: metaphrase_search::Hypothesis, source_len: usize, job: &Job) -> Hypothesis {
        let weights = found.attention;
        let columns = job.columns.as_deref();
        let attention = (!weights.is_empty()).then(|| line_attention(weights, source_len, columns));
        let text = match &job.replacement {
            Some(replacement) => replacement.text(&found.words, attention.as_ref(), &self.target),
            None => self.target.decode(&found.words),
        };
        let pieces = pieces(&self.target, &found.words);
        Hypothesis {
            met: job.required.met(&found.words, &text, &pieces),
            text,
            pieces,
            score: found.score,
            log_prob: found.log_prob,
            piece_log_probs: found.word_log_probs,
            complete: found.complete,
            attention,
            links: Vec::new(),
        }
    }
}

/// The note on a line whose scores overflow.
pub(crate) const NOT_FINITE: &str = "the line has no translation: no score is a finite number; check the model, the \
     weights of its parts and the excluded words";
