//! The interface of Immersive Translate for services of one's own: lists of texts.

use crate::app::App;
use crate::error::Failure;
use crate::libre::LibreFailure;
use crate::reply;
use crate::text::apart;
use crate::translate::untranslated;
use crate::translation_request::TranslationRequest;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use std::sync::Arc;

/// The paths: `/imme` is the one that other servers for this interface have.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/imme", post(translate))
}

/// The page decides which texts come together: one in another language does not spoil the others.
async fn translate(State(app): State<Arc<App>>, request: Request) -> Result<Response<Body>, LibreFailure> {
    let call = app.read(request, app.config.limits.body()).await?;
    let key = call.params.text("token").or_else(|| call.header_key());
    let client = app.client(&call, key).await?;
    let texts = call.params.texts("text_list")?;
    if texts.is_empty() {
        return Err(Failure::Missing("text_list").into());
    }
    let target =
        call.params.text("target_lang").filter(|code| !code.is_empty()).ok_or(Failure::Missing("target_lang"))?;
    let source = call.params.text("source_lang").filter(|code| !code.is_empty() && code != "auto");
    let pending =
        app.translate(&client, TranslationRequest { texts, source, target, ..TranslationRequest::default() }).await?;
    let characters = pending.characters;
    let done = pending.all().await?;
    let untranslated = untranslated(&done);
    let translations = apart(characters, move || {
        let translation = |text: &crate::pending::PendingText| {
            Ok(json!({"detected_source_lang": text.source, "text": text.finish()?.text()}))
        };
        done.iter().map(translation).collect::<Result<Vec<Value>, Failure>>()
    });
    let answer = reply::json(StatusCode::OK, &json!({"translations": translations.await?}));
    Ok(reply::with_untranslated(answer, &untranslated))
}
