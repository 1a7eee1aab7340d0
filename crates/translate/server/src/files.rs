//! The translation of files: a file is sent, its state is asked for, and its result is fetched.

use crate::app::{App, Client};
use crate::error::Failure;
use crate::file_jobs::{FileJob, Status};
use crate::params::Upload;
use crate::pending::PendingText;
use crate::source::same_language;
use crate::store::random_hex;
use crate::text::apart;
use crate::translation_request::TranslationRequest;
use axum::body::Bytes;
use metaphrase::FileFormat;
use std::sync::Arc;
use std::time::Duration;

/// The extensions of the files that are translated.
#[must_use]
pub fn extensions() -> Vec<String> {
    FileFormat::ALL.iter().flat_map(|format| format.extensions()).map(|end| format!(".{end}")).collect()
}

impl App {
    /// Begins to translate a file; returns its name for later requests. `ask` has no texts.
    ///
    /// # Errors
    /// [`Failure`] for files that can not be translated.
    pub async fn begin_file(
        self: &Arc<Self>,
        client: &Client,
        file: Upload,
        ask: TranslationRequest,
    ) -> Result<String, Failure> {
        let (stem, extension) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
        let Some(format) = FileFormat::from_extension(extension) else {
            return Err(Failure::FileExtension { extension: extension.to_owned(), known: extensions().join(", ") });
        };
        if file.bytes.is_empty() {
            return Err(Failure::Bad("the file is empty".into()));
        }
        let target = self.target(&ask.target)?;
        let extension = format.translated_extension().unwrap_or(extension);
        // As DeepL's clients know them.
        let (id, secret) = (random_hex::<16>()?, random_hex::<32>()?);
        let job = FileJob {
            owner: client.id.clone(),
            secret,
            name: file.name.clone(),
            result_name: format!("{stem}.{target}.{extension}"),
            languages: (ask.source.clone().unwrap_or_default(), target),
            status: Status::Translating,
            sentences: (0, 0),
            characters: 0,
            result: None,
            failure: None,
            notes: Vec::new(),
            ended: None,
            task: None,
        };
        self.files.add(&id, job)?;
        let (app, client, name) = (Arc::clone(self), client.clone(), id.clone());
        let task = tokio::spawn(async move {
            let ask = TranslationRequest { file: Some((format, file.bytes)), ..ask };
            let end = app.translate_file(&client, &name, ask).await;
            app.files.end(&name, end);
        });
        self.files.change(&id, |job| job.task = Some(task.abort_handle()));
        Ok(id)
    }

    async fn translate_file(
        self: &Arc<Self>,
        client: &Client,
        id: &str,
        ask: TranslationRequest,
    ) -> Result<Bytes, Failure> {
        let target = self.target(&ask.target)?;
        if let (Some(source), Some((_, bytes))) = (&ask.source, &ask.file)
            && same_language(source, &target)
        {
            return Ok(bytes.clone());
        }
        let mut pending = self.translate(client, ask).await?;
        let all = pending.texts().iter().map(|text| text.sentences()).sum();
        let source = pending.texts().first().map(|text| text.source.clone()).unwrap_or_default();
        let characters = pending.characters;
        self.files.change(id, |job| (job.sentences.1, job.languages.0, job.characters) = (all, source, characters));
        while pending.next().await?.is_some() {
            self.files.change(id, |job| job.sentences.0 += 1);
        }
        let finish = move || pending.texts().first().map(PendingText::finish).transpose();
        let finished = apart(characters, finish).await?.unwrap_or_default();
        self.files.change(id, |job| job.notes = finished.notes);
        Ok(finished.bytes.into())
    }

    /// Waits for the end of a file.
    ///
    /// # Errors
    /// The reason why it has no result.
    pub async fn file_done(&self, client: &Client, id: &str) -> Result<FileJob, Failure> {
        loop {
            let job = self.files.get(&client.id, id)?;
            match (job.status, &job.failure) {
                (Status::Translating, _) => tokio::time::sleep(Duration::from_millis(20)).await,
                (Status::Done, _) => return Ok(job),
                (Status::Failed, failure) => return Err(failure.clone().unwrap_or(Failure::NothingTranslated)),
            }
        }
    }
}
