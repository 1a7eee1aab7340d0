//! The time of evidence by its size: counting, the matrix, and a step of the search, as JSON lines.
//!
//! `cargo run --release -p metaphrase-evidence --example evidence_speed`

use metaphrase_base::{ScoreBuffer, SentenceScorer, WordId, WordScores};
use metaphrase_evidence::{Matrix, Paths, Theta, Units};
use std::hint::black_box;
use std::time::Instant;

/// Sentences of 25 words; there are 4 words for each place.
fn list(paths: usize) -> Vec<(Vec<WordId>, f64)> {
    let mut seed = 1u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let mut sentence = || (0..25).map(|place| WordId(1 + 4 * place + random(4) as u32)).collect();
    (0..paths).map(|place| (sentence(), -0.01 * place as f64)).collect()
}

/// The least nanoseconds of several runs, and the result.
fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let begun = Instant::now();
        let result = black_box(work());
        (begun.elapsed().as_nanos() as f64, result)
    };
    let (first, result) = timed();
    ((1..runs).map(|_| timed().0).fold(first, f64::min), result)
}

fn main() {
    for paths in [10, 100, 1000, 10_000] {
        let list = list(paths);
        let (count, posteriors) = least(5, || {
            let paths = Paths::from_n_best(&list, 1.0, WordId(0)).expect("translations");
            paths.posteriors(4, &Units::words()).expect("a small graph")
        });
        let (build, matrix) = least(5, || Matrix::new(&posteriors, &Units::words(), &Theta::default(), 2.0));
        let (steps, _) = least(50, || {
            let (mut buffer, mut sum) = (ScoreBuffer::default(), 0.0);
            for (words, _) in list.iter().take(10) {
                let mut state = matrix.start();
                for &word in words {
                    let WordScores::Sparse { base, listed } = matrix.scores(state, &mut buffer) else { continue };
                    sum += base + listed.iter().map(|listed| listed.score).sum::<f32>();
                    state = matrix.after(state, word);
                }
            }
            black_box(sum)
        });
        println!(
            "{{\"paths\": {paths}, \"n_grams\": {}, \"histories\": {}, \"count_ms\": {:.3}, \"matrix_ms\": {:.3}, \"step_ns\": {:.0}}}",
            posteriors.len(),
            matrix.len(),
            count * 1e-6,
            build * 1e-6,
            steps / 250.0,
        );
    }
}
