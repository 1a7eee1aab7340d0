//! Moses' search graph.

use crate::{Builder, Lattice, LatticeError, StateId};
use metaphrase_base::shown;
use std::collections::HashMap;

/// A hypothesis of a search graph: a phrase that extends another hypothesis.
struct Hypothesis<'a> {
    /// The hypothesis that it is, or that it was recombined with.
    node: u64,
    /// Number of translated source words.
    covered: u32,
    /// The hypothesis before it; none for the first.
    back: Option<u64>,
    score: f32,
    words: &'a str,
}

impl<'a> Hypothesis<'a> {
    /// Reads `[N] hyp=H stack=C back=P score=S transition=T [recombined=R] … out=words`.
    fn parse(line: &'a str) -> Option<Self> {
        let (fields, words) = line.split_once(" out=").unwrap_or((line, ""));
        let value = |name: &str| fields.split_ascii_whitespace().find_map(|field| field.strip_prefix(name));
        let number = |name: &str| value(name).map(str::parse::<u64>).transpose().ok();
        let node = number("recombined=")?.or(number("hyp=")?)?;
        let covered = value("stack=")?.parse().ok()?;
        let score = |text: &str| text.parse::<f32>().ok().filter(|score| !score.is_nan());
        match number("back=")? {
            None if covered == 0 => Some(Self { node, covered, back: None, score: 0.0, words }),
            None => None,
            back => Some(Self { node, covered, back, score: score(value("transition=")?)?, words }),
        }
    }
}

impl Lattice {
    /// Reads the search graph of a sentence as Moses writes it (`-output-search-graph`): a line `N hyp=H stack=C back=P
    /// score=S transition=T [recombined=R] … out=words` for each phrase. The score of a phrase is on its first word.
    /// Translations are the paths that cover as many source words as any.
    ///
    /// # Errors
    /// If a line is not that, or names a hypothesis that is not there, or covers no more words than the one before it.
    pub fn from_moses_graph<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, LatticeError> {
        let wrong = |line: usize, text: &str| LatticeError::Hypothesis { line, found: shown(text) };
        let lines: Vec<(usize, &str)> = (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()).collect();
        let mut graph = Vec::with_capacity(lines.len());
        for &(line, text) in &lines {
            graph.push((line, text, Hypothesis::parse(text).ok_or_else(|| wrong(line, text))?));
        }
        // All phrases that lead to a hypothesis come together, after those that lead to hypotheses of fewer words.
        graph.sort_by_key(|(_, _, hypothesis)| (hypothesis.covered, hypothesis.node));
        let whole = graph.last().map_or(0, |(_, _, last)| last.covered);
        let mut builder = Builder::default();
        let mut states: HashMap<u64, (u32, StateId)> = HashMap::new();
        let is_same =
            |a: &Hypothesis<'_>, b: &Hypothesis<'_>| a.node == b.node || (a.covered == whole && b.covered == whole);
        for into in graph.chunk_by(|(_, _, a), (_, _, b)| is_same(a, b)) {
            let mut last_words = Vec::with_capacity(into.len());
            for (line, text, hypothesis) in into {
                let Some(back) = hypothesis.back else { continue };
                let before = states.get(&back).filter(|(covered, _)| *covered < hypothesis.covered);
                let &(_, mut from) = before.ok_or_else(|| wrong(*line, text))?;
                let (mut score, mut words) = (hypothesis.score, hypothesis.words.split_ascii_whitespace().peekable());
                let mut last = None;
                while let Some(word) = words.next() {
                    if words.peek().is_none() {
                        last = Some(word);
                        break;
                    }
                    let next = builder.add_state();
                    builder.add_arc(from, next, Some(word), score);
                    (from, score) = (next, 0.0);
                }
                last_words.push((from, last, score));
            }
            let is_start = into.iter().all(|(_, _, hypothesis)| hypothesis.back.is_none());
            let state = if is_start { builder.start() } else { builder.add_state() };
            for (from, word, score) in last_words {
                builder.add_arc(from, state, word, score);
            }
            states.extend(into.iter().map(|(_, _, hypothesis)| (hypothesis.node, (hypothesis.covered, state))));
        }
        Ok(builder.build())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_graphs_are_read() {
        let graph = "0 hyp=0 stack=0\n\
             0 hyp=2 stack=1 back=0 score=-1 transition=-1 forward=4 fscore=-2 covered=0-0 out=the\n\
             0 hyp=3 stack=1 back=0 score=-1.5 transition=-1.5 recombined=2 forward=4 fscore=-2.5 covered=0-0 out=a big\n\
             0 hyp=4 stack=2 back=2 score=-2 transition=-1 forward=-1 fscore=-2 covered=1-1 out=house\n\
             0 hyp=5 stack=2 back=0 score=-4 transition=-4 forward=-1 fscore=-4 covered=0-1 out=\n";
        let lattice = Lattice::from_moses_graph(graph.lines()).expect("a graph");
        assert_eq!(lattice.best(), (vec!["the", "house"], -2.0));
        assert_eq!(lattice.to_compact(), "4\t0 1 -1.5 a\t0 2 -1 the\t0 3 -4\t1 1 0 big\t1 1 -1 house");
        assert_eq!(Lattice::from_moses_graph([]).expect("nothing").best(), (vec![], 0.0));
    }

    #[test]
    fn faults_are_named() {
        let expected =
            "line 2 of a search graph: expected `N hyp=H stack=C back=P transition=T out=words` after hypothesis P";
        for wrong in [
            "0 hyp=1",
            "0 hyp=1 stack=1",
            "0 hyp=x stack=0",
            "0 hyp=1 stack=1 back=0 transition=NaN out=a",
            "0 hyp=1 stack=1 back=7 transition=0 out=a",
            "0 hyp=1 stack=1 back=1 transition=0 out=a",
        ] {
            let error = Lattice::from_moses_graph(["0 hyp=0 stack=0", wrong]).expect_err(wrong).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
