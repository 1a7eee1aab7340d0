//! `metaphrase tune-evidence`.

use crate::Usage;
use crate::evidence::EvidenceArgs;
use crate::io::{Output, check_one_stdin};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::model::ModelArgs;
use crate::number;
use crate::search::SearchArgs;
use anyhow::{Context, Result};
use clap::ValueEnum;
use metaphrase::{Evidence, EvidenceOptions, Posteriors, Request, Theta, TranslateOptions, Translation, Translator};
use metaphrase_metrics::{Arithmetic, Bleu, BleuOptions, Metric};
use metaphrase_tune::{MertOptions, Method, MiraOptions, NBestLists, Round, optimize};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Tune the factors of evidence on a development text
///
/// Translates the text repeatedly with the posteriors of --lmbr and prints the options for `translate` with the highest
/// BLEU, found on a grid of weights, precisions and ratios, or by MERT or MIRA on n-best lists.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The text to translate
    source: PathBuf,
    /// Translations of the text by people, line by line; several files contain several translations of each line
    #[arg(required = true)]
    references: Vec<PathBuf>,
    /// The file for the options [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The method that finds the factors
    #[arg(long, value_enum, default_value_t = MethodArg::Grid, help_heading = "Tuning")]
    method: MethodArg,
    /// The weights of the grid, separated by commas
    #[arg(long, value_name = "W,W,…", value_delimiter = ',', default_values_t = [0.5, 1.0, 2.0, 4.0], help_heading = "Tuning")]
    #[arg(value_parser = number::real::<f64>)]
    grid_weights: Vec<f64>,
    /// The precisions of the grid, separated by commas; see --lmbr-bleu
    #[arg(long, value_name = "P,P,…", value_delimiter = ',', default_values_t = [0.4, 0.6, 0.8], help_heading = "Tuning")]
    #[arg(value_parser = number::real::<f64>)]
    grid_precisions: Vec<f64>,
    /// The ratios of the grid, separated by commas; see --lmbr-bleu
    #[arg(long, value_name = "R,R,…", value_delimiter = ',', default_values_t = [0.5, 0.7, 0.9], help_heading = "Tuning")]
    #[arg(value_parser = number::real::<f64>)]
    grid_ratios: Vec<f64>,
    /// The largest number of rounds of mert and mira
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Tuning", value_parser = number::whole::<usize>)]
    rounds: usize,
    /// Number of translations of a line in a round of mert and mira
    #[arg(long, value_name = "K", default_value = "12", help_heading = "Tuning")]
    #[arg(value_parser = number::whole::<NonZeroUsize>)]
    n_best: NonZeroUsize,
    #[command(flatten)]
    evidence: EvidenceArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodArg {
    /// Try each combination of the grid
    Grid,
    /// Minimum error rate training
    Mert,
    /// Batch MIRA
    Mira,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase tune-evidence -m nmt/ --lmbr dev.posteriors.gz dev.de dev.en
  metaphrase translate -m nmt/ --lmbr test.posteriors.gz $(metaphrase tune-evidence -m nmt/ --lmbr dev.posteriors.gz \\
    --method mert dev.de dev.en) < test.de";

/// The text, its evidence, and the translator.
struct Text {
    translator: Translator,
    options: TranslateOptions,
    lines: Vec<String>,
    references: Vec<Vec<String>>,
    posteriors: Vec<Posteriors>,
    bleu: Bleu,
}

/// Tunes the factors.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    args.model.check()?;
    args.evidence.check()?;
    if args.evidence.has_model() || args.evidence.file().is_none() {
        return Err(Usage::error("--lmbr names the file of the posteriors; `metaphrase posteriors` writes it"));
    }
    if args.search.samples() {
        return Err(Usage::error("--sampling draws translations at random; evidence is tuned on the best ones"));
    }
    check_one_stdin(std::iter::once(&args.source).chain(&args.references).chain(args.evidence.file()).map(Some))?;
    let text = Text::read(args)?;
    let mut output = Output::create(args.output.as_deref())?;
    let (options, score) = match args.method {
        MethodArg::Grid => text.grid(args)?,
        MethodArg::Mert => text.tune(&Method::Mert(MertOptions { restarts: 10, ..MertOptions::default() }), args)?,
        MethodArg::Mira => text.tune(&Method::Mira(MiraOptions::default()), args)?,
    };
    terminal.print(&format!("BLEU {score:.2} on the development text"));
    output.write(&(flags(&options) + "\n"))?;
    output.finish()
}

/// The options for `translate`.
fn flags(options: &EvidenceOptions) -> String {
    let orders: Vec<String> = options.theta.orders.iter().map(ToString::to_string).collect();
    format!("--lmbr-weight {} --lmbr-theta {} {}", options.weight, options.theta.word, orders.join(" "))
}

impl Text {
    fn read(args: &Args) -> Result<Self> {
        let Some(mut blocks) = args.evidence.blocks()? else {
            return Err(Usage::error("--lmbr names the file of the posteriors; `metaphrase posteriors` writes it"));
        };
        let texts = |path: &Path| Lines::new(crate::io::Input::open(Some(path))?).texts();
        let lines = texts(&args.source)?;
        let references = args.references.iter().map(|path| texts(path)).collect::<Result<Vec<_>>>()?;
        if let Some(reference) = references.iter().find(|reference| reference.len() != lines.len()) {
            return Err(Usage::error(format!(
                "the text has {} lines and a translation of it {}; line n of both has to be the same sentence",
                lines.len(),
                reference.len()
            )));
        }
        let translator = args.model.load(|builder| builder)?;
        let mut options = args.search.apply(translator.options(), None)?;
        options.evidence = args.evidence.options()?;
        let counter = translator.evidence_counter().context("a neural model is needed")?;
        let mut posteriors = Vec::with_capacity(lines.len());
        for number in 1..=lines.len() {
            let found = blocks.block(number)?.and_then(|block| {
                let read = counter.from_text(block.iter().map(String::as_str), &options.evidence);
                read.map_err(|error| error.to_string())
            });
            posteriors.push(found.unwrap_or_else(|problem| {
                tracing::warn!("line {number}: no evidence: {problem}");
                Posteriors::default()
            }));
        }
        let bleu = Bleu::new(BleuOptions::default())?;
        Ok(Self { translator, options, lines, references, posteriors, bleu })
    }

    fn translate(&self, evidence: &EvidenceOptions, n_best: usize) -> Result<Vec<Translation>> {
        let mut options = TranslateOptions { evidence: evidence.clone(), ..self.options.clone() };
        options.search.n_best = n_best;
        options.search.beam_size = options.search.beam_size.max(n_best);
        options.search.beam_size_constrained = None;
        let request = |(line, posteriors): (&String, &Posteriors)| {
            let request = Request::translate(line);
            if posteriors.is_empty() { request } else { request.evidence(Evidence::Posteriors(posteriors.clone())) }
        };
        let requests = self.lines.iter().zip(&self.posteriors).map(request).collect();
        Ok(self.translator.run(&options, requests)?)
    }

    /// The BLEU statistics of a translation of a line.
    fn statistics(&self, line: usize, text: &str) -> Vec<f64> {
        let references: Vec<&str> = self.references.iter().map(|reference| reference[line].as_str()).collect();
        let mut statistics = vec![0.0; self.bleu.stats_len()];
        self.bleu.sentence_stats(text, &references, &mut statistics);
        statistics
    }

    fn score(&self, translations: &[Translation]) -> f64 {
        let mut sums = vec![0.0; self.bleu.stats_len()];
        for (line, translation) in translations.iter().enumerate() {
            let statistics = self.statistics(line, translation.text());
            sums.iter_mut().zip(statistics).for_each(|(sum, more)| *sum += more);
        }
        self.bleu.value(&sums, Arithmetic::Double)
    }

    fn grid(&self, args: &Args) -> Result<(EvidenceOptions, f64)> {
        let plain = EvidenceOptions { weight: 0.0, ..self.options.evidence.clone() };
        let mut best = (plain.clone(), self.score(&self.translate(&plain, 1)?));
        tracing::info!("BLEU {:.2} without evidence", best.1);
        for &weight in &args.grid_weights {
            for &precision in &args.grid_precisions {
                for &ratio in &args.grid_ratios {
                    let theta = Theta::linear_bleu(precision, ratio, 10.0);
                    let options = EvidenceOptions { weight, theta, ..plain.clone() };
                    let score = self.score(&self.translate(&options, 1)?);
                    tracing::info!("BLEU {score:.2} with weight {weight}, precision {precision}, ratio {ratio}");
                    if score > best.1 {
                        best = (options, score);
                    }
                }
            }
        }
        Ok(best)
    }

    fn tune(&self, method: &Method, args: &Args) -> Result<(EvidenceOptions, f64)> {
        let given = &self.options.evidence;
        let factors = [&[given.theta.word], &given.theta.orders[..]].concat();
        let start: Vec<f64> = std::iter::once(1.0).chain(factors.iter().map(|factor| given.weight * factor)).collect();
        let mut lists = NBestLists::new(self.lines.len(), start.len(), self.bleu.stats_len());
        let translate = |weights: &[f64], lists: &mut NBestLists| -> Result<f64> {
            let options = self.weighted(weights);
            let translations = self.translate(&options, args.n_best.get())?;
            for (line, translation) in translations.iter().enumerate() {
                self.add(line, translation, &options, lists)?;
            }
            Ok(self.score(&translations))
        };
        let show = |round: &Round| {
            let options = flags(&self.weighted(&round.weights));
            tracing::info!(
                "round {}: BLEU {:.2}, {} new translations, {options}",
                round.number,
                round.score,
                round.new
            );
        };
        let tuned = optimize(&mut lists, &self.bleu, &start, method, args.rounds, translate, show)?;
        Ok((self.weighted(&tuned.weights), tuned.score))
    }

    /// Adds the translations of a line with features such that the score of the search is linear in them.
    fn add(
        &self,
        line: usize,
        translation: &Translation,
        options: &EvidenceOptions,
        lists: &mut NBestLists,
    ) -> Result<()> {
        let Some(counter) = self.translator.evidence_counter() else { return Ok(()) };
        let Theta { word, orders } = options.theta;
        for found in &translation.hypotheses {
            let sums = counter.sums(&self.posteriors[line], &found.pieces, found.complete);
            let pieces = found.piece_log_probs.len() as f64;
            let evidence = word * pieces + orders.iter().zip(sums).map(|(factor, sum)| factor * sum).sum::<f64>();
            // Without evidence the factor of words has no effect, either.
            let has_evidence = !self.posteriors[line].is_empty();
            let evidence = if has_evidence { options.weight * evidence } else { 0.0 };
            let length = pieces.max(1.0).powf(f64::from(self.options.search.normalize));
            let words = if has_evidence { pieces } else { 0.0 };
            let log_prob = f64::from(found.log_prob) - evidence;
            let features = [log_prob, words].into_iter().chain(sums).map(|value| (value / length) as f32);
            lists.add(line, &features.collect::<Vec<_>>(), &self.statistics(line, &found.text))?;
        }
        Ok(())
    }

    /// The options of evidence with these weights, scaled so that the models have weight 1.
    fn weighted(&self, weights: &[f64]) -> EvidenceOptions {
        let mut options = EvidenceOptions { weight: 1.0, ..self.options.evidence.clone() };
        if let [models, word, orders @ ..] = weights {
            // The weight of the models must be positive: a search cannot maximise the opposite of its score.
            let models = models.max(1e-3);
            options.theta.word = word / models;
            options.theta.orders.iter_mut().zip(orders).for_each(|(factor, weight)| *factor = weight / models);
        }
        options
    }
}
