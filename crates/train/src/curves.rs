//! Pictures of training: loss, quality and learning rate over the updates, as SVG.

use crate::log::Entry;
use metaphrase_plot::{Chart, Series, svg};

/// A picture of some runs, each with its name and its log: training loss, cross-entropy and BLEU of the development set,
/// and learning rate.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::{Progress, Validated};

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
        let svg = curves(&[("a & b", vec![progress(10), progress(20), validation]), ("c", vec![progress(10)])]);
        assert_eq!(svg.matches("<polyline").count(), 6);
        assert!(svg.contains(">a &amp; b</text>") && svg.ends_with("</svg>\n"), "{svg}");
    }
}
