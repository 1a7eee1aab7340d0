//! What clients do wrong, and what that does not do to others.

use crate::common::{Running, server, server_with};
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Whether the server translates.
fn works(server: &Running) {
    let answer = server.post("/translate", &json!({"q": "Good morning!", "source": "en", "target": "de"}));
    assert_eq!(answer.json()["translatedText"], "Guten Morgen!");
}

#[test]
fn the_work_of_a_client_that_left_stops_in_the_search() {
    let server = server();
    works(&server);
    // A line that takes long.
    let line = "the house and ".repeat(300);
    let body = json!({"q": line, "source": "en", "target": "de", "alternatives": 10}).to_string();
    let stream = server.begin("POST", "/translate", "content-type: application/json\r\n", body.as_bytes());
    server.wait("the search", |server| server.metric("batch_tokens") > 100);
    drop(stream);
    server.wait("the end of the search", |server| server.metric("batch_tokens") == 0);
    assert!(server.metric("stopped_in_search_total") >= 1);
    works(&server);
}

#[test]
fn half_a_request_disturbs_nobody() {
    let server = server();
    let mut halves = Vec::new();
    for half in ["", "POST", "POST /translate HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{\"q\":"] {
        let mut stream = server.connect();
        stream.write_all(half.as_bytes()).unwrap();
        halves.push(stream);
    }
    works(&server);
    drop(halves);
    works(&server);
}

#[test]
fn half_a_request_does_not_hold_up_the_end() {
    let server = server();
    let mut half = server.connect();
    half.write_all(b"POST /translate HTTP/1.1\r\nHo").unwrap();
    works(&server);
    let begin = Instant::now();
    server.stop();
    // Requests in work would have 30 seconds.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn what_is_no_http_is_refused() {
    let server = server();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    let headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(10_000));
    for bytes in
        ["\0\x01\x02\r\n\r\n", "GET\r\n\r\n", &*long, &*headers, "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n"]
    {
        let mut stream = server.connect();
        // The server may close before all is written.
        let _ = stream.write_all(bytes.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let start = String::from_utf8_lossy(&answer[..answer.len().min(12)]).into_owned();
        assert!(start.is_empty() || start.starts_with("HTTP/1.1 4"), "{start}");
    }
    works(&server);
}

#[test]
fn bodies_that_are_too_large_or_too_deep_are_refused() {
    let server = server_with(|config| config.limits.characters = 1000);
    let deep = "[".repeat(30_000);
    let large = format!("{{\"q\": \"{}\"}}", "a".repeat(100_000));
    let json = "content-type: application/json\r\n";
    for path in ["/translate", "/v2/translate", "/api/v1/translate", "/detect", "/v2/glossaries", "/api/v1/glossaries"]
    {
        assert_eq!(server.send("POST", path, json, deep.as_bytes()).status, 400, "{path}");
        assert_eq!(server.send("POST", path, json, b"{\"q\": \xff}").status, 400, "{path}");
        let refused = server.send("POST", path, json, large.as_bytes());
        assert!([400, 413].contains(&refused.status), "{path} {}", refused.text());
    }
    let parts = "content-type: multipart/form-data; boundary=x\r\n";
    assert_eq!(server.send("POST", "/translate_file", parts, b"--x\r\n").status, 400);
    // A body whose length is not announced.
    let mut stream = server.connect();
    let head = "POST /translate HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
    for _ in 0..4 {
        let _ = stream.write_all(chunk.as_bytes());
    }
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    works(&server);
}

#[test]
fn a_slow_reader_disturbs_nobody() {
    let server = server();
    let text = vec!["Good morning!"; 4000];
    let body = json!({"q": text, "source": "en", "target": "de"}).to_string();
    let slow: Vec<_> = (0..3)
        .map(|_| server.begin("POST", "/translate", "content-type: application/json\r\n", body.as_bytes()))
        .collect();
    server.wait("the long answers", |server| server.metric("waiting_sentences") == 0);
    works(&server);
    std::thread::sleep(Duration::from_millis(50));
    works(&server);
    drop(slow);
}

#[test]
fn many_connections_are_open_at_a_time() {
    let server = server_with(|config| config.limits.connections = 300);
    let open: Vec<_> = (0..280).map(|_| server.connect()).collect();
    works(&server);
    let more: Vec<_> = (0..40).map(|_| server.connect()).collect();
    server.wait("the limit", |server| {
        drop(std::net::TcpStream::connect(server.address));
        true
    });
    drop((open, more));
    std::thread::sleep(Duration::from_millis(100));
    works(&server);
}

#[test]
fn pages_of_other_origins_are_let_in_if_the_operator_says_so() {
    let server = server_with(|config| config.origins = vec!["https://a.example".into()]);
    let asked = |origin: &str| server.send("OPTIONS", "/translate", &format!("origin: {origin}\r\n"), b"").head;
    assert!(asked("https://a.example").contains("access-control-allow-origin: https://a.example"));
    assert!(!asked("https://b.example").contains("access-control-allow-origin"));
}
