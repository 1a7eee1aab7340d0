//! `metaphrase phrase lattice`.

use super::search;
use crate::io::append;
use anyhow::Result;
use clap::ValueEnum;
use metaphrase_base::SixDigits;
use metaphrase_phrase::{Decoder, PhraseArc, PhraseLattice, PhraseModel, Source};

/// Print the word lattice of each line
///
/// A word lattice is a graph of all translations that the search kept. A wider beam keeps more of them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    search: search::Args,
    /// The format of the lattices
    #[arg(long, value_enum, default_value_t = Format::Openfst)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A line for each sentence: number of states, then arcs `skip jump score word`, as in docs/formats/lattice.md
    Compact,
    /// The text format of OpenFst: `from to word word cost`, and an empty line after each sentence
    Openfst,
    /// The search graph of Moses: a line for each phrase, `N hyp=… stack=… back=… score=… …`
    Moses,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase lattice -m mert-work/ < talk.tok.de > talk.fst
  metaphrase phrase lattice -m mert-work/ --format moses --cardinality-beam 32 32 < talk.tok.de > talk.osg";

/// Searches the input.
pub fn run(args: &Args) -> Result<()> {
    let model = args.search.model()?;
    let decoder = Decoder::new(&model, args.search.options(&model, true)?)?;
    // Each word has a few hundred hypotheses with one or more arcs each.
    args.search.run(8192, |number, source, workspace| {
        let (lattice, counters) = decoder.lattice(source, workspace);
        let text = match args.format {
            Format::Compact => model.word_lattice(source, &lattice).to_compact() + "\n",
            Format::Openfst => model.word_lattice(source, &lattice).to_openfst() + "\n",
            Format::Moses => search_graph(&model, number, source, &lattice),
        };
        (text, counters)
    })
}

/// The search graph as Moses writes it. A path that reaches a hypothesis with a lower score than the best path is a
/// separate hypothesis, `recombined` with the better one.
fn search_graph(model: &PhraseModel, number: usize, source: Source, lattice: &PhraseLattice) -> String {
    let mut text = String::new();
    append(&mut text, format_args!("{number} hyp=0 stack=0\n"));
    let forward = best_continuations(lattice);
    let mut recombined = lattice.nodes.len();
    let mut before = 0;
    for arc in &lattice.arcs {
        let node = lattice.nodes[arc.to];
        let (hyp, winner) = if arc.to == before { (recombined, Some(arc.to)) } else { (arc.to, None) };
        recombined += usize::from(winner.is_some());
        before = arc.to;
        let score = lattice.nodes[arc.from].score + arc.score;
        let covered = node.covered;
        append(&mut text, format_args!("{number} hyp={hyp} stack={covered} back={}", arc.from));
        append(&mut text, format_args!(" score={}", SixDigits(score.into())));
        append(&mut text, format_args!(" transition={}", SixDigits(arc.score.into())));
        if let Some(winner) = winner {
            append(&mut text, format_args!(" recombined={winner}"));
        }
        let span = &arc.phrase.source;
        let best = forward[arc.to];
        let rest = SixDigits((score + node.rest).into());
        append(&mut text, format_args!(" forward={best} fscore={rest} covered={}-{}", span.start, span.end - 1));
        let words = model.words(source, std::slice::from_ref(&arc.phrase)).join(" ");
        append(&mut text, format_args!(" out={words}\n"));
    }
    text
}

/// For each node the next node on the best path from it; -1 for nodes of complete translations.
fn best_continuations(lattice: &PhraseLattice) -> Vec<i64> {
    let mut best = vec![(f32::NEG_INFINITY, -1); lattice.nodes.len()];
    for PhraseArc { from, to, score, .. } in &lattice.arcs {
        let through = score + lattice.nodes[*to].rest;
        if through > best[*from].0 {
            best[*from] = (through, i64::try_from(*to).unwrap_or(-1));
        }
    }
    best.into_iter().map(|(_, node)| node).collect()
}
