//! NVRTC compiles the kernels, on machines that have it.

use metaphrase_cuda::{NAMES, check_library, compile};
use metaphrase_testkit::{MissingFiles, Outcome};

fn nvrtc() -> Outcome {
    check_library().map_err(|_| MissingFiles::new("libnvrtc.so of CUDA 12 or 13"))
}

fn kernels_compile_for_ampere_and_hopper() -> Outcome {
    nvrtc()?;
    for architecture in ["sm_80", "sm_90"] {
        let code = compile(architecture).expect("code");
        let has = |name: &&&str| code.windows(name.len()).any(|part| part == name.as_bytes());
        assert_eq!(NAMES.iter().filter(has).count(), NAMES.len(), "{architecture}: a kernel is missing");
    }
    Ok(())
}

fn what_can_not_be_compiled_is_told() -> Outcome {
    nvrtc()?;
    let error = compile("sm_1").expect_err("there is no such architecture");
    assert!(error.to_string().starts_with("NVRTC can not compile"), "{error}");
    Ok(())
}

metaphrase_testkit::tests![kernels_compile_for_ampere_and_hopper, what_can_not_be_compiled_is_told];
