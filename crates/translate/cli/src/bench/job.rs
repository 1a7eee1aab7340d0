//! A measurement in a separate process: this program with the same options and the name of the measurement.

use super::results::MeasurementResult;
use crate::messages::Terminal;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::str::FromStr;

/// A measurement: a kind and a setting, written as `batched f32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) kind: Kind,
    pub(super) setting: String,
}

/// A kind of measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The speed of batches; the result has the translations.
    Batched,
    /// The latency of one sentence at a time.
    Single,
    /// The time of each unit of work, in batches.
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

/// Starts the measurement and waits for it. Calls `progress` for each line that the process translates. Shows the
/// messages of the process unless they are `known`: each process prints the same ones.
pub(super) fn ask(
    job: &Job,
    lines: &[String],
    terminal: &Terminal,
    known: bool,
    mut progress: impl FnMut(),
) -> Result<MeasurementResult> {
    let program = std::env::current_exe().context("cannot find the file of this program")?;
    let mut child = Command::new(program)
        .args(std::env::args_os().skip(1))
        .arg("--job")
        .arg(job.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a process for the measurement")?;
    let mut stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let outcome: std::io::Result<_> = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new;
        let messages = thread().spawn_scoped(scope, move || {
            let mut text = Vec::new();
            stderr.map(|mut stderr| stderr.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        })?;
        // A process that fails may leave its input unread, so a failure to write is none.
        thread().spawn_scoped(scope, move || stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes())))?;
        let mut answer = None;
        for line in stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines()).map_while(Result::ok) {
            if line.is_empty() {
                progress();
            } else {
                answer = Some(line);
            }
        }
        Ok((answer, messages.join().unwrap_or_default()))
    });
    let (answer, messages) = outcome.context("cannot start a thread that reads from a measurement")?;
    if !child.wait().context("cannot wait for the process of a measurement")?.success() {
        let last = messages.lines().next_back().unwrap_or_default();
        let error = last.strip_prefix("metaphrase: error: ").unwrap_or(last);
        bail!(if error.is_empty() { format!("the measurement `{job}` failed") } else { error.to_owned() });
    }
    if !known {
        terminal.pass_on(&messages);
    }
    let answer = answer.with_context(|| format!("the measurement `{job}` has no result"))?;
    serde_json::from_str(&answer).with_context(|| format!("cannot parse the result of the measurement `{job}`"))
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
