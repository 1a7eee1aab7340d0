//! `/api/v1/glossaries`.

use super::translate::{OneOrMore, TermBody, tsv};
use super::{ApiResult, Shared, read, sender};
use crate::app::{App, Client};
use crate::error::Failure;
use crate::reply;
use crate::store::{Dictionary, StoredGlossary, now, random_id};
use crate::time::iso_time;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::routing::{get, post};
use metaphrase::{Case, Glossary, GlossaryFile, GlossaryFormat};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The paths.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/glossaries", get(list).post(create))
        .route("/api/v1/glossaries/{id}", get(show).put(replace).delete(remove))
        .route("/api/v1/glossaries/{id}/entries", get(entries))
        .route("/api/v1/glossary-file", post(read_file))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GlossaryBody {
    name: String,
    source: String,
    target: String,
    #[serde(default)]
    case_sensitive: bool,
    #[serde(default)]
    entries: Vec<TermBody>,
    #[serde(default)]
    tsv: Option<String>,
}

impl App {
    /// A part of a glossary from its text, if it is within the limits.
    ///
    /// # Errors
    /// [`Failure::Bad`] for a line that is not an entry.
    pub(crate) fn dictionary(
        &self,
        source: &str,
        target: &str,
        tsv: String,
        case: Case,
    ) -> Result<Dictionary, Failure> {
        let parsed = Glossary::parse(&tsv, case).map_err(|error| Failure::Bad(error.to_string()))?;
        let (entries, limit) = (parsed.len(), self.config.limits.glossary_entries);
        if parsed.is_empty() {
            return Err(Failure::Bad("the glossary has no entries".into()));
        }
        if entries > limit {
            return Err(Failure::TooLarge { what: "entries", found: entries, limit });
        }
        let (source, target) = (source.to_lowercase(), target.to_lowercase());
        Ok(Dictionary { source, target, case_sensitive: case == Case::Respect, tsv, entries })
    }

    /// Stores a glossary of a client that is new.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] if the client has too many, [`Failure::Store`].
    pub(crate) async fn add_glossary(
        &self,
        client: &Client,
        name: String,
        dictionaries: Vec<Dictionary>,
    ) -> Result<StoredGlossary, Failure> {
        let (owner, limit) = (client.key.number, self.config.limits.glossaries);
        self.stored(move |store| {
            let found = store.glossaries(owner)?.len();
            if found >= limit {
                return Err(Failure::TooLarge { what: "glossaries", found: found + 1, limit });
            }
            let glossary = StoredGlossary { id: random_id()?, name, created: now(), dictionaries };
            store.put_glossary(owner, &glossary)?;
            Ok(glossary)
        })
        .await
    }
}

/// The dictionary of a body.
fn dictionary(app: &App, body: GlossaryBody) -> Result<(String, Dictionary), Failure> {
    let text = match body.tsv {
        Some(tsv) if body.entries.is_empty() => tsv,
        Some(_) => return Err(Failure::Bad("give `entries` or `tsv`, not both".into())),
        None => tsv(body.entries, app.config.limits.glossary_entries)?,
    };
    let dictionary = app.dictionary(&body.source, &body.target, text, Case::sensitive(body.case_sensitive))?;
    Ok((body.name, dictionary))
}

async fn list(State(app): Shared, request: Request) -> ApiResult {
    let owner = sender(&app, request).await?.key.number;
    let all = app.stored(move |store| store.glossaries(owner)).await?;
    let all: Vec<Value> = all.iter().map(object).collect();
    Ok(reply::json(StatusCode::OK, &json!({"glossaries": all})))
}

/// The name and the dictionary of a request: JSON, or a form with a file in any of the formats of glossaries.
async fn received(app: &App, request: Request) -> Result<(String, Dictionary, Client), Failure> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.to_ascii_lowercase().starts_with("multipart/form-data") {
        let (body, _, client) = read(app, request).await?;
        let (name, part) = dictionary(app, body)?;
        return Ok((name, part, client));
    }
    let call = app.read(request, app.config.limits.file_bytes + 64_000).await?;
    let client = app.client(&call, call.header_key()).await?;
    let needed = |name| call.params.text(name).filter(|text| !text.is_empty()).ok_or(Failure::Missing(name));
    let (source, target) = (needed("source")?, needed("target")?);
    let file = call.params.file.clone().ok_or(Failure::Missing("file"))?;
    let case_sensitive = call.params.flag("case_sensitive")?.unwrap_or(false);
    let name = call.params.text("name").filter(|name| !name.is_empty()).unwrap_or_else(|| file.name.clone());
    let read = GlossaryFile::read(&file.bytes, Some([&source, &target]));
    let read = read.map_err(|error| Failure::Bad(error.to_string()))?;
    let text = if read.format == GlossaryFormat::Tabs {
        read.text
    } else {
        let terms = read.entries.into_iter();
        let terms = terms.map(|(source, target)| TermBody { source, target: OneOrMore::More(target) }).collect();
        tsv(terms, app.config.limits.glossary_entries)?
    };
    Ok((name, app.dictionary(&source, &target, text, Case::sensitive(case_sensitive))?, client))
}

async fn create(State(app): Shared, request: Request) -> ApiResult {
    let (name, part, client) = received(&app, request).await?;
    let stored = app.add_glossary(&client, name, vec![part]).await?;
    Ok(reply::json(StatusCode::CREATED, &object(&stored)))
}

/// The entries of a glossary file, for clients that keep their terms themselves. Nothing is stored.
async fn read_file(State(app): Shared, request: Request) -> ApiResult {
    let (_, part, _) = received(&app, request).await?;
    Ok(reply::json(StatusCode::OK, &json!({"entries": separate_terms(&part.tsv)?})))
}

/// The entries of a glossary's text as terms of a request: each has one source term, without a `*` for its endings,
/// and all its target terms.
fn separate_terms(tsv: &str) -> Result<Vec<Value>, Failure> {
    let glossary = Glossary::parse(tsv, Case::Ignore).map_err(|error| Failure::Bad(error.to_string()))?;
    let mut terms = Vec::new();
    for (sources, _) in rows(tsv) {
        // A bar after a backslash is part of the term.
        for source in sources.replace("\\|", "\0").split('|') {
            let source = source.replace('\0', "|");
            let source = source.strip_suffix('*').unwrap_or(&source).replace('\\', "");
            if let Some(targets) = glossary.find(&source).into_iter().next() {
                terms.push(json!({"source": source.trim(), "target": targets}));
            }
        }
    }
    Ok(terms)
}

async fn replace(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let (name, part, client) = received(&app, request).await?;
    let owner = client.key.number;
    let stored = app.stored(move |store| {
        store.change_glossary(owner, &id, |glossary| {
            (glossary.name, glossary.dictionaries) = (name, vec![part]);
            Ok(())
        })
    });
    Ok(reply::json(StatusCode::OK, &object(&stored.await?)))
}

async fn show(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let stored = stored(&app, id, request).await?;
    let mut whole = object(&stored);
    let tsv = stored.dictionaries.first().map_or("", |part| &part.tsv);
    whole["entries"] = rows(tsv).map(|(source, targets)| json!({"source": source, "target": targets})).collect();
    Ok(reply::json(StatusCode::OK, &whole))
}

async fn entries(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let stored = stored(&app, id, request).await?;
    let tsv = stored.dictionaries.into_iter().next().map_or_else(String::new, |part| part.tsv);
    Ok(reply::bytes(StatusCode::OK, "text/tab-separated-values", tsv))
}

async fn remove(State(app): Shared, Path(id): Path<String>, request: Request) -> ApiResult {
    let owner = sender(&app, request).await?.key.number;
    app.stored(move |store| store.remove_glossary(owner, &id)).await?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

async fn stored(app: &App, id: String, request: Request) -> Result<StoredGlossary, Failure> {
    let owner = sender(app, request).await?.key.number;
    app.stored(move |store| store.glossary(owner, &id)).await
}

/// The entries of a glossary's text.
pub fn rows(tsv: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let lines = tsv.trim_start_matches('\u{feff}').lines();
    let lines = lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut fields = line.split('\t').map(str::trim);
        let source = fields.next().unwrap_or_default();
        (source, fields.filter(|field| !field.is_empty()).collect())
    })
}

/// The object of a glossary in our interface: its first pair of languages.
fn object(glossary: &StoredGlossary) -> Value {
    let first = glossary.dictionaries.first();
    json!({
        "id": glossary.id,
        "name": glossary.name,
        "source": first.map_or("", |part| &part.source),
        "target": first.map_or("", |part| &part.target),
        "case_sensitive": first.is_some_and(|part| part.case_sensitive),
        "entries": glossary.dictionaries.iter().map(|part| part.entries).sum::<usize>(),
        "created": iso_time(glossary.created),
    })
}
