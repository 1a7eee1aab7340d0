//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arithmetic;
mod attention;
mod common;
mod elementwise;
mod every_cpu;
mod gradients;
mod heads;
mod int16;
mod int8;
mod product;
mod reduce;
mod summary;
mod team;
mod tiles;
mod topk;
