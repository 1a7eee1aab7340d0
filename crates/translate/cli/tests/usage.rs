//! Options that cannot work are refused before work starts, in one sentence, with exit status 2.

use crate::common::{run, spawn, translate};
use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;

#[test]
fn combinations_that_cannot_work_are_refused() {
    for (args, expected) in [
        (&["--n-best", "10"][..], "--n-best 10 is more than the beam of 6 can hold; add --beam-size 10"),
        (&["--n-best", "3", "-b", "2"], "--n-best 3 is more than the beam of 2 can hold"),
        (&["--sampling", "full", "--stop", "fill"], "'--sampling <full|topk:K|nucleus:P>' cannot be used with"),
        (&["--sampling", "full", "-b", "4"], "cannot be used with"),
        (&["--sampling", "topk:0"], "expected full, topk:K"),
        (&["--seed", "7"], "--sampling"),
        (&["--alignment", "1.5"], "expected hard, soft, or a threshold above 0 and below 1"),
        (&["--prefix", "x", "--input-format", "json"], "each line has its own 'target_prefix'"),
        (&["--prefix", "x", "--input-format", "tsv"], "a line of TSV has no prefix"),
        (&["--prefix", "-"], "only one text can come from standard input"),
        (&["-m", "a", "-m", "b", "--vocab", "v.spm"], "--vocab goes with one model"),
        (&["--vocab", "v.spm"], "--model"),
        (&["--precision", "int4"], "invalid value 'int4' for '--precision"),
        (&["--threads", "0"], "--threads"),
        (&["--beam-size", "0"], "--beam-size"),
        (&["--normalize", "-1"], "--normalize is -1; it must be a number from 0 up"),
        (&["--normalize", "nan"], "--normalize is NaN"),
        (&["--sampling", "full", "--temperature", "-1"], "--temperature is -1; it must be a number above 0"),
        (&["--max-length-factor", "0"], "--max-length-factor is 0"),
        (&["--lm-weight", "0.2"], "--lm"),
        (&["--lm", "lm.bin", "--lm-weight", "-1"], "--lm-weight is -1; it has to be a number from 0 on"),
        (&["--lm", "lm.bin", "--lm-weight", "nan"], "--lm-weight is NaN"),
        (&["--word-penalty", "1e38"], "it must be a number from -1000000 to 1000000"),
        (&["--lmbr", "self", "--lmbr-weight", "1e300"], "a number from 0 to 1000000"),
        (&["--lmbr", "self", "--lmbr-theta", "1e300", "0", "0", "0", "0"], "numbers from -1000000 to 1000000"),
        (&["--lmbr-rescore"], "go with --evidence or --lmbr, which bring the evidence"),
        (&["--lmbr-weight", "2"], "go with --evidence or --lmbr, which bring the evidence"),
        (&["--lmbr-prune", "0.1"], "go with --evidence or --lmbr, which bring the evidence"),
        (&["--sampling", "full", "--beam-width", "0.5"], "--beam-width"),
        (&["--sampling", "full", "--prune-threshold", "2"], "--prune-threshold"),
        (&["-m", "en-de", "--weights", "0"], "--weights has 0; each weight has to be a number above 0"),
        (&["--then", "en-de"], "the first model translates to de, that of --then from en to de"),
        (&["--beam-size", "0"], "expected a whole number from 1 on"),
        (&["--beam-size", "1.5"], "expected a whole number"),
        (&["--merge-words", "3"], "--merge-words goes with --strategy cube or fast-cube"),
        (&["--eos-beside"], "--eos-beside goes with --stop fill"),
        (&["--lmbr", "self", "--lmbr-order", "5"], "--lmbr-order is 5; it must be a whole number from 1 to 4"),
        (&["--no-such-option"], "unexpected argument '--no-such-option' found"),
        (&["-z", "x"], "unexpected argument '-z' found; try 'metaphrase translate --help'"),
        (&["file.txt"], "file.txt is the name of a file rather than text; `metaphrase translate -i file.txt`"),
        (&["src"], "src is a folder; `metaphrase translate -i src` translates it"),
        (&["-i", "src"], "src is a folder; name another folder for the translations of its files with --output"),
        (&["-i", "src", "-o", "src"], "src is the folder of the inputs; name another one with --output"),
        (&["Hello!", "--prefix", "x"], "cannot be used with"),
    ] {
        let error = translate(args, "").error(2);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

#[test]
fn one_text_comes_from_standard_input() {
    for args in [&["score", "-", "-"][..], &["evaluate", "-"], &["score", "--n-best", "-", "--source", "-"]] {
        assert!(run(args, "").error(2).starts_with("only one text can come from standard input"), "{args:?}");
    }
}

#[test]
fn devices_that_are_not_there_are_named() {
    let train =
        |device| run(&["train", "-c", "../../../recipes/en-de.toml", "-o", "no-such-run", "--device", device], "");
    for device in ["gpu", "cuda:x", "cuda0"] {
        let expected = format!("there is no device `{device}`: expected `cpu`, `cuda:0`");
        assert!(train(device).error(2).contains(&expected));
    }
    let error = translate(&["--device", "gpu"], "").error(2);
    assert!(error.contains("there is no device `gpu`: expected `cpu`, `cuda:0`"), "{error}");
    let error = translate(&["--device", "cuda:0,58"], "").error(1);
    if cfg!(feature = "cuda") {
        assert!(error.contains("can not be loaded") || error.starts_with("there is no device `cuda:58`"), "{error}");
    } else {
        assert!(error.starts_with("this build is without CUDA, which the device `cuda:0,58` needs"), "{error}");
    }
    let error = train("cuda:59").error(1);
    if cfg!(feature = "cuda") {
        // Without a GPU a library is missing, with one the sixtieth is.
        assert!(error.contains("can not be loaded") || error.starts_with("there is no device `cuda:59`"), "{error}");
    } else {
        assert!(
            error.starts_with("this program was built without CUDA, which `cuda:59` needs: build it with"),
            "{error}"
        );
    }
}

#[test]
fn an_error_is_one_line_with_the_way_to_help() {
    let run = run(&["translate", "--beam", "3"], "");
    assert_eq!(run.stderr.lines().count(), 1);
    let error = run.error(2);
    assert!(error.contains("; tip: ") && error.contains("--beam-size"), "a similar option is named: {error}");
    assert!(error.ends_with("try 'metaphrase translate --help'"), "{error}");
    assert!(crate::common::run(&["transalte"], "").error(2).ends_with("try 'metaphrase --help'"));
    for (args, help) in [
        (&["phrase", "train", "--bad"][..], "metaphrase phrase train --help"),
        (&["lm", "estimate", "--order", "x"], "metaphrase lm estimate --help"),
        (&["lm", "--bad"], "metaphrase lm --help"),
    ] {
        let error = crate::common::run(args, "").error(2);
        assert!(error.ends_with(&format!("try '{help}'")), "{args:?}: {error}");
    }
    let error = crate::common::run(&["lm", "estimate", "--prune", "1"], "a b\n").error(2);
    assert!(error.starts_with("--prune or --order: words are never pruned"), "{error}");
    #[cfg(unix)]
    for args in [&[&b"\xff"[..]][..], &[b"translate", b"\xff"], &[b"translate", b"-b", b"\xff"]] {
        let args: Vec<&OsStr> = args.iter().map(|arg| OsStr::from_bytes(arg)).collect();
        crate::common::run(&args, "").error(2);
    }
}

#[test]
fn options_are_refused_while_the_input_is_open() {
    let child = spawn(&["translate", "--n-best", "10"]);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
}

#[test]
fn help_shows_options_defaults_and_examples() {
    let nothing = run::<&str>(&[], "");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(2), ""));
    let overview = run(&["--help"], "").ok();
    for (command, mentions) in [
        (
            "translate",
            &["--beam-size", "--n-best", "[default: 1000]", "the model's own setting, else 6", "sentence_id"][..],
        ),
        ("score", &["--summary", "--feature-name", "paste talk.en talk.de"]),
        ("evaluate", &["--metric", "[default: bleu]", "sacreBLEU", "--compare"]),
        ("convert", &["--to", "bf16"]),
        ("inspect", &["PATH"]),
        ("serve", &["--host", "nllb-200"]),
        ("detokenize", &["Read XML entities", "without spaces"]),
        ("mbr", &["- n-best:", "- json:"]),
    ] {
        assert!(overview.contains(command));
        let help = run(&[command, "--help"], "").ok();
        for mention in mentions.iter().chain(&["Examples:", "--log", "--quiet"]) {
            assert!(
                help.contains(mention) || help.contains(&mention.replace("Examples", "Example")),
                "{command}: {mention}"
            );
        }
    }
}

#[test]
fn mbr_takes_and_shows_formats_of_lists_only() {
    assert!(!run(&["mbr", "--help"], "").ok().contains("openfst"));
    let refused = run(&["mbr", "--format", "compact"], "").error(2);
    assert!(refused.contains("invalid value 'compact' for '--format"), "{refused}");
}

#[test]
fn messages_are_as_many_as_wanted() {
    let input = b"b\xffad\n";
    assert!(translate(&["-b", "1"], input).stderr.starts_with("metaphrase: warning: standard input: 1 line is not"));
    assert_eq!(translate(&["-b", "1", "--quiet"], input).stderr, "");
    assert_eq!(translate(&["-b", "1", "--log", "error"], input).stderr, "");
    let info = translate(&["-b", "1", "--log", "info"], input).stderr;
    for told in ["metaphrase: info: en-de loaded", "threads: 1", "1 lines, "] {
        assert!(info.contains(told), "{told}: {info}");
    }
}
