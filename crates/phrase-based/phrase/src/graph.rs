//! The search graph: the hypotheses that survived, and how they came about.

/// A hypothesis in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The hypothesis that has translated nothing.
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A way to come to a hypothesis: another one, extended by a phrase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc {
    /// The score of the best translation up to and with this phrase.
    pub(crate) score: f32,
    pub(crate) parent: NodeId,
    /// The option that was taken; see [`Sentence`](crate::sentence::Sentence).
    pub(crate) candidate: u32,
    /// The source span.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Hypotheses and the arcs between them; a hypothesis comes after all that it extends.
#[derive(Debug, Default)]
pub(crate) struct SearchGraph {
    arcs: Vec<Arc>,
    /// Where the arcs of a node begin; one more than there are nodes.
    starts: Vec<u32>,
}

impl SearchGraph {
    /// The graph of the empty hypothesis alone.
    pub(crate) fn reset(&mut self) {
        self.arcs.clear();
        self.starts.clear();
        self.starts.extend([0, 0]);
    }

    /// Adds a hypothesis; its best arc has to be the first.
    pub(crate) fn add(&mut self, arcs: impl IntoIterator<Item = Arc>) -> NodeId {
        let node = NodeId(self.len() as u32);
        self.arcs.extend(arcs);
        // Hypotheses and arcs in memory are far fewer than 2^32: each takes 20 bytes and more.
        self.starts.push(self.arcs.len() as u32);
        node
    }

    /// Number of hypotheses.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The arcs that lead to a hypothesis, the best first; no arc leads to the root.
    pub(crate) fn arcs(&self, node: NodeId) -> &[Arc] {
        &self.arcs[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// The best score of a hypothesis.
    pub(crate) fn score(&self, node: NodeId) -> f32 {
        self.arcs(node).first().map_or(0.0, |arc| arc.score)
    }
}
