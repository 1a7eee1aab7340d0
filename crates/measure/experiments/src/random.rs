//! Networks of random weights, of the sizes of the papers: their speed is that of trained ones.

use anyhow::Result;
use metaphrase_models::config::{AttentionFirst, DecoderForm, EncoderType, RecurrentConfig};
use metaphrase_models::parts::{Init, Network, Supply};
use metaphrase_models::{
    Architecture, Config, DecoderDefaults, StoredPrecision, Vocabularies, VocabularyFiles, Weights,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The word that ends a sentence, and the unknown word.
const END: u32 = 0;
const UNKNOWN: u32 = 1;

/// Words in the vocabularies of a model of both languages: those of the text by frequency, then words that never occur.
pub struct Words(Vec<String>);

impl Words {
    /// `count` words.
    pub fn new(text: &[String], count: usize) -> Self {
        let mut frequencies: HashMap<&str, usize> = HashMap::new();
        text.iter()
            .flat_map(|line| line.split_whitespace())
            .for_each(|word| *frequencies.entry(word).or_default() += 1);
        let mut words: Vec<_> = frequencies.into_iter().collect();
        words.sort_by_key(|&(word, frequency)| (std::cmp::Reverse(frequency), word));
        let known = words.into_iter().map(|(word, _)| word.to_owned());
        let special = ["</s>", "<unk>"].map(str::to_owned);
        let filled = (0..).map(|number| format!("never-{number}"));
        Self(special.into_iter().chain(known).chain(filled).take(count).collect())
    }

    fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        for (number, word) in self.0.iter().enumerate() {
            writeln!(text, "{}: {number}", serde_json::to_string(word)?)?;
        }
        Ok(std::fs::write(path, text)?)
    }

    /// A shortlist in Marian's text format: `each` random target words for each source word.
    pub fn write_shortlist(&self, path: &Path, each: usize) -> Result<()> {
        let mut numbers = ChaCha8Rng::seed_from_u64(2017);
        let mut text = String::new();
        for source in self.0.iter().filter(|word| !word.starts_with("never-")) {
            for rank in 1..=each {
                let target = &self.0[2 + numbers.next_u32() as usize % (self.0.len() - 2)];
                writeln!(text, "{target} {source} {:.4}", 1.0 / rank as f64 / 10.0)?;
            }
        }
        Ok(std::fs::write(path, text)?)
    }
}

/// Tensors of random numbers, by name.
struct Random {
    numbers: ChaCha8Rng,
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
}

impl Supply for Random {
    type Tensor = ();
    type Error = Infallible;

    fn tensor(&mut self, name: &str, shape: [usize; 2], init: Init) -> Result<(), Infallible> {
        let [rows, columns] = shape;
        let limit = match init {
            Init::Constant(_) => 0.0,
            Init::Glorot => (6.0 / (rows + columns) as f32).sqrt(),
            Init::He => (6.0 / rows as f32).sqrt(),
            Init::Uniform(limit) => limit,
        };
        let middle = if let Init::Constant(value) = init { value } else { 0.0 };
        let count = rows * columns;
        let Self { numbers, tensors } = self;
        tensors.entry(name.to_owned()).or_insert_with(|| {
            let uniform = |bits: u32| (bits >> 8) as f32 / (1 << 23) as f32 - 1.0;
            (shape.to_vec(), (0..count).map(|_| middle + limit * uniform(numbers.next_u32())).collect())
        });
        Ok(())
    }
}

/// Writes a model directory with random weights. No translation ends by itself: the end of sentence has a bias that
/// takes it out of the search until the longest translation is reached.
pub fn write_model(architecture: Architecture, words: &Words, folder: &Path, seed: u64) -> Result<PathBuf> {
    let config = Config {
        source_words: words.0.len(),
        target_words: words.0.len(),
        end_of_sentence: END,
        never: vec![UNKNOWN],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: DecoderDefaults { max_length_factor: Some(1.0), ..DecoderDefaults::default() },
        architecture,
    };
    let mut random = Random { numbers: ChaCha8Rng::seed_from_u64(seed), tensors: BTreeMap::new() };
    let Ok(_) = Network::build(&config, &mut random);
    for (name, (_, numbers)) in &mut random.tensors {
        if name.ends_with("logit_l2_b") || name.ends_with("logit_out_b") {
            numbers[END as usize] = -1e3;
        }
    }
    let tensors = random.tensors.into_iter().map(|(name, (shape, numbers))| (name, shape, numbers));
    let weights = Weights::from_tensors("random weights", tensors)?;
    let list = folder.join("words.yml");
    words.write(&list)?;
    let files = || VocabularyFiles::from(list.clone());
    let model = folder.join(format!("model-{seed}"));
    let vocabularies = Vocabularies { source: files(), target: files() };
    metaphrase_models::replace(&config, &weights, &vocabularies, &model, StoredPrecision::F32)?;
    Ok(model)
}

/// The network of Devlin 2017, §4.6: a bidirectional encoder of three layers of 512, and a decoder of 1024 that begins
/// with attention, with `form` on top.
pub fn devlin(form: AttentionFirst) -> Architecture {
    Architecture::Recurrent(RecurrentConfig {
        dim_encoder: Some(512),
        encoder_type: EncoderType::Joined,
        encoder_depth: 3,
        decoder_cell_base_depth: 1,
        decoder: DecoderForm::AttentionFirst(form),
        ..RecurrentConfig::default()
    })
}
