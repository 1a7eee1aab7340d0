//! Element-wise functions keep their stated errors over all floats, on every instruction set.

use crate::common::{Random, bits, on_each_set, same_on_each_set, ulps};
use metaphrase_kernels::{
    Functions, add_assign, axpy, clipped_relu_in_place, exp_in_place, gelu_in_place, lerp, mul_assign, relu_in_place,
    scale, sigmoid_in_place, swish_in_place, tanh_in_place, with_functions,
};

struct Case {
    name: &'static str,
    function: fn(&mut [f32]),
    exact: fn(f64) -> f64,
    /// Largest error in ulp …
    bound: f64,
    /// … where the absolute error is above this.
    floor: f64,
}

const CASES: [Case; 7] = [
    Case { name: "exp", function: exp_in_place, exact: f64::exp, bound: 1.0, floor: 0.0 },
    Case { name: "tanh", function: tanh_in_place, exact: f64::tanh, bound: 2.0, floor: 0.0 },
    Case { name: "sigmoid", function: sigmoid_in_place, exact: sigmoid, bound: 3.0, floor: 0.0 },
    Case { name: "relu", function: relu_in_place, exact: |x| if x < 0.0 { 0.0 } else { x }, bound: 0.0, floor: 0.0 },
    Case {
        name: "clipped relu",
        function: clipped_relu_in_place,
        exact: |x| x.clamp(0.0, 10.0),
        bound: 0.0,
        floor: 0.0,
    },
    Case { name: "swish", function: swish_in_place, exact: |x| x * sigmoid(x), bound: 4.0, floor: 2e-43 },
    Case { name: "gelu", function: gelu_in_place, exact: |x| x * normal_cdf(x), bound: 8.0, floor: 2e-43 },
];

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Φ by its Taylor series near zero, by the continued fraction of Mills' ratio in the tails.
fn normal_cdf(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x.is_nan() {
        return x;
    }
    if x.abs() < 4.0 {
        let (mut term, mut sum, mut n) = (x, 0.0, 1.0);
        while f64::abs(term) > 1e-18 * f64::abs(sum) {
            sum += term;
            n += 2.0;
            term *= x * x / n;
        }
        return 0.5 + density * sum;
    }
    let fraction = (1..200).rev().fold(0.0, |rest, n| f64::from(n) / (x.abs() + rest));
    let tail = density / (x.abs() + fraction);
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// A million floats: every exponent, both signs, subnormals, infinities, NaN.
fn all_kinds() -> Vec<f32> {
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 0.625];
    let spread = (0..=u32::MAX).step_by(4093).map(f32::from_bits);
    special.into_iter().chain(spread).collect()
}

#[test]
fn errors_stay_within_the_stated_bounds() {
    let inputs = all_kinds();
    for case in CASES {
        let exact: Vec<f64> = inputs.iter().map(|&x| (case.exact)(f64::from(x))).collect();
        on_each_set(|set| {
            let mut found = inputs.clone();
            (case.function)(&mut found);
            let errors = found.iter().zip(&exact).map(|(&found, &exact)| {
                if (f64::from(found) - exact).abs() <= case.floor { 0.0 } else { ulps(found, exact) }
            });
            let mut worst = (0.0, 0.0);
            for (i, error) in errors.enumerate() {
                // -∞·0: swish is not defined there; gelu is 0.
                if inputs[i] == f32::NEG_INFINITY && matches!(case.name, "swish" | "gelu") {
                    continue;
                }
                if error > worst.1 {
                    worst = (inputs[i], error);
                }
            }
            println!("{} {set}: {:.2} ulp at {:e}", case.name, worst.1, worst.0);
            assert!(worst.1 <= case.bound, "{} {set}: {} ulp at {:e}", case.name, worst.1, worst.0);
        });
    }
}

#[test]
fn all_sets_agree_to_the_bit() {
    let inputs = all_kinds();
    for case in CASES {
        same_on_each_set(case.name, || {
            let mut x = inputs.clone();
            (case.function)(&mut x);
            x
        });
    }
}

/// Other functions are for measurements: a table with its stated error, and the library. They end with the body.
#[test]
fn tables_and_the_library_are_near() {
    let inputs = all_kinds();
    for (functions, bound) in [(Functions::Table, 0.002), (Functions::Library, 1e-6)] {
        for case in CASES.iter().filter(|case| matches!(case.name, "tanh" | "sigmoid")) {
            let mut found = inputs.clone();
            with_functions(functions, || (case.function)(&mut found));
            let bound = if case.name == "sigmoid" { bound / 2.0 } else { bound };
            for (&x, &found) in inputs.iter().zip(&found) {
                let exact = (case.exact)(f64::from(x));
                let near = (f64::from(found) - exact).abs() <= bound;
                assert!(near || found.is_nan() && exact.is_nan(), "{} of {x:e} by {functions:?}: {found}", case.name);
            }
        }
    }
    let (mut x, mut y) = ([0.3], [0.3]);
    with_functions(Functions::Table, || tanh_in_place(&mut x));
    tanh_in_place(&mut y);
    assert_ne!(x, y);
}

#[test]
fn limits() {
    on_each_set(|set| {
        let limits = |f: fn(&mut [f32])| {
            let mut x = [f32::NEG_INFINITY, f32::INFINITY, f32::NAN, -0.0];
            f(&mut x);
            assert!(x[2].is_nan(), "{set}");
            [x[0], x[1], x[3]]
        };
        assert_eq!(limits(exp_in_place), [0.0, f32::INFINITY, 1.0]);
        assert_eq!(limits(tanh_in_place), [-1.0, 1.0, 0.0]);
        assert_eq!(limits(sigmoid_in_place), [0.0, 1.0, 0.5]);
        assert_eq!(limits(relu_in_place), [0.0, f32::INFINITY, 0.0]);
        assert_eq!(limits(clipped_relu_in_place), [0.0, 10.0, 0.0]);
        assert_eq!(limits(gelu_in_place), [0.0, f32::INFINITY, 0.0]);
        assert!(limits(swish_in_place)[0].is_nan());
        let mut zero = [-0.0];
        tanh_in_place(&mut zero);
        assert!(zero[0].is_sign_negative());
    });
}

/// A value's result has the same bits at every place of a slice of every length.
#[test]
fn places_do_not_matter() {
    on_each_set(|set| {
        let values = Random::new(1).values(70);
        for case in CASES {
            let mut all = values.clone();
            (case.function)(&mut all);
            for start in 0..20 {
                for len in 0..50 {
                    let mut part = values[start..start + len].to_vec();
                    (case.function)(&mut part);
                    assert_eq!(bits(&part), bits(&all[start..start + len]), "{} {set}", case.name);
                }
            }
        }
    });
}

#[test]
fn arithmetic_of_slices() {
    on_each_set(|set| {
        for n in [0, 1, 15, 16, 17, 33, 64, 100] {
            let mut random = Random::new(2);
            let (a, b, gate) = (random.values(n), random.values(n), random.values(n));
            let check = |name: &str, found: &[f32], exact: &dyn Fn(usize) -> f64| {
                for (i, &found) in found.iter().enumerate() {
                    // Intermediate values are below 4, each rounded to half an ulp, three times at most.
                    assert!((f64::from(found) - exact(i)).abs() < 6.0 * f64::from(f32::EPSILON), "{name} {set} {n}");
                }
            };
            let (x, y) = (|i: usize| f64::from(a[i]), |i: usize| f64::from(b[i]));
            let on_b = |f: &dyn Fn(&mut [f32])| {
                let mut y = b.clone();
                f(&mut y);
                y
            };
            check("add", &on_b(&|y| add_assign(y, &a)), &|i| y(i) + x(i));
            check("mul", &on_b(&|y| mul_assign(y, &a)), &|i| y(i) * x(i));
            check("axpy", &on_b(&|y| axpy(-1.5, &a, y)), &|i| y(i) - 1.5 * x(i));
            check("scale", &on_b(&|y| scale(0.3, y)), &|i| y(i) * f64::from(0.3f32));
            let g = |i: usize| f64::from(gate[i]);
            check("lerp", &on_b(&|out| lerp(&gate, &a, &b, out)), &|i| (1.0 - g(i)) * x(i) + g(i) * y(i));
        }
    });
}

#[test]
#[should_panic(expected = "lengths")]
fn lengths_are_compared() {
    add_assign(&mut [0.0; 3], &[0.0; 4]);
}
