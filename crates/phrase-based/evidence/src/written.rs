//! From the words of a lattice to the sub-words that a neural model would make of the same text.
//!
//! A word of a lattice is a token: `,` stands alone, and `house ,` is written `house,`. A neural model segments written
//! words, which have spaces between them. So the arcs of tokens that are written together become one arc of the
//! sub-words of a written word: the graph is unfolded until the written word that is not finished at each node is
//! known. Each path keeps its probability.

use crate::paths::PathsBuilder;
use crate::{EvidenceError, Paths};
use foldhash::HashMap;
use metaphrase_base::WordId;
use metaphrase_lattice::Lattice;
use metaphrase_text::moses::{MosesDetokenizer, SpacingState, unescape};
use metaphrase_text::vocab::Vocabulary;
use std::borrow::Cow;

/// How the words of a system are written as text.
#[derive(Debug, Clone, Default)]
pub struct WritingStyle {
    /// Joins tokens; without it a space stands between all words.
    pub detokenizer: Option<MosesDetokenizer>,
    /// Whether a translation begins with a capital letter, for systems that were trained on truecased or lower-cased
    /// text.
    pub capitalize: bool,
}

/// The unfolded graph has at most this many arcs.
const MOST_EDGES: usize = 1_000_000;
/// A written word of more bytes is taken for text without spaces, which has no written words.
const LONGEST_WORD: usize = 256;

/// The token of Moses for a hyphen inside a word.
const HYPHEN: &str = "@-@";

impl WritingStyle {
    /// The text of some tokens.
    #[must_use]
    pub fn text<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> String {
        let tokens: Vec<&str> = tokens.into_iter().collect();
        let text = match &self.detokenizer {
            Some(detokenizer) => detokenizer.detokenize(&tokens),
            None => tokens.join(" "),
        };
        if self.capitalize { capitalized(&text) } else { text }
    }

    /// The paths of a lattice as sub-words of `vocabulary`, with their probabilities; see [`Paths::from_lattice`].
    ///
    /// # Errors
    /// If no path has a finite score, or the text has no spaces, or the graph is too large: take n-best lists then.
    pub fn paths(&self, lattice: &Lattice, scale: f64, vocabulary: &Vocabulary) -> Result<Paths, EvidenceError> {
        let probabilities = lattice.probabilities(scale).ok_or(EvidenceError::NoTranslation)?;
        let unescaped = |word| if self.detokenizer.is_some() { unescape(word) } else { Cow::Borrowed(word) };
        let tokens: Vec<Cow<'_, str>> = lattice.words().map(unescaped).collect();
        let spelling = Spelling { vocabulary, known: HashMap::default() };
        let unfolding = LatticeUnfolder {
            writing: self,
            tokens: &tokens,
            spelling,
            waiting: vec![Vec::new(); lattice.states()],
            places: HashMap::default(),
            edges: Vec::new(),
        };
        unfolding.run(lattice, &probabilities)
    }
}

/// `text` with a capital letter at its beginning.
fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The values that decide about the rest of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Node<'a> {
    /// The written word that is not finished.
    word: String,
    joined: SpacingState<'a>,
    /// Whether the next token follows a hyphen without a space.
    hyphen: bool,
    /// Whether there were words before.
    begun: bool,
}

/// Sub-words of written words.
struct Spelling<'v> {
    vocabulary: &'v Vocabulary,
    known: HashMap<String, Vec<WordId>>,
}

impl Spelling<'_> {
    fn spell(&mut self, word: &str, out: &mut Vec<WordId>) {
        if let Some(known) = self.known.get(word) {
            return out.extend_from_slice(known);
        }
        let mut words = Vec::new();
        self.vocabulary.encode(word, &mut words);
        words.pop();
        out.extend_from_slice(&words);
        self.known.insert(word.to_owned(), words);
    }
}

/// An arc between nodes: the number of the one, state and place of the other.
struct Arc {
    from: u32,
    to: (usize, u32),
    words: Vec<WordId>,
    probability: f64,
}

struct LatticeUnfolder<'a, 'v> {
    writing: &'a WritingStyle,
    /// By word of the lattice.
    tokens: &'a [Cow<'a, str>],
    spelling: Spelling<'v>,
    /// By state, for states that are still to come.
    waiting: Vec<Vec<Node<'a>>>,
    places: HashMap<(usize, Node<'a>), u32>,
    edges: Vec<Arc>,
}

impl<'a> LatticeUnfolder<'a, '_> {
    fn run(mut self, lattice: &Lattice, probabilities: &[f64]) -> Result<Paths, EvidenceError> {
        self.waiting[0].push(Node::default());
        let mut arcs = lattice.arcs().iter().zip(probabilities).peekable();
        let (mut first_nodes, mut nodes, mut ends) = (Vec::with_capacity(lattice.states()), 0, Vec::new());
        for state in 0..lattice.states() {
            first_nodes.push(nodes);
            let here: Vec<_> = std::iter::from_fn(|| arcs.next_if(|(arc, _)| arc.from.index() == state)).collect();
            for node in std::mem::take(&mut self.waiting[state]) {
                if self.edges.len() + here.len() > MOST_EDGES {
                    return Err(EvidenceError::TooLarge { edges: lattice.arcs().len() });
                }
                for &(arc, &probability) in here.iter().filter(|(_, probability)| **probability > 0.0) {
                    let token = arc.word.map(|word| &*self.tokens[word.index()]);
                    let (next, words) = self.read(node.clone(), token)?;
                    let to = (arc.to.index(), self.enter(arc.to.index(), next));
                    self.edges.push(Arc { from: nodes, to, words, probability });
                }
                if state == lattice.end().index() {
                    let mut words = Vec::new();
                    self.end_word(&node, &mut words);
                    ends.push((nodes, words));
                }
                nodes += 1;
            }
        }
        let mut paths = PathsBuilder::new(nodes + 1);
        for Arc { from, to: (state, place), words, probability } in self.edges {
            paths.add(from, first_nodes[state] + place, words, probability);
        }
        let end = self.spelling.vocabulary.eos();
        ends.into_iter().for_each(|(node, words)| paths.add(node, nodes, words.into_iter().chain([end]), 1.0));
        Ok(paths.build())
    }

    /// The node after a token, and the sub-words of the written word that the token ends.
    fn read(&mut self, mut node: Node<'a>, token: Option<&'a str>) -> Result<(Node<'a>, Vec<WordId>), EvidenceError> {
        let mut words = Vec::new();
        let Some(token) = token else { return Ok((node, words)) };
        let spaced = match &self.writing.detokenizer {
            None => true,
            Some(_) if token == HYPHEN => false,
            Some(detokenizer) => detokenizer.join(&mut node.joined, token) && !node.hyphen,
        };
        node.hyphen = self.writing.detokenizer.is_some() && token == HYPHEN;
        if spaced {
            self.end_word(&node, &mut words);
            node.word.clear();
        }
        match token {
            _ if node.hyphen => node.word.push('-'),
            _ if self.writing.capitalize && !node.begun => node.word.push_str(&capitalized(token)),
            _ => node.word.push_str(token),
        }
        node.begun = true;
        if node.word.len() > LONGEST_WORD {
            return Err(EvidenceError::NoSpaces);
        }
        Ok((node, words))
    }

    fn end_word(&mut self, node: &Node<'a>, words: &mut Vec<WordId>) {
        if !node.word.is_empty() {
            self.spelling.spell(&node.word, words);
        }
    }

    /// The place of a node in its state.
    fn enter(&mut self, state: usize, node: Node<'a>) -> u32 {
        let nodes = &mut self.waiting[state];
        *self.places.entry((state, node)).or_insert_with_key(|(_, node)| {
            nodes.push(node.clone());
            nodes.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Units;
    use metaphrase_text::language::Language;
    use metaphrase_text::vocab::VocabularyFormat;

    fn vocabulary() -> Vocabulary {
        let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/de-en/source.spm"));
        Vocabulary::from_bytes(VocabularyFormat::SentencePiece, &file.expect("a file")).expect("a vocabulary")
    }

    fn english() -> WritingStyle {
        let language: Language = "en".parse().expect("a language");
        WritingStyle { detokenizer: Some(language.detokenizer()), capitalize: false }
    }

    /// The posteriors of the sub-words of all paths, each written and segmented as running text.
    fn by_text(lattice: &Lattice, writing: &WritingStyle, vocabulary: &Vocabulary) -> crate::Posteriors {
        let texts = lattice.n_best(1000).into_iter().map(|(words, score)| {
            let mut ids = Vec::new();
            vocabulary.encode(&writing.text(words.iter().map(|&word| lattice.word(word))), &mut ids);
            ids.pop();
            (ids, score)
        });
        let texts: Vec<_> = texts.collect();
        Paths::from_n_best(&texts, 0.5, vocabulary.eos()).expect("paths").posteriors(4, &Units::words()).expect("small")
    }

    #[test]
    fn posteriors_are_those_of_the_written_translations() {
        let vocabulary = vocabulary();
        for tokens in [
            "9\t0 1 -0.5 the\t0 1 -1 a\t1 1 -0.25 house\t1 1 -2 well\t1 2 -3 home\t1 1 -1 's\t0 1 -1 ,\t0 2 -1\t1 1 0 &quot;\t1 1 -1 big\t0 1 -2 &quot;\t1 1 0 .",
            "5\t0 1 0 well\t1 1 -1 @-@\t0 1 -2 ,\t1 1 0 known\t1 1 0 &amp;\t0 1 -1 $",
            "3\t0 1 0 @-@\t1 1 0 a\t0 1 -1",
        ] {
            let lattice = Lattice::from_compact(tokens).expect("a lattice");
            for capitalize in [false, true] {
                for detokenizer in [None, english().detokenizer] {
                    let writing = WritingStyle { capitalize, detokenizer };
                    let found = writing.paths(&lattice, 0.5, &vocabulary).expect("paths");
                    let found = found.posteriors(4, &Units::words()).expect("small");
                    let expected = by_text(&lattice, &writing, &vocabulary);
                    assert_eq!(found.len(), expected.len(), "{tokens} {writing:?}");
                    for (a, b) in found.iter().zip(expected.iter()) {
                        assert!(a.words == b.words && (a.posterior - b.posterior).abs() < 1e-5, "{a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn text_without_spaces_is_told() {
        let arcs: String = (0..200).map(|_| "\t1 1 0 \u{5bb6}").collect();
        let lattice = Lattice::from_compact(&format!("202\t0 1 0 \u{5bb6}{arcs}")).expect("a lattice");
        let refused = english().paths(&lattice, 1.0, &vocabulary()).expect_err("one word");
        assert_eq!(refused, EvidenceError::NoSpaces);
    }
}
