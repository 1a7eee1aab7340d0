//! Training of SentencePiece models: text to a vocabulary of pieces.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use metaphrase_text::sentencepiece::SentencePieceModel;
//! use metaphrase_text::sentencepiece::train::{TrainOptions, train_unigram};
//!
//! let text = ["der Hund", "die Hunde", "ein Hund und eine Katze", "die Katzen"];
//! let options = TrainOptions { vocab_size: 20, ..TrainOptions::default() };
//! let trained = train_unigram(text, &options, |_| ())?;
//! let model = SentencePieceModel::from_bytes(&trained.model)?;
//! assert_eq!(model.len(), 20);
//! # Ok(())
//! # }
//! ```
//!
//! [`train_unigram`] makes unigram language models (Kudo 2018), [`train_bpe`] byte pair encoding (Sennrich et al.
//! 2016). Options, defaults and files are those of <https://github.com/google/sentencepiece>, whose programs read
//! what comes out; the ids of special pieces are Marian's. Several texts are trained on together by chaining their
//! lines. The same lines and options give the same bytes on any number of threads.
//!
//! The way: lines are normalised, cut at blanks and counted by word (`corpus`); what follows sees words with their
//! counts, so that its time grows with the number of different words. Rules decide which strings may be pieces
//! (`shape`). A unigram model starts from all repeated strings (`seeds`) and drops most of them (`unigram`, on
//! `lattice`s of words); BPE joins pairs (`bpe`). `write` makes the file.
//!
//! Where this differs from the C++ library:
//! - A unigram model may start from a string that a blank always follows. There such a string is no seed, as what is
//!   always longer is not looked at and the longer string, with its blank, is no piece: frequent words such as
//!   `▁Because` fall into parts. Ours takes fewer pieces per word, and the fewer the more text is tokenised (in Tatoeba
//!   about 1 %, up to 16 % where all punctuation stands alone), at a better likelihood.
//! - Characters keep a probability throughout; counts are exact and sums f64.
//! - Byte pair encoding looks at all pairs at each step, not at the likely ones. The pieces were the same so far.

mod bpe;
mod corpus;
mod error;
mod lattice;
mod nmt_nfkc;
mod options;
mod parallel;
mod seeds;
mod shape;
mod specials;
mod unigram;
mod write;

pub use error::TrainError;
pub use options::{Normalization, Sample, SpecialIds, TrainOptions, UnigramOptions};

pub(super) use write::Message;

use corpus::Corpus;
use lattice::Piece;
use shape::Shape;
use specials::Specials;

/// A trained model.
#[derive(Debug, Clone)]
pub struct TrainedModel {
    /// The bytes of its file (`.spm`, `.model`).
    pub model: Vec<u8>,
    /// The text that the model was trained on.
    pub report: TrainReport,
}

/// The text that a model was trained on.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainReport {
    /// Lines of the text.
    pub lines: usize,
    /// Lines that were left out for their length.
    pub long_lines: usize,
    /// Words, as they are parted by blanks and rare characters.
    pub words: u64,
    /// Different ones.
    pub word_types: usize,
    /// Different characters that are pieces.
    pub characters: usize,
    /// Share of the text's characters that they cover.
    pub coverage: f64,
    /// Rounds of estimating and dropping; 0 for byte pair encoding.
    pub rounds: usize,
}

/// How far the training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    /// The text was read.
    Counted {
        /// Its lines.
        lines: usize,
        /// Different words.
        word_types: usize,
    },
    /// A unigram model starts from this many pieces.
    Seeded {
        /// Characters and repeated strings.
        pieces: usize,
    },
    /// A unigram model was estimated again.
    Estimated {
        /// Pieces that are left.
        pieces: usize,
        /// Log-probability of the text before that, per character.
        log_likelihood: f64,
    },
    /// Byte pair encoding has joined pairs.
    Merged {
        /// Pieces that were joined.
        pieces: usize,
        /// How many there will be.
        of: usize,
    },
}

/// The kinds of models; the numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModelKind {
    Unigram = 1,
    Bpe = 2,
}

/// Trains a unigram language model of pieces on `lines`; `progress` is called after each stage and each round.
///
/// # Errors
/// If an option is out of range, or the text has too few pieces or too many characters for `vocab_size`.
pub fn train_unigram<S: AsRef<str>>(
    lines: impl IntoIterator<Item = S>,
    options: &TrainOptions,
    mut progress: impl FnMut(Progress),
) -> Result<TrainedModel, TrainError> {
    let prepared = TrainingInput::read(lines, options, &mut progress)?;
    let seeds = seeds::seeds(&prepared.corpus, &Shape::new(options), options.unigram.seed_size)?;
    progress(Progress::Seeded { pieces: seeds.len() });
    let room = options.vocab_size - prepared.specials.len();
    let (pieces, rounds) = unigram::train(&prepared.corpus, seeds, room, options, progress)?;
    prepared.into_model(ModelKind::Unigram, options, &pieces, rounds)
}

/// Trains byte pair encoding on `lines`; `progress` is called after each stage and each round.
///
/// # Errors
/// If an option is out of range, or the text has too few pieces or too many characters for `vocab_size`.
pub fn train_bpe<S: AsRef<str>>(
    lines: impl IntoIterator<Item = S>,
    options: &TrainOptions,
    mut progress: impl FnMut(Progress),
) -> Result<TrainedModel, TrainError> {
    let prepared = TrainingInput::read(lines, options, &mut progress)?;
    let merges = options.vocab_size - prepared.specials.len() - prepared.corpus.characters.len();
    let pieces = bpe::train(&prepared.corpus, &Shape::new(options), merges, progress);
    prepared.into_model(ModelKind::Bpe, options, &pieces, 0)
}

/// The start of both kinds of models.
struct TrainingInput {
    charsmap: &'static [u8],
    specials: Specials,
    corpus: Corpus,
}

impl TrainingInput {
    /// Reads the text and sees that special pieces and characters fit into the vocabulary.
    fn read<S: AsRef<str>>(
        lines: impl IntoIterator<Item = S>,
        options: &TrainOptions,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Self, TrainError> {
        options.check()?;
        let specials = Specials::new(options)?;
        let charsmap = match options.normalization {
            Normalization::NmtNfkc => nmt_nfkc::charsmap().ok_or(TrainError::Format("the normalisation table"))?,
            Normalization::Identity => &[],
        };
        let corpus = Corpus::read(lines, options, charsmap, &specials)?;
        progress(Progress::Counted { lines: corpus.lines, word_types: corpus.words.len() });
        let (special, characters) = (specials.len(), corpus.characters.len());
        if options.vocab_size < special + characters {
            let (wanted, needed) = (options.vocab_size, special + characters);
            return Err(TrainError::TooSmall { wanted, needed, special, characters });
        }
        Ok(Self { charsmap, specials, corpus })
    }

    fn into_model(
        self,
        kind: ModelKind,
        options: &TrainOptions,
        pieces: &[Piece],
        rounds: usize,
    ) -> Result<TrainedModel, TrainError> {
        let possible = self.specials.len() + pieces.len();
        if possible != options.vocab_size {
            return Err(TrainError::TooLarge { wanted: options.vocab_size, possible });
        }
        let corpus = &self.corpus;
        Ok(TrainedModel {
            model: write::model_file(kind, options, self.charsmap, &self.specials, pieces),
            report: TrainReport {
                lines: corpus.lines,
                long_lines: corpus.long_lines,
                words: corpus.word_count(),
                word_types: corpus.words.len(),
                characters: corpus.characters.len(),
                coverage: corpus.coverage,
                rounds,
            },
        })
    }
}
