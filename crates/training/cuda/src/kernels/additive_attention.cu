// Additive attention: row r of the queries to the words of its span.

struct Span {
    unsigned first; // word
    unsigned count; // of words
    unsigned start; // of its weights
};

// A block per row: w_j = softmax_j(v · tanh(query + key_j)), y = Σ_j w_j · values_j. Keys have n columns, values m.
KERNEL(additive)(const float *queries, const float *keys, const float *values, const float *v, const struct Span *spans,
                 unsigned n, unsigned m, float *weights, float *y) {
    struct Span span = spans[blockIdx.x];
    const float *query = queries + (u64)blockIdx.x * n;
    float *w = weights + span.start;
    for (unsigned j = 0; j < span.count; j++) {
        const float *key = keys + (u64)(span.first + j) * n;
        float energy = 0;
        FOR_BLOCK(c, 0, n) energy += v[c] * tanhf(query[c] + key[c]);
        energy = block_sum(energy);
        if (threadIdx.x == 0) w[j] = energy;
    }
    __syncthreads();
    softmax(w, span.count);
    FOR_BLOCK(c, 0, m) {
        float total = 0;
        for (unsigned j = 0; j < span.count; j++) total += w[j] * values[(u64)(span.first + j) * m + c];
        y[(u64)blockIdx.x * m + c] = total;
    }
}

// A block per row: the derivatives by what the softmax saw. `guide` as in attention.
KERNEL(additive_energies)(const float *values, const struct Span *spans, unsigned m, const float *weights,
                          const float *guide, const float *grad, float *energies) {
    struct Span span = spans[blockIdx.x];
    for (unsigned j = 0; j < span.count; j++) {
        float dot = 0;
        FOR_BLOCK(c, 0, m) dot += grad[(u64)blockIdx.x * m + c] * values[(u64)(span.first + j) * m + c];
        dot = block_sum(dot);
        if (threadIdx.x == 0) energies[span.start + j] = dot + (guide ? guide[span.start + j] : 0.0f);
    }
    __syncthreads();
    softmax_backward(weights + span.start, energies + span.start, span.count);
}

// A block per word: what the values' derivative grows by, over the rows that see the word.
KERNEL(additive_values)(const struct Span *spans, unsigned rows, unsigned m, const float *weights, const float *grad,
                        float *sum) {
    unsigned word = blockIdx.x;
    FOR_BLOCK(c, 0, m) {
        float total = 0;
        for (unsigned r = 0; r < rows; r++) {
            unsigned j = word - spans[r].first; // huge if the word is before the span
            if (j < spans[r].count) total += weights[spans[r].start + j] * grad[(u64)r * m + c];
        }
        sum[(u64)word * m + c] += total;
    }
}

// A block per row: the derivative by the query, and what v's grows by.
KERNEL(additive_queries)(const float *queries, const float *keys, const float *v, const struct Span *spans, unsigned n,
                         const float *energies, float *sum, float *by_v) {
    struct Span span = spans[blockIdx.x];
    FOR_BLOCK(c, 0, n) {
        u64 at = (u64)blockIdx.x * n + c;
        float total = 0, of_v = 0;
        for (unsigned j = 0; j < span.count; j++) {
            float t = tanhf(queries[at] + keys[(u64)(span.first + j) * n + c]);
            float energy = energies[span.start + j];
            total += energy * v[c] * (1.0f - t * t);
            of_v += energy * t;
        }
        sum[at] += total;
        by_v[at] = of_v;
    }
}

// A block per word: what the keys' derivative grows by, over the rows that see the word.
KERNEL(additive_keys)(const float *queries, const float *keys, const float *v, const struct Span *spans, unsigned rows,
                      unsigned n, const float *energies, float *sum) {
    unsigned word = blockIdx.x;
    FOR_BLOCK(c, 0, n) {
        u64 at = (u64)word * n + c;
        float total = 0;
        for (unsigned r = 0; r < rows; r++) {
            unsigned j = word - spans[r].first;
            if (j >= spans[r].count) continue;
            float t = tanhf(queries[(u64)r * n + c] + keys[at]);
            total += energies[spans[r].start + j] * v[c] * (1.0f - t * t);
        }
        sum[at] += total;
    }
}
