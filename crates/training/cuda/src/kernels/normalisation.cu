// Layer normalisation and normalisation by the root mean square: a block per row.

// The mean of a row, or 0 if it is not taken away, and 1/√(variance + ε).
__device__ static float row_mean(const float *x, unsigned cols, unsigned centred) {
    if (!centred) return 0;
    float sum = 0;
    FOR_BLOCK(c, 0, cols) sum += x[c];
    return block_sum(sum) / cols;
}

__device__ static float row_inverse(const float *x, unsigned cols, float mean, float epsilon) {
    float sum = 0;
    FOR_BLOCK(c, 0, cols) sum += (x[c] - mean) * (x[c] - mean);
    return 1.0f / sqrtf(block_sum(sum) / cols + epsilon);
}

// y ← scale · (x - mean) / √(variance + ε) + bias; there may be no bias.
KERNEL(normalise)(const float *x, const float *scale, const float *bias, float epsilon, unsigned centred, float *y,
                  unsigned cols, unsigned short *rounded) {
    u64 start = (u64)blockIdx.x * cols;
    x += start;
    float mean = row_mean(x, cols, centred);
    float inverse = row_inverse(x, cols, mean, epsilon);
    FOR_BLOCK(c, 0, cols)
        store(scale[c] * ((x[c] - mean) * inverse) + (bias ? bias[c] : 0.0f), start + c, y, rounded);
}

// sum ← sum + 1/σ · (d - mean d - x̂ · mean(d · x̂)) with d = grad · scale; leaves x̂. What is fresh has no numbers
// yet.
KERNEL(normalise_backward)(const float *x, const float *scale, const float *grad, float epsilon, unsigned centred,
                           unsigned cols, float *sum, unsigned fresh, float *normal) {
    u64 start = (u64)blockIdx.x * cols;
    x += start, grad += start, sum += start, normal += start;
    float mean = row_mean(x, cols, centred);
    float inverse = row_inverse(x, cols, mean, epsilon);
    float inner = 0, product = 0;
    FOR_BLOCK(c, 0, cols) {
        normal[c] = (x[c] - mean) * inverse;
        inner += grad[c] * scale[c];
        product += grad[c] * scale[c] * normal[c];
    }
    float inner_mean = block_sum(inner) / cols * (centred ? 1 : 0);
    float product_mean = block_sum(product) / cols;
    FOR_BLOCK(c, 0, cols) {
        float d = inverse * (grad[c] * scale[c] - inner_mean - normal[c] * product_mean);
        sum[c] = d + (fresh ? 0.0f : sum[c]);
    }
}
