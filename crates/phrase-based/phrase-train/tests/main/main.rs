//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
mod pipeline;
mod stages;
