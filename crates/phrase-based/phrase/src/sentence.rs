//! A sentence, ready to be searched: the options of its spans and their rest costs.

use crate::candidates::{Candidate, Candidates, Choice, TableOptions};
use crate::coverage::Coverage;
use crate::decoder::Decoder;
use crate::features::UNKNOWN_WORD;
use crate::model::PhraseModel;
use crate::option_cache::OptionCache;
use crate::options::{SearchOptions, UnknownWords};
use crate::rest_cost::RestCosts;
use crate::source::{ForcedTranslation, Source};
use crate::table::SourceNode;
use crate::translation::Target;
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
    /// Options that the table does not have: words passed through, translations that came with the sentence.
    own: Candidates,
    /// The options of the table, if they are not prepared.
    option_cache: OptionCache,
    /// Words that the table is not asked about.
    taken: Vec<bool>,
    rest_costs: RestCosts,
}

/// The options of a span.
#[derive(Debug, Clone, Copy)]
struct Span {
    table: Choice,
    own: Choice,
}

/// The options of a span, and their numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// The options, the best first.
    pub(crate) list: &'a [Candidate],
    /// The number of the first.
    pub(crate) first: u32,
    /// Where they are.
    pub(crate) candidates: &'a Candidates,
}

impl Span {
    fn best(&self) -> f32 {
        self.table.best.max(self.own.best)
    }
}

impl Sentence {
    /// Looks up all spans of a sentence.
    pub(crate) fn prepare(&mut self, decoder: &Decoder<'_>, source: Source) {
        let Decoder { model, options, .. } = decoder;
        let Source { words, forced, exclusive } = source;
        let forced_len = forced.iter().map(|forced| forced.span.len()).max().unwrap_or(0);
        self.len = words.len();
        self.longest = model.table().longest_source().max(forced_len).clamp(1, words.len().max(1));
        self.spans.clear();
        self.spans.resize(self.len * self.longest, Span { table: Choice::NONE, own: Choice::NONE });
        self.own.clear();
        self.option_cache.start(decoder.number);
        self.take(if exclusive { forced } else { &[] });
        self.add_forced(model, options, forced);
        let ids: Vec<Option<WordId>> = words.iter().map(|word| model.table().source_word(word)).collect();
        for (start, word) in words.iter().enumerate() {
            self.look_up(decoder, &ids, start);
            if !self.has_options(&(start..start + 1)) {
                self.pass_through(model, options, word, start);
            }
        }
        let Self { len, longest, spans, rest_costs, .. } = self;
        // Gaps before a covered word are no longer than that.
        let widest_gap = options.distortion_limit.unwrap_or(*len);
        rest_costs.compute(*len, *longest, widest_gap, |start, len| spans[start * *longest + len - 1].best());
    }

    /// Only these translations of their words.
    fn take(&mut self, forced: &[ForcedTranslation]) {
        self.taken.clear();
        self.taken.resize(self.len, false);
        for ForcedTranslation { span, .. } in forced {
            self.taken[span.clone()].fill(true);
        }
    }

    /// The translations that came with the sentence.
    fn add_forced(&mut self, model: &PhraseModel, options: &SearchOptions, forced: &[ForcedTranslation]) {
        let mut order: Vec<usize> = (0..forced.len()).collect();
        let span = |&number: &usize| (forced[number].span.start, forced[number].span.end);
        order.sort_by_key(span);
        for group in order.chunk_by(|a, b| span(a) == span(b)) {
            let first = self.own.list().len();
            for &number in group {
                let score = forced[number].score(model) * model.weights.translation.iter().sum::<f32>();
                self.own.add_own(model, Target::Forced(number as u32), score, &forced[number].words);
            }
            let (start, end) = span(&group[0]);
            self.spans[start * self.longest + end - start - 1].own = self.own.choose(first, options);
        }
    }

    /// The options of the spans that begin at `start`.
    fn look_up(&mut self, decoder: &Decoder<'_>, ids: &[Option<WordId>], start: usize) {
        let Decoder { model, options, prepared, .. } = decoder;
        let mut node = SourceNode::ROOT;
        let cells = self.spans[start * self.longest..].iter_mut().take(self.longest);
        for ((cell, id), taken) in cells.zip(&ids[start..]).zip(&self.taken[start..]) {
            match id.filter(|_| !taken).and_then(|id| model.table().child(node, id)) {
                Some(next) => node = next,
                None => return,
            }
            cell.table = match prepared {
                Some(prepared) => prepared.choice(node),
                None => self.option_cache.choice(model, node, options),
            };
        }
    }

    /// As Moses does: a word that has no translation of its own, even if it is in phrases that have.
    fn pass_through(&mut self, model: &PhraseModel, options: &SearchOptions, word: &str, start: usize) {
        let first = self.own.list().len();
        let has_digits = word.contains(|c: char| c.is_ascii_digit());
        let (target, words) = match options.unknown_words {
            UnknownWords::Drop if !has_digits => (Target::Dropped, &[][..]),
            _ => (Target::Unknown, &[word][..]),
        };
        self.own.add_own(model, target, model.weights.unknown_word * UNKNOWN_WORD, words);
        self.spans[start * self.longest].own = self.own.choose(first, options);
    }

    /// Number of source words.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Words of the longest source phrase that there can be options for.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The estimated score of the words that a coverage leaves.
    pub(crate) fn rest_cost(&self, coverage: &Coverage) -> f32 {
        self.rest_costs.gaps(coverage)
    }

    /// Whether there are options for a span of at most `longest` words.
    pub(crate) fn has_options(&self, span: &Range<usize>) -> bool {
        let Span { table, own } = self.span(span);
        !(table.is_empty() && own.is_empty())
    }

    fn span(&self, span: &Range<usize>) -> Span {
        self.spans[span.start * self.longest + span.len() - 1]
    }

    /// Where the options of the table are.
    fn table<'a>(&'a self, prepared: Option<&'a TableOptions>) -> &'a Candidates {
        prepared.map_or(self.option_cache.candidates(), |prepared| &prepared.candidates)
    }

    /// The options for a span of at most `longest` words: those of the sentence, those of the table.
    pub(crate) fn options<'a>(
        &'a self,
        prepared: Option<&'a TableOptions>,
        span: &Range<usize>,
    ) -> impl Iterator<Item = Options<'a>> {
        let options = |candidates: &'a Candidates, first: u32, choice: Choice| Options {
            list: &candidates.list()[choice.range()],
            first: first + choice.start,
            candidates,
        };
        let Span { table: choice, own } = self.span(span);
        [options(&self.own, OWN, own), options(self.table(prepared), 0, choice)]
            .into_iter()
            .filter(|part| !part.list.is_empty())
    }

    /// Forward reordering weights by number and orientation.
    pub(crate) fn forward<'a>(&'a self, prepared: Option<&'a TableOptions>) -> &'a [[f32; 3]] {
        self.table(prepared).forward()
    }

    /// An option by its number.
    pub(crate) fn candidate<'a>(&'a self, prepared: Option<&'a TableOptions>, number: u32) -> &'a Candidate {
        match number.checked_sub(OWN) {
            Some(own) => &self.own.list()[own as usize],
            None => &self.table(prepared).list()[number as usize],
        }
    }
}
