//! The options of a search.

mod checked;
mod error;
mod rest_costs;
mod stop;
mod strategy;

pub use checked::CheckedOptions;
pub use error::OptionsError;
pub use rest_costs::RestCosts;
pub use stop::Stop;
pub use strategy::Strategy;

use crate::Sampling;
use crate::characters::ByteWords;
use crate::trellis::MAX_MERGE_WORDS;
use metaphrase_base::{
    Choice, Field, Flag, NumberRange, OptionFault, OptionGroup, OptionItem, StepModel, UnknownName, WordId, names_of,
};
use std::sync::Arc;

/// The most hypotheses per step and sentence.
const MAX_BEAM: f64 = Options::MOST_PLACES as f64;

/// Options of a search. The default is Marian's behaviour with beam 6 and scores normalised by length.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How search examines and keeps continuations.
    pub strategy: Strategy,
    /// Hypotheses kept per step and sentence, B. From 1 to 10,000.
    pub beam_size: usize,
    /// B of sentences with terms that must appear. For terms of C words it grows, if needed, to one place for each of
    /// the C + 1 banks, up to [`MOST_GROWN`](Self::MOST_GROWN). `None`: the same B, which does not grow.
    pub beam_size_constrained: Option<usize>,
    /// Number of hypotheses in an outcome, at most.
    pub n_best: usize,
    /// Exponent α of the length normalisation `(log P - word_penalty · length) / length^α`; the length counts
    /// the end of sentence. 0: none.
    pub normalize: f32,
    /// α of sentences with terms that must appear; `None`: α / (1 + n²) for terms of n written words. Normalisation by
    /// length rewards words that only meet a constraint after the translation is complete; the reward grows with their
    /// number.
    pub normalize_constrained: Option<f32>,
    /// Subtracted from the score for each word, before normalisation.
    pub word_penalty: f32,
    /// The longest hypothesis T of a sentence: this factor times its source length, both with the end of sentence.
    pub max_length_factor: f32,
    /// The most words of a hypothesis, end of sentence included, whatever the factor. A given prefix fits in any case.
    pub max_target_length: usize,
    /// The fewest words of a hypothesis, without the end of sentence. Only the length limit cuts one off earlier.
    pub min_target_length: usize,
    /// How a sentence ends.
    pub stop: Stop,
    /// Relative beam width: a hypothesis is dropped if it is less probable than the best one of the step times this
    /// width (Iglesias 2018, §4.3: 0.01). With constraints, the best one that has met the same number of words. From 0,
    /// which drops nothing, to 1.
    pub beam_width: f32,
    /// Hypotheses whose log-probability is this much below that of the best finished one are dropped (Post and Vilar
    /// 2018, §4). `None`: 20 for sentences with constraints, otherwise nothing is dropped. With constraints and rest
    /// costs a finite threshold also drops hypotheses that can not win any more, unless the words that they still need
    /// become cheaper than so far.
    pub prune_threshold: Option<f32>,
    /// When the words that a hypothesis still needs for its terms count at their rest cost.
    pub rest_costs: RestCosts,
    /// A sentence ends when its n-best list is full and the log-probability of the best open hypothesis is this much
    /// below that of the best finished one (Devlin 2017, §3: δ = 3). Infinite: never.
    pub stop_margin: f32,
    /// No sequence of this number of words stands twice in a hypothesis, unless the given prefix or a required term
    /// repeats it. 0: no limit. A search that may not repeat itself can not be caught in a loop.
    pub no_repeat_ngram_size: usize,
    /// Words that no hypothesis may contain, such as the unknown word. Probabilities are not renormalised.
    pub excluded: Vec<WordId>,
    /// The words that stand for single bytes. A hypothesis makes whole characters of them, unless the model leaves it
    /// no choice. If there are none, words may follow each other in any order.
    pub bytes: ByteWords,
    /// Draw hypotheses instead of searching for the best: `n_best` of them for each sentence.
    pub sampling: Option<Sampling>,
    /// Whether outcomes carry the attention over the source.
    pub attention: bool,
    /// Whether outcomes have all hypotheses that some step kept: [`Outcome::explored`](crate::Outcome::explored).
    pub explored: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::Beam,
            beam_size: 6,
            beam_size_constrained: None,
            n_best: 1,
            normalize: 1.0,
            normalize_constrained: None,
            word_penalty: 0.0,
            max_length_factor: 3.0,
            max_target_length: usize::MAX,
            min_target_length: 0,
            stop: Stop::Shrink,
            beam_width: 0.0,
            prune_threshold: None,
            rest_costs: RestCosts::Narrow,
            stop_margin: f32::INFINITY,
            no_repeat_ngram_size: 0,
            excluded: Vec::new(),
            bytes: ByteWords::default(),
            sampling: None,
            attention: false,
            explored: false,
        }
    }
}

type Item = OptionItem<Options>;

impl Options {
    /// Each option with its description, in the order in which options are set and shown. A new option needs an item
    /// here, a field, and code that uses it.
    pub const ITEMS: &'static [OptionItem<Self>] = &[
        Item::new(
            "beam_size",
            OptionGroup::Search,
            // A requested beam also holds for sentences with terms.
            Field::Count(|o| o.beam_size, |o, to| (o.beam_size, o.beam_size_constrained) = (to, None)),
            "Number of hypotheses kept at each step",
        )
        .letter('b')
        .placeholder("B")
        .range(NumberRange::between(1.0, MAX_BEAM))
        .default("the model's own setting, else 6; at least 10 for lines with required terms"),
        Item::new(
            "beam_size_constrained",
            OptionGroup::Search,
            Field::OptionalCount(|o| o.beam_size_constrained, |o, to| o.beam_size_constrained = to),
            "The beam size of lines with required terms, which grows to one place more than the terms have pieces",
        )
        .flag(Flag::None)
        .range(NumberRange::between(1.0, MAX_BEAM))
        .default("exactly `beam_size` if that is given, else at least 10"),
        Item::new(
            "n_best",
            OptionGroup::Search,
            Field::Count(|o| o.n_best, |o, to| o.n_best = to),
            "Number of translations of each line, at most",
        )
        .flag(Flag::Own("n-best"))
        .range(NumberRange::between(1.0, MAX_BEAM)),
        Item::new(
            "normalize",
            OptionGroup::Search,
            // A requested normalisation also holds for sentences with terms.
            Field::Number(|o| o.normalize, |o, to| (o.normalize, o.normalize_constrained) = (to, Some(to))),
            "Rank translations by log-probability / length^ALPHA; 0 ranks by the log-probability alone",
        )
        .letter('n')
        .placeholder("ALPHA")
        .bare("1")
        .range(NumberRange::at_least(0.0))
        .default(
            "the model's own setting, else 1; for lines whose required terms have n words this number / (1 + n²), as terms would \
             otherwise gather at the end",
        ),
        Item::new(
            "normalize_constrained",
            OptionGroup::Search,
            Field::OptionalNumber(|o| o.normalize_constrained, |o, to| o.normalize_constrained = to),
            "The exponent of `normalize` for lines with required terms",
        )
        .flag(Flag::None)
        .range(NumberRange::at_least(0.0))
        .default("`normalize` if it is given, else the model's own setting / (1 + n²) for terms of n words"),
        Item::new(
            "word_penalty",
            OptionGroup::Search,
            Field::Number(|o| o.word_penalty, |o, to| o.word_penalty = to),
            "Subtract X from the score for each target piece",
        )
        .placeholder("X")
        // Times the length of a hypothesis it is finite.
        .range(NumberRange::between(-1e6, 1e6))
        .default("the model's own setting, else 0"),
        Item::new(
            "max_length_factor",
            OptionGroup::Search,
            Field::Number(|o| o.max_length_factor, |o, to| o.max_length_factor = to),
            "The longest translation, as a multiple of the length of its source",
        )
        .placeholder("X")
        .range(NumberRange::above(0.0))
        .default("the model's own setting, else 3"),
        Item::new(
            "max_target_length",
            OptionGroup::Search,
            Field::Limit(|o| o.max_target_length, |o, to| o.max_target_length = to),
            "The longest translation in pieces, end of sentence included, however long its source is",
        )
        .range(NumberRange::at_least(1.0)),
        Item::new(
            "min_target_length",
            OptionGroup::Search,
            Field::Count(|o| o.min_target_length, |o, to| o.min_target_length = to),
            "The shortest translation in pieces, end of sentence not included; what the longest length cuts off may be shorter",
        )
        .default("0"),
        Item::new(
            "stop",
            OptionGroup::Search,
            Field::Name(names_of::<Stop>, |o| o.stop.name(), Self::set_stop),
            "When the search of a line ends",
        )
        .placeholder("shrink|wait|fill|collect")
        .default("shrink"),
        Item::new(
            "ends_beside",
            OptionGroup::Search,
            Field::Switch(|o| o.stop.ends_beside(), Self::set_ends_beside),
            "Let hypotheses that end take no place in the beam",
        )
        .flag(Flag::Other("eos-beside"))
        .needs("stop", "fill", |o| matches!(o.stop, Stop::Fill { .. })),
        Item::new(
            "strategy",
            OptionGroup::Search,
            Field::Name(names_of::<Strategy>, |o| o.strategy.name(), Self::set_strategy),
            "The continuations that a step considers and keeps; cube and fast-cube are cube pruning",
        )
        .placeholder("beam|grid|states|cube|fast-cube")
        .default("beam"),
        Item::new(
            "merge_words",
            OptionGroup::Search,
            Field::Count(|o| o.strategy.merge_words().unwrap_or(2), Self::set_merge_words),
            "Cube pruning merges hypotheses whose last N words are the same, from 1 (merges most, as in Zhang et al. 2018) to 4",
        )
        .range(NumberRange::between(1.0, MAX_MERGE_WORDS as f64))
        .default("2")
        .needs("strategy", "cube or fast-cube", |o| o.strategy.merge_words().is_some()),
        Item::new(
            "beam_width",
            OptionGroup::Search,
            Field::Number(|o| o.beam_width, |o, to| o.beam_width = to),
            "Drop hypotheses whose probability is below X times that of the best one of the step; 0 drops no hypothesis",
        )
        .placeholder("X")
        .range(NumberRange::between(0.0, 1.0))
        .default("0"),
        Item::new(
            "prune_threshold",
            OptionGroup::Search,
            Field::OptionalNumber(|o| o.prune_threshold, |o, to| o.prune_threshold = to),
            "Drop hypotheses whose log-probability is X below that of the best finished one; inf drops no hypothesis",
        )
        .placeholder("X")
        .range(NumberRange::at_least_or_infinite(0.0))
        .default("20 for lines with constraints, else inf"),
        Item::new(
            "rest_costs",
            OptionGroup::Search,
            Field::Name(
                names_of::<RestCosts>,
                |o| o.rest_costs.name(),
                |o, name| RestCosts::from_name(name).map(|to| o.rest_costs = to),
            ),
            "When the pieces that a hypothesis still needs for its required terms count at an estimate of their cost",
        )
        .placeholder("narrow|always|never")
        .default("narrow"),
        Item::new(
            "stop_margin",
            OptionGroup::Search,
            Field::Number(|o| o.stop_margin, |o, to| o.stop_margin = to),
            "End a line when the log-probability of its best open hypothesis is X below that of the best finished one",
        )
        .placeholder("X")
        .range(NumberRange::at_least_or_infinite(0.0))
        .default("inf"),
        Item::new(
            "no_repeat_ngram_size",
            OptionGroup::Search,
            Field::Count(|o| o.no_repeat_ngram_size, |o, to| o.no_repeat_ngram_size = to),
            "Never repeat a sequence of N pieces in a translation, which ends loops; only required terms and the prefix may; 0 allows \
             repetitions",
        )
        .default("0"),
        Item::new("excluded", OptionGroup::Search, Field::Foreign, "Target pieces that no translation contains")
            .flag(Flag::None)
            .default("none"),
        Item::new(
            "attention",
            OptionGroup::Search,
            Field::Switch(|o| o.attention, |o, to| o.attention = to),
            "Keep the attention over the source, from which word alignments are made",
        )
        .flag(Flag::Own("alignment")),
        Item::new(
            "sampling",
            OptionGroup::Draws,
            Field::Text(|o| o.sampling.map(|sampling| sampling.from.to_string()), Self::set_sampling),
            "Draw translations at random instead of searching for the best: from all words (full), from the K most probable words, or \
             from the most probable words that together have probability P",
        )
        .placeholder("full|topk:K|nucleus:P")
        .excludes(&["beam_size", "stop", "strategy", "beam_width", "prune_threshold", "stop_margin", "ends_beside"]),
        Item::new(
            "temperature",
            OptionGroup::Draws,
            Field::Number(|o| o.sampling.map_or(1.0, |sampling| sampling.temperature), Self::set_temperature),
            "Sharpen (below 1) or flatten (above 1) the distribution of the draws",
        )
        .placeholder("T")
        .range(NumberRange::above(0.0))
        .default("1")
        .needs("sampling", "", |o| o.sampling.is_some()),
    ];

    fn set_ends_beside(&mut self, on: bool) {
        if let Stop::Fill { ends_beside } = &mut self.stop {
            *ends_beside = on;
        }
    }

    fn set_strategy(&mut self, name: &str) -> Result<(), UnknownName> {
        set_named(&mut self.strategy, name)
    }

    fn set_merge_words(&mut self, words: usize) {
        if let Strategy::Cube { merge_words } | Strategy::AcceleratedCube { merge_words } = &mut self.strategy {
            *merge_words = words;
        }
    }

    fn set_stop(&mut self, name: &str) -> Result<(), UnknownName> {
        set_named(&mut self.stop, name)
    }

    fn set_sampling(&mut self, text: Option<&str>) -> Result<(), UnknownName> {
        self.sampling = text.map(str::parse).transpose()?;
        Ok(())
    }

    fn set_temperature(&mut self, temperature: f32) {
        self.sampling = self.sampling.map(|sampling| sampling.from.at(temperature));
    }
}

impl Options {
    /// The most places to which the beam of a sentence with terms grows.
    pub const MOST_GROWN: usize = 48;

    /// The most places of a beam: each takes a row of one score per vocabulary word.
    pub const MOST_PLACES: usize = 10_000;

    /// Refuses options that can not work, at all or with this model.
    ///
    /// # Errors
    /// One sentence about the first option that can not work.
    pub fn check<M: StepModel>(self, model: &M) -> Result<CheckedOptions, OptionsError> {
        for item in Self::ITEMS {
            item.check(&self)?;
        }
        let beam_size = self.beam_size.min(self.beam_size_constrained.unwrap_or(self.beam_size));
        if let Some(sampling) = &self.sampling {
            sampling.check()?;
            if self.strategy != Strategy::Beam {
                return Err(OptionFault::Needs { option: "sampling", needed: "strategy", values: "beam" }.into());
            }
        } else if self.n_best > beam_size {
            return Err(OptionsError::NBestOverBeam { n_best: self.n_best, beam_size });
        }
        if self.excluded.contains(&model.facts().end_of_sentence) {
            return Err(OptionsError::EndExcluded);
        }
        if self.attention && !model.facts().attention {
            return Err(OptionsError::NoAttention);
        }
        Ok(CheckedOptions(Arc::new(self)))
    }
}

/// Sets the member of a closed set by its name; the same name again leaves its fields as they are.
fn set_named<T: Choice>(place: &mut T, name: &str) -> Result<(), UnknownName> {
    let member = T::from_name(name)?;
    if member.name() != place.name() {
        *place = member;
    }
    Ok(())
}
