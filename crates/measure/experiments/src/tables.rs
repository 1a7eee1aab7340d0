//! The tables of the documentation that are made of measured numbers: they are written from the JSON files of the
//! results, and a test fails when a page and its numbers differ.

mod cpu;
mod iglesias;
mod readme;

use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The function that makes a page's tables of the results.
type Tables = fn(&Results<'_>) -> Result<String>;

/// The pages with such tables, from the repository's root.
const PAGES: [(&str, Tables); 7] = [
    ("README.md", readme::four_rows),
    ("docs/results/README.md", overview),
    ("docs/results/speed.md", speed),
    ("docs/results/kernels.md", cpu::kernels),
    ("docs/results/devlin.md", cpu::devlin),
    ("docs/results/iglesias.md", iglesias::iglesias),
    ("docs/algorithms/cpu.md", cpu::ablation),
];

const BEGIN: &str = "<!-- This table is written by `cargo run -p experiments -- tables`. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

/// Writes the tables anew into the pages of the repository at `root`.
///
/// # Errors
/// If a page, its marks, a results file or a number in one is missing.
pub fn write(root: &Path) -> Result<()> {
    for (page, table) in PAGES {
        let path = root.join(page);
        fs::write(&path, renewed(root, page, table)?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The page with its table as the results have it.
fn renewed(root: &Path, page: &str, table: Tables) -> Result<String> {
    let text = fs::read_to_string(root.join(page)).with_context(|| format!("cannot read {page}"))?;
    let (before, rest) =
        text.split_once(BEGIN).with_context(|| format!("{page} has no mark where its table begins"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{page} has no mark where its table ends"))?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", table(&Results(root))?))
}

/// The files of `docs/results`.
struct Results<'a>(&'a Path);

impl Results<'_> {
    fn read(&self, name: &str) -> Result<Value> {
        let path = self.0.join("docs/results").join(name);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
    }

    /// The file of an experiment that may not have run yet.
    fn optional(&self, name: &str) -> Result<Option<Value>> {
        let path = self.0.join("docs/results").join(name);
        if path.exists() { self.read(name).map(Some) } else { Ok(None) }
    }
}

/// The object of a list in which each field named has the value named.
fn find<'a>(list: &'a Value, fields: &[(&str, Value)]) -> Result<&'a Value> {
    let all = list.as_array().context("the results are not a list")?;
    let wanted = |object: &&Value| fields.iter().all(|(name, value)| object[name] == *value);
    all.iter().find(wanted).with_context(|| format!("no result has {fields:?}"))
}

fn number(object: &Value, pointer: &str) -> Result<f64> {
    object.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("{object} has no number {pointer}"))
}

/// How many times the processor time of Metaphrase in the same precision the peer's is, at the peer's best setting.
fn times(measured: &Value, peer: &str) -> Result<f64> {
    let engines = measured["engines"].as_object().context("a measurement without engines")?;
    // The name of an engine, its precision if several were compared, and its variant.
    let peer_engines =
        engines.iter().filter(|(name, _)| name.strip_prefix(peer).is_some_and(|s| s.is_empty() || s.starts_with(' ')));
    let ratios = peer_engines.map(|(_, engine)| number(engine, "/times_metaphrase")).collect::<Result<Vec<_>>>()?;
    ratios.into_iter().reduce(f64::min).with_context(|| format!("{peer} was not measured"))
}

/// The table of `docs/results/README.md`.
fn overview(results: &Results) -> Result<String> {
    let mut table = String::from("| task | compared with | Metaphrase is faster by |\n|---|---|---|\n");
    let mut row = |task: &str, peers: &str, by: &[f64]| {
        let by: Vec<String> = by.iter().map(|by| format!("{by:.1}x")).collect();
        writeln!(table, "| {task} | {peers} | {} |", by.join(", ")).expect("a string grows");
    };
    let speed = results.read("speed.json")?;
    let of = |name: &str, single: bool, peer| -> Result<f64> {
        times(find(&speed, &[("name", name.into()), ("single", single.into())])?, peer)
    };
    for (task, peers, by) in transformer(&speed)? {
        row(task, peers, &by);
    }
    let recurrent = |name: &str| -> Result<[f64; 2]> { Ok([of(name, false, "marian")?, of(name, true, "marian")?]) };
    for sizes in ["256/512", "512/1024"] {
        let by = recurrent(&format!("conditional GRU {sizes}, Tatoeba test 100"))?;
        row(&format!("the same, conditional GRU of {sizes}, in batches and one at a time"), "Marian", &by);
    }
    let training = results.read("training-speed.json")?;
    let words = |network: &str, program: &str| {
        let fields = [("network", network.into()), ("program", program.into()), ("threads", 2.into())];
        number(find(&training, &fields)?, "/words_per_second")
    };
    for (task, network) in [
        ("[training](training.md), Transformer, f32 and bf16, words per second, two threads", "Transformer 4+2 of 256"),
        ("the same, conditional GRU", "cGRU 256/512"),
    ] {
        let marian = words(network, "pymarian f32")?;
        row(
            task,
            "Marian in f32",
            &[words(network, "metaphrase f32")? / marian, words(network, "metaphrase bf16")? / marian],
        );
    }
    let align = results.read("align.json")?;
    let seconds = |program: &str| number(&align, &format!("/programs/{program}/cpu_seconds"));
    let by = seconds("fast_align")? / seconds("metaphrase")?;
    row("[word alignment](align.md), with fewer errors, two threads", "fast_align", &[by]);
    let [estimation, trie, probing] = language_models(results)?;
    row("[language models](ngram.md), estimation", "KenLM's lmplz", &[estimation]);
    row("the same, queries, in the order of a text", "KenLM's trie, probing", &[trie, probing]);
    Ok(table)
}

/// A task, the peers, and how many times as fast as each the Transformer is: beam 4, one thread.
fn transformer(speed: &Value) -> Result<[(&'static str, &'static str, Vec<f64>); 4]> {
    let batched = transformer_measurement(speed, false)?;
    let single = transformer_measurement(speed, true)?;
    let f32 = |measured| -> Result<_> { Ok(vec![times(measured, "marian f32")?, times(measured, "ctranslate2 f32")?]) };
    let int8 = |measured| -> Result<_> { Ok(vec![times(measured, "ctranslate2 int8")?]) };
    Ok([
        ("[translation](speed.md), Transformer, in batches", "Marian, CTranslate2", f32(batched)?),
        ("the same, one sentence at a time", "Marian, CTranslate2", f32(single)?),
        ("the same in int8, in batches", "CTranslate2 in int8", int8(batched)?),
        ("the same in int8, one sentence at a time", "CTranslate2 in int8", int8(single)?),
    ])
}

/// The measurement of the Transformer with beam 4 on one thread, in batches or one sentence at a time.
fn transformer_measurement(speed: &Value, single: bool) -> Result<&Value> {
    let name = if single { "en-de-tatoeba, Tatoeba test 300" } else { "en-de-tatoeba, Tatoeba test 2000" };
    let fields = [("name", name.into()), ("single", single.into()), ("beam", 4.into()), ("threads", 1.into())];
    find(speed, &[&fields[..], &[("shortlist", false.into()), ("precision", "f32,int8".into())]].concat())
}

/// How many times as fast as lmplz, KenLM's trie and its probing.
fn language_models(results: &Results<'_>) -> Result<[f64; 3]> {
    let ngram = results.read("ngram.json")?;
    let estimation = |program: &str| {
        let fields = [("program", program.into()), ("memory", "1G".into())];
        number(find(&ngram["estimation"], &fields)?, "/cpu_seconds")
    };
    let queries = |form: &str| number(find(&ngram["queries"], &[("form", form.into())])?, "/test, in order");
    let ours = queries("metaphrase")?;
    Ok([
        estimation("lmplz")? / estimation("metaphrase, 1 thread")?,
        ours / queries("KenLM trie")?,
        ours / queries("KenLM probing")?,
    ])
}

/// The tables of `docs/results/speed.md`.
fn speed(results: &Results) -> Result<String> {
    let mut page = String::new();
    let all = results.read("speed.json")?;
    for measured in all.as_array().context("speed.json is not a list")? {
        let name = measured["name"].as_str().context("a measurement without a name")?;
        let batches = if measured["single"] == true { "one sentence at a time" } else { "batched" };
        let sentences = number(measured, "/sentences")?;
        let more = heading(measured);
        let (columns, line) = more_columns(measured);
        write!(page, "## {name}, {batches}{more}\n\n| engine | CPU seconds (min, median, max) | sentences/s ")?;
        writeln!(page, "| Metaphrase is faster by | peak MB | start-up s |{columns}\n|---|---|---|---|---|---|{line}")?;
        for (name, engine) in measured["engines"].as_object().context("a measurement without engines")? {
            let seconds = [0, 1, 2].map(|i| number(engine, &format!("/seconds/{i}")));
            let [least, median, most] = seconds;
            let (least, median, most) = (least?, median?, most?);
            let (ratio, peak) = (number(engine, "/times_metaphrase")?, number(engine, "/peak_mb")?);
            let start = number(engine, "/start_seconds")?;
            writeln!(
                page,
                "| {name} | {least:.2}, {median:.2}, {most:.2} | {:.1} | {ratio:.2}x | {peak:.0} | {start:.3} |{}",
                sentences / median,
                more_cells(engine)
            )?;
        }
        page.push('\n');
    }
    page.pop();
    Ok(page)
}

/// The difference of a measurement from beam 4 in f32 on one thread without shortlists.
fn heading(measured: &Value) -> String {
    let mut text = String::new();
    for (field, usual, name) in [("beam", 4, "beam"), ("threads", 1, "threads")] {
        if let Some(value) = measured[field].as_u64().filter(|&value| value != usual) {
            text += &format!(", {name} {value}");
        }
    }
    let precision = measured["precision"].as_str().filter(|&precision| precision != "f32");
    precision.into_iter().for_each(|precision| text += &format!(", {}", precision.replace(',', " and ")));
    if measured["shortlist"] == true {
        text += ", with shortlists";
    }
    text
}

/// Measurements of later versions of `compare.py` have more numbers: name, field, digits.
const MORE: [(&str, &str, usize); 6] = [
    ("words per CPU second", "words_per_cpu_second", 0),
    ("faster by, wall time", "wall_times_metaphrase", 2),
    ("p50 ms", "p50_ms", 2),
    ("p95 ms", "p95_ms", 2),
    ("p99 ms", "p99_ms", 2),
    ("BLEU", "bleu", 2),
];

/// The numbers that the first engine has of these: their names, and the line below them.
fn more_columns(measured: &Value) -> (String, String) {
    let engines = measured["engines"].as_object().into_iter().flatten();
    let present = |field: &str| engines.clone().any(|(_, engine)| engine[field].is_number());
    let names: Vec<_> =
        MORE.iter().filter(|(_, field, _)| present(field)).map(|(name, ..)| format!(" {name} |")).collect();
    (names.concat(), "---|".repeat(names.len()))
}

fn more_cells(engine: &Value) -> String {
    let cell = |(_, field, digits): &(_, &str, usize)| Some(format!(" {:.digits$} |", engine[*field].as_f64()?));
    MORE.iter().filter_map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_pages_are_those_of_the_results() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for (page, table) in PAGES {
            let text = fs::read_to_string(root.join(page)).expect("the page");
            let renewed = renewed(&root, page, table).expect("the results");
            assert!(renewed == text, "{page} differs from docs/results: run `cargo run -p experiments -- tables`");
        }
    }

    #[test]
    fn the_peer_at_its_best_counts() {
        let measured = serde_json::json!({ "engines": {
            "metaphrase": { "times_metaphrase": 1.0 },
            "ctranslate2 AVX2": { "times_metaphrase": 2.4 },
            "ctranslate2 AVX512": { "times_metaphrase": 1.3 },
        }});
        assert_eq!(times(&measured, "ctranslate2").expect("measured"), 1.3);
        assert!(times(&measured, "marian").is_err());
    }
}
