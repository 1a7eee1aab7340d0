//! What proxies and programs add to requests: prefixes, compression, byte order marks.

use crate::common::{Answer, Running, server, server_with};
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use serde_json::json;
use std::io::Read;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(bytes, Compression::best()).read_to_end(&mut packed).unwrap();
    packed
}

fn post(server: &Running, head: &str, body: &[u8]) -> Answer {
    server.send("POST", "/translate", &format!("content-type: application/json\r\n{head}"), body)
}

#[test]
fn the_link_to_a_file_has_the_prefix_of_the_proxy() {
    let link = |trust: bool, prefix: &str| {
        let server = server_with(|config| config.trust_forwarded = trust);
        let body = "--x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n--x\r\nContent-Disposition: form-data; \
                    name=\"target\"\r\n\r\nde\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n\
                    Good morning.\r\n--x--\r\n";
        let head = format!(
            "content-type: multipart/form-data; boundary=x\r\nx-forwarded-proto: https\r\nx-forwarded-host: example.org\r\n\
             x-forwarded-prefix: {prefix}\r\n"
        );
        let answer = server.send("POST", "/translate_file", &head, body.as_bytes()).json();
        answer["translatedFileUrl"].as_str().unwrap().split("/download_file").next().unwrap().to_owned()
    };
    assert_eq!(link(true, "/mt"), "https://example.org/mt");
    assert_eq!(link(true, "/mt/deep/"), "https://example.org/mt/deep");
    assert_eq!(link(true, "/"), "https://example.org");
    assert_eq!(link(true, "/a\"<script>"), "https://example.org");
    assert_eq!(link(false, "/mt"), "http://test");
}

#[test]
fn bodies_come_in_gzip_and_without_harm() {
    let server = server();
    let body = json!({"q": "Good morning!", "source": "en", "target": "de"}).to_string();
    let answer = post(&server, "content-encoding: gzip\r\n", &gzip(body.as_bytes()));
    assert_eq!(answer.json(), json!({"translatedText": "Guten Morgen!"}));
    let broken = post(&server, "content-encoding: gzip\r\n", body.as_bytes());
    assert!(broken.status == 400 && broken.text().contains("not gzip"), "{}", broken.text());
    let other = post(&server, "content-encoding: br\r\n", body.as_bytes());
    assert!(other.status == 415 && other.text().contains("gzip is read"), "{}", other.text());
    let bomb = gzip(&vec![b' '; 20_000_000]);
    assert!(bomb.len() < 100_000);
    assert_eq!(post(&server, "content-encoding: gzip\r\n", &bomb).status, 400);
    // The interfaces with typed bodies, too.
    let body = gzip(json!({"text": "Good morning!", "source": "en", "target": "de"}).to_string().as_bytes());
    let answer = server.send("POST", "/api/v1/translate", "content-encoding: gzip\r\n", &body);
    assert_eq!(answer.json()["translations"][0]["text"], "Guten Morgen!");
}

#[test]
fn long_answers_are_compressed_for_clients_that_take_it() {
    let server = server();
    let plain = server.get("/");
    assert!(!plain.head.contains("content-encoding"), "{}", plain.head);
    let packed = server.send("GET", "/", "accept-encoding: gzip, br\r\n", b"");
    assert!(
        packed.head.contains("content-encoding: gzip") && packed.head.contains("vary: accept-encoding"),
        "{}",
        packed.head
    );
    let mut page = Vec::new();
    GzDecoder::new(&*packed.body).read_to_end(&mut page).unwrap();
    assert_eq!(page, plain.body);
    let tag = packed.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again = server.send(
        "GET",
        "/",
        &format!("accept-encoding: gzip\r\nif-none-match: {}\r\n", tag.replace("w/", "W/")),
        b"",
    );
    assert_eq!(again.status, 304);
    let short = server.send("GET", "/health", "accept-encoding: gzip\r\n", b"");
    assert_eq!(short.json(), json!({"status": "ok"}));
}

#[test]
fn a_byte_order_mark_before_json_is_skipped() {
    let server = server();
    let body = format!("\u{feff}{}", json!({"q": "Good morning!", "source": "en", "target": "de"}));
    assert_eq!(post(&server, "", body.as_bytes()).json(), json!({"translatedText": "Guten Morgen!"}));
    assert_eq!(server.send("POST", "/translate", "", body.as_bytes()).status, 200);
    let body = format!("\u{feff}{}", json!({"text": "Good morning!", "source": "en", "target": "de"}));
    assert_eq!(server.send("POST", "/api/v1/translate", "", body.as_bytes()).status, 200);
}
