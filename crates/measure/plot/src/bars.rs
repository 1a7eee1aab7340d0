//! Bars of parts, one below the other.

use crate::{COLOURS, LEFT, TEXT, TOP, WIDTH, escaped, number, put};

/// The height of a bar, and of a bar with the gap below it.
const HEIGHT: (f64, f64) = (20.0, 30.0);

/// Bars that show which parts a whole consists of, and how the wholes compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The line above the bars.
    pub title: String,
    /// The names of the parts, from left to right.
    pub parts: Vec<String>,
    /// The name of each bar, and the size of each of its parts; sizes that are not finite or negative count as 0.
    pub bars: Vec<(String, Vec<f64>)>,
}

/// The picture of bars, with a legend of the parts.
#[must_use]
pub fn bars_svg(bars: &Bars) -> String {
    let longest = bars.bars.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64;
    let left = (longest * TEXT.1 + 16.0).max(LEFT);
    let size = |size: &f64| if size.is_nan() { 0.0 } else { size.clamp(0.0, f64::MAX) };
    let sizes = |sizes: &[f64]| sizes.iter().map(size).collect::<Vec<_>>();
    let whole = |parts: &[f64]| sizes(parts).iter().sum::<f64>();
    let greatest = bars.bars.iter().map(|(_, parts)| whole(parts)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut body = String::new();
    put(&mut body, format_args!("<text x=\"{left}\" y=\"24\" font-size=\"14\">{}</text>", escaped(&bars.title)));
    for (place, (name, parts)) in bars.bars.iter().enumerate() {
        let (top, mut x) = (TOP + place as f64 * HEIGHT.1, left);
        let middle = top + HEIGHT.0 / 2.0 + 4.0;
        let name = escaped(name);
        put(&mut body, format_args!("<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{name}</text>", left - 8.0));
        for (part, size) in sizes(parts).into_iter().enumerate() {
            let (width, colour) = (size / greatest * WIDTH, COLOURS[part % COLOURS.len()]);
            let (height, title) = (HEIGHT.0, bars.parts.get(part).map_or("", String::as_str));
            let title = format!("<title>{} {}</title>", escaped(title), number(size));
            put(
                &mut body,
                format_args!(
                    "<rect x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{colour}\">{title}</rect>"
                ),
            );
            x += width;
        }
        put(&mut body, format_args!("<text x=\"{:.1}\" y=\"{middle}\">{}</text>", x + 6.0, number(whole(parts))));
    }
    let bottom = TOP + bars.bars.len() as f64 * HEIGHT.1 + 14.0;
    let end = legend(&bars.parts, left, bottom, &mut body);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {end:.0}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n",
        left + WIDTH + 70.0
    )
}

/// A square of its colour and its name for each part. Returns where the legend ends.
fn legend(parts: &[String], left: f64, top: f64, out: &mut String) -> f64 {
    let (mut x, mut y) = (left, top);
    for (part, name) in parts.iter().enumerate() {
        let width = 34.0 + name.chars().count() as f64 * TEXT.1;
        if x > left && x + width > left + WIDTH {
            (x, y) = (left, y + 18.0);
        }
        let colour = COLOURS[part % COLOURS.len()];
        put(
            out,
            format_args!("<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>", y - 10.0),
        );
        put(out, format_args!("<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>", x + 18.0, escaped(name)));
        x += width;
    }
    y + 16.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_parts() {
        let parts = vec!["a & b".to_owned(), "c".to_owned()];
        let bars = vec![("f32".to_owned(), vec![3.0, 1.0]), ("int8".to_owned(), vec![1.0, f64::NAN])];
        let picture = bars_svg(&Bars { title: "time < all".into(), parts, bars });
        for text in ["time &lt; all", "a &amp; b", "f32", "4"] {
            assert!(picture.contains(&format!(">{text}</text>")), "{text}: {picture}");
        }
        // The longest bar fills the width, a quarter of which is its second part.
        for width in ["480.0", "160.0", "0.0"] {
            assert!(picture.contains(&format!("width=\"{width}\"")), "{width}: {picture}");
        }
        assert!(!picture.contains("NaN"));
        assert!(bars_svg(&Bars { title: String::new(), parts: vec![], bars: vec![] }).ends_with("</svg>\n"));
    }
}
