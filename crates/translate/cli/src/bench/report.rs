//! The results for people: a table and a picture.

use super::{Report, Setting};
use metaphrase_plot::{Bars, bars_svg};
use std::fmt::Write;

/// The table of the terminal.
pub(super) fn table(report: &Report) -> String {
    let Report { machine, text, beam_size, threads, batch_tokens, settings } = report;
    let mut page = machine.line() + "\n";
    let words = format!("{}: {} lines, {} words", text.name, text.lines, text.words);
    put(&mut page, format_args!("{words}; beam {beam_size}, {threads} threads, batches of {batch_tokens} tokens\n"));
    let head = [
        "",
        "words/s",
        "per CPU s",
        "of peak",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "start s",
        "MB",
        "single MB",
        "BLEU",
        "identical",
    ];
    let rows: Vec<_> = settings.iter().map(cells).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).chain([head[column].len()]).max().unwrap_or(0);
    let line = |cells: [&str; 12]| {
        let cell = |(column, cell): (usize, &str)| match column {
            0 => format!("{cell:<width$}", width = width(0)),
            _ => format!("{cell:>width$}", width = width(column)),
        };
        cells.into_iter().enumerate().map(cell).collect::<Vec<_>>().join("  ")
    };
    put(&mut page, format_args!("{}", line(head)));
    for row in &rows {
        put(&mut page, format_args!("{}", line(row.each_ref().map(String::as_str))));
    }
    page.push('\n');
    for setting in settings {
        let share = |share: f64| format!("{:.0}", share * 100.0);
        let units = setting.units.iter().filter(|unit| unit.share >= 0.005);
        let units: Vec<_> = units.map(|unit| format!("{} {}", unit.unit, share(unit.share))).collect();
        put(&mut page, format_args!("{}, % of the time: {}", setting.name, units.join(", ")));
    }
    page
}

fn cells(setting: &Setting) -> [String; 12] {
    let Setting { name, batched, single, bleu, identical, .. } = setting;
    let or = |value: Option<f64>, digits: usize| value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}"));
    let latency = &single.latency_ms;
    [
        name.clone(),
        format!("{:.0}", batched.words_per_second),
        or(batched.words_per_cpu_second, 0),
        batched.share_of_peak.map_or_else(|| "-".into(), |share| format!("{:.0} %", share * 100.0)),
        format!("{:.1}", latency.p50),
        format!("{:.1}", latency.p95),
        format!("{:.1}", latency.p99),
        format!("{:.2}", batched.start_seconds),
        or(batched.peak_mb, 0),
        or(single.peak_mb, 0),
        or(*bleu, 2),
        format!("{:.1} %", identical * 100.0),
    ]
}

/// The picture: the time of each setting per word, by unit of work.
pub(super) fn picture(report: &Report) -> String {
    let words = report.text.words as f64;
    let bar = |setting: &Setting| {
        let parts = setting.units.iter().map(|unit| unit.seconds * 1e6 / words).collect();
        (setting.name.clone(), parts)
    };
    bars_svg(&Bars {
        title: "microseconds of a thread for each source word, by unit of work".into(),
        parts: report
            .settings
            .first()
            .map_or(&[][..], |setting| &setting.units)
            .iter()
            .map(|u| u.unit.clone())
            .collect(),
        bars: report.settings.iter().map(bar).collect(),
    })
}

/// Appends a line. Writing to a string cannot fail.
fn put(page: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(page, "{line}");
}
