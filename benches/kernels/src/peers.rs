//! Products of other libraries, on one thread.

use crate::{Contender, Given};
use gemm::Parallelism;
use libloading::Library;
use metaphrase_kernels::Precision;
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::NdTensorView;
use std::hint::black_box;

/// All that can be measured.
pub fn all<'a>(given: &'a Given, onednn: Option<&'a OneDnn>) -> Vec<Contender<'a>> {
    let mut all = vec![rten_f32(given), rten_int8(given), gemm_f32(given)];
    all.extend(onednn.into_iter().flat_map(|library| [library.f32(given), library.int8(given)]));
    all
}

fn rten_f32(given: &Given) -> Contender<'_> {
    let &Given { m, k, n, .. } = given;
    let executor = GemmExecutor::<f32>::new();
    let packed = executor.prepack_b(NdTensorView::from_data([k, n], &given.w[..]));
    let mut out = vec![0.0; m * n];
    let call = move || {
        let a = GemmInputA::Unpacked(NdTensorView::from_data([m, k], black_box(&given.x[..])));
        executor.gemm(&mut out, a, GemmInputB::Packed(&packed), GemmOptions::default()).expect("shapes agree");
    };
    Contender { name: "rten-gemm f32".into(), number: Precision::F32, call: Box::new(call) }
}

fn rten_int8(given: &Given) -> Contender<'_> {
    let &Given { m, k, n, .. } = given;
    let executor = GemmExecutor::<u8, i8, i32>::new();
    let packed = executor.prepack_b(NdTensorView::from_data([k, n], &given.w_bytes[..]));
    let mut out = vec![0; m * n];
    let call = move || {
        let a = GemmInputA::Unpacked(NdTensorView::from_data([m, k], black_box(&given.x_bytes[..])));
        executor.gemm(&mut out, a, GemmInputB::Packed(&packed), GemmOptions::default()).expect("shapes agree");
    };
    Contender { name: "rten-gemm int8".into(), number: Precision::Int8, call: Box::new(call) }
}

fn gemm_f32(given: &Given) -> Contender<'_> {
    let &Given { m, k, n, .. } = given;
    let mut out = vec![0.0_f32; m * n];
    let call = move || {
        let (x, w) = (black_box(given.x.as_ptr()), given.w.as_ptr());
        let (dst, columns, depth) = (out.as_mut_ptr(), n as isize, k as isize);
        // SAFETY: the three matrices have m × n, m × k and k × n numbers, row after row.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                dst,
                1,
                columns,
                false,
                x,
                1,
                depth,
                w,
                1,
                columns,
                0.0,
                1.0,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    };
    Contender { name: "gemm f32".into(), number: Precision::F32, call: Box::new(call) }
}

/// oneDNN's functions for products.
pub struct OneDnn {
    sgemm: Sgemm,
    u8s8s32: U8s8s32,
    /// Holds the functions.
    _library: Library,
}

type Sgemm =
    unsafe extern "C" fn(i8, i8, i64, i64, i64, f32, *const f32, i64, *const f32, i64, f32, *mut f32, i64) -> i32;
type U8s8s32 = unsafe extern "C" fn(
    i8,
    i8,
    i8,
    i64,
    i64,
    i64,
    f32,
    *const u8,
    i64,
    u8,
    *const i8,
    i64,
    i8,
    f32,
    *mut i32,
    i64,
    *const i32,
) -> i32;

impl OneDnn {
    /// Loads `libdnnl.so`.
    pub fn open(path: &str) -> Self {
        // SAFETY: the file is the user's oneDNN, whose functions have these types in versions 2 and 3.
        unsafe {
            let library = Library::new(path).expect("the library of oneDNN");
            let sgemm = *library.get::<Sgemm>(b"dnnl_sgemm\0").expect("dnnl_sgemm");
            let u8s8s32 = *library.get::<U8s8s32>(b"dnnl_gemm_u8s8s32\0").expect("dnnl_gemm_u8s8s32");
            Self { sgemm, u8s8s32, _library: library }
        }
    }

    fn f32<'a>(&'a self, given: &'a Given) -> Contender<'a> {
        let &Given { m, k, n, .. } = given;
        let [m, k, n] = [m, k, n].map(|size| size as i64);
        let mut out = vec![0.0_f32; given.m * given.n];
        let no = b'N' as i8;
        let call = move || {
            let (x, w) = (black_box(given.x.as_ptr()), given.w.as_ptr());
            // SAFETY: the three matrices have m × k, k × n and m × n numbers, row after row.
            let status = unsafe { (self.sgemm)(no, no, m, n, k, 1.0, x, k, w, n, 0.0, out.as_mut_ptr(), n) };
            assert_eq!(status, 0, "dnnl_sgemm");
        };
        Contender { name: "oneDNN f32".into(), number: Precision::F32, call: Box::new(call) }
    }

    fn int8<'a>(&'a self, given: &'a Given) -> Contender<'a> {
        let &Given { m, k, n, .. } = given;
        let [m, k, n] = [m, k, n].map(|size| size as i64);
        let (mut out, offset) = (vec![0_i32; given.m * given.n], 0);
        let [no, fixed] = [b'N', b'F'].map(|letter| letter as i8);
        let call = move || {
            let (x, w) = (black_box(given.x_bytes.as_ptr()), given.w_bytes.as_ptr());
            // SAFETY: as above; one offset for all results.
            let status = unsafe {
                (self.u8s8s32)(
                    no,
                    no,
                    fixed,
                    m,
                    n,
                    k,
                    1.0,
                    x,
                    k,
                    0,
                    w,
                    n,
                    0,
                    0.0,
                    out.as_mut_ptr(),
                    n,
                    &raw const offset,
                )
            };
            assert_eq!(status, 0, "dnnl_gemm_u8s8s32");
        };
        Contender { name: "oneDNN int8".into(), number: Precision::Int8, call: Box::new(call) }
    }
}
