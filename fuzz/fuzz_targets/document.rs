//! A byte that chooses the format, then the file; of an archive, the part with the text. What is read can be written: with all sentences in
//! capitals, and with every second one without a translation. What is HTML stays HTML: the file can be read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase::{Document, DocumentError, Error, FileFormat, Hypothesis, TextOptions, Translation};
use metaphrase_fuzz::models::check_message;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive whose one part has the text.
fn archive(name: &str, text: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default()).expect("a name");
    writer.write_all(text).expect("memory");
    writer.finish().expect("memory").into_inner()
}

fn translations(prepared: &Document, translated: impl Fn(usize) -> bool) -> Vec<Translation> {
    let answer = |(number, request): (usize, metaphrase::Request)| {
        if !translated(number) {
            return Translation { error: Some("not translated".into()), ..Translation::default() };
        }
        let text = request.source.to_uppercase();
        Translation { hypotheses: vec![Hypothesis { text, ..Hypothesis::default() }], ..Translation::default() }
    };
    prepared.requests().into_iter().enumerate().map(answer).collect()
}

fuzz_target!(|input: &[u8]| {
    let Some((first, text)) = input.split_first() else { return };
    let format = FileFormat::ALL[usize::from(*first) % FileFormat::ALL.len()];
    let part = match format {
        FileFormat::Docx => "word/document.xml",
        FileFormat::Pptx => "ppt/slides/slide1.xml",
        FileFormat::Odt | FileFormat::Odp | FileFormat::Ods => "content.xml",
        _ if *first < 128 => "a.html",
        _ => "toc.ncx",
    };
    let bytes = if format.is_archive() { archive(part, text) } else { text.to_vec() };
    // As translators read it: names of the language become those of the translation.
    let options = TextOptions { target: "de".into(), ..TextOptions::default() };
    let prepared = match Document::file(bytes, format, &options) {
        Ok(prepared) => prepared,
        Err(error) => return check_message(&error),
    };
    let whole = prepared.finish(translations(&prepared, |_| true)).expect("a file");
    assert_eq!(whole.sentences.len(), prepared.len());
    if format == FileFormat::Html {
        let again = Document::file(whole.bytes, format, &options);
        assert!(matches!(again, Ok(_) | Err(Error::Document(DocumentError::NothingToTranslate { .. }))), "HTML");
    }
    let half = prepared.finish(translations(&prepared, |number| number % 2 == 0));
    assert!(half.is_ok(), "the first sentence is translated");
});
