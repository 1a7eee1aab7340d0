//! A sentence, ready to be searched: the options of its spans and their rest costs.

use crate::candidates::{Candidate, Candidates, Choice, unknown};
use crate::coverage::Coverage;
use crate::model::PhraseModel;
use crate::rest_cost::RestCosts;
use crate::table::SourceNode;
use metaphrase_base::WordId;
use std::ops::Range;

/// A sentence's own options are numbered from here on, those of the table below.
const OWN: u32 = 1 << 31;

/// The options of the spans of a sentence.
#[derive(Debug, Default)]
pub(crate) struct Sentence {
    len: usize,
    longest: usize,
    /// `spans[start * longest + len - 1]`.
    spans: Vec<Span>,
    /// Options that the table does not have: words passed through.
    own: Vec<Candidate>,
    own_words: Vec<WordId>,
    rest_costs: RestCosts,
}

/// The options of a span.
#[derive(Debug, Clone, Copy)]
struct Span {
    choice: Choice,
    own: bool,
}

/// Options of a span, and what is needed to use them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// The options, the best first.
    pub(crate) candidates: &'a [Candidate],
    /// The number of the first.
    pub(crate) first: u32,
    /// What [`Candidate::words`] points into.
    pub(crate) words: &'a [WordId],
}

impl Sentence {
    /// Looks up all spans of a sentence. Gaps before a covered word will be at most `widest_gap` words long.
    pub(crate) fn prepare(&mut self, model: &PhraseModel, candidates: &Candidates, words: &[&str], widest_gap: usize) {
        self.len = words.len();
        self.longest = model.table().longest_source().clamp(1, words.len().max(1));
        self.spans.clear();
        self.spans.resize(self.len * self.longest, Span { choice: Choice::NONE, own: false });
        self.own.clear();
        self.own_words.clear();
        let ids: Vec<Option<WordId>> = words.iter().map(|word| model.table().source_words().id(word)).collect();
        for (start, word) in words.iter().enumerate() {
            self.look_up(model, candidates, &ids, start);
            if self.spans[start * self.longest].choice.is_empty() {
                self.pass_through(model, word, start);
            }
        }
        let Self { len, longest, spans, rest_costs, .. } = self;
        rest_costs.compute(*len, *longest, widest_gap, |start, len| spans[start * *longest + len - 1].choice.best);
    }

    /// The options of the spans that begin at `start`.
    fn look_up(&mut self, model: &PhraseModel, candidates: &Candidates, ids: &[Option<WordId>], start: usize) {
        let mut node = SourceNode::ROOT;
        let cells = self.spans[start * self.longest..].iter_mut().take(self.longest);
        for (cell, id) in cells.zip(&ids[start..]) {
            match id.and_then(|id| model.table().child(node, id)) {
                Some(next) => node = next,
                None => return,
            }
            cell.choice = candidates.choice(node);
        }
    }

    /// As Moses does: a word that has no translation of its own, even if it is in phrases that have.
    fn pass_through(&mut self, model: &PhraseModel, word: &str, start: usize) {
        let id = model.language_model().vocabulary().id(word);
        let (candidate, choice) = unknown(model, id, self.own.len() as u32);
        self.own.push(candidate);
        self.own_words.push(id);
        self.spans[start * self.longest] = Span { choice, own: true };
    }

    /// Number of source words.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Words of the longest source phrase that there can be options for.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The estimated score of what a coverage leaves.
    pub(crate) fn rest_cost(&self, coverage: &Coverage) -> f32 {
        self.rest_costs.of_gaps(coverage)
    }

    /// Whether there are options for a span of at most `longest` words.
    pub(crate) fn has_options(&self, span: &Range<usize>) -> bool {
        !self.span(span).choice.is_empty()
    }

    fn span(&self, span: &Range<usize>) -> Span {
        self.spans[span.start * self.longest + span.len() - 1]
    }

    /// The options for a span of at most `longest` words.
    pub(crate) fn options<'a>(
        &'a self,
        model: &'a PhraseModel,
        candidates: &'a Candidates,
        span: &Range<usize>,
    ) -> Options<'a> {
        let Span { choice, own } = self.span(span);
        let (list, words, first) =
            if own { (&self.own[..], &self.own_words[..], OWN) } else { (candidates.list(), model.lm_targets(), 0) };
        Options { candidates: &list[choice.range()], first: first + choice.start, words }
    }

    /// An option by its number.
    pub(crate) fn candidate<'a>(&'a self, candidates: &'a Candidates, number: u32) -> &'a Candidate {
        match number.checked_sub(OWN) {
            Some(own) => &self.own[own as usize],
            None => &candidates.list()[number as usize],
        }
    }
}
