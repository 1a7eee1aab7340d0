//! LibreTranslate's interface: its paths, its parameters in all the ways in which its clients send them, its sentences
//! for errors.

use crate::app::{App, ClientRequest};
use crate::error::Failure;
use crate::language;
use crate::pending::PendingText;
use crate::reply;
use crate::text::{apart, format_named};
use crate::translate::untranslated;
use crate::translation_request::TranslationRequest;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde_json::{Map, Value, json};
use std::sync::Arc;

type Shared = State<Arc<App>>;
type ApiResult = Result<Response<Body>, LibreFailure>;

/// A failure in the form of LibreTranslate's interface.
pub struct LibreFailure(Failure);

impl From<Failure> for LibreFailure {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for LibreFailure {
    fn into_response(self) -> Response<Body> {
        let Self(failure) = self;
        let status = match &failure {
            Failure::Pair { .. }
            | Failure::TooLarge { .. }
            | Failure::KeyMissing
            | Failure::File(_)
            | Failure::FileExtension { .. } => StatusCode::BAD_REQUEST,
            Failure::Busy { .. } => StatusCode::TOO_MANY_REQUESTS,
            failure => failure.status(),
        };
        let sentence = match &failure {
            Failure::Missing(name) => format!("Invalid request: missing {name} parameter"),
            Failure::Language(code) => format!("{code} is not supported"),
            Failure::Pair { from, to } => {
                let (from_name, to_name) = (language::names(from).0, language::names(to).0);
                format!("{to_name} ({to}) is not available as a target language from {from_name} ({from})")
            }
            Failure::TooLarge { what: "alternatives", limit, .. } => {
                format!("Invalid request: alternatives parameter must be <= {limit}")
            }
            Failure::TooLarge { found, limit, .. } => {
                format!("Invalid request: request ({found}) exceeds text limit ({limit})")
            }
            Failure::KeyMissing => "Please contact the server operator to get an API key".into(),
            Failure::KeyUnknown => "Invalid API key".into(),
            Failure::Busy { .. } => format!("Slowdown: {failure}"),
            Failure::FileExtension { .. } => "Invalid request: file format not supported".into(),
            Failure::File(reason) => format!("Invalid request: {reason}"),
            failure => failure.to_string(),
        };
        reply::with_retry(reply::json(status, &json!({"error": sentence})), failure.retry_after())
    }
}

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/translate", post(translate))
        .route("/detect", post(detect))
        .route("/languages", get(languages))
        .route("/translate_file", post(translate_file))
        .route("/download_file/{name}", get(download_file))
        .route("/frontend/settings", get(settings))
        .route("/suggest", post(suggest))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/spec", get(spec))
}

impl ClientRequest {
    /// The key: a parameter, in the two spellings that clients have, or a header.
    fn libre_key(&self) -> Option<String> {
        self.params.text("api_key").or_else(|| self.params.text("apiKey")).or_else(|| self.header_key())
    }

    /// A required parameter.
    fn needed(&self, name: &'static str) -> Result<String, Failure> {
        self.params.text(name).filter(|text| !text.is_empty()).ok_or(Failure::Missing(name))
    }

    /// The names of the parameters that are neither in the list nor in all requests.
    fn ignored(&self, known: &[&str]) -> Vec<String> {
        let all = ["source", "target", "api_key", "apiKey", "secret"];
        self.params.names().filter(|name| !known.contains(name) && !all.contains(name)).map(str::to_owned).collect()
    }

    /// The languages; `auto` is none.
    fn languages(&self) -> Result<(Option<String>, String), Failure> {
        let (source, target) = (self.needed("source")?, self.needed("target")?);
        Ok(((source != "auto").then_some(source), target))
    }
}

async fn translate(State(app): Shared, request: Request) -> ApiResult {
    let call = app.read(request, app.config.limits.body()).await?;
    let client = app.client(&call, call.libre_key()).await?;
    let texts = call.params.texts("q")?;
    // Some clients send the texts of a list one by one, with the same name.
    let is_list = call.params.value("q").is_some_and(Value::is_array);
    if texts.is_empty() || (!is_list && texts.iter().all(String::is_empty)) {
        return Err(Failure::Missing("q").into());
    }
    let (source, target) = call.languages()?;
    let name = call.params.text("format").filter(|name| !name.is_empty()).unwrap_or_else(|| "text".into());
    let format = ["text", "html"].contains(&&*name).then(|| format_named(&name)).flatten();
    let format = format.ok_or_else(|| Failure::Bad(format!("{name} format is not supported")))?;
    let alternatives = call
        .params
        .number("alternatives")
        .map_err(|_| Failure::Bad("Invalid request: alternatives parameter is not a number".into()))?;
    let alternatives = alternatives.unwrap_or(0);
    let detects = source.is_none();
    let ask = TranslationRequest { texts, source, target, format, alternatives, ..TranslationRequest::default() };
    let pending = app.translate(&client, ask).await?;
    let characters = pending.characters;
    let done = pending.all().await?;
    let untranslated = untranslated(&done);
    let answer = apart(characters, move || answer(&done, is_list, detects, alternatives > 0)).await?;
    let answer = reply::with_untranslated(reply::json(StatusCode::OK, &answer), &untranslated);
    Ok(reply::with_ignored(answer, &call.ignored(&["q", "format", "alternatives"])))
}

/// The object of a translation; lists, if a list was asked for.
fn answer(texts: &[PendingText], is_list: bool, detects: bool, alternatives: bool) -> Result<Value, Failure> {
    let one_or_all = |value: &dyn Fn(&PendingText) -> Result<Value, Failure>| {
        if is_list { texts.iter().map(value).collect() } else { texts.first().map_or(Ok(Value::Null), value) }
    };
    let mut object = Map::new();
    object.insert("translatedText".into(), one_or_all(&|text| Ok(text.finish()?.text().into()))?);
    if detects {
        let detected = |text: &PendingText| {
            let confidence = text.detected.as_ref().map_or(0.0, |detected| percent(detected.confidence));
            Ok(json!({"confidence": confidence, "language": text.source}))
        };
        object.insert("detectedLanguage".into(), one_or_all(&detected)?);
    }
    if alternatives {
        object.insert("alternatives".into(), one_or_all(&|text| Ok(text.alternatives()?.into()))?);
    }
    Ok(Value::Object(object))
}

/// A share in per cent, with one decimal.
fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

async fn detect(State(app): Shared, request: Request) -> ApiResult {
    let call = app.read(request, app.config.limits.body()).await?;
    app.client(&call, call.libre_key()).await?;
    let text = call.params.texts("q")?.join("\n");
    if text.is_empty() {
        return Err(Failure::Missing("q").into());
    }
    let found = crate::detect::detect(&text, app.models.pairs().sources());
    let found: Vec<Value> = found
        .languages
        .into_iter()
        .map(|found| json!({"confidence": percent(found.confidence), "language": found.language}))
        .collect();
    Ok(reply::json(StatusCode::OK, &found))
}

async fn languages(State(app): Shared) -> Response<Body> {
    let language = |(code, targets): &(String, Vec<String>)| json!({"code": code, "name": language::names(code).0, "targets": targets});
    let all: Vec<Value> = app.models.pairs().languages().iter().map(language).collect();
    reply::json(StatusCode::OK, &all)
}

async fn translate_file(State(app): Shared, request: Request) -> ApiResult {
    let call = app.read(request, app.config.limits.file_bytes + 64_000).await?;
    let client = app.client(&call, call.libre_key()).await?;
    let file = call.params.file.clone().ok_or(Failure::Missing("file"))?;
    let (source, target) = call.languages()?;
    let id =
        app.begin_file(&client, file, TranslationRequest { source, target, ..TranslationRequest::default() }).await?;
    let job = app.file_done(&client, &id).await?;
    // The link is the key to the file: nobody can guess it.
    let name: String = form_urlencoded::byte_serialize(job.result_name.as_bytes()).collect();
    let base = base_url(&call.headers, app.config.trust_forwarded);
    let name = name.replace('+', "%20");
    let link = format!("{base}/download_file/{id}.{}.{name}", job.secret);
    let answer = reply::json(StatusCode::OK, &json!({"translatedFileUrl": link}));
    Ok(reply::with_ignored(answer, &call.ignored(&["file"])))
}

/// The address under which a client knows the server.
fn base_url(headers: &HeaderMap, trust_forwarded: bool) -> String {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = header("x-forwarded-proto").filter(|scheme| trust_forwarded && *scheme == "https").unwrap_or("http");
    let host = header("x-forwarded-host").filter(|_| trust_forwarded).or_else(|| header(header::HOST.as_str()));
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-._~%".contains(c);
    let prefix = header("x-forwarded-prefix").filter(|prefix| trust_forwarded && prefix.chars().all(plain));
    let prefix = prefix.map_or("", |prefix| prefix.trim_matches('/'));
    let separator = if prefix.is_empty() { "" } else { "/" };
    format!("{scheme}://{}{separator}{prefix}", host.unwrap_or("localhost"))
}

async fn download_file(State(app): Shared, Path(name): Path<String>) -> ApiResult {
    let mut parts = name.splitn(3, '.');
    let (id, secret) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let job = app.files.get_by_secret(id, secret).map_err(|_| Failure::Bad("Invalid filename".into()))?;
    let result = job.result.ok_or(Failure::NotReady)?;
    Ok(reply::attachment(&job.result_name, result))
}

async fn settings(State(app): Shared) -> Response<Body> {
    let language = |code: &str| json!({"code": code, "name": language::names(code).0});
    let (source, target) = app.models.pairs().first().unwrap_or(("en", "de"));
    let settings = json!({
        "apiKeys": app.config.require_key,
        "charLimit": app.config.limits.characters,
        "filesTranslation": true,
        "frontendTimeout": 500,
        "keyRequired": app.config.require_key,
        "language": {"source": language(source), "target": language(target)},
        "suggestions": false,
        "supportedFilesFormat": crate::files::extensions(),
    });
    reply::json(StatusCode::OK, &settings)
}

/// Texts of users are not stored.
async fn suggest() -> Response<Body> {
    reply::json(StatusCode::FORBIDDEN, &json!({"error": "Suggestions are disabled on this server."}))
}

async fn health() -> Response<Body> {
    reply::json(StatusCode::OK, &json!({"status": "ok"}))
}

async fn metrics(State(app): Shared) -> Response<Body> {
    reply::bytes(StatusCode::OK, "text/plain; version=0.0.4", app.metrics.text())
}

async fn spec() -> Response<Body> {
    reply::bytes(StatusCode::OK, "application/json", include_str!("libre/spec.json"))
}
