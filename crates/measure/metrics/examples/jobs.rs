//! Runs evaluation jobs, for comparison with sacreBLEU: see `testdata/metrics/broad.py`.
//!
//! Reads lines of three fields, separated by tabs: a job in the notation of `tests/spec/mod.rs`, the hypothesis files
//! and the reference files, each separated by commas. Prints the result of each job, with `\n` for a line end.

#[path = "../tests/spec/mod.rs"]
mod spec;

use std::error::Error;
use std::fs;
use std::io::{Read, stdin};

use metaphrase_metrics::References;

fn read(paths: &str) -> Result<Vec<Vec<String>>, String> {
    let lines = |path: &str| {
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        Ok(text.trim_end_matches('\n').split('\n').map(|line| line.trim_end().to_owned()).collect())
    };
    paths.split(',').map(lines).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut jobs = String::new();
    stdin().read_to_string(&mut jobs)?;
    for line in jobs.lines() {
        let [job, hypotheses, references] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("not three fields: {line}").into());
        };
        let (systems, sets) = (read(hypotheses)?, read(references)?);
        let systems: Vec<&Vec<String>> = systems.iter().collect();
        let result = spec::run(job, &systems, &References::new(&sets)?);
        println!("{}", result.replace('\n', "\\n"));
    }
    Ok(())
}
