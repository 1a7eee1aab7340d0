//! The translator as an HTTP service.
//!
//! ```text
//! connection ─▶ routes ─▶ libre · deepl · v1 ─▶ translate: texts ─▶ sentences ─▶ scheduler ─▶ models: translators
//!  serve          │         parameters, forms        │                 fair queue
//!                 ▼                                   ▼
//!               page                         store: glossaries, keys, usage
//! ```
//!
//! Three interfaces lead to one service: LibreTranslate's and DeepL's, for their clients, and our own, which has
//! everything that the translator knows. No text of users is stored on disk or logged.
//!
//! ```no_run
//! use metaphrase_server::{Config, run};
//! # fn main() -> Result<(), metaphrase_server::ServeError> {
//! run(Config::local(), |address| println!("http://{address}"))
//! # }
//! ```
#![forbid(unsafe_code)]

mod app;
mod cache;
mod compression;
mod config;
mod deepl;
mod detect;
mod error;
mod file_jobs;
mod files;
mod immersive;
mod language;
mod libre;
mod metrics;
mod model_folder;
mod model_spec;
mod models;
mod page;
mod params;
mod pending;
mod queue;
mod rate;
mod reply;
mod routes;
mod scheduler;
mod serve;
mod source;
mod stamp;
mod store;
mod text;
mod time;
mod timed_stream;
mod translate;
mod translation_request;
mod v1;
mod words;

pub use config::{Config, Limits};
pub use detect::another_language;
pub use error::{Failure, Reason};
pub use model_spec::{ModelSpec, parse_model};
pub use models::ModelOptions;
pub use params::{Params, Upload};
pub use serve::{ServeError, Server, run};
pub use store::{Key, Store};
