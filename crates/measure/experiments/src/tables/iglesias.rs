//! The tables of Iglesias et al. 2018.

use super::cpu::{NOT_YET, list, text};
use super::{Results, number};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

/// The runs of table 1: what `--name` added to the name of the file, and the heading.
const TABLE_1: [(&str, &str); 10] = [
    ("", "German to English"),
    ("-de-en-cgru", "German to English, conditional GRUs"),
    ("-en-de", "English to German"),
    ("-en-de-cgru", "English to German, conditional GRUs"),
    ("-fr-en", "French to English"),
    ("-zh-en", "Chinese to English"),
    ("-ja-en", "Japanese to English"),
    ("-en-ja", "English to Japanese"),
    ("-de-en-news", "German to English, tuned on news"),
    ("-en-de-news", "English to German, tuned on news"),
];

/// The runs of table 2, as those of table 1.
const TABLE_2: [(&str, &str); 3] = [
    ("", "A Transformer in int8"),
    ("-f32", "The same Transformer in f32"),
    ("-shrunk", "Three conditional GRUs, and one shrunk from them"),
];

/// All tables of the page.
pub(super) fn iglesias(results: &Results<'_>) -> Result<String> {
    let mut page = String::from("## Quality (table 1)\n");
    for (name, heading) in TABLE_1 {
        page += &format!("\n### {heading}\n\n");
        page += &table(results, &format!("iglesias-table1{name}.json"), table_1)?;
    }
    page += "\n## Set-ups (table 2 and figure 1)\n\n";
    for (name, heading) in TABLE_2 {
        page += &format!("### {heading}\n\n{}\n", table(results, &format!("iglesias-table2{name}.json"), table_2)?);
    }
    page += "## A step, by the size of the evidence\n\n";
    page += &table(results, "iglesias-steps.json", steps)?;
    page += "\n## A text, by its length\n\n";
    page += &table(results, "evidence-memory.json", streamed)?;
    page += "\n";
    page += &figures(results)?;
    Ok(page)
}

/// The table of a file of results, if it is there.
fn table(results: &Results<'_>, file: &str, write: impl FnOnce(&Value) -> Result<String>) -> Result<String> {
    results.optional(file)?.map_or_else(|| Ok(NOT_YET.to_owned()), |report| write(&report))
}

/// BLEU of each system on each text, what tuning found, and sentences.
fn table_1(report: &Value) -> Result<String> {
    let tests = list(report, "/tests")?;
    let mut page = String::from("| system |");
    for test in tests {
        write!(page, " {}, {} lines |", text(test, "name")?, number(test, "/lines")?)?;
    }
    page += &format!("\n|---|{}\n", "---|".repeat(tests.len()));
    let systems: Vec<&str> = list(&tests[0], "/rows")?.iter().map(|row| text(row, "system")).collect::<Result<_>>()?;
    let mut plain = systems[0];
    for system in systems {
        // The name after a plus or a comma is an addition to the system above.
        if !system.contains(" + ") && !system.contains(", ") {
            plain = system;
        }
        write!(page, "| {system} |")?;
        for test in tests {
            let row = list(test, "/rows")?.iter().find(|row| row["system"] == *system).context("a row is missing")?;
            write!(page, " {:.1}{} |", number(row, "/bleu")?, difference(test, plain, system)?)?;
        }
        page.push('\n');
    }
    page += "| oracle of the lattices |";
    for test in tests {
        write!(page, " {:.1} |", number(test, "/oracle_bleu")?)?;
    }
    page += "\n\n| tuned on the development text | BLEU alone | BLEU with evidence | scale | weight | precision | ratio |\n";
    page += "|---|---|---|---|---|---|---|\n";
    for system in list(report, "/systems")? {
        let of = |pointer: &str| number(system, pointer);
        writeln!(
            page,
            "| {} | {:.1} | {:.1} | {} | {} | {} | {} |",
            text(system, "name")?,
            of("/dev_bleu_alone")?,
            of("/dev_bleu")?,
            of("/best/scale")?,
            of("/best/weight")?,
            of("/best/precision")?,
            of("/best/ratio")?
        )?;
    }
    Ok(page)
}

/// The gain over the plain system and its p.
fn difference(test: &Value, plain: &str, system: &str) -> Result<String> {
    let pairs = list(test, "/pairs")?;
    let Some(pair) = pairs.iter().find(|pair| pair["a"] == *plain && pair["b"] == *system) else {
        return Ok(String::new());
    };
    Ok(format!(" ({:+.1}, p {:.3})", number(pair, "/difference")?, number(pair, "/p")?))
}

/// Speed and memory of the set-ups.
fn table_2(report: &Value) -> Result<String> {
    let mut page = format!(
        "{} lines, {} source words, one thread, batches of {} source pieces.\n\n",
        number(report, "/lines")?,
        number(report, "/words")?,
        number(report, "/batch_tokens")?
    );
    let rows = list(report, "/rows")?;
    page += "| system | BLEU | words per CPU minute | speed with evidence, to without | MB | building and adding L |";
    let parts: Vec<&str> = list(&rows[0], "/parts")?.iter().map(|part| text(part, "part")).collect::<Result<_>>()?;
    parts.iter().try_for_each(|part| write!(page, " {part}, µs a word |"))?;
    page += &format!("\n|---|---|---|---|---|---|{}\n", "---|".repeat(parts.len()));
    for row in rows {
        let optional = |pointer: &str, digits: usize| match number(row, pointer) {
            Ok(value) => format!("{value:.digits$}"),
            Err(_) => "-".to_owned(),
        };
        write!(
            page,
            "| {} | {:.1} | {:.0} | {} | {} | {:.1} % |",
            text(row, "system")?,
            number(row, "/bleu")?,
            number(row, "/words_per_minute")?,
            optional("/speed_with_evidence", 2),
            optional("/memory_mb", 0),
            number(row, "/share_of_matrix")? * 100.0
        )?;
        for part in list(row, "/parts")? {
            write!(page, " {:.0} |", number(part, "/milliseconds_per_word")? * 1000.0)?;
        }
        page.push('\n');
    }
    Ok(page)
}

/// The time of a step by the number of translations that the evidence has.
fn steps(report: &Value) -> Result<String> {
    let mut page = String::from(
        "| translations of a lattice that count, at most | found | n-grams | beam, µs a hypothesis | adding L, µs a hypothesis | building L, µs a sentence |\n",
    );
    page += "|---|---|---|---|---|---|\n";
    for row in list(report, "")? {
        let of = |pointer: &str| number(row, pointer);
        let paths = match of("/paths")? {
            0.0 => "no evidence".to_owned(),
            paths => format!("{paths:.0}"),
        };
        writeln!(
            page,
            "| {paths} | {:.0} | {:.0} | {:.1} | {:.2} | {:.0} |",
            of("/paths_found")?,
            of("/n_grams")?,
            of("/beam_microseconds")?,
            of("/adding_microseconds")?,
            of("/matrix_microseconds")?
        )?;
    }
    Ok(page)
}

/// The largest memory of each command by the number of lines.
fn streamed(report: &Value) -> Result<String> {
    let rows = list(report, "")?;
    let mut counts: Vec<u64> = rows.iter().filter_map(|row| row["lines"].as_u64()).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        let name = text(row, "command")?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut page = String::from("| largest memory in MB, by the number of lines |");
    counts.iter().try_for_each(|count| write!(page, " {count} |"))?;
    page += &format!("\n|---|{}\n", "---|".repeat(counts.len()));
    for name in names {
        write!(page, "| `{name}` |")?;
        for count in &counts {
            let row = rows.iter().find(|row| row["command"] == *name && row["lines"] == *count);
            write!(page, " {:.0} |", number(row.context("a row is missing")?, "/peak_mb")?)?;
        }
        page.push('\n');
    }
    Ok(page)
}

/// Figures 2 and 3 of Iglesias et al. 2018.
fn figures(results: &Results<'_>) -> Result<String> {
    let mut page = String::from("## Hypotheses together (figure 2)\n\n");
    page += &table(results, "iglesias-fig2.json", |report| by(report, "beam", "system", "one hypothesis at a time"))?;
    page += "\n## Sentences together (figure 3)\n\n";
    page += &table(results, "iglesias-fig3.json", |report| by(report, "sentences", "order", "one sentence"))?;
    Ok(page)
}

/// Words per second, speed-up and, if it was measured, memory: a line for each value of `key`, a column for each
/// `series`.
fn by(report: &Value, key: &str, series: &str, other: &str) -> Result<String> {
    let rows = list(report, "")?;
    let mut names: Vec<&str> = Vec::new();
    let mut keys: Vec<u64> = Vec::new();
    for row in rows {
        let (name, value) = (text(row, series)?, row[key].as_u64().with_context(|| format!("no {key}"))?);
        if !names.contains(&name) {
            names.push(name);
        }
        if !keys.contains(&value) {
            keys.push(value);
        }
    }
    let has_memory = rows.iter().any(|row| row.get("memory_mb").is_some());
    let also = if has_memory { ", MB" } else { "" };
    let mut page = format!("Cells: words per CPU second, times {other}{also}.\n\n| {key} |");
    names.iter().try_for_each(|name| write!(page, " {name} |"))?;
    page += &format!("\n|---|{}\n", "---|".repeat(names.len()));
    for value in keys {
        write!(page, "| {value} |")?;
        for name in &names {
            let found =
                rows.iter().find(|row| row[series] == *name && row[key] == value).context("a row is missing")?;
            let memory = match number(found, "/memory_mb") {
                Ok(megabytes) => format!(", {megabytes:.0}"),
                Err(_) if has_memory => ", -".to_owned(),
                Err(_) => String::new(),
            };
            let (speed, up) = (number(found, "/words_per_second")?, number(found, "/speed_up")?);
            write!(page, " {speed:.0}, {up:.2}x{memory} |")?;
        }
        page.push('\n');
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_become_tables() {
        let folder = tempfile::tempdir().expect("a folder");
        let results = folder.path().join("docs/results");
        std::fs::create_dir_all(&results).expect("a folder");
        let all = Results(folder.path());
        assert_eq!(iglesias(&all).expect("tables").matches("Not measured yet.").count(), 17);
        let put = |name: &str, value: Value| std::fs::write(results.join(name), value.to_string()).expect("a file");
        let row = |beam: usize| json!({"beam": beam, "system": "s", "words_per_second": 7.0, "speed_up": 1.5, "memory_mb": null});
        put("iglesias-fig2.json", json!([row(1), row(2)]));
        assert!(iglesias(&all).expect("tables").contains("| 1 | 7, 1.50x, - |\n| 2 | 7, 1.50x, - |\n"));
        let system = |name: &str, bleu: f64| json!({"system": name, "bleu": bleu, "confidence": 1.0});
        let pair = json!({"a": "nmt", "b": "nmt + LMBR", "difference": 1.25, "p": 0.01});
        let test = json!({
            "name": "t", "lines": 5, "arcs": 3, "oracle_bleu": 60.0, "sentences": [], "pairs": [pair],
            "rows": [system("PBMT", 40.0), system("nmt", 41.0), system("nmt + LMBR", 42.25)],
        });
        let best = json!({"scale": 1.0, "weight": 2.0, "precision": 0.5, "ratio": 0.5});
        let tuned = json!({"name": "nmt", "dev_bleu_alone": 1.0, "dev_bleu": 2.0, "best": best});
        put("iglesias-table1.json", json!({"dev_lines": 1, "systems": [tuned], "tests": [test]}));
        let page = iglesias(&all).expect("tables");
        assert!(page.contains("| nmt | 41.0 |\n| nmt + LMBR | 42.2 (+1.2, p 0.010) |\n"), "{page}");
        assert!(page.contains("| nmt | 1.0 | 2.0 | 1 | 2 | 0.5 | 0.5 |\n"), "{page}");
        let part = json!([{"part": "beam", "milliseconds_per_word": 0.5}]);
        let row = json!({"system": "s", "bleu": 1.0, "words_per_minute": 60.0, "share_of_matrix": 0.01, "parts": part});
        put("iglesias-table2.json", json!({"lines": 1, "words": 2, "batch_tokens": 3, "rows": [row]}));
        assert!(iglesias(&all).expect("tables").contains("| s | 1.0 | 60 | - | - | 1.0 % | 500 |\n"));
        let step = |paths: usize| {
            json!({
                "paths": paths, "paths_found": paths, "n_grams": 8.0, "rows": 5,
                "beam_microseconds": 20.0, "adding_microseconds": 0.5, "matrix_microseconds": 7.0,
            })
        };
        put("iglesias-steps.json", json!([step(0), step(10)]));
        let found = "| no evidence | 0 | 8 | 20.0 | 0.50 | 7 |\n| 10 | 10 | 8 | 20.0 | 0.50 | 7 |\n";
        assert!(iglesias(&all).expect("tables").contains(found));
        let peak = |lines: usize| json!({"command": "translate", "lines": lines, "peak_mb": 50});
        put("evidence-memory.json", json!([peak(1), peak(100)]));
        assert!(iglesias(&all).expect("tables").contains("| 1 | 100 |\n|---|---|---|\n| `translate` | 50 | 50 |\n"));
    }
}
