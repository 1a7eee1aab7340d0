//! Files that are archives: the parts with text are replaced, all others are copied as they are packed.

use super::{FileFormat, xlsx};
use crate::{Comments, Error, Options, TextEncoding};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The most parts of an archive.
const PARTS: usize = 20_000;
/// The most bytes of the parts with text, unpacked.
const UNPACKED: u64 = 128 << 20;

/// The first bytes of Microsoft's older container.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const PROTECTED: &str = "it has a password, or is in a format of Office 97 to 2003; save it without a password as docx, \
                         pptx or xlsx";

/// An archive.
#[derive(Debug)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    /// Numbers of the parts with text, in order, and their encodings.
    texts: Vec<(usize, TextEncoding)>,
}

/// What a part of an archive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A file of the archive's format, or a page of a book.
    Main(FileFormat),
    /// The styles of Word, which name a language.
    Styles,
    /// A chart or a diagram.
    Drawing,
    /// The data about the document.
    Properties,
}

/// What a part is, if it has something to translate.
fn part(format: FileFormat, name: &str, options: &Options) -> Option<Part> {
    let is_xml = |folder: &str, starts: &[&str]| {
        let file = name.strip_prefix(folder).and_then(|file| file.strip_suffix(".xml"));
        file.is_some_and(|file| !file.contains('/') && starts.iter().any(|start| file.starts_with(start)))
    };
    let drawing = |folder: &str| {
        name.strip_prefix(folder).is_some_and(|inner| {
            inner.ends_with(".xml")
                && ["charts/chart", "diagrams/data", "diagrams/drawing"].iter().any(|start| inner.starts_with(start))
        })
    };
    let comments = options.comments == Comments::Translate;
    let small = name.to_ascii_lowercase();
    match format {
        FileFormat::Docx
            if is_xml("word/", &["document", "header", "footer", "footnotes", "endnotes"])
                || name == "word/glossary/document.xml" =>
        {
            Some(Part::Main(format))
        }
        FileFormat::Docx if comments && is_xml("word/", &["comments"]) => Some(Part::Main(format)),
        FileFormat::Docx if name == "word/styles.xml" => Some(Part::Styles),
        FileFormat::Pptx if is_xml("ppt/slides/", &["slide"]) || is_xml("ppt/notesSlides/", &["notesSlide"]) => {
            Some(Part::Main(format))
        }
        FileFormat::Pptx if comments && is_xml("ppt/comments/", &["modernComment"]) => Some(Part::Main(format)),
        FileFormat::Docx | FileFormat::Pptx if drawing("word/") || drawing("ppt/") => Some(Part::Drawing),
        FileFormat::Docx | FileFormat::Pptx | FileFormat::Xlsx if name == "docProps/core.xml" => Some(Part::Properties),
        FileFormat::Xlsx if xlsx::is_read(name) => Some(Part::Main(format)),
        FileFormat::Odt | FileFormat::Odp | FileFormat::Ods if name == "meta.xml" => Some(Part::Properties),
        FileFormat::Odt | FileFormat::Odp | FileFormat::Ods if name == "content.xml" || name == "styles.xml" => {
            Some(Part::Main(format))
        }
        FileFormat::Epub if small.ends_with(".opf") => Some(Part::Properties),
        // The table of contents of EPUB 2 is XML; that of EPUB 3 is a page.
        FileFormat::Epub if small.ends_with(".ncx") => Some(Part::Main(FileFormat::Xml)),
        FileFormat::Epub if [".xhtml", ".html", ".htm"].iter().any(|end| small.ends_with(end)) => {
            Some(Part::Main(format))
        }
        _ => None,
    }
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::Archive { problem: error.to_string() }
}

impl Archive {
    /// Opens an archive; gives its texts, with the format of each.
    pub(crate) fn open(
        bytes: Vec<u8>,
        format: FileFormat,
        options: &Options,
    ) -> Result<(Self, Vec<(Part, String)>), Error> {
        if bytes.starts_with(OLE) {
            return Err(Error::Unreadable { problem: PROTECTED.into() });
        }
        let mut archive = ZipArchive::new(Cursor::new(&bytes)).map_err(broken)?;
        if archive.len() > PARTS {
            return Err(Error::TooLarge { what: "parts", limit: PARTS as u64 });
        }
        let (mut texts, mut parts, mut left) = (Vec::new(), Vec::new(), UNPACKED);
        let mut packed = 0_u64;
        for number in 0..archive.len() {
            let file = archive.by_index_raw(number).map_err(broken)?;
            let name = file.name().map_err(broken)?.into_owned();
            packed = packed.saturating_add(file.compressed_size());
            drop(file);
            if packed > bytes.len() as u64 {
                // Each part would be copied, so the output could have any size.
                return Err(broken("its parts overlap"));
            }
            let Some(part) = part(format, &name, options) else { continue };
            let mut text = Vec::new();
            // The sizes that the archive states are not trusted.
            archive.by_index(number).map_err(broken)?.take(left + 1).read_to_end(&mut text).map_err(broken)?;
            left = left
                .checked_sub(text.len() as u64)
                .ok_or(Error::TooLarge { what: "unpacked bytes", limit: UNPACKED })?;
            let (text, encoding) = TextEncoding::decode(text, FileFormat::Xml, None)?;
            if text.contains("<!ENTITY") {
                return Err(Error::Entities { part: name });
            }
            texts.push((number, encoding));
            parts.push((part, text));
        }
        drop(archive);
        Ok((Self { bytes, texts }, parts))
    }

    /// The archive with other texts. Parts whose texts are the same are copied as they are packed.
    pub(crate) fn write(&self, texts: &[String]) -> Result<Vec<u8>, Error> {
        let mut archive = ZipArchive::new(Cursor::new(&self.bytes)).map_err(broken)?;
        let mut changed = Vec::new();
        for (&(number, encoding), text) in self.texts.iter().zip(texts) {
            let mut known = Vec::new();
            archive.by_index(number).map_err(broken)?.take(UNPACKED).read_to_end(&mut known).map_err(broken)?;
            if TextEncoding::decode(known, FileFormat::Xml, None)?.0 != *text {
                changed.push((number, encoding.encode(text.clone(), FileFormat::Xml).0));
            }
        }
        if changed.is_empty() {
            return Ok(self.bytes.clone());
        }
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for number in 0..archive.len() {
            let file = archive.by_index_raw(number).map_err(broken)?;
            match changed.binary_search_by_key(&number, |(number, _)| *number) {
                Ok(place) => {
                    let modified = file.last_modified().unwrap_or_default();
                    let options = SimpleFileOptions::default()
                        .compression_method(CompressionMethod::Deflated)
                        .last_modified_time(modified);
                    let name = file.name().map_err(broken)?;
                    writer.start_file(name, options).map_err(broken)?;
                    writer.write_all(&changed[place].1).map_err(broken)?;
                }
                Err(_) => writer.raw_copy_file(file).map_err(broken)?,
            }
        }
        Ok(writer.finish().map_err(broken)?.into_inner())
    }
}
