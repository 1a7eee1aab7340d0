//! Alignment error rate, precision and recall of links against those made by hand, which belong to the last lines.
//!
//! `cargo run --release -p metaphrase-align --example alignment_error_rate -- GOLD LINKS …`
#![allow(clippy::unwrap_used, reason = "a tool for measurements")]

use metaphrase_align::{Alignment, ErrorRate};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let (gold, systems) = names.split_first().expect("a file of links made by hand, and files of links");
    let gold = read(gold);
    for name in systems {
        let found = read(name);
        let mut rate = ErrorRate::default();
        let last = &found[found.len() - gold.len()..];
        last.iter().zip(&gold).for_each(|(found, gold)| rate.add(found, gold));
        let percent = [rate.error_rate(), rate.precision(), rate.recall()].map(|part| 100.0 * part);
        println!("{name}: AER {:.2} precision {:.2} recall {:.2}", percent[0], percent[1], percent[2]);
    }
}

fn read(name: &str) -> Vec<Alignment> {
    let text = std::fs::read_to_string(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.lines().map(|line| line.parse().unwrap()).collect()
}
