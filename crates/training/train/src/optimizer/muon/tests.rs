#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::optimizer::{Method, Optimizer, OptimizerSettings, Schedule};
use crate::parameters::{Gradients, Init};
use metaphrase_cuda::Cuda;
use metaphrase_device::{Host, TrainingPrecision};

/// A matrix of `f64`, row by row.
type Rows = Vec<Vec<f64>>;

fn rows_of(matrix: &Matrix) -> Rows {
    (0..matrix.rows()).map(|r| matrix.row(r).iter().map(|&v| f64::from(v)).collect()).collect()
}

fn transposed(x: &Rows) -> Rows {
    (0..x[0].len()).map(|c| x.iter().map(|row| row[c]).collect()).collect()
}

fn product(x: &Rows, y: &Rows) -> Rows {
    let columns = transposed(y);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
    x.iter().map(|row| columns.iter().map(|column| dot(row, column)).collect()).collect()
}

/// a · x + b · y
fn weighted(x: &Rows, y: &Rows, [a, b]: [f64; 2]) -> Rows {
    let row = |(x, y): (&Vec<f64>, &Vec<f64>)| x.iter().zip(y).map(|(x, y)| a * x + b * y).collect();
    x.iter().zip(y).map(row).collect()
}

fn norm(x: &Rows) -> f64 {
    x.iter().flatten().map(|v| v * v).sum::<f64>().sqrt()
}

/// The steps of Newton and Schulz as they are defined.
fn by_definition(x: &Rows, steps: u32) -> Rows {
    let [a, b, c] = STEP.map(f64::from);
    (0..steps).fold(weighted(x, x, [1.0 / norm(x), 0.0]), |x, _| {
        let gram = product(&x, &transposed(&x));
        let factor = weighted(&gram, &product(&gram, &gram), [b, c]);
        weighted(&x, &product(&factor, &x), [a, 1.0])
    })
}

/// The singular values of a matrix, by Jacobi's rotations of its rows.
fn singular_values(x: &Rows) -> Vec<f64> {
    let mut x = if x.len() > x[0].len() { transposed(x) } else { x.clone() };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for _ in 0..12 {
        for i in 1..x.len() {
            for j in 0..i {
                let (ii, jj, ij) = (dot(&x[i], &x[i]), dot(&x[j], &x[j]), dot(&x[i], &x[j]));
                let angle = 0.5 * (2.0 * ij).atan2(ii - jj);
                let (sin, cos) = angle.sin_cos();
                let turn = |a: f64, b: f64| (cos * a + sin * b, cos * b - sin * a);
                let (rows_i, rows_j) = (x[i].clone(), x[j].clone());
                let turned = rows_i.iter().zip(&rows_j).map(|(a, b)| turn(*a, *b));
                (x[i], x[j]) = turned.unzip();
            }
        }
    }
    x.iter().map(|row| dot(row, row).sqrt()).collect()
}

/// Random numbers, with rows that are nearly the same and rows that are small.
fn random(seed: u64, rows: usize, cols: usize) -> Matrix {
    let mut parameters = Parameters::new(seed);
    let id = parameters.declare("x", rows, cols, Init::Uniform(3.0));
    parameters.value(id).clone()
}

/// A matrix made orthogonal by a device.
fn orthogonal_on<D: Device>(device: &mut D, x: &Matrix) -> Rows {
    let mut matrix = device.upload(x);
    let norm = D::norms(from_mut(device), &[&matrix])[0];
    orthogonal(device, &mut Factors(HashMap::new()), (&mut matrix, norm), 5);
    rows_of(&device.download(&matrix))
}

fn largest_difference(x: &Rows, y: &Rows) -> f64 {
    assert_eq!((x.len(), x[0].len()), (y.len(), y[0].len()));
    x.iter().flatten().zip(y.iter().flatten()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn singular_values_become_nearly_one() {
    for (rows, cols) in [(48, 17), (17, 48), (32, 32), (2, 300), (300, 2)] {
        let x = random(3, rows, cols);
        let before = singular_values(&rows_of(&x));
        let least = before.iter().fold(f64::INFINITY, |least, v| v.min(least)) / norm(&rows_of(&x));
        let expected = by_definition(&rows_of(&x), 5);
        for got in [orthogonal_on(&mut Host::default(), &x), orthogonal_on(&mut Cuda::for_tests(false), &x)] {
            let difference = largest_difference(&got, &expected);
            assert!(difference < 1e-4, "{rows} × {cols}: {difference}");
            let after = singular_values(&got);
            let good = after.iter().all(|v| (0.68..1.21).contains(v));
            assert!(good || least < 0.003, "{rows} × {cols}: {least} {before:?} {after:?}");
        }
    }
    // The check above sees a matrix that has not been made orthogonal.
    assert!(singular_values(&rows_of(&random(3, 48, 17))).iter().any(|v| !(0.68..1.21).contains(v)));
}

#[test]
fn rounded_products_change_little() {
    let x = random(5, 64, 40);
    let mut rounding = Host::threads(1).swap_remove(0);
    metaphrase_device::Products::set_precision(&mut rounding, TrainingPrecision::Bf16);
    let got = singular_values(&orthogonal_on(&mut rounding, &x));
    assert!(got.iter().all(|v| (0.6..1.3).contains(v)), "{got:?}");
}

#[test]
fn zeros_stay_zeros() {
    let zeros = orthogonal_on(&mut Host::default(), &Matrix::zeros(7, 5));
    assert!(zeros.iter().flatten().all(|v| *v == 0.0));
}

const RATE: f64 = 0.02;
const SHARE: f64 = 0.3;

/// Numbers after three updates by Muon on a device: of a wide map, two maps in one, and a bias.
fn updated<D: Device>(shards: &mut [D]) -> [Rows; 3] {
    let mut parameters = Parameters::new(1);
    for (name, rows, cols) in SHAPES {
        parameters.declare(name, rows, cols, Init::Uniform(0.5));
    }
    let mut parameters = parameters.on(&mut shards[0]);
    let method = Method::Muon { momentum: 0.9, steps: 5, adam_share: SHARE as f32 };
    let schedule = Schedule { rate: RATE as f32, ..Schedule::default() };
    let settings = OptimizerSettings { method, schedule, clip_norm: 2.0, ..OptimizerSettings::default() };
    let mut optimizer = Optimizer::new(settings, &parameters, &mut shards[0]);
    for seed in 10..13 {
        let mut gradients = [Gradients::on(&mut shards[0], &parameters)];
        for ((name, rows, cols), gradient) in SHAPES.into_iter().zip(gradients[0].matrices_mut()) {
            shards[0].write(&random(seed + name.len() as u64, rows, cols), gradient);
        }
        let norm = Optimizer::sum(shards, &mut gradients);
        optimizer.update(shards, &mut parameters, &mut gradients[0], norm);
    }
    let mut values = parameters.iter().map(|(_, value)| rows_of(&shards[0].download(value)));
    [(); 3].map(|()| values.next().unwrap())
}

const SHAPES: [(&str, usize, usize); 3] = [("ffn_W1", 12, 30), ("cell_U", 9, 18), ("ffn_b1", 1, 30)];

/// The same, as the method is defined.
fn updated_by_definition() -> [Rows; 3] {
    let mut parameters = Parameters::new(1);
    let mut values = SHAPES.map(|(name, rows, cols)| {
        let id = parameters.declare(name, rows, cols, Init::Uniform(0.5));
        rows_of(parameters.value(id))
    });
    let mut means = values.clone().map(|value| weighted(&value, &value, [0.0, 0.0]));
    let mut squares = means[2].clone();
    for t in 1..4 {
        let gradient = |(name, rows, cols): (&str, _, _)| rows_of(&random(9 + t + name.len() as u64, rows, cols));
        let gradients = SHAPES.map(gradient);
        let all = gradients.iter().map(|g| norm(g).powi(2)).sum::<f64>().sqrt();
        let gradients = gradients.map(|g| weighted(&g, &g, [(2.0 / all).min(1.0), 0.0]));
        for at in 0..2 {
            means[at] = weighted(&means[at], &gradients[at], [0.9, 0.1]);
            let direction = weighted(&means[at], &gradients[at], [0.9, 0.1]);
            let (parts, cols) = if at == 1 { (2, 9) } else { (1, 30) };
            let part = |part: usize| -> Rows {
                direction.iter().map(|row| row[part * cols..(part + 1) * cols].to_vec()).collect()
            };
            let parts: Vec<Rows> = (0..parts).map(|p| by_definition(&part(p), 5)).collect();
            let joined: Rows =
                (0..direction.len()).map(|r| parts.iter().flat_map(|part| part[r].clone()).collect()).collect();
            let ratio = (cols as f64 / direction.len() as f64).max(1.0).sqrt();
            values[at] = weighted(&values[at], &joined, [1.0, -RATE * ratio]);
        }
        let (b1, b2) = (1.0 - 0.9_f64.powi(t as i32), 1.0 - 0.98_f64.powi(t as i32));
        for (i, g) in gradients[2][0].iter().enumerate() {
            means[2][0][i] = 0.9 * means[2][0][i] + 0.1 * g;
            squares[0][i] = 0.98 * squares[0][i] + 0.02 * g * g;
            values[2][0][i] -= RATE * SHARE * (means[2][0][i] / b1) / ((squares[0][i] / b2).sqrt() + 1e-9);
        }
    }
    values
}

#[test]
fn an_update_is_what_the_method_defines() {
    let expected = updated_by_definition();
    let mut devices = [Cuda::for_tests(false)];
    for got in [updated(&mut Host::threads(1)), updated(&mut Host::threads(3)), updated(&mut devices)] {
        for ((name, ..), (got, expected)) in SHAPES.iter().zip(got.iter().zip(&expected)) {
            let difference = largest_difference(got, expected);
            assert!(difference < 1e-5, "{name}: {difference}");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_bits() {
    assert!(updated(&mut Host::threads(1)) == updated(&mut Host::threads(3)));
}
