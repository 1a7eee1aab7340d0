//! Line charts, bars of parts, and graphs of words, as SVG.
//!
//! A series has its own colour and its own dashes. The legend below the charts shows both, and the rightmost point of a
//! series carries its name. The file holds one element for each line, so that two versions of a
//! picture can be compared as text.
//!
//! ```
//! use metaphrase_plot::{Chart, Series, svg};
//!
//! let series = vec![Series { name: "beam 5".into(), points: vec![(1.0, 20.5), (2.0, 21.0)] }];
//! let chart = Chart { title: "BLEU by epoch".into(), x: "epoch", y: "BLEU", series, joined: true };
//! assert!(svg(&[chart]).starts_with("<svg"));
//! ```
#![forbid(unsafe_code)]

mod bars;
mod graph;

pub use bars::{Bars, bars_svg};
pub use graph::{Graph, GraphArc, graphs_svg};
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 36.0;
/// Between two charts: the numbers and the name of the x axis, and the title of the next chart.
const BETWEEN: f64 = 78.0;
/// The height of a line of text, and the mean width of a character.
const TEXT: (f64, f64) = (13.0, 7.2);
/// A series of more points has no markers.
const MARKED: usize = 40;
const COLOURS: [&str; 12] = [
    "#1f6feb", "#d1495b", "#2a9d5c", "#e08e0b", "#7b4bb7", "#111111", "#8c564b", "#17a2b8", "#e377c2", "#7f7f00",
    "#7f7f7f", "#00429d",
];
const DASHES: [&str; 4] = ["none", "8 4", "2 3", "10 3 2 3"];

/// A chart: its title, the names of its axes, and its series.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The line above the chart.
    pub title: String,
    /// The name of the horizontal axis, with its unit.
    pub x: &'static str,
    /// The name of the vertical axis, with its unit.
    pub y: &'static str,
    /// The series; series of the same place in several charts look alike.
    pub series: Vec<Series>,
    /// Whether lines join the points of a series.
    pub joined: bool,
}

/// A named row of points; points that are not finite are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend; an empty name is not shown.
    pub name: String,
    /// Pairs of `x` and `y`.
    pub points: Vec<(f64, f64)>,
}

/// A picture of charts, one below the other, with one legend for all and the same range of `x`.
#[must_use]
pub fn svg(charts: &[Chart]) -> String {
    let height = if charts.len() > 1 { 200.0 } else { 360.0 };
    let most = charts.iter().map(|chart| &chart.series[..]).max_by_key(|series| series.len()).unwrap_or(&[]);
    let longest = most.iter().map(|series| series.name.chars().count()).max().unwrap_or(0) as f64;
    let right = LEFT + WIDTH + 14.0 + longest * TEXT.1;
    let bottom = TOP + charts.len() as f64 * (height + BETWEEN) - 20.0;
    let x = range(charts.iter().flat_map(|chart| &chart.series).flat_map(finite).map(|(x, _)| x));
    let mut body = String::new();
    for (place, chart) in charts.iter().enumerate() {
        Frame::new(chart, x, TOP + place as f64 * (height + BETWEEN), height).draw(chart, &mut body);
    }
    let end = legend(most, bottom, right, &mut body);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right:.0} {end:.0}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// Draws the legend from `top` on and returns where it ends.
fn legend(series: &[Series], top: f64, right: f64, out: &mut String) -> f64 {
    let (mut x, mut y) = (LEFT, top);
    for (number, series) in series.iter().enumerate().filter(|(_, series)| !series.name.is_empty()) {
        let width = 56.0 + series.name.chars().count() as f64 * TEXT.1;
        if x > LEFT && x + width > right {
            (x, y) = (LEFT, y + 18.0);
        }
        let (style, name) = (style(number), escaped(&series.name));
        put(out, format_args!("<path d=\"M{x:.1} {:.1}h32\" {style}/>", y - 4.0));
        put(out, format_args!("<text x=\"{:.1}\" y=\"{y:.1}\">{name}</text>", x + 38.0));
        x += width;
    }
    y + 16.0
}

/// Where a chart lies, and the ranges of its axes.
struct Frame {
    top: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

/// The name of a series at its rightmost point.
struct Label<'a> {
    name: &'a str,
    colour: &'static str,
    x: f64,
    y: f64,
}

impl Frame {
    fn new(chart: &Chart, x: (f64, f64), top: f64, height: f64) -> Self {
        let mut y = range(chart.series.iter().flat_map(finite).map(|(_, y)| y));
        // A small gap to zero is shown: lengths then compare as numbers do.
        if y.0 > 0.0 && y.0 < 0.6 * y.1 {
            y.0 = 0.0;
        }
        Self { top, height, x, y }
    }

    /// A point in the picture.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let share = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (LEFT + share(x, self.x) * WIDTH, self.top + self.height * (1.0 - share(y, self.y)))
    }

    fn draw(&self, chart: &Chart, out: &mut String) {
        self.axes(chart, out);
        let mut labels = Vec::new();
        for (number, series) in chart.series.iter().enumerate() {
            let points: Vec<(f64, f64)> = finite(series).map(|point| self.at(point)).collect();
            let colour = COLOURS[number % COLOURS.len()];
            if chart.joined && !points.is_empty() {
                let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                put(out, format_args!("<polyline {} points=\"{}\"/>", style(number), path.join(" ")));
            }
            if !chart.joined || points.len() <= MARKED {
                for (x, y) in &points {
                    put(out, format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>"));
                }
            }
            let end = points.iter().max_by(|a, b| a.0.total_cmp(&b.0));
            if let (Some(&(x, y)), true, false) = (end, chart.joined, series.name.is_empty()) {
                labels.push(Label { name: &series.name, colour, x: x + 7.0, y: y + 4.0 });
            }
        }
        spread(&mut labels, self.top + self.height);
        for Label { name, colour, x, y } in labels {
            let name = escaped(name);
            put(out, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{name}</text>"));
        }
    }

    /// The title, the axes with their names, and a line for each round number.
    fn axes(&self, chart: &Chart, out: &mut String) {
        let (right, bottom) = (LEFT + WIDTH, self.top + self.height);
        let title = escaped(&chart.title);
        put(out, format_args!("<text x=\"{LEFT}\" y=\"{}\" font-size=\"14\">{title}</text>", self.top - 12.0));
        for value in ticks(self.y) {
            let (y, value) = (self.at((self.x.0, value)).1, number(value));
            put(out, format_args!("<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/>"));
            let (x, y) = (LEFT - 6.0, y + 4.0);
            put(out, format_args!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{value}</text>"));
        }
        for value in ticks(self.x) {
            let (x, value) = (self.at((value, self.y.0)).0, number(value));
            put(out, format_args!("<path d=\"M{x:.1} {bottom}v4\" stroke=\"#555\"/>"));
            let y = bottom + 18.0;
            put(out, format_args!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{value}</text>"));
        }
        put(out, format_args!("<path d=\"M{LEFT} {}V{bottom}H{right}\" fill=\"none\" stroke=\"#555\"/>", self.top));
        let (middle, name) = (LEFT + WIDTH / 2.0, escaped(chart.x));
        let y = bottom + 36.0;
        put(out, format_args!("<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{name}</text>"));
        let (middle, name) = (self.top + self.height / 2.0, escaped(chart.y));
        let place = format!("transform=\"translate(16 {middle}) rotate(-90)\" text-anchor=\"middle\"");
        put(out, format_args!("<text {place}>{name}</text>"));
    }
}

/// Moves labels up and down until none covers another; the lowest stays above `bottom`.
fn spread(labels: &mut [Label<'_>], bottom: f64) {
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let meet = |a: &Label<'_>, b: &Label<'_>| {
        let end = |label: &Label<'_>| label.x + label.name.chars().count() as f64 * TEXT.1;
        a.x < end(b) && b.x < end(a)
    };
    for i in 1..labels.len() {
        let above = labels[..i].iter().filter(|above| meet(above, &labels[i])).map(|above| above.y + TEXT.0);
        labels[i].y = above.fold(labels[i].y, f64::max);
    }
    for i in (0..labels.len()).rev() {
        let below = labels[i + 1..].iter().filter(|below| meet(below, &labels[i])).map(|below| below.y - TEXT.0);
        labels[i].y = below.fold(labels[i].y.min(bottom), f64::min);
    }
}

/// Colour and dashes of a series.
fn style(number: usize) -> String {
    let (colour, dash) = (COLOURS[number % COLOURS.len()], DASHES[(number + number / COLOURS.len()) % DASHES.len()]);
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"")
}

fn finite(series: &Series) -> impl Iterator<Item = (f64, f64)> {
    series.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite())
}

/// The least and the greatest value, moved apart until a round number fits between them.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Greater) | None => (0.0, 1.0),
        _ if high - low > low.abs().max(high.abs()) * 1e-12 => (low, high),
        _ => {
            let room = (low.abs() * 1e-6).max(1.0);
            (low - room, high + room)
        }
    }
}

/// About six round numbers of a range.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let unit = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit).into_iter().find(|s| *s >= rough).unwrap_or(unit);
    // In f64: a count of steps need not fit into an integer.
    let first = (low / step).ceil();
    (0..20).map(|i| (first + f64::from(i)) * step).take_while(|&tick| tick <= high * (1.0 + 1e-12)).collect()
}

/// A number with the digits that matter.
fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.01 {
        return format!("{value:.1e}");
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Writing to a string can not fail.
fn put(out: &mut String, element: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{element}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(names: &[&str]) -> Chart {
        let series = |name: &&str| Series { name: (*name).into(), points: vec![(1.0, 2.0), (2.0, 3.0)] };
        let series = names.iter().map(series).collect();
        Chart { title: "a < b".into(), x: "time", y: "BLEU", series, joined: true }
    }

    #[test]
    fn ticks_are_round_numbers_inside() {
        assert_eq!(ticks((0.0, 10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((2.3, 4.1)), [2.5, 3.0, 3.5, 4.0]);
        let texts = |range| ticks(range).into_iter().map(number).collect::<Vec<_>>();
        assert_eq!(texts((0.13, 0.31)), ["0.15", "0.2", "0.25", "0.3"]);
        assert_eq!(number(0.0005), "5.0e-4");
        // One value that is too large for steps of 1, and a range that is too narrow for its size.
        for (low, high) in [(1e30, 1e30), (-1e30, -1e30), (1e300, 1e300_f64.next_up())] {
            let (low, high) = range([low, high].into_iter());
            assert!(low < high && ticks((low, high)).len() > 2, "{low} to {high}");
        }
        assert!(ticks((-f64::MAX, f64::MAX)).len() <= 20);
        assert_eq!((number(2.5), number(1000.0), number(0.0)), ("2.5".into(), "1000".into(), "0".into()));
    }

    #[test]
    fn a_picture_names_its_axes_and_lines() {
        let picture = svg(&[chart(&["a", "b & c"])]);
        assert_eq!((picture.matches("<polyline").count(), picture.matches("<circle").count()), (2, 4));
        for text in ["a &lt; b", "time", "BLEU"] {
            assert_eq!(picture.matches(&format!(">{text}</text>")).count(), 1, "{text}");
        }
        // In the legend and at the end of the line.
        assert_eq!(picture.matches(">b &amp; c</text>").count(), 2);
    }

    #[test]
    fn series_differ_in_colour_and_dashes() {
        let styles: std::collections::BTreeSet<String> = (0..4 * COLOURS.len()).map(style).collect();
        assert_eq!(styles.len(), 4 * COLOURS.len());
        assert_ne!((COLOURS[0], DASHES[0]), (COLOURS[1], DASHES[1]));
    }

    #[test]
    fn labels_of_equal_lines_do_not_cover_each_other() {
        let label = |x, y| Label { name: "name", colour: COLOURS[0], x, y };
        let mut labels = [label(0.0, 99.0), label(0.0, 100.0), label(500.0, 100.0), label(0.0, 100.0)];
        spread(&mut labels, 100.0);
        let places: Vec<_> = labels.iter().map(|label| (label.x, label.y)).collect();
        assert_eq!(places, [(0.0, 74.0), (0.0, 87.0), (500.0, 100.0), (0.0, 100.0)]);
    }

    #[test]
    fn nothing_and_what_is_not_finite_make_a_picture() {
        let mut charts = [chart(&["a"]), chart(&[])];
        charts[0].series[0].points = vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)];
        let picture = svg(&charts);
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        assert!(svg(&[]).ends_with("</svg>\n"));
    }
}
