//! The operations of decoding, of which each row depends on itself alone, to the bit: `kernels/maps.cu`,
//! `kernels/decoding.cu` and `kernels/recurrent.cu`.
//!
//! They are functions of [`Cuda`](crate::Cuda), as those of training are, and assert what their kernels rely on.
//! Weights are read by any number of devices that are [`another`](crate::Cuda::another) of one device.

mod attention;
mod lists;
mod maps;
mod recurrent;
mod rows;
mod source_attention;

pub use attention::{AttendedWords, Memories, RowAttention, RowHeads, SeenRows, SeenWords};
pub use lists::{EntryLists, NewRow, NewRows};
pub use maps::{DeviceMap, ListedRows, WeightNumbers};
pub use recurrent::{CellKind, CellStep, Kept, PickedRows, RowIds, StateRows};
pub use source_attention::SourceAttention;

/// The number that stands for no word in [`embed`](crate::Cuda::embed), and for no column in
/// [`summarise`](crate::Cuda::summarise).
pub const NO_ID: u32 = u32::MAX;
