//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod composition;
mod evidence;
mod hugging_face;
mod hugging_face_ctranslate2;
mod language_model;
mod option_pages;
mod parts;
mod phrase_based;
mod pivot;
mod prepared;
mod public_surface;
mod published;
mod shortlist;
mod stream;
mod submit;
mod terms;
mod text;
mod unknown;
