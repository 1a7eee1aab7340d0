//! Speed and quality of the search by beam size, in the four set-ups of Wuebker et al. 2012, table 1 and figure 1.
//!
//! `cargo run --release -p metaphrase-phrase --example curve -- MODEL SOURCE REFERENCE [N_o [N …]]` prints a line of JSON for each
//! set-up and each `N_c` = `N_l` = N. Times are CPU seconds of one thread, loading excluded; `prepare_s` is what it takes
//! to score the options of the table.

use metaphrase_metrics::{Bleu, BleuOptions, Metric, References};
use metaphrase_phrase::{Counters, Decoder, LookAhead, PhraseModel, SearchOptions, Workspace};
use std::error::Error;
use std::fs::read_to_string;
use std::path::Path;

const SIZES: [usize; 9] = [1, 2, 4, 8, 16, 24, 32, 48, 64];

const SETUPS: [(&str, bool, LookAhead); 4] = [
    ("baseline", false, LookAhead::None),
    ("+pre-sort", true, LookAhead::None),
    ("+first-word", true, LookAhead::FirstWord),
    ("+phrase-only", true, LookAhead::PhraseOnly),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, source, reference, numbers @ ..] = &arguments[..] else {
        return Err("expected: MODEL SOURCE REFERENCE [N_o [N …]]".into());
    };
    let model = PhraseModel::read_moses(Path::new(model))?;
    let (source, reference) = (read_to_string(source)?, read_to_string(reference)?);
    let reference: Vec<&str> = reference.lines().map(str::trim).collect();
    let numbers = numbers.iter().map(|number| number.parse()).collect::<Result<Vec<usize>, _>>()?;
    let options = numbers.first().copied().filter(|limit| *limit > 0);
    let sizes = numbers.get(1..).filter(|sizes| !sizes.is_empty()).unwrap_or(&SIZES);
    for (name, presort, look_ahead) in SETUPS {
        for &size in sizes {
            let options = SearchOptions {
                coverages: size,
                hypotheses: size,
                options,
                presort,
                look_ahead,
                distortion_limit: model.distortion_limit,
                keep_recombined: false,
            };
            println!("{}", measure(&model, options, name, &source, &reference)?);
        }
    }
    Ok(())
}

/// One line of JSON.
fn measure(
    model: &PhraseModel,
    options: SearchOptions,
    name: &str,
    source: &str,
    reference: &[&str],
) -> Result<String, Box<dyn Error>> {
    let (size, limit) = (options.coverages, options.options.unwrap_or(0));
    let start = cpu_seconds()?;
    let decoder = Decoder::new(model, options)?;
    let ready = cpu_seconds()?;
    let mut workspace = Workspace::default();
    let (mut counters, mut score, mut output) = (Counters::default(), 0.0, Vec::new());
    for line in source.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (translation, done) = decoder.translate(&words, &mut workspace);
        counters += done;
        score += f64::from(translation.score);
        output.push(model.words(&words, &translation.phrases).join(" "));
    }
    let time = cpu_seconds()? - ready;
    let words = counters.source_words as f64;
    Ok(format!(
        r#"{{"setup": "{name}", "size": {size}, "options": {limit}, "bleu": {:.2}, "score": {:.5}, "hyp_per_word": {:.1}, "lm_per_word": {:.1}, "words_per_s": {:.0}, "seconds": {time:.3}, "prepare_s": {:.3}}}"#,
        bleu(&output, reference)?,
        score / output.len().max(1) as f64,
        counters.expansions as f64 / words,
        counters.lm_computations as f64 / words,
        words / time,
        ready - start,
    ))
}

/// Of words as they are.
fn bleu(output: &[String], reference: &[&str]) -> Result<f64, Box<dyn Error>> {
    let bleu = Bleu::new(BleuOptions { tokenizer: "none".parse()?, ..BleuOptions::default() })?;
    let output: Vec<&str> = output.iter().map(String::as_str).collect();
    Ok(bleu.corpus_score(&output, &References::new(&[reference])?)?.value)
}

/// CPU time of this thread, so that others on the machine do not matter much (Linux).
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let text = read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split_ascii_whitespace().next().ok_or("an empty schedstat")?.parse()?;
    Ok(nanoseconds / 1e9)
}
