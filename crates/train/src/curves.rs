//! Pictures of training: loss, quality and learning rate over the updates, as SVG.

use crate::log::Entry;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 28.0;
const GAP: f64 = 56.0;
const COLOURS: [&str; 8] = ["#1f6feb", "#d1495b", "#2a9d5c", "#e08e0b", "#7b4bb7", "#0f8b8d", "#8c564b", "#5c677d"];

/// A line of a panel: its name, colour, whether it is dashed, and its points.
struct Line<'a> {
    name: &'a str,
    colour: &'a str,
    dashed: bool,
    points: Vec<(f64, f64)>,
}

/// A picture of some runs, each with its name and log: training loss (thin) and cross-entropy of the development set,
/// BLEU, learning rate.
#[must_use]
pub fn curves(runs: &[(&str, Vec<Entry>)]) -> String {
    let progress = |value: fn(&crate::observer::Progress) -> f64| {
        move |entry: &Entry| match entry {
            Entry::Progress(p) => Some((p.update as f64, value(p))),
            Entry::Validation(_) => None,
        }
    };
    let validation = |value: fn(&crate::observer::Validated) -> f64| {
        move |entry: &Entry| match entry {
            Entry::Validation(v) => Some((v.update as f64, value(v))),
            Entry::Progress(_) => None,
        }
    };
    let lines = |dashed: bool, point: &dyn Fn(&Entry) -> Option<(f64, f64)>| -> Vec<Line<'_>> {
        runs.iter()
            .enumerate()
            .map(|(i, (name, entries))| Line {
                name,
                colour: COLOURS[i % COLOURS.len()],
                dashed,
                points: entries.iter().filter_map(point).collect(),
            })
            .collect()
    };
    let mut losses = lines(true, &progress(|p| p.loss));
    losses.extend(lines(false, &validation(|v| v.cross_entropy)));
    let panels = [
        ("loss per word: development set, dashed: training (with smoothing and dropout)", losses),
        ("BLEU of the development set", lines(false, &validation(|v| v.bleu))),
        ("learning rate", lines(false, &progress(|p| f64::from(p.rate)))),
    ];
    let longest = runs.iter().flat_map(|(_, entries)| entries.last()).map(Entry::update).max().unwrap_or(1) as f64;
    let height = TOP + 3.0 * (HEIGHT + GAP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        LEFT + WIDTH + 16.0
    );
    for (i, (title, lines)) in panels.iter().enumerate() {
        panel(&mut svg, title, lines, longest, TOP + i as f64 * (HEIGHT + GAP), i == 0 && runs.len() > 1);
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, title: &str, lines: &[Line<'_>], longest: f64, top: f64, legend: bool) {
    let values = || lines.iter().flat_map(|line| &line.points).map(|(_, y)| *y).filter(|y| y.is_finite());
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    let (low, high) = if low < high { (low, high) } else { (0.0, high.max(1.0)) };
    let x = |update: f64| LEFT + WIDTH * update / longest;
    let y = |value: f64| top + HEIGHT * (1.0 - (value - low) / (high - low));
    // Writing to a string does not fail.
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{title}</text>", top - 8.0);
    for value in ticks(low, high) {
        let at = y(value);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}h{WIDTH}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            number(value)
        );
    }
    for update in ticks(0.0, longest) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(update),
            top + HEIGHT + 16.0,
            number(update)
        );
    }
    for (i, line) in lines.iter().enumerate() {
        let points: Vec<String> = (line.points.iter().filter(|(_, value)| value.is_finite()))
            .map(|&(update, value)| format!("{:.1},{:.1}", x(update), y(value)))
            .collect();
        let style = if line.dashed { "stroke-width=\"1\" stroke-dasharray=\"3 3\"" } else { "stroke-width=\"2\"" };
        let (colour, points) = (line.colour, points.join(" "));
        let _ = writeln!(svg, "<polyline fill=\"none\" stroke=\"{colour}\" {style} points=\"{points}\"/>");
        if legend && !line.dashed {
            let name = line.name.replace('&', "&amp;").replace('<', "&lt;");
            let place = top + 14.0 + 15.0 * (i % (lines.len() / 2).max(1)) as f64;
            let right = LEFT + WIDTH - 8.0;
            let _ =
                writeln!(svg, "<text x=\"{right}\" y=\"{place}\" fill=\"{colour}\" text-anchor=\"end\">{name}</text>");
        }
    }
}

/// Round numbers between two, about five.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low).max(1e-12) / 5.0;
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= raw).unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|&tick| tick <= high * (1.0 + 1e-12)).take(20).collect()
}

/// A number without digits that do not matter.
fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.01 {
        return format!("{value:.1e}");
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::{Progress, Validated};

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(0.0, 1000.0), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        assert_eq!(ticks(2.3, 4.1), [2.5, 3.0, 3.5, 4.0]);
        assert_eq!(number(0.0005), "5.0e-4");
        assert_eq!((number(2.5), number(1000.0), number(0.0)), ("2.5".into(), "1000".into(), "0".into()));
    }

    #[test]
    fn a_picture_has_a_line_for_each_run_and_measure() {
        let progress = |update| {
            Entry::Progress(Progress {
                update,
                of: 20,
                epoch: 0,
                loss: 9.0 - update as f64 / 10.0,
                gradient_norm: 1.0,
                rate: 1e-3,
                words: 100,
                seconds: 1.0,
                log_z: (0.0, 0.0),
            })
        };
        let validation = Entry::Validation(Validated {
            update: 20,
            cross_entropy: 5.0,
            bleu: 12.5,
            log_z: (0.0, 0.0),
            best: true,
            seconds: 2.0,
        });
        let svg = curves(&[("a & b", vec![progress(10), progress(20), validation]), ("c", Vec::new())]);
        assert_eq!(svg.matches("<polyline").count(), 8);
        assert!(svg.contains(">a &amp; b</text>") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
