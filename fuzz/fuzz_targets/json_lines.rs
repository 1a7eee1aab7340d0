//! A line of JSON input: an error of one sentence, or a request and the line's keys as they were written.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod print {
    /// Keys that the program prints.
    pub const KEYS: [&str; 2] = ["translation", "notes"];
}
#[path = "../../crates/translate/cli/src/request.rs"]
mod request;

fuzz_target!(|input: &[u8]| {
    let line = String::from_utf8_lossy(input);
    let _ = request::from_tsv(&line);
    match request::from_json(&line) {
        Err(problem) => assert!(!problem.is_empty()),
        Ok((request, fields)) => {
            assert!(fields.contains_key("text"), "{request:?}");
            assert!(request::misspelt(&fields).len() < fields.len());
            assert!(fields.values().all(|value| line.contains(value.get())));
        }
    }
});
