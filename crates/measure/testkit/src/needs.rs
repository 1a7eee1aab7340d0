//! Tests that need files or libraries from outside the repository.
//!
//! Rust's own test harness can not ignore a test while it runs, so files of such tests have `harness = false` in their
//! `Cargo.toml` and end with [`tests!`](crate::tests). A test asks for its files and returns early if they are missing:
//!
//! ```
//! use metaphrase_testkit::{Outcome, shared};
//!
//! fn all_models_load() -> Outcome {
//!     let folder = shared("models/amun")?;
//!     assert!(folder.join("model.npz").exists());
//!     Ok(())
//! }
//! metaphrase_testkit::tests![all_models_load];
//! ```
//!
//! Without the folder the test is reported as `ignored (needs models/amun of the shared folder, …/shared)`. The gate,
//! `.ci/run`, counts these lines.

use crate::repository;
use libtest_mimic::{Arguments, Completion, Trial};
use std::path::PathBuf;
use std::process::ExitCode;

/// The result of a test that does not fail: it fails by panicking.
pub type Outcome = Result<(), MissingFiles>;

/// A thing that this machine lacks, so that a test can not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFiles(String);

impl MissingFiles {
    /// `thing` completes the sentence "the test needs …".
    #[must_use]
    pub fn new(thing: impl Into<String>) -> Self {
        Self(thing.into())
    }
}

/// A file or folder of the shared models and data, for example `models/amun`. The shared folder is named by the
/// variable `METAPHRASE_SHARED`; without it, it is the folder `shared` next to the repository.
///
/// # Errors
/// [`MissingFiles`] if there is no such file.
pub fn shared(path: &str) -> Result<PathBuf, MissingFiles> {
    let shared =
        std::env::var_os("METAPHRASE_SHARED").map_or_else(|| repository().with_file_name("shared"), PathBuf::from);
    let found = shared.join(path);
    let missing = || MissingFiles(format!("{path} of the shared folder, {}", shared.display()));
    if found.exists() { Ok(found) } else { Err(missing()) }
}

/// The result of a test function: nothing, or an [`Outcome`].
pub trait IntoOutcome {
    /// As an outcome.
    ///
    /// # Errors
    /// [`MissingFiles`] if the test could not run.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Ok(())
    }
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

/// A named test.
#[must_use]
pub fn test<R: IntoOutcome + 'static>(name: &str, test: fn() -> R) -> Trial {
    Trial::ignorable_test(name, move || match test().into_outcome() {
        Ok(()) => Ok(Completion::Completed),
        Err(MissingFiles(thing)) => Ok(Completion::ignored_with(format!("needs {thing}"))),
    })
}

/// Runs the tests that the arguments of the process select. [`tests!`](crate::tests) calls it.
#[must_use]
pub fn run(tests: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// The `main` of a file of tests with `harness = false`: runs these functions, which return nothing or an
/// [`Outcome`].
#[macro_export]
macro_rules! tests {
    ($($test:ident),+ $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            $crate::run(vec![$($crate::test(stringify!($test), $test)),+])
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_misses_a_file_is_ignored() {
        fn passes() {}
        fn misses() -> Outcome {
            shared("no such folder").map(|_| ())
        }
        let tests = vec![test("passes", passes), test("misses", misses)];
        let conclusion = libtest_mimic::run(&Arguments { quiet: true, ..Arguments::default() }, tests);
        assert_eq!((conclusion.num_passed, conclusion.num_ignored), (1, 1));
    }
}
