//! Phrase-based translation from the command line.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{Run, file, run};
use metaphrase_phrase::Lattice;
use tempfile::TempDir;

const INI: &str = "[feature]\nUnknownWordPenalty\nWordPenalty\nPhrasePenalty\n\
    PhraseDictionaryMemory name=TM0 num-features=1 path=table\nDistortion\nKENLM name=LM0 path=lm.arpa order=2\n\
    [weight]\nTM0= 1\nLM0= 1\nWordPenalty0= 0\nPhrasePenalty0= 0\nDistortion0= 0.25\n";
const TABLE: &str =
    "das ||| the ||| 1 ||| 0-0\nHaus ||| house ||| 1 ||| 0-0\ndas Haus ||| the house ||| 0.5 ||| 0-0 1-1\n";
const LM: &str = "\\data\\\nngram 1=5\nngram 2=1\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t0\n-0.5\t</s>\n-0.25\tthe\t0\n\
    -0.75\thouse\t0\n\n\\2-grams:\n-0.125\tthe house\n\n\\end\\\n";

/// The score of `the house` in two phrases, ln 10 (-0.25 - 0.125 - 0.5), and in one, which has ln 0.5 more.
const TWO: &str = "-2.01476";
const ONE: &str = "-2.70791";

fn model(folder: &TempDir, ini: &str) -> String {
    file(folder, "table", TABLE);
    file(folder, "lm.arpa", LM);
    file(folder, "moses.ini", ini);
    folder.path().to_str().unwrap().to_owned()
}

fn phrase(command: &str, args: &[&str], input: &str) -> Run {
    let folder = TempDir::new().unwrap();
    let model = model(&folder, INI);
    run(&[&["phrase", command, "-m", &model], args].concat(), input)
}

#[test]
fn lines_are_translated_in_their_order() {
    let input = "das Haus\n\nHaus das\nder Haus\n";
    for threads in ["1", "3"] {
        let lines = phrase("translate", &["--threads", threads], input).lines();
        assert_eq!(lines, ["the house", "", "the house", "der house"]);
    }
    let lines = phrase("translate", &["--alignment", "--distortion-limit", "0"], input).lines();
    assert_eq!(lines, ["the house ||| 0-0 1-1", " |||", "house the ||| 0-0 1-1", "der house ||| 0-0 1-1"]);
}

#[test]
fn lists_look_as_moses_prints_them() {
    let lines = phrase("translate", &["--n-best", "2"], "das Haus\n").lines();
    assert_eq!(
        lines,
        [
            format!(
                "0 ||| the house  ||| Distortion0= 0 LM0= {TWO} WordPenalty0= -2 PhrasePenalty0= 2 TM0= 0 ||| {TWO} ||| 0-0 1-1 "
            ),
            format!(
                "0 ||| the house  ||| Distortion0= 0 LM0= {TWO} WordPenalty0= -2 PhrasePenalty0= 1 TM0= -0.693147 ||| {ONE} ||| 0-0 1-1 "
            ),
        ]
    );
    let distinct = phrase("translate", &["--n-best", "9", "--distinct", "--distortion-limit", "0"], "das Haus\n");
    assert_eq!(distinct.lines().len(), 1);
}

#[test]
fn lattices_are_written_in_three_forms() {
    let arcs = phrase("lattice", &["--distortion-limit", "0"], "das Haus\n").lines();
    // ln 10 · 0.25, ln 10 · (0.125 + 0.5); the phrase of two words has a state between them.
    let expected = ["0 1 the the 0.575", "0 2 the the 2.707", "1 3 house house 1.439", "2 3 house house 0", "3", ""];
    assert_eq!(arcs.len(), expected.len());
    for (arc, expected) in arcs.iter().zip(expected) {
        assert!(arc.starts_with(expected), "{arc}, not {expected}…");
    }
    let compact = phrase("lattice", &["--format", "compact", "--distortion-limit", "0"], "das Haus\n\n").lines();
    assert_eq!(Lattice::from_compact(&compact[0]).unwrap(), Lattice::from_openfst(&arcs[..5].join("\n")).unwrap());
    assert_eq!(compact[1], "1");
    let graph = phrase("lattice", &["--distortion-limit", "0", "--format", "moses"], "das Haus\n").lines();
    let expected = [
        "0 hyp=0 stack=0".to_owned(),
        format!(
            "0 hyp=1 stack=1 back=0 score=-0.575646 transition=-0.575646 forward=2 fscore={TWO} covered=0-0 out=the"
        ),
        format!("0 hyp=2 stack=2 back=1 score={TWO} transition=-1.43912 forward=-1 fscore={TWO} covered=1-1 out=house"),
        format!(
            "0 hyp=3 stack=2 back=0 score={ONE} transition={ONE} recombined=2 forward=-1 fscore={ONE} covered=0-1 out=the house"
        ),
    ];
    assert_eq!(graph, expected);
    assert_eq!(phrase("lattice", &[], "\n").lines(), ["0", ""]);
}

#[test]
fn translations_in_the_text_are_used() {
    let text = r#"<n translation="a yard||the yard" prob="0.25||0.75">das Haus</n>"#;
    let translate = |how, text: &str| phrase("translate", &["--xml-input", how], text);
    assert_eq!(translate("exclusive", text).lines(), ["the yard"]);
    assert_eq!(translate("inclusive", text).lines(), ["the house"]);
    assert_eq!(translate("ignore", text).lines(), ["the house"]);
    let list = phrase("translate", &["--xml-input", "exclusive", "--n-best", "1"], text).ok();
    assert!(list.contains(" WordPenalty0= -2 PhrasePenalty0= 1 TM0= -0.287682 ||| "), "{list}");
    let lines = "das <n translation=\"x\">Haus\n<n translation=\"x\">das</n> Haus\n";
    let run = translate("exclusive", lines);
    assert!(run.stderr.contains("line 1: <n> is never closed; translated without the markup"), "{}", run.stderr);
    assert_eq!(run.lines(), ["the house", "x house"]);
    assert_eq!(translate("pass-through", "<das> Haus\n").lines(), ["<das> house"]);
}

#[test]
fn unknown_words_are_copied_dropped_or_marked() {
    let text = "der 1. Hof Haus\n";
    for (how, expected) in [("copy", "der 1. Hof house"), ("drop", "1. house"), ("mark", "UNKder UNK1. UNKHof house")] {
        assert_eq!(phrase("translate", &["--unknown-words", how, "--distortion-limit", "0"], text).lines(), [expected]);
    }
    let arcs = phrase("lattice", &["--unknown-words", "drop"], "Hof\n").ok();
    assert!(arcs.starts_with("0 1 <eps> <eps> 101.") && arcs.ends_with("\n1\n\n"), "{arcs}");
}

#[test]
fn broken_tables_are_named_with_their_lines() {
    for (line, expected) in [
        ("das ||| the", "table, line 4: expected `source ||| target ||| scores`, found two fields"),
        ("das ||| the ||| nan", "table, line 4: expected a probability, found `nan`"),
        ("das ||| the ||| 1 2", "table, line 4: expected 1 scores, found 2; does `num-features` fit the table?"),
        ("das ||| the ||| 1 ||| 0-7", "table, line 4: the alignment point 0-7 is outside phrases of 1 and 1 words"),
    ] {
        let folder = TempDir::new().unwrap();
        let model = model(&folder, INI);
        file(&folder, "table", format!("{TABLE}{line}\n"));
        let error = run(&["phrase", "translate", "-m", &model], "das\n").error(1);
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn a_compiled_table_translates_alike() {
    let folder = TempDir::new().unwrap();
    let reordering = "LexicalReordering name=R num-features=6 type=wbe-msd-bidirectional-fe-allff path=reordering\n";
    let ini = INI.replace("Distortion\n", &format!("Distortion\n{reordering}")) + "R= 1 2 3 4 5 6\n";
    let model = model(&folder, &ini);
    file(&folder, "reordering", "das ||| the ||| 0.5 0.25 0.25 0.5 0.125 0.25\n");
    let translate = |ini: &str| {
        let path = folder.path().join(ini);
        run(&["phrase", "translate", "-m", path.to_str().unwrap(), "--n-best", "9"], "das Haus der\n\ndas\n").lines()
    };
    let expected = translate("moses.ini");
    let table = folder.path().join("table.bin");
    run(&["phrase", "compile", "-m", &model, "-o", table.to_str().unwrap()], "").ok();
    file(&folder, "compiled.ini", ini.replace("path=table", "path=table.bin").replace("path=reordering", "path=none"));
    assert_eq!(translate("compiled.ini"), expected);
    let bytes = std::fs::read(&table).unwrap();
    std::fs::write(&table, &bytes[..bytes.len() / 2]).unwrap();
    let ini = folder.path().join("compiled.ini");
    let error = run(&["phrase", "translate", "-m", ini.to_str().unwrap()], "das\n").error(1);
    assert!(error.contains("table.bin: the table is cut off or has grown"), "{error}");
}

#[test]
fn what_is_wrong_with_a_model_is_said() {
    let folder = TempDir::new().unwrap();
    let model = model(&folder, &INI.replace("TM0= 1\n", ""));
    let error = run(&["phrase", "translate", "-m", &model], "das\n").error(1);
    assert!(error.ends_with("moses.ini, line 5: TM0 has no weights under [weight]"), "{error}");
    let error = run(&["phrase", "translate", "-m", "/no/such/model"], "das\n").error(1);
    assert!(error.starts_with("cannot read /no/such/model: "), "{error}");
}
