//! Lines of Moses' text tables: `source ||| target ||| scores ||| …`.
//!
//! The formats are described in `docs/formats/moses-phrase-model.md`.

use metaphrase_base::shown;
use std::fmt;

/// The least log-probability: Moses puts it for a probability of 0.
pub const LOWEST_SCORE: f32 = -100.0;

/// Between the fields of a line.
const SEPARATOR: &str = " ||| ";

/// A line of a phrase table, `source ||| target ||| scores ||| alignment ||| counts`.
///
/// The scores of a trained table are p(f|e), lex(f|e), p(e|f), lex(e|f), where f is the source and e the target.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseLine<'a> {
    /// The source phrase, words between spaces.
    pub source: &'a str,
    /// The target phrase, words between spaces.
    pub target: &'a str,
    /// Probabilities, not their logarithms.
    pub scores: Vec<f32>,
    /// Pairs of source and target position within the phrases.
    pub alignment: Vec<(u8, u8)>,
    /// Occurrences of the target phrase, the source phrase and the pair; empty if unknown.
    pub counts: &'a str,
}

/// A line of a lexicalised reordering table, `source ||| target ||| scores`.
///
/// For `wbe-msd-bidirectional-fe` the scores are the probabilities of monotone, swap and discontinuous with respect to
/// the previous phrase, then the three with respect to the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct ReorderingLine<'a> {
    /// The source phrase, words between spaces.
    pub source: &'a str,
    /// The target phrase, words between spaces.
    pub target: &'a str,
    /// Probabilities, not their logarithms.
    pub scores: Vec<f32>,
}

impl<'a> PhraseLine<'a> {
    /// Reads a line; the error names the fault of the line.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let mut fields = Fields::new(line);
        let (source, target) = (fields.phrase("source")?, fields.phrase("target")?);
        let scores = fields.scores()?;
        let alignment = fields.next().map_or(Ok(Vec::new()), parse_alignment)?;
        let (words, others) = (count_words(source), count_words(target));
        if let Some((i, j)) = alignment.iter().find(|(i, j)| usize::from(*i) >= words || usize::from(*j) >= others) {
            return Err(format!("the alignment point {i}-{j} is outside phrases of {words} and {others} words"));
        }
        let counts = fields.next().unwrap_or_default();
        Ok(Self { source, target, scores, alignment, counts })
    }
}

impl<'a> ReorderingLine<'a> {
    /// Reads a line; the error names the fault of the line.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let mut fields = Fields::new(line);
        Ok(Self { source: fields.phrase("source")?, target: fields.phrase("target")?, scores: fields.scores()? })
    }
}

impl fmt::Display for PhraseLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}{SEPARATOR}", self.source, self.target)?;
        write_scores(f, &self.scores)?;
        f.write_str(" |||")?;
        for (i, j) in &self.alignment {
            write!(f, " {i}-{j}")?;
        }
        write!(f, "{SEPARATOR}{} ||| |||", self.counts)
    }
}

impl fmt::Display for ReorderingLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}{SEPARATOR}", self.source, self.target)?;
        write_scores(f, &self.scores)
    }
}

fn write_scores(f: &mut fmt::Formatter<'_>, scores: &[f32]) -> fmt::Result {
    for (i, score) in scores.iter().enumerate() {
        write!(f, "{}{score}", if i > 0 { " " } else { "" })?;
    }
    Ok(())
}

/// The natural logarithm of a probability of a table, at least [`LOWEST_SCORE`].
#[must_use]
pub fn log_score(probability: f32) -> f32 {
    // A product of small numbers that became 0, or was written as such, is improbable, not impossible.
    probability.ln().max(LOWEST_SCORE)
}

/// The fields of a line.
struct Fields<'a>(std::str::Split<'a, &'static str>);

impl<'a> Fields<'a> {
    fn new(line: &'a str) -> Self {
        Self(line.split("|||"))
    }

    fn next(&mut self) -> Option<&'a str> {
        self.0.next().map(str::trim)
    }

    fn phrase(&mut self, side: &str) -> Result<&'a str, String> {
        match self.next() {
            None => Err(format!("expected `source ||| target ||| scores`, found no {side} phrase")),
            Some("") => Err(format!("the {side} phrase is empty")),
            Some(phrase) => Ok(phrase),
        }
    }

    fn scores(&mut self) -> Result<Vec<f32>, String> {
        let field = self.next().ok_or("expected `source ||| target ||| scores`, found two fields")?;
        field.split_ascii_whitespace().map(parse_probability).collect()
    }
}

fn parse_probability(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(format!("expected a probability, found `{}`", shown(text))),
    }
}

fn parse_alignment(field: &str) -> Result<Vec<(u8, u8)>, String> {
    let point = |text: &str| {
        let (i, j) = text.split_once('-')?;
        Some((i.parse().ok()?, j.parse().ok()?))
    };
    let point =
        |text| point(text).ok_or_else(|| format!("expected an alignment point as `0-1`, found `{}`", shown(text)));
    field.split_ascii_whitespace().map(point).collect()
}

fn count_words(phrase: &str) -> usize {
    phrase.split_ascii_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_moses_is_read_and_written() {
        let text =
            "! Der ||| . He &apos;s ||| 0.00764484 3.5864e-05 0.0161391 4.02391e-06 ||| 0-0 1-2 ||| 19 9 1 ||| |||";
        let line = PhraseLine::parse(text).unwrap();
        assert_eq!((line.source, line.target), ("! Der", ". He &apos;s"));
        assert_eq!(line.scores, [0.007_644_84, 3.586_4e-5, 0.016_139_1, 4.023_91e-6]);
        assert_eq!(line.alignment, [(0, 0), (1, 2)]);
        assert_eq!(line.counts, "19 9 1");
        let written = line.to_string();
        assert_eq!(PhraseLine::parse(&written).unwrap(), line, "{written}");
    }

    #[test]
    fn a_reordering_line_is_read_and_written() {
        let text = "! Der ||| ! The ||| 0.333333 0.111111 0.555556 0.777778 0.111111 0.111111";
        let line = ReorderingLine::parse(text).unwrap();
        assert_eq!(line.scores.len(), 6);
        assert_eq!(line.to_string(), text);
    }

    #[test]
    fn faults_are_named() {
        for (text, expected) in [
            ("a", "expected `source ||| target ||| scores`, found no target phrase"),
            (" ||| a ||| 1", "the source phrase is empty"),
            ("a |||  ||| 1", "the target phrase is empty"),
            ("a ||| b", "expected `source ||| target ||| scores`, found two fields"),
            ("a ||| b ||| x", "expected a probability, found `x`"),
            ("a ||| b ||| NaN", "expected a probability, found `NaN`"),
            ("a ||| b ||| -1", "expected a probability, found `-1`"),
            ("a ||| b ||| 1 ||| 0", "expected an alignment point as `0-1`, found `0`"),
            ("a ||| b ||| 1 ||| 0-1", "the alignment point 0-1 is outside phrases of 1 and 1 words"),
        ] {
            assert_eq!(PhraseLine::parse(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn a_probability_of_zero_has_the_lowest_score() {
        assert_eq!(log_score(0.0), LOWEST_SCORE);
        assert_eq!(log_score(1.0), 0.0);
    }
}
