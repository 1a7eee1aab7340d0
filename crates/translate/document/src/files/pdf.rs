//! Documents in PDF: their text in the order in which it is drawn, as paragraphs. Pictures, forms of letters and the
//! layout are lost, so that the translation is a plain text.

mod lines;
mod page;

use crate::Error;
use hayro_font::hayro_syntax::{LoadPdfError, Pdf};
use hayro_font::kurbo::Affine;
use lines::paragraphs;
use page::PageReader;

/// The most letters of a document.
const LETTERS: usize = 20_000_000;

/// The text of a document.
pub(crate) struct PageText {
    /// Paragraphs with an empty line between them.
    pub(crate) text: String,
    /// Messages about pages without text.
    pub(crate) notes: Vec<String>,
}

/// Reads the text of a document.
pub(crate) fn read(bytes: Vec<u8>) -> Result<PageText, Error> {
    let unreadable = |problem: &str| Error::Unreadable { problem: problem.to_owned() };
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(_) => unreadable("it is encrypted; save it without a password first"),
        LoadPdfError::Invalid => unreadable("it is not a PDF document, or a broken one"),
    })?;
    let (mut reader, mut pages, mut without) = (PageReader::new(), Vec::new(), Vec::new());
    let mut letters = 0;
    for (number, page) in pdf.pages().iter().enumerate() {
        let other = reader.unknown + reader.pictures;
        let place = Affine::new(page.initial_transform(true).as_coeffs());
        reader.page(page.typed_operations(), page.resources(), place)?;
        let found = std::mem::take(&mut reader.letters);
        letters += found.len();
        if letters > LETTERS {
            return Err(Error::TooLarge { what: "letters", limit: LETTERS as u64 });
        }
        if found.is_empty() && reader.unknown + reader.pictures > other {
            without.push((number + 1).to_string());
        }
        pages.push(found);
    }
    let (signs, pictures) = (reader.unknown, reader.pictures);
    match (letters, signs, pictures) {
        (0, 0, 1..) => Err(unreadable("its pages are pictures, as of a scanner; recognise their text (OCR) first")),
        (0, 1.., _) => {
            Err(unreadable("its fonts do not name the characters that they show; recognise its text (OCR) first"))
        }
        _ => Ok(PageText { text: paragraphs(pages), notes: notes(&without, signs) }),
    }
}

/// Messages about the numbers of pages without text, and about characters that fonts do not name.
fn notes(without: &[String], signs: usize) -> Vec<String> {
    let shown = without.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
    let more = if without.len() > 20 { format!(" and {} more", without.len() - 20) } else { String::new() };
    let pages = format!("pages without text, as those of a scanner, are left out: {shown}{more}");
    let letters = format!("{signs} characters are left out, which the document's fonts do not name");
    [(!without.is_empty()).then_some(pages), (signs > 0).then_some(letters)].into_iter().flatten().collect()
}
