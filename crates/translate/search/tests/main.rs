//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod behaviour;
mod collect;
mod common;
mod constraints;
mod cube;
mod exhaustive;
mod fairseq;
mod fusion;
mod informed;
mod pruning;
mod repeats;
mod shortlists;
