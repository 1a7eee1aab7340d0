//! The paths with their functions, and the layer around all of them.

use crate::app::App;
use crate::{compression, deepl, immersive, libre, page, reply, v1};
use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::get;
use futures_util::FutureExt;
use serde_json::json;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

/// All paths.
pub fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new().merge(libre::routes()).merge(deepl::routes()).merge(v1::routes());
    router = router.merge(immersive::routes());
    for path in page::paths() {
        router = router.route(path, get(web_page));
    }
    let around = from_fn_with_state(Arc::clone(app), around);
    router.fallback(unknown_path).method_not_allowed_fallback(unknown_method).layer(around).with_state(Arc::clone(app))
}

async fn web_page(request: Request) -> Response<Body> {
    page::get(request.uri().path(), request.headers()).unwrap_or_else(|| reply::empty(StatusCode::NOT_FOUND))
}

/// The answer at a path that does not exist.
async fn unknown_path(request: Request) -> Response<Body> {
    refusal(request.uri().path(), StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
}

/// The answer to a method that a path does not have.
async fn unknown_method(request: Request) -> Response<Body> {
    let message = format!("this path does not answer {}", request.method());
    refusal(request.uri().path(), StatusCode::METHOD_NOT_ALLOWED, "bad_request", &message)
}

/// An error in the form of the interface that the path belongs to. LibreTranslate's clients expect a sentence as
/// `error`, DeepL's one as `message`.
fn refusal(path: &str, status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let body = if path.starts_with("/api/v1/") {
        json!({"error": {"code": code, "message": message}})
    } else {
        json!({"error": message, "message": message})
    };
    reply::json(status, &body)
}

/// Counts a request and its time, answers for a function that panics, and lets pages of other origins read the answer.
async fn around(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let begun = Instant::now();
    let route =
        request.extensions().get::<MatchedPath>().map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let origin = request.headers().get(header::ORIGIN).cloned();
    let path = request.uri().path().to_owned();
    let takes_gzip = compression::accepts(request.headers());
    let is_preflight = request.method() == Method::OPTIONS && origin.is_some();
    let mut response = if is_preflight {
        reply::empty(StatusCode::NO_CONTENT)
    } else {
        // The message of the panic is on standard error.
        let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        answered.unwrap_or_else(|_| {
            let message = "the server failed; please report this";
            refusal(&path, StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
        })
    };
    if takes_gzip {
        response = compression::compressed(response).await;
    }
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(origin) = origin {
        allow(&app.config.origins, &origin, is_preflight, &mut response);
    }
    app.metrics.count_request(&route, response.status().as_u16(), begun.elapsed());
    response
}

/// Says that pages of an allowed origin may read the answer.
fn allow(allowed: &[String], origin: &HeaderValue, is_preflight: bool, response: &mut Response<Body>) {
    let all = allowed.iter().any(|allowed| allowed == "*");
    if !all && !allowed.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()) {
        return;
    }
    let headers = response.headers_mut();
    let shown = if all { HeaderValue::from_static("*") } else { origin.clone() };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, shown);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let own = HeaderValue::from_static("X-Metaphrase-Ignored, X-Metaphrase-Untranslated, Retry-After");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, own);
    if is_preflight {
        for (name, value) in [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE"),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, X-API-Key"),
            (header::ACCESS_CONTROL_MAX_AGE, "86400"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}
