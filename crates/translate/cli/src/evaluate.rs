//! `metaphrase evaluate`.

use crate::Usage;
use crate::io::{Input, Output, check_one_stdin};
use crate::lines::Lines;
use crate::number;
use crate::values::choice;
use anyhow::{Context, Result};
use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, DEFAULT_SAMPLES, DEFAULT_SEED, DEFAULT_TRIALS, Format, Metric, MetricName,
    References, ReportOptions, Smoothing, Ter, TerOptions, Test, compare, evaluate, evaluate_sentences,
};
use metaphrase_text::vocab::Vocabulary;
use std::path::{Path, PathBuf};

/// Evaluate translations by BLEU, chrF and TER, with the same numbers and signatures as sacreBLEU
///
/// Reads the translations on standard input and compares them with one or more references, line by line.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Reference translations; a name in .gz is decompressed
    #[arg(required = true, value_name = "REF")]
    references: Vec<PathBuf>,
    /// The translations to evaluate; a name in .gz is decompressed [default: standard input, which is also -]
    #[arg(short, long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file for the results [default: standard output, which is also -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The metrics; COMET and other neural metrics are not supported
    #[arg(long, visible_alias = "metrics", value_name = "NAME", value_delimiter = ',', default_value = "bleu")]
    #[arg(value_parser = choice::<MetricName>())]
    metric: Vec<MetricName>,
    /// Test whether the translations of another system differ, by paired bootstrap resampling; the input is the
    /// baseline
    #[arg(long, value_name = "FILE", conflicts_with = "sentence_level", help_heading = "Significance")]
    compare: Vec<PathBuf>,
    /// Compare by paired approximate randomisation instead of bootstrap resampling
    #[arg(long, requires = "compare", help_heading = "Significance")]
    paired_ar: bool,
    /// Number of trials of --paired-ar
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TRIALS, requires = "paired_ar", help_heading = "Significance")]
    #[arg(value_parser = number::whole::<usize>)]
    trials: usize,
    /// Print 95 % confidence intervals by bootstrap resampling
    #[arg(long, conflicts_with_all = ["compare", "sentence_level"], help_heading = "Significance")]
    confidence: bool,
    /// Number of bootstrap samples
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SAMPLES, help_heading = "Significance")]
    #[arg(value_parser = number::within(1..=usize::MAX))]
    samples: usize,
    /// The seed of the samples
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, help_heading = "Significance")]
    #[arg(value_parser = number::whole::<u64>)]
    seed: u64,
    /// Print a score for each line
    #[arg(long, help_heading = "Form")]
    sentence_level: bool,
    /// Print JSON, as sacreBLEU does
    #[arg(long, help_heading = "Form")]
    json: bool,
    /// Print nothing but the score
    #[arg(short = 'b', long, conflicts_with_all = ["json", "compare"], help_heading = "Form")]
    score_only: bool,
    /// Print signatures in their short form
    #[arg(long, conflicts_with = "json", help_heading = "Form")]
    short: bool,
    /// Number of digits after the decimal point
    #[arg(short, long, value_name = "N", default_value_t = 1, help_heading = "Form")]
    #[arg(value_parser = number::within(0..=20_u8))]
    width: u8,
    /// Ignore upper and lower case
    #[arg(long, visible_alias = "lc", help_heading = "Metrics")]
    lowercase: bool,
    /// BLEU: the tokeniser: 13a, intl, char, zh or none; with --tokenizer-model spm, flores101, flores200 or spBLEU-1K
    #[arg(long, visible_alias = "tok", value_name = "NAME", default_value = "13a", help_heading = "Metrics")]
    tokenize: String,
    /// BLEU: the SentencePiece model of the tokeniser spm, flores101, flores200 or spBLEU-1K
    #[arg(long, value_name = "FILE", help_heading = "Metrics")]
    tokenizer_model: Option<PathBuf>,
    /// BLEU: the smoothing of n-grams that never match: exp, floor[:VALUE], add-k[:VALUE] or none
    #[arg(long, value_name = "METHOD", default_value = "exp", help_heading = "Metrics")]
    #[arg(value_parser = smoothing)]
    smooth: Smoothing,
    /// chrF: length of the longest word n-grams; 2 gives chrF++
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Metrics", value_parser = number::whole::<usize>)]
    chrf_word_order: usize,
    /// chrF: length of the longest character n-grams
    #[arg(long, value_name = "N", default_value_t = 6, help_heading = "Metrics", value_parser = number::whole::<usize>)]
    chrf_char_order: usize,
    /// chrF: weight of recall relative to precision; 0 scores precision alone
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Metrics", value_parser = number::whole::<u32>)]
    chrf_beta: u32,
    /// chrF: count white space as characters
    #[arg(long, help_heading = "Metrics")]
    chrf_whitespace: bool,
    /// chrF: ignore upper and lower case
    #[arg(long, help_heading = "Metrics")]
    chrf_lowercase: bool,
    /// chrF: score the mean of the F-scores of all n-gram lengths, as the script of chrF's authors does
    #[arg(long, help_heading = "Metrics")]
    chrf_eps_smoothing: bool,
    /// TER: separate words and punctuation as mteval does
    #[arg(long, help_heading = "Metrics")]
    ter_normalized: bool,
    /// TER: remove punctuation
    #[arg(long, help_heading = "Metrics")]
    ter_no_punct: bool,
    /// TER: treat each Chinese, Japanese or Korean character as a word
    #[arg(long, help_heading = "Metrics")]
    ter_asian_support: bool,
    /// TER: distinguish upper and lower case, which TER ignores by default
    #[arg(long, conflicts_with = "lowercase", help_heading = "Metrics")]
    ter_case_sensitive: bool,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase evaluate reference.de < talk.de
  metaphrase evaluate --metric bleu,chrf,ter reference1.de reference2.de -i talk.de
  metaphrase evaluate reference.de -i old.de --compare new.de";

/// The tokenisers that are SentencePiece models, with their names in the signatures of sacreBLEU.
const SENTENCEPIECE_TOKENIZERS: [(&str, &str); 4] =
    [("spm", "flores101"), ("flores101", "flores101"), ("flores200", "flores200"), ("spBLEU-1K", "spBLEU-1K")];

/// Evaluates the input.
pub fn run(args: &Args) -> Result<()> {
    let metrics: Vec<Box<dyn Metric>> = args.metric.iter().map(|&metric| args.metric(metric)).collect::<Result<_>>()?;
    if args.sentence_level && metrics.len() > 1 {
        return Err(Usage::error("--sentence-level takes one metric: each line of the output is a score"));
    }
    check_one_stdin(args.references.iter().chain(&args.compare).map(Some).chain([args.input.as_ref()]))?;
    let references = args.references.iter().map(|path| read(Some(path))).collect::<Result<Vec<_>>>()?;
    let references = References::new(&references)?;
    let baseline = read(args.input.as_deref())?;
    let text = if !args.compare.is_empty() {
        args.compared(&metrics, &baseline, &references)?
    } else if let (true, [metric]) = (args.sentence_level, &*metrics) {
        evaluate_sentences(&**metric, &baseline, &references, &args.report())?.join("\n")
    } else {
        // sacreBLEU indents lines so that their `=` are in one column; our lines all begin with the name of the metric.
        let report = evaluate(&metrics, &baseline, &references, &args.report())?;
        if args.json { report } else { report.lines().map(str::trim_start).collect::<Vec<_>>().join("\n") }
    };
    let mut output = Output::create(args.output.as_deref())?;
    output.write(&(text + "\n"))?;
    output.finish()
}

/// The lines of a file, without white space at their ends, as sacreBLEU reads them.
fn read(path: Option<&Path>) -> Result<Vec<String>> {
    // Python's white space is that of Unicode and four separators.
    let space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    let texts = Lines::new(Input::open(path)?).texts()?;
    Ok(texts.iter().map(|text| text.trim_end_matches(space).to_owned()).collect())
}

/// Reads `METHOD` or `METHOD:VALUE`.
fn smoothing(text: &str) -> Result<Smoothing> {
    let (name, value) = match text.split_once(':') {
        None => (text, None),
        Some((name, value)) => (name, Some(value.parse().ok().context("expected a number after the colon")?)),
    };
    Ok(Smoothing::from_name(name, value)?)
}

impl Args {
    fn metric(&self, metric: MetricName) -> Result<Box<dyn Metric>> {
        let lowercase = self.lowercase;
        let chrf = |word_order| -> Result<Box<dyn Metric>> {
            Ok(Box::new(Chrf::new(ChrfOptions {
                char_order: self.chrf_char_order,
                word_order,
                beta: self.chrf_beta,
                lowercase: lowercase || self.chrf_lowercase,
                whitespace: self.chrf_whitespace,
                eps_smoothing: self.chrf_eps_smoothing,
            })?))
        };
        match metric {
            MetricName::Bleu => Ok(Box::new(self.bleu()?)),
            MetricName::Chrf => chrf(self.chrf_word_order),
            MetricName::ChrfPlusPlus => chrf(2),
            MetricName::Ter => Ok(Box::new(Ter::new(TerOptions {
                normalized: self.ter_normalized,
                no_punct: self.ter_no_punct,
                asian_support: self.ter_asian_support,
                case_sensitive: self.ter_case_sensitive,
            }))),
        }
    }

    fn bleu(&self) -> Result<Bleu> {
        let options = BleuOptions {
            lowercase: self.lowercase,
            smoothing: self.smooth,
            effective_order: self.sentence_level,
            ..BleuOptions::default()
        };
        let name =
            SENTENCEPIECE_TOKENIZERS.iter().find(|(name, _)| *name == self.tokenize).map(|(_, signature)| *signature);
        match (&self.tokenizer_model, name) {
            (Some(path), Some(name)) => {
                let vocabulary = Vocabulary::open(path)?;
                Ok(Bleu::new(options)?.split_by(name, move |line| vocabulary.pieces(line).join(" ")))
            }
            (Some(_), None) => Err(Usage::error(format!(
                "--tokenizer-model is for --tokenize spm, flores101, flores200 or spBLEU-1K, not for {}",
                self.tokenize
            ))),
            (None, _) => {
                let tokenizer = self
                    .tokenize
                    .parse()
                    .map_err(|error: metaphrase_metrics::Error| Usage::error(error.to_string()))?;
                Ok(Bleu::new(BleuOptions { tokenizer, ..options })?)
            }
        }
    }

    fn report(&self) -> ReportOptions {
        ReportOptions {
            format: if self.json { Format::Json } else { Format::Text },
            width: self.width.into(),
            short_signature: self.short,
            score_only: self.score_only,
            confidence: self.confidence.then_some(self.samples),
            seed: self.seed,
        }
    }

    /// The comparison of the input with all other systems.
    fn compared(
        &self,
        metrics: &[Box<dyn Metric>],
        baseline: &[String],
        references: &References<'_>,
    ) -> Result<String> {
        let others = self.compare.iter().map(|path| read(Some(path))).collect::<Result<Vec<_>>>()?;
        let name = self.input.as_ref().map_or("standard input".into(), |path| path.display().to_string());
        let names: Vec<String> = self.compare.iter().map(|path| path.display().to_string()).collect();
        let mut systems: Vec<(&str, &[String])> = vec![(&name, baseline)];
        systems.extend(names.iter().zip(&others).map(|(name, lines)| (&**name, &**lines)));
        let test = if self.paired_ar { Test::Randomization(self.trials) } else { Test::Bootstrap(self.samples) };
        Ok(compare(metrics, &systems, references, test, &self.report())?)
    }
}
