//! The `metaphrase` program.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    metaphrase_cli::run(std::env::args_os()).into()
}
