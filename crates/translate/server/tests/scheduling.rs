//! Clients at the same time.

use crate::common::server_with;
use serde_json::json;
use std::time::{Duration, Instant};

const LINES: [&str; 5] = [
    "Good morning!",
    "The house is old.",
    "Where is the station?",
    "I do not know what you want to tell me with this.",
    "Can you help me to find the way to the old town?",
];

#[test]
fn one_line_is_answered_soon_after_a_job_of_50_000_lines() {
    let server = server_with(|config| {
        (config.limits.texts, config.limits.characters) = (50_000, 10_000_000);
        // Each line is translated, though the lines repeat.
        config.limits.cache_bytes = 0;
    });
    let alone = server.form("/translate", "q=Good+morning%21&source=en&target=de").json();
    let many: Vec<&str> = LINES.iter().copied().cycle().take(50_000).collect();
    let body = json!({"q": many, "source": "en", "target": "de"}).to_string();
    let long = server.begin("POST", "/translate", "content-type: application/json\r\n", body.as_bytes());
    server.wait("the long job", |server| server.metric("waiting_sentences") > 40_000);
    let steps = server.metric("search_steps_total");
    let sentences = server.metric("sentences_total");
    let begun = Instant::now();
    let answer = server.form("/translate", "q=Good+morning%21&source=en&target=de").json();
    assert_eq!(answer, alone, "the same bytes as alone");
    let (later, time) = (server.metric("sentences_total"), begun.elapsed());
    // The server answers the question for the number in the meantime, too.
    assert!(later - sentences < 500, "{} sentences were translated before, in {time:?}", later - sentences);
    assert!(server.metric("waiting_sentences") > 30_000 && steps > 0);
    drop(long);
    server.wait("the end of the work", |server| server.metric("waiting_sentences") == 0);
    assert!(server.metric("stopped_waiting_total") > 30_000);
}

#[test]
fn texts_among_others_are_translated_as_alone() {
    let server = server_with(|config| {
        config.model_options.threads = 2;
        config.limits.cache_bytes = 0;
    });
    let alone: Vec<String> = LINES
        .iter()
        .map(|line| server.post("/translate", &json!({"q": line, "source": "en", "target": "de"})).text())
        .collect();
    std::thread::scope(|scope| {
        for client in 0..12 {
            let (server, alone) = (&server, &alone);
            scope.spawn(move || {
                for round in 0..10 {
                    let number = (client * 3 + round) % LINES.len();
                    let body = json!({"q": LINES[number], "source": "en", "target": "de"});
                    assert_eq!(server.post("/translate", &body).text(), alone[number]);
                }
            });
        }
    });
}

#[test]
fn a_signal_finishes_what_was_begun() {
    let server = server_with(|config| config.limits.cache_bytes = 0);
    let many: Vec<&str> = LINES.iter().copied().cycle().take(200).collect();
    let body = json!({"q": many, "source": "en", "target": "de"}).to_string();
    let address = server.address;
    let mut long = server.begin("POST", "/translate", "content-type: application/json\r\n", body.as_bytes());
    server.wait("the job", |server| server.metric("waiting_sentences") > 0);
    server.stop();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut long, &mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Guten Morgen!"), "{answer}");
    assert!(
        std::net::TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_err(),
        "nothing new is accepted"
    );
}

#[test]
fn more_than_the_queue_holds_is_refused_with_a_time() {
    let server = server_with(|config| config.limits.queue = 10);
    let body = json!({"q": ["a", "b", "c", "d", "e", "f"], "source": "en", "target": "de"});
    let answer = server.post("/translate", &body);
    assert_eq!(answer.status, 429);
    assert!(answer.head.contains("retry-after: "), "{}", answer.head);
    assert!(answer.json()["error"].as_str().unwrap().starts_with("Slowdown: "));
    let deepl = json!({"text": ["a", "b", "c", "d", "e", "f"], "target_lang": "DE", "source_lang": "EN"});
    assert_eq!(server.post("/v2/translate", &deepl).status, 429);
}
