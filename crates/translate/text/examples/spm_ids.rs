//! Encodes the lines of stdin with a SentencePiece model and decodes them again.
//!
//! `cargo run --release --example spm_ids -- MODEL < TEXT` writes two lines for each line: its ids, and the text
//! that they decode to. How fast both were is written to stderr, in CPU time, reading and writing not counted.
//! `testdata/text/compare_sentencepiece.py` compares the output with that of the C++ library.

use metaphrase_text::sentencepiece::{Scratch, SentencePieceModel};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

/// A stop watch that counts CPU time where the system reports it, as the machine may be busy.
struct Watch(Instant, Option<Duration>);

impl Watch {
    fn start() -> Self {
        Self(Instant::now(), cpu_time())
    }

    fn elapsed(&self) -> Duration {
        match (self.1, cpu_time()) {
            (Some(start), Some(end)) => end - start,
            _ => self.0.elapsed(),
        }
    }
}

/// The first field of the scheduler's statistics of Linux is the time on a CPU in nanoseconds.
fn cpu_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: spm_ids MODEL < TEXT")?;
    let start = Watch::start();
    let model = SentencePieceModel::open(path.as_ref())?;
    let load = start.elapsed();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let lines: Vec<&str> = text.split_terminator('\n').collect();

    let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    let (mut all_ids, mut ends) = (Vec::new(), Vec::with_capacity(lines.len()));
    let start = Watch::start();
    for line in &lines {
        model.encode_with(&mut scratch, line, &mut ids);
        all_ids.extend_from_slice(&ids);
        ends.push(all_ids.len());
    }
    let encode = start.elapsed();

    let mut decoded = Vec::with_capacity(lines.len());
    let start = Watch::start();
    for (i, &end) in ends.iter().enumerate() {
        let begin = if i == 0 { 0 } else { ends[i - 1] };
        decoded.push(model.decode(&all_ids[begin..end]));
    }
    let decode = start.elapsed();

    let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
    eprintln!(
        "load {:.1} ms, {} lines, {} ids, encode {:.1} MB/s, decode {:.1} MB/s",
        load.as_secs_f64() * 1e3,
        lines.len(),
        all_ids.len(),
        speed(encode),
        speed(decode)
    );

    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut row = String::new();
    for (i, &end) in ends.iter().enumerate() {
        let begin = if i == 0 { 0 } else { ends[i - 1] };
        row.clear();
        for id in &all_ids[begin..end] {
            write!(row, "{id} ")?;
        }
        writeln!(out, "{}", row.trim_end())?;
        writeln!(out, "{}", decoded[i])?;
    }
    Ok(out.flush()?)
}
