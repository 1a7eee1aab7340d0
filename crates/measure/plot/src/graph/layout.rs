//! Where the states and the words of a graph stand.
//!
//! Columns take turns: states, words, states, … An arc has its word in the column after its state, and passes through
//! each further column up to the state that it leads to. So everything has a place of its own, and lines run between
//! neighbouring columns alone. The emphasised path stays in the middle lane; the rest goes above and below, as near to
//! the places before it as there is room.

use super::{Graph, width};
use std::ops::RangeInclusive;

/// The distance of two columns, without the width of the words.
const GAP: f64 = 16.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    State(usize),
    /// The word of an arc.
    Word(usize),
    /// An arc passes.
    Pass,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) column: usize,
    /// From the middle down.
    pub(super) lane: f64,
    best: bool,
}

pub(super) struct Layout {
    pub(super) nodes: Vec<Node>,
    /// Two nodes of neighbouring columns, and the arc between them.
    pub(super) edges: Vec<(usize, usize, usize)>,
    /// By column: the greatest width of its words.
    widths: Vec<f64>,
}

/// Columns of a graph, from left to right.
pub(super) struct Line {
    pub(super) columns: RangeInclusive<usize>,
    /// By column from the first one on: its middle.
    middles: Vec<f64>,
    pub(super) right: f64,
}

impl Line {
    pub(super) fn x(&self, column: usize) -> f64 {
        self.middles[column - self.columns.start()]
    }
}

impl Layout {
    pub(super) fn new(graph: &Graph) -> Self {
        let ranks = ranks(graph);
        let best = on_best_path(graph);
        let mut nodes: Vec<Node> = (ranks.iter().zip(best).enumerate())
            .map(|(state, (rank, best))| Node { place: Place::State(state), column: 2 * rank, lane: 0.0, best })
            .collect();
        let mut edges = Vec::new();
        for (number, arc) in graph.arcs.iter().enumerate() {
            let column = 2 * ranks[arc.from] + 1;
            let mut last = arc.from;
            let end = arc.to.map_or(column + 1, |to| 2 * ranks[to]);
            for column in column..end {
                let place = if column == 2 * ranks[arc.from] + 1 { Place::Word(number) } else { Place::Pass };
                nodes.push(Node { place, column, lane: 0.0, best: arc.best });
                edges.push((last, nodes.len() - 1, number));
                last = nodes.len() - 1;
            }
            if let Some(to) = arc.to {
                edges.push((last, to, number));
            }
        }
        let columns = nodes.iter().map(|node| node.column).max().unwrap_or(0) + 1;
        let mut widths = vec![0.0; columns];
        for node in &nodes {
            if let Place::Word(arc) = node.place {
                widths[node.column] = f64::max(widths[node.column], width(&graph.arcs[arc]));
            }
        }
        let mut layout = Self { nodes, edges, widths };
        layout.assign_lanes(graph);
        layout
    }

    /// Column by column, each node as near as possible to the nodes before it.
    fn assign_lanes(&mut self, graph: &Graph) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        self.edges.iter().for_each(|&(from, to, _)| before[to].push(from));
        let mut by_column: Vec<Vec<usize>> = vec![Vec::new(); self.widths.len()];
        self.nodes.iter().enumerate().for_each(|(node, of)| by_column[of.column].push(node));
        for column in &by_column {
            let mean = |node: usize| {
                let lanes = before[node].iter().map(|&node| self.nodes[node].lane);
                lanes.sum::<f64>() / before[node].len().max(1) as f64
            };
            // The heaviest branches are the nearest to the middle.
            let weight = |node: usize| match self.nodes[node].place {
                Place::Word(arc) => graph.arcs[arc].weight,
                _ => 1.0,
            };
            let middle = column.iter().copied().find(|&node| self.nodes[node].best);
            let mut others: Vec<(usize, f64)> =
                column.iter().filter(|node| Some(**node) != middle).map(|&node| (node, mean(node))).collect();
            others.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(weight(b.0).total_cmp(&weight(a.0))));
            let room = if middle.is_some() { 1.0 } else { 0.0 };
            let (mut above, mut below) = (-room, room);
            for (node, mean) in others {
                let up = mean < 0.0 || (mean == 0.0 && -above < below);
                let lane = if up { mean.round().min(above) } else { mean.round().max(below) };
                if up {
                    above = lane - 1.0;
                } else {
                    below = lane + 1.0;
                }
                if lane == 0.0 {
                    above = above.min(-1.0);
                    below = below.max(1.0);
                }
                self.nodes[node].lane = lane;
            }
        }
    }

    /// The highest and the lowest lane of some columns.
    pub(super) fn lanes(&self, columns: &RangeInclusive<usize>) -> (f64, f64) {
        let lanes = self.nodes.iter().filter(|node| columns.contains(&node.column)).map(|node| node.lane);
        lanes.fold((0.0, 0.0), |(above, below), lane| (above.min(lane), below.max(lane)))
    }

    /// Breaks the columns into lines. A line begins with the states that the line before ends with. It is broken where
    /// all paths meet, if there is such a column in the last third of the line.
    pub(super) fn lines(&self, left: f64, right: f64) -> Vec<Line> {
        let mut counts = vec![0; self.widths.len()];
        self.nodes.iter().for_each(|node| counts[node.column] += 1);
        let last = self.widths.len() - 1;
        let (mut lines, mut first) = (Vec::new(), 0);
        loop {
            let line = self.line(first, last, left, right);
            let mut end = *line.columns.end();
            let room = end - first;
            if end < last
                && let Some(cut) = (end - room / 3..=end).rev().find(|&column| column % 2 == 0 && counts[column] == 1)
                && cut > first
            {
                end = cut;
            }
            lines.push(if end < *line.columns.end() { self.line(first, end, left, right) } else { line });
            if end >= last || end == first {
                return lines;
            }
            first = end;
        }
    }

    /// The columns from `first` on, up to `last`, that fit; the last one is a column of states.
    fn line(&self, first: usize, last: usize, left: f64, right: f64) -> Line {
        let (mut middles, mut x) = (vec![left], left);
        let mut fit = (first, x, 1);
        for column in first + 1..=last {
            // Each word has half of its width on either side.
            x += GAP + (self.widths[column - 1] + self.widths[column]) / 2.0;
            middles.push(x);
            if x + self.widths[column] / 2.0 > right && fit.0 > first {
                break;
            }
            if column % 2 == 0 || column == last {
                fit = (column, x + self.widths[column] / 2.0, middles.len());
            }
        }
        middles.truncate(fit.2);
        Line { columns: first..=fit.0, middles, right: fit.1 }
    }
}

/// By state: the number of arcs of the longest path to it.
fn ranks(graph: &Graph) -> Vec<usize> {
    let mut ranks = vec![0; graph.states];
    let mut arcs: Vec<_> = graph.arcs.iter().filter_map(|arc| Some((arc.from, arc.to?))).collect();
    arcs.sort_unstable();
    for (from, to) in arcs {
        ranks[to] = ranks[to].max(ranks[from] + 1);
    }
    ranks
}

fn on_best_path(graph: &Graph) -> Vec<bool> {
    let mut best = vec![false; graph.states];
    best[0] = true;
    for arc in graph.arcs.iter().filter(|arc| arc.best) {
        best[arc.from] = true;
        arc.to.into_iter().for_each(|to| best[to] = true);
    }
    best
}
