//! The hypotheses that a neural search kept, as a lattice and as a picture.

use metaphrase_base::{Choice, Named, WordId};
use metaphrase_lattice::{Builder, Diagram, DiagramArc, Lattice, StateId};
use metaphrase_search::Explored;
use metaphrase_text::vocab::Vocabulary;

/// The words of a [`SearchGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GraphUnits {
    /// Written words and punctuation marks. Text without spaces is one written word: use pieces for it.
    #[default]
    WrittenWords,
    /// The target pieces of the model.
    Pieces,
}

impl Choice for GraphUnits {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::WrittenWords, "words", "written words and punctuation marks"),
        Named::new(Self::Pieces, "pieces", "the target pieces of the model"),
    ];
}

/// The hypotheses that a neural search kept at some step, as a tree: a hypothesis continues its parent by a word.
/// [`TranslateOptions::search_graph`](crate::TranslateOptions::search_graph) requests it. The default is the graph of
/// the empty translation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchGraph {
    /// Each hypothesis comes after its parent.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    parent: Option<usize>,
    /// The word, or the end of sentence.
    text: Option<String>,
    /// The log-probability of the hypothesis.
    log_prob: f32,
    /// Whether the hypothesis is a translation.
    ended: bool,
    best: bool,
}

impl SearchGraph {
    pub(crate) fn new(explored: &[Explored], vocabulary: &Vocabulary, continues: &[bool], units: GraphUnits) -> Self {
        match units {
            GraphUnits::Pieces => Self::of_pieces(explored, vocabulary),
            GraphUnits::WrittenWords => Self::of_written_words(explored, vocabulary, continues),
        }
    }

    fn of_pieces(explored: &[Explored], vocabulary: &Vocabulary) -> Self {
        let node = |&Explored { parent, word, log_prob, ended, best }: &Explored| {
            let text = (word != vocabulary.eos()).then(|| vocabulary.word(word).to_owned());
            Node { parent, text, log_prob, ended, best }
        };
        Self { nodes: explored.iter().map(node).collect() }
    }

    fn of_written_words(explored: &[Explored], vocabulary: &Vocabulary, continues: &[bool]) -> Self {
        let end = vocabulary.eos();
        let goes_on = |word: WordId| word != end && continues.get(word.index()).is_some_and(|continues| *continues);
        // By hypothesis: the hypothesis before its last written word.
        let mut before: Vec<Option<usize>> = Vec::with_capacity(explored.len());
        // Hypotheses that end with a whole word, and those that nothing continues.
        let mut whole = vec![true; explored.len()];
        for node in explored {
            before.push(match node.parent {
                Some(parent) if goes_on(node.word) => before[parent],
                parent => parent,
            });
            if let Some(parent) = node.parent {
                whole[parent] = explored[parent].ended;
            }
        }
        for node in explored.iter().filter(|node| !goes_on(node.word)) {
            node.parent.into_iter().for_each(|parent| whole[parent] = true);
        }
        let mut places = vec![0; explored.len()];
        let mut nodes = Vec::new();
        for (number, &Explored { word, log_prob, ended, best, .. }) in explored.iter().enumerate() {
            if whole[number] {
                places[number] = nodes.len();
                let parent = before[number].map(|before| places[before]);
                let text = (word != end).then(|| written(explored, number, before[number], vocabulary));
                nodes.push(Node { parent, text, log_prob, ended, best });
            }
        }
        Self { nodes }
    }

    /// The lattice of all hypotheses. The score of an arc is the log-probability of its word; each path to the end is a
    /// translation that the search finished. States from which no path leads to the end are hypotheses that the search
    /// dropped.
    #[must_use]
    pub fn lattice(&self) -> Lattice {
        let mut builder = Builder::default();
        if self.nodes.is_empty() {
            return builder.build();
        }
        let mut states: Vec<Option<StateId>> = Vec::with_capacity(self.nodes.len());
        states.extend(self.nodes.iter().map(|node| node.text.as_ref().map(|_| builder.add_state())));
        let end = builder.add_state();
        for (node, state) in self.nodes.iter().zip(&states) {
            let from = node.parent.and_then(|parent| states[parent]).unwrap_or(builder.start());
            builder.add_arc(from, state.unwrap_or(end), node.text.as_deref(), self.score(node));
            if let (true, Some(state)) = (node.ended, *state) {
                builder.add_arc(state, end, None, 0.0);
            }
        }
        builder.build()
    }

    /// The log-probability of the last word of a hypothesis.
    fn score(&self, node: &Node) -> f32 {
        node.log_prob - node.parent.map_or(0.0, |parent| self.nodes[parent].log_prob)
    }

    /// The lattice as a picture: equal rests of translations are drawn once, and a dropped hypothesis ends with the
    /// word that made the search drop it. [`Diagram::shares`] are the probabilities of the words, given the words
    /// before them.
    #[must_use]
    pub fn diagram(&self) -> Diagram {
        let (mut leads, mut best) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        for (number, node) in self.nodes.iter().enumerate().rev() {
            leads[number] |= node.ended;
            best[number] |= node.best;
            if let Some(parent) = node.parent {
                leads[parent] |= leads[number];
                best[parent] |= best[number];
            }
        }
        let mut states = 1;
        let places: Vec<Option<usize>> = (self.nodes.iter().zip(&leads))
            .map(|(node, leads)| {
                let state = (*leads && node.text.is_some()).then_some(states);
                states += usize::from(state.is_some());
                state
            })
            .collect();
        let end = states;
        let mut arcs = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            // Nothing is drawn after a dropped hypothesis.
            let Some(from) = node.parent.map_or(Some(0), |parent| places[parent]) else { continue };
            let text = node.text.clone().unwrap_or_default();
            let (ln_mass, best) = (f64::from(node.log_prob), best[number]);
            let to = if node.text.is_none() { Some(end) } else { places[number] };
            arcs.push(DiagramArc { from, to, text, ln_mass, best });
            if let (true, Some(from), true) = (node.ended, places[number], node.text.is_some()) {
                arcs.push(DiagramArc { from, to: Some(end), text: String::new(), ln_mass, best: node.best });
            }
        }
        Diagram::new(end + 1, arcs).merged()
    }
}

/// The text of the words of the hypothesis `last` after those of the hypothesis `before`.
fn written(explored: &[Explored], last: usize, before: Option<usize>, vocabulary: &Vocabulary) -> String {
    let back = std::iter::successors(Some(last), |&number| explored[number].parent);
    let mut words: Vec<WordId> =
        back.take_while(|number| Some(*number) != before).map(|number| explored[number].word).collect();
    words.reverse();
    // A lattice has no spaces in words.
    vocabulary.decode(&words).split_whitespace().collect::<Vec<_>>().join("\u{a0}")
}
