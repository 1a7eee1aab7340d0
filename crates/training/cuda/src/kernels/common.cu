// What all kernels share. They are written in what C and CUDA C++ have in common: NVRTC compiles them for the device at
// hand, and a C compiler for the emulator that the tests run them on (../emulator).
//
// Matrices are row-major. All sums have an order that depends on shapes alone: nothing is added atomically, so that two
// runs on the same device give the same bits.

#ifndef EMULATED
#define KERNEL(name) extern "C" __global__ void name
// With so few registers that a multiprocessor has room for this number of blocks.
#define KERNEL_IN_BLOCKS(name, threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks) name
// The same, for two blocks of 256 threads.
#define KERNEL_IN_PAIRS(name) extern "C" __global__ void __launch_bounds__(256, 2) name
#endif

// The most threads a block has; where threads work together there are a power of two of them.
#define BLOCK 256

typedef unsigned long long u64;

// Runs over all i below n, each for one of all threads.
#define FOR_EACH(i, n) \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (u64)gridDim.x * blockDim.x)

// Runs over all i from `from` to below n, each for one of the threads of the block.
#define FOR_BLOCK(i, from, n) for (unsigned i = (from) + threadIdx.x; i < (n); i += blockDim.x)

// The total over the threads of the block, for all of them: a device adds 32 neighbours without memory, then their
// sums.
#ifdef EMULATED
#define BLOCK_TOTAL(x, with)                                                                             \
    __shared__ float partial[BLOCK];                                                                     \
    partial[threadIdx.x] = x;                                                                            \
    __syncthreads();                                                                                     \
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {                                          \
        if (threadIdx.x < half) partial[threadIdx.x] = with(partial[threadIdx.x], partial[threadIdx.x + half]); \
        __syncthreads();                                                                                 \
    }                                                                                                    \
    float total = partial[0];                                                                            \
    __syncthreads(); /* before somebody writes the next one */                                           \
    return total;
#else
#define BLOCK_TOTAL(x, with)                                                                             \
    __shared__ float partial[BLOCK / 32];                                                                \
    for (unsigned other = 16; other > 0; other /= 2) x = with(x, __shfl_xor_sync(0xffffffffu, x, other)); \
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;                                            \
    __syncthreads();                                                                                     \
    float total = partial[0];                                                                            \
    for (unsigned i = 1; i < blockDim.x / 32; i++) total = with(total, partial[i]);                      \
    __syncthreads(); /* before somebody writes the next one */                                           \
    return total;
#endif

#define PLUS(a, b) ((a) + (b))
__device__ static float block_sum(float x) { BLOCK_TOTAL(x, PLUS) }
__device__ static float block_max(float x) { BLOCK_TOTAL(x, fmaxf) }

// Less than all finite numbers but the least.
#define LEAST -3.4e38f

// Softmax of n numbers, in place, by the whole block.
__device__ static void softmax(float *x, unsigned n) {
    float max = LEAST;
    FOR_BLOCK(i, 0, n) max = fmaxf(max, x[i]);
    max = block_max(max);
    float sum = 0;
    FOR_BLOCK(i, 0, n) {
        x[i] = expf(x[i] - max);
        sum += x[i];
    }
    sum = block_sum(sum);
    FOR_BLOCK(i, 0, n) x[i] /= sum;
    __syncthreads();
}

// From the derivatives by the weights w of a softmax to those by what it saw, in place: w · (d - Σ w d).
__device__ static void softmax_backward(const float *w, float *d, unsigned n) {
    float mean = 0;
    FOR_BLOCK(i, 0, n) mean += w[i] * d[i];
    mean = block_sum(mean);
    FOR_BLOCK(i, 0, n) d[i] = w[i] * (d[i] - mean);
    __syncthreads();
}

__device__ static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// `Mask` of metaphrase-device; a threshold of 0 drops nothing.
struct Mask {
    unsigned key;
    unsigned threshold;
    float scale;
};

// What element i is multiplied with.
__device__ static float mask_factor(u64 i, struct Mask mask) {
    unsigned x = ((unsigned)i * 0x9e3779b9u) ^ mask.key;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return (x ^ (x >> 16)) < mask.threshold ? 0.0f : mask.scale;
}

// a · b + c, rounded once on a device. The compiler would fuse it, too, but here it has to: a sum must have the same
// bits in each kernel that computes it.
#ifdef EMULATED
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#else
#define MULTIPLY_ADD(a, b, c) __fmaf_rn(a, b, c)
#endif

// Before a loop over a small array that should be in registers: an index that is not a constant would put it into
// memory. UNROLL_BY_4 and UNROLL_BY_8: before a loop of loads, so that several are on their way at once.
#ifdef EMULATED
#define UNROLL
#define UNROLL_BY_4
#define UNROLL_BY_8
#else
#define UNROLL _Pragma("unroll")
#define UNROLL_BY_4 _Pragma("unroll 4")
#define UNROLL_BY_8 _Pragma("unroll 8")
#endif

// For a function whose constants are arguments, and for one that is rarely called.
#ifdef EMULATED
#define INLINE
#define NOT_INLINE
#else
#define INLINE __forceinline__
#define NOT_INLINE __noinline__
#endif

// Four neighbours, which are read at once.
#ifdef EMULATED
typedef struct {
    float x, y, z, w;
} float4;
#endif
