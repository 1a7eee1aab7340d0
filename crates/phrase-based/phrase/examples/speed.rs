//! Words per CPU second (Linux) of a search of some size, again and again: something to profile.
//!
//! `cargo run --release -p metaphrase-phrase --example speed -- MODEL SOURCE SIZE none|first-word|phrase-only SECONDS`

use metaphrase_phrase::{Decoder, LookAhead, PhraseModel, SearchOptions, Workspace};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, source, size, look_ahead, seconds] = &arguments[..] else {
        return Err("expected: MODEL SOURCE SIZE LOOK_AHEAD SECONDS".into());
    };
    let model = PhraseModel::read_moses(Path::new(model))?;
    let text = std::fs::read_to_string(source)?;
    let look_ahead = match look_ahead.as_str() {
        "none" => LookAhead::None,
        "first-word" => LookAhead::FirstWord,
        _ => LookAhead::PhraseOnly,
    };
    let size = size.parse()?;
    let distortion_limit = model.distortion_limit;
    let before = cpu_seconds()?;
    let decoder = Decoder::new(
        &model,
        SearchOptions { coverages: size, hypotheses: size, look_ahead, distortion_limit, ..SearchOptions::default() },
    )?;
    let ready = cpu_seconds()? - before;
    let sentences: Vec<Vec<&str>> = text.lines().map(|line| line.split_ascii_whitespace().collect()).collect();
    let words: usize = sentences.iter().map(Vec::len).sum();
    let mut workspace = Workspace::default();
    let (limit, mut best): (f64, f64) = (cpu_seconds()? + seconds.parse::<f64>()?, f64::INFINITY);
    while cpu_seconds()? < limit {
        let since = cpu_seconds()?;
        for sentence in &sentences {
            decoder.translate(sentence, &mut workspace);
        }
        best = best.min(cpu_seconds()? - since);
    }
    println!("{:.0} words/s; options of the table scored in {ready:.3} s", words as f64 / best);
    Ok(())
}

/// CPU time of this thread, so that others on the machine do not matter much.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split_ascii_whitespace().next().ok_or("an empty schedstat")?.parse()?;
    Ok(nanoseconds / 1e9)
}
