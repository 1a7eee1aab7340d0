//! Sentences as events, each as soon as its translation is there.

use super::error;
use super::sentences::{Details, answer_object, sentence_object};
use crate::reply;
use crate::text::apart;
use crate::translate::PendingTexts;
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::{Duration, Instant};

/// How often a comment keeps a connection open on which nothing else is sent.
const QUIET: Duration = Duration::from_secs(10);

/// What is sent next.
enum State {
    Start(PendingTexts),
    Sentences(PendingTexts),
    End,
}

/// The events of some texts. When the client leaves, the stream is dropped, and the work stops.
pub fn events(pending: PendingTexts, shown: Details, begun: Instant) -> Response<Body> {
    let events = unfold(State::Start(pending), move |state| async move {
        let (text, state) = match state {
            State::Start(pending) => (start(&pending), State::Sentences(pending)),
            State::Sentences(pending) => next(pending, shown, begun).await,
            State::End => return None,
        };
        Some((Ok::<_, Infallible>(text), state))
    });
    let mut response = reply::bytes(StatusCode::OK, "text/event-stream", Body::from_stream(events));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies would wait for more.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn start(pending: &PendingTexts) -> String {
    let text = |text: &crate::pending::PendingText| {
        let mut object = json!({"source": text.source, "sentences": text.sentences()});
        if let Some(detected) = &text.detected {
            object["detected"] = json!(detected);
        }
        object
    };
    let texts: Vec<Value> = pending.texts().iter().map(text).collect();
    event("start", &json!({"texts": texts}))
}

/// The next sentence, the end, or a comment.
async fn next(mut pending: PendingTexts, shown: Details, begun: Instant) -> (String, State) {
    match tokio::time::timeout(QUIET, pending.next()).await {
        Err(_) => (": \n\n".to_owned(), State::Sentences(pending)),
        Ok(Ok(Some((text, sentence)))) => {
            let texts = pending.texts();
            let done = texts.get(text).and_then(|found| found.sentence(sentence));
            let mut object = done.map(|done| sentence_object(&done, shown)).unwrap_or_default();
            object["text"] = json!(text);
            object["sentence"] = json!(sentence);
            (event("sentence", &object), State::Sentences(pending))
        }
        Ok(Ok(None)) => {
            let characters = pending.characters;
            match apart(characters, move || answer_object(pending.texts(), shown, characters, begun)).await {
                Ok(answer) => (event("done", &answer), State::End),
                Err(failure) => (event("error", &error(&failure)), State::End),
            }
        }
        Ok(Err(failure)) => (event("error", &error(&failure)), State::End),
    }
}
