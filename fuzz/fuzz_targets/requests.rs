//! A request of the server: its content type, its query string and its body, with zero bytes between. Parameters are read, or the request is
//! refused with one sentence.
#![no_main]

use axum::body::Body;
use axum::http::Request;
use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::check_message;
use metaphrase_fuzz::text::parts;
use metaphrase_server::Params;
use std::cell::RefCell;
use tokio::runtime::{Builder, Runtime};

/// The most bytes of a body.
const LIMIT: usize = 3000;

thread_local! {
    static RUNTIME: RefCell<Runtime> = RefCell::new(Builder::new_current_thread().enable_all().build().expect("a runtime"));
}

fuzz_target!(|input: &[u8]| {
    let [kind, query, body] = parts(input);
    let uri = format!("/translate?{}", String::from_utf8_lossy(query));
    let request = Request::post(uri).header("content-type", kind).body(Body::from(body.to_vec()));
    // Bytes that no head of a request has.
    let Ok(request) = request else { return };
    let read = RUNTIME.with_borrow(|runtime| runtime.block_on(Params::read(request, LIMIT)));
    match read {
        Err(failure) => check_message(&failure),
        Ok(params) => {
            assert!(body.len() <= LIMIT, "more than the limit was read");
            for name in params.names() {
                let (_, _) = (params.text(name), params.value(name));
            }
            for name in ["q", "text"] {
                if let Err(failure) = params.texts(name) {
                    check_message(&failure);
                }
            }
            let _ = params.number("alternatives");
        }
    }
});
