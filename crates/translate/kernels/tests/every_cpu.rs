//! The bits are those of every other kind of CPU: checksums that x86 and Arm both give. `benches/aarch64` compares
//! them.

use crate::common::{Random, bits, on_each_set};
use metaphrase_kernels::{
    AttentionWeights, Epilogue, Heads, KeysValues, Matrix, PackedMatrix, Precision, ProductStorage, Rows, StoredAs,
    WeightOrder, attend, exp_in_place, gelu_in_place, layer_norm, log_sum_exp, product, sigmoid_in_place,
    softmax_in_place, tanh_in_place,
};

/// Products in f32, bf16 and int8; attention in f32 and bf16; functions.
const EXPECTED: [u64; 6] = [
    16_155_984_374_447_959_487,
    3_584_032_038_694_533_652,
    14_057_731_680_833_727_648,
    237_093_726_200_792_698,
    16_703_567_217_437_774_604,
    9_943_554_497_525_006_090,
];

/// FNV-1a of the bits.
fn checksum(values: &[f32]) -> u64 {
    bits(values)
        .iter()
        .flat_map(|bits| bits.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn products(precision: Precision) -> Vec<f32> {
    let mut random = Random::new(1);
    let weights = random.values(67 * 45);
    let map = PackedMatrix::pack(precision, &weights, 67, 45, WeightOrder::InputsByOutputs);
    let (x, mut storage, mut out) = (random.matrix(13, 67), ProductStorage::default(), Matrix::new());
    product(storage.operand(&x, precision), &map, Epilogue::default(), &mut out);
    out.as_slice().to_vec()
}

fn attention(stored: StoredAs) -> Vec<f32> {
    let (mut random, heads) = (Random::new(2), Heads::new(8, 32));
    let mut words = KeysValues::new(heads, stored);
    words.resize(21);
    (0..21).for_each(|i| words.set(i, &random.values(256), &random.values(256)));
    let (mut weights, mut out) = (AttentionWeights::default(), vec![0.0; 256]);
    attend(&random.values(256), &words, &Rows::Range(0..21), None, &mut weights, &mut out);
    out
}

fn functions() -> Vec<f32> {
    let values: Vec<f32> = Random::new(3).values(500).iter().map(|x| 20.0 * x).collect();
    let (scale, mut all) = (Random::new(4).values(500), vec![log_sum_exp(&values)]);
    for function in [exp_in_place, tanh_in_place, sigmoid_in_place, gelu_in_place, softmax_in_place] {
        let mut values = values.clone();
        function(&mut values);
        all.extend(values);
    }
    let mut normed = values;
    layer_norm(&mut normed, &scale, None, 1e-6);
    all.extend(normed);
    all
}

#[test]
fn checksums_are_those_of_every_cpu() {
    on_each_set(|set| {
        let found = [
            checksum(&products(Precision::F32)),
            checksum(&products(Precision::Bf16)),
            checksum(&products(Precision::Int8)),
            checksum(&attention(StoredAs::F32)),
            checksum(&attention(StoredAs::Bf16)),
            checksum(&functions()),
        ];
        assert_eq!(found, EXPECTED, "{set}");
    });
}
