//! Models in every precision: close to f32, the same to the bit alone and in any batch, and on every instruction set.

use crate::common::{fixtures, marian_options, search, word_scores};
use metaphrase_base::WordId;
use metaphrase_kernels::{InstructionSet, with_instruction_set};
use metaphrase_models::{Config, Model, Precision, Weights, load};
use metaphrase_search::Outcome;

/// All tiny models: every kind of layer, and most kinds of recurrent cells.
fn models() -> impl Iterator<Item = (String, (Config, Weights))> {
    let files = ["transformer", "recurrent"].into_iter().flat_map(|folder| fixtures(folder).read_dir().unwrap());
    let paths = files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "npz"));
    paths.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), load(&path).unwrap()))
}

fn model((config, weights): &(Config, Weights), precision: Precision) -> Model {
    Model::with_precision(config.clone(), weights, precision).unwrap()
}

/// Sentences of 1 to 15 words, end of sentence included.
fn sentences() -> Vec<Vec<WordId>> {
    let word = |i: usize, j: usize| WordId(2 + ((7 * i + 5 * j + i * j) % 17) as u32);
    (0..8).map(|i| (0..(5 * i) % 16).map(|j| word(i, j)).chain([WordId(0)]).collect()).collect()
}

fn search_in(model: &Model, batch_tokens: usize) -> Vec<Outcome<usize>> {
    let options = metaphrase_search::Options { attention: true, ..marian_options(model, 4, 1.0) };
    search(model, &options, batch_tokens, &sentences())
}

#[test]
fn searches_are_the_same_alone_in_any_batch_and_on_every_instruction_set() {
    for (name, loaded) in models() {
        for precision in [Precision::Bf16, Precision::Int16, Precision::Int8] {
            let model = model(&loaded, precision);
            let alone = search_in(&model, 1);
            assert_eq!(search_in(&model, 20), alone, "{name}, {precision:?}");
            for set in InstructionSet::available() {
                let found = with_instruction_set(set, || search_in(&model, 1000));
                assert_eq!(found, alone, "{name}, {precision:?}, {set}");
            }
        }
    }
}

#[test]
fn scores_are_close_to_those_of_f32() {
    for (name, loaded) in models() {
        let exact = model(&loaded, Precision::F32);
        for (precision, allowed) in [(Precision::Bf16, 0.05), (Precision::Int16, 0.005), (Precision::Int8, 0.2)] {
            let rounded = model(&loaded, precision);
            let (mut sum, mut count) = (0.0, 0.0);
            for pair in sentences().windows(2) {
                let [source, target] = pair else { unreachable!("windows of two") };
                let scores = [&exact, &rounded].map(|model| word_scores(model, source, target));
                sum += scores[0].iter().zip(&scores[1]).map(|(a, b)| (a - b).abs()).sum::<f32>();
                count += target.len() as f32;
            }
            assert!(sum / count < allowed, "{name}, {precision:?}: words differ by {} on average", sum / count);
            assert!(sum > 0.0, "{name}: {precision:?} changes nothing");
        }
    }
}
