//! Reductions and norms against naive ones, on every instruction set.

use crate::common::{Random, on_each_set, same_on_each_set};
use metaphrase_kernels::{dot, layer_norm, log_sum_exp, max, rms_norm, softmax_in_place, tanh_dot};

/// Lengths around multiples of sixteen and sixty-four, and some of real rows.
const LENGTHS: [usize; 14] = [1, 2, 15, 16, 17, 33, 63, 64, 65, 96, 127, 500, 512, 8001];

/// For sums of n values below 1: the lanes' chains are n/64 long, a tree of 6 above them.
fn bound(n: usize) -> f64 {
    (n as f64 / 64.0 + 8.0) * n as f64 * f64::from(f32::EPSILON)
}

#[track_caller]
fn close(found: f32, exact: f64, bound: f64) {
    assert!((f64::from(found) - exact).abs() <= bound, "{found} for {exact}, bound {bound:e}");
}

fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}

#[test]
fn dots() {
    on_each_set(|_| {
        for n in LENGTHS {
            let mut random = Random::new(n as u64);
            let (a, b, v) = (random.values(n), random.values(n), random.values(n));
            let sum = |f: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
                (0..n).map(|i| f(a[i].into(), b[i].into(), v[i].into())).sum()
            };
            close(dot(&a, &b), sum(&|a, b, _| a * b), bound(n));
            close(tanh_dot(&a, &b, &v), sum(&|a, b, v| v * (a + b).tanh()), 4.0 * bound(n));
        }
        assert_eq!((dot(&[], &[]), tanh_dot(&[], &[], &[])), (0.0, 0.0));
    });
}

#[test]
fn log_sums_and_softmax() {
    on_each_set(|_| {
        for n in LENGTHS {
            let mut random = Random::new(n as u64);
            for magnitude in [1.0, 10.0, 80.0, 3000.0] {
                let row: Vec<f32> = random.values(n).iter().map(|x| x * magnitude).collect();
                let top = widen(&row).into_iter().fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(f64::from(max(&row)), top);
                let sum: f64 = widen(&row).iter().map(|x| (x - top).exp()).sum();
                let exact = top + sum.ln();
                close(log_sum_exp(&row), exact, 1e-6 * (1.0 + exact.abs()));
                let mut soft = row.clone();
                softmax_in_place(&mut soft);
                for (found, x) in soft.iter().zip(widen(&row)) {
                    let exact = (x - top).exp() / sum;
                    // x - max is rounded: half an ulp of up to 6000, which the exponential makes a relative error.
                    close(*found, exact, exact * (2e-6 + f64::from(magnitude) * 1.2e-7) + 1e-44);
                }
            }
        }
    });
}

/// One term together with a 1 in the same lane: in the same block of 256 numbers, and in the next one, where the sum
/// has another reference.
#[test]
fn terms_of_log_sums() {
    on_each_set(|_| {
        for step in -3000..3000 {
            let x = step as f32 / 64.0;
            for place in [16, 256, 512] {
                let mut row = vec![-f32::INFINITY; place + 1];
                (row[0], row[place]) = (0.0, x);
                let exact = f64::from(x).max(0.0) + (-f64::from(x).abs()).exp().ln_1p();
                close(log_sum_exp(&row), exact, 2e-7 * exact.max(1.0));
            }
        }
    });
}

#[test]
fn infinite_and_undefined_values() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    on_each_set(|_| {
        assert_eq!(max(&[]), -inf);
        assert_eq!(max(&[nan, -2.0, nan, -3.0]), -2.0);
        assert_eq!(max(&[nan; 20]), -inf);
        assert_eq!(log_sum_exp(&[]), -inf);
        assert_eq!(log_sum_exp(&[-inf; 17]), -inf);
        assert_eq!(log_sum_exp(&[1.0, inf, 2.0]), inf);
        assert!(log_sum_exp(&[1.0, nan]).is_nan());
        assert_eq!(log_sum_exp(&[-inf, 3.0]), 3.0);
        let mut row = [-inf, 0.0, -inf, 0.0];
        softmax_in_place(&mut row);
        assert_eq!(row, [0.0, 0.5, 0.0, 0.5]);
        let mut row = [-inf; 3];
        softmax_in_place(&mut row);
        assert!(row.iter().all(|x| x.is_nan()));
        let mut row = [1.0, nan, 2.0];
        softmax_in_place(&mut row);
        assert!(row.iter().all(|x| x.is_nan()));
        softmax_in_place(&mut []);
        layer_norm(&mut [], &[], None, 1e-6);
        layer_norm(&mut [], &[1.0], None, 1e-6);
    });
}

#[test]
fn norms() {
    on_each_set(|_| {
        for n in LENGTHS {
            let mut random = Random::new(n as u64);
            let (x, scale, bias) = (random.values(n), random.values(n), random.values(n));
            // A mean far from zero shows whether the variance is taken about it.
            let x: Vec<f32> = x.iter().map(|x| x + 3.0).collect();
            let epsilon = 1e-5f32;
            for bias in [None, Some(&bias[..])] {
                for centred in [true, false] {
                    let wide = widen(&x);
                    let mean = if centred { wide.iter().sum::<f64>() / n as f64 } else { 0.0 };
                    let variance = wide.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
                    let mut found = x.clone();
                    if centred {
                        layer_norm(&mut found, &scale, bias, epsilon);
                    } else {
                        rms_norm(&mut found, &scale, bias, epsilon);
                    }
                    for i in 0..n {
                        let norm = (wide[i] - mean) / (variance + f64::from(epsilon)).sqrt();
                        let exact = norm * f64::from(scale[i]) + bias.map_or(0.0, |b| f64::from(b[i]));
                        close(found[i], exact, 5e-6);
                    }
                }
            }
        }
    });
}

/// The rows of one call have the bits of rows alone.
#[test]
fn norms_of_many_rows() {
    on_each_set(|_| {
        for (n, rows) in [(1, 3), (17, 5), (64, 4), (96, 9)] {
            let mut random = Random::new(n as u64);
            let (x, scale, bias) = (random.values(n * rows), random.values(n), random.values(n));
            for norm in [layer_norm, rms_norm] {
                let (mut together, mut alone) = (x.clone(), x.clone());
                norm(&mut together, &scale, Some(&bias), 1e-6);
                alone.chunks_exact_mut(n).for_each(|row| norm(row, &scale, Some(&bias), 1e-6));
                assert_eq!(together, alone, "{rows} rows of {n}");
            }
        }
    });
}

#[test]
fn all_sets_agree_to_the_bit() {
    for n in LENGTHS {
        same_on_each_set(format!("length {n}"), || {
            let mut random = Random::new(n as u64);
            let (a, b, v) = (random.values(n), random.values(n), random.values(n));
            let mut all = vec![dot(&a, &b), tanh_dot(&a, &b, &v), log_sum_exp(&a), max(&b)];
            let [mut soft, mut layer, mut rms] = [a.clone(), a.clone(), a];
            softmax_in_place(&mut soft);
            layer_norm(&mut layer, &b, Some(&v), 1e-5);
            rms_norm(&mut rms, &b, None, 1e-5);
            all.extend([soft, layer, rms].concat());
            all
        });
    }
}
