//! Options of the search.

use crate::Usage;
use crate::io::Input;
use crate::values::choice;
use anyhow::{Context, Result};
use metaphrase::{Dictionary, Sampling, Stop, Strategy, TranslateOptions};
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Options of the search; the default of an option is the model's own setting.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// Number of hypotheses kept at each step [default: the model's own setting, else 6; at least 10 for lines with required
    /// terms]
    #[arg(short, long, value_name = "B")]
    beam_size: Option<NonZeroUsize>,
    /// Rank translations by log-probability / length^ALPHA; 0 ranks by the log-probability alone [default: the model's own
    /// setting, else 1; for lines whose required terms have n words this number / (1 + n²), as terms would otherwise gather
    /// at the end]
    #[arg(short, long, value_name = "ALPHA", num_args = 0..=1, default_missing_value = "1", allow_negative_numbers = true)]
    normalize: Option<f32>,
    /// Subtract X from the score for each target piece [default: the model's own setting, else 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    word_penalty: Option<f32>,
    /// The longest translation, as a multiple of the length of its source [default: the model's own setting, else 3]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    max_length_factor: Option<f32>,
    /// The longest translation in pieces, end of sentence included, however long its source is
    #[arg(long, value_name = "N")]
    max_target_length: Option<NonZeroUsize>,
    /// Cut off a source after N pieces, with a warning [default: 1000]
    #[arg(long, visible_alias = "max-length", value_name = "N")]
    max_source_length: Option<NonZeroUsize>,
    /// Translate lines of more than N/2 letters sentence by sentence, and cut sentences of more than N letters, behind punctuation if there
    /// is some; lists, alignments, draws, and lines with a prefix, terms or evidence of their own stay whole. 0: all lines stay whole
    /// [default: the model's own setting, else 0]
    #[arg(long, value_name = "N")]
    longest_sentence: Option<usize>,
    /// When the search of a line ends [default: shrink]
    #[arg(long, value_parser = choice::<Stop>(), value_name = "shrink|fill|collect")]
    stop: Option<Stop>,
    /// Let hypotheses that end take no place in the beam, beside --stop fill
    #[arg(long)]
    eos_beside: bool,
    /// The continuations that a step considers and keeps; cube and fast-cube are cube pruning [default: beam]
    #[arg(long, value_parser = choice::<Strategy>(), value_name = "beam|grid|cube|fast-cube")]
    strategy: Option<Strategy>,
    /// Cube pruning merges hypotheses whose last N words are the same, from 1 (merges most, as in Zhang et al. 2018) to 4
    /// [default: 2]
    #[arg(long, value_name = "N")]
    merge_words: Option<usize>,
    /// Drop hypotheses whose probability is below X times that of the best one of the step; 0 drops no hypothesis
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    beam_width: f32,
    /// Drop hypotheses whose log-probability is X below that of the best finished one; inf drops no hypothesis [default: 20
    /// for lines with constraints, else inf]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    prune_threshold: Option<f32>,
    /// End a line when the log-probability of its best open hypothesis is X below that of the best finished one [default:
    /// inf]
    #[arg(long, value_name = "X", default_value_t = f32::INFINITY, hide_default_value = true, allow_negative_numbers = true)]
    stop_margin: f32,
    /// Say no sequence of N pieces twice in a translation, which ends loops; required terms and the prefix may bring one again; 0
    /// lets all stand [default: 0]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    no_repeat_ngram_size: usize,
    /// Let translations contain the unknown word
    #[arg(long)]
    allow_unk: bool,
    /// Replace each unknown word of a translation by the source word that the attention points to or, with a FILE that has a
    /// source word, a tab and its translation in each line, by that translation
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_hint = clap::ValueHint::FilePath)]
    replace_unk: Option<Option<PathBuf>>,
    /// The input is words of the source vocabulary, mostly sub-word pieces, with spaces between them, and a prefix is words of the
    /// target vocabulary
    #[arg(long)]
    pieces: bool,
    /// Let translations contain control characters and broken characters, which a model may write byte by byte
    #[arg(long)]
    allow_special: bool,
    /// Draw translations at random instead of searching for the best: from all words (full), from the K most probable
    /// words, or from the most probable words that together have probability P
    #[arg(long, value_name = "full|topk:K|nucleus:P", conflicts_with_all = SEARCH)]
    sampling: Option<Sampling>,
    /// Sharpen (below 1) or flatten (above 1) the distribution of the draws
    #[arg(long, value_name = "T", default_value_t = 1.0, requires = "sampling", allow_negative_numbers = true)]
    temperature: f32,
    /// The seed of the draws; the same seed gives the same translations
    #[arg(long, value_name = "N", default_value_t = 1, requires = "sampling")]
    seed: u64,
}

/// Options that say how the best translation is searched for: draws have none of them.
const SEARCH: [&str; 7] =
    ["beam_size", "stop", "strategy", "beam_width", "prune_threshold", "stop_margin", "eos_beside"];

impl SearchArgs {
    /// Whether translations are drawn at random.
    pub fn samples(&self) -> bool {
        self.sampling.is_some()
    }

    /// The model's `options`, changed as the command line says, for `n_best` translations of each line.
    pub fn apply(&self, mut options: TranslateOptions, n_best: Option<NonZeroUsize>) -> Result<TranslateOptions> {
        let search = &mut options.search;
        search.beam_size = self.beam_size.map_or(search.beam_size, NonZeroUsize::get);
        if self.beam_size.is_some() {
            search.beam_size_constrained = None;
        }
        search.normalize = self.normalize.unwrap_or(search.normalize);
        search.normalize_constrained = self.normalize.or(search.normalize_constrained);
        search.word_penalty = self.word_penalty.unwrap_or(search.word_penalty);
        search.max_length_factor = self.max_length_factor.unwrap_or(search.max_length_factor);
        search.max_target_length = self.max_target_length.map_or(search.max_target_length, NonZeroUsize::get);
        search.n_best = n_best.map_or(1, NonZeroUsize::get);
        search.stop = self.stop.unwrap_or(search.stop);
        search.ends_beside = self.eos_beside;
        search.strategy = self.strategy.unwrap_or(search.strategy);
        if self.merge_words.is_some() && !search.strategy.merges() {
            return Err(Usage::error("--merge-words goes with --strategy cube or fast-cube"));
        }
        search.merge_words = self.merge_words.unwrap_or(search.merge_words);
        search.beam_width = self.beam_width;
        search.prune_threshold = self.prune_threshold;
        search.stop_margin = self.stop_margin;
        search.no_repeat_ngram_size = self.no_repeat_ngram_size;
        search.sampling = self.sampling.map(|sampling| sampling.at(self.temperature));
        let (wanted, beam) = (search.n_best, search.beam_size);
        if wanted > beam && search.sampling.is_none() {
            let advice = format!("add --beam-size {wanted}");
            return Err(Usage::error(format!("--n-best {wanted} is more than the beam of {beam} can hold; {advice}")));
        }
        options.allow_unk = self.allow_unk;
        options.replace_unknown = self.dictionary()?;
        options.pieces = self.pieces;
        options.allow_special = self.allow_special;
        options.max_source_length = self.max_source_length.map_or(options.max_source_length, NonZeroUsize::get);
        options.longest_sentence = self.longest_sentence.or(options.longest_sentence);
        options.seed = self.seed;
        Ok(options)
    }

    /// The dictionary of unknown words, if these are replaced.
    fn dictionary(&self) -> Result<Option<Dictionary>> {
        let Some(path) = &self.replace_unk else { return Ok(None) };
        let Some(path) = path else { return Ok(Some(Dictionary::default())) };
        let (mut text, name) = (String::new(), path.display());
        Input::open(Some(path))?.reader.read_to_string(&mut text).with_context(|| format!("cannot read {name}"))?;
        Ok(Some(Dictionary::parse(&text).with_context(|| name.to_string())?))
    }
}
