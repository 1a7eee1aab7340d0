//! Glossaries of versions 2 (one pair of languages) and 3 (several).

use super::rows::entries;
use super::{ApiResult, Shared, base, read};
use crate::app::{App, ClientRequest};
use crate::error::Failure;
use crate::reply;
use crate::store::{Dictionary, StoredGlossary};
use crate::time::iso_time;
use crate::v1::tsv;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::{get, put};
use metaphrase::Case;
use serde_json::{Value, json};
use std::sync::Arc;

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v2/glossary-language-pairs", get(pairs))
        .route("/v2/glossaries", get(list_2).post(create_2))
        .route("/v2/glossaries/{id}", get(show_2).delete(remove))
        .route("/v2/glossaries/{id}/entries", get(entries_2))
        .route("/v3/glossaries", get(list_3).post(create_3))
        .route("/v3/glossaries/{id}", get(show_3).patch(change).delete(remove))
        .route("/v3/glossaries/{id}/entries", get(entries_3))
        .route("/v3/glossaries/{id}/dictionaries", put(replace).delete(remove_part))
}

async fn pairs(State(app): Shared, request: Request) -> ApiResult {
    read(&app, request, 64_000).await?;
    let code = |code: &str| base(code).to_lowercase();
    let languages = app.models.pairs().languages();
    let pairs = languages.iter().flat_map(|(source, targets)| targets.iter().map(move |target| (source, target)));
    let pairs: Vec<Value> =
        pairs.map(|(source, target)| json!({"source_lang": code(source), "target_lang": code(target)})).collect();
    Ok(reply::json(StatusCode::OK, &json!({"supported_languages": pairs})))
}

/// The pair of languages of a version 2 glossary.
fn object_2(glossary: &StoredGlossary) -> Option<Value> {
    let [part] = &glossary.dictionaries[..] else { return None };
    Some(json!({
        "glossary_id": glossary.id,
        "name": glossary.name,
        "ready": true,
        "source_lang": part.source,
        "target_lang": part.target,
        "creation_time": iso_time(glossary.created),
        "entry_count": part.entries,
    }))
}

fn part_3(part: &Dictionary) -> Value {
    json!({"source_lang": part.source, "target_lang": part.target, "entry_count": part.entries})
}

fn object_3(glossary: &StoredGlossary) -> Value {
    let parts: Vec<Value> = glossary.dictionaries.iter().map(part_3).collect();
    json!({
        "glossary_id": glossary.id,
        "name": glossary.name,
        "creation_time": iso_time(glossary.created),
        "dictionaries": parts,
    })
}

/// A dictionary of parameters.
fn dictionary(app: &App, text: impl Fn(&'static str) -> Option<String>) -> Result<Dictionary, Failure> {
    let needed = |name| text(name).filter(|text| !text.is_empty()).ok_or(Failure::Missing(name));
    let (source, target) = (base(&needed("source_lang")?).to_lowercase(), base(&needed("target_lang")?).to_lowercase());
    if !app.models.pairs().targets().iter().any(|code| base(code).eq_ignore_ascii_case(&target)) {
        return Err(Failure::Language(target));
    }
    let format = text("entries_format").unwrap_or_else(|| "tsv".into());
    let entries = entries(&needed("entries")?, &format)?;
    app.dictionary(&source, &target, tsv(entries, app.config.limits.glossary_entries)?, Case::Ignore)
}

/// The dictionaries of a version 3 request.
fn dictionaries(app: &App, call: &ClientRequest) -> Result<Vec<Dictionary>, Failure> {
    let Some(list) = call.params.value("dictionaries").and_then(Value::as_array) else { return Ok(Vec::new()) };
    let text = |part: &Value, name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
    list.iter().map(|part| dictionary(app, |name| text(part, name))).collect()
}

async fn create_2(State(app): Shared, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, app.config.limits.file_bytes).await?;
    let part = dictionary(&app, |name| call.params.text(name))?;
    let stored = app.add_glossary(&client, call.text("name")?, vec![part]).await?;
    Ok(reply::json(StatusCode::CREATED, &object_2(&stored)))
}

async fn create_3(State(app): Shared, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, app.config.limits.file_bytes).await?;
    let parts = dictionaries(&app, &call)?;
    if parts.is_empty() {
        return Err(Failure::Missing("dictionaries").into());
    }
    let stored = app.add_glossary(&client, call.text("name")?, parts).await?;
    Ok(reply::json(StatusCode::CREATED, &object_3(&stored)))
}

async fn all(app: &App, request: Request) -> Result<Vec<StoredGlossary>, Failure> {
    let owner = read(app, request, 64_000).await?.1.key.number;
    app.stored(move |store| store.glossaries(owner)).await
}

async fn list_2(State(app): Shared, request: Request) -> ApiResult {
    let all: Vec<Value> = all(&app, request).await?.iter().filter_map(object_2).collect();
    Ok(reply::json(StatusCode::OK, &json!({"glossaries": all})))
}

async fn list_3(State(app): Shared, request: Request) -> ApiResult {
    let all: Vec<Value> = all(&app, request).await?.iter().map(object_3).collect();
    Ok(reply::json(StatusCode::OK, &json!({"glossaries": all})))
}

async fn one(app: &App, id: String, request: Request) -> Result<(StoredGlossary, ClientRequest), Failure> {
    let (call, client) = read(app, request, 64_000).await?;
    let owner = client.key.number;
    Ok((app.stored(move |store| store.glossary(owner, &id)).await?, call))
}

async fn show_2(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let stored = one(&app, id, request).await?.0;
    let object = object_2(&stored).ok_or(Failure::NotFound("glossary with one pair of languages"))?;
    Ok(reply::json(StatusCode::OK, &object))
}

async fn show_3(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    Ok(reply::json(StatusCode::OK, &object_3(&one(&app, id, request).await?.0)))
}

async fn entries_2(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let stored = one(&app, id, request).await?.0;
    let tsv = stored.dictionaries.into_iter().next().map_or_else(String::new, |part| part.tsv);
    Ok(reply::bytes(StatusCode::OK, "text/tab-separated-values", tsv))
}

/// Whether a part has these languages.
fn is_for(part: &Dictionary, source: &str, target: &str) -> bool {
    part.source == base(source).to_lowercase() && part.target == base(target).to_lowercase()
}

async fn entries_3(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (stored, call) = one(&app, id, request).await?;
    let (source, target) = (call.text("source_lang")?, call.text("target_lang")?);
    let part = stored.dictionaries.iter().find(|part| is_for(part, &source, &target));
    let part = part.ok_or(Failure::NotFound("dictionary for these languages"))?;
    let (source, target, entries) = (&part.source, &part.target, part.tsv.trim_end_matches('\n'));
    let object = json!({"source_lang": source, "target_lang": target, "entries": entries, "entries_format": "tsv"});
    Ok(reply::json(StatusCode::OK, &json!({"dictionaries": [object]})))
}

async fn remove(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let owner = read(&app, request, 64_000).await?.1.key.number;
    app.stored(move |store| store.remove_glossary(owner, &id)).await?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// Changes a glossary of the sender.
async fn changed(
    app: &App,
    owner: i64,
    id: String,
    change: impl FnOnce(&mut StoredGlossary) -> Result<(), Failure> + Send + 'static,
) -> Result<StoredGlossary, Failure> {
    app.stored(move |store| store.change_glossary(owner, &id, change)).await
}

/// Gives a glossary another name, and adds entries: one with a known source term replaces the older one.
async fn change(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, app.config.limits.file_bytes).await?;
    let (name, parts) = (call.params.text("name").filter(|name| !name.is_empty()), dictionaries(&app, &call)?);
    let merged = Arc::clone(&app);
    let stored = changed(&app, client.key.number, id, move |glossary| {
        glossary.name = name.unwrap_or_else(|| glossary.name.clone());
        for part in parts {
            match glossary.dictionaries.iter_mut().find(|known| is_for(known, &part.source, &part.target)) {
                Some(known) => {
                    let tsv = merge(&known.tsv, &part.tsv);
                    *known = merged.dictionary(&part.source, &part.target, tsv, Case::Ignore)?;
                }
                None => glossary.dictionaries.push(part),
            }
        }
        Ok(())
    });
    Ok(reply::json(StatusCode::OK, &object_3(&stored.await?)))
}

/// The lines of `old` whose source term `new` lacks, and those of `new`.
fn merge(old: &str, new: &str) -> String {
    let term = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    let terms: std::collections::HashSet<String> = new.lines().map(term).collect();
    let kept = old.lines().filter(|line| !terms.contains(&term(line)));
    kept.chain(new.lines()).flat_map(|line| [line, "\n"]).collect()
}

async fn replace(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, app.config.limits.file_bytes).await?;
    let part = dictionary(&app, |name| call.params.text(name))?;
    let object = part_3(&part);
    let stored = changed(&app, client.key.number, id, move |glossary| {
        glossary.dictionaries.retain(|known| !is_for(known, &part.source, &part.target));
        glossary.dictionaries.push(part);
        Ok(())
    });
    stored.await?;
    Ok(reply::json(StatusCode::OK, &object))
}

async fn remove_part(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (call, client) = read(&app, request, 64_000).await?;
    let (source, target) = (call.text("source_lang")?, call.text("target_lang")?);
    let stored = changed(&app, client.key.number, id, move |glossary| {
        let before = glossary.dictionaries.len();
        glossary.dictionaries.retain(|known| !is_for(known, &source, &target));
        if glossary.dictionaries.len() == before {
            return Err(Failure::NotFound("dictionary for these languages"));
        }
        Ok(())
    });
    stored.await?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}
