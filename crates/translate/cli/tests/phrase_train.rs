//! Training and tuning of phrase-based models on the command line.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{file, path, run};
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/phrase").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn from_text_to_translations() {
    let folder = tempfile::tempdir().unwrap();
    let [model, weights] = ["model", "mert.ini"].map(|name| path(&folder, name));
    let [de, en, dev_de, dev_en] = ["train.de.gz", "train.en.gz", "dev.de.gz", "dev.en.gz"].map(text);
    let [test_de, test_en] = ["test.de.gz", "test.en.gz"].map(text);
    let train = ["phrase", "train", &de, &en, "--tokenize", "de", "en", "-o", &model];
    let sets = ["--dev", &dev_de, &dev_en, "--test", &test_de, &test_en];
    let quick = ["--rounds", "2", "--n-best", "20"];
    let done = run(&[&train[..], &sets, &quick].concat(), "");
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""));
    let bleu = |line: &str, name: &str| -> f64 {
        let told = line.strip_suffix(&format!(" on the {name} set of 50 sentences, on tokenised words")).unwrap();
        told.strip_prefix("BLEU ").unwrap().parse().unwrap()
    };
    let [dev, test] = done.stderr.lines().collect::<Vec<_>>()[..] else { panic!("{}", done.stderr) };
    assert!(bleu(dev, "development") > 20.0 && bleu(test, "test") > 20.0, "{}", done.stderr);

    let translated = run(&["phrase", "translate", "-m", &model], "Wo ist das Geld ?\n").lines();
    assert!(translated[0].starts_with("Where is ") && translated[0].ends_with(" money ?"), "{translated:?}");
    // Compiled tables and text: the same translations, in lists with all scores.
    let names = |ini: &str| std::fs::read_to_string(Path::new(&model).join(ini)).unwrap();
    assert!(names("moses.ini").contains("path=tables.bin") && names("moses.text.ini").contains("path=phrase-table.gz"));
    let lists = |ini: &str| {
        let ini = format!("{model}/{ini}");
        run(&["phrase", "translate", "-m", &ini, "--n-best", "9"], "Wo ist das Geld ?\n\nIch habe Zeit .\n").ok()
    };
    assert_eq!(lists("moses.ini"), lists("moses.text.ini"));

    // Its files are next to the model, not next to the new weights.
    let tokens = |name: &str, language| run(&["tokenize", "-l", language, "--escape", "-i", name], "").ok();
    let source = tokens(&dev_de, "de");
    let reference = tokens(&dev_en, "en");
    let [source, reference] = [file(&folder, "dev.de", source), file(&folder, "dev.en", reference)];
    let tune = ["phrase", "tune", "-m", &model, &source, &reference, "--method", "mert", "-o", &weights];
    let log = run(&[&tune[..], &["--log", "info"], &quick[..2]].concat(), "").stderr;
    assert!(log.contains("round 2, BLEU "), "{log}");
    let translated = run(&["phrase", "translate", "-m", &weights], "Wo ist das Geld ?\n").lines();
    assert!(translated[0].starts_with("Where is ") && translated[0].ends_with(" money ?"), "{translated:?}");
}

#[test]
fn what_can_not_be_trained_on_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(&folder, "model");
    let [de, en, dev_de, dev_en] = ["train.de.gz", "train.en.gz", "dev.de.gz", "dev.en.gz"].map(text);
    let short = file(&folder, "short.en", "one line\n");
    let error = run(&["phrase", "train", &de, &short, "-o", &model], "").error(1);
    assert!(error.ends_with("line n of both has to be the same sentence"), "{error}");
    let error = run(&["phrase", "train", &de, &en, "--dev", &dev_de, &short, "-o", &model], "").error(1);
    assert!(error.starts_with("the development set has 50 source lines and 1 lines in reference 1"), "{error}");
    let missing = path(&folder, "missing.gz");
    let error = run(&["phrase", "train", &de, &missing, "-o", &model], "").error(1);
    assert!(error.starts_with(&format!("cannot read {missing}")), "{error}");
    assert!(!Path::new(&model).exists(), "nothing is made from what can not be read");

    let cut = std::fs::read(&de).unwrap();
    let cut = file(&folder, "cut.de.gz", &cut[..cut.len() / 2]);
    let error = run(&["phrase", "train", &cut, &en, "-o", &model], "").error(1);
    assert!(error.starts_with(&format!("cannot read {cut}")), "{error}");
    assert!(run(&["phrase", "train", &de, &en, "-o", &model, "--dev", &dev_de], "").error(2).contains("--dev"));
    let tune = ["phrase", "tune", "-m", &missing, &dev_de, &dev_en];
    assert!(run(&tune, "").error(1).starts_with(&format!("cannot read {missing}")));
    assert!(run(&[&tune[..], &["--step", "0"]].concat(), "").error(2).contains("--step"));
}

#[test]
fn a_model_that_translates_nothing_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    // Lines that share no phrase with their neighbours, as text that was not split into words.
    let side = |letter: &str, from: usize| {
        (from..from + 40).map(|line| format!("{letter}{line}x{letter}{line}\n")).collect::<String>()
    };
    let names = ["t.zh", "t.en", "d.zh", "d.en"];
    let texts = [side("a", 0), side("b", 0), side("a", 100), side("b", 100)];
    let [source, target, dev_source, dev_target] = std::array::from_fn(|i| file(&folder, names[i], &texts[i]));
    let model = path(&folder, "model");
    let train = ["phrase", "train", &source, &target, "--dev", &dev_source, &dev_target, "-o", &model, "--rounds", "1"];
    let done = run(&train, "");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stderr.contains("BLEU is 0.00 on the development set: the model is useless; check that"),
        "{}",
        done.stderr
    );
}
