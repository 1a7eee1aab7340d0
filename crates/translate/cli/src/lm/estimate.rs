//! `metaphrase lm estimate`.

use crate::io::{Input, Output};
use crate::messages::Terminal;
use crate::number;
use anyhow::Result;
use clap::ValueHint;
use clap::builder::TypedValueParser;
use metaphrase_ngram::{Discounts, EstimateOptions, EstimateReport, MAX_ORDER};
use std::ffi::OsString;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Estimate a language model from text
///
/// Uses interpolated modified Kneser-Ney smoothing, with the same numbers as lmplz, and writes ARPA text. Each line of
/// the text is a sentence with white space between words. The text must have the form of the text that the model will
/// score: for most translation models, tokenised.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Number of words of the longest n-grams
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = number::within(1..=MAX_ORDER))]
    order: usize,
    /// The text; a name in .gz is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// The file for the model; a name in .gz is compressed [default: standard output]
    #[arg(short, long, visible_alias = "arpa", value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(value_parser = clap::builder::OsStringValueParser::new().try_map(not_an_order))]
    output: Option<PathBuf>,
    /// Leave out n-grams that occur at most COUNT times: one count for each order from 1 on; the last count applies to
    /// all higher orders
    #[arg(long, value_name = "COUNT", num_args = 1..=MAX_ORDER, value_parser = number::whole::<u64>)]
    prune: Vec<u64>,
    /// Discounts for n-grams that occur once, twice and more often, for orders whose counts give no discounts [without
    /// numbers: 0.5 1 1.5]
    #[arg(long, value_name = "D", num_args = 0..=3, value_parser = number::real::<f64>)]
    discount_fallback: Option<Vec<f64>>,
    /// Remove <s>, </s> and <unk> from the text
    #[arg(long)]
    skip_symbols: bool,
    /// Memory for sorting, a number with K, M or G; the vocabulary takes memory in addition
    #[arg(short = 'S', long, value_name = "SIZE", default_value = "1G", value_parser = number::size)]
    memory: usize,
    /// The directory for temporary files [default: the system's]
    #[arg(short = 'T', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    temporary: Option<PathBuf>,
    /// Number of threads that sort [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase lm estimate < text.tok.en > lm.arpa
  metaphrase lm estimate --order 4 --prune 0 0 1 -i text.tok.en.gz -o lm.arpa.gz";

/// Reads the name of the output. `-o 5` is refused: in lmplz it is the order.
fn not_an_order(name: OsString) -> Result<PathBuf, String> {
    match name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty()) {
        Some(order) => {
            Err(format!("-o is the file for the model; give the order as --order {order}, or the file as ./{order}"))
        }
        None => Ok(name.into()),
    }
}

/// Estimates a model.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    let options = EstimateOptions {
        order: args.order,
        prune: args.prune.clone(),
        fallback: args.discount_fallback.as_deref().map(fallback).transpose()?,
        skip_symbols: args.skip_symbols,
        memory: args.memory,
        temporary: args.temporary.clone().unwrap_or_else(std::env::temp_dir),
        threads: number::threads(args.threads).get(),
    };
    if let Some(problem) = options.problem() {
        return Err(crate::Usage::error(format!("--prune or --order: {problem}")));
    }
    let input = Input::open(args.input.as_deref())?;
    let mut output = Output::create(args.output.as_deref())?;
    let to = args.output.as_deref().filter(|path| *path != Path::new("-")).unwrap_or(Path::new("standard output"));
    let mut text = BufReader::with_capacity(1 << 18, input.reader);
    let report = metaphrase_ngram::estimate(&mut text, Path::new(&input.name), &options, &mut output, to)?;
    output.finish()?;
    print_report(&report, terminal);
    Ok(())
}

/// Prints the counts of the text, and warns of orders whose counts gave no discounts.
fn print_report(report: &EstimateReport, terminal: &Terminal) {
    tracing::info!("{} words in {} sentences", report.words, report.sentences);
    for (k, order) in report.orders.iter().enumerate() {
        let Discounts([one, two, more]) = order.discounts;
        let n = k + 1;
        tracing::info!("{} of {} {n}-grams, discounts {one:.4} {two:.4} {more:.4}", order.kept, order.ngrams);
        if order.is_fallback && !terminal.quiet {
            tracing::warn!("the counts of {n}-grams give no discounts; used {one} {two} {more} instead");
        }
    }
}

/// The discounts for the counts 1, 2 and more, from 0 to 3 numbers; the last number applies to the rest.
fn fallback(numbers: &[f64]) -> Result<Discounts> {
    let discounts = match *numbers {
        [] => [0.5, 1.0, 1.5],
        [all] => [all; 3],
        [one, two] => [one, two, two],
        [one, two, more, ..] => [one, two, more],
    };
    let in_range = discounts.iter().zip([1.0, 2.0, 3.0]).all(|(discount, count)| (0.0..=count).contains(discount));
    in_range.then_some(Discounts(discounts)).ok_or_else(|| {
        crate::Usage::error(
            "--discount-fallback: a discount is at least 0 and at most the count that it reduces: 1, 2, 3",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_not_a_file() {
        let refused = not_an_order("5".into()).unwrap_err();
        assert_eq!(refused, "-o is the file for the model; give the order as --order 5, or the file as ./5");
        for name in ["./5", "5.arpa", "-", "lm"] {
            assert_eq!(not_an_order(name.into()), Ok(PathBuf::from(name)));
        }
    }

    #[test]
    fn fallbacks() {
        assert_eq!(fallback(&[]).unwrap(), Discounts([0.5, 1.0, 1.5]));
        assert_eq!(fallback(&[0.4, 0.9]).unwrap(), Discounts([0.4, 0.9, 0.9]));
        assert!(fallback(&[1.5]).is_err() && fallback(&[f64::NAN]).is_err());
    }
}
