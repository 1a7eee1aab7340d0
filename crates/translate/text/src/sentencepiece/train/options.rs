//! The options of a training.

use super::TrainError as Error;

/// How a vocabulary of pieces is trained; names and defaults are those of SentencePiece, but for the ids.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainOptions {
    /// Number of pieces, special ones included.
    pub vocab_size: usize,
    /// Share of the text's characters that pieces must cover, from 0.98 to 1. The rest, rarest characters first,
    /// becomes unknown or bytes.
    pub character_coverage: f64,
    /// Characters in the longest piece, from 1 to 512.
    pub max_piece_length: usize,
    /// Lines of more bytes are left out.
    pub max_line_length: usize,
    /// Train on some of the lines only.
    pub sample: Option<Sample>,
    /// How text is normalised before all else; the model keeps it.
    pub normalization: Normalization,
    /// No piece has characters of two scripts. Han, Hiragana and Katakana count as one.
    pub split_by_unicode_script: bool,
    /// No piece has digits and letters.
    pub split_by_number: bool,
    /// Each digit is a piece of its own.
    pub split_digits: bool,
    /// Unknown characters become their bytes, which takes 256 pieces.
    pub byte_fallback: bool,
    /// Ids of the special pieces.
    pub special_ids: SpecialIds,
    /// Pieces that no text leads to, such as `<2de>`. They take the first free ids.
    pub control_symbols: Vec<String>,
    /// Pieces that are never cut and never part of others. They take the first free ids after control symbols.
    pub user_defined_symbols: Vec<String>,
    /// For unigram models.
    pub unigram: UnigramOptions,
    /// Threads to train with, at least 1. The model does not depend on it.
    pub threads: usize,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            vocab_size: 8000,
            character_coverage: 0.9995,
            max_piece_length: 16,
            max_line_length: 4192,
            sample: None,
            normalization: Normalization::NmtNfkc,
            split_by_unicode_script: true,
            split_by_number: true,
            split_digits: false,
            byte_fallback: false,
            special_ids: SpecialIds::default(),
            control_symbols: Vec::new(),
            user_defined_symbols: Vec::new(),
            unigram: UnigramOptions::default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Which lines of a large text to train on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many; all if the text has fewer.
    pub lines: usize,
    /// Another seed, other lines.
    pub seed: u64,
}

/// How text is normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalization {
    /// Unicode's NFKC with a few rules for translation: control characters vanish, all kinds of blanks become one.
    NmtNfkc,
    /// Nothing but blanks changes.
    Identity,
}

impl Normalization {
    /// The name that model files have for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NmtNfkc => "nmt_nfkc",
            Self::Identity => "identity",
        }
    }
}

/// Ids of `<unk>`, `<s>`, `</s>` and `<pad>`; those without an id are not in the vocabulary.
///
/// The default is Marian's: `</s>` is 0, `<unk>` 1, there are no others. SentencePiece's own is `<unk>` 0, `<s>` 1,
/// `</s>` 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialIds {
    /// Unknown text.
    pub unk: usize,
    /// Start of a sentence.
    pub bos: Option<usize>,
    /// End of a sentence.
    pub eos: Option<usize>,
    /// Padding.
    pub pad: Option<usize>,
}

impl Default for SpecialIds {
    fn default() -> Self {
        Self { unk: 1, bos: None, eos: Some(0), pad: None }
    }
}

/// How a unigram model is trained (Kudo 2018, section 3.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnigramOptions {
    /// Pieces to start from.
    pub seed_size: usize,
    /// Share of the pieces that is kept each round, from 0.5 to 0.95.
    pub shrinking_factor: f64,
    /// Iterations of expectation maximisation each round, from 1 to 10.
    pub sub_iterations: usize,
}

impl Default for UnigramOptions {
    fn default() -> Self {
        Self { seed_size: 1_000_000, shrinking_factor: 0.75, sub_iterations: 2 }
    }
}

impl TrainOptions {
    /// Refuses numbers out of their range.
    pub(super) fn check(&self) -> Result<(), Error> {
        let check = |good: bool, option, found: f64, expected| match good {
            true => Ok(()),
            false => Err(Error::Option { option, found, expected }),
        };
        let coverage = self.character_coverage;
        let UnigramOptions { seed_size, shrinking_factor, sub_iterations } = self.unigram;
        let size = self.vocab_size;
        check((1..1 << 22).contains(&size), "vocab_size", size as f64, "1 to 4194303")?;
        check((0.98..=1.0).contains(&coverage), "character_coverage", coverage, "0.98 to 1")?;
        let length = self.max_piece_length;
        check((1..=512).contains(&length), "max_piece_length", length as f64, "1 to 512")?;
        check(seed_size > 0, "unigram.seed_size", seed_size as f64, "1 or more")?;
        check((0.5..=0.95).contains(&shrinking_factor), "unigram.shrinking_factor", shrinking_factor, "0.5 to 0.95")?;
        check((1..=10).contains(&sub_iterations), "unigram.sub_iterations", sub_iterations as f64, "1 to 10")?;
        check(self.threads > 0, "threads", 0.0, "1 or more")?;
        let lines = self.sample.map_or(1, |sample| sample.lines);
        check(lines > 0, "sample.lines", lines as f64, "1 or more")
    }
}
