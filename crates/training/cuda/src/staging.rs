//! Pinned memory, through which numbers go to a device.
//!
//! A copy from other memory makes CUDA wait for the stream first, if it is of more than 64 KB: the device would then be
//! idle until the next launch. From pinned memory a copy takes its turn in the stream.

#![allow(unsafe_code)] // calls into C, and memory of its own

use crate::CudaError;
use crate::launch::Number;
use cudarc::driver::{result as driver, sys};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Copies that may be on their way at once; the next one waits for the oldest.
const AREAS: usize = 64;

/// Longer copies wait for the stream: models, and not what each batch brings.
const LARGEST: usize = 1 << 20;

/// No area is smaller, in bytes.
const SMALLEST: usize = 1 << 12;

/// Areas that are used in turns.
#[derive(Default)]
pub(crate) struct Staging {
    areas: Vec<Area>,
    next: usize,
}

/// Memory for one copy.
struct Area {
    memory: *mut c_void,
    bytes: usize,
    /// Happens when the last copy from the memory has ended.
    copied: sys::CUevent,
}

impl Area {
    fn new() -> Result<Self, CudaError> {
        let copied = driver::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        Ok(Self { memory: null_mut(), bytes: 0, copied: copied.map_err(CudaError::call("make an event"))? })
    }

    /// Waits for the last copy and makes the memory large enough.
    fn prepare(&mut self, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: the event lives as long as `self`. One that was never recorded has happened.
        unsafe { driver::event::synchronize(self.copied) }.map_err(CudaError::call("finish what it was given"))?;
        if bytes > self.bytes {
            self.free();
            let bytes = bytes.next_power_of_two().max(SMALLEST);
            // SAFETY: the memory is `self`'s alone, and freed once.
            let memory = unsafe { driver::malloc_host(bytes, 0) };
            self.memory = memory.map_err(CudaError::call("pin memory of the CPU"))?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Frees the memory, from which nothing is copied any more.
    fn free(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the memory is from `malloc_host`. An error has no consequence.
            let _ = unsafe { driver::free_host(self.memory) };
            (self.memory, self.bytes) = (null_mut(), 0);
        }
    }
}

impl Staging {
    /// Copies numbers to a device in the order of the stream. They may change after the call.
    ///
    /// # Safety
    /// There is room for them at the address. The stream is the same in all calls, and is current with its context.
    pub(crate) unsafe fn copy<T: Number>(
        &mut self,
        numbers: &[T],
        address: u64,
        stream: sys::CUstream,
    ) -> Result<(), CudaError> {
        let bytes = size_of_val(numbers);
        if bytes > LARGEST {
            // SAFETY: the caller's; memory that is not pinned, as this, has been read when the call returns.
            let result = unsafe { driver::memcpy_htod_async(address, numbers, stream) };
            return result.map_err(CudaError::call("be written to"));
        }
        if self.areas.len() < AREAS {
            self.areas.push(Area::new()?);
            self.next = self.areas.len() - 1;
        }
        let area = &mut self.areas[self.next];
        self.next = (self.next + 1) % AREAS;
        area.prepare(bytes)?;
        // SAFETY: the area has room for the numbers, and no copy reads it any more. It is neither written nor freed
        // before the event, which happens after this copy; the rest is the caller's.
        let result = unsafe {
            std::ptr::copy_nonoverlapping(numbers.as_ptr(), area.memory.cast(), numbers.len());
            let pinned = std::slice::from_raw_parts(area.memory.cast::<T>(), numbers.len());
            driver::memcpy_htod_async(address, pinned, stream).and_then(|()| driver::event::record(area.copied, stream))
        };
        result.map_err(CudaError::call("be written to"))
    }

    /// Frees all memory.
    ///
    /// # Safety
    /// The stream has ended all copies; the context is current.
    pub(crate) unsafe fn free(&mut self) {
        for mut area in self.areas.drain(..) {
            area.free();
            // SAFETY: the event is destroyed once. An error has no consequence.
            let _ = unsafe { driver::event::destroy(area.copied) };
        }
    }
}
