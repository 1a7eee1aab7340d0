// Products of small matrices in shared memory, on tensor cores where a device has them for these numbers (compute
// capability 8.0 and above), and the way of their numbers there.
//
// Tensor cores multiply numbers of 11 bits (TF32) or 8 bits (bf16) exactly and add in f32. A number of 24 bits is
// split in two: x = h + l. Of weights in f32, x · w = h·h + (h·l + l·h) + l·l, where l·l is below the rounding of f32
// and is left out; of weights in bf16, which need no second part, x · w = h·w + l·w. The sum of h·h and the sum of
// the rest are two chains of additions in the order of the inputs, added at the end.

#if !defined(EMULATED) && __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif

// Number i of weights.
__device__ static float weight(const void *w, u64 i, unsigned is_bf16) {
    union {
        unsigned bits;
        float number;
    } both;
    if (!is_bf16) return ((const float *)w)[i];
    both.bits = (unsigned)((const unsigned short *)w)[i] << 16;
    return both.number;
}

// The inputs of a slab: neighbours in shared memory for each row of x, and for each output of w.
#define SLAB 16
#define HIGHEST 2 // 16 rows
#define WIDEST 4  // 8 columns

// A thread's sums of the tile of a warp. Thread t has of each 16 × 8 sums those of the rows t / 4 and t / 4 + 8,
// columns 2 (t % 4) and the next: ROW_OF and COL_OF of q = 0, 1, 2, 3.
struct Sums {
    float main[HIGHEST][WIDEST][4];
    float rest[HIGHEST][WIDEST][4];
};
#define LANE (threadIdx.x % 32)
#define ROW_OF(q) (LANE / 4 + 8 * ((q) / 2))
#define COL_OF(q) (LANE % 4 * 2 + (q) % 2)

// The copy where rows begin between the places that the device copies by itself.
__device__ static NOT_INLINE void copy_numbers(void *to, const char *row, unsigned at, unsigned bytes) {
    for (unsigned i = 0; i < 8; i++, at += 2)
        ((unsigned short *)to)[i] = at < bytes ? *(const unsigned short *)(row + at) : 0;
}

// Bytes `at` to `at + 16` of a row of `bytes` bytes, zeros beyond its end. With tensor cores they are on their way
// until `wait_for_stage`, unless rows begin between the places that such copies know.
__device__ static INLINE void copy_16_bytes(void *to, const char *row, unsigned at, unsigned bytes) {
#ifdef TENSOR_CORES
    if (bytes % 16 == 0) {
        unsigned shared = (unsigned)__cvta_generic_to_shared(to), size = at < bytes ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(row + at), "r"(size));
        return;
    }
#endif
    copy_numbers(to, row, at, bytes);
}

// The copies since the last call are one stage.
__device__ static void end_of_stage(void) {
#ifdef TENSOR_CORES
    asm volatile("cp.async.commit_group;");
#endif
}

// Waits for the own copies of the first of `stages - 1` stages.
__device__ static void wait_for_stage(const unsigned stages) {
#ifdef TENSOR_CORES
    if (stages == 4) asm volatile("cp.async.wait_group 2;" ::: "memory");
    else asm volatile("cp.async.wait_group 1;" ::: "memory");
#else
    (void)stages;
#endif
}

#ifdef TENSOR_CORES

// Numbers of one thread, and what their first parts leave.
struct Split {
    unsigned high[4];
    unsigned low[4];
};

// The nearest number of 11 bits, and the rest, of which tensor cores read 11 bits.
__device__ static void split_tf32(float x, unsigned *high, unsigned *low) {
    *high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    *low = __float_as_uint(x - __uint_as_float(*high));
}

// Two numbers as bf16, the first one in the lower half, and their rests.
__device__ static void split_bf16(float x, float y, unsigned *high, unsigned *low) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(*high) : "f"(y), "f"(x));
    float x_rest = x - __uint_as_float(*high << 16), y_rest = y - __uint_as_float(*high & 0xffff0000u);
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(*low) : "f"(y_rest), "f"(x_rest));
}

// sums += a · b, 16 × 8 inputs and 8 × 8 weights over the threads of a warp.
__device__ static void multiply_tf32(float *sums, const unsigned *a, const unsigned *b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The same of 16 × 16 and 16 × 8.
__device__ static void multiply_bf16(float *sums, const unsigned *a, const unsigned *b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The four inputs of a slab that thread t has of its rows or of its output: 4 (t % 4) and the next three. Tensor
// cores do not mind which input is which, as long as both sides agree.
__device__ static float4 own_inputs(const float *line) { return ((const float4 *)line)[LANE % 4]; }

// sums += x · wᵀ for the tile of a warp, of 16·high rows and 8·wide columns: `xs` and `ws` are their first lines.
__device__ static INLINE void multiply_slab(const unsigned high, const unsigned wide, struct Sums *sums, const float *xs,
                                            const float *ws) {
    struct Split b[WIDEST];
    UNROLL for (unsigned j = 0; j < wide; j++) {
        float4 w = own_inputs(ws + (8 * j + LANE / 4) * SLAB);
        split_tf32(w.x, &b[j].high[0], &b[j].low[0]);
        split_tf32(w.y, &b[j].high[1], &b[j].low[1]);
        split_tf32(w.z, &b[j].high[2], &b[j].low[2]);
        split_tf32(w.w, &b[j].high[3], &b[j].low[3]);
    }
    UNROLL for (unsigned i = 0; i < high; i++) {
        float4 first = own_inputs(xs + (16 * i + LANE / 4) * SLAB), second = own_inputs(xs + (16 * i + LANE / 4 + 8) * SLAB);
        struct Split a[2]; // of the inputs 0 and 1, and of 2 and 3
        split_tf32(first.x, &a[0].high[0], &a[0].low[0]);
        split_tf32(second.x, &a[0].high[1], &a[0].low[1]);
        split_tf32(first.y, &a[0].high[2], &a[0].low[2]);
        split_tf32(second.y, &a[0].high[3], &a[0].low[3]);
        split_tf32(first.z, &a[1].high[0], &a[1].low[0]);
        split_tf32(second.z, &a[1].high[1], &a[1].low[1]);
        split_tf32(first.w, &a[1].high[2], &a[1].low[2]);
        split_tf32(second.w, &a[1].high[3], &a[1].low[3]);
        UNROLL for (unsigned half = 0; half < 2; half++)
            UNROLL for (unsigned j = 0; j < wide; j++) {
                multiply_tf32(sums->rest[i][j], a[half].low, b[j].high + 2 * half);
                multiply_tf32(sums->rest[i][j], a[half].high, b[j].low + 2 * half);
                multiply_tf32(sums->main[i][j], a[half].high, b[j].high + 2 * half);
            }
    }
}

// The same for weights of 16 bits.
__device__ static INLINE void multiply_slab_bf16(const unsigned high, const unsigned wide, struct Sums *sums, const float *xs,
                                            const unsigned short *ws) {
    uint2 b[WIDEST];
    UNROLL for (unsigned j = 0; j < wide; j++) b[j] = ((const uint2 *)(ws + (8 * j + LANE / 4) * SLAB))[LANE % 4];
    UNROLL for (unsigned i = 0; i < high; i++) {
        float4 first = own_inputs(xs + (16 * i + LANE / 4) * SLAB), second = own_inputs(xs + (16 * i + LANE / 4 + 8) * SLAB);
        struct Split a;
        split_bf16(first.x, first.y, &a.high[0], &a.low[0]);
        split_bf16(second.x, second.y, &a.high[1], &a.low[1]);
        split_bf16(first.z, first.w, &a.high[2], &a.low[2]);
        split_bf16(second.z, second.w, &a.high[3], &a.low[3]);
        UNROLL for (unsigned j = 0; j < wide; j++) {
            unsigned w[2] = {b[j].x, b[j].y};
            multiply_bf16(sums->rest[i][j], a.low, w);
            multiply_bf16(sums->main[i][j], a.high, w);
        }
    }
}

#else

// The sums of a thread, one after the other.
__device__ static INLINE void multiply_lines(const unsigned high, const unsigned wide, struct Sums *sums, const float *xs,
                                            const void *ws, unsigned is_bf16) {
    UNROLL for (unsigned i = 0; i < high; i++)
        UNROLL for (unsigned j = 0; j < wide; j++)
            UNROLL for (unsigned q = 0; q < 4; q++) {
                const float *x = xs + (16 * i + ROW_OF(q)) * SLAB;
                u64 first = (8 * j + COL_OF(q)) * SLAB;
                float sum = sums->main[i][j][q];
                for (unsigned k = 0; k < SLAB; k++) sum = MULTIPLY_ADD(x[k], weight(ws, first + k, is_bf16), sum);
                sums->main[i][j][q] = sum;
            }
}

__device__ static INLINE void multiply_slab(const unsigned high, const unsigned wide, struct Sums *sums, const float *xs,
                                            const float *ws) {
    multiply_lines(high, wide, sums, xs, ws, 0);
}

__device__ static INLINE void multiply_slab_bf16(const unsigned high, const unsigned wide, struct Sums *sums, const float *xs,
                                            const unsigned short *ws) {
    multiply_lines(high, wide, sums, xs, ws, 1);
}

#endif
