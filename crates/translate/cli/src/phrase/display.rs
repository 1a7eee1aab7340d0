//! The display of the progress of training: a line that changes on a terminal, messages of the level `info` elsewhere.

use crate::messages::Terminal;
use indicatif::ProgressBar;
use metaphrase_phrase_train::{Event, Stage};
use metaphrase_tune::Round;
use std::time::{Duration, Instant};

/// The display of the stages and rounds of training.
pub struct Display {
    bar: Option<ProgressBar>,
    stage: Option<(String, Instant)>,
    result: String,
    best: f64,
}

impl Display {
    /// A display that shows nothing yet.
    pub fn new(terminal: &Terminal) -> Self {
        let bar = terminal.bar(ProgressBar::new_spinner(), "{spinner} {prefix}, {elapsed}: {msg}");
        bar.iter().for_each(|bar| bar.enable_steady_tick(Duration::from_millis(200)));
        Self { bar, stage: None, result: String::new(), best: f64::NEG_INFINITY }
    }

    /// Begins another stage.
    pub fn stage(&mut self, name: &str) {
        self.end();
        self.stage = Some((name.to_owned(), Instant::now()));
        if let Some(bar) = &self.bar {
            bar.reset_elapsed();
            bar.set_prefix(name.to_owned());
            bar.set_message("");
        }
    }

    /// Shows an event of the training.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Begin(stage) => self.stage(&stage.to_string()),
            Event::Kept(stage) => self.skip(*stage),
            Event::Outdated(stage, reason) => self.warn_outdated(*stage, reason),
            Event::Align(pass) => self.show_step(format!("pass {} of {}, {}", pass.done + 1, pass.of, pass.stage)),
            Event::Extracted(done) => {
                self.result = format!("{} phrase pairs, {} of them kept", done.phrase_pairs, done.kept);
            }
            Event::Estimated(report) => {
                let kept: Vec<String> = report.orders.iter().map(|order| order.kept.to_string()).collect();
                self.result = format!("{} words, n-grams by order: {}", report.words, kept.join(" "));
            }
            Event::Round(round) => self.round(round),
        }
    }

    /// Shows the result of a round of tuning.
    pub fn round(&mut self, round: &Round) {
        self.best = self.best.max(round.score);
        self.result = format!("BLEU {:.2} on the development set", self.best);
        self.show_step(format!(
            "round {}, BLEU {:.2}, best {:.2}, {} new translations of {}",
            round.number, round.score, self.best, round.new, round.translations
        ));
    }

    fn skip(&mut self, stage: Stage) {
        self.end();
        self.line(&format!("{stage}: present already"));
    }

    /// Warns that files of an earlier training are replaced.
    fn warn_outdated(&mut self, stage: Stage, reason: &str) {
        self.end();
        tracing::warn!("{stage}: repeated ({reason})");
    }

    /// Shows the current step of the stage.
    fn show_step(&self, text: String) {
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => tracing::info!("{text}"),
        }
    }

    /// Prints a line that stays on the terminal.
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => tracing::info!("{text}"),
        }
    }

    /// Ends the stage.
    fn end(&mut self) {
        if let Some((name, begun)) = self.stage.take() {
            let result = std::mem::take(&mut self.result);
            let separator = if result.is_empty() { "" } else { ": " };
            self.line(&format!("{name}, {:.1} s{separator}{result}", begun.elapsed().as_secs_f64()));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}
