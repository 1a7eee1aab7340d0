//! Options of evidence: translations of other systems whose n-grams count in the search.

use crate::Usage;
use crate::posteriors::Blocks;
use anyhow::Result;
use metaphrase::{EvidenceOptions, Theta, TranslatorBuilder};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Evidence of other systems.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
pub struct EvidenceArgs {
    /// Add to the scores of words the n-gram posteriors of this file, which `metaphrase posteriors` writes; %d in its name is
    /// the number of the line. `self`: of the best translations of the model itself, in two passes
    #[arg(long, value_name = "FILE|self")]
    lmbr: Option<PathBuf>,
    /// Number of the translations of --lmbr self
    #[arg(long, value_name = "N", default_value = "12", requires = "lmbr")]
    lmbr_n_best: NonZeroUsize,
    /// Translate each line with this phrase-based model first, a directory with a moses.ini or such a file, and add the n-gram
    /// posteriors of its lattice to the scores of words
    #[arg(long, value_name = "PATH", conflicts_with = "lmbr")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    words: WordArgs,
    /// Allow only the translations of the evidence: the search finds the one that the neural model scores best
    #[arg(long)]
    lmbr_rescore: bool,
    /// The weight of the evidence, 1 / (n λ) for n models; the models together have weight 1 [default: 2]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    lmbr_weight: Option<f64>,
    /// A number for each word, and the factors of the posteriors of 1-grams, 2-grams, 3-grams and 4-grams
    #[arg(long, num_args = 5, value_names = ["T0", "T1", "T2", "T3", "T4"], allow_negative_numbers = true)]
    lmbr_theta: Vec<f64>,
    /// The same as functions of the precision of unigrams, the ratio of the precisions of two orders, and a length in words
    /// (Tromble et al. 2008) [default: 0.6 0.7 10]
    #[arg(long, num_args = 3, value_names = ["P", "R", "T"], conflicts_with = "lmbr_theta")]
    lmbr_bleu: Vec<f64>,
    #[command(flatten)]
    counting: CountingArgs,
}

/// How the words of a phrase-based system are written.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
pub struct WordArgs {
    /// The phrase-based system has words as `metaphrase tokenize --escape` makes them, of these languages, such as de en
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub evidence_tokenize: Vec<String>,
    /// The translations of the phrase-based system begin with a capital letter that its words lack
    #[arg(long)]
    pub evidence_capitalize: bool,
}

/// How n-grams are counted.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
pub struct CountingArgs {
    /// The scale of the scores of the other system: below 1 its translations become more equal [default: 1]
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    lmbr_scale: Option<f64>,
    /// The longest n-grams, from 1 to 4 [default: 4]
    #[arg(long, value_name = "N")]
    lmbr_order: Option<usize>,
    /// The units of n-grams: pieces, or written words and the pieces of the last one so far [default: pieces]
    #[arg(long, value_enum)]
    lmbr_units: Option<Unit>,
    /// Leave out arcs of a lattice that less than this share of its translations take [default: 0]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    lmbr_prune: Option<f64>,
    /// Count the N best translations of a lattice in place of all
    #[arg(long, value_name = "N")]
    lmbr_paths: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Unit {
    Pieces,
    Words,
}

impl CountingArgs {
    /// The options of the library.
    pub fn options(&self) -> EvidenceOptions {
        let default = EvidenceOptions::default();
        EvidenceOptions {
            scale: self.lmbr_scale.unwrap_or(default.scale),
            order: self.lmbr_order.unwrap_or(default.order),
            written_words: self.lmbr_units == Some(Unit::Words),
            prune: self.lmbr_prune.unwrap_or(default.prune),
            best_paths: self.lmbr_paths.map(NonZeroUsize::get),
            ..default
        }
    }

    fn is_given(&self) -> bool {
        let Self { lmbr_scale, lmbr_order, lmbr_units, lmbr_prune, lmbr_paths } = self;
        lmbr_scale.or(*lmbr_prune).is_some() || lmbr_order.is_some() || lmbr_units.is_some() || lmbr_paths.is_some()
    }
}

impl EvidenceArgs {
    /// The options of the library.
    pub fn options(&self) -> EvidenceOptions {
        let theta = match (&self.lmbr_theta[..], &self.lmbr_bleu[..]) {
            (&[word, ref orders @ ..], _) => {
                let mut theta = Theta { word, ..Theta::default() };
                theta.orders.iter_mut().zip(orders).for_each(|(factor, &given)| *factor = given);
                theta
            }
            (_, &[precision, ratio, length]) => Theta::linear_bleu(precision, ratio, length),
            _ => Theta::default(),
        };
        let own = self.is_own().then_some(self.lmbr_n_best.get());
        let (rescore, counting) = (self.lmbr_rescore, self.counting.options());
        EvidenceOptions { theta, weight: self.lmbr_weight.unwrap_or(counting.weight), rescore, own, ..counting }
    }

    /// Whether an option says how evidence is used.
    fn is_used(&self) -> bool {
        let factors = !self.lmbr_theta.is_empty() || !self.lmbr_bleu.is_empty();
        self.lmbr_rescore || self.lmbr_weight.is_some() || factors || self.counting.is_given()
    }

    fn is_own(&self) -> bool {
        self.lmbr.as_deref() == Some(Path::new("self"))
    }

    /// Whether a phrase-based model gives the evidence.
    pub fn has_model(&self) -> bool {
        self.evidence.is_some()
    }

    /// The file of posteriors.
    pub fn file(&self) -> Option<&PathBuf> {
        self.lmbr.as_ref().filter(|_| !self.is_own())
    }

    /// The posteriors of the file.
    pub fn blocks(&self) -> Result<Option<Blocks>> {
        self.file().map(|path| Blocks::open(path)).transpose()
    }

    /// Refuses options that do not go together.
    pub fn check(&self) -> Result<()> {
        let given = !self.words.evidence_tokenize.is_empty() || self.words.evidence_capitalize;
        if given && self.evidence.is_none() {
            return Err(Usage::error("--evidence-tokenize and --evidence-capitalize go with --evidence"));
        }
        if self.is_used() && self.lmbr.is_none() && self.evidence.is_none() {
            let options = "--lmbr-rescore, -weight, -theta, -bleu, -scale, -order, -units, -prune and -paths";
            return Err(Usage::error(format!("{options} go with --evidence or --lmbr, which bring the evidence")));
        }
        let counting = [
            ("--lmbr-scale", self.counting.lmbr_scale.is_some()),
            ("--lmbr-order", self.counting.lmbr_order.is_some()),
            ("--lmbr-prune", self.counting.lmbr_prune.is_some()),
            ("--lmbr-paths", self.counting.lmbr_paths.is_some()),
        ];
        if let Some((option, _)) = counting.iter().find(|(_, given)| *given)
            && self.file().is_some()
        {
            return Err(Usage::error(format!(
                "{option} has no effect on counted n-grams, which --lmbr FILE has; give it to `metaphrase posteriors`"
            )));
        }
        if self.lmbr_rescore && self.file().is_some() {
            return Err(Usage::error("--lmbr-rescore needs translations: use it with --evidence or --lmbr self"));
        }
        Ok(())
    }

    /// Names the phrase-based model.
    pub fn add_to(&self, mut builder: TranslatorBuilder) -> TranslatorBuilder {
        if let Some(path) = &self.evidence {
            builder = builder.evidence_model(path).evidence_capitalized(self.words.evidence_capitalize);
            if let [source, target] = &self.words.evidence_tokenize[..] {
                builder = builder.evidence_languages(source, target);
            }
        }
        builder
    }
}
