//! Files of posteriors. A file has a block for each sentence: `# N`, its n-grams and an empty line; or each sentence
//! has its own file.

use crate::io::Input;
use crate::lines::{Line, Lines};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The most lines of a sentence.
const MOST_LINES: usize = 4_000_000;

/// The posteriors of the sentences of a text, in their order.
pub struct Blocks {
    source: Source,
}

enum Source {
    /// A file for each sentence; `%d` in the name is the number of the sentence.
    Files(String),
    File {
        lines: Lines,
        /// The number of the next block, if its header has been read.
        next: Option<usize>,
        /// The number of the latest header.
        last: usize,
    },
}

/// The lines of a sentence, or the reason why there are none.
pub type Block = Result<Vec<String>, String>;

impl Blocks {
    /// Opens a file; `%d` in its name stands for the number of a sentence, from 1.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(pattern) = path.to_str().filter(|path| path.contains("%d")) {
            return Ok(Self { source: Source::Files(pattern.to_owned()) });
        }
        let lines = Lines::new(Input::open(Some(path))?);
        Ok(Self { source: Source::File { lines, next: None, last: 0 } })
    }

    /// The block of sentence `number`, from 1, which must be above that of the call before. A fault in the file is
    /// reported as a fault of the sentence.
    pub fn block(&mut self, number: usize) -> Result<Block> {
        match &mut self.source {
            Source::Files(pattern) => Ok(read_file(&numbered_path(pattern, number))),
            Source::File { lines, next, last } => {
                while next.is_none_or(|next| next < number) {
                    if let Some(passed) = *next {
                        tracing::warn!(
                            "{}: the posteriors of sentence {passed} are skipped: the text goes on with line {number}",
                            lines.name()
                        );
                        let _ = read_block(lines)?;
                    }
                    match header(lines)? {
                        None => return Ok(Err(format!("{} ends before this sentence", lines.name()))),
                        Some(Ok(found)) if found > *last => {
                            *next = Some(found);
                            *last = found;
                        }
                        Some(Ok(found)) => {
                            let name = lines.name();
                            let problem =
                                format!("{name} is out of order: sentence {found} comes after sentence {last}");
                            let _ = read_block(lines)?;
                            *next = None;
                            return Ok(Err(problem));
                        }
                        Some(Err(problem)) => {
                            let problem = format!("{}, line {}: {problem}", lines.name(), lines.read());
                            let _ = read_block(lines)?;
                            *next = None;
                            return Ok(Err(problem));
                        }
                    }
                }
                if *next != Some(number) {
                    return Ok(Err(format!("{} has nothing on this sentence", lines.name())));
                }
                *next = None;
                read_block(lines)
            }
        }
    }

    /// Warns if the file has more sentences than the text.
    pub fn end(&mut self, sentences: usize) -> Result<()> {
        if let Source::File { lines, next, .. } = &mut self.source
            && (next.is_some() || header(lines)?.is_some())
        {
            tracing::warn!("{} has more sentences than the text, which has {sentences} lines", lines.name());
        }
        Ok(())
    }
}

/// The path of a sentence: `pattern` with `number` for each `%d`.
pub fn numbered_path(pattern: &str, number: usize) -> PathBuf {
    pattern.replace("%d", &number.to_string()).into()
}

fn read_file(path: &Path) -> Block {
    let read = || Lines::new(Input::open(Some(path))?).texts();
    let texts = read().map_err(|error| format!("{error:#}"))?;
    Ok(texts.into_iter().filter(|line| !line.trim().is_empty()).collect())
}

/// The number of the next block.
fn header(lines: &mut Lines) -> Result<Option<Result<usize, String>>> {
    while let Some(line) = lines.next_line()? {
        if !line.text.trim().is_empty() {
            let number = line.text.strip_prefix('#').and_then(|number| number.trim().parse().ok());
            let wrong =
                || format!("expected `# N`, the number of a sentence, found `{}`", metaphrase_base::shown(&line.text));
            return Ok(Some(number.filter(|&number| number > 0).ok_or_else(wrong)));
        }
    }
    Ok(None)
}

/// The lines up to an empty one.
fn read_block(lines: &mut Lines) -> Result<Block> {
    let mut block = Vec::new();
    let mut problem = None;
    while let Some(line) = lines.next_line()?.filter(|line| !line.text.trim().is_empty()) {
        problem = problem.or_else(|| line.notes.first().cloned()).or_else(|| line.encoding_note());
        let Line { text, .. } = line;
        if block.len() < MOST_LINES {
            block.push(text);
        } else {
            problem = Some(format!("more than {MOST_LINES} lines of posteriors"));
        }
    }
    Ok(problem.map_or(Ok(block), Err))
}
