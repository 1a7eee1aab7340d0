//! Every line of `testdata/metrics/golden.tsv` comes out as sacreBLEU printed it.

use std::fs;
use std::path::PathBuf;

use metaphrase_metrics::References;

fn testdata(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/metrics").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(name: &str) -> Vec<String> {
    let text = testdata(name);
    text.strip_suffix('\n').expect("a line end").split('\n').map(|line| line.trim_end().to_owned()).collect()
}

/// One line of `golden.tsv`.
fn check(golden: &str) {
    let [language, count, job, expected] = golden.split('\t').collect::<Vec<_>>()[..] else { panic!("{golden}") };
    let systems = ["hyp", "hyp2"].map(|name| lines(&format!("{language}.{name}.txt")));
    let sets = ["ref", "ref2"].map(|name| lines(&format!("{language}.{name}.txt")));
    let some: Vec<Vec<Option<&String>>> = vec![
        sets[0].iter().map(Some).collect(),
        sets[1].iter().enumerate().map(|(i, line)| (i % 3 != 2).then_some(line)).collect(),
    ];
    let references = match count {
        "1" => References::new(&sets[..1]),
        "2" => References::new(&sets),
        _ => References::with_missing(&some),
    };
    let found = crate::spec::run(job, &[&systems[0], &systems[1]], &references.expect(golden));
    assert_eq!(found, expected.replace("\\n", "\n"), "{language} {count} {job}");
}

#[test]
fn scores_are_printed_as_sacrebleu_prints_them() {
    let golden = testdata("golden.tsv");
    assert!(golden.lines().count() > 1000);
    golden.lines().for_each(check);
}
