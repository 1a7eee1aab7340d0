//! Counters and gauges in the text format of Prometheus, without texts, addresses and keys.

use metaphrase::{Error, Translation};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Upper bounds of the classes of request times, in seconds.
const SECONDS: [f64; 11] = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Counters and gauges.
pub struct Metrics {
    started: Instant,
    requests: Mutex<BTreeMap<(String, u16), Times>>,
    /// Requests refused because the queue was full or a limit was reached.
    pub refused: AtomicU64,
    /// Sentences that wait.
    pub waiting_sentences: AtomicU64,
    /// Tokens of the sentences that wait.
    pub waiting_tokens: AtomicU64,
    /// Tokens in the batches of the translators.
    pub tokens_in_work: AtomicU64,
    /// Sentences whose client left while they waited.
    pub stopped_waiting: AtomicU64,
    /// Sentences whose client left while they were in the search.
    pub stopped_in_search: AtomicU64,
    /// Sentences that were tried again after a panic.
    pub panics: AtomicU64,
    /// Sentences without an answer.
    pub failed: AtomicU64,
    /// Sentences translated.
    pub sentences: AtomicU64,
    /// Sentences that were not translated again, as they came before.
    pub repeated: AtomicU64,
    /// Approximate number of source tokens translated.
    pub tokens: AtomicU64,
    /// Required terms that appeared.
    pub terms_met: AtomicU64,
    /// Required terms that did not appear.
    pub terms_missing: AtomicU64,
    /// Steps of searches.
    pub steps: AtomicU64,
    /// ConnectionGuard connections.
    pub connections: AtomicU64,
    /// Models in memory.
    pub models: AtomicU64,
    /// Models that were loaded again because their files had changed.
    pub reloads: AtomicU64,
    /// Changed models that could not be loaded.
    pub failed_reloads: AtomicU64,
}

/// Times of requests, by class.
#[derive(Default)]
struct Times {
    classes: [u64; SECONDS.len()],
    count: u64,
    sum: f64,
}

impl Default for Metrics {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            started: Instant::now(),
            requests: Mutex::default(),
            refused: zero(),
            waiting_sentences: zero(),
            waiting_tokens: zero(),
            tokens_in_work: zero(),
            stopped_waiting: zero(),
            stopped_in_search: zero(),
            panics: zero(),
            failed: zero(),
            sentences: zero(),
            repeated: zero(),
            tokens: zero(),
            terms_met: zero(),
            terms_missing: zero(),
            steps: zero(),
            connections: zero(),
            models: zero(),
            reloads: zero(),
            failed_reloads: zero(),
        }
    }
}

impl Metrics {
    /// Counts a request of a route.
    pub fn count_request(&self, route: &str, status: u16, time: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let times = requests.entry((route.to_owned(), status)).or_default();
        let seconds = time.as_secs_f64();
        times.count += 1;
        times.sum += seconds;
        for (class, _) in times.classes.iter_mut().zip(SECONDS).filter(|(_, bound)| seconds <= *bound) {
            *class += 1;
        }
    }

    /// Counts the answer of a sentence of `tokens` tokens.
    pub fn count_sentence(&self, tokens: usize, result: &Result<Translation, Error>) {
        match result {
            Ok(translation) => {
                let missing = translation.missing.len() as u64;
                let met = translation.hypotheses.first().map_or(0, |best| best.met.len() as u64);
                for (counter, number) in [
                    (&self.sentences, 1),
                    (&self.tokens, tokens as u64),
                    (&self.terms_met, met),
                    (&self.terms_missing, missing),
                    (&self.steps, translation.counts.steps as u64),
                ] {
                    counter.fetch_add(number, Relaxed);
                }
            }
            Err(Error::Cancelled) => _ = self.stopped_in_search.fetch_add(1, Relaxed),
            Err(_) => _ = self.failed.fetch_add(1, Relaxed),
        }
    }

    /// Source tokens translated per second, since the start.
    pub fn tokens_per_second(&self) -> f64 {
        self.tokens.load(Relaxed) as f64 / self.started.elapsed().as_secs_f64().max(1.0)
    }

    /// Everything, as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, kind, help, value) in self.values() {
            let head = format!("# HELP metaphrase_{name} {help}\n# TYPE metaphrase_{name} {kind}\n");
            // A string takes all that is written.
            let _ = writeln!(text, "{head}metaphrase_{name} {}", value.load(Relaxed));
        }
        let name = "metaphrase_http_request_duration_seconds";
        let _ = writeln!(text, "# HELP {name} Time of requests\n# TYPE {name} histogram");
        for ((route, status), times) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            for (bound, count) in SECONDS.iter().zip(times.classes) {
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}");
            }
            let Times { count, sum, .. } = times;
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {count}");
        }
        text
    }

    fn values(&self) -> [(&'static str, &'static str, &'static str, &AtomicU64); 18] {
        let (counter, gauge) = ("counter", "gauge");
        [
            ("sentences_total", counter, "Sentences translated", &self.sentences),
            ("repeated_sentences_total", counter, "Sentences not translated again", &self.repeated),
            ("source_tokens_total", counter, "Source tokens translated, about", &self.tokens),
            ("search_steps_total", counter, "Steps of searches", &self.steps),
            ("terms_met_total", counter, "Required terms that appeared", &self.terms_met),
            ("terms_missing_total", counter, "Required terms that did not appear", &self.terms_missing),
            ("stopped_waiting_total", counter, "Sentences whose client left while they waited", &self.stopped_waiting),
            (
                "stopped_in_search_total",
                counter,
                "Sentences whose client left during the search",
                &self.stopped_in_search,
            ),
            ("panics_total", counter, "Sentences that a failed thread lost and that were tried again", &self.panics),
            ("failed_total", counter, "Sentences without an answer", &self.failed),
            ("refused_total", counter, "Requests refused because the queue was full or a limit reached", &self.refused),
            ("model_reloads_total", counter, "Models loaded again after a change", &self.reloads),
            ("failed_reloads_total", counter, "Changed models that could not be loaded", &self.failed_reloads),
            ("waiting_sentences", gauge, "Sentences that wait", &self.waiting_sentences),
            ("waiting_tokens", gauge, "Source tokens that wait, about", &self.waiting_tokens),
            ("batch_tokens", gauge, "Source tokens in the batches of the translators, about", &self.tokens_in_work),
            ("connections", gauge, "ConnectionGuard connections", &self.connections),
            ("models", gauge, "Models in memory", &self.models),
        ]
    }
}
