//! Options of the search.

use crate::Usage;
use anyhow::Result;
use clap::ValueEnum;
use metaphrase::{Sampling, Stop, Strategy, TranslateOptions};
use std::num::NonZeroUsize;
use std::str::FromStr;

/// How translations are searched for; what is not given is the model's own setting.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// Hypotheses that are kept at each step [default: the model's own setting, else 6]
    #[arg(short, long, value_name = "B")]
    beam_size: Option<NonZeroUsize>,
    /// Rank translations by score / length^ALPHA; 0: by the score alone [default: 0 for lines with constraints, which
    /// else collect at the end; for others the model's own setting, else 1]
    #[arg(short, long, value_name = "ALPHA", num_args = 0..=1, default_missing_value = "1", allow_negative_numbers = true)]
    normalize: Option<f32>,
    /// Take this from the score for each word (sub-word piece) [default: the model's own setting, else 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    word_penalty: Option<f32>,
    /// End translations that are so many times longer than the source [default: the model's own setting, else 3]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    max_length_factor: Option<f32>,
    /// Cut off longer sources after so many words (sub-word pieces), with a warning [default: 1000]
    #[arg(long, visible_alias = "max-length", value_name = "N")]
    max_source_length: Option<NonZeroUsize>,
    /// Finished hypotheses take their place out of the beam (shrink, as Marian), or the beam is filled up again until
    /// no open hypothesis can win (fill) [default: shrink]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "shrink|fill")]
    stop: Option<StopArg>,
    /// What each step looks at and keeps: all continuations, with constraints by dynamic beam allocation (beam); with
    /// constraints a whole beam for each number of constraints met (grid); or cube pruning, where hypotheses with the
    /// same last words share scores until one is chosen (cube), or scores and state for good (fast-cube) [default: beam]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "beam|grid|cube|fast-cube")]
    strategy: Option<StrategyArg>,
    /// Cube pruning merges hypotheses with N last words in common, from 1 (the most, as Zhang et al. 2018) to 4
    /// [default: 2]
    #[arg(long, value_name = "N")]
    merge_words: Option<usize>,
    /// Drop hypotheses less probable than the best one of the step times X; 0: none
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    beam_width: f32,
    /// Drop hypotheses whose log-probability is X below that of the best finished one; inf: none [default: 20 for lines
    /// with constraints, else none]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    prune_threshold: Option<f32>,
    /// End a sentence when the log-probability of its best open hypothesis is X below that of the best finished one
    #[arg(long, value_name = "X", default_value_t = f32::INFINITY, hide_default_value = true, allow_negative_numbers = true)]
    stop_margin: f32,
    /// Let translations contain the unknown word
    #[arg(long)]
    allow_unk: bool,
    /// Let translations contain control characters
    #[arg(long)]
    allow_special: bool,
    /// Draw translations instead of searching for the best: from all words, the K most probable ones, or those that
    /// make up the probability P
    #[arg(long, value_name = "full|topk:K|nucleus:P", conflicts_with_all = ["beam_size", "stop", "strategy"])]
    sampling: Option<SamplingArg>,
    /// Sharpens (below 1) or flattens (above 1) what is drawn from
    #[arg(long, value_name = "T", default_value_t = 1.0, requires = "sampling", allow_negative_numbers = true)]
    temperature: f32,
    /// Number from which draws start; the same number gives the same translations
    #[arg(long, value_name = "N", default_value_t = 1, requires = "sampling")]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum StopArg {
    Shrink,
    Fill,
}

#[derive(Clone, Copy, ValueEnum)]
enum StrategyArg {
    Beam,
    #[value(alias = "gbs")]
    Grid,
    #[value(alias = "ncp")]
    Cube,
    #[value(alias = "acp")]
    FastCube,
}

/// What to draw from; the temperature comes on its own.
#[derive(Clone, Copy, PartialEq, Debug)]
enum SamplingArg {
    Full,
    TopK(usize),
    Nucleus(f32),
}

impl FromStr for SamplingArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = match text.split_once(':') {
            None if text == "full" => Some(Self::Full),
            Some(("topk", k)) => k.parse().ok().filter(|&k| k > 0).map(Self::TopK),
            Some(("nucleus", p)) => p.parse().ok().filter(|&p| p > 0.0 && p <= 1.0).map(Self::Nucleus),
            _ => None,
        };
        parsed.ok_or_else(|| "expected full, topk:K with K from 1 up, or nucleus:P with P above 0 and at most 1".into())
    }
}

impl SearchArgs {
    /// The model's `options` with what was given in their place, for `n_best` translations of each line.
    pub fn apply(&self, mut options: TranslateOptions, n_best: Option<NonZeroUsize>) -> Result<TranslateOptions> {
        let search = &mut options.search;
        search.beam_size = self.beam_size.map_or(search.beam_size, NonZeroUsize::get);
        search.normalize = self.normalize.unwrap_or(search.normalize);
        search.normalize_constrained = self.normalize.or(search.normalize_constrained);
        search.word_penalty = self.word_penalty.unwrap_or(search.word_penalty);
        search.max_length_factor = self.max_length_factor.unwrap_or(search.max_length_factor);
        search.n_best = n_best.map_or(1, NonZeroUsize::get);
        search.stop = match self.stop {
            Some(StopArg::Shrink) => Stop::Shrink,
            Some(StopArg::Fill) => Stop::Fill,
            None => search.stop,
        };
        search.strategy = match self.strategy {
            Some(StrategyArg::Beam) => Strategy::Beam,
            Some(StrategyArg::Grid) => Strategy::Grid,
            Some(StrategyArg::Cube) => Strategy::Cube,
            Some(StrategyArg::FastCube) => Strategy::AcceleratedCube,
            None => search.strategy,
        };
        search.merge_words = self.merge_words.unwrap_or(search.merge_words);
        search.beam_width = self.beam_width;
        search.prune_threshold = self.prune_threshold;
        search.stop_margin = self.stop_margin;
        let temperature = self.temperature;
        search.sampling = self.sampling.map(|from| match from {
            SamplingArg::Full => Sampling::Full { temperature },
            SamplingArg::TopK(k) => Sampling::TopK { k, temperature },
            SamplingArg::Nucleus(p) => Sampling::Nucleus { p, temperature },
        });
        let (wanted, beam) = (search.n_best, search.beam_size);
        if wanted > beam && search.sampling.is_none() {
            let advice = format!("add --beam-size {wanted}");
            return Err(Usage::error(format!("--n-best {wanted} is more than the beam of {beam} can hold; {advice}")));
        }
        options.allow_unk = self.allow_unk;
        options.allow_special = self.allow_special;
        options.max_source_length = self.max_source_length.map_or(options.max_source_length, NonZeroUsize::get);
        options.seed = self.seed;
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::SamplingArg;

    #[test]
    fn sampling_is_read_or_explained() {
        assert_eq!("full".parse(), Ok(SamplingArg::Full));
        assert_eq!("topk:10".parse(), Ok(SamplingArg::TopK(10)));
        assert_eq!("nucleus:0.9".parse(), Ok(SamplingArg::Nucleus(0.9)));
        for wrong in ["", "topk", "topk:0", "topk:x", "nucleus:0", "nucleus:1.5", "nucleus:nan", "full:3"] {
            assert!(wrong.parse::<SamplingArg>().is_err(), "{wrong}");
        }
    }
}
