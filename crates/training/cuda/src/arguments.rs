//! Arguments of kernels that have several parts, laid out as the structures of the kernels.

use metaphrase_device::Mask;

/// The heads of an attention, laid out as `struct Heads` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Heads {
    pub(crate) count: u32,
    /// Columns of one in queries and keys, and in values.
    pub(crate) dim: u32,
    pub(crate) width: u32,
    pub(crate) causal: u32,
    /// The factor of the products of queries and keys.
    pub(crate) factor: f32,
    /// The mask of the attention weights.
    pub(crate) mask: Mask,
}

/// A linear map, laid out as `struct Map` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MapArguments {
    /// `outputs × inputs`, of `f32` or of 16 bits each.
    pub(crate) w: *const f32,
    /// A number per output, or null.
    pub(crate) bias: *const f32,
    pub(crate) inputs: u32,
    pub(crate) outputs: u32,
    pub(crate) is_bf16: u32,
    /// As `Activation` counts them.
    pub(crate) function: u32,
}

/// Keys and values, laid out as `struct Memory` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MemoryArguments {
    /// The lines of all rows, or null.
    pub(crate) lines: *const f32,
    /// The addresses of the lines of each memory, or null.
    pub(crate) by_seen: *const u32,
    pub(crate) cols: u32,
    /// The first columns.
    pub(crate) keys: u32,
    pub(crate) values: u32,
}

/// An attention of rows, laid out as `struct Attend` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct AttendArguments {
    pub(crate) q: *const f32,
    pub(crate) q_cols: u32,
    pub(crate) memory: MemoryArguments,
    /// Four numbers for each row.
    pub(crate) seen: *const u32,
    pub(crate) rows: u32,
    /// The lines of each row's words, or null.
    pub(crate) lists: *const u32,
    pub(crate) list_cols: u32,
    /// Or null.
    pub(crate) new_rows: *const u32,
    /// The first column of a row's own values.
    pub(crate) first_values: u32,
    pub(crate) heads: u32,
    pub(crate) dim: u32,
    pub(crate) factor: f32,
    pub(crate) y: *mut f32,
    /// Or null.
    pub(crate) weights: *mut f32,
}

/// Rows of numbers, laid out as `struct Picked` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct PickedArguments {
    /// Or null.
    pub(crate) numbers: *const f32,
    /// Or null.
    pub(crate) ids: *const u32,
    /// From one row to the next.
    pub(crate) cols: u32,
}

/// The step of a recurrent cell, laid out as `struct CellStep` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct CellArguments {
    /// As `CellKind` counts them.
    pub(crate) kind: u32,
    pub(crate) dim: u32,
    pub(crate) a: PickedArguments,
    pub(crate) u: PickedArguments,
    pub(crate) state: PickedArguments,
    pub(crate) memory: PickedArguments,
    pub(crate) output: *mut f32,
    /// Or null.
    pub(crate) memory_output: *mut f32,
    /// Or null.
    pub(crate) kept: *mut f32,
    pub(crate) kept_ids: *const u32,
}

/// The attention of recurrent networks, laid out as `struct SourceAttention` of the kernels.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct SourceAttentionArguments {
    pub(crate) queries: *const f32,
    pub(crate) query_cols: u32,
    /// The addresses of the lines of each memory.
    pub(crate) memories: *const u32,
    pub(crate) cols: u32,
    /// Four numbers for each row.
    pub(crate) seen: *const u32,
    pub(crate) rows: u32,
    pub(crate) heads: u32,
    pub(crate) dim: u32,
    pub(crate) width: u32,
    /// Or null.
    pub(crate) v: *const f32,
    pub(crate) scores: *mut f32,
    pub(crate) score_cols: u32,
    /// Or null.
    pub(crate) weights: *mut f32,
    pub(crate) y: *mut f32,
}
