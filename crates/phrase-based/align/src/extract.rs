//! From word alignments to the tables of a phrase-based system.
//!
//! 1. Every phrase pair of every sentence pair is a record (`phrases`), sorted by target phrase (`sorter`): that gives
//!    the counts of phrase pairs and of target phrases.
//! 2. The different phrase pairs are sorted by source phrase: that gives the counts of source phrases, the scores
//!    (`score`) and the tables (`tables`).
//!
//! Both sorts use bounded memory. `docs/algorithms/extract.md` has the formulas.

mod count;
mod error;
mod lexicon;
mod links;
mod orientation;
mod phrases;
mod ranks;
mod score;
mod smoothing;
mod sorter;
mod tables;

pub use error::ExtractError;
pub use smoothing::Smoothing;
pub use tables::TABLES;

use crate::{Alignment, Corpus};
use lexicon::Lexicon;
use ranks::{Ranks, SEPARATOR};
use std::num::NonZeroUsize;
use std::path::Path;

/// How to make phrase tables.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractOptions {
    /// Words of a phrase at most, from 1 to 8.
    pub max_length: usize,
    /// How phrase probabilities are estimated.
    pub smoothing: Smoothing,
    /// A pair with a smaller probability of the target phrase given the source phrase is left out.
    pub min_probability: f64,
    /// Target words of each source word in the list of candidates.
    pub candidates: usize,
    /// Bytes for phrase pairs in memory, about; more pairs go to temporary files in the output folder.
    pub memory: usize,
    /// Threads; the tables do not depend on their number.
    pub threads: NonZeroUsize,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            max_length: 7,
            smoothing: Smoothing::default(),
            min_probability: 0.0001,
            candidates: 20,
            memory: 1 << 30,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// Counts of the phrase pairs written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionReport {
    /// Different phrase pairs.
    pub phrase_pairs: u64,
    /// Phrase pairs in the tables.
    pub kept: u64,
}

/// Writes the tables of a phrase-based system, one alignment for each sentence pair, into a folder that exists:
///
/// | file | content |
/// |---|---|
/// | `phrase-table.gz` | Moses' phrase table |
/// | `reordering-table.wbe-msd-bidirectional-fe.gz` | Moses' lexicalised reordering table, of the same phrase pairs |
/// | `lex.s2t.gz`, `lex.t2s.gz` | word translation probabilities of both directions, Marian's form |
/// | `candidates.s2t.gz` | the most probable target words of each source word, in the same form |
///
/// # Errors
/// If the alignments are not those of the corpus, a word is Moses' separator `|||`, or a file can not be written; then
/// no file is there that was not there before.
pub fn extract(
    corpus: &Corpus,
    alignments: &[Alignment],
    options: &ExtractOptions,
    folder: &Path,
) -> Result<ExtractionReport, ExtractError> {
    check(corpus, alignments, options)?;
    let lexicon = Lexicon::count(corpus, alignments);
    let ranks = [Ranks::new(corpus.source_words()), Ranks::new(corpus.target_words())];
    let space = count::Space { folder, memory: options.memory / 2, threads: options.threads };
    let counted = count::count(corpus, alignments, &ranks, options.max_length, &space)
        .map_err(|error| ExtractError::scratch(folder, error))?;
    let scorer = score::Scorer::new(options, &counted.counts, &lexicon, &ranks);
    let words = [corpus.source_words(), corpus.target_words()];
    let mut tables = tables::PhraseTables::create(&scorer, &ranks, words, folder)?;
    tables.write(counted.pairs, folder)?;
    let extracted = ExtractionReport { phrase_pairs: counted.counts.distinct(), kept: tables.kept };
    let lexical = tables::write_lexicon(&lexicon, options.candidates, words, folder)?;
    tables::publish(tables.into_tables().into_iter().chain(lexical))?;
    Ok(extracted)
}

/// Writes only the word translation probabilities and candidates.
///
/// # Errors
/// As [`extract`].
pub fn extract_lexicon(
    corpus: &Corpus,
    alignments: &[Alignment],
    options: &ExtractOptions,
    folder: &Path,
) -> Result<(), ExtractError> {
    check(corpus, alignments, options)?;
    let lexicon = Lexicon::count(corpus, alignments);
    let words = [corpus.source_words(), corpus.target_words()];
    tables::publish(tables::write_lexicon(&lexicon, options.candidates, words, folder)?)
}

fn check(corpus: &Corpus, alignments: &[Alignment], options: &ExtractOptions) -> Result<(), ExtractError> {
    if !(1..=links::LONGEST).contains(&options.max_length) {
        return Err(ExtractError::MaxLength { found: options.max_length });
    }
    if corpus.len() != alignments.len() {
        return Err(ExtractError::Lines { text: corpus.len(), alignments: alignments.len() });
    }
    let separators = [corpus.source_words(), corpus.target_words()].map(|words| words.id(SEPARATOR));
    for (at, alignment) in alignments.iter().enumerate() {
        let pair = corpus.pair(at);
        alignment.check(pair).map_err(|error| ExtractError::Alignment { line: at + 1, error })?;
        let mut sides = separators.iter().zip([pair.source, pair.target]);
        if sides.any(|(separator, side)| separator.is_some_and(|word| side.contains(&word))) {
            return Err(ExtractError::Separator { line: at + 1 });
        }
    }
    Ok(())
}
