//! A device that fails keeps its first failure, and does nothing after it.

use metaphrase_cuda::{Cuda, CudaError};
use metaphrase_device::{Activation, Elementwise, Storage};

#[test]
fn full_memory_is_told_and_nothing_happens_after_it() {
    let mut cuda = Cuda::emulated_with_memory(2000);
    let mut kept = cuda.zeros(10, 100);
    let too_large = cuda.take(20, 100);
    assert!(matches!(cuda.check(), Err(CudaError::OutOfMemory { .. })));
    let sentence = cuda.check().expect_err("a failure").to_string();
    assert!(sentence.starts_with("the GPU has no room for another 1 MB"), "{sentence}");
    let mut other = cuda.take(20, 100);
    cuda.add(&mut other, &too_large);
    cuda.activate(Activation::Sigmoid, &mut kept);
    assert!(cuda.download(&kept).as_slice().iter().all(|&v| v == 0.0));
    assert_eq!(cuda.check().expect_err("a failure").to_string(), sentence);
}

#[test]
fn free_matrices_of_other_sizes_make_room() {
    let mut cuda = Cuda::emulated_with_memory(2000);
    let small = cuda.take(1, 1000);
    cuda.give(small);
    let large = cuda.zeros(1, 1500);
    assert_eq!(cuda.download(&large).as_slice(), [0.0; 1500]);
    assert_eq!(cuda.check(), Ok(()));
}
