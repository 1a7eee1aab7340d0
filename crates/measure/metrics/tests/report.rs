//! Reports where sacreBLEU has no form of its own, and refusals.

use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, CorpusStats, Error, Metric, References, ReportOptions, Ter, Test, compare,
    evaluate, paired_bootstrap,
};

const HYPOTHESES: [&str; 4] = ["the cat sat on a mat", "it rains", "", "I see a small dog"];
const OTHERS: [&str; 4] = ["a cat sat on the mat", "it is raining", "nothing", "I see small dogs"];
const REFERENCE: [&str; 4] = ["the cat sat on the mat", "it is raining", "no", "I see a small dog"];

fn metrics() -> Vec<Box<dyn Metric>> {
    let bleu = Bleu::new(BleuOptions::default()).expect("defaults");
    let chrf = Chrf::new(ChrfOptions::default()).expect("defaults");
    vec![Box::new(Ter::default()), Box::new(bleu), Box::new(chrf)]
}

#[test]
fn a_comparison_as_text_has_a_table_for_each_metric() {
    let sets = [REFERENCE];
    let references = References::new(&sets).expect("one set");
    let systems: [(&str, &[&str]); 2] = [("first", &HYPOTHESES), ("2nd", &OTHERS)];
    let options = ReportOptions { short_signature: true, ..ReportOptions::default() };
    let text = compare(&metrics(), &systems, &references, Test::Bootstrap(100), &options).expect("same lines");
    // Numbers of sacreBLEU 2.6.0 with `--paired-bs --paired-bs-n 100 -f text`.
    let expected = "\
BLEU|#:1|bs:100|rs:12345|c:mixed|e:no|tok:13a|s:exp|v:2.6.0
  Baseline: first  60.9 (55.3 ± 43.1)
  2nd              58.6 (53.6 ± 40.2) (p = 0.4851)

chrF2|#:1|bs:100|rs:12345|c:mixed|e:yes|nc:6|nw:0|s:no|v:2.6.0
  Baseline: first  66.7 (63.5 ± 37.1)
  2nd              80.4 (81.5 ± 17.7) (p = 0.1683)

TER|#:1|bs:100|rs:12345|c:lc|t:tercom|nr:no|pn:yes|as:no|v:2.6.0
  Baseline: first  26.7 (31.1 ± 35.1)
  2nd              26.7 (26.4 ± 21.7) (p = 0.4059)";
    assert_eq!(text, expected);
}

#[test]
fn a_system_does_not_differ_from_itself() {
    let sets = [REFERENCE];
    let references = References::new(&sets).expect("one set");
    for metric in metrics() {
        let stats = CorpusStats::collect(metric.as_ref(), &HYPOTHESES, &references).expect("same lines");
        let compared = paired_bootstrap(metric.as_ref(), &[&stats, &stats], 50, 1).expect("same lines");
        assert_eq!(compared[0].p_value, None);
        assert_eq!(compared[1].p_value, Some(1.0 / 51.0), "no sample differs by more than nothing");
        assert_eq!(compared[0].interval, compared[1].interval);
    }
}

#[test]
fn texts_that_are_not_parallel_are_refused() {
    let sets = [REFERENCE];
    let references = References::new(&sets).expect("one set");
    let error =
        evaluate(&metrics(), &HYPOTHESES[..3], &references, &ReportOptions::default()).expect_err("a line less");
    assert_eq!(error, Error::HypothesisLines { hypotheses: 3, references: 4 });
    assert!(error.to_string().contains("3 lines and the references have 4"), "{error}");

    let bleu = Bleu::new(BleuOptions::default()).expect("defaults");
    let stats = bleu.corpus_stats(&HYPOTHESES, &references).expect("same lines");
    assert!(paired_bootstrap(&bleu, &[&stats], 0, 1).is_err());
    assert_eq!(paired_bootstrap(&bleu, &[], 10, 1), Err(Error::NoHypotheses));
}
