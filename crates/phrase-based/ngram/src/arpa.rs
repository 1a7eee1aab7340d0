//! ARPA, the text format of back-off models.

mod lines;
mod read;
mod write;

pub use read::{read, read_from};
pub use write::write;
