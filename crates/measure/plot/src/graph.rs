//! Graphs of words, such as the lattice of a sentence: read from left to right, in lines as text is.

mod layout;

use crate::{TEXT, escaped, put};
use layout::{Layout, Node, Place};

/// A graph of words. State 0 is the start, and the last state is the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The lines above the graph.
    pub title: Vec<String>,
    /// Number of states.
    pub states: usize,
    /// The arcs; each leads to a later state.
    pub arcs: Vec<GraphArc>,
}

/// An arc of a [`Graph`].
#[derive(Debug, Clone, PartialEq)]
pub struct GraphArc {
    /// The state that it leaves.
    pub from: usize,
    /// The state that it leads to; `None`: it ends after its word.
    pub to: Option<usize>,
    /// Its word; may be empty.
    pub text: String,
    /// A number after the word.
    pub note: String,
    /// From 0 to 1: the strength of the line.
    pub weight: f64,
    /// Whether the arc is on the path that is emphasised.
    pub best: bool,
}

/// The height of a lane, and the room above and below the lanes of a line.
const LANE: f64 = 30.0;
const MARGIN: f64 = 26.0;
/// The left edge of all lines, and where a line ends at the latest.
const LEFT: f64 = 20.0;
const RIGHT: f64 = 1180.0;
const BEST: &str = "#0b4f9e";
const OTHER: &str = "#5d7894";
const DROPPED: &str = "#b0772f";

/// The picture of graphs, one below the other.
#[must_use]
pub fn graphs_svg(graphs: &[Graph]) -> String {
    let (mut body, mut y, mut right) = (String::new(), 8.0, RIGHT);
    for graph in graphs {
        for (number, title) in graph.title.iter().enumerate() {
            y += 20.0;
            let size = if number == 0 { 14 } else { 12 };
            put(
                &mut body,
                format_args!("<text x=\"{LEFT}\" y=\"{y:.1}\" font-size=\"{size}\">{}</text>", escaped(title)),
            );
            right = right.max(2.0 * LEFT + title.chars().count() as f64 * TEXT.1);
        }
        let layout = Layout::new(graph);
        for line in layout.lines(LEFT, RIGHT) {
            let (above, below) = layout.lanes(&line.columns);
            let middle = y + MARGIN - above * LANE;
            draw_line(&layout, graph, &line, middle, &mut body);
            right = right.max(line.right + LEFT);
            y = middle + below * LANE + MARGIN;
        }
        y += 8.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right:.0} {y:.0}\" width=\"{right:.0}\" height=\"{y:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// The arcs first, then what stands on them.
fn draw_line(layout: &Layout, graph: &Graph, line: &layout::Line, middle: f64, out: &mut String) {
    let at = |node: &Node| (line.x(node.column), middle + node.lane * LANE);
    let visible = |node: usize| line.columns.contains(&layout.nodes[node].column);
    for &(from, to, arc) in layout.edges.iter().filter(|(from, to, _)| visible(*from) && visible(*to)) {
        let (from, to, arc) = (&layout.nodes[from], &layout.nodes[to], &graph.arcs[arc]);
        let ((x1, y1), (x2, y2)) = (at(from), at(to));
        let half = |node: &Node| if let Place::Word(arc) = node.place { width(&graph.arcs[arc]) / 2.0 } else { 0.0 };
        let (x1, x2) = (x1 + half(from), x2 - half(to));
        let bend = (x2 - x1) / 2.0;
        put(
            out,
            format_args!(
                "<path d=\"M{x1:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y2:.1} {x2:.1} {y2:.1}\" fill=\"none\" {}/>",
                x1 + bend,
                x2 - bend,
                stroke(arc)
            ),
        );
    }
    for node in layout.nodes.iter().filter(|node| line.columns.contains(&node.column)) {
        let (x, y) = at(node);
        match node.place {
            Place::State(state) => {
                let fill = if state == 0 || state + 1 == graph.states { BEST } else { "white" };
                put(
                    out,
                    format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{fill}\" stroke=\"{BEST}\"/>"),
                );
            }
            Place::Word(arc) => word(&graph.arcs[arc], x, y, out),
            Place::Pass => {}
        }
    }
}

/// Half of the width is on either side of the middle.
fn width(arc: &GraphArc) -> f64 {
    if arc.text.is_empty() && arc.note.is_empty() {
        return 0.0;
    }
    let dropped = if arc.to.is_none() { 12.0 } else { 0.0 };
    8.0 + dropped + arc.text.chars().count() as f64 * TEXT.1 + arc.note.chars().count() as f64 * 5.8
}

fn colour(arc: &GraphArc) -> &'static str {
    match (arc.best, arc.to) {
        (true, _) => BEST,
        (false, Some(_)) => OTHER,
        (false, None) => DROPPED,
    }
}

fn stroke(arc: &GraphArc) -> String {
    let weight = if arc.weight.is_finite() { arc.weight.clamp(0.0, 1.0) } else { 0.0 };
    let dashes = if arc.to.is_none() { " stroke-dasharray=\"3 3\"" } else { "" };
    format!("stroke=\"{}\" stroke-width=\"{:.1}\"{dashes}", colour(arc), 0.8 + 4.0 * weight)
}

/// A word followed by its number.
fn word(arc: &GraphArc, x: f64, y: f64, out: &mut String) {
    if arc.text.is_empty() && arc.note.is_empty() {
        return;
    }
    let (bold, colour) = (if arc.best { " font-weight=\"bold\"" } else { "" }, colour(arc));
    let (text, note, end) = (escaped(&arc.text), escaped(&arc.note), if arc.to.is_none() { " ×" } else { "" });
    put(
        out,
        format_args!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{colour}\"{bold}>{text}<tspan font-size=\"9.5\" \
             font-weight=\"normal\" dy=\"3\"> {note}</tspan>{end}</text>",
            y + 4.0
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(from: usize, to: Option<usize>, text: &str, best: bool) -> GraphArc {
        GraphArc { from, to, text: text.into(), note: "0.5".into(), weight: 0.5, best }
    }

    /// `(a|b) c`, repeated.
    fn sausage(length: usize) -> Graph {
        let arcs = (0..length).flat_map(|place| {
            [arc(place, Some(place + 1), &format!("word{place}"), true), arc(place, Some(place + 1), "other", false)]
        });
        Graph { title: vec!["a < b".into()], states: length + 1, arcs: arcs.collect() }
    }

    #[test]
    fn each_word_is_there_once_with_its_number() {
        let picture = graphs_svg(&[sausage(4)]);
        for place in 0..4 {
            assert_eq!(picture.matches(&format!(">word{place}<tspan")).count(), 1, "{picture}");
        }
        assert_eq!((picture.matches(">other<").count(), picture.matches("<circle").count()), (4, 5));
        assert!(picture.contains("a &lt; b"));
    }

    #[test]
    fn long_graphs_are_in_lines_and_no_words_cover_each_other() {
        let graph = sausage(60);
        let layout = Layout::new(&graph);
        let lines = layout.lines(LEFT, RIGHT);
        assert!(lines.len() > 3 && lines.iter().all(|line| line.right <= RIGHT), "{}", lines.len());
        for (number, node) in layout.nodes.iter().enumerate() {
            let same = |other: &&Node| other.column == node.column && (other.lane - node.lane).abs() < 0.99;
            assert_eq!(layout.nodes[number + 1..].iter().filter(same).count(), 0, "{node:?}");
        }
        // A line begins with the state that the line before ends with.
        assert_eq!(graphs_svg(&[graph]).matches("<circle").count(), 61 + lines.len() - 1);
    }

    #[test]
    fn long_arcs_pass_beside_the_words_and_dropped_ones_end() {
        let mut graph = sausage(5);
        graph.arcs.push(arc(0, Some(5), "far", false));
        graph.arcs.push(arc(2, None, "dropped", false));
        let layout = Layout::new(&graph);
        let passes = layout.nodes.iter().filter(|node| node.place == Place::Pass).count();
        assert_eq!(passes, 8, "columns 2 to 9");
        let picture = graphs_svg(&[graph]);
        assert!(picture.contains(" ×</text>") && picture.contains("stroke-dasharray"), "{picture}");
    }

    #[test]
    fn nothing_makes_a_picture() {
        let nothing = Graph { title: vec![], states: 1, arcs: vec![] };
        assert!(graphs_svg(&[nothing]).contains("<circle"));
        assert!(graphs_svg(&[]).ends_with("</svg>\n"));
        let mut odd = sausage(1);
        odd.arcs[0].weight = f64::NAN;
        assert!(!graphs_svg(&[odd]).contains("NaN"));
    }
}
