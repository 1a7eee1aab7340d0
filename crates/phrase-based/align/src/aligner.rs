//! Training on a corpus and alignment of the same.

use crate::diagonal::{Diagonal, Distances};
use crate::jumps::{JumpCounts, Jumps};
use crate::pair::{Hmm, PairPosteriors};
use crate::table::Table;
use crate::workers::for_each_pair;
use crate::{Alignment, Corpus, Error, Pair, Symmetrization};
use std::fmt;
use std::num::NonZeroUsize;

/// Jumps have few parameters, so they are counted in about this number of sentence pairs, evenly spread. With 261,627
/// pairs, one in 8 instead of all takes 15 % off the time and leaves every figure of `docs/results/align.md` as it is.
const JUMP_PAIRS: usize = 1 << 15;

/// How to align.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Passes over the text with the diagonal model.
    pub diagonal_iterations: usize,
    /// Passes over the text with the HMM; with 0 the diagonal model makes the alignments.
    pub hmm_iterations: usize,
    /// How the alignments of the two directions become one.
    pub symmetrization: Symmetrization,
    /// A sentence pair with more words on one side is not learnt from and gets no links.
    pub max_words: usize,
    /// Threads; the result does not depend on their number.
    pub threads: NonZeroUsize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            diagonal_iterations: 3,
            hmm_iterations: 3,
            symmetrization: Symmetrization::default(),
            max_words: 256,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// The kind of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A pass with the diagonal model.
    Diagonal,
    /// A pass with the HMM.
    Hmm,
    /// The last pass, which finds the links, or their agreement.
    Links,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Diagonal => "diagonal model",
            Self::Hmm => "HMM",
            Self::Links => "links",
        })
    }
}

/// A pass over the text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The kind of the pass.
    pub stage: Stage,
    /// Passes done before it.
    pub done: usize,
    /// Passes in all.
    pub of: usize,
}

/// Learns from a corpus and aligns it: one alignment for each sentence pair. A pair with an empty side, or with more
/// than [`Options::max_words`] words on one, has no links.
///
/// # Errors
/// [`Error::NoText`] if no sentence pair can be aligned, [`Error::TooManyWordPairs`].
pub fn align(corpus: &Corpus, options: &Options, observer: &mut dyn FnMut(Progress)) -> Result<Vec<Alignment>, Error> {
    let symmetrization = options.symmetrization;
    last_pass(corpus, options, observer, |posteriors, pair| posteriors.alignment(pair, symmetrization))
}

/// Learns from a corpus and rates each sentence pair by how well its words translate each other, from 0 to 1: the mean,
/// over all words of both sides, of the probability of the word given the word of the other side that makes it most
/// probable. Pairs that are no translations have low numbers. A pair that would have no links has 0.
///
/// # Errors
/// [`Error::NoText`] if no sentence pair can be aligned, [`Error::TooManyWordPairs`].
pub fn agreement(corpus: &Corpus, options: &Options, observer: &mut dyn FnMut(Progress)) -> Result<Vec<f32>, Error> {
    last_pass(corpus, options, observer, PairPosteriors::agreement)
}

/// Learns from a corpus and calls `result` with the posteriors of each sentence pair; the default for other pairs.
fn last_pass<R: Clone + Default + Send>(
    corpus: &Corpus,
    options: &Options,
    observer: &mut dyn FnMut(Progress),
    result: impl Fn(&PairPosteriors, Pair<'_>) -> R + Sync,
) -> Result<Vec<R>, Error> {
    let mut training = Training::new(corpus, options)?;
    let of = options.diagonal_iterations.saturating_add(options.hmm_iterations).saturating_add(1);
    let mut begin = |stage, done| observer(Progress { stage, done, of });
    for iteration in 0..options.diagonal_iterations {
        begin(Stage::Diagonal, iteration);
        training.diagonal_pass();
    }
    training.table.prune()?;
    for iteration in 0..options.hmm_iterations {
        begin(Stage::Hmm, options.diagonal_iterations + iteration);
        training.hmm_pass();
    }
    begin(Stage::Links, of - 1);
    Ok(training.results(result))
}

/// The models, and the corpus from which they learn.
struct Training<'a> {
    corpus: &'a Corpus,
    options: &'a Options,
    table: Table,
    priors: [Diagonal; 2],
    jumps: [Jumps; 2],
}

impl<'a> Training<'a> {
    fn new(corpus: &'a Corpus, options: &'a Options) -> Result<Self, Error> {
        let usable = |pair| is_usable(corpus, options, pair);
        if !(0..corpus.len()).any(usable) {
            return Err(Error::NoText);
        }
        let table = Table::new(corpus, usable)?;
        let priors = [Diagonal::new(), Diagonal::new()];
        Ok(Self { corpus, options, table, priors, jumps: [Jumps::new(), Jumps::new()] })
    }

    /// Each direction learns for itself.
    fn diagonal_pass(&mut self) {
        let (table, priors) = (&self.table, &self.priors);
        let found = self.for_each(<[Distances; 2]>::default, |posteriors, means, at| {
            let pair = self.corpus.pair(at);
            posteriors.diagonal(table, pair, priors, means);
            posteriors.count(table, pair);
        });
        let mut sum = <[Distances; 2]>::default();
        for means in found {
            sum.iter_mut().zip(means).for_each(|(sum, means)| sum.merge(means));
        }
        self.priors.iter_mut().zip(sum).for_each(|(prior, means)| prior.maximise(means));
        self.table.maximise();
    }

    /// Both directions learn from the links on which they agree.
    fn hmm_pass(&mut self) {
        let (table, hmm) = (&self.table, self.jumps.each_ref().map(Hmm::new));
        let every = (self.corpus.len() / JUMP_PAIRS).max(1);
        let found = self.for_each(
            || [JumpCounts::new(); 2],
            |posteriors, counts, at| {
                let pair = self.corpus.pair(at);
                posteriors.hmm(table, pair, &hmm, at.is_multiple_of(every).then_some(counts));
                posteriors.count_agreement(table, pair);
            },
        );
        let mut sum = [JumpCounts::new(); 2];
        for counts in found {
            sum.iter_mut().zip(&counts).for_each(|(sum, counts)| sum.merge(counts));
        }
        self.jumps.iter_mut().zip(&sum).for_each(|(jumps, counts)| jumps.maximise(counts));
        self.table.maximise();
    }

    /// Applies `result` to the posteriors of each pair.
    fn results<R: Clone + Default + Send>(&self, result: impl Fn(&PairPosteriors, Pair<'_>) -> R + Sync) -> Vec<R> {
        let hmm = self.jumps.each_ref().map(Hmm::new);
        let found = self.for_each(Vec::new, |posteriors, found, at| {
            let pair = self.corpus.pair(at);
            if self.options.hmm_iterations > 0 {
                posteriors.hmm(&self.table, pair, &hmm, None);
            } else {
                posteriors.diagonal(&self.table, pair, &self.priors, &mut Default::default());
            }
            found.push((at, result(posteriors, pair)));
        });
        let mut results = vec![R::default(); self.corpus.len()];
        for (at, result) in found.into_iter().flatten() {
            results[at] = result;
        }
        results
    }

    /// Calls `work` with the memory and the state of a thread for each sentence pair that can be aligned.
    fn for_each<S: Send>(
        &self,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut PairPosteriors, &mut S, usize) + Sync,
    ) -> Vec<S> {
        let states = for_each_pair(
            self.corpus.len(),
            self.options.threads,
            || (PairPosteriors::default(), state()),
            |(posteriors, state), at| {
                if is_usable(self.corpus, self.options, at) {
                    work(posteriors, state, at);
                }
            },
        );
        states.into_iter().map(|(_, state)| state).collect()
    }
}

/// Whether both sides have words, and not too many.
fn is_usable(corpus: &Corpus, options: &Options, at: usize) -> bool {
    let pair = corpus.pair(at);
    [pair.source, pair.target].iter().all(|side| (1..=options.max_words).contains(&side.len()))
}
