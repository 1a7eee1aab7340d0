//! The search of one sentence: its open hypotheses, its finished ones (F), and one step's selection.

use crate::sampling::{self, Sampler};
use crate::trellis::{HypId, Trellis};
use crate::{CheckedOptions, Hypothesis, Stop, Task, length};
use metaphrase_base::{Candidate, Parent, Row, SentId, StepRow, StepScores, WordId};
use rand_chacha::ChaCha8Rng;

/// A hypothesis that the next step continues.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// `None` before the first word.
    hyp: Option<HypId>,
    /// What it extends in the model's last step; `None` before the first word.
    parent: Option<Parent>,
    /// Which draw it is, when sampling.
    draw: usize,
}

/// A hypothesis that ended, by itself or at the length limit.
#[derive(Debug, Clone, Copy)]
struct Finished {
    hyp: HypId,
    /// Normalised.
    score: f32,
}

/// An end of sentence that did not survive TOPB (Algorithm 1, remark 5). It has no place in the trellis yet.
#[derive(Debug, Clone, Copy)]
struct Reserve {
    parent: Option<HypId>,
    log_prob: f32,
    score: f32,
}

/// Buffers of one step's selection, shared by all sentences of a searcher.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    so_far: Vec<f32>,
    candidates: Vec<Candidate>,
    open: Vec<Open>,
    sampler: Sampler,
}

/// What search knows of the model.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// The word that ends a sentence.
    pub(crate) end: WordId,
    /// V.
    pub(crate) words: usize,
}

/// State of one sentence's search. Reused from sentence to sentence.
#[derive(Debug)]
pub(crate) struct SentenceSearch {
    options: CheckedOptions,
    source_len: usize,
    prefix: Vec<WordId>,
    /// T: the length at which the search ends.
    limit: usize,
    /// Words of the open hypotheses.
    length: usize,
    /// Places in the beam.
    width: usize,
    open: Vec<Open>,
    trellis: Trellis,
    /// F, best first, at most `n_best`.
    finished: Vec<Finished>,
    /// The best of the second stack; only where the beam is filled up again.
    reserve: Option<Reserve>,
    draws: Vec<ChaCha8Rng>,
}

impl SentenceSearch {
    /// A search that [`start`](Self::start) has to follow.
    pub(crate) fn new(options: CheckedOptions) -> Self {
        Self {
            options,
            source_len: 0,
            prefix: Vec::new(),
            limit: 0,
            length: 0,
            width: 0,
            open: Vec::new(),
            trellis: Trellis::default(),
            finished: Vec::new(),
            reserve: None,
            draws: Vec::new(),
        }
    }

    /// Begins a sentence: lines 2, 3 and 6 of Algorithm 1.
    pub(crate) fn start<T>(&mut self, task: &Task<T>) {
        let options = &task.options;
        self.options = options.clone();
        self.source_len = task.source.len();
        self.prefix.clone_from(&task.prefix);
        self.limit = length::limit(options, task.source.len(), task.prefix.len());
        self.length = 0;
        self.width = options.beam_size;
        self.trellis.clear();
        self.finished.clear();
        self.reserve = None;
        self.draws.clear();
        if options.sampling.is_some() {
            self.draws.extend((0..options.n_best).map(|draw| sampling::generator(task.seed, draw)));
        }
        self.open.clear();
        let copies = self.copies();
        self.open.extend((0..copies).map(|draw| Open { hyp: None, parent: None, draw }));
    }

    /// Rows that stand for the one hypothesis that there is before the search branches: every draw has its own.
    fn copies(&self) -> usize {
        if self.length < self.prefix.len() { 1 } else { self.draws.len().max(1) }
    }

    pub(crate) fn wants_attention(&self) -> bool {
        self.options.attention
    }

    pub(crate) fn source_len(&self) -> usize {
        self.source_len
    }

    /// The rows that the next step must compute.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = Option<Parent>> {
        self.open.iter().map(|open| open.parent)
    }

    /// Continues all open hypotheses by one word: lines 11 to 16 of Algorithm 1. The sentence's rows of the
    /// step start at `first_row`, in the order of [`rows`](Self::rows); `attention` gives a row's attention.
    /// Returns whether the sentence is done.
    pub(crate) fn advance<'a>(
        &mut self,
        target: Target,
        first_row: usize,
        scores: &mut impl StepScores,
        attention: impl Fn(Row) -> &'a [f32],
        buffers: &mut Selection,
    ) -> bool {
        self.select(target, first_row, scores, buffers);
        if self.options.stop == Stop::Fill && self.length >= self.prefix.len() && self.draws.is_empty() {
            self.keep_lost_ends(target, first_row, scores, &buffers.candidates);
        }
        self.length += 1;
        buffers.open.clear();
        for (place, candidate) in buffers.candidates.iter().enumerate() {
            let from = self.open[candidate.row.index() - first_row];
            let hyp = self.trellis.add(from.hyp, candidate.word, candidate.score, attention(candidate.row));
            if candidate.word == target.end {
                self.finish(hyp);
            } else {
                let parent = Parent { row: candidate.row, word: candidate.word };
                let draw = if self.draws.is_empty() { place } else { from.draw };
                buffers.open.push(Open { hyp: Some(hyp), parent: Some(parent), draw });
            }
        }
        if self.options.stop == Stop::Shrink && self.draws.is_empty() && self.length > self.prefix.len() {
            self.width -= buffers.candidates.len() - buffers.open.len();
        }
        core::mem::swap(&mut self.open, &mut buffers.open);
        if self.length <= self.prefix.len()
            && let [only] = self.open[..]
        {
            self.open.extend((1..self.copies()).map(|draw| Open { draw, ..only }));
        }
        self.is_done()
    }

    /// Chooses the continuations: TOPB, the forced word of a prefix, or a draw for each row.
    fn select(&mut self, target: Target, first_row: usize, scores: &mut impl StepScores, buffers: &mut Selection) {
        let options = &self.options;
        let Selection { so_far, candidates, sampler, .. } = buffers;
        so_far.clear();
        so_far.extend(self.open.iter().map(|open| open.hyp.map_or(0.0, |hyp| self.trellis.log_prob(hyp))));
        if let Some(&word) = self.prefix.get(self.length) {
            let row = Row::new(first_row);
            candidates.clear();
            candidates.push(Candidate { row, word, score: scores.score(row, word) + so_far[0] });
        } else if let Some(sampling) = options.sampling {
            candidates.clear();
            for (place, open) in self.open.iter().enumerate() {
                let row = Row::new(first_row + place);
                scores.row(row, sampler.row(target.words));
                if let Some((word, log_prob)) = sampler.draw(sampling, &options.excluded, &mut self.draws[open.draw]) {
                    candidates.push(Candidate { row, word, score: log_prob + so_far[place] });
                }
            }
        } else {
            let rows = first_row..first_row + self.open.len();
            scores.top(rows, so_far, self.width, &options.excluded, candidates);
        }
    }

    /// Remark 5 of Algorithm 1: the best of the end-of-sentence candidates that TOPB did not take.
    fn keep_lost_ends(&mut self, target: Target, first_row: usize, scores: &impl StepScores, taken: &[Candidate]) {
        for (place, open) in self.open.iter().enumerate() {
            let row = Row::new(first_row + place);
            if taken.iter().any(|c| c.row == row && c.word == target.end) {
                continue;
            }
            let so_far = open.hyp.map_or(0.0, |hyp| self.trellis.log_prob(hyp));
            let log_prob = scores.score(row, target.end) + so_far;
            let score = length::normalised(&self.options, log_prob, self.length + 1);
            if log_prob > f32::NEG_INFINITY && self.reserve.is_none_or(|best| score > best.score) {
                self.reserve = Some(Reserve { parent: open.hyp, log_prob, score });
            }
        }
    }

    /// Adds a hypothesis of the current length to F.
    fn finish(&mut self, hyp: HypId) {
        let options = &self.options;
        let score = length::normalised(options, self.trellis.log_prob(hyp), self.length);
        let place = self.finished.partition_point(|other| other.score >= score);
        if place < options.n_best {
            self.finished.truncate(options.n_best - 1);
            self.finished.insert(place, Finished { hyp, score });
        }
    }

    fn is_done(&self) -> bool {
        let options = &self.options;
        if self.open.is_empty() || self.length >= self.limit {
            return true;
        }
        // No open hypothesis can enter the n-best list any more: what remains to be found is worse.
        options.stop == Stop::Fill
            && options.sampling.is_none()
            && self.finished.len() == options.n_best
            && self.finished.last().is_some_and(|worst| {
                self.open.iter().filter_map(|open| open.hyp).all(|hyp| {
                    let log_prob = self.trellis.log_prob(hyp);
                    length::reachable(options, log_prob, self.length + 1, self.limit) <= worst.score
                })
            })
    }

    /// Line 17 of Algorithm 1, GETBESTHYPOTHESIS, for the `n_best` best.
    pub(crate) fn hypotheses(&mut self, target: Target) -> Vec<Hypothesis> {
        let lost_end = self.reserve.filter(|_| self.finished.is_empty());
        if self.cut_off_counts() && lost_end.is_none() {
            for place in 0..self.open.len() {
                if let Some(hyp) = self.open[place].hyp {
                    self.finish(hyp);
                }
            }
        }
        if let Some(Reserve { parent, log_prob, score }) = lost_end {
            // Its attention was not kept: it shows that of the word before it.
            let hyp = self.trellis.add_like_parent(parent, target.end, log_prob, self.source_len);
            self.finished.push(Finished { hyp, score });
        }
        let trace = |f: &Finished| self.trellis.trace_back(f.hyp, target.end, f.score, self.source_len);
        self.finished.iter().map(trace).collect()
    }

    /// Whether hypotheses that the length limit cut off are results. In Marian they compete with the finished
    /// ones; in Algorithm 1 they are the last resort.
    fn cut_off_counts(&self) -> bool {
        let compete = self.options.stop == Stop::Shrink || self.options.sampling.is_some();
        self.length >= self.limit && (compete || self.finished.is_empty())
    }
}

/// Rows of a sentence in a slot, as the model wants them.
pub(crate) fn step_rows(slot: SentId, sentence: &SentenceSearch, rows: &mut Vec<StepRow>) {
    rows.extend(sentence.rows().map(|parent| StepRow { sentence: slot, parent }));
}
