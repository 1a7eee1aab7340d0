//! Line charts as SVG.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const COLOURS: [&str; 8] = ["#1f6feb", "#d1495b", "#2a9d5c", "#e08e0b", "#7b4bb7", "#0f8b8d", "#8c564b", "#5c677d"];

/// A chart of some lines.
pub struct Plot {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    pub lines: Vec<Line>,
    /// Points alone, not joined.
    pub scatter: bool,
}

/// A named line.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

impl Plot {
    /// The picture.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
            if low < high { (low, high) } else { (low - 1.0, low + 1.0) }
        };
        let (x_low, x_high) = range(&mut points().map(|p| p.0));
        let (mut y_low, y_high) = range(&mut points().map(|p| p.1));
        // Times and rates start at zero where that wastes little.
        if y_low > 0.0 && y_low < 0.6 * y_high {
            y_low = 0.0;
        }
        let x = |value: f64| LEFT + (value - x_low) / (x_high - x_low) * WIDTH;
        let y = |value: f64| TOP + HEIGHT - (value - y_low) / (y_high - y_low) * HEIGHT;
        let (width, height) = (LEFT + WIDTH + 170.0, TOP + HEIGHT + 50.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n",
            self.title
        );
        for value in ticks(y_low, y_high) {
            let (at, right) = (y(value), LEFT + WIDTH);
            put(&mut svg, format_args!("<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>"));
            put(
                &mut svg,
                format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", LEFT - 6.0, at + 4.0),
            );
        }
        for value in ticks(x_low, x_high) {
            let bottom = TOP + HEIGHT + 18.0;
            put(
                &mut svg,
                format_args!("<text x=\"{:.1}\" y=\"{bottom}\" text-anchor=\"middle\">{value}</text>", x(value)),
            );
        }
        let (middle, bottom) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 38.0);
        put(&mut svg, format_args!("<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{}</text>", self.x));
        put(&mut svg, format_args!("<text x=\"{LEFT}\" y=\"36\" fill=\"#555\">{}</text>", self.y));
        for (number, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let dash = if number >= COLOURS.len() { " stroke-dasharray=\"5 3\"" } else { "" };
            if !self.scatter {
                let path: Vec<String> = line.points.iter().map(|p| format!("{:.1} {:.1}", x(p.0), y(p.1))).collect();
                let path = path.join("L");
                put(
                    &mut svg,
                    format_args!("<path d=\"M{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>"),
                );
            }
            for point in &line.points {
                let (x, y) = (x(point.0), y(point.1));
                put(&mut svg, format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>"));
            }
            let (at, row) = (LEFT + WIDTH + 12.0, TOP + 16.0 * (number as f64 + 1.0));
            put(&mut svg, format_args!("<text x=\"{at}\" y=\"{row}\" fill=\"{colour}\">{}</text>", line.name));
        }
        svg + "</svg>\n"
    }
}

/// Writing to a string can not fail.
fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    let _ = writeln!(svg, "{element}");
}

/// Some round numbers from `low` to `high`.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let unit = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * unit).find(|step| *step >= rough).unwrap_or(unit);
    let digits = (-step.log10().floor()).max(0.0) as i32;
    let count = ((high - (low / step).ceil() * step) / step).floor() as usize;
    (0..=count).map(|i| crate::setup::round((low / step).ceil() * step + i as f64 * step, digits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside() {
        assert_eq!(ticks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(0.13, 0.31), [0.15, 0.2, 0.25, 0.3]);
    }

    #[test]
    fn a_picture_has_its_lines() {
        let line = |name: &str| Line { name: name.into(), points: vec![(1.0, 2.0), (2.0, 3.0)] };
        let plot = Plot { title: "t".into(), x: "x", y: "y", lines: vec![line("a"), line("b")], scatter: false };
        assert_eq!(plot.svg().matches("stroke-width=\"2\"").count(), 2);
        assert_eq!(plot.svg().matches("<circle").count(), 4);
    }
}
