//! Files of lattices and of their pictures: one for all sentences, or one for each.

use crate::Usage;
use crate::io::Output;
use crate::posteriors::file_of;
use anyhow::{Result, bail};
use clap::ValueEnum;
use metaphrase::{Diagram, GraphUnits, SearchGraph, TranslateOptions, Translation};
use metaphrase_plot::{Graph, GraphArc, graphs_svg};
use std::path::{Path, PathBuf};

/// Lattices of the neural search.
#[derive(clap::Args)]
#[command(next_help_heading = "Result")]
pub struct LatticeArgs {
    /// Write the hypotheses that the search kept: a lattice for each line in the text form of OpenFst or, if the name ends with .svg,
    /// a picture, in which one sees where the model hesitated. %d in the name is the number of the line: each has a file of its own then
    #[arg(long, value_name = "FILE")]
    lattice: Option<PathBuf>,
    /// The words of these lattices
    #[arg(long, value_enum, default_value_t = LatticeUnits::Words, requires = "lattice")]
    lattice_units: LatticeUnits,
}

/// The words of a lattice of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LatticeUnits {
    /// Written words and punctuation marks
    Words,
    /// The target pieces of the model
    Pieces,
}

impl LatticeArgs {
    /// Whether lattices are written.
    pub fn is_given(&self) -> bool {
        self.lattice.is_some()
    }

    /// Opens the file, and asks for what it holds.
    pub fn ask(&self, options: &mut TranslateOptions) -> Result<Option<LatticeFiles>> {
        let Some(path) = &self.lattice else { return Ok(None) };
        if path == Path::new("-") {
            return Err(Usage::error("--lattice takes a file, as standard output has the translations"));
        }
        options.search_graph = Some(match self.lattice_units {
            LatticeUnits::Words => GraphUnits::WrittenWords,
            LatticeUnits::Pieces => GraphUnits::Pieces,
        });
        LatticeFiles::create(Some(path)).map(Some)
    }
}

/// A file holds at most this many pictures.
const MOST_PICTURES: usize = 1000;

/// Where lattices go. A name that ends with `.svg` asks for pictures; `%d` in a name is the number of a sentence, from 1, which has a file
/// of its own then.
pub struct LatticeFiles {
    files: Files,
    svg: bool,
}

enum Files {
    Each(String),
    One(Output),
    /// A file of pictures is written at its end: its first line has the size of all.
    Pictures(PathBuf, Vec<Graph>),
}

impl LatticeFiles {
    /// Opens a file; `None`: standard output.
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let svg = path.is_some_and(|path| path.extension().is_some_and(|extension| extension == "svg"));
        let files = match path {
            Some(path) if path.to_string_lossy().contains("%d") => match path.to_str() {
                Some(pattern) => Files::Each(pattern.to_owned()),
                None => bail!("the name {} is not valid UTF-8", path.display()),
            },
            Some(path) if svg => Files::Pictures(path.to_owned(), Vec::new()),
            path => Files::One(Output::create(path)?),
        };
        Ok(Self { files, svg })
    }

    /// Writes the search graph of a line.
    pub fn write_search(&mut self, number: usize, translation: &Translation) -> Result<()> {
        if !self.svg {
            let nothing = SearchGraph::default();
            let graph = translation.search_graph.as_ref().unwrap_or(&nothing);
            return self.write_text(number, &graph.lattice().to_openfst());
        }
        self.draw(number, of_search(translation, &format!("{number}: ")))
    }

    /// Writes a lattice in OpenFst's text form.
    fn write_text(&mut self, number: usize, text: &str) -> Result<()> {
        match &mut self.files {
            Files::Each(pattern) => write_file(&file_of(pattern, number), text),
            Files::One(output) => output.write(&format!("{text}\n")),
            Files::Pictures(..) => Ok(()),
        }
    }

    /// Draws the picture of a sentence.
    pub fn draw(&mut self, number: usize, graph: Graph) -> Result<()> {
        match &mut self.files {
            Files::Each(pattern) => write_file(&file_of(pattern, number), &graphs_svg(&[graph])),
            Files::One(output) => output.write(&graphs_svg(&[graph])),
            Files::Pictures(path, graphs) => {
                if graphs.len() == MOST_PICTURES {
                    return Err(Usage::error(format!(
                        "{} would have more than {MOST_PICTURES} pictures; write %d into the name: each sentence has a file of its own then",
                        path.display()
                    )));
                }
                graphs.push(graph);
                Ok(())
            }
        }
    }

    /// Ends the files.
    pub fn finish(self) -> Result<()> {
        match self.files {
            Files::Each(_) => Ok(()),
            Files::One(output) => output.finish(),
            Files::Pictures(path, graphs) => write_file(&path, &graphs_svg(&graphs)),
        }
    }
}

/// The hypotheses that the search of a line kept, as a picture: what `translate --lattice` draws. See
/// [`TranslateOptions::search_graph`], without which the picture is empty.
#[must_use]
pub fn search_svg(translation: &Translation) -> String {
    graphs_svg(&[of_search(translation, "")])
}

/// The picture of a search. `number` stands before the title.
fn of_search(translation: &Translation, number: &str) -> Graph {
    let nothing = SearchGraph::default();
    let diagram = translation.search_graph.as_ref().unwrap_or(&nothing).diagram();
    let source = translation.source_pieces.concat().replace('▁', " ");
    let title = vec![format!("{number}{}", source.trim()), LEGEND.to_owned()];
    drawn(&diagram, &diagram.shares(), title)
}

const LEGEND: &str = "the number behind a word: its probability after the words before it; bold: the translation; ×: the search went no further";

fn write_file(path: &Path, text: &str) -> Result<()> {
    let mut output = Output::create(Some(path))?;
    output.write(text)?;
    output.finish()
}

/// The picture of a diagram. `shown`: the number of each arc.
pub fn drawn(diagram: &Diagram, shown: &[f64], title: Vec<String>) -> Graph {
    let arcs = diagram.arcs().iter().zip(shown).map(|(arc, &number)| GraphArc {
        from: arc.from,
        to: arc.to,
        text: arc.text.clone(),
        note: if arc.text.is_empty() { String::new() } else { per_cent(number) },
        weight: number,
        best: arc.best,
    });
    Graph { title, states: diagram.states(), arcs: arcs.collect() }
}

/// `83%`, `<1%`.
fn per_cent(number: f64) -> String {
    if number < 0.005 { "<1%".to_owned() } else { format!("{}%", (100.0 * number).round()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_shown_in_per_cent() {
        assert_eq!(
            [0.0, 0.004, 0.005, 0.126, 0.994, 0.9951, 1.0].map(per_cent),
            ["<1%", "<1%", "1%", "13%", "99%", "100%", "100%"]
        );
    }
}
