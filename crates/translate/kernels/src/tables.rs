//! Other ways to compute tanh and the logistic function, to be compared with the polynomials: by a table, as Devlin
//! 2017, §4.4, and by the library of the language, one number at a time.

use std::cell::Cell;
use std::sync::LazyLock;

/// How a thread computes [`tanh_in_place`](crate::tanh_in_place) and [`sigmoid_in_place`](crate::sigmoid_in_place).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Functions {
    /// Polynomials on sixteen lanes, with the errors stated at the functions.
    #[default]
    Polynomials,
    /// The nearest of 4,097 values of tanh between -8 and 8 (Devlin 2017, §4.4). tanh is at most 0.002 off, the
    /// logistic function 0.001.
    Table,
    /// The library of the language, one number at a time.
    Library,
}

thread_local! {
    static FUNCTIONS: Cell<Functions> = const { Cell::new(Functions::Polynomials) };
}

/// Runs `body` with these functions on this thread, for measurements.
pub fn with_functions<R>(functions: Functions, body: impl FnOnce() -> R) -> R {
    /// Restores also when `body` panics.
    struct Restore(Functions);
    impl Drop for Restore {
        fn drop(&mut self) {
            FUNCTIONS.set(self.0);
        }
    }
    let _restore = Restore(FUNCTIONS.replace(functions));
    body()
}

pub(crate) fn functions() -> Functions {
    FUNCTIONS.get()
}

/// Values per unit of x.
const STEPS: f32 = 256.0;
const END: f32 = 8.0;

static TABLE: LazyLock<Vec<f32>> =
    LazyLock::new(|| (0..=(2.0 * END * STEPS) as i32).map(|i| (i as f32 / STEPS - END).tanh()).collect());

/// x ← tanh x, of the table.
pub(crate) fn tanh_by_table(x: &mut [f32]) {
    look_up(x, |x| x, |tanh| tanh);
}

/// x ← 1/(1+e⁻ˣ) = ½ + ½ tanh(½ x), of the table.
pub(crate) fn sigmoid_by_table(x: &mut [f32]) {
    look_up(x, |x| 0.5 * x, |tanh| 0.5 + 0.5 * tanh);
}

fn look_up(x: &mut [f32], before: impl Fn(f32) -> f32, after: impl Fn(f32) -> f32) {
    let table = &TABLE[..];
    for x in x.iter_mut().filter(|x| !x.is_nan()) {
        let place = (before(*x).clamp(-END, END) + END) * STEPS + 0.5;
        *x = after(table[place as usize]);
    }
}
