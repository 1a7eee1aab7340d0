//! The rounding of multiply-adds and of pairs of bf16, storage of matrices, and measured limits.

use crate::common::{bits, same_on_each_set};
use metaphrase_kernels::{
    Epilogue, InstructionSet, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, peak, product,
    read_bandwidth, with_instruction_set,
};

/// The portable code against the C library's `fmaf`: random bits, and sums that cancel or lie half way between two
/// floats. A row [c, a] times weights [1, b] is a · b + c, rounded once.
#[test]
fn multiply_adds_are_rounded_once() {
    let special = [0.0, -0.0, 1.0, f32::MIN_POSITIVE, f32::from_bits(1), f32::MAX, f32::INFINITY, f32::NAN];
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    let mut number = |near: u32| match random() % 8 {
        0 => special[random() as usize % special.len()].copysign(if random() & 1 == 0 { 1.0 } else { -1.0 }),
        1 | 2 => f32::from_bits(random()),
        // Few bits, so that halves are common; near an exponent.
        _ => f32::from_bits(random() & 0x807f_e003 | near << 23),
    };
    for round in 0..250_u32 {
        let b: [f32; 16] = std::array::from_fn(|_| number(127));
        let weights = [[1.0; 16], b].concat();
        let weights = PackedMatrix::pack(Precision::F32, &weights, 2, 16, WeightOrder::InputsByOutputs);
        let mut rows = Vec::new();
        for i in 0..250 {
            let a = number(1 + round);
            rows.extend([if i % 3 == 0 { -(a * b[i % 16]) } else { number(1 + round) }, a]);
        }
        let mut out = Matrix::new();
        let x = Matrix::from_vec(250, 2, rows);
        with_instruction_set(InstructionSet::Portable, || product(&x, &weights, Epilogue::default(), &mut out));
        for i in 0..250 {
            let [c, a] = [x.row(i)[0], x.row(i)[1]];
            for (&found, b) in out.row(i).iter().zip(b) {
                let expected = a.mul_add(b, c.mul_add(1.0, 0.0));
                let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(same, "{a:e} · {b:e} + {c:e}: {found:e}, not {expected:e}");
            }
        }
    }
}

#[test]
fn pairs_of_bf16_are_multiplied_alike() {
    let value = |i: usize| (i as f32).sin() * 1e3;
    let weights: Vec<f32> = (0..4 * 16).map(|i| value(i + 7)).collect();
    let weights = PackedMatrix::pack(Precision::Bf16, &weights, 4, 16, WeightOrder::InputsByOutputs);
    let x = Matrix::from_vec(1000, 4, (0..4000).map(|i| value(31 * i)).collect());
    same_on_each_set("products of bf16", || {
        let (mut storage, mut out) = (ProductStorage::default(), Matrix::new());
        product(storage.operand(&x, Precision::Bf16), &weights, Epilogue::default(), &mut out);
        assert_eq!(bits(out.as_slice()).len(), 16_000);
        out.as_slice().to_vec()
    });
}

#[test]
fn limits_are_measured() {
    let peaks = [Precision::F32, Precision::Bf16, Precision::Int8].map(peak);
    for speed in peaks.into_iter().chain([read_bandwidth(1 << 18)]) {
        assert!(speed > 1e7 && speed < 1e14, "{speed}");
    }
}

#[test]
fn resize_keeps_rows_and_storage() {
    let mut m = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let address = m.as_slice().as_ptr();
    assert_eq!(address.align_offset(64), 0);
    m.resize(1, 3);
    m.resize(2, 3);
    assert_eq!(m.row(0), [1.0, 2.0, 3.0]);
    m.clear();
    assert_eq!((m.rows(), m.cols(), m.as_slice().len()), (0, 3, 0));
    m.resize(5, 3);
    assert_eq!(m.as_slice().as_ptr(), address, "16 floats fit into the first cache line");
    assert_eq!(m.row(4).len(), 3);
    m.row_mut(4).fill(7.0);
    assert_eq!(m.as_slice()[12..], [7.0; 3]);
}

#[test]
#[should_panic(expected = "values of a 2 × 2 matrix")]
fn from_vec_checks_the_shape() {
    let _ = Matrix::from_vec(2, 2, vec![0.0; 3]);
}

#[test]
#[should_panic(expected = "too large")]
fn sizes_are_checked_before_they_are_multiplied() {
    let _ = Matrix::zeros(usize::MAX, 2);
}
