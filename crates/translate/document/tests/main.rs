//! The tests of behaviour, one file each, in one program.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod files;
mod formats;
mod markup;
mod text;
