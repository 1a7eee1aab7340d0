//! Requests that a caller schedules itself: the same translations, and work that stops.

use metaphrase::{Cancel, Error, Package, Request, SearchOptions, TranslateOptions, Translator};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

fn submitted(
    translator: &Translator,
    options: &TranslateOptions,
    requests: &[Request],
    cancel: &Cancel,
) -> Receiver<(usize, Result<metaphrase::Translation, Error>)> {
    let (sender, answers) = channel();
    for (number, request) in requests.iter().enumerate() {
        let sender = sender.clone();
        let answer = move |answer| _ = sender.send((number, answer));
        translator.submit(options, request.clone(), cancel, answer).unwrap();
    }
    answers
}

#[test]
fn submitted_requests_have_the_same_translations() {
    let translator = Translator::builder().package(Package::bundled()).threads(2).build().unwrap();
    let requests: Vec<Request> = ["Good morning!", "", "Where is the station?", "The house is old."]
        .map(|line| Request::translate(line).require(["Tag"]))
        .to_vec();
    let expected = translator.run(&translator.options(), requests.clone()).unwrap();
    let answers = submitted(&translator, &translator.options(), &requests, &Cancel::new());
    let mut answers: Vec<_> = answers.into_iter().collect();
    answers.sort_by_key(|(number, _)| *number);
    let answers: Vec<_> = answers.into_iter().map(|(_, answer)| answer.unwrap()).collect();
    assert_eq!(answers, expected);
}

#[test]
fn work_stops_inside_the_search() {
    let translator = Translator::builder().package(Package::bundled()).threads(1).build().unwrap();
    // A wide beam over a long line takes seconds.
    let search = SearchOptions { beam_size: 200, max_length_factor: 50.0, ..SearchOptions::default() };
    let options = TranslateOptions { search, ..TranslateOptions::default() };
    let cancel = Cancel::new();
    let slow = Request::translate("the house and ".repeat(100));
    let begun = Instant::now();
    let answers = submitted(&translator, &options, &[slow.clone(), slow], &cancel);
    std::thread::sleep(Duration::from_millis(100));
    assert!(answers.try_recv().is_err(), "the search is slow");
    cancel.cancel();
    assert!(cancel.is_cancelled());
    for (_, answer) in answers {
        assert!(matches!(answer, Err(Error::Cancelled)));
    }
    assert_eq!(translator.translate(&["Good morning!"]).unwrap()[0].text(), "Guten Morgen!");
    assert!(begun.elapsed() < Duration::from_secs(10), "the rest of the search was not done");
}

#[test]
fn options_that_can_not_work_are_refused_without_an_answer() {
    let translator = Translator::builder().package(Package::bundled()).threads(1).build().unwrap();
    let mut options = translator.options();
    options.search.beam_size = 0;
    let (sender, answers) = channel();
    let answer = move |answer| _ = sender.send(answer);
    let refused = translator.submit(&options, Request::translate("a"), &Cancel::new(), answer);
    assert!(matches!(refused, Err(Error::Options(_))));
    assert!(answers.recv().is_err(), "no answer comes");
}
