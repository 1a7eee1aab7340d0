//! A stream ends when its sink wants no more.

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
