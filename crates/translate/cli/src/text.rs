//! Texts and files that are translated as a whole: they are split into sentences and put together again.

use crate::Usage;
use crate::input_format::check_text;
use crate::io::{Input, Output};
use crate::language::LanguageCheck;
use anyhow::{Context, Result};
use clap::ValueEnum;
use metaphrase::{
    Comments, DocumentError, Entries, Error, FileFormat, FileOptions, TextEncoding, TextFormat, TextOptions,
    TranslateOptions, Translator,
};
use std::io::{Read, Write};
use std::path::Path;

/// Options of texts that are translated as a whole.
#[derive(clap::Args)]
#[command(next_help_heading = "Text")]
pub struct TextArgs {
    /// Split the text into sentences and keep all white space; without this option each line is a sentence. With
    /// `wrapped` the end of a line does not end a sentence; an empty line does
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "sentences")]
    pub split: Option<Split>,
    /// The code of the text's language, whose abbreviations do not end a sentence [default: the model's source
    /// language]
    #[arg(long, value_name = "CODE")]
    pub language: Option<String>,
    /// Keep numbers in digits as they are, as placeholders (`%1$s`, `{name}`) and addresses are kept; with --split or
    /// markup
    #[arg(long)]
    pub keep_numbers: bool,
    /// The encoding of the input, such as windows-1252; not for archives and pdf [default: the one that the text names,
    /// else UTF-8]
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// The longest line of subtitles (srt, vtt), in characters; 0: any
    #[arg(long, value_name = "N", default_value_t = TextOptions::default().subtitle_width)]
    #[arg(value_parser = crate::number::whole::<usize>)]
    pub subtitle_width: usize,
    /// Translate the comments of documents (docx, pptx, odt, odp), too
    #[arg(long)]
    pub comments: bool,
    /// Elements of markup whose content is not translated, in addition to `code`, `kbd` and similar ones
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub keep_elements: Vec<String>,
    /// Translate all texts of a file that has translations next to its texts (po, xliff, tmx, ts, xcstrings, csv with
    /// two columns), not only those without a translation
    #[arg(long)]
    pub all: bool,
    /// The columns of a csv or tsv file to translate, by the names in its first line or by numbers from 1;
    /// TEXT=TRANSLATION
    /// writes the translations of one column into another one [default: all columns]
    #[arg(long, value_name = "COLUMN", num_args = 1..)]
    pub columns: Vec<String>,
    /// Translate the names of an xlsx file's sheets, too, but not of those to which formulas refer
    #[arg(long)]
    pub sheet_names: bool,
}

/// The marks that end a sentence.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// Punctuation and the end of a line
    Sentences,
    /// Punctuation and empty lines
    Wrapped,
    /// Only the end of a line; in markup the end of a paragraph
    Lines,
}

impl TextArgs {
    /// The options for a text of this format.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn options(&self, format: TextFormat, translator: &Translator) -> Result<TextOptions> {
        let language = self.language.clone().or_else(|| translator.languages().map(|[source, _]| source.clone()));
        let split = match self.split {
            None | Some(Split::Sentences) => metaphrase::Split::Sentences,
            Some(Split::Wrapped) => metaphrase::Split::Wrapped,
            Some(Split::Lines) => metaphrase::Split::Lines,
        };
        let mut options =
            TextOptions { format, split, language: language.unwrap_or_default(), ..TextOptions::default() };
        options.keep.numbers = self.keep_numbers;
        options.copied.clone_from(&self.keep_elements);
        options.encoding = self.encoding()?;
        options.subtitle_width = self.subtitle_width;
        if self.comments {
            options.comments = Comments::Translate;
        }
        options.files = FileOptions {
            entries: if self.all { Entries::All } else { Entries::Untranslated },
            columns: self.columns.clone(),
            sheet_names: self.sheet_names,
        };
        Ok(options)
    }

    /// The encoding that the option names.
    fn encoding(&self) -> Result<Option<TextEncoding>> {
        let named = self.encoding.as_deref().map(TextEncoding::named).transpose();
        named.map_err(|error| Usage::error(format!("--encoding: {error}")))
    }

    /// Refuses options that have an effect on whole texts only.
    pub fn check_lines(&self) -> Result<()> {
        let given = [
            ("--language", self.language.is_some()),
            ("--keep-numbers", self.keep_numbers),
            ("--encoding", self.encoding.is_some()),
            ("--keep-elements", !self.keep_elements.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(Usage::error(format!("{name} is for texts; add --split, or --input-format text, html or xml")))
            }
            None => self.check_other_than_files(),
        }
    }

    /// Refuses options of files for other inputs.
    pub fn check_other_than_files(&self) -> Result<()> {
        let given = [
            ("--all", self.all),
            ("--columns", !self.columns.is_empty()),
            ("--comments", self.comments),
            ("--sheet-names", self.sheet_names),
            ("--subtitle-width", self.subtitle_width != TextOptions::default().subtitle_width),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Usage::error(format!(
                "{name} is for files; add --input-format file, or the name of the input's format"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses an output whose name is that of a format which the translation does not have.
    pub fn check_output(format: FileFormat, output: Option<&Path>) -> Result<()> {
        let end = output.and_then(Path::extension).map(|end| end.to_string_lossy().to_lowercase());
        match format.translated_extension() {
            Some(text) if end.is_some_and(|end| format.extensions().contains(&end.as_str())) => {
                Err(Usage::error(format!(
                    "the translation of a {} file is a text alone; give the output a name in .{text}",
                    format.name()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// The format of an input that is translated as a whole.
#[derive(Clone, Copy)]
pub enum WholeFormat {
    /// A text.
    Text(TextFormat),
    /// A file.
    File(FileFormat),
}

/// Translates the whole input.
pub fn run(
    translator: &Translator,
    options: &TranslateOptions,
    args: &TextArgs,
    format: WholeFormat,
    input: Input,
    output: Option<&Path>,
) -> Result<()> {
    let file = match format {
        WholeFormat::Text(form) => file_format(form),
        WholeFormat::File(format) => format,
    };
    let mut bytes = Vec::new();
    let mut reader = input.reader.take(file.largest() + 1);
    reader.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", input.name))?;
    if bytes.len() as u64 > file.largest() {
        return Err(refused(&input.name, file, DocumentError::TooLong { limit: file.largest() }));
    }
    let (bytes, notes) = match format {
        WholeFormat::Text(format) => {
            if !TextEncoding::is_utf_16(&bytes) {
                check_text(&input.name, &bytes)?;
            }
            let text = args.options(format, translator)?;
            let named = |error| refused(&input.name, file, error);
            text.check(file).map_err(named)?;
            let (source, encoding) = TextEncoding::decode(bytes, file, text.encoding).map_err(named)?;
            if format == TextFormat::Text {
                let mut language = LanguageCheck::new(translator);
                source.lines().for_each(|line| language.look(line));
                language.end();
            }
            let translated = translator.translate_text(options, &text, source).with_context(|| input.name.clone())?;
            let (bytes, note) = encoding.encode(translated.text().to_owned(), file);
            (bytes, note.into_iter().chain(translated.notes).collect())
        }
        WholeFormat::File(format) => {
            let text = args.options(TextFormat::Text, translator)?;
            let translated = translator.translate_file(options, &text, bytes, format);
            let translated = translated.map_err(|error| match error {
                Error::Document(error) => refused(&input.name, format, error),
                other => anyhow::Error::new(other).context(input.name.clone()),
            })?;
            (translated.bytes, translated.notes)
        }
    };
    for note in notes {
        tracing::warn!("{}, {note}", input.name);
    }
    let mut output = Output::create(output)?;
    output.write_all(&bytes).with_context(|| output.cannot_write())?;
    output.finish()
}

/// The format of files that has texts of this form.
fn file_format(format: TextFormat) -> FileFormat {
    match format {
        TextFormat::Html => FileFormat::Html,
        TextFormat::Xml => FileFormat::Xml,
        TextFormat::Lines | TextFormat::Text => FileFormat::Text,
    }
}

/// Whether the translation failed since the document has nothing to translate.
pub fn has_no_text(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(DocumentError::NothingToTranslate { .. }))
}

/// The message about a document that can not be read.
fn refused(name: &str, format: FileFormat, error: DocumentError) -> anyhow::Error {
    let option = match (&error, format) {
        (DocumentError::OptionWithoutEffect { option, format, others }, _) => {
            let option = if *option == "entries" { "all" } else { *option }.replace('_', "-");
            return Usage::error(format!(
                "--{option} changes nothing in a file of format {format}; it is for {others}"
            ));
        }
        (DocumentError::Encoding { .. } | DocumentError::NotInEncoding { .. }, _) => " (--encoding NAME)",
        (DocumentError::Line { .. }, FileFormat::Json) => " (--input-format json reads an object on each line)",
        (DocumentError::Line { .. } | DocumentError::NothingToTranslate { .. }, FileFormat::Tsv) => {
            " (--input-format tsv reads a line of text with required terms)"
        }
        _ => "",
    };
    let message = format!("{name}: {error}{option}");
    anyhow::Error::new(error).context(message)
}
