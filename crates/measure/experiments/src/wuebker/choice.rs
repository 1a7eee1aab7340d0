//! Table 2: settings are chosen on a development text and measured on a test text.

use super::{Row, SETUPS, SetUp, Task};
use crate::setup::{Setup, Text, round};
use anyhow::{Context, Result};
use metaphrase_phrase::{LookAhead, PhraseModel, Presort};
use serde::Serialize;
use std::path::PathBuf;

/// The sizes to choose from, `N_c` = `N_l`.
const SIZES: [usize; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/// `N_o`, as in the paper.
const OPTIONS: Option<usize> = Some(100);
/// A set-up without search errors of its own, which is not in the paper.
const EXACT: &str = "first-word, exact";
/// The set-ups that compete.
const CHOICES: [&str; 4] = ["baseline", EXACT, "+first-word", "+phrase-only"];
/// The largest losses of BLEU on the development text; any.
const LOSSES: [Option<f64>; 4] = [Some(0.0), Some(1.0), Some(2.0), None];

/// The texts, in words as the model has them.
#[derive(clap::Args)]
pub struct Args {
    /// Text to choose settings on: source, reference
    #[arg(long, num_args = 2, required = true, value_names = ["SOURCE", "REFERENCE"])]
    dev: Vec<PathBuf>,
    /// Lines of it
    #[arg(long, value_name = "N", default_value_t = 400)]
    dev_lines: usize,
}

#[derive(Serialize)]
struct Table {
    dev: Vec<Row>,
    chosen: Vec<Chosen>,
}

/// The fastest size of a set-up that loses no more BLEU on the development text than allowed.
#[derive(Serialize)]
struct Chosen {
    /// BLEU below the best of all set-ups on the development text, at most; with 0: the best size of the set-up. None:
    /// the fastest.
    bleu_loss: Option<f64>,
    dev_bleu: f64,
    test: Row,
    /// How many times as fast as the baseline of the same loss.
    speed_up: f64,
}

/// Chooses sizes on the development text, and measures them on the text of the experiment.
pub fn table_2(setup: &Setup, args: &Args) -> Result<()> {
    let [source, reference] = &args.dev[..] else { anyhow::bail!("--dev takes a source and a reference") };
    let folder = setup.model.clone().context("--model names the phrase-based model")?;
    let text = Text::read(source, reference, args.dev_lines)?;
    let mut task = Task { model: PhraseModel::read_moses(&folder)?, text, folder };
    let mut dev = Vec::new();
    for size in SIZES {
        dev.extend(set_ups().map(|set_up| task.row(set_up, size, OPTIONS)).collect::<Result<Vec<_>>>()?);
    }
    task.text = setup.text()?;
    let best = dev.iter().map(|row: &Row| row.bleu).fold(f64::MIN, f64::max);
    let mut chosen: Vec<Chosen> = Vec::new();
    for bleu_loss in LOSSES {
        let mut baseline = None;
        for set_up in set_ups() {
            let rows = dev.iter().filter(|row| row.setup == set_up.0);
            let Some(row) = choose(rows, best, bleu_loss) else { continue };
            let test = task.row(set_up, row.size, OPTIONS)?;
            let speed_up = test.words_per_second / *baseline.get_or_insert(test.words_per_second);
            chosen.push(Chosen { bleu_loss, dev_bleu: row.bleu, test, speed_up: round(speed_up, 1) });
        }
    }
    setup.write("wuebker-table2", &Table { dev, chosen })
}

fn set_ups() -> impl Iterator<Item = SetUp> {
    let exact = (EXACT, Presort::Exact, LookAhead::FirstWord);
    SETUPS.into_iter().chain([exact]).filter(|(name, ..)| CHOICES.contains(name))
}

fn choose<'r>(rows: impl Iterator<Item = &'r Row>, best: f64, bleu_loss: Option<f64>) -> Option<&'r Row> {
    match bleu_loss {
        // At equal BLEU the faster one.
        Some(0.0) => {
            rows.max_by(|a, b| a.bleu.total_cmp(&b.bleu).then(a.words_per_second.total_cmp(&b.words_per_second)))
        }
        _ => {
            let least = bleu_loss.map_or(f64::MIN, |loss| best - loss);
            rows.filter(|row| row.bleu >= least).max_by(|a, b| a.words_per_second.total_cmp(&b.words_per_second))
        }
    }
}
