//! The program in a shell: text as an argument, completions, manual pages, settings, models by name.

use crate::common::{file, names, path, run, run_with};
use std::fs;
use std::path::Path;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/de-en");
const MOSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/phrase/tiny");

#[test]
fn text_is_an_argument() {
    let piped = run(&["translate"], "Good morning!\nI am tired.\n").ok();
    assert_eq!(run(&["translate", "Good morning!", "I am tired."], "").ok(), piped);
    let json = run(&["translate", "--input-format", "json", r#"{"text": "Good morning!"}"#], "").ok();
    assert_eq!(json.lines().next(), piped.lines().next());
}

#[test]
fn an_argument_is_a_text_of_sentences() {
    let text = "Open report_07.docx. Run `make -j8`!";
    let whole = run(&["translate", "-b", "1", text], "").ok();
    assert!(whole.contains("report_07.docx") && whole.contains("`make -j8`"), "{whole}");
    assert_eq!(whole, run(&["translate", "-b", "1", "--split"], format!("{text}\n")).ok());
    let line = run(&["translate", "-b", "1"], format!("{text}\n")).ok();
    assert_eq!(run(&["translate", "-b", "1", "--input-format", "plain", text], "").ok(), line);
    let best = run(&["translate", "-b", "1", "--n-best", "1", text], "").ok();
    assert_eq!(best.split(" ||| ").nth(1), Some(line.trim_end()), "{best}");
}

#[test]
fn a_file_instead_of_text_gets_the_option_to_use() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(&folder, "talk", "Good morning!\n");
    for (name, what) in [(talk.as_str(), "is a file"), ("three.en", "is the name of a file rather than text")] {
        let expected = format!("{name} {what}; `metaphrase translate -i {name}` translates it");
        let error = run(&["translate", name], "").error(2);
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn shells_get_completions_with_all_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell], "").ok();
        for name in ["translate", "completions", "tune-evidence", "beam-size", "--quiet"] {
            assert!(script.contains(name.trim_start_matches("--")), "{shell}: {name}");
        }
    }
    assert!(run(&["completions", "cmd"], "").error(2).contains("invalid value 'cmd'"));
}

#[test]
fn manual_pages_are_printed_and_written() {
    // The language of pages writes a hyphen as `\-`.
    let page = |command: &[&str]| run(&[&["man"], command].concat(), "").ok().replace("\\-", "-");
    let program = page(&[]);
    assert!(program.contains(".TH METAPHRASE 1") && program.contains("translate"), "{program}");
    let train = page(&["phrase", "train"]);
    assert!(train.contains(".TH METAPHRASE-PHRASE-TRAIN 1") && train.contains("tokenize"), "{train}");
    assert!(run(&["man", "phrase", "trian"], "").error(2).starts_with("there is no command 'phrase trian'"));

    let folder = tempfile::tempdir().unwrap();
    let to = path(&folder, "man/man1");
    run(&["man", "-o", &to], "").ok();
    let written = names(Path::new(&to));
    for name in ["metaphrase.1", "metaphrase-translate.1", "metaphrase-lm-query.1", "metaphrase-man.1"] {
        assert!(written.iter().any(|path| path == Path::new(name)), "{name}: {written:?}");
    }
}

#[test]
fn the_environment_and_the_file_name_the_model() {
    let text = "Guten Morgen!\n";
    let english = run(&["translate", "-m", "de-en"], text).ok();
    assert_eq!(run_with(&[("METAPHRASE_MODEL", "de-en")], &["translate"], text).ok(), english);
    assert_eq!(run_with(&[("METAPHRASE_MODEL", MODEL)], &["translate"], text).ok(), english);
    let german = run(&["translate", "-m", "en-de"], text).ok();
    assert_eq!(run_with(&[("METAPHRASE_MODEL", "de-en")], &["translate", "-m", "en-de"], text).ok(), german);

    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap().to_owned();
    let config = file(&folder, "metaphrase.toml", "model = \"de-en\"\nthreads = 1\n");
    let variables = [("XDG_CONFIG_HOME", home.as_str())];
    assert_eq!(run_with(&variables, &["translate"], text).ok(), english);
    let shown = run_with(&variables, &["config"], "").ok();
    assert!(shown.starts_with(&format!("# {config}\nmodel = \"de-en\" # from the file\n")), "{shown}");
    let info = run_with(&variables, &["translate", "--log", "info"], text).stderr;
    assert!(info.contains("de-en loaded") && info.contains("threads: 1"), "{info}");

    fs::write(&config, "modle = \"de-en\"\n").unwrap();
    let error = run_with(&variables, &["translate"], text).error(1);
    assert!(error.starts_with(&format!("{config}, line 1: unknown field `modle`")), "{error}");
}

#[test]
fn models_in_the_folders_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let own = path(&folder, "opus-mt-de-en");
    run(&["convert", "-m", "de-en", "--to", &own, "--precision", "int8"], "").ok();
    fs::create_dir(folder.path().join("notes")).unwrap();
    let variables = [("METAPHRASE_MODELS", folder.path().to_str().unwrap())];
    let listed = run_with(&variables, &["models"], "").ok();
    let expected = format!("en-de\tpart of the program\nde-en\tpart of the program\nopus-mt-de-en\t{own}\n");
    assert_eq!(listed, expected);
    let text = "Guten Morgen!\n";
    let english = run(&["translate", "-m", "de-en"], text).ok();
    for name in ["opus-mt-de-en", "Helsinki-NLP/opus-mt-de-en"] {
        assert_eq!(run_with(&variables, &["translate", "-m", name], text).ok(), english);
    }
    run_with(&variables, &["inspect", "--check", "opus-mt-de-en"], "").ok();
    let error = run_with(&variables, &["translate", "-m", "en-fr"], text).error(1);
    let expected = "there is no model en-fr: no directory has this name, and the models with names are en-de, de-en, opus-mt-de-en; ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn models_that_are_not_there_are_explained() {
    let error = run(&["translate", "-m", "Helsinki-NLP/opus-mt-en-de"], "").error(1);
    let expected = "there is no model Helsinki-NLP/opus-mt-en-de on this machine; if Hugging Face has it \
        (https://huggingface.co/Helsinki-NLP/opus-mt-en-de), download it with `hf download Helsinki-NLP/opus-mt-en-de \
        --local-dir opus-mt-en-de` and use `-m opus-mt-en-de`";
    assert_eq!(error, expected);
    let error = run(&["translate", "-m", "./en-fr"], "").error(1);
    assert!(error.starts_with("cannot find the model ./en-fr: no file or directory has this name"), "{error}");
    let error = run(&["translate", "-m", MOSES], "").error(1);
    let expected =
        format!("{MOSES} is a phrase-based model; translate with it by `metaphrase phrase translate -m {MOSES}`");
    assert_eq!(error, expected);
    assert!(
        run(&["convert", "-m", "en-fr", "--to", "no-such-folder"], "").error(1).starts_with("there is no model en-fr")
    );
    assert!(run(&["translate", "-m", "de-en", "--then", "en-fr"], "").error(1).starts_with("there is no model en-fr"));
}

#[cfg(feature = "serve")]
#[test]
fn text_in_another_language_is_noted_once() {
    let french =
        "Bonjour, je voudrais réserver une chambre pour deux personnes.\nEst-ce que le petit déjeuner est compris ?\n";
    let run = run(&["translate", "-m", "de-en", "-b", "1"], french.repeat(8));
    let notes: Vec<&str> = run.stderr.lines().filter(|line| line.contains("looks like")).collect();
    assert_eq!(notes, ["metaphrase: warning: this looks like French; the model reads German"], "{}", run.stderr);
    let text = crate::common::run(&["translate", "-m", "de-en", "-b", "1", &french.repeat(4)], "");
    assert_eq!(text.stderr.matches("looks like French").count(), 1, "{}", text.stderr);
    let short = crate::common::run(&["translate", "-m", "de-en", "-b", "1"], "Bonjour !\n");
    assert!(!short.stderr.contains("looks like"), "{}", short.stderr);
}
