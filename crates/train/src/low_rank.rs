//! Layers made smaller by their weights alone.

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) rows: usize,
    columns: usize,
    pub(crate) numbers: Vec<f32>,
}

impl Table {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, numbers: vec![0.0; rows * columns] }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn at(&mut self, row: usize, column: usize) -> &mut f32 {
        &mut self.numbers[row * self.columns + column]
    }

    fn wide(&self) -> Wide {
        Wide { rows: self.rows, columns: self.columns, numbers: self.numbers.iter().map(|&v| f64::from(v)).collect() }
    }
}

/// A matrix in which sums are made.
#[derive(Debug, Clone)]
struct Wide {
    rows: usize,
    columns: usize,
    numbers: Vec<f64>,
}

impl Wide {
    fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, numbers: vec![0.0; rows * columns] }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.columns..(row + 1) * self.columns]
    }

    fn get(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.columns + column]
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        self.numbers[row * self.columns + column] = value;
    }

    fn transposed(&self) -> Self {
        let mut turned = Self::new(self.columns, self.rows);
        for row in 0..self.rows {
            self.row(row).iter().enumerate().for_each(|(column, &value)| turned.set(column, row, value));
        }
        turned
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::new(self.rows, other.columns);
        for row in 0..self.rows {
            let sums = &mut product.numbers[row * other.columns..(row + 1) * other.columns];
            for (middle, &factor) in self.row(row).iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                sums.iter_mut().zip(other.row(middle)).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        product
    }

    fn narrow(&self) -> Table {
        let numbers = self.numbers.iter().map(|&value| value as f32).collect();
        Table { rows: self.rows, columns: self.columns, numbers }
    }
}

/// A table E of `words × width`, and readers C with E·C as before, as nearly as is possible with `width` numbers for each word: the
/// truncated singular value decomposition of E·C, of all readers together.
pub(crate) fn low_rank(table: &Table, readers: Vec<&mut Table>, width: usize) -> Table {
    let words = table.wide();
    let mut all = Wide::new(words.columns, readers.iter().map(|reader| reader.columns).sum());
    let mut first = 0;
    for reader in &readers {
        for row in 0..reader.rows {
            let start = row * all.columns + first;
            let numbers = &reader.numbers[row * reader.columns..(row + 1) * reader.columns];
            numbers.iter().enumerate().for_each(|(place, &value)| all.numbers[start + place] = f64::from(value));
        }
        first += reader.columns;
    }
    // E = Q·Lᵀ with Lower L of EᵀE = L·Lᵀ; so E·C = Q·(Lᵀ·C), and the SVD of LᵀC is that of E·C.
    let lower = cholesky(&words.transposed().times(&words));
    let inner = lower.transposed().times(&all);
    let best = leading_vectors(inner.times(&inner.transposed()), width);
    let found = best.transposed().times(&inner);
    let mut first = 0;
    for reader in readers {
        let mut part = Table::new(width, reader.columns);
        for row in 0..width {
            for column in 0..reader.columns {
                *part.at(row, column) = found.get(row, first + column) as f32;
            }
        }
        first += reader.columns;
        *reader = part;
    }
    words.times(&solved(&lower, best)).narrow()
}

/// L with A = L·Lᵀ. What is missing to a positive definite A is added.
fn cholesky(matrix: &Wide) -> Wide {
    let size = matrix.rows;
    let greatest = (0..size).map(|i| matrix.get(i, i)).fold(0.0, f64::max);
    let mut lower = Wide::new(size, size);
    for i in 0..size {
        for j in 0..=i {
            let dot: f64 = lower.row(i)[..j].iter().zip(&lower.row(j)[..j]).map(|(a, b)| a * b).sum();
            let rest = matrix.get(i, j) - dot;
            let value =
                if i == j { rest.max(1e-10 * greatest).max(f64::MIN_POSITIVE).sqrt() } else { rest / lower.get(j, j) };
            lower.set(i, j, value);
        }
    }
    lower
}

/// X with Lᵀ·X = B.
fn solved(lower: &Wide, mut right: Wide) -> Wide {
    for row in (0..lower.rows).rev() {
        for column in 0..right.columns {
            let known: f64 = (row + 1..lower.rows).map(|later| lower.get(later, row) * right.get(later, column)).sum();
            right.set(row, column, (right.get(row, column) - known) / lower.get(row, row));
        }
    }
    right
}

/// The eigenvectors of the `count` largest eigenvalues of a symmetric matrix, as columns: Jacobi's method.
fn leading_vectors(mut matrix: Wide, count: usize) -> Wide {
    let size = matrix.rows;
    let mut vectors = Wide::new(size, size);
    (0..size).for_each(|i| vectors.set(i, i, 1.0));
    let whole: f64 = matrix.numbers.iter().map(|value| value * value).sum();
    for _ in 0..60 {
        let mut off = 0.0;
        for p in 0..size {
            for q in p + 1..size {
                let (app, aqq, apq) = (matrix.get(p, p), matrix.get(q, q), matrix.get(p, q));
                off += apq * apq;
                if apq * apq > 1e-24 * (app * aqq).abs() {
                    rotate(&mut matrix, &mut vectors, (p, q), (app, aqq, apq));
                }
            }
        }
        if off <= 1e-22 * whole {
            break;
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| matrix.get(b, b).total_cmp(&matrix.get(a, a)).then(a.cmp(&b)));
    let mut best = Wide::new(size, count);
    for (place, &vector) in order[..count].iter().enumerate() {
        // The rows of `vectors` are the eigenvectors.
        (0..size).for_each(|i| best.set(i, place, vectors.get(vector, i)));
    }
    best
}

/// Makes the numbers at (p, q) zero.
fn rotate(matrix: &mut Wide, vectors: &mut Wide, (p, q): (usize, usize), (app, aqq, apq): (f64, f64, f64)) {
    let theta = (aqq - app) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let cos = 1.0 / (t * t + 1.0).sqrt();
    let sin = t * cos;
    let size = matrix.columns;
    for i in 0..size {
        let (a, b) = (matrix.get(i, p), matrix.get(i, q));
        matrix.set(i, p, cos * a - sin * b);
        matrix.set(i, q, sin * a + cos * b);
    }
    for target in [matrix, vectors] {
        for i in 0..size {
            let (a, b) = (target.get(p, i), target.get(q, i));
            target.set(p, i, cos * a - sin * b);
            target.set(q, i, sin * a + cos * b);
        }
    }
}

/// Leaves `count` neurons of a layer: each input has a column for each neuron, and the result of `output`, which has such columns, too, is
/// the new output. Neurons that differ most from the others, and count most in the output, are kept. Each other neuron is approximated by a
/// linear combination of the kept ones, the best one in the space of the incoming weights, and its outgoing weights are added to theirs.
pub(crate) fn fewer_neurons(inputs: Vec<&mut Table>, output: &Table, count: usize) -> Table {
    let neurons = output.columns;
    // Incoming weights by neuron.
    let rows: usize = inputs.iter().map(|input| input.rows).sum();
    let mut incoming = Wide::new(neurons, rows);
    let mut first = 0;
    for input in &inputs {
        for row in 0..input.rows {
            (0..neurons).for_each(|n| incoming.set(n, first + row, f64::from(input.numbers[row * neurons + n])));
        }
        first += input.rows;
    }
    let gram = incoming.times(&incoming.transposed());
    let mut strength = vec![0.0; neurons];
    for (place, &value) in output.numbers.iter().enumerate() {
        strength[place % neurons] += f64::from(value) * f64::from(value);
    }
    let kept = chosen(&gram, &strength, count);
    let combinations = combinations(&gram, &kept);
    for input in inputs {
        let mut part = Table::new(input.rows, count);
        for row in 0..input.rows {
            kept.iter().enumerate().for_each(|(place, &n)| *part.at(row, place) = input.numbers[row * neurons + n]);
        }
        *input = part;
    }
    output.wide().times(&combinations).narrow()
}

/// Pivoted Cholesky decomposition: the neuron with the largest rest, weighed by its strength, comes next.
fn chosen(gram: &Wide, strength: &[f64], count: usize) -> Vec<usize> {
    let size = gram.rows;
    let mut rest: Vec<f64> = (0..size).map(|i| gram.get(i, i)).collect();
    let mut factors: Vec<Vec<f64>> = Vec::new();
    let mut kept = Vec::new();
    for _ in 0..count {
        let free = (0..size).filter(|n| !kept.contains(n));
        let Some(next) =
            free.max_by(|&a, &b| (rest[a] * strength[a]).total_cmp(&(rest[b] * strength[b])).then(b.cmp(&a)))
        else {
            break;
        };
        let pivot = rest[next].max(f64::MIN_POSITIVE).sqrt();
        let factor: Vec<f64> = (0..size)
            .map(|i| (gram.get(i, next) - factors.iter().map(|factor| factor[i] * factor[next]).sum::<f64>()) / pivot)
            .collect();
        rest.iter_mut().zip(&factor).for_each(|(rest, factor)| *rest = (*rest - factor * factor).max(0.0));
        factors.push(factor);
        kept.push(next);
    }
    kept
}

/// `neurons × kept`: each neuron as a combination of the kept ones, which are themselves.
fn combinations(gram: &Wide, kept: &[usize]) -> Wide {
    let count = kept.len();
    let (mut inner, mut right) = (Wide::new(count, count), Wide::new(count, gram.rows));
    for (i, &a) in kept.iter().enumerate() {
        kept.iter().enumerate().for_each(|(j, &b)| inner.set(i, j, gram.get(a, b)));
        (0..gram.rows).for_each(|n| right.set(i, n, gram.get(a, n)));
    }
    let lower = cholesky(&inner);
    // L·Y = B, then Lᵀ·X = Y.
    for column in 0..right.columns {
        for row in 0..count {
            let known: f64 = (0..row).map(|before| lower.get(row, before) * right.get(before, column)).sum();
            right.set(row, column, (right.get(row, column) - known) / lower.get(row, row));
        }
    }
    let mut found = solved(&lower, right).transposed();
    for (place, &neuron) in kept.iter().enumerate() {
        (0..count).for_each(|column| found.set(neuron, column, f64::from(u8::from(column == place))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize, columns: usize, seed: u32) -> Table {
        let mut state = seed;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        Table { rows, columns, numbers: (0..rows * columns).map(|_| number()).collect() }
    }

    fn product(a: &Table, b: &Table) -> Vec<f64> {
        a.wide().times(&b.wide()).numbers
    }

    fn far(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    #[test]
    fn a_table_of_low_rank_loses_nothing_and_others_little() {
        // Six columns of rank four.
        let low = Table {
            numbers: product(&table(30, 4, 1), &table(4, 6, 2)).iter().map(|&v| v as f32).collect(),
            ..table(30, 6, 3)
        };
        for (words, width, most) in [(&low, 4, 1e-4), (&table(30, 6, 4), 6, 1e-4), (&table(30, 6, 4), 5, 8.0)] {
            let readers = [table(6, 3, 5), table(6, 8, 6)];
            let expected: Vec<Vec<f64>> = readers.iter().map(|reader| product(words, reader)).collect();
            let mut shrunk = readers.clone();
            let smaller = low_rank(words, shrunk.iter_mut().collect(), width);
            assert_eq!((smaller.rows, smaller.columns), (30, width));
            for (reader, expected) in shrunk.iter().zip(&expected) {
                assert!(far(&product(&smaller, reader), expected) < most, "{width}");
            }
        }
    }

    #[test]
    fn the_truncated_decomposition_is_the_best_one() {
        // The error of rank 1 of a matrix with the singular values 3 and 1 is 1.
        let words = Table { rows: 2, columns: 2, numbers: vec![3.0, 0.0, 0.0, 1.0] };
        let mut reader = Table { rows: 2, columns: 2, numbers: vec![0.6, 0.8, -0.8, 0.6] };
        let expected = product(&words, &reader);
        let smaller = low_rank(&words, vec![&mut reader], 1);
        assert!((far(&product(&smaller, &reader), &expected) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn equal_neurons_become_one() {
        // Neurons 0 and 2 are equal, neuron 3 is minus neuron 1.
        let mut input =
            Table { rows: 3, columns: 4, numbers: vec![1.0, 2.0, 1.0, -2.0, 0.5, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, -1.0] };
        let output = Table { rows: 2, columns: 4, numbers: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] };
        let before = input.clone();
        let smaller = fewer_neurons(vec![&mut input], &output, 2);
        let run = |input: &Table, output: &Table| -> Vec<f64> {
            let x = Table { rows: 1, columns: 3, numbers: vec![0.3, -0.2, 0.7] };
            let hidden: Vec<f64> = product(&x, input).iter().map(|z| z.tanh()).collect();
            (0..2).map(|row| output.wide().row(row).iter().zip(&hidden).map(|(w, h)| w * h).sum()).collect()
        };
        assert!(far(&run(&input, &smaller), &run(&before, &output)) < 1e-6);
    }
}
