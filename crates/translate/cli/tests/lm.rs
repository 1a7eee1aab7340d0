//! `metaphrase lm`: from text to a model, its compiled forms, and scores.

use crate::common::{command, run};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/ngram").join(name)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}

#[test]
fn from_text_to_scores() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| path(&folder.path().join(name)).to_owned();
    let text = std::fs::read_to_string(testdata("text.en")).expect("the text");
    let (arpa, bin, small) = (file("lm.arpa.gz"), file("lm.bin"), file("lm.q8.bin"));
    run(&["lm", "estimate", "--order", "3", "--prune", "0", "0", "1", "--output", &arpa], &text).ok();
    run(&["lm", "compile", "-m", &arpa, "-o", &bin], "").ok();
    run(&["lm", "compile", "-m", &bin, "-o", &small, "--quantise", "8", "8"], "").ok();
    let size = |name: &str| std::fs::metadata(name).expect("a file").len();
    assert!(size(&small) < size(&bin));

    let query =
        |model: &str, level: &str| run(&["lm", "query", "-m", model, "--level", level], "Tom is zzyx .\n\n").lines();
    for level in ["word", "sentence", "summary"] {
        let expected = query(path(&testdata("lmplz.arpa")), level);
        assert_eq!(expected.len(), if level == "summary" { 6 } else { 2 });
        for model in [&arpa, &bin] {
            let got = query(model, level);
            for (got, expected) in got.iter().zip(&expected) {
                let fields = got.split(['\t', ' ']).zip(expected.split(['\t', ' ']));
                for (got, expected) in fields {
                    match (got.parse::<f64>(), expected.parse::<f64>()) {
                        (Ok(got), Ok(expected)) => assert!((got - expected).abs() < 1e-3 * expected.abs().max(1.0)),
                        _ => assert_eq!(got, expected),
                    }
                }
            }
        }
    }
    let words = query(&bin, "word");
    assert!(words[0].starts_with("Tom="), "{}", words[0]);
    assert!(words[0].contains("\tzzyx=0 1 -") && words[0].ends_with("\t1"), "{}", words[0]);
    let again = run(&["lm", "compile", "-m", &bin, "--arpa"], "").ok();
    assert!(again.starts_with("\\data\\\nngram 1="));
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let arpa = folder.path().join("lm.arpa");
    std::fs::write(&arpa, "old").expect("a file");
    let error = run(&["lm", "estimate", "--output", path(&arpa)], "a <s> b\n").error(1);
    assert!(error.starts_with("standard input, line 1: the word <s> has a meaning of its own"), "{error}");
    assert_eq!(std::fs::read_to_string(&arpa).expect("the file"), "old", "outputs are whole or as they were");
    let error = run(&["lm", "estimate", "--output", path(&arpa)], "a b\n").error(1);
    assert!(error.contains("give discounts to fall back to (--discount-fallback)"), "{error}");
    run(&["lm", "estimate", "--order", "2", "--discount-fallback", "--output", path(&arpa)], "a b\n").ok();
    let error = run(&["lm", "query", "-m", path(&testdata("text.en"))], "").error(1);
    assert!(error.contains("text.en, line 401: the file ends where \\data\\ should come"), "{error}");
    run(&["lm", "estimate", "--order", "7"], "").error(2);
    let error = run(&["lm", "estimate", "-o", "5"], "a b\n").error(2);
    assert!(error.contains("give the order as --order 5, or the file as ./5"), "{error}");
    run(&["lm", "estimate", "-S", "1X"], "").error(2);
    let missing = command(&["lm", "compile", "-m", "/no/such/model"]).output().expect("a run");
    assert_eq!(missing.status.code(), Some(1));
}

/// A model of which scores can be added up by hand.
const SMALL: &str = "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.5\n-0.75\t</s>\n-0.5\thello\t-0.25\n\n\
    \\2-grams:\n-0.125\t<s> hello\n-0.375\thello </s>\n\n\\end\\\n";

/// `hello` after `<s>`: −0.125; `zz`, unknown, backs off: −0.25 − 1; nothing is known after it: `</s>` −0.75.
#[test]
fn scores_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = crate::common::file(&folder, "lm.arpa", SMALL);
    let text = "hello zz\n\nhello\n";
    let query = |more: &[&str], text: &str| run(&[&["lm", "query", "-m", &model], more].concat(), text).lines();
    assert_eq!(query(&[], text), ["-2.125000\t1", "-1.250000\t0", "-0.500000\t0"]);
    let words = query(&["--level", "word"], text);
    assert_eq!(words[0], "hello=3 2 -0.125000\tzz=0 1 -1.250000\t</s>=2 1 -0.750000\t-2.125000\t1");
    assert_eq!(words[1], "</s>=2 1 -1.250000\t-1.250000\t0");
    assert_eq!(query(&["--no-sentence"], "hello </s>\n"), ["-0.875000\t0"], "-0.5 and -0.375");
    // Six words, sentence ends included, one unknown: 10^(3.875 / 6) and 10^(2.625 / 5).
    let expected = [
        "perplexity with unknown words:\t4.4242",
        "perplexity without unknown words:\t3.3497",
        "words, sentence ends included:\t6",
        "unknown words:\t1",
        "sentences:\t3",
        "log10 probability:\t-3.8750",
    ];
    assert_eq!(query(&["--level", "summary"], text), expected);

    let packed = folder.path().join("text.gz");
    let scores = folder.path().join("scores.gz");
    let mut gz = flate2::write::GzEncoder::new(std::fs::File::create(&packed).expect("a file"), <_>::default());
    std::io::Write::write_all(&mut gz, text.as_bytes()).and_then(|()| gz.finish().map(drop)).expect("a file");
    run(&["lm", "query", "-m", &model, "-i", path(&packed), "-o", path(&scores)], "").ok();
    let mut unpacked = String::new();
    let mut gz = flate2::read::GzDecoder::new(std::fs::File::open(&scores).expect("a file"));
    std::io::Read::read_to_string(&mut gz, &mut unpacked).expect("text");
    assert_eq!(unpacked, "-2.125000\t1\n-1.250000\t0\n-0.500000\t0\n");
}

#[test]
fn broken_models() {
    let folder = tempfile::tempdir().expect("a folder");
    let arpa = crate::common::file(&folder, "lm.arpa", SMALL);
    let bin = path(&folder.path().join("lm.bin")).to_owned();
    run(&["lm", "compile", "-m", &arpa, "-o", &bin], "").ok();
    let bytes = std::fs::read(&bin).expect("the compiled model");
    let refused = |name: &str, content: &[u8]| {
        let broken = crate::common::file(&folder, name, content);
        let output = folder.path().join("out.bin");
        let error = run(&["lm", "compile", "-m", &broken, "-o", path(&output)], "").error(1);
        assert!(!output.exists(), "{name}");
        error.strip_prefix(&broken).unwrap_or_else(|| panic!("{error} does not name {broken}")).to_owned()
    };
    let changed = |from: &str, to: &str| SMALL.replacen(from, to, 1).into_bytes();
    assert_eq!(
        refused("nan", &changed("-0.5\thello", "nan\thello")),
        ", line 9: expected a log10 probability, got `nan`"
    );
    assert_eq!(
        refused("cut", &SMALL.as_bytes()[..120]),
        ", line 13: expected a probability and 2 words, got 0 words in `-0.3`"
    );
    let message = refused("short", &changed("-0.375\thello </s>\n", ""));
    assert_eq!(message, ", line 13: the 2-grams end after 1 lines, \\data\\ declares 2");
    let message = refused("twice", &changed("hello </s>", "<s> hello"));
    assert_eq!(message, ", line 13: this 2-gram is already in line 12");
    assert_eq!(refused("cut.bin", &bytes[..99]), ": the file is cut off: 99 bytes are less than its header");
    let mut other = bytes.clone();
    other[16..20].reverse();
    let version =
        ": the file has version 16777216 of the format, this program reads version 1: compile the ARPA file again";
    assert_eq!(refused("other.bin", &other), version);
    let mut flipped = bytes.clone();
    *flipped.last_mut().expect("bytes") ^= 1;
    let damaged = ": the file is damaged: its checksum is wrong; compile the ARPA file again";
    assert_eq!(refused("flipped.bin", &flipped), damaged);
    // What is missing and what is in another order is no fault: back-off weights of n-grams that are no history.
    let sound = SMALL.replace("-0.5\thello\t-0.25\n", "").replace("-1\t<unk>\n", "-1\t<unk>\n-0.5\thello\t-0.25\n");
    let sound = crate::common::file(&folder, "sound", sound.replace("<s>\t-0.5", "<s>"));
    assert_eq!(run(&["lm", "query", "-m", &sound], "zz\n").lines(), ["-1.750000\t1"]);
}

/// Files that may not grow beyond some blocks stand for a disk that is full.
#[test]
#[cfg(target_os = "linux")]
fn full_disks() {
    let folder = tempfile::tempdir().expect("a folder");
    let arpa = path(&folder.path().join("lm.arpa")).to_owned();
    let limited = |blocks: u32, args: &[&str]| {
        let program = env!("CARGO_BIN_EXE_metaphrase");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let arguments: Vec<&str> = ["-c", &script, program].into_iter().chain(args.iter().copied()).collect();
        let output = std::process::Command::new("sh").args(arguments).current_dir(folder.path()).output().expect("sh");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(crate::common::names(folder.path()), Vec::<PathBuf>::new(), "nothing is left behind");
        String::from_utf8(output.stderr).expect("a message")
    };
    let text = path(&testdata("text.en")).to_owned();
    let estimate = ["lm", "estimate", "--order", "3", "-i", &text, "--output", &arpa, "-T", "."];
    let error = limited(1, &estimate);
    assert!(error.starts_with(&format!("metaphrase: error: {arpa}: cannot write: File too large")), "{error}");
    let error = limited(1, &[&estimate[..], &["-S", "100K"]].concat());
    assert!(error.starts_with("metaphrase: error: .: cannot write a temporary file in: File too large"), "{error}");
    let model = path(&testdata("lmplz.arpa")).to_owned();
    let error = limited(1, &["lm", "compile", "-m", &model, "-o", &arpa]);
    assert!(error.contains("lm.arpa") && error.contains("File too large"), "{error}");

    for command in [&["estimate", "--order", "3", "-i", &text, "-o"][..], &["compile", "-m", &model, "-o"]] {
        let error = run(&[&["lm"], command, &["/dev/full"]].concat(), "").error(1);
        assert!(error.contains("/dev/full") && error.contains("No space left on device"), "{error}");
    }
    let error = run(&["lm", "query", "-m", &model, "-o", "/dev/full"], "Tom .\n").error(1);
    assert!(error.contains("/dev/full") && error.contains("No space left on device"), "{error}");
}

/// From text to pieces to a language model to translations that it has a say in.
#[test]
fn with_a_translation_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let arpa = folder.path().join("pieces.arpa");
    let bin = folder.path().join("pieces.bin");
    let vocabulary = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/en-de/source.spm");
    let german = "Guten Morgen!\nDas Haus ist alt.\nWie geht es dir heute?\n";
    let pieces = run(&["tokenize", "--vocabulary", vocabulary], german).lines();
    assert_eq!(pieces.len(), 3);
    assert!(pieces[1].starts_with("▁Das ▁Haus ▁ist"), "{}", pieces[1]);
    let estimate = ["lm", "estimate", "--order", "2", "--discount-fallback", "--output", path(&arpa)];
    run(&estimate, pieces.join("\n")).ok();
    run(&["lm", "compile", "-m", path(&arpa), "-o", path(&bin)], "").ok();
    let translate = |more: &[&str]| crate::common::translate(more, "Good morning!\n\nThe house is old.\n").ok();
    let alone = translate(&[]);
    assert_eq!(translate(&["--lm", path(&bin), "--lm-weight", "0"]), alone);
    let fused = translate(&["--lm", path(&arpa), "--n-best", "2"]);
    assert_eq!(translate(&["--lm", path(&bin), "--n-best", "2", "--batch-tokens", "1"]), fused);
    assert_ne!(translate(&["--n-best", "2"]), fused, "scores change");
    let error = crate::common::translate(&["--lm", path(&testdata("lmplz.arpa"))], "").error(1);
    assert!(error.contains("words are target pieces of the translation model"), "{error}");
}
