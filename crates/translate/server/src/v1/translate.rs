//! `POST /api/v1/translate`.

use super::sentences::{Details, answer_object};
use super::{ApiResult, Shared, read, stream};
use crate::app::{App, Client};
use crate::error::Failure;
use crate::reply;
use crate::text::{apart, format_named};
use crate::translation_request::TranslationRequest;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use metaphrase::{Case, Glossary, GlossaryError, TextFormat};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Instant;

/// What is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TranslateBody {
    text: OneOrMore,
    #[serde(default)]
    source: Option<String>,
    target: String,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    glossary: Option<String>,
    #[serde(default)]
    terms: Vec<TermBody>,
    #[serde(default)]
    case_sensitive: bool,
    #[serde(default)]
    require: Vec<OneOrMore>,
    #[serde(default)]
    avoid: Vec<String>,
    #[serde(default)]
    alternatives: usize,
    #[serde(default)]
    distinct_next_word: bool,
    #[serde(default)]
    target_prefix: String,
    #[serde(default)]
    alignment: bool,
    #[serde(default)]
    scores: bool,
    #[serde(default)]
    deadline_ms: Option<u64>,
    #[serde(default)]
    stream: bool,
}

/// A text or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
pub enum OneOrMore {
    /// One.
    One(String),
    /// Several.
    More(Vec<String>),
}

impl OneOrMore {
    /// The texts.
    #[must_use]
    pub fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::More(texts) => texts,
        }
    }
}

/// A source term and its target terms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermBody {
    /// The source term.
    pub source: String,
    /// Target terms, any of which will do.
    pub target: OneOrMore,
}

/// What is wrong with an entry of `terms`, which are counted from 1.
fn term_fault(error: &GlossaryError) -> String {
    format!("entry {} of `terms` {}", error.line, error.problem)
}

/// Checks the number of terms.
fn check_count(terms: &[TermBody], limit: usize) -> Result<(), Failure> {
    if terms.len() > limit {
        return Err(Failure::TooLarge { what: "terms", found: terms.len(), limit });
    }
    Ok(())
}

/// Terms as the text that glossaries are stored as.
///
/// # Errors
/// For terms with tabs or line breaks, and for more terms than the limit.
pub fn tsv(terms: Vec<TermBody>, limit: usize) -> Result<String, Failure> {
    check_count(&terms, limit)?;
    let mut text = String::new();
    for TermBody { source, target } in terms {
        let line = [vec![source], target.into_vec()].concat();
        // A term that begins with `#` would be a comment.
        if line.iter().any(|term| term.contains(['\t', '\n', '\r'])) || line[0].starts_with('#') {
            let term = line[0].escape_debug().to_string();
            return Err(Failure::Bad(format!("the term \"{term}\" begins with # or contains a tab or a line break")));
        }
        text.push_str(&line.join("\t"));
        text.push('\n');
    }
    Ok(text)
}

impl App {
    /// The terms of a request and those of a stored glossary.
    pub(crate) async fn glossaries(
        &self,
        client: &Client,
        terms: (Vec<TermBody>, bool),
        id: Option<String>,
        languages: (Option<&str>, &str),
    ) -> Result<Vec<Arc<Glossary>>, Failure> {
        let mut glossaries = Vec::new();
        let (terms, case_sensitive) = terms;
        if !terms.is_empty() {
            let case = Case::sensitive(case_sensitive);
            check_count(&terms, self.config.limits.glossary_entries)?;
            let entries = terms.into_iter().map(|TermBody { source, target }| (source, target.into_vec()));
            let terms = Glossary::from_entries(entries, case);
            glossaries.push(Arc::new(terms.map_err(|error| Failure::Bad(term_fault(&error)))?));
        }
        if let Some(id) = id {
            glossaries.extend(self.stored_glossaries(client, vec![id], languages).await?);
        }
        Ok(glossaries)
    }

    /// The terms of stored glossaries, in their order.
    ///
    /// # Errors
    /// [`Failure::Bad`] without a source language, [`Failure::NotFound`] for a glossary that is not there or has no
    /// such languages.
    pub(crate) async fn stored_glossaries(
        &self,
        client: &Client,
        ids: Vec<String>,
        languages: (Option<&str>, &str),
    ) -> Result<Vec<Arc<Glossary>>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let needs = || Failure::Bad("a glossary needs the source language: `auto` does not go with it".into());
        let (source, target) = (languages.0.ok_or_else(needs)?.to_owned(), languages.1.to_owned());
        let owner = client.key.number;
        self.stored(move |store| ids.iter().map(|id| store.terms(owner, id, &source, &target)).collect()).await
    }
}

/// The texts of a body, in flight.
async fn ask(app: &App, client: &Client, body: TranslateBody) -> Result<TranslationRequest, Failure> {
    let source = body.source.filter(|source| source != "auto");
    let name = body.format.unwrap_or_else(|| "text".into());
    let format = format_named(&name);
    let format =
        format.ok_or_else(|| Failure::Bad(format!("the format `{name}` is not one of text, lines, html, xml")))?;
    let texts = body.text.into_vec();
    let is_line = |text: &String| !text.contains(['\n', '\r']);
    if !body.target_prefix.is_empty() && (format != TextFormat::Lines || texts.len() != 1 || !texts.iter().all(is_line))
    {
        let advice = "send one text without line breaks, and `\"format\": \"lines\"`";
        return Err(Failure::Bad(format!("a target_prefix is for one sentence: {advice}")));
    }
    let terms = (body.terms, body.case_sensitive);
    let glossaries = app.glossaries(client, terms, body.glossary, (source.as_deref(), &body.target)).await?;
    Ok(TranslationRequest {
        texts,
        source,
        target: body.target,
        format,
        glossaries,
        require: body.require.into_iter().map(OneOrMore::into_vec).collect(),
        avoid: body.avoid,
        prefix: body.target_prefix,
        alternatives: body.alternatives,
        distinct: body.distinct_next_word,
        attention: body.alignment || body.scores,
        check_numbers: true,
        deadline: body.deadline_ms,
        ..TranslationRequest::default()
    })
}

/// Translates texts: one answer, or events.
pub async fn translate(State(app): Shared, request: Request) -> ApiResult {
    let begun = Instant::now();
    let (body, call, client): (TranslateBody, _, _) = read(&app, request).await?;
    let shown = Details { alignment: body.alignment, scores: body.scores };
    let streams = body.stream || wants_events(&call.headers);
    let ask = ask(&app, &client, body).await?;
    let pending = app.translate(&client, ask).await?;
    if streams {
        return Ok(stream::events(pending, shown, begun));
    }
    let characters = pending.characters;
    let texts = pending.all().await?;
    let answer = apart(characters, move || answer_object(&texts, shown, characters, begun)).await?;
    Ok(reply::json(StatusCode::OK, &answer))
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepts.is_some_and(|kinds| kinds.contains("text/event-stream"))
}
