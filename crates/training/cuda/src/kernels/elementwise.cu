// Sums, products and functions of single numbers.

// Functions, as `Activation` of metaphrase-kernels counts them.
#define NONE 0
#define RELU 1
#define CLIPPED_RELU 2
#define SWISH 3
#define GELU 4
#define TANH 5
#define SIGMOID 6

#define RELU_LIMIT 10.0f

#define ROOT_HALF 0.70710678f    // √(1/2)
#define DENSITY_AT_0 0.39894228f // 1/√(2π)

__device__ static float apply(unsigned function, float x) {
    switch (function) {
        case RELU: return x > 0 ? x : 0;
        case CLIPPED_RELU: return x > RELU_LIMIT ? RELU_LIMIT : x > 0 ? x : 0;
        case TANH: return tanhf(x);
        case SIGMOID: return sigmoid(x);
        case SWISH: return x * sigmoid(x);
        case GELU: return x * 0.5f * (1.0f + erff(x * ROOT_HALF));
        default: return x;
    }
}

// The same, not inlined.
__device__ static NOT_INLINE float apply_rare(unsigned function, float x) { return apply(function, x); }

// The derivative of a function, from its value; those of swish and GELU from their input.
__device__ static float derivative(unsigned function, float x) {
    switch (function) {
        case RELU: return x > 0 ? 1 : 0;
        case CLIPPED_RELU: return x > 0 && x < RELU_LIMIT ? 1 : 0;
        case TANH: return 1.0f - x * x;
        case SIGMOID: return x * (1.0f - x);
        case SWISH: return sigmoid(x) * (1.0f + x * (1.0f - sigmoid(x)));
        case GELU: return 0.5f * (1.0f + erff(x * ROOT_HALF)) + x * DENSITY_AT_0 * expf(-0.5f * x * x);
        default: return 1;
    }
}

// A number in bf16, the upper half of f32: rounded to the nearest one, ties to even. NaN stays NaN.
__device__ static unsigned to_bf16(float x) {
    union {
        float number;
        unsigned bits;
    } both;
    both.number = x;
    return x == x ? (both.bits + 0x7fffu + ((both.bits >> 16) & 1)) >> 16 : 0x7fc0u;
}

// y ← x in bf16: a thread writes two numbers at once.
KERNEL(round_to_bf16)(const float *x, unsigned short *y, u64 n) {
    FOR_EACH(i, (n + 1) / 2) {
        if (2 * i + 1 < n)
            ((unsigned *)y)[i] = to_bf16(x[2 * i]) | to_bf16(x[2 * i + 1]) << 16;
        else
            y[2 * i] = (unsigned short)to_bf16(x[2 * i]);
    }
}

// Number i of a matrix, and of its copy in bf16, if it has one.
__device__ static void store(float x, u64 i, float *y, unsigned short *rounded) {
    y[i] = x;
    if (rounded) rounded[i] = (unsigned short)to_bf16(x);
}

// y ← f(y + bias), the bias being a row or nothing.
KERNEL(activate)(float *y, const float *bias, unsigned cols, u64 n, unsigned function, unsigned short *rounded) {
    FOR_EACH(i, n) store(apply(function, bias ? y[i] + bias[i % cols] : y[i]), i, y, rounded);
}

// grad ← grad · f'
KERNEL(derive)(const float *x, float *grad, u64 n, unsigned function, unsigned short *rounded) {
    FOR_EACH(i, n) store(grad[i] * derivative(function, x[i]), i, grad, rounded);
}

// y ← a + b
KERNEL(sum_of)(const float *a, const float *b, float *y, u64 n) {
    FOR_EACH(i, n) y[i] = a[i] + b[i];
}

// y ← a · y + b · x
KERNEL(weighted_sum)(float *y, const float *x, u64 n, float a, float b) {
    FOR_EACH(i, n) y[i] = a * y[i] + b * x[i];
}

// y ← y · x
KERNEL(multiply)(float *y, const float *x, u64 n) {
    FOR_EACH(i, n) y[i] *= x[i];
}

// y ← gate · a + (1 - gate) · b
KERNEL(mix)(const float *gate, const float *a, const float *b, float *y, u64 n) {
    FOR_EACH(i, n) y[i] = gate[i] * a[i] + (1.0f - gate[i]) * b[i];
}

// sum ← sum + a · b; what is fresh has no numbers yet.
KERNEL(add_product)(const float *a, const float *b, float *sum, u64 n, unsigned fresh) {
    FOR_EACH(i, n) sum[i] = a[i] * b[i] + (fresh ? 0.0f : sum[i]);
}

// sum ← sum + a · (1 - gate)
KERNEL(add_rest)(const float *a, const float *gate, float *sum, u64 n) {
    FOR_EACH(i, n) sum[i] += a[i] * (1.0f - gate[i]);
}

// sum ← sum + x · (a - b)
KERNEL(add_difference)(const float *x, const float *a, const float *b, float *sum, u64 n) {
    FOR_EACH(i, n) sum[i] += x[i] * (a[i] - b[i]);
}

// Σ_r a_r · b_r over `height` rows; without b, Σ_r a_r. A block has 32 columns of these rows, of which each of its 8
// groups of threads adds every 8th. `tiles` blocks have all columns; the sums of the next rows go to the next row of
// `sums`, or are added to the only row.
KERNEL(column_sums)(const float *a, const float *b, unsigned rows, unsigned cols, unsigned height, float *sums,
                    unsigned add) {
    __shared__ float partial[BLOCK];
    unsigned tiles = (cols + 31) / 32, chunk = blockIdx.x / tiles;
    unsigned group = threadIdx.x / 32, col = blockIdx.x % tiles * 32 + threadIdx.x % 32;
    unsigned first = chunk * height, end = rows - first < height ? rows : first + height;
    float total = 0;
    if (col < cols) {
        UNROLL_BY_8
        for (unsigned r = first + group; r < end; r += BLOCK / 32) {
            u64 i = (u64)r * cols + col;
            total += b ? a[i] * b[i] : a[i];
        }
    }
    partial[threadIdx.x] = total;
    __syncthreads();
    if (group == 0 && col < cols) {
        for (unsigned other = 1; other < BLOCK / 32; other++) total += partial[other * 32 + threadIdx.x];
        float *sum = sums + (u64)chunk * cols + col;
        *sum = add ? *sum + total : total;
    }
}

// y ← x · mask, or a + x · mask; without x, the mask itself. The matrix a may be y.
KERNEL(dropout)(struct Mask mask, const float *x, const float *a, float *y, u64 n, unsigned short *rounded) {
    FOR_EACH(i, n) {
        float factor = mask_factor(i, mask);
        store((x ? x[i] * factor : factor) + (a ? a[i] : 0.0f), i, y, rounded);
    }
}

// The rows of y ← the mask of the row.
KERNEL(row_mask)(struct Mask mask, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) y[i] = mask_factor(i / cols, mask);
}
