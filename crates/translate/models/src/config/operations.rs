//! The operations around the blocks of a Transformer, in Marian's letters.

use serde::{Deserialize, Serialize};

/// One operation before or after a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `a`: adds the input of the block (skip connection).
    Add,
    /// `n`: layer normalisation, with scale and bias.
    LayerNorm,
    /// `r`: division by the root mean square, with scale.
    RmsNorm,
    /// `h`: highway, a gate between the block's input and its output.
    Highway,
}

/// Operations in their order. Dropout (`d`) is gone: it does nothing after training.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Operations(pub Vec<Operation>);

impl TryFrom<String> for Operations {
    type Error = String;

    fn try_from(letters: String) -> Result<Self, String> {
        letters
            .chars()
            .filter(|&letter| letter != 'd')
            .map(|letter| match letter {
                'a' => Ok(Operation::Add),
                'n' => Ok(Operation::LayerNorm),
                'r' => Ok(Operation::RmsNorm),
                'h' => Ok(Operation::Highway),
                _ => Err(format!("unknown operation `{letter}` in `{letters}`")),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl From<Operations> for String {
    fn from(operations: Operations) -> Self {
        let letter = |operation: &Operation| match operation {
            Operation::Add => 'a',
            Operation::LayerNorm => 'n',
            Operation::RmsNorm => 'r',
            Operation::Highway => 'h',
        };
        operations.0.iter().map(letter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_operations() {
        let operations = Operations::try_from("dan".to_owned()).unwrap();
        assert_eq!(operations.0, [Operation::Add, Operation::LayerNorm]);
        assert_eq!(String::from(operations), "an");
        assert!(Operations::try_from("dax".to_owned()).is_err());
    }
}
