//! One program for all tests: each file is a module.

mod clean;
