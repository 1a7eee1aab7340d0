//! The sentences of a file of lattices or n-best lists.

use crate::lines::{Line, Lines};
use anyhow::Result;
use clap::ValueEnum;
use metaphrase::{Evidence, Lattice};

/// A format of lattices and n-best lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A lattice on each line, as docs/formats/lattice.md describes it
    Compact,
    /// Lattices in the text format of OpenFst, each followed by an empty line
    Openfst,
    /// The search graphs of Moses (`-output-search-graph`)
    Moses,
    /// N-best lists of Moses or Marian: `N ||| translation ||| features ||| score`
    NBest,
    /// JSON lines of `translate --n-best N --output-format json`
    Json,
}

/// The lattice or list of a sentence, as it was read.
pub struct Item {
    /// The number of the sentence, from 1.
    pub number: usize,
    format: Format,
    lines: Result<Vec<String>, String>,
}

impl Item {
    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.lines.as_ref().map_or(0, |lines| lines.iter().map(|line| line.len() + 24).sum())
    }

    /// The evidence in it, or the reason why there is none.
    pub fn evidence(self) -> Result<Evidence, String> {
        let lines = self.lines?;
        let lattice = |lattice: Result<Lattice, metaphrase::LatticeError>| match lattice {
            Ok(lattice) => Ok(Evidence::Lattice(lattice)),
            Err(error) => Err(error.to_string()),
        };
        match self.format {
            Format::Compact => lattice(Lattice::from_compact(lines.first().map_or("", String::as_str))),
            Format::Openfst => lattice(Lattice::from_openfst(&lines.join("\n"))),
            Format::Moses => lattice(Lattice::from_moses_graph(lines.iter().map(String::as_str))),
            Format::NBest => lines.iter().map(|line| n_best(line)).collect::<Result<_, _>>().map(Evidence::NBest),
            Format::Json => json(lines.first().map_or("", String::as_str)),
        }
    }
}

/// Text and score of a line of an n-best list.
fn n_best(line: &str) -> Result<(String, f64), String> {
    let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
    // Moses may write alignments after the score, Marian before the features.
    let score = fields.iter().skip(2).rev().find_map(|field| field.parse().ok());
    let wrong =
        || format!("expected `N ||| translation ||| features ||| score`, found `{}`", metaphrase_base::shown(line));
    match (fields.get(1), score) {
        (Some(text), Some(score)) => Ok(((*text).to_owned(), score)),
        _ => Err(wrong()),
    }
}

fn json(line: &str) -> Result<Evidence, String> {
    #[derive(serde::Deserialize)]
    struct Answer {
        translations: Vec<String>,
        log_probs: Vec<f64>,
    }
    let Answer { translations, log_probs } = serde_json::from_str(line)
        .map_err(|error| format!("expected an object with the lists `translations` and `log_probs`: {error}"))?;
    if translations.len() != log_probs.len() {
        let texts = translations.len();
        let scores = log_probs.len();
        return Err(format!("{texts} `translations` have {scores} `log_probs`; expected one for each"));
    }
    Ok(Evidence::NBest(translations.into_iter().zip(log_probs).collect()))
}

/// Reads one sentence after another. A sentence that a numbered list leaves out is returned without lines.
pub struct Sentences {
    lines: Lines,
    format: Format,
    read: usize,
    /// The number and the first line of a later sentence.
    waiting: Option<(usize, String)>,
}

impl Sentences {
    /// The sentences in some lines.
    pub fn new(lines: Lines, format: Format) -> Self {
        Self { lines, format, read: 0, waiting: None }
    }

    /// The next sentence; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Item>> {
        let lines = match self.format {
            Format::Compact | Format::Json => self.lines.next_line()?.map(|line| {
                // A line that was cut off is no longer a lattice.
                let whole = if line.cut { Err(line.notes.concat()) } else { Ok(line.text) };
                whole.map(|text| vec![text])
            }),
            Format::Openfst => self.until_empty_line()?.map(Ok),
            Format::Moses | Format::NBest => self.numbered()?,
        };
        self.read += usize::from(lines.is_some());
        Ok(lines.map(|lines| Item { number: self.read, format: self.format, lines }))
    }

    fn until_empty_line(&mut self) -> Result<Option<Vec<String>>> {
        let Some(mut line) = self.lines.next_line()? else { return Ok(None) };
        let mut lines = Vec::new();
        while !line.text.trim().is_empty() {
            lines.push(line.text);
            line = self.lines.next_line()?.unwrap_or_default();
        }
        Ok(Some(lines))
    }

    /// The lines that begin with the number of the sentence, from 0.
    fn numbered(&mut self) -> Result<Option<Result<Vec<String>, String>>> {
        let mut lines = Vec::new();
        let mut problem = None;
        loop {
            let waiting = match self.waiting.take() {
                Some(waiting) => Some(waiting),
                None => self.next_numbered(&mut problem)?,
            };
            match waiting {
                Some((number, line)) if number == self.read => lines.push(line),
                Some((number, _)) if number < self.read => {
                    problem = Some(format!(
                        "{} is out of order: sentence {} comes in sentence {}",
                        self.lines.name(),
                        number + 1,
                        self.read + 1
                    ));
                }
                later => {
                    let ended = later.is_none();
                    self.waiting = later;
                    return Ok(match (problem, lines.is_empty()) {
                        (Some(problem), _) => Some(Err(problem)),
                        (None, true) if ended => None,
                        (None, true) => Some(Err("the input has no lines of this sentence".into())),
                        (None, false) => Some(Ok(lines)),
                    });
                }
            }
        }
    }

    fn next_numbered(&mut self, problem: &mut Option<String>) -> Result<Option<(usize, String)>> {
        while let Some(Line { text, .. }) = self.lines.next_line()? {
            match text.split([' ', '|']).next().and_then(|number| number.parse().ok()) {
                Some(number) => return Ok(Some((number, text))),
                None if text.trim().is_empty() => {}
                None => {
                    let shown = metaphrase_base::shown(&text);
                    *problem =
                        Some(format!("line {}: expected the number of a sentence, found `{shown}`", self.lines.read()));
                }
            }
        }
        Ok(None)
    }
}
