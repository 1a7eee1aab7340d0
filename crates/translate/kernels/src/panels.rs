//! Panels: the weights of a linear map in the order in which products read them.

use std::ops::Range;

use crate::aligned::Lanes;
use crate::lines::Lines;

/// The order of the weights of a linear map in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightOrder {
    /// `inputs × outputs`: a row for each input.
    InputsByOutputs,
    /// `outputs × inputs`: a row for each output.
    OutputsByInputs,
}

impl WeightOrder {
    /// The place of the weight from an input to an output.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    pub(crate) fn places(self, weights: usize, inputs: usize, outputs: usize) -> impl Fn(usize, usize) -> usize {
        assert_eq!(Some(weights), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
        move |input, output| match self {
            Self::InputsByOutputs => input * outputs + output,
            Self::OutputsByInputs => output * inputs + input,
        }
    }
}

/// The weights of a linear map in panels of sixteen outputs. A panel has a cache line per lane of inputs, in their
/// order. Zeros fill up the last panel and, where a lane holds several inputs, the last line. All instruction sets read
/// the same order.
#[derive(Clone, Default)]
pub(crate) struct Panels {
    /// `panels × length`.
    lines: Lines,
    length: usize,
    outputs: usize,
    /// One for each panel of integers, none of floats.
    ends: Box<[Ends]>,
}

/// Where the sums of sixteen outputs begin (i32), and the factors that end them.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) start: Lanes,
    pub(crate) scale: Lanes,
}

impl Ends {
    pub(crate) const ZERO: Self = Self { start: Lanes::ZERO, scale: Lanes::ZERO };
}

impl Panels {
    /// Panels of integers: `length · ends.len()` lines.
    pub(crate) fn from_integers(lines: impl Into<Lines>, length: usize, outputs: usize, ends: Vec<Ends>) -> Self {
        let lines = lines.into();
        assert!(ends.len() == outputs.div_ceil(16) && lines.len() == length * ends.len(), "lines of panels");
        Self { lines, length, outputs, ends: ends.into() }
    }

    /// Panels of zeros.
    pub(crate) fn zeros(length: usize, outputs: usize, integers: bool) -> Self {
        let mut zeros = Self::default();
        zeros.resize(length, outputs);
        zeros.resize_ends(integers);
        zeros
    }

    /// Makes room for other weights, in the present storage. The lines have the weights of before, or zeros.
    pub(crate) fn resize(&mut self, length: usize, outputs: usize) -> &mut [Lanes] {
        (self.length, self.outputs) = (length, outputs);
        let count = length * self.count();
        let lines = self.lines.owned();
        lines.resize(count, Lanes::ZERO);
        lines
    }

    fn resize_ends(&mut self, integers: bool) {
        let ends = if integers { self.count() } else { 0 };
        if self.ends.len() != ends {
            self.ends = vec![Ends::ZERO; ends].into();
        }
    }

    /// Gives the outputs the ends of these outputs of another map; none if that map has none.
    pub(crate) fn copy_ends(&mut self, from: &Self, columns: &[u32]) {
        self.resize_ends(!from.ends.is_empty());
        for (output, &column) in columns.iter().enumerate() {
            self.copy_end(output, from, column as usize);
        }
    }

    fn copy_end(&mut self, output: usize, from: &Self, column: usize) {
        if let Some(end) = self.ends.get_mut(output / 16) {
            end.start.0[output % 16] = from.ends[column / 16].start.0[column % 16];
            end.scale.0[output % 16] = from.ends[column / 16].scale.0[column % 16];
        }
    }

    /// Makes an output that of another map of the same inputs and numbers.
    pub(crate) fn copy_output(&mut self, output: usize, from: &Self, column: usize) {
        assert!(column < from.outputs, "column {column} of {}", from.outputs);
        let to = &mut self.lines.owned()[output / 16 * from.length..][..from.length];
        for (to, line) in to.iter_mut().zip(from.panel(column / 16)) {
            to.0[output % 16] = line.0[column % 16];
        }
        self.copy_end(output, from, column);
    }

    /// Number of panels.
    pub(crate) fn count(&self) -> usize {
        self.outputs.div_ceil(16)
    }

    /// All lines, `panels × length`.
    pub(crate) fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Lines of a panel: the inputs in lanes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Memory that the weights take.
    pub(crate) fn bytes(&self) -> usize {
        std::mem::size_of_val(&self.lines[..]) + std::mem::size_of_val(&self.ends[..])
    }

    /// Beginning and end of the sums of panel `i`, which is one of integers.
    #[inline(always)]
    pub(crate) fn end(&self, i: usize) -> &Ends {
        &self.ends[i]
    }

    /// [`end`](Self::end) of some panels.
    #[inline(always)]
    pub(crate) fn ends(&self, panels: Range<usize>) -> &[Ends] {
        &self.ends[panels]
    }

    /// The weights to outputs `16·i`, `16·i + 1`, …: a line for each lane of inputs.
    #[inline(always)]
    pub(crate) fn panel(&self, i: usize) -> &[Lanes] {
        self.panels(i..i + 1)
    }

    /// [`panel`](Self::panel) of some panels, one after the other.
    #[inline(always)]
    pub(crate) fn panels(&self, panels: Range<usize>) -> &[Lanes] {
        &self.lines[panels.start * self.length..panels.end * self.length]
    }
}
