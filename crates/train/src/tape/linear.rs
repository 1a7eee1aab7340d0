//! Linear maps.

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_kernels::{self as kernels, Epilogue, Matrix, vectorised};

/// What follows a linear map element by element; its derivative can be told from its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    None,
    /// max(x, 0)
    Relu,
    /// tanh x
    Tanh,
    /// 1 / (1 + e⁻ˣ)
    Sigmoid,
}

impl Activation {
    const fn kernel(self) -> kernels::Activation {
        match self {
            Self::None => kernels::Activation::None,
            Self::Relu => kernels::Activation::Relu,
            Self::Tanh => kernels::Activation::Tanh,
            Self::Sigmoid => kernels::Activation::Sigmoid,
        }
    }

    /// `grad` ← `grad` · f'(x), where `y = f(x)`.
    pub(super) fn derive(self, y: &[f32], grad: &mut [f32]) {
        let pairs = grad.iter_mut().zip(y);
        vectorised(|| match self {
            Self::None => {}
            Self::Relu => pairs.for_each(|(grad, &y)| *grad = if y > 0.0 { *grad } else { 0.0 }),
            Self::Tanh => pairs.for_each(|(grad, &y)| *grad *= 1.0 - y * y),
            Self::Sigmoid => pairs.for_each(|(grad, &y)| *grad *= y * (1.0 - y)),
        });
    }
}

/// y = f(x · W + b)
pub(super) struct Linear {
    x: Var,
    w: ParameterId,
    transposed: bool,
    b: Option<ParameterId>,
    activation: Activation,
}

impl Tape<'_> {
    /// f(x · W + b), W `inputs × outputs`, b `1 × outputs`.
    pub fn linear(&mut self, x: Var, w: ParameterId, b: Option<ParameterId>, activation: Activation) -> Var {
        self.map(Linear { x, w, transposed: false, b, activation })
    }

    /// f(x · Wᵀ + b), W `outputs × inputs`.
    pub fn linear_transposed(&mut self, x: Var, w: ParameterId, b: Option<ParameterId>, activation: Activation) -> Var {
        self.map(Linear { x, w, transposed: true, b, activation })
    }

    fn map(&mut self, op: Linear) -> Var {
        let parameters = self.parameters;
        let packed = if op.transposed { parameters.packed_transposed(op.w) } else { parameters.packed(op.w) };
        let bias = op.b.map(|b| parameters.value(b).as_slice());
        let mut y = self.take(self.value(op.x).rows(), packed.outputs());
        let epilogue = Epilogue { bias, add: None, activation: op.activation.kernel() };
        self.workspace.products.product(&self.values[op.x.index()], packed, epilogue, &mut y);
        self.push(y, Op::Linear(op))
    }
}

impl Linear {
    pub(super) fn backward(&self, own: Var, grad: &mut Matrix, to: &mut Backward<'_>) {
        self.activation.derive(to.values[own.index()].as_slice(), grad.as_mut_slice());
        if let Some(b) = self.b {
            to.add_rows_to_parameter(b, grad);
        }
        let x = &to.values[self.x.index()];
        let (parameters, gradient) = (to.parameters, to.gradients.get_mut(self.w));
        let (inputs, outputs) = if self.transposed { (&*grad, x) } else { (x, &*grad) };
        to.workspace.products.transposed_product_add(parameters.precision(), inputs, outputs, gradient);
        let back = if self.transposed { parameters.packed(self.w) } else { parameters.packed_transposed(self.w) };
        to.add_to(self.x, |sum, fresh, to| {
            if fresh {
                to.workspace.products.product(grad, back, Epilogue::default(), sum);
            } else {
                to.workspace.products.product_add(grad, back, sum);
            }
        });
    }
}
