//! `metaphrase phrase translate`.

use super::print::Form;
use super::search;
use anyhow::Result;
use metaphrase_phrase::{Decoder, Duplicates};
use std::num::NonZeroUsize;

/// Translate lines with a phrase-based model
///
/// Reads a model of Moses without conversion. Spaces separate the words of a line; the text must have the form of the
/// training text, which is tokenised for most models. --log info reports the speed and the work of the search.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    search: search::Args,
    /// Print up to N translations of each line, as `N ||| words ||| features ||| score ||| alignment`
    #[arg(long, value_name = "N", value_parser = crate::number::whole::<NonZeroUsize>)]
    n_best: Option<NonZeroUsize>,
    /// Print the best translation alone of those with the same words
    #[arg(long, requires = "n_best")]
    distinct: bool,
    /// Print the word alignment after each translation, ` ||| 0-0 1-1`
    #[arg(long)]
    alignment: bool,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase translate -m mert-work/ < talk.tok.de > talk.tok.en
  metaphrase phrase translate -m moses.ini --cardinality-beam 4 4 --look-ahead phrase-only < talk.tok.de
  metaphrase phrase translate -m moses.ini --n-best 100 --distinct < talk.tok.de > talk.nbest";

/// Translates the input.
pub fn run(args: &Args) -> Result<()> {
    let model = args.search.model()?;
    let decoder = Decoder::new(&model, args.search.options(&model, args.n_best.is_some())?)?;
    let unknown_mark = args.search.unknown_mark();
    let form = Form { n_best: args.n_best.is_some(), alignment: args.alignment, unknown_mark };
    // A translation is about as long as its source; an entry of an n-best list also has features.
    let expansion = args.n_best.map_or(2, |count| 8 * count.get());
    args.search.run(expansion, |number, source, workspace| {
        let (translations, counters) = match args.n_best {
            Some(count) => {
                let duplicates = if args.distinct { Duplicates::Drop } else { Duplicates::Keep };
                decoder.n_best(source, count.into(), duplicates, workspace)
            }
            None => {
                let (translation, counters) = decoder.translate(source, workspace);
                (vec![translation], counters)
            }
        };
        (form.print(&model, number, source, &translations), counters)
    })
}
