//! The pictures of the results, drawn from the JSON files of the experiments.

use anyhow::{Context, Result};
use metaphrase_plot::{Bars, Chart, Series, bars_svg, svg};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The picture of a result.
pub enum Picture {
    Chart(Chart),
    Bars(Bars),
}

impl Picture {
    pub fn svg(&self) -> String {
        match self {
            Self::Chart(chart) => svg(std::slice::from_ref(chart)),
            Self::Bars(bars) => bars_svg(bars),
        }
    }
}

/// A number of a result: the field that holds it and the name of its axis.
struct Axis(&'static str, &'static str);

const BLEU: Axis = Axis("bleu", "BLEU");
const BEAM: Axis = Axis("beam", "beam");
const WORDS: &str = "words per CPU second";

/// The results that have pictures: the experiment, and what `--name` added to the name of its file.
const RESULTS: [(&str, &str); 16] = [
    ("devlin-fig1", ""),
    ("post-fig4", ""),
    ("post-fig4", "-cgru"),
    ("post-fig4", "-newstest2014"),
    ("post-fig5", ""),
    ("post-fig7", ""),
    ("post-fig7", "-newstest2014"),
    ("zhang", ""),
    ("zhang-pruned", ""),
    ("zhang-pruned", "-transformer"),
    ("wuebker-fig1", ""),
    ("iglesias-fig2", ""),
    ("iglesias-fig3", ""),
    ("iglesias-table2", ""),
    ("iglesias-table2", "-f32"),
    ("iglesias-table2", "-shrunk"),
];

/// Draws the pictures of a folder anew from the JSON files that are there.
pub fn redraw(folder: &Path) -> Result<()> {
    drawn(folder)?.into_iter().try_for_each(|(path, picture)| {
        std::fs::write(&path, picture).with_context(|| format!("cannot write {}", path.display()))
    })
}

/// The pictures of the JSON files of a folder, each with its file.
fn drawn(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut all = Vec::new();
    for (experiment, name) in RESULTS {
        let path = folder.join(format!("{experiment}{name}.json"));
        if path.exists() {
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let pictures = draw(experiment, &serde_json::from_str(&text)?);
            all.extend(
                pictures
                    .into_iter()
                    .map(|(end, picture)| (folder.join(format!("{experiment}{name}{end}.svg")), picture.svg())),
            );
        }
    }
    Ok(all)
}

/// The pictures of an experiment, each with the end of its file's name.
pub fn draw(name: &str, results: &Value) -> Vec<(&'static str, Picture)> {
    if name == "iglesias-table2" {
        return vec![("-fig1", Picture::Bars(parts_of_time(results)))];
    }
    charts(name, results).into_iter().map(|(end, chart)| (end, Picture::Chart(chart))).collect()
}

/// Figure 1 of Iglesias et al. 2018: where the time of each system goes.
fn parts_of_time(results: &Value) -> Bars {
    let rows = || results["rows"].as_array().into_iter().flatten();
    let parts = |row: &Value| row["parts"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names = rows().next().map(|row| parts(row).iter().map(|part| text(&part["part"])).collect());
    let bar = |row: &Value| {
        let size = |part: &Value| part["milliseconds_per_word"].as_f64().unwrap_or(0.0);
        (text(&row["system"]), parts(row).iter().map(size).collect())
    };
    let title = "milliseconds per source word".into();
    Bars { title, parts: names.unwrap_or_default(), bars: rows().map(bar).collect() }
}

/// The charts of an experiment.
fn charts(name: &str, results: &Value) -> Vec<(&'static str, Chart)> {
    let rows = |pointer: &str| results.pointer(pointer).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let all = || rows("").iter().collect::<Vec<_>>();
    let time = || Axis("milliseconds_per_word", "milliseconds per word");
    match name {
        "post-fig4" => {
            let title = "time with constraints, to the time of the same sentences without (rand3)";
            let (x, y) = (Axis("constraints", "pieces of constraints"), Axis("ratio", "ratio of times"));
            vec![("", chart(title, "system", &rows("/1").iter().collect::<Vec<_>>(), x, y))]
        }
        "post-fig5" => {
            let rows: Vec<_> = all().into_iter().filter(|row| row["normalize"].is_null()).collect();
            vec![("", chart("BLEU by beam and set of constraints", "set", &rows, BEAM, BLEU))]
        }
        "post-fig7" => {
            let pair = |pair: &Value| Some((pair[0].as_f64()?, pair[1].as_f64()?));
            let points = rows("/points").iter().filter_map(pair).collect();
            let (set, r) =
                (results["set"].as_str().unwrap_or_default(), results["pearson"].as_f64().unwrap_or(f64::NAN));
            let chart = Chart {
                title: format!("{set}, beam 10: Pearson's r = {r:.2}"),
                x: "relative place in the reference",
                y: "relative place in the translation",
                series: vec![Series { name: String::new(), points }],
                joined: false,
            };
            vec![("", chart)]
        }
        "zhang" => {
            let by_beam = |title, y| chart(title, "system", &all(), BEAM, y);
            let by_time = |end: &str| {
                let ends = |row: &&Value| row["system"].as_str().is_some_and(|system| system.ends_with(end));
                chart("BLEU against time", "system", &all().into_iter().filter(ends).collect::<Vec<_>>(), time(), BLEU)
            };
            vec![
                ("-fig3", by_beam("average merging rate", Axis("merging_rate", "hypotheses per group"))),
                ("-rows", by_beam("rows that the model computes", Axis("rows", "rows"))),
                ("-bleu", by_beam("BLEU by beam", BLEU)),
                ("-fig5a", by_time("-SN")),
                ("-fig5b", by_time("+SN")),
                ("-time", by_beam("time per word by beam", time())),
            ]
        }
        "zhang-pruned" => {
            let title = "beam 30 with relative widths 0, 0.01, 0.03, 0.1, 0.2";
            let x = Axis("speed_up", "speed, as a multiple of the naive search");
            vec![("", chart(title, "system", &all(), x, BLEU))]
        }
        "devlin-fig1" => vec![("-512", products(rows("/rows"), 512)), ("-1024", products(rows("/rows"), 1024))],
        "iglesias-fig2" | "iglesias-fig3" => iglesias(name, &all()),
        "wuebker-fig1" => {
            let rows: Vec<_> = rows("/moses").iter().chain(rows("/ours")).collect();
            let x = Axis("words_per_second", "words per second, logarithm to base 10");
            let mut chart = chart("BLEU against speed", "setup", &rows, x, BLEU);
            chart.series.iter_mut().flat_map(|series| &mut series.points).for_each(|point| point.0 = point.0.log10());
            vec![("", chart)]
        }
        _ => vec![],
    }
}

/// Figure 1 of Devlin 2017: the speed of products by a layer of this size, by the number of rows; without the rounding
/// of rows and the ends.
fn products(rows: &[Value], size: usize) -> Chart {
    let whole = |row: &&Value| row["product"].as_str().is_some_and(|product| product.ends_with(", whole"));
    let shown: Vec<_> = rows.iter().filter(|row| row["k"] == size && !whole(row)).collect();
    let (x, y) = (Axis("m", "rows"), Axis("gops", "10⁹ operations per second"));
    chart(&format!("rows by a layer of {size} × {size}, one thread"), "product", &shown, x, y)
}

/// The pictures of speed and memory by beam and by batch.
fn iglesias(name: &str, rows: &[&Value]) -> Vec<(&'static str, Chart)> {
    let words = || Axis("words_per_second", WORDS);
    if name == "iglesias-fig2" {
        return vec![("", chart("speed by beam, one sentence at a time", "system", rows, BEAM, words()))];
    }
    let x = || Axis("sentences", "sentences that share a step");
    let memory = Axis("memory_mb", "MB of the process, its model included");
    vec![
        ("", chart("speed by batch, beam 4", "order", rows, x(), words())),
        ("-memory", chart("memory by batch, beam 4", "order", rows, x(), memory)),
    ]
}

/// A chart of results: those whose field `series` is equal are one series. Results without a number are left out.
fn chart(title: &str, series: &str, rows: &[&Value], x: Axis, y: Axis) -> Chart {
    let mut found: Vec<Series> = Vec::new();
    for row in rows {
        let (Some(name), Some(x), Some(y)) = (row[series].as_str(), row[x.0].as_f64(), row[y.0].as_f64()) else {
            continue;
        };
        match found.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push((x, y)),
            None => found.push(Series { name: name.into(), points: vec![(x, y)] }),
        }
    }
    Chart { title: title.into(), x: x.1, y: y.1, series: found, joined: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo run --release -p experiments -- pictures` draws them anew.
    #[test]
    fn the_committed_pictures_are_those_of_the_committed_results() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/results"));
        let drawn = drawn(folder).unwrap();
        let file = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        for (path, picture) in &drawn {
            assert!(std::fs::read_to_string(path).unwrap() == *picture, "{} is of other results", file(path));
        }
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut there: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "svg")).collect();
        let mut expected: Vec<_> = drawn.into_iter().map(|(path, _)| path).collect();
        there.sort();
        expected.sort();
        assert_eq!(there, expected, "each picture is drawn from results");
    }

    #[test]
    fn places_are_within_their_lines() {
        let text = include_str!("../../../../docs/results/post-fig7.json");
        let [(_, chart)] = &charts("post-fig7", &serde_json::from_str(text).unwrap())[..] else { panic!("a picture") };
        let points = &chart.series[0].points;
        assert!(points.len() > 900 && points.iter().all(|&(x, y)| x.max(y) <= 1.0 && x.min(y) >= 0.0));
    }

    #[test]
    fn equal_names_are_a_series() {
        let row =
            |system: &str, beam: usize, bleu: f64| serde_json::json!({"system": system, "beam": beam, "bleu": bleu});
        let rows = Value::Array(vec![row("a-SN", 1, 2.0), row("b+SN", 1, 3.0), row("a-SN", 2, 4.0)]);
        let pictures = charts("zhang", &rows);
        let bleu = &pictures.iter().find(|(end, _)| *end == "-bleu").unwrap().1;
        let series = |name: &str, points: &[(f64, f64)]| Series { name: name.into(), points: points.to_vec() };
        assert_eq!(bleu.series, [series("a-SN", &[(1.0, 2.0), (2.0, 4.0)]), series("b+SN", &[(1.0, 3.0)])]);
    }
}
