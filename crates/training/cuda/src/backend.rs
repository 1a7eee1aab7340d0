//! Where kernels run: on a GPU, or in tests on the emulator.

use crate::CudaError;
use crate::arguments::{AttendArguments, CellArguments, Heads, MapArguments, SourceAttentionArguments};
#[cfg(feature = "driver")]
use crate::driver::Driver;
#[cfg(feature = "emulator")]
use crate::emulator::Emulator;
use crate::launch::{Gemm, Grid, Number};
use crate::times::Times;
use metaphrase_device::Mask;
use std::ffi::c_void;
#[cfg(feature = "emulator")]
use std::sync::Arc;

/// A backend runs kernels one after the other, in the order of their launches. On one device there may be several,
/// which know nothing of each other's launches.
///
/// # Safety
/// The functions read and write the memory of the device: addresses have to come from [`allocate`](Self::allocate) and
/// must hold as many numbers as the caller declares. [`Matrix`](crate::Matrix) guarantees that memory lives as long as
/// its address; the caller that launches a kernel has compared shapes with the memory that the kernel touches.
pub(crate) enum Backend {
    #[cfg(feature = "driver")]
    Driver(Driver),
    #[cfg(feature = "emulator")]
    Emulator(Arc<Emulator>),
}

/// Calls a function of the backend.
macro_rules! dispatch {
    ($self:ident, $backend:ident => $call:expr) => {
        match $self {
            #[cfg(feature = "driver")]
            Self::Driver($backend) => $call,
            #[cfg(feature = "emulator")]
            Self::Emulator($backend) => $call,
        }
    };
}

#[allow(unsafe_code)] // the callers guarantee the addresses
impl Backend {
    /// Memory for this number of `f32`.
    pub(crate) fn allocate(&self, numbers: usize) -> Result<u64, CudaError> {
        dispatch!(self, backend => backend.allocate(numbers))
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// The address is from `allocate` and is not used any more.
    pub(crate) unsafe fn free(&self, address: u64) {
        // SAFETY: the caller's.
        dispatch!(self, backend => unsafe { backend.free(address) });
    }

    /// Sets numbers to zero.
    ///
    /// # Safety
    /// There are as many numbers at the address.
    pub(crate) unsafe fn clear(&self, address: u64, numbers: usize) -> Result<(), CudaError> {
        if numbers == 0 {
            return Ok(()); // here and below: the driver may refuse an empty range
        }
        // SAFETY: the caller's.
        self.timed("clear", || dispatch!(self, backend => unsafe { backend.clear(address, numbers) }))
    }

    /// Copies numbers to the device.
    ///
    /// # Safety
    /// There is room for them at the address.
    pub(crate) unsafe fn write<T: Number>(&self, address: u64, numbers: &[T]) -> Result<(), CudaError> {
        if numbers.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller's.
        self.timed("write", || dispatch!(self, backend => unsafe { backend.write(address, numbers) }))
    }

    /// Copies numbers from the device, after all earlier launches have ended.
    ///
    /// # Safety
    /// There are as many numbers at the address.
    pub(crate) unsafe fn read(&self, address: u64, numbers: &mut [f32]) -> Result<(), CudaError> {
        if numbers.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller's.
        self.timed("read", || dispatch!(self, backend => unsafe { backend.read(address, numbers) }))
    }

    /// Another stream of launches on the same device. Each stream runs its launches in order, whatever the others do.
    pub(crate) fn another(&self) -> Result<Self, CudaError> {
        match self {
            #[cfg(feature = "driver")]
            Self::Driver(driver) => Ok(Self::Driver(driver.another()?)),
            #[cfg(feature = "emulator")]
            Self::Emulator(emulator) => Ok(Self::Emulator(Arc::clone(emulator))),
        }
    }

    /// Waits for all launches so far.
    pub(crate) fn synchronise(&self) -> Result<(), CudaError> {
        match self {
            #[cfg(feature = "driver")]
            Self::Driver(driver) => driver.synchronise(),
            #[cfg(feature = "emulator")]
            Self::Emulator(_) => Ok(()), // it runs kernels at once
        }
    }

    /// A product.
    ///
    /// # Safety
    /// The matrices have the declared shapes.
    pub(crate) unsafe fn gemm(&self, gemm: Gemm) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        self.timed("product", || dispatch!(self, backend => unsafe { backend.gemm(gemm) }))
    }

    /// The times of calls.
    pub(crate) fn times(&self) -> &Times {
        dispatch!(self, backend => &backend.times)
    }

    /// A call, which is waited for where times are measured.
    fn timed(&self, name: &'static str, call: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
        if !self.times().are_measured() {
            return call();
        }
        self.times().of(name, || call().and_then(|()| self.synchronise()))
    }
}

/// Declares the kernels: a function of [`Backend`] for each, which launches it.
macro_rules! kernels {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        /// The kernels' names, in the order in which `Driver` keeps them.
        #[cfg(feature = "driver")]
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        #[cfg(feature = "driver")]
        #[allow(non_camel_case_types)]
        enum Kernel {
            $($name),*
        }

        #[allow(unsafe_code, clippy::too_many_arguments)] // each kernel has its own
        impl Backend {$(
            /// Launches the kernel of this name.
            ///
            /// # Safety
            /// All memory that the kernel reads and writes (kernels/*.cu) belongs to this backend.
            pub(crate) unsafe fn $name(&self, grid: Grid, $($argument: $type),*) -> Result<(), CudaError> {
                if grid.blocks == 0 {
                    return Ok(());
                }
                self.timed(stringify!($name), || match self {
                    #[cfg(feature = "driver")]
                    Self::Driver(driver) => {
                        let mut arguments = [$((&raw const $argument).cast_mut().cast::<c_void>()),*];
                        // SAFETY: the arguments have the number and the types that the kernel expects: the emulator's
                        // tests, which use the same declaration, would fail otherwise. The rest is the caller's.
                        unsafe { driver.launch(Kernel::$name as usize, grid, &mut arguments) }
                    }
                    #[cfg(feature = "emulator")]
                    Self::Emulator(emulator) => {
                        unsafe extern "C" {
                            #[link_name = concat!("emulated_", stringify!($name))]
                            fn $name($($argument: $type),*);
                        }
                        unsafe extern "C" fn thread(arguments: *const c_void) {
                            // SAFETY: `launch` below passes `arguments`.
                            unsafe {
                                let ($($argument,)*) = *arguments.cast::<($($type,)*)>();
                                $name($($argument),*);
                            }
                        }
                        let arguments = ($($argument,)*);
                        // SAFETY: as above.
                        unsafe { emulator.launch(stringify!($name), grid, thread, (&raw const arguments).cast()) }
                    }
                })
            }
        )*}
    };
}

type Input = *const f32;
type Output = *mut f32;
type Table = *const u32;
type Halves = *mut u16;

kernels! {
    fn activate(y: Output, bias: Input, cols: u32, n: u64, function: u32, rounded: Halves);
    fn round_to_bf16(x: Input, y: Halves, n: u64);
    fn derive(x: Input, grad: Output, n: u64, function: u32, rounded: Halves);
    fn sum_of(a: Input, b: Input, y: Output, n: u64);
    fn weighted_sum(y: Output, x: Input, n: u64, a: f32, b: f32);
    fn multiply(y: Output, x: Input, n: u64);
    fn mix(gate: Input, a: Input, b: Input, y: Output, n: u64);
    fn add_product(a: Input, b: Input, sum: Output, n: u64, fresh: u32);
    fn add_rest(a: Input, gate: Input, sum: Output, n: u64);
    fn add_difference(x: Input, a: Input, b: Input, sum: Output, n: u64);
    fn column_sums(a: Input, b: Input, rows: u32, cols: u32, height: u32, sums: Output, add: u32);
    fn dropout(mask: Mask, x: Input, a: Input, y: Output, n: u64, rounded: Halves);
    fn row_mask(mask: Mask, y: Output, cols: u32, n: u64);

    fn block(x: Input, x_cols: u32, y: Output, y_cols: u32, cols: u32, n: u64, add: u32);
    fn lookup(table: Input, ids: Table, factor: f32, y: Output, cols: u32, n: u64);
    fn add_rows(
        grad: Input, targets: Table, starts: Table, sources: Table, factor: f32, sum: Output, cols: u32, fresh: u32,
    );
    fn means(x: Input, spans: Table, y: Output, cols: u32, n: u64);
    fn add_to_means(grad: Input, spans: Table, count: u32, sum: Output, cols: u32, n: u64);
    fn repeat(row: Input, y: Output, cols: u32, n: u64);
    fn leaky_sum(f: Input, x: Input, spans: Table, y: Output, cols: u32, n: u64);
    fn leaky_sum_backward(f: Input, x: Input, y: Input, spans: Table, grad: Input, by_f: Output, sum: Output, cols: u32, n: u64);
    fn running_mean(x: Input, spans: Table, y: Output, cols: u32, n: u64);
    fn running_mean_backward(spans: Table, grad: Input, sum: Output, cols: u32, n: u64);

    fn normalise(x: Input, scale: Input, bias: Input, epsilon: f32, centred: u32, y: Output, cols: u32, rounded: Halves);
    fn normalise_backward(
        x: Input, scale: Input, grad: Input, epsilon: f32, centred: u32, cols: u32, sum: Output, fresh: u32, normal: Output,
    );

    fn attend(q: Input, k: Input, v: Input, tiles: Table, heads: Heads, weights: Output, y: Output);
    fn attend_queries(
        k: Input, v: Input, tiles: Table, heads: Heads, weights: Input, guide: Input, grad: Input, derivatives: Output, q_grad: Output,
    );
    fn attend_keys(
        q: Input, tiles: Table, heads: Heads, weights: Input, derivatives: Input, grad: Input, k_grad: Output, v_grad: Output,
    );

    fn additive(
        queries: Input, keys: Input, values: Input, v: Input, spans: Table, n: u32, m: u32, weights: Output, y: Output,
    );
    fn additive_energies(
        values: Input, spans: Table, m: u32, weights: Input, guide: Input, grad: Input, energies: Output,
    );
    fn additive_values(spans: Table, rows: u32, m: u32, weights: Input, grad: Input, sum: Output);
    fn additive_queries(
        queries: Input, keys: Input, v: Input, spans: Table, n: u32, energies: Input, sum: Output, by_v: Output,
    );
    fn additive_keys(queries: Input, keys: Input, v: Input, spans: Table, rows: u32, n: u32, energies: Input, sum: Output);

    fn gru(
        a_gates: Input, a_candidate: Input, u_gates: Input, u_candidate: Input, previous: Input, gates: Output, y: Output, d: u32, n: u64,
    );
    fn gru_backward(
        gates: Input, u_candidate: Input, previous: Input, grad: Input, by_gates: Output, by_candidate: Output, by_state: Output,
        d: u32, n: u64,
    );
    fn add_kept(grad: Input, gates: Input, sum: Output, d: u32, n: u64);
    fn lstm_memory(a: Input, u: Input, memory: Input, y: Output, d: u32, n: u64);
    fn lstm_memory_backward(a: Input, u: Input, memory: Input, grad: Input, by_sums: Output, by_memory: Output, d: u32, n: u64);
    fn lstm_output(a: Input, u: Input, memory: Input, y: Output, d: u32, n: u64);
    fn lstm_output_backward(a: Input, u: Input, memory: Input, grad: Input, by_sums: Output, by_memory: Output, d: u32, n: u64);

    fn losses(
        logits: Output, words: Table, cols: u32, smoothing: f32, self_normalisation: f32, weight: f32, derive: u32,
        results: Output, rounded: Halves,
    );
    fn squares(pieces: Table, sums: Output);
    fn clear_pieces(pieces: Table);
    fn update(pieces: Table);

    fn map_small(map: MapArguments, x: Input, rows: u32, add: Input, y: Output);
    fn map_medium(map: MapArguments, x: Input, rows: u32, add: Input, y: Output);
    fn map_large(map: MapArguments, x: Input, rows: u32, add: Input, y: Output);
    fn map_lists(map: MapArguments, x: Input, tiles: Table, outputs: Table, y: Output, y_cols: u32);

    fn embed(
        table: Input, is_bf16: u32, words: Table, factor: f32, vectors: Input, positions: Table, y: Output, cols: u32, n: u64,
    );
    fn normalise_rows(x: Input, scale: Input, bias: Input, epsilon: f32, centred: u32, y: Output, cols: u32, rows: u32);
    fn extend_lists(rows: Table, before: Table, before_cols: u32, now: Output, now_cols: u32);
    fn keep_entries(rows: Table, made: Input, made_cols: u32, raw: Input, kept: Output, cols: u32);
    fn attend_lists(to: AttendArguments);
    fn attend_wide_lists(to: AttendArguments);
    fn attend_rows(to: AttendArguments);
    fn attend_wide_rows(to: AttendArguments);
    fn ssru_step(rows: Table, forget: Input, x: Input, before: Input, now: Output, y: Output, cols: u32);
    fn mean_step(rows: Table, x: Input, before: Input, now: Output, y: Output, cols: u32);
    fn summarise(logits: Input, cols: u32, counts: Table, k: u32, summaries: Output);

    fn normalise_columns(y: Output, y_cols: u32, first: u32, cols: u32, scale: Input, bias: Input, epsilon: f32, rows: u32);
    fn choose_rows(a: Input, a_rows: u32, b: Input, ids: Table, y: Output, cols: u32, n: u64);
    fn cell_step(step: CellArguments, n: u64);
    fn weigh_source(to: SourceAttentionArguments);
    fn weigh_values(to: SourceAttentionArguments);
}
