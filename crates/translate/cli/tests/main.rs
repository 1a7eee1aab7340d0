//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod align;
mod average;
mod bench;
mod bounds;
mod checks;
mod common;
mod constraints;
mod corpus;
mod evaluate;
mod evidence;
mod extract;
mod files;
mod foreign_files;
mod forms;
mod input_formats;
mod lattices;
mod lines;
mod lm;
mod models;
mod output;
mod phrase;
mod phrase_train;
mod score;
mod several_files;
mod shell;
mod shortlist;
mod stages;
mod tokenize;
mod train;
mod tutorial;
mod unfinished;
mod unknown;
mod usage;
