//! The time of a step, by the size of the evidence: the n best translations of a phrase-based model's lattices, with n
//! from 10 to 10,000, and the whole lattices. Prints JSON:
//! `cargo run --release -p metaphrase --example step_speed -- de-en smt-model/ de en test.de 100`

use metaphrase::{Request, TranslateOptions, Translator, Unit, UnitTimes};
use std::error::Error;
use std::sync::Arc;

/// `None`: the whole lattice.
const SIZES: [Option<usize>; 5] = [Some(10), Some(100), Some(1000), Some(10_000), None];
/// The number of rounds in which the sizes take turns; the fastest round counts.
const TURNS: usize = 3;

/// Microseconds: the time of a step, of adding the evidence in a step, and of the posteriors and the matrix of a
/// sentence.
struct Times {
    step: f64,
    adding: f64,
    building: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, evidence, source, target, text, lines] = &arguments[..] else {
        return Err("expected: MODEL PHRASE_MODEL SOURCE_LANGUAGE TARGET_LANGUAGE TEXT LINES".into());
    };
    let text = std::fs::read_to_string(text)?;
    let lines: Vec<&str> = text.lines().take(lines.parse()?).collect();
    let mut best: Vec<Option<Times>> = SIZES.iter().map(|_| None).collect();
    for _ in 0..TURNS {
        for (size, best) in SIZES.iter().zip(&mut best) {
            let times = Arc::new(UnitTimes::default());
            let builder = Translator::builder().model(model).evidence_model(evidence);
            let builder = builder.evidence_languages(source, target).threads(1).unit_times(Arc::clone(&times));
            let translator = builder.build()?;
            let mut options = translator.options();
            options.evidence.best_paths = *size;
            let found = measured(&translator, &options, &lines, &times)?;
            if best.as_ref().is_none_or(|best| found.step < best.step) {
                *best = Some(found);
            }
        }
    }
    let row = |(size, found): (&Option<usize>, Times)| {
        let paths = size.map_or_else(|| "\"all\"".to_owned(), |size| size.to_string());
        let Times { step, adding, building } = found;
        format!(
            " {{\"paths\": {paths}, \"step_us\": {step:.1}, \"adding_us\": {adding:.2}, \"building_us_a_line\": {building:.0}}}"
        )
    };
    let rows: Vec<String> = SIZES.iter().zip(best.into_iter().flatten()).map(row).collect();
    println!("[\n{}\n]", rows.join(",\n"));
    Ok(())
}

/// Translates the lines. The search's own time is the time of all units except the phrase-based search and the making
/// of the evidence.
fn measured(
    translator: &Translator,
    options: &TranslateOptions,
    lines: &[&str],
    times: &UnitTimes,
) -> Result<Times, Box<dyn Error>> {
    let found = translator.run(options, lines.iter().map(|line| Request::translate(*line)).collect())?;
    let steps: usize = found.iter().map(|translation| translation.counts.steps).sum();
    let seconds = |units: &[Unit]| units.iter().map(|&unit| times.get(unit).seconds).sum::<f64>();
    let building = seconds(&[Unit::Posteriors, Unit::Matrix]);
    let beside = building + seconds(&[Unit::PhraseSearch, Unit::Text]);
    let a_step = |seconds: f64| 1e6 * seconds / steps.max(1) as f64;
    Ok(Times {
        step: a_step(seconds(&Unit::ALL) - beside),
        adding: a_step(seconds(&[Unit::Scorers])),
        building: 1e6 * building / lines.len().max(1) as f64,
    })
}
