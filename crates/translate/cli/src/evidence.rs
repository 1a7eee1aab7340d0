//! Options of evidence: translations of other systems whose n-grams add to the scores of the search.

use crate::Usage;
use crate::option_args::{OptionArgs, OptionGroups, flag};
use crate::posterior_files::Blocks;
use anyhow::Result;
use metaphrase::{EvidenceOptions, OptionGroup, Theta, TranslateOptions, TranslatorBuilder};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Evidence from other systems.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
pub struct EvidenceArgs {
    /// Add n-gram posteriors to the scores of words: those of this file, which `metaphrase posteriors` writes, where %d
    /// in its name is the number of the line; or with `self` those of the model's own best translations, in two passes
    #[arg(long, value_name = "FILE|self")]
    lmbr: Option<PathBuf>,
    /// Number of translations for --lmbr self
    #[arg(long, value_name = "N", default_value = "12", requires = "lmbr")]
    #[arg(value_parser = crate::number::whole::<NonZeroUsize>)]
    lmbr_n_best: NonZeroUsize,
    /// Translate each line with this phrase-based model first (a directory with a moses.ini, or the moses.ini itself),
    /// and add the n-gram posteriors of its lattice to the scores of words
    #[arg(long, value_name = "PATH", conflicts_with = "lmbr")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    words: WordArgs,
    #[command(flatten)]
    uses: OptionArgs<UseGroup>,
    /// Compute --lmbr-theta from the precision of unigrams, the ratio of the precisions of successive orders, and a
    /// length in words (Tromble et al. 2008) [default: 0.6 0.7 10]
    #[arg(long, num_args = 3, value_names = ["P", "R", "T"], conflicts_with = "evidence_theta")]
    #[arg(value_parser = crate::number::real::<f64>)]
    lmbr_bleu: Vec<f64>,
    #[command(flatten)]
    counting: CountingArgs,
}

/// The spelling of words in a phrase-based system.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
pub struct WordArgs {
    /// The phrase-based system has the words of `metaphrase tokenize --escape` in these languages, such as de en
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub evidence_tokenize: Vec<String>,
    /// The phrase-based system writes the first word of a sentence without its capital letter
    #[arg(long)]
    pub evidence_capitalize: bool,
}

/// The options of counting n-grams.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
pub struct CountingArgs {
    #[command(flatten)]
    options: OptionArgs<CountingGroup>,
    /// The units of n-grams: pieces; or written words, and pieces for a word that is not complete yet [default: pieces]
    #[arg(long, value_enum)]
    lmbr_units: Option<Unit>,
}

/// The group of options in [`EvidenceArgs`].
#[derive(Debug, Clone)]
struct UseGroup;

impl OptionGroups for UseGroup {
    const GROUPS: &'static [OptionGroup] = &[OptionGroup::Evidence];
    const HEADING: &'static str = "Evidence";
}

/// The group of options in [`CountingArgs`].
#[derive(Debug, Clone)]
struct CountingGroup;

impl OptionGroups for CountingGroup {
    const GROUPS: &'static [OptionGroup] = &[OptionGroup::Counting];
    const HEADING: &'static str = "Evidence";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Unit {
    Pieces,
    Words,
}

impl CountingArgs {
    /// The options of the library.
    pub fn options(&self) -> Result<EvidenceOptions> {
        let mut options = TranslateOptions::default();
        self.options.change(&mut options)?;
        options.evidence.written_words = self.lmbr_units == Some(Unit::Words);
        Ok(options.evidence)
    }

    fn is_given(&self) -> bool {
        !self.options.given().is_empty() || self.lmbr_units.is_some()
    }
}

impl EvidenceArgs {
    /// The options of the library.
    pub fn options(&self) -> Result<EvidenceOptions> {
        let evidence = self.counting.options()?;
        let mut options = TranslateOptions { evidence, ..TranslateOptions::default() };
        self.uses.change(&mut options)?;
        if let &[precision, ratio, length] = &self.lmbr_bleu[..] {
            options.evidence.theta = Theta::linear_bleu(precision, ratio, length);
        }
        options.evidence.own = self.is_own().then_some(self.lmbr_n_best.get());
        Ok(options.evidence)
    }

    /// Whether an option of the use of evidence is given.
    fn has_options(&self) -> bool {
        !self.uses.given().is_empty() || !self.lmbr_bleu.is_empty() || self.counting.is_given()
    }

    fn is_own(&self) -> bool {
        self.lmbr.as_deref() == Some(Path::new("self"))
    }

    /// Whether the evidence comes from a phrase-based model.
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

    /// Refuses options that have no effect together.
    pub fn check(&self) -> Result<()> {
        let given = !self.words.evidence_tokenize.is_empty() || self.words.evidence_capitalize;
        if given && self.evidence.is_none() {
            return Err(Usage::error("--evidence-tokenize and --evidence-capitalize go with --evidence"));
        }
        if self.has_options() && self.lmbr.is_none() && self.evidence.is_none() {
            let options = "--lmbr-rescore, -weight, -theta, -bleu, -scale, -order, -units, -prune and -paths";
            return Err(Usage::error(format!("{options} go with --evidence or --lmbr, which bring the evidence")));
        }
        if let Some((option, _)) = self.counting.options.given().first()
            && self.file().is_some()
        {
            let option = flag(option.facts().name);
            return Err(Usage::error(format!(
                "{option} has no effect on the counted n-grams of --lmbr FILE; give it to `metaphrase posteriors`"
            )));
        }
        if self.uses.has("evidence_rescore") && self.file().is_some() {
            return Err(Usage::error("--lmbr-rescore needs translations: use it with --evidence or --lmbr self"));
        }
        Ok(())
    }

    /// Adds the phrase-based model to a builder.
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
