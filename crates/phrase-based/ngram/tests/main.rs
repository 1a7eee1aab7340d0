//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod binary;
mod broken_arpa;
mod common;
mod definition;
mod estimate;
