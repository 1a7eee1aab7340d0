//! Reports the numbers that translations lack: `cargo run --release --example numbers -- SOURCE TRANSLATION FROM TO`.
//!
//! Each line of the output is the number of a line, the missing numbers, the source and the translation, with tabs
//! between them. The last lines count.

use metaphrase_text::numbers::missing_numbers;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, translation, from, to] = &arguments[..] else {
        return Err("give a source, a translation and the codes of both languages".into());
    };
    let (source, translation) = (std::fs::read_to_string(source)?, std::fs::read_to_string(translation)?);
    let (mut lines, mut with_digits, mut alarms, mut alarms_with_digits) = (0, 0, 0, 0);
    let mut seconds = 0.0;
    for (number, (source, translation)) in source.lines().zip(translation.lines()).enumerate() {
        let begun = Instant::now();
        let missing = missing_numbers(source, translation, Some((from, to)));
        seconds += begun.elapsed().as_secs_f64();
        let has_digits = source.contains(|c: char| c.is_ascii_digit());
        lines += 1;
        with_digits += usize::from(has_digits);
        alarms += usize::from(!missing.is_empty());
        alarms_with_digits += usize::from(!missing.is_empty() && has_digits);
        if !missing.is_empty() {
            let texts: Vec<String> = missing.into_iter().map(|missing| missing.text).collect();
            println!("{}\t{}\t{source}\t{translation}", number + 1, texts.join(" | "));
        }
    }
    println!("{lines} lines, {with_digits} with digits; reports on {alarms} lines, {alarms_with_digits} with digits");
    println!("{:.2} microseconds a line", 1e6 * seconds / f64::from(lines));
    Ok(())
}
