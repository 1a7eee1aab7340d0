//! Pictures of training: loss, quality and learning rate over the updates, as SVG; and their figures, as CSV.

use crate::log::Entry;
use crate::observer::{Progress, ValidationReport};
use metaphrase_plot::{Chart, Series, svg};

/// A picture of some runs, each with its name and its log: training loss, cross-entropy and BLEU of the development
/// set, and learning rate.
#[must_use]
pub fn curves(runs: &[(&str, Vec<Entry>)]) -> String {
    let chart = |title: &str, y, point: &dyn Fn(&Entry) -> Option<f64>| {
        let points = |entries: &[Entry]| {
            entries.iter().filter_map(|entry| Some((entry.update() as f64, point(entry)?))).collect()
        };
        let series =
            runs.iter().map(|(name, entries)| Series { name: (*name).into(), points: points(entries) }).collect();
        Chart { title: title.into(), x: "updates", y, series, joined: true }
    };
    svg(&[
        chart("training loss per word, with smoothing and dropout", "nats per word", &|entry| match entry {
            Entry::Progress(progress) => Some(progress.loss),
            Entry::Validation(_) => None,
        }),
        chart("cross-entropy per word of the development set", "nats per word", &|entry| match entry {
            Entry::Validation(validated) => Some(validated.cross_entropy),
            Entry::Progress(_) => None,
        }),
        chart("BLEU of the development set", "BLEU", &|entry| match entry {
            Entry::Validation(validated) => Some(validated.bleu),
            Entry::Progress(_) => None,
        }),
        chart("learning rate", "learning rate", &|entry| match entry {
            Entry::Progress(progress) => Some(f64::from(progress.rate)),
            Entry::Validation(_) => None,
        }),
    ])
}

/// The logs of some runs as a table in CSV (RFC 4180): a line for each entry, with the name of its run. What an entry
/// does not have is empty. Losses and cross-entropies are nats per word; words are those since the entry before,
/// seconds those of training so far.
#[must_use]
pub fn curves_table(runs: &[(&str, Vec<Entry>)]) -> String {
    let mut table = "run,update,loss,rate,words,cross_entropy,bleu,log_z_mean,log_z_deviation,seconds\n".to_owned();
    for (name, entries) in runs {
        let name = if name.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            (*name).to_owned()
        };
        for entry in entries {
            let line = match entry {
                Entry::Progress(Progress { update, loss, rate, words, log_z: (mean, deviation), seconds, .. }) => {
                    format!("{name},{update},{loss},{rate},{words},,,{mean},{deviation},{seconds}\n")
                }
                Entry::Validation(ValidationReport {
                    update,
                    cross_entropy,
                    bleu,
                    log_z: (mean, deviation),
                    seconds,
                    ..
                }) => {
                    format!("{name},{update},,,,{cross_entropy},{bleu},{mean},{deviation},{seconds}\n")
                }
            };
            table.push_str(&line);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> [(&'static str, Vec<Entry>); 2] {
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
        let validation = Entry::Validation(ValidationReport {
            update: 20,
            cross_entropy: 5.0,
            bleu: 12.5,
            log_z: (0.0, 0.0),
            best: true,
            seconds: 2.0,
        });
        [("a & b", vec![progress(10), progress(20), validation]), ("c,\"d\"", vec![progress(10)])]
    }

    #[test]
    fn a_picture_has_a_line_for_each_run_and_measure() {
        let svg = curves(&runs());
        assert_eq!(svg.matches("<polyline").count(), 6);
        assert!(svg.contains(">a &amp; b</text>") && svg.ends_with("</svg>\n"), "{svg}");
    }

    #[test]
    fn a_table_has_a_line_for_each_entry() {
        let expected = "run,update,loss,rate,words,cross_entropy,bleu,log_z_mean,log_z_deviation,seconds
a & b,10,8,0.001,100,,,0,0,1
a & b,20,7,0.001,100,,,0,0,1
a & b,20,,,,5,12.5,0,0,2
\"c,\"\"d\"\"\",10,8,0.001,100,,,0,0,1
";
        assert_eq!(curves_table(&runs()), expected);
    }
}
