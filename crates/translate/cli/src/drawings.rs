//! Files of lattices and of pictures of lattices: one file for all sentences, or one for each.

use crate::Usage;
use crate::io::Output;
use crate::posterior_files::numbered_path;
use anyhow::{Result, bail};
use clap::ValueEnum;
use metaphrase::{Diagram, GraphUnits, SearchGraph, TranslateOptions, Translation};
use metaphrase_plot::{Graph, GraphArc, graphs_svg};
use std::path::{Path, PathBuf};

/// Lattices of the neural search.
#[derive(clap::Args)]
#[command(next_help_heading = "Result")]
pub struct LatticeArgs {
    /// Write the hypotheses that the search kept: for each line a lattice in the text format of OpenFst or, if the name
    /// ends with .svg, a picture that shows where the model hesitated. With %d in the name, which is the number of a
    /// line, each line has its own file
    #[arg(long, value_name = "FILE")]
    lattice: Option<PathBuf>,
    /// The units of these lattices
    #[arg(long, value_enum, default_value_t = LatticeUnits::Words, requires = "lattice")]
    lattice_units: LatticeUnits,
}

/// The units of a lattice of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LatticeUnits {
    /// Written words and punctuation marks
    Words,
    /// The target pieces of the model
    Pieces,
}

impl LatticeArgs {
    /// Whether lattices are to be written.
    pub fn is_given(&self) -> bool {
        self.lattice.is_some()
    }

    /// Opens the file, and requests search graphs in `options`.
    pub fn request(&self, options: &mut TranslateOptions) -> Result<Option<LatticeFiles>> {
        let Some(path) = &self.lattice else { return Ok(None) };
        if path == Path::new("-") {
            return Err(Usage::error("--lattice takes a file: standard output is for the translations"));
        }
        options.search_graph = Some(match self.lattice_units {
            LatticeUnits::Words => GraphUnits::WrittenWords,
            LatticeUnits::Pieces => GraphUnits::Pieces,
        });
        LatticeFiles::create(Some(path)).map(Some)
    }
}

/// The most pictures of a file.
const MOST_PICTURES: usize = 1000;

/// The files of lattices. A name that ends with `.svg` is for pictures. `%d` in the name is the number of a sentence,
/// from 1; each sentence then has its own file.
pub struct LatticeFiles {
    files: Files,
    svg: bool,
}

enum Files {
    Each(String),
    One(Output),
    /// A file of pictures, which is written at the end: its first line has the size of all pictures together.
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
        self.draw(number, search_picture(translation, &format!("{number}: ")))
    }

    /// Writes a lattice in OpenFst's text format.
    fn write_text(&mut self, number: usize, text: &str) -> Result<()> {
        match &mut self.files {
            Files::Each(pattern) => write_file(&numbered_path(pattern, number), text),
            Files::One(output) => output.write(&format!("{text}\n")),
            Files::Pictures(..) => Ok(()),
        }
    }

    /// Draws the picture of a sentence.
    pub fn draw(&mut self, number: usize, graph: Graph) -> Result<()> {
        match &mut self.files {
            Files::Each(pattern) => write_file(&numbered_path(pattern, number), &graphs_svg(&[graph])),
            Files::One(output) => output.write(&graphs_svg(&[graph])),
            Files::Pictures(path, graphs) => {
                if graphs.len() == MOST_PICTURES {
                    return Err(Usage::error(format!(
                        "{} would have more than {MOST_PICTURES} pictures; put %d into the name, and each sentence has its own file",
                        path.display()
                    )));
                }
                graphs.push(graph);
                Ok(())
            }
        }
    }

    /// Finishes the files.
    pub fn finish(self) -> Result<()> {
        match self.files {
            Files::Each(_) => Ok(()),
            Files::One(output) => output.finish(),
            Files::Pictures(path, graphs) => write_file(&path, &graphs_svg(&graphs)),
        }
    }
}

/// The hypotheses that the search of a line kept, as a picture, as `translate --lattice` draws them. The picture is
/// empty without [`TranslateOptions::search_graph`].
#[must_use]
pub fn search_svg(translation: &Translation) -> String {
    graphs_svg(&[search_picture(translation, "")])
}

/// The picture of a search. `number` precedes the title.
fn search_picture(translation: &Translation, number: &str) -> Graph {
    let nothing = SearchGraph::default();
    let diagram = translation.search_graph.as_ref().unwrap_or(&nothing).diagram();
    let source = translation.source_pieces.concat().replace('▁', " ");
    let title = vec![format!("{number}{}", source.trim()), LEGEND.to_owned()];
    graph(&diagram, &diagram.shares(), title)
}

const LEGEND: &str = "the number after a word: its probability given the words before it; bold: the translation; ×: the search went no further";

fn write_file(path: &Path, text: &str) -> Result<()> {
    let mut output = Output::create(Some(path))?;
    output.write(text)?;
    output.finish()
}

/// The picture of a diagram. `numbers` has the number of each arc.
pub fn graph(diagram: &Diagram, numbers: &[f64], title: Vec<String>) -> Graph {
    let arcs = diagram.arcs().iter().zip(numbers).map(|(arc, &number)| GraphArc {
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
