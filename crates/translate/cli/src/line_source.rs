//! The lines of `metaphrase translate` as requests.

use crate::input_format::Format;
use crate::language::LanguageCheck;
use crate::lines::Lines;
use crate::posterior_files::Blocks;
use crate::print::Keys;
use crate::request::{self, Fields};
use crate::stream::{Source, Ticket};
use anyhow::{Result, bail};
use metaphrase::{Evidence, EvidenceCounter, EvidenceOptions, Request};

/// Lines to translate.
pub struct Text {
    pub lines: Lines,
    pub prefixes: Option<Lines>,
    pub evidence: Option<Posteriors>,
    pub format: Format,
    pub language: LanguageCheck,
}

/// The posteriors of the lines.
pub struct Posteriors {
    pub blocks: Blocks,
    pub counter: EvidenceCounter,
    pub options: EvidenceOptions,
}

impl Posteriors {
    /// The evidence for a line, from 1, or the reason why there is none.
    fn evidence(&mut self, number: usize) -> Result<Result<Evidence, String>> {
        let found = |lines: Vec<String>| {
            let posteriors = self.counter.from_text(lines.iter().map(String::as_str), &self.options);
            posteriors.map(Evidence::Posteriors).map_err(|error| error.to_string())
        };
        Ok(self.blocks.block(number)?.and_then(found))
    }
}

impl Source for Text {
    type Extra = Keys;

    fn next(&mut self) -> Result<Option<(Request, Ticket<Keys>)>> {
        let number = self.lines.read();
        let Some(line) = self.lines.next_line()? else { return self.end() };
        let mut ticket = Ticket::new(number, &line, Ok(Fields::new()));
        let request = match self.format {
            // The part that was cut off might have contained terms.
            Format::Tsv | Format::Json if line.cut => Err("the line is too long and is skipped".to_owned()),
            Format::Tsv => request::from_tsv(&line.text),
            Format::Json => request::from_json(&line.text).map(|(request, fields)| {
                ticket.notes.extend(request::misspelt(&fields));
                ticket.extra = Ok(fields);
                // A field takes at most about twenty times its length; the worst case is the shortest one, `"a":1`.
                Request { attached: 20 * line.text.len(), ..request }
            }),
            _ => Ok(Request { prefix: self.prefix()?, ..Request::translate(line.text) }),
        };
        let evidence = self.evidence.as_mut().map(|posteriors| posteriors.evidence(number + 1)).transpose()?;
        let request = request.map(|request| match evidence {
            Some(Ok(evidence)) => request.evidence(evidence),
            // A line without words needs no evidence, so that no note is due.
            Some(Err(problem)) if !request.source.trim().is_empty() => {
                ticket.notes.push(format!("translated without evidence: {problem}"));
                request
            }
            _ => request,
        });
        let request = request.unwrap_or_else(|problem| {
            ticket.notes.push(problem.clone());
            ticket.extra = Err(problem);
            Request::default()
        });
        self.language.look(&request.source);
        Ok(Some((request, ticket)))
    }

    fn has_next(&self) -> bool {
        self.lines.has_next()
    }
}

impl Text {
    /// The prefix of the line that was read last.
    fn prefix(&mut self) -> Result<String> {
        let Some(prefixes) = &mut self.prefixes else { return Ok(String::new()) };
        match prefixes.next_line()? {
            Some(line) => Ok(line.text),
            None => bail!(
                "{} has only {} lines but {} has more; give a prefix for each line, which may be empty",
                prefixes.name(),
                prefixes.read(),
                self.lines.name()
            ),
        }
    }

    /// The end of the text, where its prefixes and posteriors must end, too.
    fn end<T>(&mut self) -> Result<Option<T>> {
        self.language.end();
        if let Some(evidence) = &mut self.evidence {
            evidence.blocks.end(self.lines.read())?;
        }
        if let Some(prefixes) = &mut self.prefixes
            && prefixes.next_line()?.is_some()
        {
            bail!(
                "{} has more lines than {}, which has {}; give one prefix for each line",
                prefixes.name(),
                self.lines.name(),
                self.lines.read()
            );
        }
        Ok(None)
    }
}
