// The element-wise part of recurrent cells (`Cells` of metaphrase-device): a thread per number of the state, of which a
// row has d. What comes from the input points to the first row that is read.

// r, z = σ(a_rz + u_rz), h = tanh(a_h + r · u_h), y = (1 - z) · h + z · s; r, z and h stay in `gates`.
KERNEL(gru)(const float *a_gates, const float *a_candidate, const float *u_gates, const float *u_candidate,
            const float *previous, float *gates, float *y, unsigned d, u64 n) {
    FOR_EACH(i, n) {
        u64 row = i / d, k = i % d, two = row * 2 * d + k, three = row * 3 * d + k;
        float r = sigmoid(a_gates[two] + u_gates[two]);
        float z = sigmoid(a_gates[two + d] + u_gates[two + d]);
        float h = tanhf(a_candidate[i] + r * u_candidate[i]);
        gates[three] = r, gates[three + d] = z, gates[three + 2 * d] = h;
        y[i] = (1.0f - z) * h + z * previous[i];
    }
}

// The derivatives by the sums under σ and tanh, and by u_h.
KERNEL(gru_backward)(const float *gates, const float *u_candidate, const float *previous, const float *grad,
                     float *by_gates, float *by_candidate, float *by_state, unsigned d, u64 n) {
    FOR_EACH(i, n) {
        u64 row = i / d, k = i % d, two = row * 2 * d + k, three = row * 3 * d + k;
        float r = gates[three], z = gates[three + d], h = gates[three + 2 * d];
        float by_h = grad[i] * (1.0f - z) * (1.0f - h * h);
        by_gates[two] = by_h * u_candidate[i] * r * (1.0f - r);
        by_gates[two + d] = grad[i] * (previous[i] - h) * z * (1.0f - z);
        by_candidate[i] = by_h;
        by_state[i] = by_h * r;
    }
}

// sum ← sum + grad · z
KERNEL(add_kept)(const float *grad, const float *gates, float *sum, unsigned d, u64 n) {
    FOR_EACH(i, n) sum[i] += grad[i] * gates[i / d * 3 * d + d + i % d];
}

// The columns of a and u are forget, input, candidate, output.

// y = σ(a_f + u_f) · c + σ(a_i + u_i) · tanh(a_c + u_c)
KERNEL(lstm_memory)(const float *a, const float *u, const float *memory, float *y, unsigned d, u64 n) {
    FOR_EACH(i, n) {
        u64 at = i / d * 4 * d + i % d;
        float f = sigmoid(a[at] + u[at]);
        float input = sigmoid(a[at + d] + u[at + d]);
        float candidate = tanhf(a[at + 2 * d] + u[at + 2 * d]);
        y[i] = f * memory[i] + input * candidate;
    }
}

// The derivatives by the sums and by the memory before.
KERNEL(lstm_memory_backward)(const float *a, const float *u, const float *memory, const float *grad, float *by_sums,
                             float *by_memory, unsigned d, u64 n) {
    FOR_EACH(i, n) {
        u64 at = i / d * 4 * d + i % d;
        float f = sigmoid(a[at] + u[at]);
        float input = sigmoid(a[at + d] + u[at + d]);
        float candidate = tanhf(a[at + 2 * d] + u[at + 2 * d]);
        by_sums[at] = grad[i] * memory[i] * f * (1.0f - f);
        by_sums[at + d] = grad[i] * candidate * input * (1.0f - input);
        by_sums[at + 2 * d] = grad[i] * input * (1.0f - candidate * candidate);
        by_sums[at + 3 * d] = 0;
        by_memory[i] = grad[i] * f;
    }
}

// y = σ(a_o + u_o) · tanh(c)
KERNEL(lstm_output)(const float *a, const float *u, const float *memory, float *y, unsigned d, u64 n) {
    FOR_EACH(i, n) {
        u64 at = i / d * 4 * d + 3 * d + i % d;
        y[i] = sigmoid(a[at] + u[at]) * tanhf(memory[i]);
    }
}

// The derivatives by the sums and by the new memory.
KERNEL(lstm_output_backward)(const float *a, const float *u, const float *memory, const float *grad, float *by_sums,
                             float *by_memory, unsigned d, u64 n) {
    FOR_EACH(i, n) {
        u64 at = i / d * 4 * d + i % d;
        float o = sigmoid(a[at + 3 * d] + u[at + 3 * d]);
        float t = tanhf(memory[i]);
        by_sums[at] = by_sums[at + d] = by_sums[at + 2 * d] = 0;
        by_sums[at + 3 * d] = grad[i] * t * o * (1.0f - o);
        by_memory[i] = grad[i] * o * (1.0f - t * t);
    }
}
