//! A measurement as a process of its own: this program, with the same options and the name of the measurement.

use super::measure::{Measured, Raw, Single, UnitCost};
use crate::messages::Terminal;
use anyhow::{Context, Result, anyhow, bail};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::str::FromStr;

/// What is measured, with which setting: `batched f32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) kind: Kind,
    pub(super) setting: String,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The text in batches, with its translations.
    Batched,
    /// One sentence at a time.
    Single,
    /// Where the time goes, in batches.
    Units,
}

impl Job {
    pub(super) fn batched(setting: &str) -> Self {
        Self { kind: Kind::Batched, setting: setting.into() }
    }

    pub(super) fn single(setting: &str) -> Self {
        Self { kind: Kind::Single, setting: setting.into() }
    }

    pub(super) fn units(setting: &str) -> Self {
        Self { kind: Kind::Units, setting: setting.into() }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Batched => "batched",
            Kind::Single => "single",
            Kind::Units => "units",
        };
        write!(f, "{kind} {}", self.setting)
    }
}

impl FromStr for Job {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, setting) = text.split_once(' ').ok_or("expected a measurement and a setting")?;
        let kind = match kind {
            "batched" => Kind::Batched,
            "single" => Kind::Single,
            "units" => Kind::Units,
            _ => return Err("expected batched, single or units".into()),
        };
        Ok(Self { kind, setting: setting.into() })
    }
}

/// Starts the measurement and waits for it. `progress` is called for each line that it translates. Its messages are shown
/// unless they are `known`, from a process that had the same.
pub(super) fn ask(
    job: &Job,
    lines: &[String],
    terminal: &Terminal,
    known: bool,
    mut progress: impl FnMut(),
) -> Result<Measured> {
    let program = std::env::current_exe().context("the program does not find its own file")?;
    let mut child = Command::new(program)
        .args(std::env::args_os().skip(1))
        .arg("--job")
        .arg(job.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a process that measures")?;
    let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let answered: std::io::Result<_> = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new;
        let complaint = thread().spawn_scoped(scope, move || {
            let mut text = Vec::new();
            stderr.map(|mut stderr| stderr.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        })?;
        // A process that fails need not read its input.
        thread().spawn_scoped(scope, move || stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes())))?;
        let mut answer = None;
        for line in stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines()).map_while(Result::ok) {
            if line.is_empty() {
                progress();
            } else {
                answer = Some(line);
            }
        }
        Ok((answer, complaint.join().unwrap_or_default()))
    });
    let (answer, complaint) = answered.context("cannot start a thread that watches a measurement")?;
    if !child.wait().context("cannot wait for a process that measures")?.success() {
        let complaint = complaint.lines().next_back().unwrap_or_default();
        let complaint = complaint.strip_prefix("metaphrase: error: ").unwrap_or(complaint);
        bail!(if complaint.is_empty() { format!("the measurement `{job}` failed") } else { complaint.to_owned() });
    }
    if !known {
        terminal.pass_on(&complaint);
    }
    let answer = answer.with_context(|| format!("the measurement `{job}` has no result"))?;
    serde_json::from_str(&answer).with_context(|| format!("the result of the measurement `{job}` is not to be read"))
}

impl Measured {
    pub(super) fn batched(self) -> Result<Raw> {
        if let Self::Batched(raw) = self { Ok(raw) } else { Err(another()) }
    }

    pub(super) fn single(self) -> Result<Single> {
        if let Self::Single(single) = self { Ok(single) } else { Err(another()) }
    }

    pub(super) fn units(self) -> Result<Vec<UnitCost>> {
        if let Self::Units(units) = self { Ok(units) } else { Err(another()) }
    }
}

fn another() -> anyhow::Error {
    anyhow!("a process measured something else than it was asked to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_named() {
        for job in [Job::batched("f32"), Job::single("int8"), Job::units("int8, shortlist")] {
            assert_eq!(job.to_string().parse(), Ok(job));
        }
        assert!("batched".parse::<Job>().is_err() && "other f32".parse::<Job>().is_err());
    }
}
