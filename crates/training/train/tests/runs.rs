//! Runs from a recipe to a model, as a user would see them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_cuda::Cuda;
use metaphrase_models::ModelFiles;
use metaphrase_text::vocab::Vocabulary;
use metaphrase_train::log::Entry;
use metaphrase_train::{
    Device, Execution, Host, Observer, Progress, Recipe, ValidationReport, VocabularyTraining, average,
    extend_vocabulary, train, train_on_cpu,
};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const RECIPE: &str = r#"
[data]
train = [{ source = "train.x", target = "train.y" }]
dev = { source = "dev.x", target = "dev.y" }
[vocabulary.files]
source = "words.txt"
target = "words.txt"
[model.architecture.transformer]
dim-emb = 16
heads = 2
encoder-depth = 1
decoder-depth = 1
encoder-ffn = { dim = 32, depth = 2 }
decoder-ffn = { dim = 32, depth = 2 }
activation = "relu"
preprocess = ""
postprocess = "an"
postprocess-emb = ""
postprocess-top = ""
decoder-layer = "self-attention"
tied-embeddings = { source-target = true, target-output = true }
tied-layers = []
positions = "sinusoidal-marian"
scale-embeddings = true
alignment-layer = 1
attention-projection = true
layer-norm-epsilon = 1e-6
output-bias = true
[training]
updates = 14
batch = { size = { words = 60 }, window = 3 }
[training.update]
dropout = { layer = 0.1, attention = 0.1, feed-forward = 0.1, source-words = 0.05, target-words = 0.05 }
loss = { label-smoothing = 0.1, self-normalisation = 0.1 }
[training.update.optimizer]
schedule = { rate = 0.003, warmup = 5 }
clip-norm = 1.0
smoothing = 0.01
[validation]
every = 4
beam-size = 2
keep = 3
"#;

/// A folder with a recipe and text: the target has the words of the source in reverse.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<String> = (0..20).map(|i| format!("w{i}")).collect();
    let line = |i: usize| -> Vec<&str> { (0..2 + i % 5).map(|k| &words[(i * 7 + k * 3) % 20][..]).collect() };
    let write = |name: &str, lines: std::ops::Range<usize>| {
        let forward: String = lines.clone().map(|i| line(i).join(" ") + "\n").collect();
        let backward: String = lines.map(|i| line(i).into_iter().rev().collect::<Vec<_>>().join(" ") + "\n").collect();
        fs::write(folder.path().join(format!("{name}.x")), forward).unwrap();
        fs::write(folder.path().join(format!("{name}.y")), backward).unwrap();
    };
    write("train", 0..60);
    write("dev", 60..70);
    fs::write(folder.path().join("words.txt"), format!("</s>\n<unk>\n{}\n", words.join("\n"))).unwrap();
    fs::write(folder.path().join("recipe.toml"), RECIPE).unwrap();
    folder
}

/// Keeps all reports; fails at a chosen update.
#[derive(Debug, Default)]
struct Watcher {
    messages: Vec<String>,
    updates: Vec<u64>,
    crash_at: Option<u64>,
}

impl Observer for Watcher {
    fn message(&mut self, text: &str) {
        self.messages.push(text.to_owned());
    }
    fn progress(&mut self, progress: &Progress) {
        assert_ne!(Some(progress.update), self.crash_at, "a crash");
        self.updates.push(progress.update);
    }
    fn validated(&mut self, _: &ValidationReport) {}
}

fn run(folder: &Path, name: &str, resume: bool, settings: &[&str], watcher: &mut Watcher) -> Result<PathBuf, String> {
    run_on(Host::threads(2), folder, name, resume, settings, watcher)
}

fn run_on<D: Device>(
    shards: Vec<D>,
    folder: &Path,
    name: &str,
    resume: bool,
    settings: &[&str],
    watcher: &mut Watcher,
) -> Result<PathBuf, String> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let recipe = Recipe::read(&folder.join("recipe.toml"), &settings).map_err(|e| e.to_string())?;
    let output = folder.join(name);
    train(&recipe, &output, Execution { shards, threads: 2, resume }, watcher).map_err(|e| e.to_string())?;
    Ok(output)
}

fn model(run: &Path, name: &str) -> Vec<u8> {
    fs::read(run.join(name).join("model.safetensors")).unwrap()
}

#[test]
fn a_run_that_crashed_goes_on_to_the_same_bits() {
    for (method, accumulate) in [("adam", 1), ("muon", 2)] {
        let folder = folder();
        let accumulate = format!("training.update.accumulate = {accumulate}");
        let method = format!("training.update.optimizer.method = {{ {method} = {{}} }}");
        let start = |name, resume, watcher: &mut Watcher| {
            run(folder.path(), name, resume, &[&method, &accumulate], watcher).unwrap()
        };
        let whole = start("whole", false, &mut Watcher::default());
        let mut crashing = Watcher { crash_at: Some(11), ..Watcher::default() };
        let crash = catch_unwind(AssertUnwindSafe(|| start("other", false, &mut crashing)));
        assert!(crash.is_err());
        let mut resumed = Watcher::default();
        let other = start("other", true, &mut resumed);
        assert_eq!(resumed.updates, (9..=14).collect::<Vec<_>>(), "from the checkpoint at 8");
        for update in ["models/update-8", "models/update-12", "models/update-14", "best"] {
            assert_eq!(model(&whole, update), model(&other, update), "{update}");
        }
        assert!(!whole.join("models/update-4").exists(), "three models are kept");
        let log = |run: &Path| metaphrase_train::log::read(run).unwrap().len();
        assert_eq!(log(&whole), log(&other));
        assert!(fs::read_to_string(other.join("curves.svg")).unwrap().contains("<polyline"));
    }
}

#[test]
fn a_run_ends_by_time_and_goes_on_with_the_time_that_is_left() {
    let folder = folder();
    let schedule = "training.update.optimizer.schedule = { rate = 0.003, decay = { until-end = {} } }";
    let run = |seconds: &str, resume, watcher: &mut Watcher| {
        let settings = ["training.updates = 1000000", schedule, seconds];
        run(folder.path(), "run", resume, &settings, watcher).unwrap()
    };
    let [mut first, mut second, mut third] = [(); 3].map(|()| Watcher::default());
    run("training.seconds = 0.5", false, &mut first);
    let output = run("training.seconds = 1.5", true, &mut second);
    run("training.seconds = 1.5", true, &mut third);
    let last = first.updates[first.updates.len() - 1];
    assert!((last + 1..last + 1 + second.updates.len() as u64).eq(second.updates.iter().copied()), "{second:?}");
    assert!(!second.updates.is_empty() && third.updates.is_empty(), "{second:?}, {third:?}");
    let log = metaphrase_train::log::read(&output).unwrap();
    let updates: Vec<&Progress> =
        log.iter().filter_map(|entry| if let Entry::Progress(update) = entry { Some(update) } else { None }).collect();
    let last = updates[updates.len() - 1];
    // A validation after the last update may take the rest of the time.
    assert!(last.seconds > 1.2 && last.rate < 0.0015 && updates[0].rate > last.rate, "{updates:?}");
    assert!(last.update <= last.of && last.of < 1_000_000, "{last:?}");
    assert!(matches!(log.last(), Some(Entry::Validation(report)) if report.update == last.update), "{log:?}");
}

/// On the emulated device: the same, and from the CPU to the device and back.
#[test]
fn a_run_starts_from_a_model_of_the_same_network_and_vocabulary() {
    let folder = folder();
    let folder = folder.path();
    let first = run(folder, "first", false, &[], &mut Watcher::default()).unwrap();
    // A rate of nearly nothing leaves the model as it is.
    let from = "model.start-from='first/models/update-14'";
    let still = ["training.update.optimizer.schedule.rate=1e-20", "training.update.optimizer.smoothing=0", from];
    let second = run(folder, "second", false, &still, &mut Watcher::default()).unwrap();
    assert_eq!(model(&second, "models/update-14"), model(&first, "models/update-14"));

    let refused = |settings: &[&str]| {
        let settings: Vec<&str> = [from].iter().chain(settings).copied().collect();
        run(folder, "third", false, &settings, &mut Watcher::default()).unwrap_err()
    };
    let network = refused(&["model.architecture.transformer.encoder-ffn.dim=16"]);
    assert!(network.contains(" is [1, 32] and that of the recipe [1, 16]"), "{network}");
    fs::write(folder.join("others.txt"), fs::read_to_string(folder.join("words.txt")).unwrap().replace("w7", "v7"))
        .unwrap();
    let words = refused(&["vocabulary.files.source='others.txt'", "vocabulary.files.target='others.txt'"]);
    assert!(words.contains("its source vocabulary is another one from word 9 on"), "{words}");
    let missing = refused(&["model.start-from='nowhere'"]);
    assert!(missing.contains("nowhere"), "{missing}");
    assert!(!folder.join("third").exists());
}

/// Its vocabulary has a character in the place of a piece: the character begins as the mean of the bytes that stood for
/// it.
#[test]
fn words_that_the_first_model_lacks_begin_as_the_mean_of_their_parts() {
    let folder = folder();
    let folder = folder.path();
    let [text, old, new] = ["train.x", "old.spm", "new.spm"].map(|name| folder.join(name));
    let training = VocabularyTraining { size: 280, byte_fallback: true, ..VocabularyTraining::default() };
    training.train([&text].into_iter(), &old, 1).unwrap();
    let replaced = extend_vocabulary(&old, "€", [&text].into_iter(), &new).unwrap();
    let [old_words, new_words] = [&old, &new].map(|file| Vocabulary::open(file).unwrap());
    let place = old_words.id(&replaced[0].0).unwrap().index();
    assert_eq!(new_words.id("€").unwrap().index(), place);

    let files = |name: &str| format!("vocabulary={{files={{source='{name}',target='{name}'}}}}");
    let still = ["training.update.optimizer.schedule.rate=1e-20", "training.update.optimizer.smoothing=0"];
    run(folder, "first", false, &[&files("old.spm")], &mut Watcher::default()).unwrap();
    let settings = [&files("new.spm"), "model.start-from='first/models/update-14'", still[0], still[1]];
    let mut watcher = Watcher::default();
    run(folder, "second", false, &settings, &mut watcher).unwrap();
    let message = "new words: 1 of the source vocabulary, 1 of the target's";
    assert!(watcher.messages.iter().any(|told| told == message), "{:?}", watcher.messages);

    let weights = |name: &str| ModelFiles::find(&folder.join(name)).unwrap().load().unwrap().1;
    let (first, second) = (weights("first/models/update-14"), weights("second/models/update-14"));
    let bytes = ["<0xE2>", "<0x82>", "<0xAC>"].map(|byte| old_words.id(byte).unwrap().index());
    for (name, width) in [("Wemb", 16), ("decoder_ff_logit_out_b", 1)] {
        let (before, after) = (first.tensor(name).unwrap().data, second.tensor(name).unwrap().data);
        for (id, (before_row, row)) in before.chunks(width).zip(after.chunks(width)).enumerate() {
            if id != place {
                assert_eq!(before_row, row, "{name}, row {id}");
                continue;
            }
            for (column, value) in row.iter().enumerate() {
                let mean: f32 = bytes.iter().map(|byte| before[byte * width + column] / 3.0).sum();
                assert!((mean - value).abs() < 1e-6, "{name}: {mean} and {value}");
            }
        }
    }
    // Pieces in other places are another vocabulary.
    let other = folder.join("other");
    fs::write(&other, "x1 x22 x333 x44 x5 x66\n".repeat(9)).unwrap();
    VocabularyTraining { size: 270, ..training }.train([&other].into_iter(), &new, 1).unwrap();
    let error = run(folder, "third", false, &settings, &mut Watcher::default()).unwrap_err();
    assert!(error.contains("its source vocabulary is another one from word"), "{error}");
}

#[test]
fn layers_that_the_first_model_lacks_change_nothing_at_first() {
    let folder = folder();
    let folder = folder.path();
    let network = "model.architecture.transformer";
    for (form, before, after, top) in [("first", "n", "a", "n"), ("last", "", "an", "")] {
        let form_of = |side: &str| format!("{network}.{side}");
        let (before, after, top) = (
            format!("{}='{before}'", form_of("preprocess")),
            format!("{}='{after}'", form_of("postprocess")),
            format!("{}='{top}'", form_of("postprocess-top")),
        );
        let layout = [&before[..], &after, &top];
        run(folder, form, false, &layout, &mut Watcher::default()).unwrap();
        let from = format!("model.start-from='{form}/models/update-14'");
        let still = ["training.update.optimizer.schedule.rate=1e-20", "training.update.optimizer.smoothing=0", &from];
        let entropy = |name: &str, depths: [usize; 2]| {
            let depths = [("encoder-depth", depths[0]), ("decoder-depth", depths[1])];
            let depths = depths.map(|(side, depth)| format!("{network}.{side}={depth}"));
            let settings = [&layout[..], &still, &depths.each_ref().map(String::as_str)].concat();
            let output = run(folder, &format!("{form}-{name}"), false, &settings, &mut Watcher::default()).unwrap();
            let log = metaphrase_train::log::read(&output).unwrap();
            log.iter().find_map(|entry| match entry {
                Entry::Validation(validated) => Some(validated.cross_entropy),
                Entry::Progress(_) => None,
            })
        };
        let (same, deeper) = (entropy("same", [1, 1]).unwrap(), entropy("deeper", [3, 2]).unwrap());
        assert!((same - deeper).abs() < 1e-4, "normalisation {form}: {same} and {deeper}");
    }
    let shallower = "model.start-from='last-deeper/best'";
    let refused = run(folder, "shallower", false, &[shallower], &mut Watcher::default()).unwrap_err();
    assert!(refused.contains("`decoder_l2_…`, and the network of the recipe has fewer layers"), "{refused}");
}

#[test]
fn a_run_on_a_device_goes_on_to_the_same_bits() {
    let folder = folder();
    let cuda = || vec![Cuda::emulated(false)];
    let mut told = Watcher::default();
    let muon = ["training.update.optimizer.method = { muon = {} }"];
    let whole = run_on(cuda(), folder.path(), "whole", false, &muon, &mut told).unwrap();
    assert!(told.messages.iter().any(|text| text.starts_with("updates on the emulator")), "{:?}", told.messages);
    let mut crashing = Watcher { crash_at: Some(6), ..Watcher::default() };
    let crash = catch_unwind(AssertUnwindSafe(|| run_on(cuda(), folder.path(), "other", false, &muon, &mut crashing)));
    assert!(crash.is_err());
    let other = run_on(cuda(), folder.path(), "other", true, &muon, &mut Watcher::default()).unwrap();
    assert_eq!(model(&whole, "best"), model(&other, "best"));
    let mut moved = Watcher::default();
    run(folder.path(), "other", true, &[muon[0], "training.updates = 16"], &mut moved).unwrap();
    let expected = "the run was computed by a CUDA device and goes on with 2 threads: its numbers will differ in their \
                    last bits";
    assert!(moved.messages.iter().any(|text| text == expected), "{:?}", moved.messages);
    run_on(cuda(), folder.path(), "other", true, &[muon[0], "training.updates = 18"], &mut moved).unwrap();
    assert_eq!(moved.updates, [15, 16, 17, 18]);
}

#[test]
fn a_device_that_is_too_small_is_reported() {
    let folder = folder();
    let small = vec![Cuda::emulated_with_memory(50_000)];
    let error = run_on(small, folder.path(), "run", false, &[], &mut Watcher::default()).unwrap_err();
    assert!(error.starts_with("the GPU has no room for another 1 MB"), "{error}");
}

#[test]
fn a_run_is_not_begun_over_another_and_begins_anew_before_its_first_checkpoint() {
    let folder = folder();
    let begin = |resume| run(folder.path(), "run", resume, &["training.updates = 1"], &mut Watcher::default());
    // A run that was stopped before its first checkpoint left these: the directory was there before, so it stays.
    fs::create_dir(folder.path().join("run")).unwrap();
    let sound = fs::read(folder.path().join("dev.y")).unwrap();
    fs::write(folder.path().join("dev.y"), "one line\n").unwrap();
    begin(false).unwrap_err();
    assert!(folder.path().join("run/recipe.toml").exists());
    fs::write(folder.path().join("dev.y"), sound).unwrap();
    // An attempt that failed early is no run.
    fs::rename(folder.path().join("dev.y"), folder.path().join("away")).unwrap();
    assert!(begin(false).unwrap_err().contains("dev.y"));
    fs::rename(folder.path().join("away"), folder.path().join("dev.y")).unwrap();
    begin(true).unwrap();
    assert!(begin(false).unwrap_err().contains("there is a run already; continue it with `resume`"));
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/thesis.tex"), "").unwrap();
    for resume in [false, true] {
        let error = run(folder.path(), "other", resume, &[], &mut Watcher::default()).unwrap_err();
        assert!(error.contains("there are files of something else"), "{error}");
    }
}

#[test]
fn files_of_somebody_else_are_neither_taken_nor_replaced() {
    let folder = folder();
    let recipe = fs::read_to_string(folder.path().join("recipe.toml")).unwrap();
    let files = "[vocabulary.files]\nsource = \"words.txt\"\ntarget = \"words.txt\"\n";
    let train = "[vocabulary.train]\nkind = \"words\"\nsize = 22\nshared = true\n";
    fs::write(folder.path().join("recipe.toml"), recipe.replace(files, train)).unwrap();
    for name in ["vocabulary.yml", "recipe.toml", "best", "models", "log.jsonl", "target.de", "checksums"] {
        let path = folder.path().join("run").join(name);
        fs::create_dir(folder.path().join("run")).unwrap();
        fs::write(&path, "mine").unwrap();
        for resume in [false, true] {
            let error = run(folder.path(), "run", resume, &[], &mut Watcher::default()).unwrap_err();
            let expected = format!("there are files of something else, such as {name}; name a new directory");
            assert!(error.ends_with(&expected), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        assert_eq!(fs::read_dir(folder.path().join("run")).unwrap().count(), 1);
        fs::remove_dir_all(folder.path().join("run")).unwrap();
    }
    // Models whose checkpoint is gone are the work of a run, and stay.
    let output = run(folder.path(), "run", false, &["training.updates = 1"], &mut Watcher::default()).unwrap();
    fs::remove_dir_all(output.join("checkpoint-1")).unwrap();
    let best = model(&output, "best");
    let error = run(folder.path(), "run", false, &[], &mut Watcher::default()).unwrap_err();
    assert!(error.contains("there are models of a run, and no checkpoint to continue it"), "{error}");
    assert_eq!(model(&output, "best"), best);
}

#[test]
fn what_is_added_to_models_stays() {
    let folder = folder();
    let settings = ["validation.keep = 1", "validation.metric = 'cross-entropy'", "training.updates = 4"];
    let output = run(folder.path(), "run", false, &settings, &mut Watcher::default()).unwrap();
    for name in ["best", "models/update-4"] {
        fs::write(output.join(name).join("shortlist"), "mine").unwrap();
    }
    fs::write(output.join("recipe.toml"), "# mine").unwrap();
    run(folder.path(), "run", true, &[&settings[..2], &["training.updates = 12"]].concat(), &mut Watcher::default())
        .unwrap();
    for name in ["best-before-8", "models/update-4"] {
        assert_eq!(fs::read(output.join(name).join("shortlist")).unwrap(), b"mine", "{name}");
    }
    assert_eq!(fs::read(output.join("recipe.toml")).unwrap(), b"# mine");
    assert!(!output.join("best/shortlist").exists() && !output.join("models/update-8").exists());
}

#[test]
fn changed_inputs_of_a_run_are_noticed() {
    let folder = folder();
    run(folder.path(), "run", false, &["training.updates = 2"], &mut Watcher::default()).unwrap();
    let resume = |watcher: &mut Watcher| run(folder.path(), "run", true, &["training.updates = 3"], watcher);
    let changed = |name: &str, from: &str, to: &str| {
        let path = folder.path().join(name);
        let sound = fs::read_to_string(&path).unwrap();
        assert!(sound.contains(from));
        fs::write(&path, sound.replacen(from, to, 1)).unwrap();
        move || fs::write(path, sound).unwrap()
    };
    let restore = changed("train.x", "w0", "w1");
    assert!(resume(&mut Watcher::default()).unwrap_err().contains("trained on other data; begin a new run"));
    restore();
    // Two words change places that stand in no text: all ids of the data are the same.
    let restore = changed("words.txt", "w19\n", "w19\nnever\nnowhere\n");
    run(folder.path(), "words", false, &["training.updates = 2"], &mut Watcher::default()).unwrap();
    restore();
    let restore = changed("words.txt", "w19\n", "w19\nnowhere\nnever\n");
    let error = run(folder.path(), "words", true, &["training.updates = 3"], &mut Watcher::default()).unwrap_err();
    assert!(error.ends_with("its checkpoint was trained with other vocabularies; begin a new run"), "{error}");
    restore();
    let restore = changed("dev.x", "w", "w1 w");
    let mut watcher = Watcher::default();
    resume(&mut watcher).unwrap();
    let told = "the development set has changed since the checkpoint";
    assert!(watcher.messages.iter().any(|message| message.starts_with(told)), "{:?}", watcher.messages);
    restore();
}

#[test]
fn an_error_in_the_data_leaves_no_directory() {
    let folder = folder();
    fs::write(folder.path().join("dev.y"), "one line\n").unwrap();
    let error = run(folder.path(), "new/run", false, &[], &mut Watcher::default()).unwrap_err();
    assert!(error.contains("dev.y"), "{error}");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn a_long_line_of_the_development_set_is_cut_and_reported() {
    let folder = folder();
    for (side, word) in [("x", "w1 "), ("y", "w2 ")] {
        let path = folder.path().join(format!("dev.{side}"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{}\n", word.repeat(18_000))).unwrap();
    }
    let mut watcher = Watcher::default();
    run(folder.path(), "run", false, &["training.updates = 1"], &mut watcher).unwrap();
    let told = "development data: 1 source lines have more than 999 words";
    assert!(watcher.messages.iter().any(|message| message.starts_with(told)), "{:?}", watcher.messages);
}

#[test]
fn two_runs_do_not_write_into_one_directory() {
    /// Begins another run in the middle of one.
    struct SecondRun<'a>(&'a Path, Vec<String>);
    impl Observer for SecondRun<'_> {
        fn message(&mut self, _: &str) {}
        fn progress(&mut self, _: &Progress) {
            let second = |resume| run(self.0, "run", resume, &[], &mut Watcher::default());
            self.1.extend([true, false].map(|resume| second(resume).unwrap_err()));
        }
        fn validated(&mut self, _: &ValidationReport) {}
    }
    let folder = folder();
    let recipe = Recipe::read(&folder.path().join("recipe.toml"), &[]).unwrap();
    let mut observer = SecondRun(folder.path(), Vec::new());
    train_on_cpu(&recipe, &folder.path().join("run"), 1, false, &mut observer).unwrap();
    let [first, second, ..] = &observer.1[..] else { panic!("{:?}", observer.1) };
    for error in [first, second] {
        let expected = "another process is training here; wait until it ends or name another directory";
        assert!(error.ends_with(expected), "{error}");
    }
    // It is free again.
    run(folder.path(), "run", true, &[], &mut Watcher::default()).unwrap();
}

#[test]
fn a_loss_that_is_not_finite_stops_the_run_and_keeps_the_checkpoint() {
    let folder = folder();
    let settings = ["training.update.optimizer.schedule = { rate = 1e30, warmup = 0 }", "validation.every = 1"];
    let error = run(folder.path(), "run", false, &settings, &mut Watcher::default()).unwrap_err();
    assert!(error.starts_with("update "), "{error}");
    assert!(error.contains("is not finite") && error.ends_with("the last good checkpoint is kept"), "{error}");
    assert!(folder.path().join("run/checkpoint-1/tensors.safetensors").exists());
}

#[test]
fn unequal_files_are_refused() {
    let folder = folder();
    fs::write(folder.path().join("train.y"), "w1\n").unwrap();
    let error = run(folder.path(), "run", false, &[], &mut Watcher::default()).unwrap_err();
    assert!(error.contains("train.x") && error.contains("train.y") && error.contains("60"), "{error}");
}

#[test]
fn a_checkpoint_of_another_network_is_refused() {
    let folder = folder();
    run(folder.path(), "run", false, &["training.updates = 2"], &mut Watcher::default()).unwrap();
    let wider = ["model.architecture.transformer.encoder-ffn.dim = 40"];
    let error = run(folder.path(), "run", true, &wider, &mut Watcher::default()).unwrap_err();
    assert!(error.contains("is no checkpoint of this recipe: tensor `"), "{error}");
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = folder();
    let output = run(folder.path(), "run", false, &["training.updates = 2"], &mut Watcher::default()).unwrap();
    let checkpoint = output.join("checkpoint-2");
    assert!(metaphrase_train::check_checkpoint(&checkpoint).unwrap());
    let resume = || run(folder.path(), "run", true, &["training.updates = 3"], &mut Watcher::default());
    for name in ["tensors.safetensors", "state.json"] {
        let path = checkpoint.join(name);
        let sound = fs::read(&path).unwrap();
        for at in [9, sound.len() / 2, sound.len() - 2] {
            let mut changed = sound.clone();
            changed[at] ^= 1;
            fs::write(&path, changed).unwrap();
            let error = resume().unwrap_err();
            assert!(error.contains(name) && error.contains(" is damaged: its checksum is "), "{error}");
        }
        fs::write(&path, sound).unwrap();
    }
    fs::remove_file(checkpoint.join("checksums")).unwrap();
    resume().expect("a checkpoint of an older version has no checksums");
}

#[test]
fn the_mean_of_models_is_a_model() {
    let folder = folder();
    let run = run(folder.path(), "run", false, &[], &mut Watcher::default()).unwrap();
    let models = ["models/update-12", "models/update-14"].map(|name| run.join(name));
    let mean = folder.path().join("mean");
    average(&models, &mean, metaphrase_models::StoredPrecision::F32).unwrap();
    let tensor = |directory: &Path| {
        let (_, weights) = metaphrase_models::load(directory).unwrap();
        weights.tensor("Wemb").unwrap().data.to_vec()
    };
    let (a, b, mean) = (tensor(&models[0]), tensor(&models[1]), tensor(&mean));
    assert!(a != b && mean.iter().zip(a.iter().zip(&b)).all(|(m, (a, b))| (m - (a + b) / 2.0).abs() < 1e-6));
}

#[test]
fn a_checkpoint_that_can_not_be_written_leaves_the_old_one_whole() {
    let folder = folder();
    let two = ["training.updates = 4"];
    let output = run(folder.path(), "run", false, &two, &mut Watcher::default()).unwrap();
    // Where the new checkpoint would be, there is a file in the way.
    fs::write(output.join("checkpoint-8"), "").unwrap();
    let error = run(folder.path(), "run", true, &[], &mut Watcher::default()).unwrap_err();
    assert!(error.contains("can not write") && error.contains("checkpoint-8"), "{error}");
    fs::remove_file(output.join("checkpoint-8")).unwrap();
    let mut resumed = Watcher::default();
    run(folder.path(), "run", true, &[], &mut resumed).unwrap();
    assert_eq!(resumed.updates.first(), Some(&5));
}

#[test]
fn vocabularies_are_trained_on_the_text() {
    for (kind, extension) in [("words", "yml"), ("unigram", "spm"), ("bpe", "spm")] {
        let folder = folder();
        let text = fs::read_to_string(folder.path().join("recipe.toml")).unwrap();
        let files = "[vocabulary.files]\nsource = \"words.txt\"\ntarget = \"words.txt\"\n";
        assert!(text.contains(files));
        let train = format!("[vocabulary.train]\nkind = \"{kind}\"\nsize = 22\nshared = true\n");
        fs::write(folder.path().join("recipe.toml"), text.replace(files, &train)).unwrap();
        let output = run(folder.path(), "run", false, &["training.updates = 2"], &mut Watcher::default()).unwrap();
        assert!(output.join(format!("vocabulary.{extension}")).exists(), "{kind}");
        let (config, _) = metaphrase_models::load(&output.join("best")).unwrap();
        assert_eq!(config.source_words, 22, "{kind}");
        run(folder.path(), "run", true, &["training.updates = 3"], &mut Watcher::default()).unwrap();
    }
}

#[test]
fn a_run_is_not_resumed_with_other_data() {
    let folder = folder();
    run(folder.path(), "run", false, &["training.updates = 2"], &mut Watcher::default()).unwrap();
    for side in ["train.x", "train.y"] {
        let path = folder.path().join(side);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}w1 w2\n")).unwrap();
    }
    let error = run(folder.path(), "run", true, &[], &mut Watcher::default()).unwrap_err();
    assert!(error.contains("its checkpoint was trained on other data"), "{error}");
}
