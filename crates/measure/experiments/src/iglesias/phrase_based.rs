//! The phrase-based system of the comparison: its lattices, and its own translations.

use super::tuning::Setting;
use crate::setup::read_lines;
use anyhow::{Context, Result, ensure};
use metaphrase::{Evidence, EvidenceOptions, Lattice, PhraseOptions, TranslatorBuilder};
use metaphrase_evidence::WritingStyle;
use metaphrase_phrase::{PhraseModel, ReadyModel, Results, Workspace};
use metaphrase_text::language::{Language, WordTokenizer};
use metaphrase_text::moses::TokenizerOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The phrase-based system of a measurement of speed, and what its evidence counts.
#[derive(clap::Args)]
pub struct Partner {
    /// The phrase-based model, a directory with a moses.ini or such a file
    #[arg(long, value_name = "PATH")]
    pub evidence: PathBuf,
    /// The languages of its words, which are as `metaphrase tokenize --escape` makes them
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub evidence_tokenize: Vec<String>,
    /// Scale, weight, precision and ratio of the evidence, as table 1 tunes them
    #[arg(long, num_args = 4, value_names = ["A", "W", "P", "R"], default_values_t = [1.0, 2.0, 0.6, 0.7])]
    setting: Vec<f64>,
}

impl Partner {
    /// A translator that knows the languages of the words.
    pub fn languages(&self, builder: TranslatorBuilder) -> TranslatorBuilder {
        match &self.evidence_tokenize[..] {
            [source, target] => builder.evidence_languages(source, target),
            _ => builder,
        }
    }

    /// The options of the setting.
    pub fn options(&self) -> EvidenceOptions {
        let &[scale, weight, precision, ratio] = &self.setting[..] else { return EvidenceOptions::default() };
        Setting { scale, weight, precision, ratio }.options()
    }
}

/// How lines become words, and words text.
pub struct Words {
    source: Option<WordTokenizer>,
    target: Option<WordTokenizer>,
    writing: WritingStyle,
}

impl Words {
    /// Words as `metaphrase tokenize --escape` makes them, of a source and a target language; without languages as
    /// spaces make them.
    pub fn new(languages: &[String]) -> Result<Self> {
        let [source, target] = languages else {
            return Ok(Self { source: None, target: None, writing: WritingStyle::default() });
        };
        let (source, target): (Language, Language) = (source.parse()?, target.parse()?);
        let writing = WritingStyle { detokenizer: Some(target.detokenizer()), capitalize: false };
        let escape = || TokenizerOptions { escape: true, ..TokenizerOptions::default() };
        let tokenizer = |language| Some(WordTokenizer::new(language, escape()));
        Ok(Self { source: tokenizer(source), target: tokenizer(target), writing })
    }

    fn split(tokenizer: Option<&WordTokenizer>, line: &str) -> Vec<String> {
        let tokenized = tokenizer.map(|tokenizer| tokenizer.tokenize_line(line));
        tokenized.as_deref().unwrap_or(line).split_ascii_whitespace().map(str::to_owned).collect()
    }

    /// The words of a source.
    pub fn source_words(&self, line: &str) -> Vec<String> {
        Self::split(self.source.as_ref(), line)
    }

    /// The words of a reference.
    pub fn target_pieces(&self, line: &str) -> Vec<String> {
        Self::split(self.target.as_ref(), line)
    }

    /// The text of some words.
    pub fn text<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> String {
        self.writing.text(words)
    }
}

/// The lattices of a text: of a phrase-based model, or of a file of Moses' search graphs.
pub enum Lattices {
    Model(Box<ReadyModel>),
    Graphs(Vec<PathBuf>),
}

impl Lattices {
    pub fn new(model: Option<&Path>, graphs: &[PathBuf]) -> Result<Self> {
        let Some(path) = model else {
            ensure!(
                !graphs.is_empty(),
                "name a phrase-based model with --evidence, or its search graphs with --graphs"
            );
            return Ok(Self::Graphs(graphs.to_vec()));
        };
        let model = PhraseModel::read_moses(path)?;
        let distortion_limit = model.distortion_limit;
        let options = PhraseOptions { distortion_limit, ..PhraseOptions::default() };
        Ok(Self::Model(Box::new(ReadyModel::new(model, options)?)))
    }

    /// The lattices of text number `text`, which has these lines.
    pub fn read(&self, text: usize, lines: &[String], words: &Words) -> Result<Vec<Lattice>> {
        match self {
            Self::Model(model) => {
                let (decoder, mut workspace) = (model.decoder(Results::Many), Workspace::default());
                let lattice = |line: &String| {
                    let words = words.source_words(line);
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    let (phrases, _) = decoder.lattice(&words, &mut workspace);
                    model.model().word_lattice(&words, &phrases)
                };
                Ok(lines.iter().map(lattice).collect())
            }
            Self::Graphs(files) => {
                let path =
                    files.get(text).context("--graphs needs a file for the development text and for each test")?;
                let graphs = search_graphs(&read_lines(path)?).with_context(|| path.display().to_string())?;
                let (found, lines) = (graphs.len(), lines.len());
                ensure!(found >= lines, "{} has {found} search graphs for {lines} lines", path.display());
                Ok(graphs.into_iter().take(lines).collect())
            }
        }
    }
}

/// Each sentence's lines begin with its number.
fn search_graphs(lines: &[String]) -> Result<Vec<Lattice>> {
    let number = |line: &String| line.split(' ').next().map(str::to_owned);
    let sentences = lines.chunk_by(|a, b| number(a) == number(b));
    sentences.map(|lines| Ok(Lattice::from_moses_graph(lines.iter().map(String::as_str))?)).collect()
}

/// The lattices as evidence of requests.
pub fn evidence(lattices: &[Lattice]) -> Vec<Arc<Evidence>> {
    lattices.iter().map(|lattice| Arc::new(Evidence::Lattice(lattice.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_graphs_are_told_apart_by_their_numbers() {
        let lines = ["0 hyp=0 stack=0", "0 hyp=1 stack=1 back=0 transition=-1 out=a b", "1 hyp=0 stack=0"];
        let graphs = search_graphs(&lines.map(str::to_owned)).expect("graphs");
        let best: Vec<_> = graphs.iter().map(|graph| graph.best().0.join(" ")).collect();
        assert_eq!(best, ["a b", ""]);
    }

    #[test]
    fn words_are_split_and_joined() {
        let words = Words::new(&["de".into(), "en".into()]).expect("languages");
        assert_eq!(words.target_pieces("It's old."), ["It", "&apos;s", "old", "."]);
        assert_eq!(words.text(["It", "&apos;s", "old", "."]), "It's old.");
        assert_eq!(Words::new(&[]).expect("none").text(["a", "."]), "a .");
    }
}
