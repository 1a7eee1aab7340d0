//! Quality of translations: BLEU, chrF and TER with the numbers of sacreBLEU.
//!
//! Scores, signatures and printed forms are those of sacreBLEU 2.6.0 to the last printed digit (a signature states
//! [`SACREBLEU_VERSION`]). The samples of significance tests are drawn as NumPy draws them.
//!
//! ```
//! use metaphrase_metrics::{Bleu, BleuOptions, Metric, References, ReportOptions, evaluate};
//!
//! let hypotheses = ["The cat sat on the mat.", "It rains."];
//! let references = [["The cat sits on the mat.", "It is raining."]];
//! let references = References::new(&references)?;
//!
//! let bleu = Bleu::new(BleuOptions::default())?;
//! assert_eq!(format!("{:.1}", bleu.corpus_score(&hypotheses, &references)?.value), "38.7");
//!
//! let lines = evaluate(&[Box::new(bleu) as Box<dyn Metric>], &hypotheses, &references, &ReportOptions::default())?;
//! assert!(lines.starts_with("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 38.7 "));
//! # Ok::<(), metaphrase_metrics::Error>(())
//! ```
//!
//! From the outside in:
//!
//! - [`evaluate`], [`evaluate_sentences`], [`compare`]: from texts to the output of sacreBLEU's command line;
//! - [`Metric`], of which [`Bleu`], [`Chrf`] and [`Ter`] are implementations: a row of statistics per sentence, and a
//!   score from the sum of rows. [`CorpusStats`] are the rows of a text: read once, scored many times;
//! - [`confidence`], [`paired_bootstrap`], [`paired_randomization`]: statistics on top of any metric's rows.
//!
//! Lines are used unchanged. A program that reads files should strip white space at line ends, as sacreBLEU does: it
//! matters to chrF with `whitespace`, and to nothing else.

mod arithmetic;
mod bleu;
mod bootstrap;
mod chrf;
mod compare;
mod error;
mod json;
mod metric;
mod ngrams;
mod pytext;
mod random;
mod references;
mod report;
mod risk;
mod score;
mod signature;
mod ter;
mod tokenize;
mod words;

pub use arithmetic::Arithmetic;
pub use bleu::{Bleu, BleuOptions, BleuParts, Smoothing};
pub use bootstrap::{DEFAULT_SAMPLES, DEFAULT_SEED, confidence};
pub use chrf::{Chrf, ChrfOptions};
pub use compare::{Comparison, DEFAULT_TRIALS, paired_bootstrap, paired_randomization};
pub use error::Error;
pub use metric::{CorpusStats, Metric, MetricName, Setting};
pub use references::{ReferenceCount, References};
pub use report::{Format, NamedSystem, ReportOptions, Test, compare, evaluate, evaluate_sentences};
pub use risk::expected_scores;
pub use score::{Interval, Score};
pub use signature::{SACREBLEU_VERSION, Sampling, Signature};
pub use ter::{Ter, TerOptions};
pub use tokenize::Tokenizer;
