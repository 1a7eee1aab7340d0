//! `metaphrase draw`.

use crate::Usage;
use crate::drawings::{LatticeFiles, graph};
use crate::io::Input;
use crate::lines::Lines;
use crate::posteriors::{Format, Sentences};
use anyhow::Result;
use metaphrase::{Diagram, Evidence, Lattice};
use metaphrase_plot::{Graph, graphs_svg};
use metaphrase_text::moses::unescape;
use std::path::PathBuf;

/// Draw lattices and n-best lists
///
/// The picture of a sentence shows where its translations differ. The number after each word is its posterior: the
/// probability that a translation takes the arc. Common beginnings and endings of translations are drawn once. Long
/// pictures are broken into lines.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The lattices or lists; a name in .gz is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file for the pictures, SVG; with %d in the name, which is the number of a sentence, each sentence has its
    /// own file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The format of the input
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Format,
    /// The scale of the scores: below 1 translations get more equal probabilities
    #[arg(long, value_name = "A", default_value_t = 1.0, allow_negative_numbers = true)]
    #[arg(value_parser = crate::number::real::<f64>)]
    scale: f64,
    /// Leave out arcs with a posterior below P
    #[arg(long, value_name = "P", default_value_t = 0.05, allow_negative_numbers = true)]
    #[arg(value_parser = crate::number::real::<f64>)]
    prune: f64,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase lattice -m smt/ < talk.tok.de | metaphrase draw --format openfst -o pictures/%d.svg
  metaphrase draw --format moses -i talk.osg -o talk.svg
  echo 'Good morning!' | metaphrase translate --lattice morning.svg    # the neural search draws itself";

/// Draws the input.
pub fn run(args: &Args) -> Result<()> {
    if !(args.scale.is_finite() && args.scale > 0.0) {
        return Err(Usage::error(format!("--scale is {}; it has to be a number above 0", args.scale)));
    }
    if !(0.0..1.0).contains(&args.prune) {
        return Err(Usage::error(format!("--prune is {}; it has to be a number from 0 on and below 1", args.prune)));
    }
    if args.output.extension().is_none_or(|extension| extension != "svg") {
        return Err(Usage::error(format!(
            "{} is not the name of a picture; choose a name that ends with .svg",
            args.output.display()
        )));
    }
    let lines = Lines::new(Input::open(args.input.as_deref())?);
    let name = lines.name().to_owned();
    let mut sentences = Sentences::new(lines, args.format);
    let mut files = LatticeFiles::create(Some(&args.output))?;
    while let Some(item) = sentences.next()? {
        let number = item.number;
        let diagram = item.evidence().and_then(|evidence| args.diagram(&evidence)).unwrap_or_else(|problem| {
            tracing::warn!("{name}, sentence {number}: {problem}");
            Diagram::new(1, Vec::new())
        });
        files.draw(number, picture(&diagram, &format!("{number}: ")))?;
    }
    files.finish()
}

/// A lattice as a picture, as the command `draw` draws it. `scale` is above 0; arcs with a posterior below `least` are
/// left out. `None` if no translation has a finite score.
#[must_use]
pub fn lattice_svg(lattice: &Lattice, scale: f64, least: f64) -> Option<String> {
    Some(graphs_svg(&[picture(&Diagram::from_lattice(lattice, scale, least)?, "")]))
}

/// The picture of a diagram with its posteriors. `number` precedes the title.
fn picture(diagram: &Diagram, number: &str) -> Graph {
    let posteriors: Vec<f64> = diagram.arcs().iter().map(|arc| arc.ln_mass.exp()).collect();
    let best = diagram.arcs().iter().filter(|arc| arc.best).map(|arc| arc.text.as_str());
    let title = format!("{number}{}", best.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" "));
    let mut graph = graph(diagram, &posteriors, vec![title, LEGEND.to_owned()]);
    let texts = graph.arcs.iter_mut().map(|arc| &mut arc.text).chain(&mut graph.title);
    // Tokens of Moses: `&apos;s`.
    texts.for_each(|text| *text = unescape(text).into_owned());
    graph
}

const LEGEND: &str =
    "the number after a word: the probability of the translations that take this path; bold: the best translation";

impl Args {
    fn diagram(&self, evidence: &Evidence) -> Result<Diagram, String> {
        let diagram = match evidence {
            Evidence::Lattice(lattice) => Diagram::from_lattice(lattice, self.scale, self.prune),
            Evidence::NBest(texts) => {
                let paths = texts.iter().map(|(text, score)| (text.split_whitespace(), *score as f32));
                Diagram::from_lattice(&Lattice::from_paths(paths), self.scale, self.prune)
            }
            _ => None,
        };
        diagram.ok_or_else(|| "no translation has a finite score".into())
    }
}
