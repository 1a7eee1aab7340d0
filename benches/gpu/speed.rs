//! The speed of updates on the first NVIDIA GPU, for `benches/gpu/run`: a line of JSON for each precision and recipe.
//!
//! `gpu [--times] SECONDS RECIPE...` runs each measurement for about this number of seconds. The batch is made up, of the size
//! in the recipe and once of 16 times this size. With `--times`, the time of each kernel follows each measurement, from a few
//! updates in which the device is waited for after each call. The peak is not the maker's: it is what cuBLAS reaches with products of 8192 × 8192
//! matrices in the same precision.

use anyhow::{Context, Result};
use metaphrase_base::WordId;
use metaphrase_cuda::Cuda;
use metaphrase_device::{Products as _, Storage as _, Weight};
use metaphrase_models::Config;
use metaphrase_train::data::{Batch, BatchSize};
use metaphrase_train::networks::Network;
use metaphrase_train::parameters::Parameters;
use metaphrase_train::{Recipe, Trainer, TrainerSettings, TrainingPrecision, trial};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Words of the vocabularies of recipes/.
const VOCABULARY: usize = 8000;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    let times = arguments.next_if(|argument| argument == "--times").is_some();
    let seconds: f64 = arguments.next().and_then(|n| n.parse().ok()).context("expected [--times] SECONDS RECIPE...")?;
    let recipes: Vec<String> = arguments.collect();
    for precision in [TrainingPrecision::F32, TrainingPrecision::Bf16] {
        let peak = peak(precision, seconds)?;
        println!("{}", json!({ "precision": precision, "peak-tflops": peak }));
        for recipe in &recipes {
            for factor in [1, 16] {
                let mut trained = Trained::new(Path::new(recipe), precision, factor)?;
                println!("{}", trained.measure(seconds, peak)?);
                if times {
                    println!("{}", trained.times()?);
                }
            }
        }
    }
    Ok(())
}

/// Floating-point operations in units of 10¹² of this number of multiplications with addition, per second.
fn tera(multiply_adds: u64, seconds: f64) -> f64 {
    2.0 * multiply_adds as f64 / seconds / 1e12
}

/// 10¹² operations per second in large products.
fn peak(precision: TrainingPrecision, seconds: f64) -> Result<f64> {
    const SIZE: usize = 8192;
    let mut cuda = Cuda::open(0)?;
    cuda.set_precision(precision);
    let [x, w, mut y] = [(); 3].map(|()| cuda.zeros(SIZE, SIZE));
    let corner = cuda.zeros(1, 1);
    let mut product = |cuda: &mut Cuda| {
        cuda.product_add(&x, Weight { parameter: &w, transposed: false }, &mut y, true);
        cuda.download(&corner); // waits
    };
    product(&mut cuda);
    let (start, before) = (Instant::now(), cuda.multiply_adds());
    while start.elapsed().as_secs_f64() < seconds / 4.0 {
        product(&mut cuda);
    }
    cuda.check()?;
    Ok(tera(cuda.multiply_adds() - before, start.elapsed().as_secs_f64()))
}

/// A network in training on the GPU, and the batch that it learns from.
struct Trained {
    recipe: String,
    precision: TrainingPrecision,
    trainer: Trainer<Cuda>,
    batch: Batch,
    /// Between gradients on the GPU and on the CPU.
    largest_difference: f32,
}

impl Trained {
    fn new(path: &Path, precision: TrainingPrecision, factor: usize) -> Result<Self> {
        let recipe = Recipe::read(path, &[])?;
        let config = Config {
            source_words: VOCABULARY,
            target_words: VOCABULARY,
            end_of_sentence: 0,
            never: vec![1],
            decoding: recipe.model.decoding,
            architecture: recipe.model.architecture,
            languages: None,
            language_words: None,
            inline_terms: None,
            unlearned_letters: String::new(),
        };
        let settings = TrainerSettings { precision, ..recipe.training.update };
        let mut parameters = Parameters::new(1);
        let network = Network::declare(&config, &mut parameters)?;
        let mut cuda = Cuda::open(0)?;
        let largest_difference = trial(&mut cuda, &network, &parameters, settings)?;
        let trainer = Trainer::on(vec![cuda], network, &parameters, settings, 1);
        let BatchSize::Words(words) = recipe.training.batch.size else {
            anyhow::bail!("a recipe with batches of words")
        };
        let batch = made_up(words.get() * factor);
        let recipe = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { recipe, precision, trainer, batch, largest_difference })
    }

    /// Words per second of updates.
    fn measure(&mut self, seconds: f64, peak: f64) -> Result<serde_json::Value> {
        for _ in 0..3 {
            self.trainer.update(&self.batch)?; // memory is allocated, cuBLAS chooses
        }
        let before = self.trainer.device().multiply_adds();
        let (start, mut updates) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < seconds {
            self.trainer.update(&self.batch)?;
            updates += 1;
        }
        let took = start.elapsed().as_secs_f64();
        let reached = tera(self.trainer.device().multiply_adds() - before, took);
        let words = self.batch.target.all().len();
        Ok(json!({
            "recipe": self.recipe,
            "precision": self.precision,
            "batch-words": words,
            "updates": updates,
            "seconds": took,
            "words-per-second": (updates * words) as f64 / took,
            "tflops": reached,
            "share-of-peak": reached / peak,
            "largest-difference": self.largest_difference,
        }))
    }

    /// Milliseconds and calls of each kernel in an update.
    fn times(&mut self) -> Result<serde_json::Value> {
        const UPDATES: u64 = 3;
        self.trainer.device().measure_times();
        for _ in 0..UPDATES {
            self.trainer.update(&self.batch)?;
        }
        let times = self.trainer.device().times().into_iter().map(|times| {
            let milliseconds = (times.seconds * 1e6 / UPDATES as f64).round() / 1e3;
            json!([times.name, milliseconds, times.calls as f64 / UPDATES as f64])
        });
        Ok(json!({
            "recipe": self.recipe,
            "precision": self.precision,
            "batch-words": self.batch.target.all().len(),
            "milliseconds-and-calls-of-an-update": times.collect::<Vec<_>>(),
        }))
    }
}

/// Sentences with lengths of Tatoeba, sorted into a batch.
fn made_up(words: usize) -> Batch {
    let mut state = 1_u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut batch = Batch::default();
    while batch.target.all().len() < words {
        let length = 8 + next(5);
        for side in [&mut batch.source, &mut batch.target] {
            let words = (1..length).map(|_| WordId(2 + next(VOCABULARY as u32 - 2)));
            side.push(&words.chain([WordId(0)]).collect::<Vec<_>>());
        }
    }
    batch
}
