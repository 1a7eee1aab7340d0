//! Speed of translation by a model, from word ids to word ids, on one thread.
//!
//! `cargo bench -p metaphrase-models -- MODEL_FOLDER SOURCE_FILE [BEAM] [BATCH_TOKENS]`, the folder with `model.npz`
//! and `vocab.spm`. Without arguments (as when tests run benches) it does nothing.

use metaphrase_base::WordId;
use metaphrase_models::Model;
use metaphrase_search::{Options, Searcher, Task};
use metaphrase_text::vocab::Vocabulary;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [folder, source, numbers @ ..] = &arguments[..] else { return Ok(()) };
    let number = |i: usize, default: usize| numbers.get(i).map_or(Ok(default), |n| n.parse());
    let (beam_size, batch_tokens) = (number(0, 6)?, number(1, 512)?);

    let start = Instant::now();
    let model = Model::load(&Path::new(folder).join("model.npz"))?;
    println!("loaded {} parameters in {:.3} s", model.parameters(), start.elapsed().as_secs_f64());

    let vocabulary = Vocabulary::open(&Path::new(folder).join("vocab.spm"))?;
    let mut sources: Vec<Vec<WordId>> = Vec::new();
    for line in std::fs::read_to_string(source)?.lines() {
        let mut words = Vec::new();
        vocabulary.encode(line, &mut words);
        sources.push(words);
    }
    sources.sort_by_key(Vec::len);
    let excluded = model.config().never.iter().copied().map(WordId).collect();
    let options = Options { beam_size, n_best: 1, excluded, ..Options::default() }.check(&model)?;
    let mut searcher = Searcher::new(&model, batch_tokens);
    for round in 1..=3 {
        let start = Instant::now();
        let mut words = 0;
        let mut tasks = sources.iter().map(|source| Task::new((), source.clone(), &options));
        searcher.run(|| tasks.next(), |outcome| words += outcome.hypotheses.first().map_or(0, |h| h.words.len() + 1));
        let seconds = start.elapsed().as_secs_f64();
        let rate = words as f64 / seconds;
        println!("round {round}: {} sentences, {words} target words, {seconds:.3} s, {rate:.0} words/s", sources.len());
    }
    Ok(())
}
