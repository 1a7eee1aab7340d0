//! What the targets share: sound models to start from, changes to them, the containers they are stored in, and what
//! must hold of whatever a reader makes of a file.

pub mod arrays;
pub mod changes;
pub mod containers;
pub mod language_models;
pub mod models;
pub mod sentencepiece;
pub mod text;
