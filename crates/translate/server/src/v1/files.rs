//! `/api/v1/files`.

use super::translate::TermBody;
use super::{ApiResult, Shared, error, sender};
use crate::app::App;
use crate::error::Failure;
use crate::file_jobs::{FileJob, Status};
use crate::reply;
use crate::translation_request::TranslationRequest;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/files", post(begin))
        .route("/api/v1/files/{id}", get(state).delete(remove))
        .route("/api/v1/files/{id}/result", get(result))
}

async fn begin(State(app): Shared, request: Request) -> ApiResult {
    let call = app.read(request, app.config.limits.file_bytes + 1_000_000).await?;
    let client = app.client(&call, call.header_key()).await?;
    let params = &call.params;
    let file = params.file.clone().ok_or(Failure::Missing("file"))?;
    let target = params.text("target").ok_or(Failure::Missing("target"))?;
    let source = params.text("source").filter(|source| source != "auto" && !source.is_empty());
    let terms: Vec<TermBody> = match params.text("terms").filter(|text| !text.is_empty()) {
        Some(text) => serde_json::from_str(&text).map_err(|error| Failure::Bad(format!("the terms: {error}")))?,
        None => Vec::new(),
    };
    let id = params.text("glossary").filter(|id| !id.is_empty());
    let glossaries = app.glossaries(&client, (terms, false), id, (source.as_deref(), &target)).await?;
    let id = app
        .begin_file(&client, file, TranslationRequest { source, target, glossaries, ..TranslationRequest::default() })
        .await?;
    let job = app.files.get(&client.id, &id)?;
    Ok(reply::json(StatusCode::ACCEPTED, &object(&id, &job)))
}

async fn state(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let client = sender(&app, request).await?;
    let job = app.files.get(&client.id, &id)?;
    Ok(reply::json(StatusCode::OK, &object(&id, &job)))
}

async fn result(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let client = sender(&app, request).await?;
    let job = app.files.get(&client.id, &id)?;
    match (job.result, job.failure) {
        (Some(result), _) => Ok(reply::attachment(&job.result_name, result)),
        (None, Some(failure)) => Err(failure.into()),
        (None, None) => Err(Failure::NotReady.into()),
    }
}

async fn remove(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let client = sender(&app, request).await?;
    app.files.remove(&client.id, &id)?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// The state of a file.
fn object(id: &str, job: &FileJob) -> Value {
    let status = match job.status {
        Status::Translating => "translating",
        Status::Done => "done",
        Status::Failed => "error",
    };
    let (done, total) = job.sentences;
    json!({
        "id": id,
        "name": job.name,
        "result_name": job.result_name,
        "status": status,
        "done": done,
        "total": total,
        "source": job.languages.0,
        "target": job.languages.1,
        "error": job.failure.as_ref().map(|failure| error(failure)["error"].clone()),
        "notes": job.notes,
    })
}
