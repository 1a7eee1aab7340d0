//! Words per second of updates on made-up sentences: `cargo run --release -p metaphrase-train --example updates --
//! THREADS WORDS [f32|bf16 [MODEL_DIRECTORY]]`, with the network of the directory (by default the bundled one). For a
//! GPU there is `benches/gpu/run`.

use metaphrase_base::WordId;
use metaphrase_train::data::Batch;
use metaphrase_train::{Trainer, TrainerSettings, TrainingPrecision};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().and_then(|a| a.parse().ok()).unwrap_or(default);
    let (threads, words): (usize, usize) = (number(2), number(4000));
    let bf16 = std::env::args().nth(3).is_some_and(|precision| precision == "bf16");
    let directory = std::env::args().nth(4).unwrap_or_else(|| "models/en-de".to_owned());
    let (config, _) = metaphrase_models::load(directory.as_ref()).expect("a model directory");
    let precision = if bf16 { TrainingPrecision::Bf16 } else { TrainingPrecision::F32 };
    let mut trainer = Trainer::new(&config, TrainerSettings { precision, ..TrainerSettings::plain() }, 1, threads)
        .expect("a network");
    let vocabulary = config.target_words as u32;
    let mut state = 1_u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut batch = Batch::default();
    while batch.target.all().len() < words {
        let length = 8 + next(5) as usize; // lengths of Tatoeba, sorted into a batch
        for side in [&mut batch.source, &mut batch.target] {
            let sentence: Vec<_> = (1..length).map(|_| WordId(2 + next(vocabulary - 2))).chain([WordId(0)]).collect();
            side.push(&sentence);
        }
    }
    for i in 0..6 {
        let start = Instant::now();
        let update = trainer.update(&batch).expect("an update");
        let seconds = start.elapsed().as_secs_f64();
        let count = batch.target.all().len() as f64;
        println!(
            "update {i}: {:.0} words/s, {:.3} s, loss {:.3}",
            count / seconds,
            seconds,
            update.losses.loss / count
        );
    }
}
