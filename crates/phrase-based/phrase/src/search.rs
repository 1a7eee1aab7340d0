//! The search: source cardinality synchronous, as Zens & Ney 2008 and Wuebker et al. 2012 describe it.

use crate::candidates::{Candidate, Candidates};
use crate::counters::Counters;
use crate::coverage::Coverage;
use crate::decoder::Decoder;
use crate::graph::{Arc, NodeId, SearchGraph};
use crate::memo::{Memo, StateNumber};
use crate::options::{LookAhead, SearchOptions};
use crate::sentence::{Options, Sentence};
use crate::source::Source;
use crate::stack::{Hypothesis, NO_SWAP, Stack, Survivors};
use crate::translation::{Orientation, Phrase, Translation};
use metaphrase_base::WordId;
use metaphrase_ngram::{Context, END, Lookup, State};
use std::ops::Range;

/// The memory of a search: its next sentence uses it again. One per thread.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(crate) sentence: Sentence,
    /// The stack of cardinality `c` is at `c` modulo their number: no phrase reaches further.
    stacks: Vec<Stack>,
    survivors: Survivors,
    extensions: Vec<Extension>,
    coverage: Coverage,
    memo: Memo,
    pub(crate) graph: SearchGraph,
    counters: Counters,
}

/// A source span that the hypotheses of a coverage may translate next.
#[derive(Debug, Clone)]
struct Extension {
    span: Range<usize>,
    /// The stack that it leads to, and the number of the coverage there.
    stack: usize,
    coverage: u32,
    /// Whether nothing is left then.
    is_last: bool,
    /// For [`Hypothesis::swap_start`].
    swap_start: u32,
}

impl Decoder<'_> {
    /// Searches the best translation of a sentence, and counts the work. A sentence without words has no phrases.
    ///
    /// # Panics
    /// This and other searches: if a translation in [`Source::forced`] does not fit the sentence.
    pub fn translate<'s>(&self, source: impl Into<Source<'s>>, workspace: &mut Workspace) -> (Translation, Counters) {
        let counters = self.search(source.into(), workspace);
        (self.best(workspace), counters)
    }

    /// Searches; the result is in the graph and the survivors of the workspace.
    pub(crate) fn search(&self, source: Source, workspace: &mut Workspace) -> Counters {
        let words = source.words;
        workspace.sentence.prepare(self, source);
        workspace.counters = Counters { source_words: words.len() as u64, ..Counters::default() };
        self.start(workspace);
        for cardinality in 0..words.len() {
            self.expand(workspace, cardinality);
        }
        let last = workspace.stack_of(words.len());
        workspace.stacks[last].survivors(&mut workspace.graph, &mut workspace.survivors);
        workspace.counters
    }

    /// One hypothesis, which has translated nothing.
    fn start(&self, workspace: &mut Workspace) {
        let count = workspace.sentence.longest() + 1;
        workspace.stacks.resize_with(count.max(workspace.stacks.len()), Stack::default);
        workspace.graph.reset();
        workspace.memo.start();
        for cardinality in 0..count.min(workspace.sentence.len() + 1) {
            self.reset_stack(workspace, cardinality);
        }
    }

    fn reset_stack(&self, workspace: &mut Workspace, cardinality: usize) {
        let SearchOptions { coverages, hypotheses, keep_recombined, .. } = self.options;
        // A search for the best translation needs one complete hypothesis. An estimate that ignores the history and the
        // end of the sentence errs too much to be compared with the best: it is compared with the worst of `N_l`.
        let one = cardinality == workspace.sentence.len() && !keep_recombined && !self.options.estimates();
        let hypotheses = if one { 1 } else { hypotheses };
        let stack = workspace.stack_of(cardinality);
        workspace.stacks[stack].reset(coverages, hypotheses, keep_recombined);
    }

    /// Extends the surviving hypotheses of a cardinality. Its stack is used again for a later cardinality.
    fn expand(&self, workspace: &mut Workspace, cardinality: usize) {
        let here = workspace.stack_of(cardinality);
        let mut survivors = std::mem::take(&mut workspace.survivors);
        if cardinality == 0 {
            survivors.start_with(self.initial());
            workspace.stacks[here].coverage_number(&Coverage::default(), || 0.0);
        } else {
            workspace.stacks[here].survivors(&mut workspace.graph, &mut survivors);
        }
        // Out of the way while others change; a phrase is not long enough to lead here.
        let stack = std::mem::take(&mut workspace.stacks[here]);
        for (coverage, hypotheses) in survivors.groups() {
            self.find_extensions(workspace, stack.coverage(coverage), cardinality);
            for (hypothesis, node) in hypotheses {
                self.expand_hypothesis(workspace, hypothesis, *node);
            }
        }
        workspace.stacks[here] = stack;
        workspace.survivors = survivors;
        let next = cardinality + workspace.sentence.longest() + 1;
        if next <= workspace.sentence.len() {
            self.reset_stack(workspace, next);
        }
    }

    fn initial(&self) -> Hypothesis {
        let arc = Arc { score: 0.0, parent: NodeId::ROOT, candidate: 0, start: 0, end: 0 };
        Hypothesis::new(arc, self.model.language_model().begin(), 0, NO_SWAP, 0)
    }

    /// The free spans of a coverage that the distortion limit allows after at least one of its hypotheses.
    fn find_extensions(&self, workspace: &mut Workspace, coverage: &Coverage, cardinality: usize) {
        let Workspace { sentence, stacks, extensions, coverage: next, .. } = workspace;
        extensions.clear();
        let gap = coverage.first_gap();
        let reach = self.options.distortion_limit.map_or(sentence.len(), |limit| sentence.len().min(gap + limit));
        for start in gap..reach.max(gap + 1) {
            let longest = sentence.longest().min(sentence.len() - start);
            // A phrase that leaves the gap open has to end where the search can still come back from.
            let last = if start == gap { start + longest } else { reach.min(start + longest) };
            for end in start + 1..=last {
                if coverage.covers(end - 1) {
                    break;
                }
                let span = start..end;
                if !sentence.has_options(&span) {
                    continue;
                }
                next.set_union(coverage, span.clone());
                let reached = cardinality + span.len();
                let stack = reached % (sentence.longest() + 1);
                let number = stacks[stack].coverage_number(next, || sentence.rest_cost(next));
                let swap_start = if start > 0 && !next.covers(start - 1) { start as u32 } else { NO_SWAP };
                let is_last = reached == sentence.len();
                extensions.push(Extension { span, stack, coverage: number, is_last, swap_start });
            }
        }
    }

    /// Extends a hypothesis by the options of all spans.
    fn expand_hypothesis(&self, workspace: &mut Workspace, hypothesis: &Hypothesis, node: NodeId) {
        let Workspace { sentence, stacks, extensions, counters, memo, .. } = workspace;
        let (state, number) = (&hypothesis.state, memo.number(&hypothesis.state));
        let previous = hypothesis.arc.start as usize..hypothesis.arc.end as usize;
        let prepared = self.prepared.as_deref();
        let context = self.model.language_model().context(state);
        let forward = &sentence.forward(prepared)[hypothesis.forward as usize];
        for extension in &*extensions {
            let jump = previous.end.abs_diff(extension.span.start);
            if self.options.distortion_limit.is_some_and(|limit| jump > limit) {
                continue;
            }
            let orientation = Orientation::between(&previous, &extension.span) as usize;
            let score = hypothesis.arc.score - self.model.weights.distortion * jump as f32 + forward[orientation];
            let from =
                Origin { state, context: &context, number, node, score, orientation, is_last: extension.is_last };
            for options in sentence.options(prepared, &extension.span) {
                self.expand_options(&mut stacks[extension.stack], extension, &from, options, memo, counters);
            }
        }
    }

    /// The innermost loop: extends a hypothesis by the options of a span.
    fn expand_options(
        &self,
        stack: &mut Stack,
        extension: &Extension,
        from: &Origin,
        options: Options,
        memo: &mut Memo,
        counters: &mut Counters,
    ) {
        let mut threshold = stack.threshold(extension.coverage);
        for (number, candidate) in (options.first..).zip(options.list) {
            if from.score + candidate.bound <= threshold {
                break;
            }
            counters.considered += 1;
            let score = from.score + candidate.score[from.orientation];
            if !self.passes_look_ahead(from, candidate, score, threshold, memo, counters) {
                continue;
            }
            let (log10, state) = self.lm_score(from, options.candidates, candidate, memo, counters);
            let score = score + self.lm_weight * log10;
            if score <= threshold {
                continue;
            }
            let (start, end) = (extension.span.start as u32, extension.span.end as u32);
            let arc = Arc { score, parent: from.node, candidate: number, start, end };
            stack.insert(Hypothesis::new(arc, state, candidate.forward, extension.swap_start, extension.coverage));
            counters.expansions += 1;
            threshold = stack.threshold(extension.coverage);
        }
    }

    /// Whether an expansion of `score`, without the language model's, may still be above the threshold.
    #[inline]
    fn passes_look_ahead(
        &self,
        from: &Origin,
        candidate: &Candidate,
        score: f32,
        threshold: f32,
        memo: &mut Memo,
        counters: &mut Counters,
    ) -> bool {
        // No probability is above 1.
        score > threshold
            && match self.options.look_ahead {
                LookAhead::None => true,
                LookAhead::FirstWord if candidate.len == 0 => true,
                LookAhead::FirstWord => {
                    counters.lm_requests += 1;
                    let log10 = memo.log10(from.number, candidate.first, || from.look_up(candidate.first, counters));
                    score + self.lm_weight * log10 > threshold
                }
                LookAhead::PhraseOnly => score + candidate.estimate > threshold,
            }
    }

    /// log10 probability of the first word of a phrase, and the state after the word.
    #[inline]
    fn first_score(&self, from: &Origin, word: WordId, memo: &mut Memo, counters: &mut Counters) -> (f32, State) {
        if self.options.look_ahead != LookAhead::FirstWord {
            counters.lm_requests += 1;
        }
        memo.score(from.number, word, || from.look_up(word, counters), |found| from.context.after(found))
    }

    /// log10 probability of the words of a phrase, and of the end of the sentence if it is the last one.
    #[inline]
    fn lm_score(
        &self,
        from: &Origin,
        candidates: &Candidates,
        candidate: &Candidate,
        memo: &mut Memo,
        counters: &mut Counters,
    ) -> (f32, State) {
        let words = candidates.words(candidate);
        let model = self.model.language_model();
        let (mut sum, mut state) = (0.0, *from.state);
        if !words.is_empty() {
            let (log10, next) = self.first_score(from, candidate.first, memo, counters);
            (sum, state) = (log10, next);
        }
        for (before, &word) in (0..).zip(words).skip(1) {
            // Once the state depends on this phrase alone, the rest is as in the phrase alone.
            if state.length() <= before {
                sum += candidates.suffix(candidate, before);
                state = *candidates.state(candidate);
                break;
            }
            let (log10, next) = model.score(&state, word);
            (sum, state) = (sum + log10, next);
            counters.add_computation();
        }
        if from.is_last {
            sum += model.score(&state, END).0;
            counters.add_computation();
        }
        (sum, state)
    }

    /// The best translation of the sentence searched last.
    pub(crate) fn best(&self, workspace: &Workspace) -> Translation {
        let Some(&(hypothesis, mut node)) = workspace.survivors.hypotheses().first() else {
            return Translation { score: 0.0, phrases: Vec::new() };
        };
        let mut phrases = Vec::new();
        while let Some(arc) = workspace.graph.arcs(node).first() {
            phrases.push(self.phrase(workspace, arc));
            node = arc.parent;
        }
        phrases.reverse();
        Translation { score: hypothesis.arc.score, phrases }
    }

    /// The phrase that an arc adds.
    pub(crate) fn phrase(&self, workspace: &Workspace, arc: &Arc) -> Phrase {
        let target = workspace.sentence.candidate(self.prepared.as_deref(), arc.candidate).target;
        Phrase { source: arc.start as usize..arc.end as usize, target }
    }
}

/// The parts of a hypothesis that its expansions over a span use.
struct Origin<'a> {
    /// The language model state of the hypothesis, and the number of the state in the memo.
    state: &'a State,
    context: &'a Context<'a>,
    number: StateNumber,
    node: NodeId,
    /// With the scores of the jump to the span.
    score: f32,
    orientation: usize,
    /// Whether the sentence ends with the span.
    is_last: bool,
}

impl Origin<'_> {
    /// Looks up a word after the hypothesis.
    fn look_up(&self, word: WordId, counters: &mut Counters) -> Lookup {
        counters.lm_computations += 1;
        self.context.look_up(word)
    }
}

impl Workspace {
    fn stack_of(&self, cardinality: usize) -> usize {
        cardinality % (self.sentence.longest() + 1)
    }

    pub(crate) fn complete(&self) -> impl Iterator<Item = NodeId> {
        self.survivors.hypotheses().iter().map(|(_, node)| *node)
    }
}
