//! Our own interface: everything that the translator knows about a translation, as JSON.

mod files;
mod glossaries;
mod sentences;
mod stream;
mod translate;

pub use translate::{OneOrMore, TermBody, tsv};

use crate::app::{App, Client, ClientRequest};
use crate::detect::Verdict;
use crate::error::Failure;
use crate::params::without_mark;
use crate::{language, reply};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

type Shared = State<Arc<App>>;
type ApiResult = Result<Response<Body>, V1Failure>;

/// A failure in the form of our interface.
pub struct V1Failure(Failure);

impl From<Failure> for V1Failure {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for V1Failure {
    fn into_response(self) -> Response<Body> {
        reply::with_retry(reply::json(self.0.status(), &error(&self.0)), self.0.retry_after())
    }
}

/// The object of a failure.
fn error(failure: &Failure) -> Value {
    json!({"error": {"code": failure.code(), "message": failure.to_string()}})
}

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/info", get(info))
        .route("/api/v1/languages", get(languages))
        .route("/api/v1/models", get(models))
        .route("/api/v1/detect", post(detect))
        .route("/api/v1/translate", post(translate::translate))
        .route("/api/v1/openapi.json", get(openapi))
        .merge(files::routes())
        .merge(glossaries::routes())
}

/// The body of a request as JSON of the shape `T`, and who sent it.
async fn read<T: DeserializeOwned>(app: &App, request: Request) -> Result<(T, ClientRequest, Client), Failure> {
    let (call, body) = app.read_bytes(request, app.config.limits.body()).await?;
    let client = app.client(&call, call.header_key()).await?;
    Ok((parse(&body)?, call, client))
}

fn parse<T: DeserializeOwned>(body: &Bytes) -> Result<T, Failure> {
    serde_json::from_slice(without_mark(body))
        .map_err(|error| Failure::Bad(format!("the body of the request: {error}")))
}

/// Who sends a request whose body does not matter.
async fn sender(app: &App, request: Request) -> Result<Client, Failure> {
    let (call, _) = app.read_bytes(request, 64_000).await?;
    app.client(&call, call.header_key()).await
}

async fn info(State(app): Shared) -> Response<Body> {
    let limits = &app.config.limits;
    let info = json!({
        "name": "metaphrase",
        "version": env!("CARGO_PKG_VERSION"),
        "key_required": app.config.require_key,
        "limits": {
            "characters": limits.characters,
            "texts": limits.texts,
            "alternatives": limits.alternatives,
            "file_bytes": limits.file_bytes,
            "glossary_entries": limits.glossary_entries,
        },
        "formats": crate::text::FORMATS,
        "files": crate::files::extensions(),
        "detects": app.models.pairs().sources().len() > 1,
        "glossaries": true,
    });
    reply::json(StatusCode::OK, &info)
}

async fn languages(State(app): Shared) -> Response<Body> {
    let language = |(code, targets): &(String, Vec<String>)| {
        let (name, own) = language::names(code);
        json!({"code": code, "name": name, "native_name": own, "targets": targets})
    };
    let all: Vec<Value> = app.models.pairs().languages().iter().map(language).collect();
    let first = app.models.pairs().first().map(|(source, target)| json!({"source": source, "target": target}));
    reply::json(StatusCode::OK, &json!({"languages": all, "default": first}))
}

async fn models(State(app): Shared) -> Response<Body> {
    reply::json(StatusCode::OK, &json!({"models": app.models.states()}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectBody {
    text: String,
}

async fn detect(State(app): Shared, request: Request) -> ApiResult {
    let (DetectBody { text }, ..) = read(&app, request).await?;
    let found = crate::detect::detect(&text, app.models.pairs().sources());
    let verdict = match found.verdict {
        Verdict::Known => "known",
        Verdict::Foreign => "other",
        Verdict::NoWords => "no_words",
    };
    Ok(reply::json(StatusCode::OK, &json!({"languages": found.languages, "language_is": verdict})))
}

async fn openapi() -> Response<Body> {
    reply::bytes(StatusCode::OK, "application/json", OPENAPI)
}

/// The description of this interface.
pub const OPENAPI: &str = include_str!("v1/openapi.json");
