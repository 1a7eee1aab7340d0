//! The upper envelope of straight lines (Och 2003, section 5).

/// A straight line: the score of a translation along a direction of the weights, `offset + step · slope`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    /// Where the step is 0.
    pub(crate) offset: f64,
    /// Gain per step.
    pub(crate) slope: f64,
    /// Which translation it is.
    pub(crate) number: u32,
}

/// A line that is the highest from `from` on, up to where the next one begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Segment {
    /// Minus infinity for the first.
    pub(crate) from: f64,
    /// The highest line.
    pub(crate) line: Line,
}

/// Writes the segments of the upper envelope, from left to right. The lines are finite numbers and come in the order of
/// their slopes; of equal lines the first counts.
///
/// From left to right the highest line is ever steeper. So each line removes those before it that are nowhere the
/// highest any more.
pub(crate) fn upper_envelope(lines: &[Line], segments: &mut Vec<Segment>) {
    segments.clear();
    for line in lines {
        let mut from = f64::NEG_INFINITY;
        if segments.last().is_some_and(|last| last.line.slope == line.slope && last.line.offset >= line.offset) {
            continue;
        }
        while let Some(last) = segments.last() {
            from = meeting(&last.line, line);
            if from > last.from {
                break;
            }
            segments.pop();
            from = f64::NEG_INFINITY;
        }
        segments.push(Segment { from, line: *line });
    }
}

/// Where `steeper` passes `line`.
fn meeting(line: &Line, steeper: &Line) -> f64 {
    if steeper.slope == line.slope {
        f64::NEG_INFINITY
    } else {
        (line.offset - steeper.offset) / (steeper.slope - line.slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(lines: &[(f64, f64)]) -> Vec<Line> {
        let mut lines: Vec<Line> =
            lines.iter().zip(0..).map(|(&(offset, slope), number)| Line { offset, slope, number }).collect();
        lines.sort_by(|a, b| a.slope.total_cmp(&b.slope));
        lines
    }

    fn envelope(of: &[(f64, f64)]) -> Vec<(f64, usize)> {
        let mut segments = Vec::new();
        upper_envelope(&lines(of), &mut segments);
        segments.iter().map(|segment| (segment.from, segment.line.number as usize)).collect()
    }

    #[test]
    fn lines_that_are_nowhere_the_highest_are_left_out() {
        const START: f64 = f64::NEG_INFINITY;
        assert_eq!(envelope(&[]), []);
        assert_eq!(envelope(&[(2.0, 1.0)]), [(START, 0)]);
        // 0 falls, 1 is level, 2 rises; 1 is the highest between 1 and 3.
        assert_eq!(envelope(&[(2.0, -1.0), (1.0, 0.0), (-2.0, 1.0)]), [(START, 0), (1.0, 1), (3.0, 2)]);
        // Where the outer two meet, at 2, they are at 0: the level line is below.
        assert_eq!(envelope(&[(2.0, -1.0), (-0.5, 0.0), (-2.0, 1.0)]), [(START, 0), (2.0, 2)]);
        // Parallel and equal ones.
        assert_eq!(envelope(&[(1.0, 1.0), (2.0, 1.0), (2.0, 1.0), (0.0, 1.0)]), [(START, 1)]);
        // Three through one point: the middle one is the highest there alone.
        assert_eq!(envelope(&[(0.0, -1.0), (0.0, 0.0), (0.0, 1.0)]), [(START, 0), (0.0, 2)]);
    }

    proptest! {
        #[test]
        fn it_is_the_highest_line_everywhere(
            of in prop::collection::vec((-9i8..9, -9i8..9), 1..12),
            at in -300i16..300,
        ) {
            let of: Vec<_> = of.iter().map(|&(offset, slope)| (f64::from(offset), f64::from(slope))).collect();
            // Never where two of these lines meet.
            let at = f64::from(at) / 10.0 + 0.0123;
            let value = |number: usize| of[number].0 + at * of[number].1;
            let found = envelope(&of).iter().rev().find(|(from, _)| *from <= at).map(|(_, number)| value(*number));
            let expected = (0..of.len()).map(value).max_by(f64::total_cmp);
            prop_assert_eq!(found, expected);
        }
    }
}
