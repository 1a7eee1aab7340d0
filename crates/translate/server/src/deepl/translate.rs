//! `POST /v2/translate`.

use super::params::Kind;
use super::{ApiResult, Shared, read};
use crate::error::Failure;
use crate::language;
use crate::params::Params;
use crate::reply;
use crate::text::apart;
use crate::translate::untranslated;
use crate::translation_request::TranslationRequest;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use metaphrase::{Split, TextFormat};
use serde_json::{Value, json};

/// The most texts of a request.
const TEXTS: usize = 50;

pub async fn translate(State(app): Shared, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, app.config.limits.body()).await?;
    let params = &call.params;
    let texts = params.texts("text")?;
    if texts.is_empty() {
        return Err(Failure::Missing("text").into());
    }
    if texts.len() > TEXTS.max(app.config.limits.texts) {
        return Err(Failure::TooLarge { what: "texts", found: texts.len(), limit: app.config.limits.texts }.into());
    }
    let target = call.text("target_lang")?;
    let source = params.text("source_lang").filter(|code| !code.is_empty());
    let ids = super::params::glossaries(params)?;
    let unknown = super::params::ignored(params, Kind::Text)?;
    let glossaries = app.stored_glossaries(&client, ids, (source.as_deref(), &target)).await?;
    let characters: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    let source =
        source.map(|code| language::find(&code, app.models.pairs().sources()).map_or(code.clone(), str::to_owned));
    let (format, split) = (format(params)?, split(params)?);
    let ignored = ignored(params)?;
    let ask = TranslationRequest {
        texts,
        source,
        target,
        format,
        split,
        ignored,
        glossaries,
        ..TranslationRequest::default()
    };
    let pending = app.translate(&client, ask).await?;
    let all_characters = pending.characters;
    let done = pending.all().await?;
    let untranslated = untranslated(&done);
    let model_type = params.text("model_type");
    let translation = move |(text, characters): (&crate::pending::PendingText, usize)| {
        let source = super::base(&text.source);
        let mut object =
            json!({"detected_source_language": source, "text": text.finish()?.text(), "billed_characters": characters});
        if model_type.is_some() {
            object["model_type_used"] = "quality_optimized".into();
        }
        Ok(object)
    };
    let all = move || done.iter().zip(characters).map(translation).collect::<Result<Vec<Value>, Failure>>();
    let translations = apart(all_characters, all).await?;
    let answer = reply::json(StatusCode::OK, &json!({"translations": translations}));
    Ok(reply::with_untranslated(reply::with_ignored(answer, &unknown), &untranslated))
}

fn format(params: &Params) -> Result<TextFormat, Failure> {
    match params.text("tag_handling").as_deref() {
        None | Some("") => Ok(TextFormat::Text),
        Some("xml") => Ok(TextFormat::Xml),
        Some("html") => Ok(TextFormat::Html),
        Some(_) => Err(Failure::Bad("the parameter `tag_handling` is neither xml nor html".into())),
    }
}

/// Whether a text is split into sentences.
fn split(params: &Params) -> Result<Split, Failure> {
    match params.text("split_sentences").as_deref() {
        None | Some("" | "1" | "nonewlines" | "true") => Ok(Split::Sentences),
        Some("0" | "false") => Ok(Split::Lines),
        Some(_) => Err(Failure::Bad("the parameter `split_sentences` is none of 0, 1 and nonewlines".into())),
    }
}

/// Elements whose content stays as it is.
fn ignored(params: &Params) -> Result<Vec<String>, Failure> {
    let lists = params.texts("ignore_tags")?;
    let tags = lists.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|tag| !tag.is_empty());
    Ok(tags.map(str::to_owned).collect())
}
