//! Follows a recipe on the CPU, and prints a line of JSON after each validation, with the CPU seconds of all updates so
//! far: `cargo run --release -p metaphrase-train --example recipe -- RECIPE.toml OUTPUT THREADS [SETTING…]`, with
//! settings as those of `metaphrase train --set`. So methods are compared at equal CPU time on a machine that is
//! shared.

use metaphrase_train::{Observer, Progress, Recipe, ValidationReport, train_on_cpu};

/// Adds up the CPU time of updates, without that of validations.
struct Clock {
    updates: f64,
    words: usize,
    since: f64,
}

/// CPU seconds of this process so far (Linux: in hundredths).
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may have spaces; user and system time are the 12th and 13th field after.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

impl Observer for Clock {
    fn message(&mut self, text: &str) {
        eprintln!("{text}");
        self.since = cpu_seconds();
    }

    fn progress(&mut self, progress: &Progress) {
        let now = cpu_seconds();
        self.updates += now - self.since;
        self.since = now;
        self.words += progress.words;
    }

    fn validated(&mut self, report: &ValidationReport) {
        println!(
            "{{\"update\": {}, \"words\": {}, \"cpu-seconds\": {:.1}, \"cross-entropy\": {:.4}, \"bleu\": {:.2}}}",
            report.update, self.words, self.updates, report.cross_entropy, report.bleu
        );
        self.since = cpu_seconds();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [recipe, output, threads, settings @ ..] = &arguments[..] else {
        eprintln!("usage: recipe RECIPE.toml OUTPUT THREADS [SETTING…]");
        std::process::exit(2);
    };
    let threads = threads.parse().unwrap_or(1);
    let mut clock = Clock { updates: 0.0, words: 0, since: 0.0 };
    let result = Recipe::read(recipe.as_ref(), settings).map_err(|error| error.to_string()).and_then(|recipe| {
        train_on_cpu(&recipe, output.as_ref(), threads, false, &mut clock).map_err(|error| error.to_string())
    });
    if let Err(error) = result {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
