//! The tests of behaviour, one file each, in one program.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod documents;
mod field;
mod files;
mod formats;
mod languages;
mod limits;
mod markdown;
mod markup;
mod messages;
mod more_formats;
mod programs;
mod subtitles;
mod text;
