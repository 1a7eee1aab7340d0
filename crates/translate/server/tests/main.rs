//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod deepl;
mod faults;
mod folder;
mod languages;
mod libre;
mod models;
mod parameters;
mod paths;
mod pivot;
mod proxies;
mod recorded;
mod repeats;
mod scheduling;
mod state;
mod v1;
