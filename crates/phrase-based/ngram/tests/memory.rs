//! Reading ARPA text holds the n-grams of one order in addition to the model, not those of all orders. The model has
//! memory of its own, which is not counted here. One test in a program of its own, as it counts all bytes of the
//! process.

use metaphrase_ngram::arpa;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::fmt::Write;
use std::io::{self, BufReader, Read};
use std::path::Path;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    (stats.bytes_allocated - stats.bytes_deallocated).wrapping_add_signed(stats.bytes_reallocated)
}

/// A text that looks at the memory of the process whenever a part of it is read.
struct MemoryProbe<'t> {
    text: &'t [u8],
    most: &'t mut usize,
}

impl Read for MemoryProbe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        *self.most = allocated().max(*self.most);
        self.text.read(buffer)
    }
}

/// N-grams of orders 1 to 6 with the same number of each. Those of an order are the first ones of the order below, each
/// with a word more.
fn model(count: usize) -> String {
    let word = |i: usize| format!("w{}", (i * 7919) % count);
    let mut text = "\\data\\\n".to_owned();
    (1..=6)
        .for_each(|order| writeln!(text, "ngram {order}={}", count + if order == 1 { 2 } else { 0 }).expect("memory"));
    text += "\n\\1-grams:\n-9\t<s>\t0\n-1\t</s>\n";
    (0..count).for_each(|i| writeln!(text, "-1\t{}\t-0.5", word(i)).expect("memory"));
    for order in 2..=6 {
        writeln!(text, "\n\\{order}-grams:").expect("memory");
        for i in 0..count {
            // The words from i on in a circle: so the n-gram without its oldest word is there, too.
            let words: Vec<String> = (0..order).map(|k| word((i + k) % count)).collect();
            let backoff = if order < 6 { "\t-0.25" } else { "" };
            writeln!(text, "-0.5\t{}{backoff}", words.join(" ")).expect("memory");
        }
    }
    text + "\n\\end\\\n"
}

/// Bytes for each n-gram in addition to the text, and the number of n-grams of the model.
fn bytes(text: &str) -> (usize, usize) {
    let before = allocated();
    let mut most = before;
    let watched = BufReader::with_capacity(1 << 12, MemoryProbe { text: text.as_bytes(), most: &mut most });
    let model = arpa::read_from(watched, Path::new("model.arpa")).expect("a sound model");
    let ngrams = model.counts().iter().sum();
    ((most - before) / ngrams, ngrams)
}

#[test]
fn one_order_at_a_time_is_in_memory() {
    let text = model(20_000);
    let (taken, ngrams) = bytes(&text);
    assert_eq!(ngrams, 6 * 20_000 + 3);
    // Without a 2-gram that others need, all n-grams are held until they are completed.
    let incomplete = text.replacen("ngram 2=20000", "ngram 2=19999", 1);
    let (at, length) = text
        .find("\\2-grams:\n")
        .map(|at| at + "\\2-grams:\n".len())
        .map(|at| (at, text[at..].find('\n').map_or(0, |length| length + 1)))
        .expect("2-grams");
    let incomplete = incomplete[..at].to_owned() + &incomplete[at + length..];
    let (taken_by_all, ngrams) = bytes(&incomplete);
    assert_eq!(ngrams, 6 * 20_000 + 3, "the 2-gram is added");
    println!("{taken} bytes for an n-gram, {taken_by_all} if all are held");
    assert!(taken <= 24 && 3 * taken <= taken_by_all, "{taken} bytes for an n-gram, {taken_by_all} if all are held");
}
