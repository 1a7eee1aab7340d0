//! A server, and a client that sends any bytes.

use metaphrase_server::{Config, Server};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use tokio::runtime::Runtime;

/// A server that runs until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    server: Option<Server>,
    runtime: Runtime,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

/// A server with the bundled models, one thread each, at a free port.
pub fn server() -> Running {
    server_with(|_| {})
}

pub fn server_with(change: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config::local();
    config.address = SocketAddr::from(([127, 0, 0, 1], 0));
    config.model_options.threads = 1;
    change(&mut config);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = runtime.block_on(Server::start(config)).unwrap();
    Running { address: server.address, server: Some(server), runtime }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }
}

impl Running {
    /// Stops as a signal would.
    pub fn stop(mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }

    /// Looks for models whose files have changed.
    pub fn look(&self) {
        let server = self.server.as_ref().unwrap();
        self.runtime.block_on(server.app.models.look());
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends a request with these lines of its head.
    pub fn send(&self, method: &str, path: &str, head: &str, body: &[u8]) -> Answer {
        let mut stream = self.begin(method, path, head, body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Answer::parse(&bytes)
    }

    /// Sends a request; its answer is read by the caller.
    pub fn begin(&self, method: &str, path: &str, head: &str, body: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {length}\r\n{head}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server may have refused the request already.
        let _ = stream.write_all(body);
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    pub fn form(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, "content-type: application/x-www-form-urlencoded\r\n", body.as_bytes())
    }

    pub fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(method, path, "content-type: application/json\r\n", body.to_string().as_bytes())
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body)
    }

    /// A form with a file.
    pub fn upload(&self, path: &str, fields: &[(&str, &str)], name: &str, bytes: &[u8]) -> Answer {
        let mut body = Vec::new();
        for (field, value) in fields {
            body.extend(
                format!("--xyz\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n").bytes(),
            );
        }
        let head = format!("--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
        body.extend(head.bytes());
        body.extend_from_slice(bytes);
        body.extend(b"\r\n--xyz--\r\n");
        self.send("POST", path, "content-type: multipart/form-data; boundary=xyz\r\n", &body)
    }

    /// A number of /metrics.
    pub fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("metaphrase_{name} ")));
        line.unwrap().parse().unwrap()
    }

    /// Waits until something holds.
    pub fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        for _ in 0..1000 {
            if holds(self) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{what} did not happen");
    }
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Self { status: 0, head: String::new(), body: bytes.to_vec() };
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = &bytes[end + 4..];
        let body = if head.contains("transfer-encoding: chunked") { whole(body) } else { body.to_vec() };
        Self { status, head, body }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// A body that came in chunks.
fn whole(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        all.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[(end + 4 + size).min(body.len())..];
    }
    all
}
