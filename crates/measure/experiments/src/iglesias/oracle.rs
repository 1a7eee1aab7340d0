//! The translation of a lattice that is most like the reference.
//!
//! The exact one is hard to find. With the linear approximation of BLEU (Tromble et al. 2008) each word adds a number
//! of its own, which depends on the three words before it alone: so the best path is found from left to right. This is
//! done for several approximations, and the path with the highest BLEU of the sentence is taken. The result is a lower
//! bound of the oracle.

use anyhow::Result;
use metaphrase::{Lattice, Theta};
use metaphrase_metrics::{Arithmetic, Bleu, Metric};
use std::collections::{HashMap, HashSet};

/// Hypotheses that are kept in a state.
const KEPT: usize = 200;
/// A word that the reference lacks.
const OTHER: u32 = u32::MAX;
/// The last words of a hypothesis, by which hypotheses are distinguished.
type History = [u32; 3];
const EMPTY: u32 = u32::MAX - 1;

/// N-grams of a reference.
struct Grams {
    words: HashMap<String, u32>,
    grams: HashSet<[u32; 4]>,
}

impl Grams {
    fn new(reference: &[String]) -> Self {
        let mut words = HashMap::new();
        let numbers: Vec<u32> = (reference.iter())
            .map(|word| {
                let next = words.len() as u32;
                *words.entry(word.clone()).or_insert(next)
            })
            .collect();
        let mut grams = HashSet::new();
        for end in 0..numbers.len() {
            for order in 1..=4.min(end + 1) {
                let mut gram = [EMPTY; 4];
                gram[4 - order..].copy_from_slice(&numbers[end + 1 - order..=end]);
                grams.insert(gram);
            }
        }
        Self { words, grams }
    }

    /// The gain of a word after a history.
    fn gain(&self, history: History, word: u32, theta: &Theta) -> f64 {
        let mut gram = [history[0], history[1], history[2], word];
        let mut gain = theta.word;
        for order in (1..=4).rev() {
            gram[..4 - order].fill(EMPTY);
            if !gram[4 - order..].contains(&EMPTY) && self.grams.contains(&gram) {
                gain += theta.factor(order);
            }
        }
        gain
    }
}

#[derive(Clone, Copy)]
struct PartialPath {
    gain: f64,
    history: History,
    /// The hypothesis before, and the number of the arc.
    back: Option<(usize, usize)>,
}

/// The words of the path with the greatest gain.
fn best_path<'l>(lattice: &'l Lattice, grams: &Grams, theta: &Theta) -> Vec<&'l str> {
    let numbers: Vec<u32> = lattice.words().map(|word| grams.words.get(word).copied().unwrap_or(OTHER)).collect();
    let mut waiting: Vec<HashMap<History, PartialPath>> = vec![HashMap::new(); lattice.states()];
    waiting[0].insert([EMPTY; 3], PartialPath { gain: 0.0, history: [EMPTY; 3], back: None });
    let (mut hypotheses, mut arcs): (Vec<PartialPath>, &[metaphrase_lattice::Arc]) = (Vec::new(), lattice.arcs());
    let mut first_arc = 0;
    let mut last = 0..0;
    for state in 0..lattice.states() {
        let mut here: Vec<PartialPath> = std::mem::take(&mut waiting[state]).into_values().collect();
        here.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.history.cmp(&b.history)));
        here.truncate(KEPT);
        last = hypotheses.len()..hypotheses.len() + here.len();
        hypotheses.extend(here);
        let (leaving, later) = arcs.split_at(arcs.partition_point(|arc| arc.from.index() == state));
        for (number, arc) in (first_arc..).zip(leaving).filter(|(_, arc)| arc.score > f32::NEG_INFINITY) {
            for place in last.clone() {
                let PartialPath { gain, history: [_, b, c], .. } = hypotheses[place];
                let before = hypotheses[place].history;
                let (gain, history) = match arc.word.map(|word| numbers[word.index()]) {
                    Some(word) => (gain + grams.gain(before, word, theta), [b, c, word]),
                    None => (gain, before),
                };
                let next = PartialPath { gain, history, back: Some((place, number)) };
                let best = waiting[arc.to.index()].entry(history).or_insert(next);
                if gain > best.gain {
                    *best = next;
                }
            }
        }
        (first_arc, arcs) = (first_arc + leaving.len(), later);
    }
    let best = last.reduce(|a, b| if hypotheses[b].gain > hypotheses[a].gain { b } else { a });
    let back =
        std::iter::successors(best.and_then(|best| hypotheses[best].back), |&(before, _)| hypotheses[before].back);
    let mut words: Vec<&str> =
        back.filter_map(|(_, arc)| lattice.arcs()[arc].word).map(|word| lattice.word(word)).collect();
    words.reverse();
    words
}

/// The words of the translation that is most like the reference, whose words are these. `text` writes words as text,
/// which `bleu` compares with the text of the reference.
pub fn oracle(
    lattice: &Lattice,
    reference: &[String],
    reference_text: &str,
    bleu: &Bleu,
    text: impl Fn(&[&str]) -> String,
) -> Result<String> {
    let grams = Grams::new(reference);
    let mut best: Option<(f64, String)> = None;
    for (precision, ratio) in [(0.2, 0.5), (0.4, 0.5), (0.4, 0.8), (0.6, 0.5), (0.6, 0.8), (0.8, 0.7), (0.9, 0.9)] {
        let found = text(&best_path(lattice, &grams, &Theta::linear_bleu(precision, ratio, 10.0)));
        let mut statistics = vec![0.0; bleu.stats_len()];
        bleu.sentence_stats(&found, &[reference_text], &mut statistics);
        let score = bleu.value(&statistics, Arithmetic::Double);
        if best.as_ref().is_none_or(|best| score > best.0) {
            best = Some((score, found));
        }
    }
    Ok(best.map(|(_, text)| text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_metrics::BleuOptions;

    #[test]
    fn the_path_that_resembles_the_reference_is_found() {
        let bleu = Bleu::new(BleuOptions { effective_order: true, ..BleuOptions::default() }).expect("BLEU");
        // Each word may be wrong, and a wrong word scores better.
        let mut compact = String::from("7");
        for (place, word) in ["the", "old", "house", "is", "very", "big"].into_iter().enumerate() {
            let skip = usize::from(place > 0);
            compact += &format!("\t{skip} 1 -5 {word}\t0 1 -1 x{place}");
        }
        let lattice = Lattice::from_compact(&compact).expect("a lattice");
        let of = |reference: &str| {
            let words: Vec<String> = reference.split(' ').map(str::to_owned).collect();
            oracle(&lattice, &words, reference, &bleu, |words| words.join(" ")).expect("an oracle")
        };
        assert_eq!(of("the old house is very big"), "the old house is very big");
        assert_eq!(of("x0 old house is x4 big"), "x0 old house is x4 big");
    }
}
