//! Memory, threads and numbers stay within bounds, whatever the input: limits are those of `ulimit -v`, in MiB, without
//! the bundled models.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{Run, file, run, run_after, translate};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use tempfile::TempDir;

const VOCABULARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/en-de/source.spm");
const ARPA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/ngram/small.arpa");

/// MiB of the models in the program, which are mapped with it.
const MODELS: usize = 50;

/// Runs the program in this many MiB of address space next to its models: its code and its threads share them with the
/// text.
///
/// The allocator reserves address space in large blocks, and the limit counts them: limits leave room for that.
fn within(mib: usize, args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run_after(&format!("ulimit -v {};", (mib + MODELS) << 10), args, input)
}

/// A line of 8 MiB. Each character becomes 18 letters under NFKC.
fn long() -> String {
    "\u{fdfa}".repeat((8 << 20) / 3)
}

/// That the output has these lines, and that a message names line 1 of the input and the bytes that are kept of it.
fn cut(run: Run, lines: usize, expected: &str) {
    let told =
        run.stderr.lines().any(|said| said.contains("line 1: the line has 83") && said.contains("after 1048576"));
    assert!(told, "{}", run.stderr);
    let lines_found = run.lines();
    assert_eq!(lines_found.len(), lines);
    assert_eq!(lines_found[lines - 1], expected);
}

#[test]
fn a_long_line_takes_little_memory_to_translate() {
    let text = format!("{}\nI am tired.\n", long());
    let args = ["translate", "--threads", "1", "-b", "1", "--max-source-length", "20"];
    cut(within(300, &args, &text), 2, "Ich bin müde.");
    let whole = [&args[..], &["--longest-sentence", "0"]].concat();
    let run = within(300, &whole, &text);
    assert!(run.stderr.contains("line 1: the source is cut off after 80661 of 1048575 bytes"), "{}", run.stderr);
    cut(run, 2, "Ich bin müde.");
    let args = ["score", "--threads", "1", "--max-source-length", "20"];
    let run = within(300, &args, format!("a\t{}\nI am tired.\tIch bin müde.\n", long()));
    assert!(run.stderr.contains("line 1: the target has 8"), "{}", run.stderr);
    let log_prob: f32 = run.lines()[1].parse().unwrap();
    assert!((-2.0..0.0).contains(&log_prob), "{log_prob}");
}

#[test]
fn a_long_line_takes_little_memory_to_segment_and_to_compare() {
    let folder = TempDir::new().unwrap();
    let text = format!("{}\nI am tired.\n", long());
    cut(within(100, &["tokenize"], &text), 2, "I am tired .");
    let pieces = within(250, &["tokenize", "--vocabulary", VOCABULARY], &text);
    assert!(pieces.stderr.contains("line 1: cut off after 80661 of 1048575 bytes"), "{}", pieces.stderr);
    cut(pieces, 2, "▁I ▁am ▁tired .");
    let queried = within(100, &["lm", "query", "-m", ARPA], &text);
    assert!(queried.stderr.contains("after 1048576"), "{}", queried.stderr);
    assert_eq!(queried.lines().len(), 2);
    let file = file(&folder, "text", &text);
    let scores = within(200, &["evaluate", "--metric", "bleu,chrf,ter", "-b", &file], &text).lines();
    assert_eq!(scores, ["100.0", "100.0", "0.0"]);
    let error = within(100, &["lm", "estimate", "--discount-fallback", "--memory", "1M"], &text).error(1);
    assert!(error.starts_with("standard input, line 1: the line has more than 1048576 bytes"), "{error}");
}

#[test]
fn a_long_line_takes_little_memory_to_align_and_to_extract() {
    let folder = TempDir::new().unwrap();
    let words = "a b c d ".repeat(1 << 20);
    let text = file(&folder, "text", format!("{words}\nI am tired .\nI am here .\n"));
    let links = within(200, &["align", "--threads", "1", &text, &text], "");
    assert!(links.stderr.contains("line 1: the line has 8388609 bytes and is cut off after 1048576"));
    let links = file(&folder, "links", links.ok());
    let tables = folder.path().join("tables");
    let args = ["extract", "--threads", "1", "--memory", "16M", &text, &text, &links, "-o", tables.to_str().unwrap()];
    within(250, &args, "").ok();
    assert!(tables.join("phrase-table.gz").is_file());
}

#[test]
fn a_stream_of_zeros_is_one_line_that_is_cut() {
    let folder = TempDir::new().unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    (0..64).for_each(|_| packed.write_all(&[0; 1 << 20]).unwrap());
    packed.write_all(b"\nI am tired.\n").unwrap();
    // Zeros after the end are padding, as on a tape.
    let bytes = [packed.finish().unwrap(), vec![0; 1000]].concat();
    let input = file(&folder, "zeros.gz", bytes);
    let run = within(300, &["translate", "--threads", "1", "-b", "1", "--max-source-length", "20", "-i", &input], "");
    assert!(run.stderr.contains("the line has 67108865 bytes and is cut off after 1048576"), "{}", run.stderr);
    assert_eq!(run.lines()[1], "Ich bin müde.");
}

/// Many empty lines, and some with a hundred thousand fields, after a line that takes long.
#[test]
fn lines_after_a_slow_one_take_little_memory() {
    let slow = "I have a dream that ".repeat(20);
    let args = ["translate", "--threads", "1", "--batch-tokens", "256"];
    let lines = within(250, &args, format!("{slow}\n{}", "\n".repeat(300_000))).lines();
    assert_eq!((lines.len(), &*lines[1]), (300_001, ""));
    let fields: String = (0..100_000).map(|n| format!(",\"{n:x}\":1")).collect();
    // All 40 together would take more than 500 MiB.
    let objects = format!("{{\"text\":\"\"{fields}}}\n").repeat(40);
    let args = [&args[..], &["--input-format", "json"]].concat();
    let lines = within(400, &args, format!("{{\"text\":\"{slow}\"}}\n{objects}")).lines();
    assert_eq!((lines.len(), &*lines[40]), (41, ""));
}

#[test]
fn a_line_whose_terms_may_be_cut_off_is_an_error_of_that_line() {
    let text = format!("I am tired.\t{}\nI am tired.\tIch\n", "müde ".repeat(1 << 18));
    let run = translate(&["--input-format", "tsv"], text);
    assert!(run.stderr.contains("line 1: the line is too long and is skipped"), "{}", run.stderr);
    assert_eq!(run.lines(), ["", "Ich bin müde."]);
}

#[test]
fn a_long_line_is_cut_for_phrases() {
    let folder = TempDir::new().unwrap();
    file(&folder, "table", "a ||| x ||| 1 ||| 0-0\n");
    file(
        &folder,
        "lm.arpa",
        "\\data\\\nngram 1=4\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\n-0.5\t</s>\n-0.25\tx\n\n\\end\\\n",
    );
    file(
        &folder,
        "moses.ini",
        "[feature]\nUnknownWordPenalty\nWordPenalty\nPhrasePenalty\nDistortion\n\
         PhraseDictionaryMemory name=TM0 num-features=1 path=table\nKENLM name=LM0 path=lm.arpa order=1\n\
         [weight]\nTM0= 1\nLM0= 1\nWordPenalty0= 0\nPhrasePenalty0= 0\nDistortion0= 0.25\n",
    );
    let text = format!("{}\na a\n", "a ".repeat(4 << 20));
    let model = folder.path().to_str().unwrap();
    let args = ["phrase", "translate", "--threads", "1", "--max-source-length", "30", "-m", model];
    let run = within(220, &args, text);
    assert!(run.stderr.contains("the source has 524288 words and is cut off after 30"), "{}", run.stderr);
    assert_eq!(run.lines(), [&*["x"; 30].join(" "), "x x"]);
}

#[test]
fn lengths_and_threads_beyond_reason_are_no_accident() {
    let largest = usize::MAX.to_string();
    let args = ["translate", "--threads", "1", "--max-source-length", &largest];
    assert_eq!(run(&args, "I am tired.\n").ok(), "Ich bin müde.\n");
    for args in [
        &["translate"][..],
        &["score"],
        &["align", "a", "b"],
        &["extract", "a", "b", "c", "-o", "d"],
        &["train", "-c", "recipe.toml", "-o", "d"],
        &["lm", "estimate"],
        &["phrase", "translate", "-m", "m"],
        &["phrase", "train", "a", "b", "-o", "d"],
        &["phrase", "tune", "-m", "m", "a", "b"],
    ] {
        let error = run(&[args, &["--threads", "100000"]].concat(), "").error(2);
        assert!(error.contains("expected a number from 1 to 1024"), "{args:?}: {error}");
    }
    // As many threads as the system gives do the work.
    let args = ["phrase", "translate", "-m", "/nonexistent", "--threads", "1024"];
    assert!(run(&args, "").error(1).contains("/nonexistent"));
}

/// A language model of target pieces.
fn language_model(folder: &TempDir) -> String {
    let pieces = run(&["tokenize", "--vocabulary", VOCABULARY], "Ich bin müde.\nDas Haus ist alt.\n").ok();
    let args = ["lm", "estimate", "--order", "2", "--discount-fallback", "--memory", "1M", "--threads", "1"];
    file(folder, "lm.arpa", run(&args, pieces).ok())
}

#[test]
fn scores_that_are_not_finite_are_an_error_of_their_line() {
    let folder = TempDir::new().unwrap();
    let lm = language_model(&folder);
    let weight = ["--lm", &lm, "--lm-weight", "3e38"];
    let run = translate(&weight, "I am tired.\n\n");
    assert!(run.stderr.contains("warning: line 1: the line has no translation: no score is a finite number"));
    assert_eq!(run.lines(), ["", ""]);
    let json = ["--input-format", "json", "--output-format", "json"];
    let line =
        translate(&[&weight[..], &json].concat(), "{\"text\":\"I am tired.\",\"constraints\":[\"müde\"]}\n").ok();
    for part in ["\"constraints_missing\":[0]", "\"error\":\"the line has no", "\"score\":null", "\"translation\":\"\""]
    {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn messages_repeat_little_of_the_input() {
    let folder = TempDir::new().unwrap();
    let long = "a".repeat(100_000);
    let text = file(&folder, "text", "a b\n");
    let links = file(&folder, "links", &long);
    let out = folder.path().join("out");
    for run in [
        run(&["extract", &text, &text, &links, "-o", out.to_str().unwrap()], ""),
        run(&["translate", "--beam-size", &long], ""),
        run(&["translate", "-m", &long], ""),
    ] {
        assert_ne!(run.code, Some(0));
        assert!(run.stderr.len() < 4000, "{} bytes: {}", run.stderr.len(), run.stderr);
    }
}

/// Unfolded, the lattice has as many arcs as pairs of its words: 80 million. Its best translations count in its place.
#[test]
fn a_small_lattice_that_unfolds_to_a_large_one_takes_little_memory() {
    let arcs = |from: u32| (0..9000).map(move |word| format!("{from} {} w{from}{word} 1\n", from + 1));
    let lattice: String = arcs(0).chain(arcs(1)).chain(["2\n".to_owned()]).collect();
    let run = within(600, &["posteriors", "-m", "de-en", "--format", "openfst"], lattice);
    let lines = run.lines();
    assert!(lines.len() > 1000, "{} lines", lines.len());
}
