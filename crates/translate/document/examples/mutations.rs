//! Changes real files at random and reads them:
//! `cargo run --release -p metaphrase-document --example mutations -- FOLDER SECONDS [SEED]`.
//!
//! No file may make the reader panic or take long. Parts of archives are changed inside.
#![allow(clippy::unwrap_used, reason = "a measurement may panic")]

use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Pieces that mean something in one of the formats.
const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "&",
    ";",
    "&amp;",
    "\"",
    "'",
    "\\",
    "\\u",
    "{",
    "}",
    "{{",
    "[",
    "]",
    "(",
    ")",
    "|",
    "#",
    "=",
    ":",
    ",",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "<![CDATA[",
    "]]>",
    "<!--",
    "<?xml",
    "{n, plural, other {",
    "%s",
    "$t(",
    "-->",
    "```",
    "---\n",
    "+++\n",
    "00:00:01,000 --> 00:00:02,000\n",
    "msgid \"",
    "\n====\n",
    "\n.. note:: ",
    "::\n\n    ",
    ":ref:`",
    "+---+\n",
    "<tuv xml:lang=\"pl\"><seg>",
    "<table:table-cell>",
    "\u{feff}",
    "é",
    "😀",
    "\u{200d}",
    "\u{ad}",
    "_",
    "*",
    "~",
    "^",
    "`",
];

struct Random(u64);

impl Random {
    /// A number below `end`, by xorshift.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(changed.len() + 1);
        let end = (at + random.below(40)).min(changed.len());
        match random.below(6) {
            0 => drop(changed.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            1 => drop(changed.drain(at..end)),
            2 => changed.truncate(at),
            3 => {
                let piece = PIECES[random.below(PIECES.len())].repeat(1 + random.below(3000));
                drop(changed.splice(at..at, piece.bytes()));
            }
            4 => {
                let part = changed[at..end].repeat(1 + random.below(200));
                drop(changed.splice(at..at, part));
            }
            _ => changed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        }
    }
    changed
}

/// An archive with one changed part.
fn mutate_archive(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let chosen = random.below(archive.len());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..archive.len() {
        if number == chosen {
            let mut part = archive.by_index(number).ok()?;
            let name = part.name().ok()?.into_owned();
            let mut content = Vec::new();
            part.read_to_end(&mut content).ok()?;
            writer.start_file(name, SimpleFileOptions::default()).ok()?;
            writer.write_all(&mutate(&content, random)).ok()?;
        } else {
            writer.raw_copy_file(archive.by_index_raw(number).ok()?).ok()?;
        }
    }
    Some(writer.finish().ok()?.into_inner())
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut paths = Vec::new();
    files(Path::new(&args.next().unwrap()), &mut paths);
    paths.sort();
    let limit = Duration::from_secs(args.next().unwrap().parse().unwrap());
    let mut random = Random(args.next().map_or(1, |seed| seed.parse().unwrap()));
    let known = |path: PathBuf| {
        let format = FileFormat::from_extension(&path.extension()?.to_string_lossy())?;
        let bytes = std::fs::read(&path).ok().filter(|bytes| bytes.len() < 300_000)?;
        Some((path, format, bytes))
    };
    let mut by_format: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (path, format, bytes) in paths.into_iter().filter_map(known) {
        by_format.entry(format.name()).or_default().push((path, format, bytes));
    }
    let each = limit / u32::try_from(by_format.len().max(1)).unwrap();
    for (name, inputs) in by_format {
        let (start, mut count, mut read, mut slowest) = (Instant::now(), 0, 0, Duration::ZERO);
        while start.elapsed() < each {
            let (path, format, bytes) = &inputs[random.below(inputs.len())];
            let changed = if format.is_archive() && random.below(8) > 0 {
                mutate_archive(bytes, &mut random).unwrap_or_default()
            } else {
                mutate(bytes, &mut random)
            };
            std::fs::write(std::env::temp_dir().join("last-mutation"), &changed).unwrap();
            let begin = Instant::now();
            let options = Options { target: "pl".into(), ..Options::default() };
            count += 1;
            if let Ok(file) = SegmentedFile::new(changed.clone(), *format, &options) {
                let answers: Vec<_> = file
                    .sentences()
                    .map(|source| {
                        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
                        Some(Answer { text: source.text.to_ascii_uppercase(), kept, links: vec![] })
                    })
                    .collect();
                read += usize::from(file.finish(&answers).is_ok());
            }
            let took = begin.elapsed();
            if took > slowest {
                slowest = took;
                let length = changed.len();
                if took > Duration::from_secs(3) {
                    std::fs::write(format!("slow-{name}"), &changed).unwrap();
                    println!("{}: {length} bytes took {took:?}", path.display());
                }
            }
        }
        println!("{name}: {count} files, {read} read, slowest {slowest:?}");
    }
}
