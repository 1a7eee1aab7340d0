//! The settings of a server.

use crate::model_spec::ModelSpec;
use crate::models::ModelOptions;
use metaphrase::Device;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a server.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen at.
    pub address: SocketAddr,
    /// Its models.
    pub models: Vec<ModelSpec>,
    /// Folders of models, whose languages are found when the server starts.
    pub model_folders: Vec<PathBuf>,
    /// How models use the machine.
    pub model_options: ModelOptions,
    /// The file of glossaries, keys and usage; `None`: they are in memory.
    pub data: Option<PathBuf>,
    /// Whether each request needs a key.
    pub require_key: bool,
    /// Pages of these origins may use the server from a browser; `*` stands for all.
    pub origins: Vec<String>,
    /// Whether the address of a client is the last one of the header `X-Forwarded-For`.
    pub trust_forwarded: bool,
    /// The time for the requests in flight when the server is stopped.
    pub drain: Duration,
    /// The limits of requests.
    pub limits: Limits,
}

/// The limits of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Characters of the texts of a request.
    pub characters: usize,
    /// Texts of a request.
    pub texts: usize,
    /// Alternative translations of a text.
    pub alternatives: usize,
    /// Bytes of a file.
    pub file_bytes: usize,
    /// Files that are being translated; results in memory take the bytes of this number of the largest files at most.
    /// One client may have half of each.
    pub files: usize,
    /// Entries of a glossary.
    pub glossary_entries: usize,
    /// Glossaries of a client.
    pub glossaries: usize,
    /// Sentences that wait, of all clients; one client may have half of them.
    pub queue: usize,
    /// Bytes of these sentences.
    pub queue_bytes: usize,
    /// Bytes of the translations that are kept for sentences that come again; 0 keeps none.
    pub cache_bytes: usize,
    /// Milliseconds until a translation is given up.
    pub deadline: u64,
    /// Requests in a minute of a client without a key.
    pub requests: Option<u32>,
    /// ConnectionGuard connections.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            characters: 1_000_000,
            texts: 5_000,
            alternatives: 10,
            file_bytes: 20_000_000,
            files: 100,
            glossary_entries: 50_000,
            glossaries: 1_000,
            queue: 200_000,
            queue_bytes: 256 << 20,
            cache_bytes: 64 << 20,
            deadline: 120_000,
            requests: None,
            connections: 10_000,
        }
    }
}

impl Limits {
    /// Bytes of the body of a request without a file: texts, escaped as JSON or as a form, and further parameters.
    #[must_use]
    pub fn body(&self) -> usize {
        64_000 + self.characters.saturating_mul(6)
    }
}

impl Config {
    /// The bundled models, for this machine alone, with the state in memory.
    #[must_use]
    pub fn local() -> Self {
        let spec = |source: &str, target: &str| ModelSpec::of_pair(source, target, format!("{source}-{target}"));
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 5000)),
            models: vec![spec("en", "de"), spec("de", "en")],
            model_folders: Vec::new(),
            model_options: ModelOptions {
                threads: std::thread::available_parallelism().map_or(1, usize::from),
                device: Device::Cpu,
                batch_tokens: 256,
                precision: None,
                memory: None,
            },
            data: None,
            require_key: false,
            origins: Vec::new(),
            trust_forwarded: false,
            drain: Duration::from_secs(30),
            limits: Limits::default(),
        }
    }
}
