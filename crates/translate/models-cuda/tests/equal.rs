//! A model on a device (the emulator, or a GPU with `METAPHRASE_TEST_GPU`) is the model of the CPU: the same
//! translations, scores within a bound; and the same bits alone and in any batch.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{assert_near, both, fixture, mixed, options, search, sentences, tasks};
use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
use metaphrase_models::{Architecture, Model, load};
use metaphrase_models_cuda::{Cuda, CudaModel, WeightNumbers};
use metaphrase_search::{Options, Searcher, Strategy};

/// The Transformers of the repository that a device can run: all orders of operations, activations, tied tables, kinds
/// of positions and layers of the decoder that the fixtures have.
const FIXTURES: [&str; 12] = [
    "aan-gate",
    "aan-plain",
    "aan-pre-no-gate",
    "highway-no-projection",
    "no-positions",
    "post-relu-tied-all",
    "pre-and-post-norm",
    "pre-gelu-tied-src",
    "rms-tied-layers",
    "ssru-pre-projection",
    "ssru-tied-all",
    "untied-swish-depths",
];

#[test]
fn n_best_lists_and_attention_are_those_of_the_cpu() {
    for name in FIXTURES {
        let [cpu, device] = both(name, WeightNumbers::F32);
        for beam_size in [1, 4] {
            let of = |model: &Model| search(model, 100, tasks(model, &options(model, beam_size), sentences(9)));
            assert_near(name, &of(&device), &of(&cpu), 1e-4);
        }
        assert_eq!(device.device_failure(), None);
    }
}

#[test]
fn a_sentence_has_the_same_bits_alone_and_in_any_batch() {
    for name in ["post-relu-tied-all", "pre-gelu-tied-src", "ssru-pre-projection", "aan-gate"] {
        let [_, device] = both(name, WeightNumbers::F32);
        let of = |batch_tokens| search(&device, batch_tokens, tasks(&device, &options(&device, 3), sentences(6)));
        let alone = of(1);
        for batch_tokens in [10, 1000] {
            assert_eq!(of(batch_tokens), alone, "{name}, batch {batch_tokens}");
        }
    }
}

#[test]
fn shortlists_constraints_and_prefixes_work_in_one_batch() {
    for name in ["post-relu-tied-all", "ssru-tied-all"] {
        let [cpu, device] = both(name, WeightNumbers::F32);
        let terms = [vec![vec![WordId(9), WordId(11)]], vec![vec![WordId(5)], vec![WordId(6), WordId(7)]]];
        let of = |model: &Model| {
            let tasks = tasks(model, &options(model, 3), sentences(6));
            search(model, 1000, mixed(model, tasks, &terms))
        };
        assert_near(name, &of(&device), &of(&cpu), 1e-4);
    }
}

#[test]
fn an_ensemble_votes_across_devices() {
    let [first, on_device] = both("post-relu-tied-all", WeightNumbers::F32);
    let [second, other] = both("ssru-tied-all", WeightNumbers::F32);
    let cpu = Model::ensemble(vec![first, second], &[0.7, 0.3]).unwrap();
    let device = Model::ensemble(vec![on_device, other], &[0.7, 0.3]).unwrap();
    let of = |model: &Model| search(model, 100, tasks(model, &options(model, 3), sentences(4)));
    assert_near("an ensemble", &of(&device), &of(&cpu), 1e-4);
}

#[test]
fn cube_pruning_and_draws_are_those_of_the_cpu() {
    let [cpu, device] = both("pre-gelu-tied-src", WeightNumbers::F32);
    let cube = Options { strategy: Strategy::CUBE, ..options(&cpu, 4) };
    let drawn = Options { sampling: Some("topk:5".parse().unwrap()), n_best: 1, beam_size: 1, ..options(&cpu, 1) };
    for options in [cube, drawn] {
        let of = |model: &Model| search(model, 100, tasks(model, &options, sentences(4)));
        assert_near("a strategy", &of(&device), &of(&cpu), 1e-4);
    }
}

/// Log-probability of each word of `target`, whose words are given.
fn word_scores(model: &Model, demand: StepDemand, source: &[WordId], target: &[WordId]) -> Vec<f32> {
    let (mut state, mut scores, slot) = (model.new_state(), model.new_scores(), SentId(0));
    model.encode(&[Sentence { given_target: true, ..Sentence::new(slot, source) }], &mut state);
    let mut parent = None;
    let score = |&word: &WordId| {
        model.step(Step::New, demand, &[StepRow { sentence: slot, parent }], &mut state, &mut scores);
        parent = Some(Parent { row: Row(0), word });
        scores.score(Row(0), word)
    };
    target.iter().map(score).collect()
}

#[test]
fn words_have_the_scores_of_the_cpu_whatever_was_announced() {
    let words: Vec<WordId> = [5, 9, 12, 7, 3, 0].map(WordId).to_vec();
    let single = StepDemand { words: 1, ..StepDemand::default() };
    for (name, numbers, bound) in [
        ("pre-gelu-tied-src", WeightNumbers::F32, 1e-5),
        ("pre-and-post-norm", WeightNumbers::F32, 1e-5),
        ("post-relu-tied-all", WeightNumbers::Bf16, 0.05),
        ("ssru-tied-all", WeightNumbers::Bf16, 0.05),
    ] {
        let [cpu, device] = both(name, numbers);
        let expected = word_scores(&cpu, StepDemand::ANYTHING, &words, &words);
        let got = word_scores(&device, StepDemand::ANYTHING, &words, &words);
        assert_eq!(word_scores(&device, single, &words, &words), got, "{name}");
        let differ = |(a, b): (&f32, &f32)| (a - b).abs();
        let most = got.iter().zip(&expected).map(differ).fold(0.0, f32::max);
        assert!(most <= bound, "{name}: scores differ by {most}");
        assert!(numbers == WeightNumbers::F32 || most > 0.0, "{name}: nothing was rounded");
    }
}

#[test]
fn networks_without_kernels_are_refused_in_one_sentence() {
    let (mut config, weights) = load(&fixture("post-relu-tied-all")).unwrap();
    let Architecture::Transformer(settings) = &mut config.architecture else { panic!("a Transformer") };
    settings.gated_ffn = true;
    let refused = CudaModel::load(&Cuda::for_tests(false), config, &weights, WeightNumbers::F32).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "a CUDA device can not run gated feed-forward blocks yet, which this model has: translate with it on the device \
         `cpu`"
    );
}

#[test]
fn sentences_that_have_no_room_together_are_searched_in_smaller_batches() {
    let (config, weights) = load(&fixture("post-relu-tied-all")).unwrap();
    let parameters = Model::new(config.clone(), &weights).unwrap().parameters();
    let on = |numbers| {
        let cuda = Cuda::emulated_with_memory(numbers);
        CudaModel::load(&cuda, config.clone(), &weights, WeightNumbers::F32).unwrap()
    };
    let of = |device: &Model| search(device, 10_000, tasks(device, &options(device, 4), sentences(40)));
    let (small, large) = (on(parameters * 3 / 2 + 24_000), on(usize::MAX));
    assert_eq!(of(&small), of(&large));
    assert_eq!(small.device_failure(), None);
    // All sentences together have none there.
    let (mut state, sentences) = (small.new_state(), sentences(40));
    let slots = sentences.iter().enumerate().map(|(slot, words)| Sentence::new(SentId::new(slot), words));
    small.encode(&slots.collect::<Vec<_>>(), &mut state);
    assert!(small.lacks_memory(&state));
}

#[test]
fn a_full_device_says_so_and_has_no_scores() {
    let (config, weights) = load(&fixture("post-relu-tied-all")).unwrap();
    let small = Cuda::emulated_with_memory(1000);
    let refused = CudaModel::load(&small, config.clone(), &weights, WeightNumbers::F32).err().unwrap().to_string();
    assert!(refused.starts_with("the GPU has no room for another"), "{refused}");
    let parameters = Model::new(config.clone(), &weights).unwrap().parameters();
    // Room for a short sentence, not for the vectors of 3,000 words.
    let small = Cuda::emulated_with_memory(parameters * 3 / 2 + 60_000);
    let device = CudaModel::load(&small, config, &weights, WeightNumbers::F32).unwrap();
    let long: Vec<WordId> = (0..3000).map(|i| WordId(i % 13 + 2)).collect();
    let mut tasks = tasks(&device, &options(&device, 2), vec![long, vec![WordId(5), WordId(0)]]).into_iter();
    let mut finite = Vec::new();
    Searcher::new(&device, 1).run(
        || tasks.next(),
        |outcome| {
            finite.push(outcome.hypotheses.iter().any(|found| found.score.is_finite()));
            let failure = device.device_failure().is_some_and(|text| text.starts_with("the GPU has no room for"));
            assert_eq!(failure, outcome.tag == 0);
        },
    );
    assert_eq!(finite, [false, true], "the next sentence has room again");
}
