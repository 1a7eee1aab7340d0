//! DeepL's interface: version 2, and glossaries of version 3.

mod documents;
mod glossaries;
mod params;
mod rows;
mod translate;

use crate::app::{App, Client, ClientRequest};
use crate::error::Failure;
use crate::{language, reply};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

type Shared = State<Arc<App>>;
type ApiResult = Result<Response<Body>, DeeplFailure>;

/// A failure in the form of DeepL's interface.
pub struct DeeplFailure(Failure);

impl From<Failure> for DeeplFailure {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for DeeplFailure {
    fn into_response(self) -> Response<Body> {
        let Self(failure) = self;
        let status = match &failure {
            Failure::KeyMissing | Failure::KeyUnknown => StatusCode::FORBIDDEN,
            Failure::Pair { .. } | Failure::File(_) | Failure::FileExtension { .. } => StatusCode::BAD_REQUEST,
            // What DeepL's clients know as a quota that is exceeded; the number is not in the standard.
            Failure::Quota => StatusCode::from_u16(456).unwrap_or(StatusCode::TOO_MANY_REQUESTS),
            Failure::Deadline => StatusCode::SERVICE_UNAVAILABLE,
            failure => failure.status(),
        };
        let message = match &failure {
            Failure::Language(_) => "Value for 'target_lang' or 'source_lang' not supported.".into(),
            Failure::Missing(name) => format!("Bad request. Reason: missing parameter '{name}'."),
            Failure::Quota => "Quota Exceeded".into(),
            Failure::NotFound(what) => format!("Not found: {what}"),
            Failure::NoKnownLanguage(_) => "Value for 'source_lang' not supported.".into(),
            _ => "Bad request".to_owned(),
        };
        let body = json!({"message": message, "detail": failure.to_string()});
        reply::with_retry(reply::json(status, &body), failure.retry_after())
    }
}

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v2/translate", post(translate::translate).get(translate::translate))
        .route("/v2/languages", get(languages).post(languages))
        .route("/v2/usage", get(usage).post(usage))
        .merge(documents::routes())
        .merge(glossaries::routes())
}

/// Reads a request whose key is in its header or, from old clients, a parameter.
async fn read(app: &App, request: Request, limit: usize) -> Result<(ClientRequest, Client), Failure> {
    let call = app.read(request, limit).await?;
    let key = call.header_key().or_else(|| call.params.text("auth_key"));
    let client = app.client(&call, key).await?;
    Ok((call, client))
}

impl ClientRequest {
    /// A parameter that has to be there.
    fn text(&self, name: &'static str) -> Result<String, Failure> {
        self.params.text(name).filter(|text| !text.is_empty()).ok_or(Failure::Missing(name))
    }
}

/// The variants of a language that DeepL's clients know as targets.
fn variants(code: &str) -> Vec<String> {
    match code {
        "en" => vec!["EN-GB".into(), "EN-US".into()],
        "pt" => vec!["PT-BR".into(), "PT-PT".into()],
        code => vec![code.to_uppercase()],
    }
}

/// A language's code without its variant, in capital letters.
fn base(code: &str) -> String {
    code.split('-').next().unwrap_or_default().to_uppercase()
}

/// Old clients send the parameter in the body of a GET.
async fn languages(State(app): Shared, request: Request) -> ApiResult {
    let (call, _) = read(&app, request, 64_000).await?;
    let kind = call.params.text("type").unwrap_or_else(|| "source".into());
    let languages: Vec<Value> = match &*kind {
        "source" => {
            let sources = app.models.pairs().sources();
            sources.iter().map(|code| json!({"language": base(code), "name": language::names(code).0})).collect()
        }
        "target" => {
            let all = app.models.pairs().targets().iter().flat_map(|code| {
                let name = language::names(code).0;
                let variants = variants(code);
                let several = variants.len() > 1;
                variants.into_iter().map(move |variant| {
                    let name = match variant.split_once('-').filter(|_| several) {
                        Some((_, "GB")) => format!("{name} (British)"),
                        Some((_, "US")) => format!("{name} (American)"),
                        Some((_, "BR")) => format!("{name} (Brazilian)"),
                        Some(_) => format!("{name} (European)"),
                        None => name.clone(),
                    };
                    json!({"language": variant, "name": name, "supports_formality": false})
                })
            });
            all.collect()
        }
        _ => return Err(Failure::Bad("the parameter `type` is neither source nor target".into()).into()),
    };
    Ok(reply::json(StatusCode::OK, &languages))
}

/// The limit that DeepL's clients get if there is none.
const NO_LIMIT: u64 = 1_000_000_000_000;

async fn usage(State(app): Shared, request: Request) -> ApiResult {
    let (_, client) = read(&app, request, 64_000).await?;
    let number = client.key.number;
    let used = app.stored(move |store| store.used(number)).await?;
    let limit = client.key.characters.unwrap_or(NO_LIMIT);
    Ok(reply::json(StatusCode::OK, &json!({"character_count": used, "character_limit": limit})))
}
