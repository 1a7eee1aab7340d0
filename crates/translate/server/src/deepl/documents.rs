//! `/v2/document`.

use super::params::{self, Kind};
use super::{ApiResult, Shared, read};
use crate::app::App;
use crate::error::Failure;
use crate::file_jobs::Status;
use crate::reply;
use crate::translation_request::TranslationRequest;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::json;
use std::sync::Arc;

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v2/document", post(upload))
        .route("/v2/document/{id}", post(state).get(state))
        .route("/v2/document/{id}/result", post(result).get(result))
}

async fn upload(State(app): Shared, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, app.config.limits.file_bytes + 64_000).await?;
    let mut file = call.params.file.clone().ok_or(Failure::Missing("file"))?;
    if let Some(name) = call.params.text("filename").filter(|name| !name.is_empty()) {
        file.name = name;
    }
    let target = call.text("target_lang")?;
    let source = call.params.text("source_lang").filter(|code| !code.is_empty());
    params::check_output(&call.params, &file.name)?;
    let ignored = params::ignored(&call.params, Kind::Document)?;
    let ids = params::glossaries(&call.params)?;
    let glossaries = app.stored_glossaries(&client, ids, (source.as_deref(), &target)).await?;
    let id = app
        .begin_file(&client, file, TranslationRequest { source, target, glossaries, ..TranslationRequest::default() })
        .await?;
    let job = app.files.get(&client.id, &id)?;
    let answer = reply::json(StatusCode::OK, &json!({"document_id": id, "document_key": job.secret}));
    Ok(reply::with_ignored(answer, &ignored))
}

async fn state(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (call, _) = read(&app, request, 64_000).await?;
    let job = app.files.get_by_secret(&id, &call.text("document_key")?)?;
    let mut object = json!({"document_id": id});
    match job.status {
        Status::Translating => {
            let (done, all) = job.sentences;
            object["status"] = "translating".into();
            object["seconds_remaining"] = json!(1 + all.saturating_sub(done) / 100);
        }
        Status::Done => {
            object["status"] = "done".into();
            object["billed_characters"] = json!(job.characters);
        }
        Status::Failed => {
            object["status"] = "error".into();
            let sentence = job.failure.map(|failure| failure.to_string());
            object["error_message"] = json!(sentence);
            object["message"] = json!(sentence);
        }
    }
    Ok(reply::json(StatusCode::OK, &object))
}

async fn result(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (call, _) = read(&app, request, 64_000).await?;
    let job = app.files.get_by_secret(&id, &call.text("document_key")?)?;
    match (job.result, job.failure) {
        (Some(result), _) => Ok(reply::attachment(&job.result_name, result)),
        (None, Some(failure)) => Err(failure.into()),
        (None, None) => Err(Failure::NotReady.into()),
    }
}
