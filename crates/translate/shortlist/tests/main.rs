//! The tests of behaviour in one program.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod files;
