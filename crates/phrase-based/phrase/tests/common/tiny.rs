//! Tiny random models.

use metaphrase_phrase::{FeatureNames, Features, LanguageModel, PhraseModel, PhraseTable};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Numbers that look random: the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        // Knuth's MMIX generator; its upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    pub fn unit(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 20) as f32
    }
}

const SOURCE: [&str; 4] = ["a", "b", "c", "d"];
const TARGET: [&str; 4] = ["w", "x", "y", "z"];

/// A sentence of at most `longest` words, `?` not being in the table.
pub fn sentence(random: &mut Random, longest: usize) -> Vec<&'static str> {
    let len = 1 + random.below(longest);
    (0..len).map(|_| if random.below(8) == 0 { "?" } else { SOURCE[random.below(4)] }).collect()
}

/// A model of phrases of one and two words and trigrams.
pub fn model(random: &mut Random) -> PhraseModel {
    model_of(random, |table| table)
}

/// The same model; its table is used from a file.
#[allow(dead_code, reason = "not every test that has this module needs it")]
pub fn compiled_model(random: &mut Random) -> PhraseModel {
    model_of(random, |table| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        table.write(file.as_file_mut()).unwrap();
        PhraseTable::open(file.path()).unwrap()
    })
}

fn model_of(random: &mut Random, change: impl FnOnce(PhraseTable) -> PhraseTable) -> PhraseModel {
    let (mut pairs, mut reordering) = (String::new(), String::new());
    for source in phrases(&SOURCE, 2) {
        for target in phrases(&TARGET, 3) {
            if random.below(if source.contains(' ') { 40 } else { 25 }) > 0 {
                continue;
            }
            let mut scores = |count| (0..count).fold(String::new(), |text, _| text + &format!(" {}", random.unit()));
            writeln!(pairs, "{source} ||| {target} |||{} ||| 0-0", scores(2)).unwrap();
            writeln!(reordering, "{source} ||| {target} |||{}", scores(6)).unwrap();
        }
    }
    let table = PhraseTable::read(file(&pairs).path(), 2, Some(file(&reordering).path())).unwrap();
    let language_model = language_model(random);
    let weights = Features {
        reordering: [0; 6].map(|_| random.unit() - 0.3),
        distortion: random.unit() - 0.3,
        language_model: random.unit(),
        word_penalty: random.unit() - 0.5,
        phrase_penalty: random.unit() - 0.5,
        translation: vec![random.unit(), random.unit()],
        unknown_word: 1.0,
    };
    PhraseModel::new(change(table), language_model, weights, FeatureNames::moses_defaults())
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn phrases(words: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        let longer = |phrase: &String| words.iter().map(|word| format!("{phrase} {word}")).collect::<Vec<_>>();
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all.into_iter().skip(1).map(|phrase| phrase.trim().to_owned()).collect()
}

/// Some bigrams, and some trigrams of them.
fn language_model(random: &mut Random) -> LanguageModel {
    let words = ["<s>", "</s>", "w", "x", "y", "z"];
    let mut unigrams = "-3\t<unk>\n".to_owned();
    for word in words {
        writeln!(unigrams, "{}\t{word}\t{}", -0.5 - random.unit(), -random.unit()).unwrap();
    }
    let mut bigrams = Vec::new();
    for first in words.iter().filter(|word| **word != "</s>") {
        for second in &words[1..] {
            if random.below(2) == 0 {
                bigrams.push((first, second, -random.unit(), -random.unit()));
            }
        }
    }
    let mut trigrams = Vec::new();
    for &(first, second, ..) in &bigrams {
        for &(_, third, ..) in bigrams.iter().filter(|bigram| bigram.0 == second) {
            if random.below(2) == 0 {
                trigrams.push(format!("{}\t{first} {second} {third}\n", -random.unit()));
            }
        }
    }
    let bigram =
        |&(first, second, p, backoff): &(&&str, &&str, f32, f32)| format!("{p}\t{first} {second}\t{backoff}\n");
    let text = format!(
        "\\data\\\nngram 1=7\nngram 2={}\nngram 3={}\n\n\\1-grams:\n{unigrams}\n\\2-grams:\n{}\n\\3-grams:\n{}\n\\end\\\n",
        bigrams.len(),
        trigrams.len(),
        bigrams.iter().map(bigram).collect::<String>(),
        trigrams.concat(),
    );
    metaphrase_ngram::arpa::read_from(text.as_bytes(), Path::new("tiny.arpa")).unwrap()
}
