//! The `metaphrase` program.

use std::process::ExitCode;

// 200 sentences, one at a time on one thread, take 1.15 s with mimalloc and 1.54 s with the allocator of glibc (en-de).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    metaphrase_cli::run(std::env::args_os()).into()
}
