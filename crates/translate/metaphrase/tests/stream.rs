//! A stream ends when its sink wants no more, and reads no further ahead than a window.

use metaphrase::{Request, Translator};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn nothing_is_read_after_the_sink_broke() {
    let translator = Translator::builder().model("en-de").threads(1).batch_tokens(1).build().expect("a model");
    let read = AtomicUsize::new(0);
    let chunks = (0..10_000).map(|_| {
        read.fetch_add(1, Ordering::Relaxed);
        vec![Request::translate("Good morning!")]
    });
    let mut sunk = 0;
    let sink = |translation: metaphrase::Translation| {
        assert_eq!(translation.text(), "Guten Morgen!");
        sunk += 1;
        if sunk == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    translator.stream(&translator.options(), chunks, sink).expect("a stopped stream is no error");
    assert_eq!(sunk, 3);
    assert!(read.load(Ordering::Relaxed) < 10_000, "all was read");
}

#[test]
fn bytes_that_callers_keep_count() {
    let translator = Translator::builder().model("en-de").threads(1).batch_tokens(1).build().expect("a model");
    let read = AtomicUsize::new(0);
    let chunks = (0..60).map(|_| {
        // A line without words counts as others do.
        let text = ["Hello!", ""][read.fetch_add(1, Ordering::Relaxed) % 2];
        vec![Request { attached: 10 << 20, ..Request::translate(text) }]
    });
    let (mut sunk, mut ahead) = (0, 0);
    let sink = |_| {
        sunk += 1;
        ahead = ahead.max(read.load(Ordering::Relaxed) + 1 - sunk);
        ControlFlow::Continue(())
    };
    translator.stream(&translator.options(), chunks, sink).expect("all lines are translated");
    assert_eq!(sunk, 60);
    // Six requests of 10 MiB fit into 64 MiB, one waits, and one may have been answered since.
    assert!(ahead <= 8, "{ahead} requests were in memory");
}

#[test]
fn lines_behind_a_long_one_wait_to_be_read() {
    const CHUNK: usize = 100;
    let translator = Translator::builder().model("en-de").threads(1).batch_tokens(1).build().expect("a model");
    let read = AtomicUsize::new(0);
    let chunks = (0..1000).map(|chunk| {
        read.fetch_add(CHUNK, Ordering::Relaxed);
        let mut requests = vec![Request::default(); CHUNK];
        if chunk == 0 {
            requests[0] = Request::translate("I am tired and I want to go home. ".repeat(20));
        }
        requests
    });
    let (mut sunk, mut ahead) = (0, 0);
    let sink = |_| {
        sunk += 1;
        ahead = ahead.max(read.load(Ordering::Relaxed) + 1 - sunk);
        ControlFlow::Continue(())
    };
    translator.stream(&translator.options(), chunks, sink).expect("all lines are translated");
    assert_eq!(sunk, 100_000);
    // A window of 8192 lines, empty or not, and one chunk.
    assert!(ahead <= 8192 + CHUNK, "{ahead} lines were in memory");
}

#[test]
fn pieces_are_translated_as_the_text_that_they_spell() {
    let translator = Translator::builder().model("en-de").threads(1).build().expect("a model");
    let mut options = translator.options();
    let text = Request::translate("Good morning, where is the station?").prefix("Guten");
    let [source, target] = translator.vocabularies().expect("vocabularies");
    let expected = translator.run(&options, vec![text.clone()]).expect("a translation");
    options.pieces = true;
    let pieces =
        Request::translate(source.pieces(&text.source).join(" ")).prefix(target.pieces(&text.prefix).join(" "));
    let unknown = Request::translate("▁Good  a@b ▁morning");
    let found = translator.run(&options, vec![pieces, unknown]).expect("translations");
    assert_eq!(found[0], expected[0]);
    assert_eq!(found[1].source_pieces, ["▁Good", "<unk>", "▁morning"]);
    // A given translation, too.
    let scored = |pieces, request| {
        options.pieces = pieces;
        translator.run(&options, vec![request]).expect("a score").remove(0).hypotheses.remove(0).log_prob
    };
    let mut scored = scored;
    let of_text = scored(false, Request::score("Good morning!", "Guten Morgen!"));
    let (source, target) = (source.pieces("Good morning!").join(" "), target.pieces("Guten Morgen!").join(" "));
    assert_eq!(scored(true, Request::score(source, target)), of_text);
}
