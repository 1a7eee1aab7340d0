//! The `metaphrase` program.
fn main() {}
