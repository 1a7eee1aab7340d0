//! Which function answers which path, and what is done around all of them.

use crate::app::App;
use crate::{deepl, libre, page, reply, v1};
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
    for path in page::paths() {
        router = router.route(path, get(web_page));
    }
    let around = from_fn_with_state(Arc::clone(app), around);
    router.fallback(nothing).layer(around).with_state(Arc::clone(app))
}

async fn web_page(request: Request) -> Response<Body> {
    page::get(request.uri().path(), request.headers()).unwrap_or_else(|| reply::empty(StatusCode::NOT_FOUND))
}

/// The answer at a path that does not exist, in a form that all clients read.
async fn nothing() -> Response<Body> {
    let message = "there is nothing at this path";
    let body = json!({"error": {"code": "not_found", "message": message}, "message": message});
    reply::json(StatusCode::NOT_FOUND, &body)
}

/// Counts a request and its time, answers for a function that panics, and lets pages of other origins read the answer.
async fn around(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let begun = Instant::now();
    let route =
        request.extensions().get::<MatchedPath>().map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_preflight = request.method() == Method::OPTIONS && origin.is_some();
    let mut response = if is_preflight {
        reply::empty(StatusCode::NO_CONTENT)
    } else {
        // The message of the panic is on standard error.
        let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        answered.unwrap_or_else(|_| {
            let message = "the server failed; please report this";
            let body = json!({"error": {"code": "internal", "message": message}, "message": message});
            reply::json(StatusCode::INTERNAL_SERVER_ERROR, &body)
        })
    };
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
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
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
