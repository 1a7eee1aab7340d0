//! Tensors as files hold them, sound or not.

use arbitrary::Arbitrary;

/// A tensor: nothing says that the shape fits the bytes.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub kind: Kind,
    pub shape: Vec<i64>,
    pub bytes: Vec<u8>,
}

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Arbitrary)]
pub enum Kind {
    F32,
    F16,
    F64,
    I8,
    U8,
    I32,
    I64,
    /// Marian's intgemm8: bytes, then a multiplier; I8 where the container does not have it.
    Quantised8,
    Quantised16,
    Unknown,
}

impl Kind {
    /// The bytes of a number.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Quantised8 | Self::Unknown => 1,
            Self::F16 | Self::Quantised16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

impl Array {
    /// The bytes that the shape asks for, if they are few.
    #[must_use]
    pub fn expected_bytes(&self) -> Option<usize> {
        let count = self.shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(usize::try_from(size).ok()?))?;
        count.checked_mul(self.kind.width()).filter(|&bytes| bytes < 1 << 20)
    }

    /// Repeats or cuts the bytes so that they fill the shape.
    pub fn fit(&mut self) {
        let Some(wanted) = self.expected_bytes() else { return };
        if self.bytes.is_empty() {
            self.bytes.push(0);
        }
        self.bytes = self.bytes.iter().copied().cycle().take(wanted).collect();
    }
}
