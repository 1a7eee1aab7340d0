//! The tables of the pages about the CPU: kernels, and the tricks of Devlin 2017.

use super::{Results, number};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

/// The text of a page while its experiment has not run.
pub(super) const NOT_YET: &str = "Not measured yet.\n";

/// A field as text.
pub(super) fn text<'a>(row: &'a Value, field: &str) -> Result<&'a str> {
    row[field].as_str().with_context(|| format!("{row} has no text {field}"))
}

pub(super) fn list<'a>(results: &'a Value, pointer: &str) -> Result<&'a [Value]> {
    let list = results.pointer(pointer).and_then(Value::as_array);
    list.map(Vec::as_slice).with_context(|| format!("the results have no list {pointer}"))
}

/// GOP/s and share of the peak: a line for each product, a column for each shape.
pub(super) fn kernels(results: &Results<'_>) -> Result<String> {
    let Some(report) = results.optional("kernels.json")? else { return Ok(NOT_YET.into()) };
    let rows = list(&report, "/rows")?;
    let mut shapes: Vec<[u64; 3]> = Vec::new();
    let mut products: Vec<&str> = Vec::new();
    let shape = |row: &Value| -> Result<[u64; 3]> {
        let of = |name: &str| row[name].as_u64().with_context(|| format!("{row} has no {name}"));
        Ok([of("m")?, of("k")?, of("n")?])
    };
    for row in rows {
        let (shape, product) = (shape(row)?, text(row, "product")?);
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
        if !products.contains(&product) {
            products.push(product);
        }
    }
    let mut page = String::new();
    for peaks in list(&report, "/peak_gops")? {
        for (name, peak) in peaks.as_object().context("a peak without a name")? {
            writeln!(page, "* peak of {name}: {:.0} GOP/s", peak.as_f64().context("a peak is no number")?)?;
        }
    }
    page += "\n| M, K, N |";
    shapes.iter().try_for_each(|[m, k, n]| write!(page, " {m}, {k}, {n} |"))?;
    page += &format!("\n|---|{}\n", "---|".repeat(shapes.len()));
    for product in products {
        write!(page, "| {product} |")?;
        for wanted in &shapes {
            let found = rows.iter().find(|row| row["product"] == product && shape(row).is_ok_and(|s| s == *wanted));
            match found {
                Some(row) => {
                    let share = number(row, "/share_of_peak")? * 100.0;
                    write!(page, " {:.0}, {share:.0} % |", number(row, "/gops")?)?;
                }
                None => page += " |",
            }
        }
        page.push('\n');
    }
    Ok(page)
}

/// Tables 1 and 2 of Devlin 2017.
pub(super) fn devlin(results: &Results<'_>) -> Result<String> {
    let mut page = String::from("## What each trick brings (table 1)\n\n");
    page += &tricks(results)?;
    page += "\n## The speed of the systems (table 2)\n\n";
    let Some(report) = results.optional("devlin-table2.json")? else { return Ok(page + NOT_YET) };
    page += "| system | decoder | precision | words/s | time of S1 | paper, words/s | paper, time of S1 |\n";
    page += "|---|---|---|---|---|---|---|\n";
    for row in list(&report, "")? {
        writeln!(
            page,
            "| {} | {} | {} | {:.0} | {:.2}x | {:.0} | {:.2}x |",
            text(row, "system")?,
            text(row, "decoder")?,
            text(row, "precision")?,
            number(row, "/words_per_second")?,
            number(row, "/times_s1")?,
            number(row, "/paper_words_per_second")?,
            number(row, "/paper_times_s1")?
        )?;
    }
    Ok(page)
}

/// Table 1 of Devlin 2017.
fn tricks(results: &Results<'_>) -> Result<String> {
    let Some(report) = results.optional("devlin-table1.json")? else { return Ok(NOT_YET.into()) };
    let mut page = String::from("| trick | words/s | factor | identical translations |\n|---|---|---|---|\n");
    for row in list(&report, "")? {
        let (trick, speed, factor) = (text(row, "trick")?, number(row, "/words_per_second")?, number(row, "/factor")?);
        let identical = number(row, "/identical")? * 100.0;
        writeln!(page, "| {trick} | {speed:.0} | {factor:.2}x | {identical:.1} % |")?;
    }
    Ok(page)
}

/// The ablation of `docs/algorithms/cpu.md`: the tricks, and all settings of `metaphrase bench` on a trained model.
pub(super) fn ablation(results: &Results<'_>) -> Result<String> {
    let mut page = tricks(results)?;
    page += "\nThe same for a trained Transformer (`metaphrase bench`):\n\n";
    let Some(report) = results.optional("bench.json")? else { return Ok(page + NOT_YET) };
    page += "| setting | words per CPU second | of peak | p50 ms | p99 ms | MB, single MB | BLEU | identical |\n";
    page += "|---|---|---|---|---|---|---|---|\n";
    for row in list(&report, "/settings")? {
        let of = |pointer: &str| number(row, pointer);
        writeln!(
            page,
            "| {} | {:.0} | {:.0} % | {:.2} | {:.2} | {:.0}, {:.0} | {} | {:.1} % |",
            text(row, "name")?,
            of("/batched/words_per_cpu_second")?,
            of("/batched/share_of_peak")? * 100.0,
            of("/single/latency_ms/p50")?,
            of("/single/latency_ms/p99")?,
            of("/batched/peak_mb")?,
            of("/single/peak_mb")?,
            of("/bleu").map_or_else(|_| "-".into(), |bleu| format!("{bleu:.2}")),
            of("/identical")? * 100.0
        )?;
    }
    page += "\n| per cent of the time |";
    let units = list(&report, "/settings/0/units")?;
    units.iter().try_for_each(|unit| Ok::<_, anyhow::Error>(write!(page, " {} |", text(unit, "unit")?)?))?;
    page += &format!("\n|---|{}\n", "---|".repeat(units.len()));
    for row in list(&report, "/settings")? {
        write!(page, "| {} |", text(row, "name")?)?;
        for unit in list(row, "/units")? {
            write!(page, " {:.0} |", number(unit, "/share")? * 100.0)?;
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
        for table in [kernels, devlin, ablation] {
            assert!(table(&all).expect("a table").contains("Not measured yet."));
        }
        let put = |name: &str, value: Value| std::fs::write(results.join(name), value.to_string()).expect("a file");
        put("devlin-table1.json", json!([{"trick": "a", "words_per_second": 9.6, "factor": 2.0, "identical": 0.5}]));
        assert!(devlin(&all).expect("a table").contains("\n| a | 10 | 2.00x | 50.0 % |\n"));
        let row = json!({"m": 1, "k": 2, "n": 3, "product": "p", "gops": 5.4, "share_of_peak": 0.25});
        put("kernels.json", json!({"peak_gops": [{"f32": 21.6}], "rows": [row]}));
        assert!(kernels(&all).expect("a table").ends_with("| M, K, N | 1, 2, 3 |\n|---|---|\n| p | 5, 25 % |\n"));
    }
}
