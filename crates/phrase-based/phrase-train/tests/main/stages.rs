//! Each stage takes the files that it would make itself, and no others.

use crate::common::{ALL, corpus, dev, lines, names, options, read, run, run_with};
use metaphrase_align::Corpus;
use metaphrase_phrase_train::{DevSet, Event, Stage, TrainOptions, train};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Options with which a training takes a second.
fn quick() -> TrainOptions {
    let mut options = options(2);
    (options.tune.rounds, options.tune.n_best) = (1, 5);
    options
}

/// The bytes of all files of a directory.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let content = |name: PathBuf| (name.clone(), std::fs::read(folder.join(name)).unwrap());
    names(folder).into_iter().map(content).collect()
}

/// Goes on with a training: the stages that are done, and the reported reasons.
fn go_on(corpus: &Corpus, options: &TrainOptions, folder: &Path) -> (Vec<Stage>, Vec<String>) {
    let (mut stages, mut reasons) = (Vec::new(), Vec::new());
    let observer = &mut |event: Event<'_>| match event {
        Event::Begin(stage) => stages.push(stage),
        Event::Outdated(stage, reason) => reasons.push(format!("{stage}: {reason}")),
        _ => {}
    };
    train(corpus, Some(&dev()), options, folder, true, observer).unwrap();
    (stages, reasons)
}

#[test]
fn what_is_there_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path();
    run(&corpus(), &quick(), model, false).unwrap();
    let before = content(model);

    let error = run(&corpus(), &quick(), model, false).unwrap_err();
    assert!(error.contains("has a training already; go on with it (`resume`)"), "{error}");
    let mut other_threads = options(1);
    (other_threads.tune.rounds, other_threads.tune.n_best) = (1, 5);
    assert_eq!(run(&corpus(), &other_threads, model, true), Ok(Vec::new()));
    for (gone, stage) in [
        ("moses.ini", Stage::Tune),
        ("lm.arpa.gz", Stage::LanguageModel),
        ("phrase-table.gz", Stage::Extract),
        ("tables.bin", Stage::Compile),
        ("alignment.gz", Stage::Align),
    ] {
        std::fs::remove_file(model.join(gone)).unwrap();
        let (stages, reasons) = go_on(&corpus(), &quick(), model);
        assert_eq!(stages, [stage], "{gone}");
        assert_eq!(reasons, [format!("{stage}: {gone} is missing")]);
    }
    assert!(content(model) == before, "the same bytes");
}

#[test]
fn tables_of_another_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [other, model] = ["other", "model"].map(|name| folder.path().join(name));
    let mut half = Corpus::default();
    lines("train.de.gz").iter().zip(lines("train.en.gz")).take(100).for_each(|(de, en)| half.push(de, &en));
    run(&half, &quick(), &other, false).unwrap();
    std::fs::create_dir(&model).unwrap();
    for name in ["phrase-table.gz", "reordering-table.wbe-msd-bidirectional-fe.gz"] {
        std::fs::copy(other.join(name), model.join(name)).unwrap();
    }
    let before = content(&model);
    for resume in [false, true] {
        let error = run(&corpus(), &quick(), &model, resume).unwrap_err();
        let expected = "phrase-table.gz is not of a training in this directory; train in another directory";
        assert_eq!(error, format!("{}/{expected}", model.display()));
        assert!(content(&model) == before, "nothing is written");
    }
}

#[test]
fn files_of_somebody_else_stay() {
    let folder = tempfile::tempdir().unwrap();
    let [mine, model] = ["mine", "model"].map(|name| folder.path().join(name));
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("thesis.tex"), "mine").unwrap();
    for resume in [false, true] {
        let error = run(&corpus(), &quick(), &mine, resume).unwrap_err();
        assert!(error.contains("thesis.tex is not of a training in this directory"), "{error}");
        assert_eq!(names(&mine), [Path::new("thesis.tex")]);
    }

    // Other weights in the directory of a model are fine; a file in the place of one that will be written is not.
    let mut text = quick();
    text.compile = false;
    run(&corpus(), &text, &model, false).unwrap();
    std::fs::write(model.join("other.ini"), "mine").unwrap();
    assert_eq!(run(&corpus(), &text, &model, true), Ok(Vec::new()));
    std::fs::write(model.join("tables.bin"), "mine").unwrap();
    let before = content(&model);
    let error = run(&corpus(), &quick(), &model, true).unwrap_err();
    assert!(error.contains("tables.bin is not of a training in this directory"), "{error}");
    assert!(content(&model) == before, "nothing is written");
}

#[test]
fn a_file_that_was_changed_is_neither_taken_nor_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path();
    run(&corpus(), &quick(), model, false).unwrap();
    for name in ["moses.ini", "phrase-table.gz", "lm.bin", "lex.s2t.gz"] {
        let sound = read(model, name);
        let mut changed = sound.clone();
        *changed.last_mut().unwrap() ^= 1;
        std::fs::write(model.join(name), changed).unwrap();
        let before = content(model);
        let error = run(&corpus(), &quick(), model, true).unwrap_err();
        assert!(error.contains(&format!("{name} is not as the training wrote it: its checksum is ")), "{error}");
        assert!(content(model) == before, "nothing is written");
        std::fs::write(model.join(name), sound).unwrap();
    }
    assert_eq!(run(&corpus(), &quick(), model, true), Ok(Vec::new()));
}

/// Each directory ends as that of a training which had the last options from the beginning.
#[test]
fn other_settings_make_the_stages_anew_that_depend_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let [model, fresh] = ["model", "fresh"].map(|name| folder.path().join(name));
    run(&corpus(), &quick(), &model, false).unwrap();
    let mut options = quick();
    options.extract.max_length = 3;
    let (stages, reasons) = go_on(&corpus(), &options, &model);
    assert_eq!(stages, [Stage::Extract, Stage::Compile, Stage::Tune]);
    let expected = [
        "phrase tables: longest phrase: 7 then, 3 now",
        "compiled tables: phrase-table.gz: another content now",
        "tuning: tables.bin: another content now",
    ];
    assert_eq!(reasons, expected);

    options.estimate.order = 2;
    assert_eq!(go_on(&corpus(), &options, &model).0, [Stage::LanguageModel, Stage::Compile, Stage::Tune]);
    options.distortion_limit = 2;
    let (stages, reasons) = go_on(&corpus(), &options, &model);
    assert_eq!((stages, reasons), (vec![Stage::Tune], vec!["tuning: distortion limit: 6 then, 2 now".to_owned()]));
    options.tune.n_best = 7;
    assert_eq!(go_on(&corpus(), &options, &model).0, [Stage::Tune]);
    options.align.hmm_iterations = 1;
    assert_eq!(go_on(&corpus(), &options, &model).0[..2], ALL[..2]);

    run(&corpus(), &options, &fresh, false).unwrap();
    assert!(content(&model) == content(&fresh), "the same bytes");
    // Without compiled tables there is one model, of text.
    options.compile = false;
    assert_eq!(go_on(&corpus(), &options, &model).0, [Stage::Tune]);
    assert!(!model.join("moses.text.ini").exists(), "it would have the weights of the other model");
}

#[test]
fn another_text_makes_the_stages_anew_that_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let [model, fresh] = ["model", "fresh"].map(|name| folder.path().join(name));
    run(&corpus(), &quick(), &model, false).unwrap();
    let mut more = corpus();
    more.push("noch ein Satz .", &lines("train.en.gz")[0]);
    let (stages, reasons) = go_on(&more, &quick(), &model);
    assert_eq!(stages, ALL);
    assert_eq!(
        reasons[..2],
        ["word alignment: source text: another content now", "phrase tables: alignment.gz: another content now"]
    );
    run(&more, &quick(), &fresh, false).unwrap();
    assert!(content(&model) == content(&fresh), "the same bytes");

    let [mut source, target] = ["dev.de.gz", "dev.en.gz"].map(lines);
    source[0] += " ja";
    let dev = DevSet::new(source, vec![target]).unwrap();
    assert_eq!(run_with(&more, &dev, &quick(), &model, true), Ok(vec![Stage::Tune]));
}

#[test]
fn another_language_model_of_the_same_name_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let [first, model, file] = ["first", "model", "lm.arpa.gz"].map(|name| folder.path().join(name));
    let mut options = quick();
    run(&corpus(), &options, &first, false).unwrap();
    std::fs::copy(first.join("lm.arpa.gz"), &file).unwrap();
    options.language_model = Some(file.clone());
    run(&corpus(), &options, &model, false).unwrap();
    assert_eq!(run(&corpus(), &options, &model, true), Ok(Vec::new()));
    let mut shorter = quick();
    shorter.estimate.order = 2;
    run(&corpus(), &shorter, &first, true).unwrap();
    std::fs::copy(first.join("lm.arpa.gz"), &file).unwrap();
    assert_eq!(run(&corpus(), &options, &model, true), Ok(vec![Stage::Compile, Stage::Tune]));
}

/// A panic stands for a program that is killed at the beginning of each stage, and within the first and the last.
#[test]
fn a_training_that_was_killed_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    run(&corpus(), &quick(), &whole, false).unwrap();
    for at in 0.. {
        let mut events = 0;
        let observer = &mut |_: Event<'_>| {
            events += 1;
            assert!(events <= at, "killed");
        };
        let resume = killed.join("stages.toml").exists();
        let dev = dev();
        let training = || train(&corpus(), Some(&dev), &quick(), &killed, resume, observer).map(drop);
        if catch_unwind(AssertUnwindSafe(training)).is_ok_and(|done| done.is_ok()) {
            break;
        }
        assert!(at < 100, "it ends");
    }
    assert!(content(&whole) == content(&killed), "the same bytes");
}
