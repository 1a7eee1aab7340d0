//! Any bytes as a truecasing model and, after a zero byte, a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::check_message;
use metaphrase_fuzz::text::parts;
use metaphrase_text::moses::{FirstWords, Truecaser, TruecaserOptions, TruecaserTrainer, detruecase_line};

fuzz_target!(|input: &[u8]| {
    let [model, line] = parts(input);
    let line = String::from_utf8_lossy(line);
    for first_words in [FirstWords::Skip, FirstWords::Count] {
        let mut trainer = TruecaserTrainer::new(first_words);
        line.lines().for_each(|line| trainer.learn_line(line));
        write_and_read(&trainer.finish(), &line);
    }
    detruecase_line(&line);
    match Truecaser::from_bytes(model, "model") {
        Ok(truecaser) => {
            write_and_read(&truecaser, &line);
            let options = TruecaserOptions { keep_known: true, uncased_input: true };
            truecaser.with_options(options).truecase_line(&line);
        }
        Err(error) => check_message(&error),
    }
});

/// A model that was written is the same when it is read.
fn write_and_read(truecaser: &Truecaser, line: &str) {
    let mut file = Vec::new();
    truecaser.write(&mut file).expect("memory");
    let again = Truecaser::from_bytes(&file, "model").expect("what is written can be read");
    assert_eq!(truecaser.truecase_line(line), again.truecase_line(line));
}
