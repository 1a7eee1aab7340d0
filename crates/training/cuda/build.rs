//! Compiles the kernels for the emulator, on request; everything else is compiled at run time.

fn main() {
    println!("cargo::rerun-if-changed=src");
    #[cfg(feature = "emulator")]
    cc::Build::new()
        .file("src/emulator/emulator.c")
        .std("gnu11")
        .opt_level(2)
        .flag_if_supported("-Wno-unused-function")
        // Fibers jump between stacks, which fortified jumps take for a mistake.
        .flag("-U_FORTIFY_SOURCE")
        .warnings_into_errors(true)
        .compile("metaphrase_cuda_emulator");
}
