//! How evidence of other systems counts.

use metaphrase_base::{Field, Flag, NumberRange, OptionFault, OptionGroup, OptionItem};
use metaphrase_evidence::Theta;

/// How evidence counts.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceOptions {
    /// The factors of posteriors.
    pub theta: Theta,
    /// The weight of the evidence, where the neural models together have weight 1: with n models, `1 / (n λ)` for λ of
    /// Iglesias et al. 2018, equation 2. The default is 2, which is λ = 0.5 / n.
    pub weight: f64,
    /// The scale α of the scores of other systems: below 1 their translations become more equal.
    pub scale: f64,
    /// The longest n-grams, from 1 to 4.
    pub order: usize,
    /// Whether n-grams count written words, and not pieces; see [`Units`](metaphrase_evidence::Units).
    pub written_words: bool,
    /// Arcs of a lattice whose share of its translations is below this are left out.
    pub prune: f64,
    /// `Some(n)`: the `n` best translations of a lattice count, as an n-best list, in place of the whole lattice.
    pub best_paths: Option<usize>,
    /// Only the translations of the evidence are allowed, and their posteriors do not count (lattice rescoring;
    /// Iglesias et al. 2018, §3, remark 2): the search finds the one that the neural models score best.
    pub rescore: bool,
    /// `Some(n)`: lines without other evidence are translated twice. The n best translations of the first pass are the
    /// evidence of the second.
    pub own: Option<usize>,
}

impl Default for EvidenceOptions {
    fn default() -> Self {
        Self {
            theta: Theta::default(),
            weight: 2.0,
            scale: 1.0,
            order: 4,
            written_words: false,
            prune: 0.0,
            best_paths: None,
            rescore: false,
            own: None,
        }
    }
}

/// Factors of scores up to this size leave scores finite.
const LARGEST: f64 = 1e6;

type Item = OptionItem<EvidenceOptions>;

impl EvidenceOptions {
    /// Each option with its description, in the order in which options are set and shown.
    pub const ITEMS: &'static [OptionItem<Self>] = &[
        Item::new(
            "evidence_rescore",
            OptionGroup::Evidence,
            Field::Switch(|o| o.rescore, |o, to| o.rescore = to),
            "Allow only the translations of the evidence: the search finds the one that the neural model scores best",
        )
        .flag(Flag::Other("lmbr-rescore")),
        Item::new(
            "evidence_weight",
            OptionGroup::Evidence,
            Field::Double(|o| o.weight, |o, to| o.weight = to),
            "The weight of the evidence, 1 / (n λ) for n models; the models together have weight 1",
        )
        .flag(Flag::Other("lmbr-weight"))
        .placeholder("W")
        .range(NumberRange::between(0.0, LARGEST))
        .default("2"),
        Item::new(
            "evidence_theta",
            OptionGroup::Evidence,
            Field::Numbers(Self::factors, Self::set_factors),
            "A number for each word, and the factors of the posteriors of 1-grams, 2-grams, 3-grams and 4-grams",
        )
        .flag(Flag::Other("lmbr-theta"))
        .placeholder("T0 T1 T2 T3 T4")
        .default("those of a precision of 0.6, a ratio of 0.7 and a length of 10")
        .range(NumberRange::between(-LARGEST, LARGEST)),
        Item::new(
            "evidence_own",
            OptionGroup::Evidence,
            Field::OptionalCount(|o| o.own, |o, to| o.own = to),
            "Translate lines without other evidence twice, the second time with the evidence of the N best translations of the first time",
        )
        .flag(Flag::Own("lmbr"))
        .range(NumberRange::at_least(1.0))
        .default("not"),
        Item::new(
            "evidence_scale",
            OptionGroup::Counting,
            Field::Double(|o| o.scale, |o, to| o.scale = to),
            "The scale of the scores of the other system: below 1 its translations become more equal",
        )
        .flag(Flag::Other("lmbr-scale"))
        .placeholder("A")
        .range(NumberRange::above(0.0).to(LARGEST))
        .default("1"),
        Item::new(
            "evidence_order",
            OptionGroup::Counting,
            Field::Count(|o| o.order, |o, to| o.order = to),
            "The longest n-grams, from 1 to 4",
        )
        .flag(Flag::Other("lmbr-order"))
        .range(NumberRange::between(1.0, metaphrase_evidence::MAX_ORDER as f64))
        .default("4"),
        Item::new(
            "evidence_written_words",
            OptionGroup::Counting,
            Field::Switch(|o| o.written_words, |o, to| o.written_words = to),
            "Count n-grams of written words and the pieces of the last one so far, in place of n-grams of pieces",
        )
        .flag(Flag::Own("lmbr-units")),
        Item::new(
            "evidence_prune",
            OptionGroup::Counting,
            Field::Double(|o| o.prune, |o, to| o.prune = to),
            "Leave out arcs of a lattice that less than this share of its translations take",
        )
        .flag(Flag::Other("lmbr-prune"))
        .placeholder("P")
        .range(NumberRange::at_least(0.0).below(1.0))
        .default("0"),
        Item::new(
            "evidence_best_paths",
            OptionGroup::Counting,
            Field::OptionalCount(|o| o.best_paths, |o, to| o.best_paths = to),
            "Count the N best translations of a lattice in place of all",
        )
        .flag(Flag::Other("lmbr-paths"))
        .range(NumberRange::at_least(1.0)),
    ];

    fn factors(&self) -> [f64; 5] {
        let [first, second, third, fourth] = self.theta.orders;
        [self.theta.word, first, second, third, fourth]
    }

    fn set_factors(&mut self, [word, orders @ ..]: [f64; 5]) {
        self.theta = Theta { word, orders };
    }

    /// Refuses numbers out of range, as a translator does.
    ///
    /// # Errors
    /// [`OptionFault`] names the first such number.
    pub fn check(&self) -> Result<(), OptionFault> {
        Self::ITEMS.iter().try_for_each(|item| item.check(self))
    }
}
