//! The environment variable chooses the instruction set; nothing can choose one that the CPU lacks.

use std::process::Command;

use metaphrase_kernels::{InstructionSet, instruction_set, with_instruction_set};

/// Not a test of its own: prints what a process with some environment computes with.
#[test]
fn print() {
    println!("set: {}.", instruction_set());
}

fn set_of_process(wished: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this test program"));
    command.args(["--exact", "print", "--nocapture"]).env_remove("METAPHRASE_ISA");
    command.envs(wished.map(|name| ("METAPHRASE_ISA", name)));
    let output = String::from_utf8(command.output().expect("it runs again").stdout).expect("UTF-8");
    let (_, set) = output.split_once("set: ").expect("a line of `print`");
    set[..set.find('.').expect("a full stop")].to_string()
}

/// The widest set; Intel's products of bf16 are faster without the instructions for them.
fn fastest() -> InstructionSet {
    let intel = std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|cpus| cpus.contains("GenuineIntel"));
    let fast = |set: &InstructionSet| !(intel && *set == InstructionSet::Avx512Bf16);
    InstructionSet::available().rfind(fast).expect("a set")
}

#[test]
fn the_environment_chooses() {
    let fastest = fastest().to_string();
    assert_eq!(set_of_process(None), fastest);
    assert_eq!(set_of_process(Some("")), fastest);
    assert_eq!(set_of_process(Some("sse9")), fastest);
    let sets = [
        InstructionSet::Portable,
        InstructionSet::Avx2,
        InstructionSet::AvxVnni,
        InstructionSet::Avx512,
        InstructionSet::Avx512Vnni,
        InstructionSet::Avx512Bf16,
        InstructionSet::Avx512Amx,
    ];
    for set in sets {
        let has = InstructionSet::available().any(|available| available == set);
        let expected = if has { set.to_string() } else { fastest.clone() };
        assert_eq!(set_of_process(Some(&set.to_string())), expected);
    }
}

#[test]
fn the_choice_ends_with_the_body_even_if_it_panics() {
    let before = instruction_set();
    let body = || with_instruction_set(InstructionSet::Portable, || panic!("on purpose"));
    assert!(std::panic::catch_unwind(body).is_err());
    assert_eq!(instruction_set(), before);
}
