//! Recurrent networks of random weights, of the sizes of a paper: their speed is that of trained ones.

use anyhow::{Context, Result};
use metaphrase_models::config::RecurrentConfig;
use metaphrase_models::parts::{Init, Network, Supply};
use metaphrase_models::{
    Architecture, Config, DecoderDefaults, StoredPrecision, Vocabularies, VocabularyFiles, Weights,
};
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Tensors of random numbers, by name.
#[derive(Default)]
struct Random {
    state: u64,
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
}

impl Random {
    /// A number between -1 and 1.
    fn next(&mut self) -> f32 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

impl Supply for Random {
    type Tensor = ();
    type Error = Infallible;

    fn tensor(&mut self, name: &str, shape: [usize; 2], init: Init) -> Result<(), Infallible> {
        let (middle, limit) = match init {
            Init::Constant(value) => (value, 0.0),
            Init::Glorot => (0.0, (6.0 / (shape[0] + shape[1]) as f32).sqrt()),
            Init::He => (0.0, (6.0 / shape[0] as f32).sqrt()),
            Init::Uniform(limit) => (0.0, limit),
        };
        if !self.tensors.contains_key(name) {
            let numbers = (0..shape[0] * shape[1]).map(|_| middle + limit * self.next()).collect();
            self.tensors.insert(name.to_owned(), (shape.to_vec(), numbers));
        }
        Ok(())
    }
}

/// Writes a conditional GRU of `EMBEDDING,STATE,WORDS`. Its words are the most frequent ones of the text, then words
/// that never occur. Translations are as long as their sources: the end of sentence has a bias that takes it out of the
/// search until the longest translation is reached.
pub fn write(sizes: &str, text: &[String], folder: &Path) -> Result<PathBuf> {
    let sizes: Vec<usize> = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let &[dim_emb, dim_rnn, words] = &sizes[..] else { anyhow::bail!("expected random:EMBEDDING,STATE,WORDS") };
    let network = RecurrentConfig { dim_emb, dim_rnn, ..RecurrentConfig::default() };
    let config = Config {
        source_words: words,
        target_words: words,
        end_of_sentence: 0,
        never: vec![1],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: DecoderDefaults { max_length_factor: Some(1.0), ..DecoderDefaults::default() },
        architecture: Architecture::Recurrent(network),
    };
    let mut random = Random::default();
    let Ok(_) = Network::build(&config, &mut random);
    let (_, bias) = random.tensors.get_mut("decoder_ff_logit_l2_b").context("the output layer has no bias")?;
    bias[0] = -1e3;
    let tensors = random.tensors.into_iter().map(|(name, (shape, numbers))| (name, shape, numbers));
    let weights = Weights::from_tensors("random weights", tensors)?;
    let list = folder.join("words.yml");
    std::fs::write(&list, vocabulary(text, words)?)?;
    let files = || VocabularyFiles::from(list.clone());
    let (model, vocabularies) = (folder.join("model"), Vocabularies { source: files(), target: files() });
    metaphrase_models::replace(&config, &weights, &vocabularies, &model, StoredPrecision::F32)?;
    Ok(model)
}

fn vocabulary(text: &[String], count: usize) -> Result<String> {
    let mut frequencies: HashMap<&str, usize> = HashMap::new();
    text.iter().flat_map(|line| line.split_whitespace()).for_each(|word| *frequencies.entry(word).or_default() += 1);
    let mut known: Vec<_> = frequencies.into_iter().collect();
    known.sort_by_key(|&(word, frequency)| (std::cmp::Reverse(frequency), word));
    let special = ["</s>", "<unk>"].map(str::to_owned).into_iter();
    let words = special.chain(known.into_iter().map(|(word, _)| word.to_owned()));
    let mut list = String::new();
    for (number, word) in words.chain((0..).map(|number| format!("never-{number}"))).take(count).enumerate() {
        writeln!(list, "{}: {number}", serde_json::to_string(&word)?)?;
    }
    Ok(list)
}
