//! Measurements in processes of their own, so that each has its own largest memory.

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use std::process::{Command, Stdio};

/// Runs this program with its own arguments and some more, and reads the measurement that it prints.
pub fn measured<T: DeserializeOwned>(more: &[String]) -> Result<T> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).args(more);
    let output = command.stderr(Stdio::inherit()).output().context("cannot start this program again")?;
    ensure!(output.status.success(), "no measurement with {}", more.join(" "));
    Ok(serde_json::from_slice(&output.stdout)?)
}
